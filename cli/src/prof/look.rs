//! A last play, in which what comes out of draws is looked at, and what they see.

use super::picture::{Drawing, Picture};
use super::plays::Plays;
use crate::capture::{Capture, Event, How};
use crate::fail::Failure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use xfjit::Engine;
use xfjit::front::Microcode;
use xfjit::isa::{Bank, Insn, Program};
use xfjit::runtime::state::Row;

/// Pictures that are made, of the programs that cost most.
const PICTURES: usize = 300;
/// Bytes of all of them.
const PICTURE_BYTES: usize = 800_000;

/// A row of constants that a program reads.
#[derive(Serialize, Deserialize)]
pub(super) struct Constant {
    pub(super) row: usize,
    /// In the draw that is shown; bits, since not all are numbers.
    pub(super) bits: Row,
    /// Draws of the program before which it had changed.
    pub(super) changes: u32,
}

/// What has been seen of a program.
#[derive(Default)]
pub(super) struct Seen {
    /// The draw that took longest.
    pub(super) draw: Option<u32>,
    pub(super) constants: Vec<Constant>,
    /// Whether it reads others by an index.
    pub(super) is_indexed: bool,
    pub(super) picture: Option<Picture>,
}

/// Rows that a program reads by their number, and whether it reads others.
fn rows(program: &Program) -> (BTreeSet<usize>, bool) {
    let reads = |insn: &&Insn| insn.src.iter().any(|source| source.bank == Bank::Constant);
    let (indexed, direct): (Vec<&Insn>, Vec<&Insn>) =
        program.insns.iter().filter(reads).partition(|insn| insn.indexed);
    (direct.iter().map(|insn| usize::from(insn.constant)).collect(), !indexed.is_empty())
}

/// Plays the capture once more. `ranks` has the programs, those that cost most first.
pub(super) fn look(
    capture: &Capture<'_>,
    (engine, how): (&Arc<Engine>, How),
    (plays, medians): (&Plays, &[f64]),
    ranks: &[usize],
    with_pictures: bool,
) -> Result<Vec<Seen>, Failure> {
    let mut seen: Vec<Seen> =
        plays.dearest(medians).into_iter().map(|draw| Seen { draw, ..Seen::default() }).collect();
    let read: Vec<(BTreeSet<usize>, bool)> = plays
        .programs
        .iter()
        .map(|program| program.shader().made_of::<Microcode>())
        .map(|made| made.map(|made| rows(&made.program)).unwrap_or_default())
        .collect();
    let mut last: Vec<Option<Vec<Row>>> = vec![None; seen.len()];
    let mut changes: Vec<BTreeMap<usize, u32>> = vec![BTreeMap::new(); seen.len()];
    // What a draw puts out belongs to the program that had most of its vertices.
    let mut wanted: BTreeMap<u32, usize> = BTreeMap::new();
    for &number in ranks.iter().take(if with_pictures { PICTURES } else { 0 }) {
        if let Some(draw) = seen[number].draw.filter(|&draw| plays.most_in(draw) == Some(number)) {
            wanted.insert(draw, number);
        }
    }
    let (mut draw, mut at) = (0, 0);
    let mut constants: Vec<Row> = Vec::new();
    let mut drawing = Drawing::default();
    capture.play(engine, how, &mut |event| match event {
        Event::Begin(rows) => {
            constants.clear();
            constants.extend_from_slice(rows);
        }
        Event::Vertices(_) | Event::Drawn(_) | Event::Called(_) => {
            if let Some(&number) = wanted.get(&draw) {
                drawing.add(&event, plays.programs[number].shader());
            }
        }
        Event::End => {
            while let Some(part) = plays.parts.get(at).filter(|part| part.draw == draw) {
                at += 1;
                let (rows, is_indexed) = &read[part.program];
                let now: Vec<Row> = rows.iter().filter_map(|&row| constants.get(row).copied()).collect();
                if let Some(last) = &last[part.program] {
                    let all = rows.iter().zip(now.iter().zip(last));
                    for (&row, _) in all.filter(|(_, (now, last))| now != last) {
                        *changes[part.program].entry(row).or_default() += 1;
                    }
                }
                let it = &mut seen[part.program];
                if it.draw == Some(draw) {
                    let all = rows.iter().zip(&now);
                    it.constants = all.map(|(&row, &bits)| Constant { row, bits, changes: 0 }).collect();
                    it.is_indexed = *is_indexed;
                }
                last[part.program] = Some(now);
            }
            if let Some(&number) = wanted.get(&draw) {
                seen[number].picture = std::mem::take(&mut drawing).picture();
            }
            draw += 1;
        }
    })?;
    for (seen, changes) in seen.iter_mut().zip(&changes) {
        for constant in &mut seen.constants {
            constant.changes = changes.get(&constant.row).copied().unwrap_or(0);
        }
    }
    let mut bytes = 0;
    for &number in ranks {
        bytes += seen[number].picture.as_ref().map_or(0, Picture::bytes);
        if bytes > PICTURE_BYTES {
            seen[number].picture = None;
        }
    }
    Ok(seen)
}
