//! Words that options take.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use xfjit::config::FlipperQuirks;
use xfjit::flipper;

/// Order of the bytes in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Who executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Native code.
    Jit,
    /// The reference interpreter, one vertex at a time.
    Interp,
    /// The interpreter in blocks of vertices.
    #[value(name = "interp_batch", alias = "interp-batch")]
    InterpBatch,
    /// The evaluator of the compiler's own representation, as lowered.
    Eval,
    /// The evaluator, after expansion into machine operations.
    #[value(name = "eval_host", alias = "eval-host")]
    EvalHost,
    /// The reference and native code side by side, compared bit for bit.
    Lockstep,
}

/// Who executes, where several may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every backend.
    All,
    /// This one.
    One(Backend),
}

impl ValueEnum for Choice {
    fn value_variants<'a>() -> &'a [Choice] {
        use Backend::{Eval, EvalHost, Interp, InterpBatch, Jit, Lockstep};
        const {
            &[
                Choice::All,
                Choice::One(Jit),
                Choice::One(Interp),
                Choice::One(InterpBatch),
                Choice::One(Eval),
                Choice::One(EvalHost),
                Choice::One(Lockstep),
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Choice::All => Some(PossibleValue::new("all").help("Each of them")),
            Choice::One(backend) => backend.to_possible_value(),
        }
    }
}

/// Whose reading of Flipper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// The documents, and a console where one was asked.
    #[default]
    Spec,
    /// Dolphin's software renderer.
    DolphinSw,
    /// The vertices of Dolphin's compiled loaders; the rest as spec.
    DolphinJit,
}

impl Dialect {
    /// How the command processor and its memory behave, how the transform unit computes, and the name.
    pub fn choices(self) -> (flipper::Quirks, FlipperQuirks, &'static str) {
        let (vertices, arithmetic, name) = match self {
            Dialect::Spec => (flipper::Dialect::Spec, FlipperQuirks::SPEC, "spec"),
            Dialect::DolphinSw => (flipper::Dialect::DolphinSw, FlipperQuirks::DOLPHIN_SW, "dolphin-sw"),
            Dialect::DolphinJit => (flipper::Dialect::DolphinJit, FlipperQuirks::SPEC, "dolphin-jit"),
        };
        (flipper::Quirks { dialect: vertices, ..flipper::Quirks::default() }, arithmetic, name)
    }
}

/// A stage of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Decoded instructions.
    Decode,
    /// Lowered program.
    Ir,
    /// Optimised program.
    Opt,
    /// Program in host operations.
    Host,
    /// Cranelift's input.
    Clif,
    /// Machine code.
    Asm,
}
