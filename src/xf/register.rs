//! State that reaches the unit by other ways than commands: registers of Curie, which has no XFMODE, with the switches of NV40's fixed
//! function among them, and what only the
//! software of this crate knows.

use xfjit_isa::chip::output_map::{self, OutputMap};
use xfjit_isa::chip::{Chip, Family, Generation};

/// A list macro: one line per register.
macro_rules! registers {
    ($($register:ident $name:literal $reset:literal, $doc:literal;)*) => {
        /// A register that commands do not reach.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Register { $(#[doc = $doc] $register),* }

        impl Register {
            /// Every register.
            pub const ALL: &[Register] = &[$(Register::$register),*];

            /// The name in traces.
            pub const fn name(self) -> &'static str {
                match self { $(Register::$register => $name),* }
            }

            /// Returns the register with a name.
            pub fn from_name(name: &str) -> Option<Register> {
                match name { $($name => Some(Register::$register),)* _ => None }
            }

            /// Its value after a reset.
            pub const fn reset(self) -> u32 {
                match self { $(Register::$register => $reset),* }
            }
        }

        /// How many there are.
        pub(super) const COUNT: usize = [$(Register::$register),*].len();
    };
}

registers! {
    // register      name              reset
    Outputs        "outputs"         0xffff_ffff, "Registers of TBUF that are sent to VTX, as a mask; others are not \
        computed. A register of this crate: which ones VTX takes is not for XF to know.";
    Start          "start"           0, "Slot in which programs start. On Kelvin bits 8 to 15 of XFMODE A. On Rankine \
        the same bits and one of its own (UNKNOWN: where the ninth bit of the slot lies). On Curie a register.";
    Execution      "execution"       0x11, "Curie: execution mode, as method 0x1e94 has it: bits 0 and 1 who transforms \
        vertices (1 programs of Curie; on NV40 0 the fixed function, 2 and 3 programs of Rankine), bit 2 all constants for these, bit 4 arithmetic \
        rules, bit 8 no viewport transform.";
    Timeout        "timeout"         0xffff, "Curie: bits 0 to 15 of method 0x1ef8; the lesser of it and XTRA's counts.";
    BranchBits     "branch_bits"     0, "Curie: conditions of BRB and CLB, as method 0x1ff8 has them.";
    DepthClamp     "depth_clamp"     0, "Celsius: 1 if bit 22 of debug_e is set and bit 30 of the rasteriser's bundle is \
        not: depth and 1/w are clamped from below (fixed_function.md 4.2).";
    Class          "class"           0, "Rankine: 1 if the object is of Kelvin's class, whose instructions are \
        translated when they are uploaded (rankine_curie.md 1.4). UNKNOWN: what tells the unit.";
    OutputMap0     "output_map_0"    0x0614_4321, "Curie: which registers are colours, fog and point size, as method \
        0x1fc4 has it (OutputMap::WRITTEN after reset, UNKNOWN).";
    OutputMap1     "output_map_1"    0xedcb_a987, "Curie: texture coordinates 0 to 7, as method 0x1fc8 has them.";
    OutputMap2     "output_map_2"    0x0000_006f, "Curie: texture coordinates 8 and 9, as method 0x1fcc has them.";
    OutputMap3     "output_map_3"    0x0017_1615, "Curie: clip distances 0 to 2, as method 0x1fd0 has them.";
    OutputMap4     "output_map_4"    0x001b_1a19, "Curie: clip distances 3 to 5, as method 0x1fd4 has them.";
    OutputMask     "output_mask"     0x003f_ffff, "Curie: which attributes of finished vertices are on, as method 0x1ff4 \
        has it. Registers that none of them is in are not computed.";
    InputMask      "input_mask"      0xffff, "Curie: which attributes are fetched, as method 0x1ff0 has it: XfUnit::draw \
        leaves out arrays of others (UNKNOWN: what programs read there; what VAB holds here).";
    FixedC         "fixed_c"         0, "NV40: what word C of Rankine's XFMODE holds, for the fixed function (UNKNOWN: which bundles of the \
        pipeline have these seven words, and how). Fields that method 0x1e94 sets are not looked at: the execution mode has them.";
    FixedB         "fixed_b"         0, "NV40: word B, likewise.";
    FixedA         "fixed_a"         0, "NV40: word A, likewise.";
    FixedT3        "fixed_t3"        0, "NV40: word T3, likewise.";
    FixedT2        "fixed_t2"        0, "NV40: word T2, likewise.";
    FixedT1        "fixed_t1"        0, "NV40: word T1, likewise.";
    FixedT0        "fixed_t0"        0, "NV40: word T0, likewise.";
}

impl Register {
    /// Whether a chip has it; writes on other chips do nothing.
    pub fn exists(self, chip: Chip) -> bool {
        match self {
            Register::Outputs => true,
            Register::Start => chip.family() != Family::Celsius,
            Register::DepthClamp => chip.family() == Family::Celsius,
            Register::Class => chip.family() == Family::Rankine,
            Register::Execution
            | Register::Timeout
            | Register::BranchBits
            | Register::OutputMap0
            | Register::OutputMap1
            | Register::OutputMap2
            | Register::OutputMap3
            | Register::OutputMap4
            | Register::OutputMask
            | Register::InputMask => chip.family() == Family::Curie,
            Register::FixedC
            | Register::FixedB
            | Register::FixedA
            | Register::FixedT3
            | Register::FixedT2
            | Register::FixedT1
            | Register::FixedT0 => chip.xfmode().is_none() && chip.pipeline().is_some(),
        }
    }

    /// Whether a chip has it and uses any of its bits.
    pub fn matters(self, chip: Chip) -> bool {
        self.exists(chip) && self.bits(chip) != 0
    }

    /// The bits that it has on a chip.
    pub(super) fn bits(self, chip: Chip) -> u32 {
        let slot = match chip.family() {
            Family::Celsius => 0,
            Family::Kelvin => 0xff,
            Family::Rankine => 0x1ff,
            Family::Curie => 0x3ff,
        };
        match self {
            Register::Outputs => {
                let runs = Generation::ALL.iter().filter(|&&generation| chip.runs(generation));
                runs.fold(0, |bits, generation| bits | ((1 << generation.outputs()) - 1))
            }
            Register::Start => slot,
            Register::Execution => 0x1ff,
            Register::DepthClamp | Register::Class => 1,
            Register::Timeout | Register::InputMask => 0xffff,
            Register::OutputMask => output_map::MASK,
            Register::BranchBits
            | Register::OutputMap0
            | Register::OutputMap1
            | Register::OutputMap2
            | Register::OutputMap3
            | Register::OutputMap4
            | Register::FixedC
            | Register::FixedB
            | Register::FixedA
            | Register::FixedT3
            | Register::FixedT2
            | Register::FixedT1
            | Register::FixedT0 => u32::MAX,
        }
    }
}

/// Those of the output map, in the order of its words.
pub(super) const OUTPUT_MAP: [Register; output_map::WORDS] = [
    Register::OutputMap0,
    Register::OutputMap1,
    Register::OutputMap2,
    Register::OutputMap3,
    Register::OutputMap4,
];

/// Those that stand for XFMODE on NV40, in the order of its words.
pub(super) const FIXED: [Register; 7] = [
    Register::FixedC,
    Register::FixedB,
    Register::FixedA,
    Register::FixedT3,
    Register::FixedT2,
    Register::FixedT1,
    Register::FixedT0,
];

/// The values of all registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Registers([u32; COUNT]);

impl Registers {
    pub(super) fn new(chip: Chip) -> Self {
        let mut registers = Registers([0; COUNT]);
        for &register in Register::ALL.iter().filter(|register| register.exists(chip)) {
            registers.set(register, register.reset() & register.bits(chip));
        }
        registers
    }

    pub(super) fn get(&self, register: Register) -> u32 {
        self.0[register as usize]
    }

    pub(super) fn set(&mut self, register: Register, value: u32) {
        self.0[register as usize] = value;
    }

    pub(super) fn output_map(&self) -> OutputMap {
        OutputMap { words: OUTPUT_MAP.map(|word| self.get(word)), mask: self.get(Register::OutputMask) }
    }
}
