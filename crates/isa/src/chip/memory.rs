//! Where the fixed function's memories lie in a [`Context`]: XFCTX first, then LTCTX (three components), then LTC0 to
//! LTC3 (one component), a row for each slot.
//!
//! LTCTX and LTC hold LT numbers, left-aligned in 32 bits, as the commands that load them have rounded them. The
//! model `hw` ignores their low ten bits. Slots are numbered as in the tables of fixed_function.md. NV25 is numbered
//! like NV20: its two memories count as one.
//!
//! NV40 has neither LT nor its memories. Its XFCTX has 132 rows more than Rankine's (rankine_curie.md 3). UNKNOWN: where the numbers for
//! lighting are. Here XFCTX holds all of Rankine's memories as in a [`Context`]: its own rows first, then LT's, which take 105 of the 132.
//! They are rows of XF, so nothing rounds them.

use crate::chip::{Lights, Pipeline};
use std::ops::Range;
use xfjit_runtime::num::bits::{HALF, MINUS_ONE, ONE, TWO};
use xfjit_runtime::state::{Context, MAX_ROWS, Row};

/// A memory of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ram {
    /// Rows of four floats.
    Xfctx,
    /// Rows of three LT numbers.
    Ltctx,
    /// One LT number each: LTC0 to LTC3.
    Ltc(u8),
}

impl Ram {
    /// All of them, in their order in a context.
    pub const ALL: [Ram; 6] = [Ram::Xfctx, Ram::Ltctx, Ram::Ltc(0), Ram::Ltc(1), Ram::Ltc(2), Ram::Ltc(3)];

    /// Slots that it has (fixed_function.md 2.1 and 7, and the tables).
    pub const fn slots(self, pipeline: Pipeline) -> usize {
        let sizes = pipeline.sizes();
        match self {
            Ram::Xfctx => sizes.xfctx,
            Ram::Ltctx => sizes.ltctx,
            Ram::Ltc(number) => sizes.ltc[if number > 3 { 3 } else { number } as usize],
        }
    }

    /// The rows of its slots.
    pub const fn rows(self, pipeline: Pipeline) -> Range<usize> {
        let mut start = 0;
        let mut index = 0;
        while index < Ram::ALL.len() {
            let ram = Ram::ALL[index];
            let end = start + ram.slots(pipeline);
            if ram.number() == self.number() {
                return start..end;
            }
            start = end;
            index += 1;
        }
        start..start
    }

    const fn number(self) -> u8 {
        match self {
            Ram::Xfctx => 0,
            Ram::Ltctx => 1,
            Ram::Ltc(number) => 2 + if number > 3 { 3 } else { number },
        }
    }

    /// How many components its slots have. The others of a row are ignored.
    pub const fn components(self) -> usize {
        match self {
            Ram::Xfctx => 4,
            Ram::Ltctx => 3,
            Ram::Ltc(_) => 1,
        }
    }

    /// Its name, in the capitals of the documents.
    pub const fn name(self) -> &'static str {
        match self {
            Ram::Xfctx => "XFCTX",
            Ram::Ltctx => "LTCTX",
            Ram::Ltc(0) => "LTC0",
            Ram::Ltc(1) => "LTC1",
            Ram::Ltc(2) => "LTC2",
            Ram::Ltc(_) => "LTC3",
        }
    }

    /// The memory and the slot of a row.
    pub fn of_row(pipeline: Pipeline, row: usize) -> Option<(Ram, usize)> {
        let ram = Ram::ALL.into_iter().find(|ram| ram.rows(pipeline).contains(&row))?;
        Some((ram, row - ram.rows(pipeline).start))
    }

    /// The row of a slot, if there is one.
    pub const fn row(self, pipeline: Pipeline, slot: usize) -> Option<usize> {
        let rows = self.rows(pipeline);
        if slot < rows.end - rows.start { Some(rows.start + slot) } else { None }
    }
}

/// Entries of LTC0 to LTC3 that Celsius has hard-wired, all at slot 0 (fixed_function.md 2.1).
const CELSIUS_WIRED: [u32; 4] = [ONE, 0, ONE, 0];

impl Ram {
    /// The contents of a slot that nothing can write; `None` for other slots. UNKNOWN: whether a write to it
    /// does nothing.
    pub const fn wired(self, pipeline: Pipeline, slot: usize) -> Option<u32> {
        match pipeline {
            Pipeline::Celsius(_) => match (self, slot) {
                (Ram::Ltc(number @ 0..4), 0) => Some(CELSIUS_WIRED[number as usize]),
                (Ram::Xfctx | Ram::Ltctx | Ram::Ltc(_), _) => None,
            },
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => None,
        }
    }
}

/// Rows of all memories of a fixed function.
pub const fn rows(pipeline: Pipeline) -> usize {
    Ram::Ltc(3).rows(pipeline).end
}

const _: () = assert!(rows(Pipeline::NV15) <= MAX_ROWS && rows(Pipeline::Kelvin) <= MAX_ROWS);
const _: () = assert!(rows(Pipeline::Rankine) <= MAX_ROWS);
const _: () = assert!(rows(Pipeline::Curie) <= Pipeline::Curie.first().sizes().xfctx);

/// 1e30, the range of a light that has none, as LTC holds it.
const FAR: u32 = 0x7149_f400;

/// The contents of Kelvin's row of the eye direction (LTCTX 0x40, method 0x17e0) before a method writes it.
/// UNKNOWN: no document says it. Captures of an Xbox require zeros; Mesa writes (0, 0, 1) itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EyeDirection {
    /// (0, 0, 0).
    #[default]
    Zero,
    /// (0, 0, 1), as on Celsius.
    PlusZ,
}

/// The values that the vendor's driver leaves in memories where no method writes (fixed_function.md 2.2, 5.3, 6), by
/// memory and slot. Numbers of LT have their stored form. Everything else starts as 0.
///
/// UNKNOWN: the ranges of Rankine's lights. The images of its contexts hold 0. With 0, local lights would stay dark
/// until a method writes the range. Here the ranges are 1e30, as on Celsius and Kelvin.
pub fn constants(pipeline: Pipeline, eye: EyeDirection) -> Vec<(Ram, usize, Row)> {
    let x = |x: u32| [x, 0, 0, 0];
    let (mut all, ranges) = match pipeline {
        Pipeline::Celsius(_) => {
            let all = vec![
                (Ram::Xfctx, 0x34, [0, 0, 0, ONE]),
                (Ram::Xfctx, 0x35, [TWO; 4]),
                (Ram::Xfctx, 0x36, [0, 0, ONE, 0]),
                (Ram::Xfctx, 0x37, [HALF, HALF, 0, 0]),
                (Ram::Xfctx, 0x38, [0, 0, ONE, 0]),
                (Ram::Xfctx, 0x3a, [ONE; 4]),
                (Ram::Ltctx, 0x28, [0, 0, ONE, 0]),
                (Ram::Ltc(0), 1, x(MINUS_ONE)),
                (Ram::Ltc(0), 0, x(CELSIUS_WIRED[0])),
                (Ram::Ltc(2), 0, x(CELSIUS_WIRED[2])),
            ];
            (all, 3..11)
        }
        Pipeline::Kelvin => {
            let direction = match eye {
                EyeDirection::Zero => [0; 4],
                EyeDirection::PlusZ => [0, 0, ONE, 0],
            };
            let all = vec![
                (Ram::Xfctx, 0x38, [0, 0, 0, ONE]),
                (Ram::Xfctx, 0x39, [0, 0, ONE, 0]),
                (Ram::Xfctx, 0x3c, [0, HALF, ONE, TWO]),
                (Ram::Xfctx, 0x3d, [MINUS_ONE, 0, ONE, TWO]),
                (Ram::Xfctx, 0x3e, [0, 0, MINUS_ONE, 0]),
                (Ram::Xfctx, 0x3f, [0; 4]),
                (Ram::Ltctx, 0x40, direction),
                (Ram::Ltctx, 0x49, [0, ONE, 0, 0]),
                (Ram::Ltc(0), 1, x(MINUS_ONE)),
            ];
            (all, 4..12)
        }
        // UNKNOWN: what NV40's driver sets; here what Rankine's does.
        Pipeline::Rankine | Pipeline::Curie => {
            let all = vec![
                (Ram::Xfctx, 0x38, [0, 0, ONE, 0]),
                (Ram::Xfctx, 0x74, [0, 0, 0, ONE]),
                (Ram::Xfctx, 0x75, [0, 0, ONE, 0]),
                (Ram::Xfctx, 0x78, [0, HALF, ONE, TWO]),
                (Ram::Xfctx, 0x79, [MINUS_ONE, 0, ONE, TWO]),
                (Ram::Xfctx, 0x7a, [0, 0, MINUS_ONE, 0]),
            ];
            (all, 5..13)
        }
    };
    all.extend(ranges.map(|slot| (Ram::Ltc(1), slot, x(FAR))));
    all
}

/// The place of a slot on a chip with this fixed function: the memory that commands load, and the slot in it.
pub const fn place(pipeline: Pipeline, ram: Ram, slot: usize) -> Option<(Ram, usize)> {
    match (pipeline.lights(), ram.row(pipeline, slot)) {
        (_, None) => None,
        (Lights::Lt, Some(_)) => Some((ram, slot)),
        (Lights::Xf, Some(row)) => Some((Ram::Xfctx, row)),
    }
}

/// The reverse of [`place`]: the row for a slot of one of the chip's memories.
pub const fn placed(pipeline: Pipeline, ram: Ram, slot: usize) -> Option<usize> {
    match (pipeline.lights(), ram) {
        (Lights::Lt, _) => ram.row(pipeline, slot),
        (Lights::Xf, Ram::Xfctx) if slot < rows(pipeline) => Some(slot),
        (Lights::Xf, Ram::Xfctx | Ram::Ltctx | Ram::Ltc(_)) => None,
    }
}

/// The memories after the driver's set-up: hidden constants have their values, and everything else is 0.
pub fn context(pipeline: Pipeline) -> Context {
    let mut context = Context::new(rows(pipeline));
    for (ram, slot, value) in constants(pipeline, EyeDirection::default()) {
        if let Some(row) = ram.row(pipeline, slot) {
            context.set_row(row, value);
        }
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit_runtime::num::convert::xf_to_lt;

    #[test]
    fn memories_lie_one_behind_the_other() {
        for pipeline in Pipeline::ALL {
            let mut end = 0;
            for ram in Ram::ALL {
                assert_eq!(ram.rows(pipeline).start, end);
                end = ram.rows(pipeline).end;
                assert_eq!(ram.row(pipeline, ram.slots(pipeline)), None);
                for (slot, row) in ram.rows(pipeline).enumerate() {
                    assert_eq!(Ram::of_row(pipeline, row), Some((ram, slot)));
                    let (loaded, at) = place(pipeline, ram, slot).expect("it has the slot");
                    assert_eq!(placed(pipeline, loaded, at), Some(row));
                    assert_eq!((loaded, at) == (ram, slot), pipeline != Pipeline::Curie || ram == Ram::Xfctx);
                }
            }
            assert_eq!(end, rows(pipeline));
            assert_eq!(Ram::of_row(pipeline, end), None);
            assert_eq!(placed(pipeline, Ram::Xfctx, end), None);
        }
        assert_eq!(Ram::Ltc(1).row(Pipeline::NV15, 0), Some(60 + 48 + 3));
    }

    #[test]
    fn the_driver_sets_hidden_constants() {
        assert_eq!(xf_to_lt(0x7149_f2ca), FAR);
        for pipeline in Pipeline::ALL {
            let constants = constants(pipeline, EyeDirection::PlusZ);
            assert!(constants.iter().all(|&(ram, slot, _)| ram.row(pipeline, slot).is_some()));
            // LT holds its numbers rounded.
            assert!(constants.iter().all(|&(ram, _, [x, ..])| ram == Ram::Xfctx || xf_to_lt(x) == x));
        }
        let eye = Ram::Ltctx.row(Pipeline::Kelvin, 0x40).expect("Kelvin has the row");
        assert_eq!(context(Pipeline::Kelvin).row(eye), [0; 4]);
    }
}
