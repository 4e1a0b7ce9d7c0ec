//! How programs are made shorter.

use clap::Args;
use xfjit::asm::Passes;

/// Whether operations share slots.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Pairing {
    /// Shorten the program: pair operations of both units in a slot, reuse temporaries, and drop results that nothing reads.
    #[arg(long, value_name = "PASSES", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "dead,rename,pair,order", value_parser = passes)]
    #[arg(
        long_help = "Shorten the program: pair operations of both units in a slot, reuse temporaries, and drop results that \
                       nothing reads. With names, run only these passes: dead, rename, pair, order. OpenGL programs are \
                       shortened without this option."
    )]
    pub pair: Option<Passes>,
    /// Keep the instructions of an OpenGL program as written, each operation in a slot of its own.
    #[arg(long, conflicts_with = "pair")]
    pub no_pair: bool,
}

impl Pairing {
    /// What is done to a program: of OpenGL, whose languages know no pairs, or one whose text or words have them.
    pub fn passes(self, is_opengl: bool) -> Passes {
        let usual = if is_opengl && !self.no_pair { Passes::ALL } else { Passes::NONE };
        self.pair.unwrap_or(usual)
    }
}

/// Names of passes, with commas between them.
fn passes(names: &str) -> Result<Passes, String> {
    names.split(',').try_fold(Passes::NONE, |passes, name| {
        passes.with(name).ok_or_else(|| format!("there is no pass `{name}`: {}", Passes::NAMES.join(", ")))
    })
}
