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

/// Back end that runs the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Native code.
    Jit,
    /// The reference interpreter, one vertex at a time.
    Interp,
    /// The interpreter, on blocks of vertices.
    #[value(name = "interp_batch", alias = "interp-batch")]
    InterpBatch,
    /// The evaluator, on the compiler's IR as first lowered.
    Eval,
    /// The evaluator, on the IR after expansion into host operations.
    #[value(name = "eval_host", alias = "eval-host")]
    EvalHost,
    /// The reference interpreter and native code together, compared bit for bit.
    Lockstep,
}

/// Every back end, or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every backend.
    All,
    /// This one.
    One(Backend),
}

impl Choice {
    /// The name.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
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
            Choice::All => Some(PossibleValue::new("all").help("Every back end")),
            Choice::One(backend) => backend.to_possible_value(),
        }
    }
}

/// A stage of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The decoded instructions.
    Decode,
    /// The lowered IR.
    Ir,
    /// The optimised IR.
    Opt,
    /// The IR in host operations.
    Host,
    /// Cranelift's input.
    Clif,
    /// The machine code.
    Asm,
}
