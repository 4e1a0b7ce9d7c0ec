//! Words that options take.

use clap::ValueEnum;
use clap::builder::PossibleValue;

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
