//! The sizes of the chips' memories and register files.

use super::Chip;

/// How many slots each memory and register file of a chip has; 0 if it has no such memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Vertex attributes in VAB. The passthrough slot follows them.
    pub attributes: usize,
    /// Vectors of XFMODE.
    pub mode: usize,
    /// Instructions of XFPR.
    pub xfpr: usize,
    /// Rows of XFCTX.
    pub xfctx: usize,
    /// Temporary registers of programs.
    pub temps: usize,
    /// Output registers of programs.
    pub outputs: usize,
    /// Rows of LTCTX that commands reach.
    pub ltctx: usize,
    /// Further rows of LTCTX, which only RDI reaches.
    pub ltctx_spare: usize,
    /// Words of LTC0 to LTC3.
    pub ltc: [usize; 4],
    /// Vectors of XTRA.
    pub xtra: usize,
}

impl Chip {
    /// The sizes of its memories (fixed_function.md 2.1, 5.3, 6 and 7; kelvin.md 5; rankine_curie.md 2.6 and 3).
    pub const fn sizes(self) -> Sizes {
        match self {
            Chip::Nv10 | Chip::Nv15 => Sizes {
                attributes: 7,
                mode: 1,
                xfpr: 0,
                xfctx: 0x3c,
                temps: 0,
                outputs: 0,
                ltctx: 0x30,
                ltctx_spare: 0,
                ltc: [0x3, 0x13, 0xc, 0xc],
                xtra: 0,
            },
            Chip::Nv20 | Chip::Nv2a => Sizes {
                attributes: 16,
                mode: 1,
                xfpr: 136,
                xfctx: 192,
                temps: 12,
                outputs: 16,
                ltctx: 0x4a,
                ltctx_spare: 0,
                ltc: [0x4, 0x14, 0xf, 0xe],
                xtra: 0,
            },
            Chip::Nv25 => Sizes { ltctx: 0x4c, ltctx_spare: 2, ..Chip::Nv20.sizes() },
            Chip::Nv30 | Chip::Nv34 | Chip::Nv35 => Sizes {
                attributes: 16,
                mode: 2,
                xfpr: 280,
                xfctx: 412,
                temps: 16,
                // The last six are Mesa's numbers of the clip distances (rankine_curie.md 2.6).
                outputs: 23,
                ltctx: 0x38,
                ltctx_spare: 0,
                ltc: [0, 0x15, 0xd, 0xf],
                xtra: 3,
            },
            Chip::Nv40 => Sizes {
                attributes: 16,
                mode: 0,
                xfpr: 544,
                xfctx: 544,
                // Of the larger of the two register files that TIMEOUT's method sets up (rankine_curie.md 1.5).
                temps: 48,
                outputs: 16,
                ltctx: 0,
                ltctx_spare: 0,
                ltc: [0; 4],
                xtra: 3,
            },
            // There is no XTRA any more (XF overview); a register holds the timeout.
            Chip::Nv41 => Sizes { xtra: 0, ..Chip::Nv40.sizes() },
            Chip::Nv43 => Sizes { xfctx: 468, ..Chip::Nv41.sizes() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_has_an_address() {
        for &chip in Chip::ALL {
            let sizes = chip.sizes();
            let slots = [sizes.attributes + 1, sizes.mode, sizes.xfpr, sizes.xfctx, sizes.ltctx, sizes.xtra];
            let largest = slots.into_iter().chain(sizes.ltc).max();
            assert!(largest <= Some(1 << chip.family().slot_bits()), "{chip:?}");
        }
    }
}
