//! How programs are made shorter.

use clap::Args;
use xfjit::asm::Passes;

/// Whether operations share slots.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Pairing {
    /// Make the program shorter: both units' operations share a slot, temporaries are used again, what nobody reads is left out.
    #[arg(long, value_name = "PASSES", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "dead,rename,pair,order", value_parser = passes)]
    #[arg(
        long_help = "Make the program shorter: both units' operations share a slot, temporaries are used again, what nobody \
                       reads is left out. With names, these passes alone: dead, rename, pair, order. Programs of OpenGL are \
                       made shorter without it."
    )]
    pub pair: Option<Passes>,
    /// Leave a program of OpenGL as it is written, every operation in a slot of its own.
    #[arg(long, conflicts_with = "pair")]
    pub no_pair: bool,
}

impl Pairing {
    /// What is done to a program: of OpenGL, whose languages know no pairs, or one whose text or words have them.
    pub fn passes(self, is_opengl: bool) -> Passes {
        let usual = if is_opengl && !self.no_pair { Passes::ALL } else { Passes::NONE };
        self.pair.unwrap_or(usual)
    }
}

/// Names of passes, with commas between them.
fn passes(names: &str) -> Result<Passes, String> {
    names.split(',').try_fold(Passes::NONE, |passes, name| {
        passes.with(name).ok_or_else(|| format!("there is no pass `{name}`: {}", Passes::NAMES.join(", ")))
    })
}
