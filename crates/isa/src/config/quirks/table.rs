//! The table of quirks.

use super::fixed::{LightGaps, LightingSums};
use super::forms::{
    Addresses, BothOutputs, Comparisons, ConstantResults, Extremes, Library, Products, ReadBack, Reciprocals,
    RowCount, SignOfNan, Waves,
};
use super::processor::{Interrupt, Ring, Watermarks, Wrap};
use super::programs::{
    AddressBias, AddressNan, EndOnBranch, FogWrite, Indirect, OutOfRange, SaturateNan, WriteOrder,
};
use super::transform::{Accumulation, Depth, HalfAngle, Storage, ToInteger};
use super::{Quirk, QuirkSet};
use crate::chip::flipper::opcode::Decoding;
use crate::config::Dialect;
use crate::isa::{BranchTest, Generation, PairedScalar};

/// The reader of the table: a record for each heading. A row is the field with what it decides, its type, the generations that it can
/// matter to, what is known of it, and the hypotheses: the default first, each with its name and how often random cases have it.
macro_rules! quirks {
    ($($(#[$about:meta])* $set:ident, $of:literal {
        $($(#[$doc:meta])* $field:ident: $type:ty, $generations:expr, $evidence:literal;
            $($name:literal => $($value:tt)::+, $weight:literal;)+)*
    })*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $set {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $set {
            /// The default of each: what documents say, or the likeliest.
            pub const SPEC: $set = $set { $($field: [$($($value)::+),+][0],)* };
        }

        impl Default for $set {
            fn default() -> Self {
                $set::SPEC
            }
        }

        impl QuirkSet for $set {
            const ABOUT: &'static str = $of;
            const TABLE: &'static [Quirk<$set>] = &[$(Quirk {
                name: stringify!($field),
                generations: $generations,
                values: &[$($name),+],
                weights: &[$($weight),+],
                evidence: $evidence,
                set: |quirks, name| {
                    quirks.$field = match name {
                        $($name => $($value)::+,)+
                        _ => return false,
                    };
                    true
                },
                get: |quirks| match quirks.$field {
                    $($($value)::+ => $name,)+
                },
            }),*];
        }
    )* };
}

/// The generations whose programs a quirk can matter to.
const ALL: &[Generation] = Generation::ALL;
const KELVIN: &[Generation] = &[Generation::Kelvin];
const RANKINE: &[Generation] = &[Generation::Rankine];
const CURIE: &[Generation] = &[Generation::Curie];
const EARLIER: &[Generation] = &[Generation::Kelvin, Generation::Rankine];
const LATER: &[Generation] = &[Generation::Rankine, Generation::Curie];
const NO: &[Generation] = &[];

quirks! {
    /// A hypothesis for each unknown about the chips' programs.
    #[non_exhaustive]
    Quirks, "Programs of NVIDIA's chips" {
        /// Both units write the same component.
        write_order: WriteOrder, ALL, "UNKNOWN on silicon: kelvin.md 2, R1; rankine_curie.md 8.2. Each has an emulator that follows it.";
        "scalar_wins" => WriteOrder::ScalarWins, 4;
        "vector_wins" => WriteOrder::VectorWins, 1;
        "vector_dropped" => WriteOrder::VectorDropped, 1;

        /// Masked writes to oFog.
        fog_write: FogWrite, KELVIN, "Captures of the console show the default (kelvin.md 3); some emulators have the other.";
        "any_component" => FogWrite::AnyComponent, 2;
        "masked" => FogWrite::Masked, 1;

        /// Operand of ARL.
        address_bias: AddressBias, ALL, "The chip adds nothing (kelvin.md 2, ARL); several emulators do.";
        "none" => AddressBias::None, 3;
        "milli" => AddressBias::Milli, 1;

        /// Scalar destination of paired operations.
        paired: PairedScalar, RANKINE, "UNKNOWN: rankine_curie.md 8.2.";
        "r1" => PairedScalar::R1, 4;
        "shared" => PairedScalar::Shared, 1;

        /// Tests of branches.
        branch_test: BranchTest, LATER, "UNKNOWN: rankine_curie.md 2.3 and 8.2.";
        "field" => BranchTest::Field, 4;
        "enabled" => BranchTest::Enabled, 1;

        /// END on a branch.
        end_on_branch: EndOnBranch, LATER, "UNKNOWN on silicon: rankine_curie.md 8.2; the GL specification has the default (2.5).";
        "continues" => EndOnBranch::Continues, 2;
        "ends" => EndOnBranch::Ends, 1;

        /// Indirect branches.
        indirect: Indirect, LATER, "UNKNOWN on silicon: rankine_curie.md 8.3.";
        "table" => Indirect::Table, 1;
        "slot" => Indirect::Slot, 1;

        /// NaN as an address.
        address_nan: AddressNan, ALL, "UNKNOWN on silicon: kelvin.md 10; rankine_curie.md 8.5.";
        "zero" => AddressNan::Zero, 1;
        "least" => AddressNan::Least, 1;

        /// Whether ARL, ARR and ARA update condition codes, by the sign of the integer (rankine_curie.md 2.3 and 8.5).
        /// UNKNOWN: whether POPA does; here never.
        address_codes: bool, LATER, "UNKNOWN: rankine_curie.md 2.3 and 8.5.";
        "yes" => true, 7;
        "no" => false, 3;

        /// NaN saturated.
        saturate_nan: SaturateNan, CURIE, "UNKNOWN on silicon: rankine_curie.md 8.1; the GL specification has the default.";
        "passes" => SaturateNan::Passes, 1;
        "zero" => SaturateNan::Zero, 1;

        /// Indexed reads of constants out of range.
        out_of_range: OutOfRange, ALL, "UNKNOWN: kelvin.md 2; rankine_curie.md 8.4; the GL specification has the default.";
        "zero" => OutOfRange::Zero, 1;
        "wraps" => OutOfRange::Wraps, 1;

        /// Whether the output registers 17 to 22 of Rankine exist (UNKNOWN, rankine_curie.md 8.6); if not, writes to
        /// them are dropped.
        clip_outputs: bool, RANKINE, "UNKNOWN: rankine_curie.md 8.6.";
        "yes" => true, 4;
        "no" => false, 1;
    }

    /// A form for each thing that emulators compute differently from the model `ieee`. Forms have an effect under that model only. The
    /// default is that of the model and the chip.
    Forms, "What emulators compute differently" {
        /// Products.
        products: Products, ALL, "No emulator's interpreter has a rule for zeros; nv2a_vsh_cpu saturates.";
        "rules" => Products::Rules, 2;
        "plain" => Products::Plain, 1;
        "saturated" => Products::Saturated, 1;

        /// MIN and MAX.
        extremes: Extremes, ALL, "Bochs and nv2a_vsh_cpu have `either`, MAME `numbers`.";
        "less" => Extremes::Less, 2;
        "either" => Extremes::Either, 1;
        "numbers" => Extremes::Numbers, 1;

        /// SLT and SGE.
        comparisons: Comparisons, ALL, "nv2a_vsh_cpu has `signed`.";
        "floats" => Comparisons::Floats, 2;
        "signed" => Comparisons::Signed, 1;

        /// SSG of NaN.
        sign_of_nan: SignOfNan, LATER, "Bochs has `one`.";
        "zero" => SignOfNan::Zero, 1;
        "one" => SignOfNan::One, 1;

        /// RCP and RCC.
        reciprocals: Reciprocals, ALL, "Bochs has `unclamped`, MAME `operand`, nv2a_vsh_cpu `decimal`.";
        "clamped" => Reciprocals::Clamped, 3;
        "unclamped" => Reciprocals::Unclamped, 1;
        "operand" => Reciprocals::Operand, 1;
        "decimal" => Reciprocals::Decimal, 1;

        /// Addresses.
        addresses: Addresses, ALL, "Bochs has `wrapped`, MAME `truncated`; programs that nv2a_vsh_cpu has parsed never write an address.";
        "clamped" => Addresses::Clamped, 4;
        "wrapped" => Addresses::Wrapped, 2;
        "truncated" => Addresses::Truncated, 2;
        "never" => Addresses::Never, 1;

        /// What reads oPos back.
        read_back: ReadBack, KELVIN, "MAME has `whole`, Bochs `output`.";
        "written" => ReadBack::Written, 2;
        "whole" => ReadBack::Whole, 1;
        "output" => ReadBack::Output, 1;

        /// Both units write one output.
        both_outputs: BothOutputs, RANKINE, "Bochs has `position`.";
        "there" => BothOutputs::There, 1;
        "position" => BothOutputs::Position, 1;

        /// Results for rows of constants.
        constant_results: ConstantResults, EARLIER, "MAME has `scalar_elsewhere`, Bochs `elsewhere`.";
        "there" => ConstantResults::There, 3;
        "scalar_elsewhere" => ConstantResults::ScalarElsewhere, 1;
        "elsewhere" => ConstantResults::Elsewhere, 1;

        /// Rows of constants.
        rows: RowCount, ALL, "Bochs has 512 for each chip; its preset has the chip's.";
        "chip" => RowCount::Chip, 3;
        "512" => RowCount::Most, 1;

        /// EXP, LOG, LIT, LG2 and EX2.
        library: Library, ALL, "Each emulator calls the C library of its host; presets use the chip's tables, since the form runs only in the interpreter.";
        "chip" => Library::Chip, 15;
        "bochs" => Library::Bochs, 1;
        "mame" => Library::Mame, 1;
        "nv2a_vsh_cpu" => Library::Nv2aVshCpu, 1;

        /// SIN and COS.
        waves: Waves, LATER, "Bochs does not compute SIN and COS, and gives 0.5.";
        "computed" => Waves::Computed, 3;
        "half" => Waves::Half, 1;
    }

    /// A hypothesis for each unknown about the fixed function of the chips.
    FixedQuirks, "The fixed function of NVIDIA's chips" {
        /// Sums of LT.
        lighting_sums: LightingSums, NO, "UNKNOWN on Kelvin and Rankine: the model of Celsius has the default (fixed_function.md 1.5 and 1.6).";
        "split" => LightingSums::Split, 5;
        "guarded" => LightingSums::Guarded, 1;
        "unguarded" => LightingSums::Unguarded, 1;
        "wide" => LightingSums::Wide, 1;

        /// Lights behind one that is off.
        light_gaps: LightGaps, NO, "UNKNOWN on silicon: fixed_function.md 5.1. Drivers and emulators rely on the default.";
        "passed" => LightGaps::Passed, 3;
        "end" => LightGaps::End, 1;
    }

    /// A hypothesis for each unknown about Flipper's transform unit.
    FlipperQuirks, "Flipper's transform unit" {
        /// Depth.
        depth: Depth, NO, "Dolphin has `lessened` for the sake of some games (flipper.md 3.3).";
        "plain" => Depth::Plain, 1;
        "lessened" => Depth::Lessened, 1;

        /// Coefficients beside the half angle.
        half_angle: HalfAngle, NO, "The console has the default, Dolphin the other (flipper.md 3.5).";
        "plain" => HalfAngle::Plain, 1;
        "normalised" => HalfAngle::Normalised, 1;

        /// Colours as bytes.
        to_integer: ToInteger, NO, "Dolphin's software renderer has `x86` (flipper.md 3.5).";
        "saturates" => ToInteger::Saturates, 1;
        "x86" => ToInteger::X86, 1;

        /// Memories of normal matrices and lights.
        storage: Storage, NO, "UNKNOWN on the console: flipper.md 3.8.";
        "full" => Storage::Full, 1;
        "upper20" => Storage::Upper20, 1;

        /// Sums of lights.
        accumulation: Accumulation, NO, "UNKNOWN on the console: flipper.md 3.5.";
        "float" => Accumulation::Float, 1;
        "integer" => Accumulation::Integer, 1;
    }

    /// A hypothesis for each question about Flipper's command processor on which sources disagree.
    ProcessorQuirks, "Flipper's command processor" {
        /// Vertices.
        dialect: Dialect, NO, "Documents and Dolphin's two loaders differ from each other (flipper.md 3.9).";
        "spec" => Dialect::Spec, 2;
        "dolphin-sw" => Dialect::DolphinSw, 1;
        "dolphin-jit" => Dialect::DolphinJit, 1;
        "dolphin" => Dialect::Dolphin, 1;

        /// Commands.
        decoding: Decoding, NO, "UNKNOWN: emulators that run games take exact bytes, documents the upper bits (flipper.md 1.1).";
        "exact" => Decoding::Exact, 1;
        "upper_bits" => Decoding::UpperBits, 1;

        /// Pointers.
        ring: Ring, NO, "UNKNOWN: the console's own library relies on the default; documents have the other.";
        "inclusive" => Ring::Inclusive, 1;
        "exclusive" => Ring::Exclusive, 1;

        /// Interrupts.
        interrupt: Interrupt, NO, "UNKNOWN: emulators differ.";
        "level" => Interrupt::Level, 1;
        "latched" => Interrupt::Latched, 1;

        /// The flag that the write pointer of the processor's interface has come round.
        wrap: Wrap, NO, "UNKNOWN: emulators differ.";
        "next_block" => Wrap::NextBlock, 1;
        "pointer_write" => Wrap::PointerWrite, 1;

        /// The reader.
        watermarks: Watermarks, NO, "UNKNOWN: emulators differ.";
        "signal" => Watermarks::Signal, 1;
        "stop" => Watermarks::Stop, 1;
    }
}
