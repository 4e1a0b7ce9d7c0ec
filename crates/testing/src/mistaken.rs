//! Back ends that are wrong on purpose, for the tests of what finds mistakes. No program of a user can choose one.

use crate::backend::{Backend, CompileError, Interp, Routine, Runs};
use crate::front::fixed::Setup;
use crate::front::{Microcode, flipper};
use crate::isa::{Insn, Program};
use crate::shader::Shader;
use std::fmt;
use std::sync::Arc;

/// The interpreter of a shader in which something is mistaken for something else.
pub struct Mistaken {
    /// What an instruction is taken for.
    pub insn: fn(&mut Insn),
    /// What a configuration of the fixed function is taken for.
    pub fixed: fn(&mut Setup),
    /// What a configuration of Flipper is taken for.
    pub flipper: fn(&mut flipper::Setup),
}

impl Mistaken {
    /// Not mistaken in anything.
    pub const NOT: Mistaken = Mistaken { insn: |_| {}, fixed: |_| {}, flipper: |_| {} };

    fn taken_for(&self, shader: &Shader) -> Shader {
        if let Some(Microcode { program, config }) = shader.made_of() {
            let mut program = Program::clone(program);
            program.insns.iter_mut().for_each(self.insn);
            return Microcode::shader(&Arc::new(program), config);
        }
        if let Some(&(mut setup)) = shader.made_of::<Setup>() {
            (self.fixed)(&mut setup);
            return setup.into();
        }
        if let Some(&(mut setup)) = shader.made_of::<flipper::Setup>() {
            (self.flipper)(&mut setup);
            return setup.into();
        }
        shader.clone()
    }
}

impl fmt::Debug for Mistaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mistaken")
    }
}

impl Backend for Mistaken {
    fn name(&self) -> &'static str {
        "mistaken"
    }

    fn runs(&self) -> Runs {
        Runs::Instructions
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        Interp::Batched.prepare(&self.taken_for(shader))
    }
}
