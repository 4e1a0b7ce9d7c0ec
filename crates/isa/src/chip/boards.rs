//! Graphics cards and consoles, for estimates of throughput: their clocks, and how many vertex units work
//! side by side.

use super::Chip;

/// A card or console.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// The name that it is sold under.
    pub name: &'static str,
    /// Its chip.
    pub chip: Chip,
    /// The clock of the chip's core in MHz. UNKNOWN: whether the vertex units of some board have a different
    /// clock.
    pub mhz: u32,
    /// How many vertex units the chip has, if a source says so.
    pub units: Option<u32>,
}

/// All boards, oldest first. docs/spec/timing.md names the source of each row.
#[rustfmt::skip]
pub const BOARDS: &[Board] = &[
    Board { name: "GeForce 3",         chip: Chip::Nv20, mhz: 200, units: Some(1) },
    Board { name: "GeForce 3 Ti 500",  chip: Chip::Nv20, mhz: 240, units: Some(1) },
    Board { name: "Xbox",              chip: Chip::Nv2a, mhz: 233, units: Some(2) },
    Board { name: "GeForce 4 Ti 4600", chip: Chip::Nv25, mhz: 300, units: Some(2) },
    // UNKNOWN: how many; documents call it an array.
    Board { name: "GeForce FX 5800 Ultra", chip: Chip::Nv30, mhz: 500, units: None },
    Board { name: "GeForce 6800 GT",   chip: Chip::Nv40, mhz: 350, units: Some(6) },
    // UNKNOWN: sources say 500 and 550 MHz.
    Board { name: "PlayStation 3",     chip: Chip::Nv43, mhz: 550, units: Some(8) },
];
