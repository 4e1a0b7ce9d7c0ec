//! The command line's grammar.

mod campaign;
mod choices;
mod import;
mod kit;
pub mod limits;
mod measure;
mod pairing;
mod programs;
mod run;

pub use campaign::{Campaign, Extent};
pub use choices::{Backend, ByteOrder, Choice, Stage};
pub use import::{Form, Import};
pub use kit::{Kit, KitBuild, KitCommand, KitJudge, KitList, KitShow};
pub use measure::{Bench, Coverage, Diff, Summary, Vectors};
pub use pairing::Pairing;
pub use programs::{Asm, Chip, Dis, Dump, Explore, List, Prof, Subject};
pub use run::{Demo, Run};

use crate::conflicts::Given;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// JIT recompiler for the vertex programs of NVIDIA's XF unit, exact to the bit.
///
/// Data goes to standard output, and messages go to standard error. The file name `-` means standard input or output.
#[derive(Debug, Parser)]
#[command(name = "xfjit", bin_name = "xfjit", version, styles = STYLES, max_term_width = 80)]
#[command(
    after_help = "Exit codes: 0 success, 1 a check found a difference, 2 wrong usage, 3 a file cannot be read, used or written, 4 a bug in xfjit.\n\
                        Start with `xfjit demo`."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// For every command.
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Output format of data.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = "Global options")]
    pub format: Format,
    /// When to colour messages. The environment variable NO_COLOR turns colours off.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Global options")]
    pub color: Color,
    /// Print only what the command was asked for: no progress bars, notes or warnings. A check prints only its one line of result.
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Which options were written.
    #[arg(skip)]
    pub given: Given,
}

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Assemble a program into microcode.
    Asm(Asm),
    /// Disassemble microcode.
    Dis(Dis),
    /// Show a program at one stage of the compiler.
    Dump(Dump),
    /// Write a page that shows a program at every stage of the compiler.
    Explore(Explore),
    /// Run a program over vertices.
    Run(Box<Run>),
    /// List the commands of a recording, and the state that each draw uses.
    List(List),
    /// Show what a program costs on the chip: its pipeline, clock by clock.
    Chip(Chip),
    /// Report what the programs of a capture cost, on this machine and on the chip.
    Prof(Prof),
    /// Convert files of other tools to program files and captures.
    Import(Import),
    /// Build experiments that a console runs, and judge what it returns.
    Kit(Kit),
    /// Check golden vectors.
    Vectors(Vectors),
    /// Measure the tiers on the fixed set of programs.
    Bench(Bench),
    /// Compare the back ends on random programs.
    Diff(Diff),
    /// Add up the records of campaigns that share the work.
    Summary(Summary),
    /// Report which rows of the decoder's, the recipes' and the emitter's tables no input of a corpus reaches.
    Coverage(Coverage),
    /// Run a lighting program over an included mesh on every tier, compare the results, and draw them.
    Demo(Demo),
    /// Report what this machine and this build support.
    Doctor,
    /// Write a completion script for a shell.
    Completions(Completions),
    /// Write manual pages.
    Man(Man),
}

/// `xfjit completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `xfjit man`
#[derive(Debug, Args)]
pub struct Man {
    /// Command whose page to print. Default: the page of xfjit itself.
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub page: Option<String>,
    /// Write all pages into this directory: xfjit.1, xfjit-run.1 and so on.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Output format of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people.
    Text,
    /// JSON for programs. The field `schema` names the version.
    Json,
    /// CSV for spreadsheets.
    Csv,
}

/// When to colour messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Colour messages on a terminal, unless NO_COLOR is set.
    Auto,
    /// Always colour messages.
    Always,
    /// Never colour messages.
    Never,
}

impl Color {
    /// Yes, no, or None to decide by the terminal.
    pub fn choice(self) -> Option<bool> {
        match self {
            Color::Auto => None,
            Color::Always => Some(true),
            Color::Never => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_documented_forms_are_accepted() {
        for line in [
            "asm -",
            "asm lit.vsh --format json",
            "dis --gen curie p.hex",
            "dis --dialect arb p.hex",
            "dump --stage clif --target aarch64 p.hex",
            "explore p.vsh --out page.html",
            "explore --fixed nv20 0 0 0 0 --model ieee",
            "run --gen kelvin --program p --constants c --vertices v.obj --model ieee --backend lockstep",
            "run --trace stream.trace --model ieee --backend interp",
            "run tests/filetests --jobs 0 --shard 1/2 --resume r.json",
            "run --trace record.dff --dialect dolphin-sw",
            "list record.dff --draws --matrices",
            "run --trace record.dff --frame 1 --draw p.png --obj p.obj --view window --size 64x64",
            "run --fifo a.bin --draw p.png",
            "run --fifo a.bin --option ring=exclusive",
            "run --trace t --option write_order=vector_wins",
            "run --fifo a.bin --memory b.bin@0x1000 --memory c.bin --hex",
            "run --program p --vertices v.bin --layout v0:3,_:1,v9:2 --count 7",
            "run --program p --vertices v.obj --map v0=position,v8=texcoord",
            "run --program p --vertices v.obj --preset xemu --option access=user --outputs oPos,oD0",
            "run --program p --vertices v.obj --gen curie --bool b0,b7 --texture 0=a.png --texture 1=b,4x4x1,repeat",
            "run --program p --vertices v.csv --draw - --size 64x64 --view window --primitive strip --camera --obj o",
            "vectors a.xz b.txt --backend interp",
            "bench --json",
            "diff --gen rankine --seed 3 --programs 10 --vertices 5",
            "diff --jobs 0 --shard 2/3 --seconds 60 --resume r.json --summary s.json --findings found",
            "vectors tests/data --jobs 2 --shard 1/4 --resume r.json",
            "summary a.json b.json --format json",
            "coverage fuzz/seeds --missing",
            "demo",
            "demo --flipper --out -",
            "demo --program p.vsh --constants c.txt --mesh m.obj --gen rankine",
            "prof stream.trace --times 3 --folded out.folded",
            "import stream.log -o stream.capture",
            "import shaders_cache/raw --from rpcs3 --output programs",
            "kit list --left",
            "kit show write-order --format json",
            "kit build write-order --console nv2a --out kit",
            "kit judge results.txt",
            "doctor --color never",
            "completions zsh",
            "man run",
            "man --out pages",
        ] {
            let words = std::iter::once("xfjit").chain(line.split(' '));
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("{line}: {error}");
            }
        }
        for line in [
            "",
            "vectors",
            "dump p",
            "run --program p --vertices v --map v99=normal",
            "diff --programs 0",
            "diff --shard 3/2",
            "diff --shard 0/2",
            "diff --seconds 0",
            "diff --jobs -1",
            "summary",
            "run --trace t --camera",
            "run --trace t --draw p.png --hex",
            "run --trace t --frame x",
            "list",
            "run --trace t --fifo f",
            "run --trace t --memory m",
            "run --fifo f --memory m@0x8000000",
            "run --fifo f --dialect whale",
            "run t.xf --camera",
            "run t.xf --jobs 1025",
            "run --trace t --jobs 2",
            "run --program p --vertices v --preset xemu --model hw",
            "run --program p --vertices v --preset doom",
            "run --program p --vertices v --size 4x4",
            "run --program p --vertices v --draw p.png --hex",
            "run --program p --vertices v --texture 9=a",
            "import a.vpo",
            "import a.vpo -o b --from cg",
            "kit",
            "kit show",
            "kit build write-order --out kit",
            "kit build --console dreamcast --out kit",
            "kit list --left --console rsx",
            "completions",
            "completions dos",
            "man run --out pages",
            "demo --constants c.txt",
            "demo --gen curie",
            "demo --flipper --mesh m.obj",
        ] {
            let words = std::iter::once("xfjit").chain(line.split_whitespace());
            assert_eq!(Cli::try_parse_from(words).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
