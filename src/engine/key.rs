//! The identity of compiled code: all of its content. The hash only finds the bucket (invariant I8).

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use xfjit_core::shader::Shader;
use xfjit_runtime::abi::ABI_VERSION;

/// The shader in its canonical form, which decides its code and therefore its behaviour.
///
/// For a program the key has its decoded instructions instead of its words, because instructions can express more than
/// words. Decoding normalises, so programs that differ only in unused bits or after END have equal keys. The start of
/// the program is part of the key only if some instructions name slots. The key also has the configuration, without
/// options that have no effect on the program. For the fixed function, too, fields without effect are cleared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    hash: u64,
    shader: Shader,
    target: Arc<str>,
    abi: u32,
}

impl Key {
    /// Makes the key of a shader. `target` names the host features that its code may use.
    pub fn new(shader: &Shader, target: &Arc<str>) -> Self {
        Self::with_hasher(shader, target, &rustc_hash::FxBuildHasher)
    }

    /// Like [`Key::new`], with another hash function. Equality does not depend on the hash.
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

    /// How many bytes the key holds. It shares the instructions with the [`Shader`].
    pub fn bytes(&self) -> usize {
        size_of::<Key>()
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
