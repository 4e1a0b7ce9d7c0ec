//! `xfjit kit`: experiments that settle with a console what nobody knows of a chip.
//!
//! ```text
//! cli/kit/CONSOLE/NAME.txt   one experiment: a question, a program, its operands, what is read back
//!   | experiment.rs          the reader of these files
//!   | hypothesis.rs          the answers: every value of the quirk that the experiment asks about
//!   | predict.rs             what is read back under each, computed by the interpreter; nothing is stored
//!   |-- build.rs             files for the console: push.rs, fixed.rs and nxdk.rs (Xbox), fifo.rs (GameCube), methods.rs (PlayStation 3)
//!   |-- show.rs              the same for people
//!   v
//! results.rs                 what a console has returned, as text
//!   | judge.rs               which hypotheses survive
//! ```
//! [`shelf`] has the files, and the quirks that no experiment asks about, each with its reason. An experiment is laid out so that different
//! hypotheses leave different words: constants that RDI reads (Xbox), colours of pixels (PlayStation 3, lights of the Xbox), colours and depths of pixels (GameCube).
//! `cli/tests/kit/` plays what `build` has written on the devices of the library, under each hypothesis, and lets `judge` find it.

mod build;
pub mod experiment;
mod fifo;
mod fixed;
mod hypothesis;
mod judge;
mod methods;
mod nxdk;
mod predict;
mod push;
mod reading;
pub mod results;
mod shelf;
mod show;

use crate::args::{Global, Kit, KitCommand};
use crate::fail::Failure;

/// Runs a command of the kit.
pub fn run(args: &Kit, global: &Global) -> Result<(), Failure> {
    match &args.command {
        KitCommand::List(args) => show::list(args, global),
        KitCommand::Show(args) => show::show(args, global),
        KitCommand::Build(args) => build::run(args, global),
        KitCommand::Judge(args) => judge::run(args, global),
    }
}
