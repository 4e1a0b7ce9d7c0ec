//! `xfjit run --trace` of a capture of calls.

use super::device::{self, Register};
use super::trace::{self, Piece, Pieces};
use crate::args::{Global, Run};
use crate::capture::Calls;
use crate::fail::{Failure, remark};
use crate::registers;
use std::sync::Arc;
use xfjit::capture::CallPlayer;

/// Runs all calls. Each has the model that its program was recorded with.
pub(super) fn run(args: &Run, calls: &Calls<'_>, global: &Global) -> Result<(), Failure> {
    let (name, engine) = device::engine(args, args.model)?;
    let watch = args.limits.watch(&engine);
    let mut player = CallPlayer::new(Arc::clone(&engine));
    player.set_overtime(Some(args.limits.overtime));
    let (mut pieces, mut model) = (Pieces::default(), None);
    let (mut done, mut left, mut mismatches) = (0u64, 0, 0);
    calls.each(&mut player, |config, outcome, played| {
        let columns: Vec<_> = (0..32)
            .filter_map(|register| {
                let name = registers::output_name(config.generation, register);
                Some((name, played.rows(register)?.collect::<Vec<_>>()))
            })
            .collect();
        for vertex in 0..played.count() {
            let registers =
                columns.iter().map(|(name, rows)| Register::new(name.clone(), rows[vertex], false));
            pieces.push(Piece::Vertex(registers.collect()))?;
        }
        let own = config.model.name();
        model = Some(model.map_or(own, |other| if other == own { own } else { "several" }));
        done += 1;
        left += outcome.deopt_groups;
        mismatches += outcome.mismatches;
        watch.check()
    })?;
    trace::write(&pieces, "calls", model.unwrap_or("none"), name, args.hex, global.format)?;
    if args.verbose {
        remark(format_args!("{done} calls: {} vertices, {left} groups left to run again", pieces.len()));
    }
    match mismatches {
        0 => Ok(()),
        count => {
            remark(format_args!("{count} calls differ between the reference and native code"));
            Err(Failure::Mismatch)
        }
    }
}
