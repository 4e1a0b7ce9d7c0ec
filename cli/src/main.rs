//! The `xfjit` command.
//!
//! [`args`] is the grammar, one file per command does the work, [`fail::Failure`] is how a command ends. Data goes to
//! standard output, everything else to standard error.

#![deny(unsafe_code)]
#![allow(unreachable_pub, reason = "nothing in a binary is reachable from outside")]

mod args;
mod asm;
mod backends;
mod bench;
mod byte_order;
mod camera;
mod campaign;
mod capture;
mod chip;
mod configuration;
mod conflicts;
mod coverage;
mod demo;
mod demo_scene;
mod demo_view;
mod diff;
mod dis;
mod doctor;
mod drawing;
mod dump;
mod explore;
mod fail;
mod files;
mod flipper;
mod flipper_choices;
mod html;
mod import;
mod kit;
mod list;
mod load;
mod manual;
mod named_values;
mod names;
mod native4;
mod obj;
mod obj_out;
mod outputs;
mod perf;
mod prof;
mod program_file;
mod progress;
mod registers;
mod render;
mod rows;
mod run;
mod sort;
mod streams;
mod subject;
mod summary;
mod table;
mod textures;
mod vectors;
mod vectors_file;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use conflicts::Given;
use fail::Failure;
use std::process::ExitCode;
use xfjit_testing::text;

fn main() -> ExitCode {
    let parsed = Cli::command().try_get_matches().and_then(|matches| {
        let mut cli = Cli::from_arg_matches(&matches)?;
        cli.global.given = Given::of(&Cli::command(), &matches);
        Ok(cli)
    });
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            // A reader that left is no reason to panic.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match dispatch(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(cli.global.color.choice()),
    }
}

fn dispatch(cli: &Cli) -> Result<(), Failure> {
    let global = &cli.global;
    fail::set_quiet(global.quiet);
    global.given.check()?;
    match &cli.command {
        Command::Asm(args) => asm::run(args, global),
        Command::Dis(args) => dis::run(args, global),
        Command::Dump(args) => dump::run(args, global),
        Command::Explore(args) => explore::run(args, global),
        Command::Prof(args) => prof::run(args, global),
        Command::Run(args) => run::run(args, global),
        Command::List(args) => list::run(args, global),
        Command::Chip(args) => chip::run(args, global),
        Command::Import(args) => import::run(args, global),
        Command::Kit(args) => kit::run(args, global),
        Command::Vectors(args) => vectors::run(args, global),
        Command::Bench(args) => bench::run(args, global),
        Command::Diff(args) => diff::run(args, global),
        Command::Summary(args) => summary::run(args, global),
        Command::Coverage(args) => coverage::run(args, global),
        Command::Demo(args) => demo::run(args, global),
        Command::Doctor => doctor::run(global),
        Command::Completions(args) => manual::completions(args, global),
        Command::Man(args) => manual::man(args, global),
    }
}
