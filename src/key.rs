//! The identity of a compiled program: all of its content. The hash only finds the bucket (invariant I8).

use crate::config::Config;
use crate::isa::{Program, encode};
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use xfjit_runtime::abi::ABI_VERSION;

/// What decides the code of a program, and therefore its behaviour.
///
/// The words are the canonical ones of the live slots, so that programs which differ in unused bits or behind END are
/// one, and so is the configuration: options that cannot matter to the program do not tell it from another. The start
/// slot is not part of it: what runs is the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    hash: u64,
    words: Arc<[u32]>,
    config: Config,
    target: Arc<str>,
    abi: u32,
}

impl Key {
    /// The key of a decoded program; `target` says which host features the code may use.
    pub fn new(program: &Program, config: &Config, target: &Arc<str>) -> Self {
        Self::with_hasher(program, config, target, &rustc_hash::FxBuildHasher)
    }

    /// As [`Key::new`], with another hash function; equality does not depend on it.
    pub fn with_hasher(
        program: &Program,
        config: &Config,
        target: &Arc<str>,
        hasher: &impl BuildHasher,
    ) -> Self {
        let words: Arc<[u32]> = encode(config.generation, program).into();
        let config = config.canonical(program);
        let hash = hasher.hash_one((&words, &config, target, ABI_VERSION));
        Key { hash, words, config, target: Arc::clone(target), abi: ABI_VERSION }
    }

    /// The hash, for names of files and reports.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The configuration without what cannot matter: what the program is prepared for.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Canonical microcode.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Bytes that the key holds.
    pub fn bytes(&self) -> usize {
        size_of::<Key>() + size_of_val(&*self.words)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
