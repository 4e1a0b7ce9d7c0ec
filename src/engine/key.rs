//! The identity of compiled code: all of its content. The hash only finds the bucket (invariant I8).

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use xfjit_core::shader::Shader;
use xfjit_runtime::abi::ABI_VERSION;

/// What decides the code of a shader, and therefore its behaviour: the shader in its canonical form.
///
/// Of a program these are its decoded instructions, not words: instructions may say more than words can. Decoding
/// normalises, so programs that differ in unused bits or behind END are one; where they stand is part of the key only if
/// some of them name slots. So is the configuration: options that cannot matter to the program do not tell it from
/// another. Of the fixed function, too, what cannot matter has been cleared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    hash: u64,
    shader: Shader,
    target: Arc<str>,
    abi: u32,
}

impl Key {
    /// The key of a shader; `target` says which host features it may use.
    pub fn new(shader: &Shader, target: &Arc<str>) -> Self {
        Self::with_hasher(shader, target, &rustc_hash::FxBuildHasher)
    }

    /// As [`Key::new`], with another hash function; equality does not depend on it.
    pub fn with_hasher(shader: &Shader, target: &Arc<str>, hasher: &impl BuildHasher) -> Self {
        let shader = shader.canonical();
        let hash = hasher.hash_one((&shader, target, ABI_VERSION));
        Key { hash, shader, target: Arc::clone(target), abi: ABI_VERSION }
    }

    /// The shader in its canonical form.
    pub(super) fn shader(&self) -> &Shader {
        &self.shader
    }

    /// The hash, for names of files and reports.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Bytes that the key holds; the instructions it shares with the [`Shader`].
    pub fn bytes(&self) -> usize {
        size_of::<Key>()
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
