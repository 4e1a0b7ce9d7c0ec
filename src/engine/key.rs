//! The identity of compiled code: all of its content. The hash only finds the bucket (invariant I8).

use crate::backend::Code;
use crate::config::Config;
use crate::front::fixed::Setup;
use crate::isa::Program;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use xfjit_runtime::abi::ABI_VERSION;

/// What decides the code of a program or of a configuration of the fixed function, and therefore its behaviour.
///
/// Of a program these are its decoded instructions, not words: instructions may say more than words can. Decoding
/// normalises, so programs that differ in unused bits or behind END are one; where they stand is part of the key only if
/// some of them name slots. So is the configuration: options that cannot matter to the program do not tell it from
/// another. Of the fixed function, too, what cannot matter has been cleared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    hash: u64,
    content: Content,
    target: Arc<str>,
    abi: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Content {
    Microcode { program: Microcode, config: Config },
    Fixed(Setup),
}

/// A program as far as it decides what happens.
#[derive(Clone, Debug)]
struct Microcode(Arc<Program>);

impl Microcode {
    /// The instruction that comes first, counted from that of the lowest slot; and that slot, if it can matter.
    fn place(&self) -> (usize, Option<usize>) {
        let Program { insns, first, start, .. } = &*self.0;
        let has_targets = insns.iter().any(|insn| insn.sca.is_branch());
        (start.wrapping_sub(*first), has_targets.then_some(*first))
    }
}

impl PartialEq for Microcode {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.insns == other.0.insns && self.place() == other.place()
    }
}

impl Eq for Microcode {}

impl Hash for Microcode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.insns.hash(state);
        self.place().hash(state);
    }
}

impl Key {
    /// The key of code; `target` says which host features it may use.
    pub fn new(code: &Code, target: &Arc<str>) -> Self {
        Self::with_hasher(code, target, &rustc_hash::FxBuildHasher)
    }

    /// As [`Key::new`], with another hash function; equality does not depend on it.
    pub fn with_hasher(code: &Code, target: &Arc<str>, hasher: &impl BuildHasher) -> Self {
        let content = match code {
            Code::Microcode(program, config) => Content::Microcode {
                program: Microcode(Arc::clone(program)),
                config: config.canonical(program),
            },
            Code::Fixed(setup) => Content::Fixed(setup.canonical()),
        };
        let hash = hasher.hash_one((&content, target, ABI_VERSION));
        Key { hash, content, target: Arc::clone(target), abi: ABI_VERSION }
    }

    /// The hash, for names of files and reports.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Bytes that the key holds; the instructions it shares with the [`Code`].
    pub fn bytes(&self) -> usize {
        size_of::<Key>()
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
