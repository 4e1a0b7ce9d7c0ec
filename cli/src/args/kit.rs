//! The kit for consoles.

use crate::kit::experiment::Console;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `xfjit kit`
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct Kit {
    /// What to do.
    #[command(subcommand)]
    pub command: KitCommand,
}

/// A command of the kit.
#[derive(Debug, Subcommand)]
pub enum KitCommand {
    /// List the experiments: what each asks, and the answers that it can tell apart.
    List(KitList),
    /// Show an experiment: its program, and what a console would return under each hypothesis.
    Show(KitShow),
    /// Write the files that a console runs, and a form for what it returns.
    Build(KitBuild),
    /// Compare what a console has returned with each hypothesis.
    Judge(KitJudge),
}

/// `xfjit kit list`
#[derive(Debug, Args)]
pub struct KitList {
    /// List the quirks that no experiment asks about instead, with the reasons.
    #[arg(long)]
    pub left: bool,
    /// List the experiments of this console only.
    #[arg(long, value_enum, conflicts_with = "left")]
    pub console: Option<Console>,
}

/// `xfjit kit show`
#[derive(Debug, Args)]
pub struct KitShow {
    /// Experiment, by its name in `xfjit kit list`.
    pub name: String,
}

/// `xfjit kit build`
#[derive(Debug, Args)]
pub struct KitBuild {
    /// Experiments, by their names. Default: all experiments of the console.
    pub names: Vec<String>,
    /// Console that runs the files.
    #[arg(long, value_enum)]
    pub console: Console,
    /// Directory for the files. The command makes it if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `xfjit kit judge`
#[derive(Debug, Args)]
pub struct KitJudge {
    /// Results of a console: the file that its program has written, or the form of `xfjit kit build`, filled in.
    pub results: PathBuf,
}
