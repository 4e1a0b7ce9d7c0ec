//! XFMODE, XTRA and the registers: what of them decides how programs run.
//!
//! ```text
//! Kelvin   vector 0: B A T1 T0            A 8-15 start | B 18 access, 29 constant writes, 30-31 mode
//! Rankine  vector 0: 0 C B A, 1: T3 .. T0  the same, and B 16 viewport skip, 17 arithmetic
//! Curie    registers
//! ```
//! (fixed_function.md 5.1, 6 and 7; rankine_curie.md 1.5.) The fields of the fixed function are decoded by its front end.

use super::ram::{Ram, XTRA_TIMEOUT};
use super::register::{Register, Registers};
use crate::chip::Family;
use crate::config::{Access, Arithmetic, Config, Viewport};
use crate::isa::ProgramMode;

/// XFMODE_B: full access to constants.
const ACCESS: u32 = 1 << 18;
/// XFMODE_B: programs may write constants.
const CONSTANT_WRITES: u32 = 1 << 29;
/// Rankine's XFMODE_B: no viewport transform.
const SKIP: u32 = 1 << 16;
/// Rankine's XFMODE_B: modern arithmetic.
const MODERN: u32 = 1 << 17;
/// The same in Curie's execution register.
const CURIE_MODERN: u32 = 1 << 4;
const CURIE_SKIP: u32 = 1 << 8;
/// The start slot in XFMODE_A.
const START_SHIFT: u32 = 8;
const START_BITS: u32 = 0xff;

/// Who transforms vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Execution {
    /// The fixed function, bypass included.
    Fixed,
    /// The program.
    Program,
}

/// Where A and B are in XFMODE: vector and word.
fn words(family: Family) -> Option<(u32, u32)> {
    match family {
        Family::Kelvin => Some((1, 0)),
        Family::Rankine => Some((3, 2)),
        Family::Celsius | Family::Curie => None,
    }
}

/// XFMODE_A and XFMODE_B of Kelvin and Rankine; 0 elsewhere.
fn a_and_b(ram: &Ram) -> (u32, u32) {
    words(ram.chip.family()).map_or((0, 0), |(a, b)| (ram.mode[0][a as usize], ram.mode[0][b as usize]))
}

/// Who transforms vertices. On Kelvin mode 3 is rejected by FE; UNKNOWN: here it runs the program. On Rankine mode 1
/// is illegal; UNKNOWN: here it is the fixed function.
pub(super) fn execution(ram: &Ram) -> Execution {
    match ram.chip.family() {
        Family::Celsius => Execution::Fixed,
        Family::Curie => Execution::Program,
        Family::Kelvin | Family::Rankine if a_and_b(ram).1 >> 31 != 0 => Execution::Program,
        Family::Kelvin | Family::Rankine => Execution::Fixed,
    }
}

/// Whether programs may write constants; Curie's instructions cannot.
pub(super) fn constant_writes(ram: &Ram) -> bool {
    a_and_b(ram).1 & CONSTANT_WRITES != 0
}

/// Slot in which programs start.
pub(super) fn start(ram: &Ram, registers: &Registers) -> usize {
    let low = a_and_b(ram).0 >> START_SHIFT & START_BITS;
    let slot = match ram.chip.family() {
        Family::Celsius | Family::Kelvin => low,
        Family::Rankine => low | registers.get(Register::Start),
        Family::Curie => registers.get(Register::Start),
    };
    slot as usize
}

/// The bits of the start slot that are not in XFMODE.
pub(super) fn start_bits(family: Family, slot: u32) -> u32 {
    match family {
        Family::Celsius | Family::Kelvin => 0,
        Family::Rankine => slot & !START_BITS,
        Family::Curie => slot,
    }
}

/// Sets the slot in which programs start, wherever the chip keeps it.
pub(super) fn set_start(ram: &mut Ram, registers: &mut Registers, slot: u32) {
    registers.set(Register::Start, start_bits(ram.chip.family(), slot));
    if let Some((a, _)) = words(ram.chip.family()) {
        let word = &mut ram.mode[0][a as usize];
        *word = *word & !(START_BITS << START_SHIFT) | (slot & START_BITS) << START_SHIFT;
    }
}

/// What programs are prepared for: `base` holds the model and the choices where the chip's behaviour is not known.
pub(super) fn config(base: &Config, ram: &Ram, registers: &Registers) -> Config {
    let (_, b) = a_and_b(ram);
    let mut config = base.clone();
    config.constant_writes = constant_writes(ram);
    config.live_outputs = registers.get(Register::Outputs);
    match ram.chip.family() {
        Family::Celsius => {}
        Family::Kelvin => config.access = access(b),
        Family::Rankine => {
            config.access = access(b);
            config.reading.mode = if b >> 30 == 2 { ProgramMode::V1 } else { ProgramMode::V2 };
            config.arithmetic = if b & MODERN != 0 { Arithmetic::Modern } else { Arithmetic::Legacy };
            config.viewport = if b & SKIP != 0 { Viewport::Skip } else { Viewport::Transform };
            config.timeout = timeout(ram);
            config.branch_table = branch_table(ram);
        }
        Family::Curie => {
            let execution = registers.get(Register::Execution);
            config.access = Access::Full;
            config.arithmetic =
                if execution & CURIE_MODERN != 0 { Arithmetic::Modern } else { Arithmetic::Legacy };
            config.viewport = if execution & CURIE_SKIP != 0 { Viewport::Skip } else { Viewport::Transform };
            config.timeout = timeout(ram).min(registers.get(Register::Timeout) as u16);
            config.branch_bits = registers.get(Register::BranchBits);
            config.branch_table = branch_table(ram);
        }
    }
    config
}

fn access(b: u32) -> Access {
    if b & ACCESS != 0 { Access::Full } else { Access::User }
}

fn timeout(ram: &Ram) -> u16 {
    ram.xtra[XTRA_TIMEOUT][0] as u16
}

/// The slots of indirect branches: two 9-bit numbers a word, in bits 0 to 8 and 16 to 24, over two vectors. UNKNOWN: that
/// these words are the branch table (rankine_curie.md 1.5 infers it; fixed_function.md 7 calls them packed maps).
fn branch_table(ram: &Ram) -> [u16; 16] {
    std::array::from_fn(|entry| {
        let word = ram.xtra[entry / 8][entry / 2 % 4];
        (word >> (entry % 2 * 16) & 0x1ff) as u16
    })
}
