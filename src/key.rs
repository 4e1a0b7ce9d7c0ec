//! The identity of compiled code: all of its content. The hash only finds the bucket (invariant I8).

use crate::backend::Code;
use crate::config::Config;
use crate::front::fixed::Setup;
use crate::isa::encode_as;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use xfjit_runtime::abi::ABI_VERSION;

/// What decides the code of a program or of a configuration of the fixed function, and therefore its behaviour.
///
/// The words of a program are the canonical ones of the live slots, so that programs which differ in unused bits or
/// behind END are one, and so is the configuration: options that cannot matter to the program do not tell it from
/// another. The start slot is not part of it: what runs is the same. Of the fixed function, too, what cannot matter has
/// been cleared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    hash: u64,
    content: Content,
    target: Arc<str>,
    abi: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Content {
    Microcode { words: Arc<[u32]>, config: Config },
    Fixed(Setup),
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
                words: encode_as(config.generation, config.reading, program).into(),
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

    /// Bytes that the key holds.
    pub fn bytes(&self) -> usize {
        let words = match &self.content {
            Content::Microcode { words, .. } => size_of_val(&**words),
            Content::Fixed(_) => 0,
        };
        size_of::<Key>() + words
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
