//! Which code a shader gets.

use super::super::budget::{Budget, Prepared};
use super::super::code::Compiled;
use super::super::cranelift::compiler::Compiler;
use super::super::cranelift::target::Target;
use super::super::instructions::InstructionSet;
#[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
use super::super::processor::Processor;
use super::super::room;
use super::super::stack;
#[cfg(all(target_arch = "x86_64", feature = "wide"))]
use super::super::x64::{self, Width};
use super::routine::{Native, far, next_number, rows_guarded, rows_written};
use crate::backend::{Backend, CompileError, Interpreted, Routine, Runs, Source};
use crate::ir::func::Func;
use crate::machine::Machine;
use crate::shader::Shader;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use xfjit_runtime::fpenv::FpEnv;

/// Native code: wide vectors where the machine has them, and Cranelift's for everything else. Running it takes less than `RUNNING`
/// bytes of stack. So does compiling, which is done on another thread if less than 512 KiB of stack are left.
#[derive(Debug)]
pub struct Jit {
    target: Target,
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    width: Option<Width>,
    /// The width of code for batches that are too small for the other.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    narrower: Option<Width>,
    /// What executes wide code, if that is not this machine's processor.
    #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
    processor: Option<Arc<dyn Processor>>,
    budget: Budget,
    has_lines: bool,
    /// Idle compilers. Each compilation takes one, so that threads compile in parallel.
    idle: Mutex<Vec<Compiler>>,
}

impl Jit {
    /// Code for this machine, in the widest instruction set that it has ([`InstructionSet::best`]).
    ///
    /// # Errors
    /// [`CompileError::Host`] if it has no code generator.
    pub fn host() -> Result<Self, CompileError> {
        match InstructionSet::best().filter(|set| set.is_wide()) {
            Some(wide) => Jit::of(wide),
            None => Jit::cranelift(),
        }
    }

    /// Code for this machine, all of it Cranelift's: vectors of four vertices.
    ///
    /// # Errors
    /// [`CompileError::Host`] if there is none.
    #[doc(hidden)]
    pub fn cranelift() -> Result<Self, CompileError> {
        Ok(Jit {
            target: Target::host()?,
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            width: None,
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            narrower: None,
            #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
            processor: None,
            budget: Budget::default(),
            has_lines: false,
            idle: Mutex::default(),
        })
    }

    /// Code for this machine in an instruction set that it may not be the widest to have. Of the widest there are two routines
    /// for each program: batches that would not fill its groups run on vectors of half the length.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine or this build has it not.
    pub fn of(instructions: InstructionSet) -> Result<Self, CompileError> {
        instructions.check_host()?;
        let jit = Jit::cranelift()?;
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        if let Some(width) = Width::of(instructions) {
            return Ok(Jit { narrower: width.narrower(), ..jit.wide(width)? });
        }
        Ok(Jit { target: Target::of(instructions)?, ..jit })
    }

    /// With another budget of compilation.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Jit { budget, idle: Mutex::default(), ..self }
    }

    /// With code for groups of this number of vertices, see `Target::in_groups_of`.
    ///
    /// # Panics
    /// If no code has so many lanes.
    #[must_use]
    #[doc(hidden)]
    pub fn in_groups_of(self, lanes: usize) -> Self {
        Jit { target: self.target.in_groups_of(lanes), ..self }
    }

    /// With code for wide vectors alone, whatever the batch, where it is not [refused](super::super::x64::refusal); Cranelift's for everything else.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine has no such vectors.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    #[doc(hidden)]
    pub fn wide(self, width: Width) -> Result<Self, CompileError> {
        width.instructions().check_host()?;
        Ok(Jit { width: Some(width), ..self })
    }

    /// With code for wide vectors that something else executes than this machine's processor: of one width, whatever the batch, or of a
    /// narrower one as well, for batches that would not fill the groups of the other.
    #[must_use]
    #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
    pub fn wide_on(self, width: Width, narrower: Option<Width>, processor: Arc<dyn Processor>) -> Self {
        Jit { width: Some(width), narrower, processor: Some(processor), ..self }
    }

    fn compiler(&self) -> Compiler {
        Compiler::new(self.target.clone()).budget(self.budget).with_lines(self.has_lines)
    }

    fn with_compiler<R>(&self, body: impl FnOnce(&mut Compiler) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut compiler = taken.unwrap_or_else(|| self.compiler());
        let result = body(&mut compiler);
        idle().push(compiler);
        result
    }
}

impl Backend for Jit {
    fn name(&self) -> &'static str {
        #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
        if let Some(processor) = &self.processor {
            return processor.name();
        }
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        if let Some(width) = self.width {
            return width.name();
        }
        match self.target.machine().lanes {
            8 => "jit_eight_lanes",
            16 => "jit_sixteen_lanes",
            _ => "jit",
        }
    }

    fn target(&self) -> String {
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        if self.width.is_some() {
            let narrower = self.narrower.map_or("", Width::name);
            let name = self.name();
            return format!("{name} {narrower} jit {}", self.target.name());
        }
        format!("jit {}", self.target.name())
    }

    fn runs(&self) -> Runs {
        Runs::Native
    }

    fn with_lines(&self) -> Option<Arc<dyn Backend>> {
        Some(Arc::new(Jit {
            target: self.target.clone(),
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            width: self.width,
            #[cfg(all(target_arch = "x86_64", feature = "wide"))]
            narrower: self.narrower,
            #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
            processor: self.processor.clone(),
            budget: self.budget,
            has_lines: true,
            idle: Mutex::default(),
        }))
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        room::check()?;
        stack::with_enough(|| FpEnv::Default.within(|| self.native(shader, None)))?
    }

    fn prepare_beside(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        room::check()?;
        stack::with_enough(|| FpEnv::Default.within(|| self.native(shader, Some(interpreted))))?
    }
}

impl Jit {
    fn native(
        &self,
        shader: &Shader,
        interpreted: Option<&Interpreted>,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        let start = Instant::now();
        let mut prepared = self.budget.prepare(shader, &self.machine())?;
        let (func, compiled) = self.compiled(shader, &mut prepared)?;
        let small = self.for_small_batches(shader, &mut prepared, &compiled);
        let Prepared { lowered, mut stages, .. } = prepared;
        let (source, source_bytes) = match interpreted {
            Some(interpreted) => (interpreted.source.clone(), 0),
            None => {
                let source = Source::new(shader, shader.fallback(Some(lowered)));
                let bytes = source.bytes();
                (source, bytes)
            }
        };
        let codes = || [Some(&compiled), small.as_ref()].into_iter().flatten();
        stages.generate = codes().map(Compiled::compile_time).sum();
        let memory_bytes =
            size_of::<Native>() + codes().map(Compiled::memory_bytes).sum::<usize>() + source_bytes;
        Ok(Arc::new(Native {
            number: next_number(),
            source,
            memory_bytes,
            far: far(&func),
            env: func.env(),
            rows_written: rows_written(&func),
            rows_guarded: rows_guarded(&func),
            compiled,
            small,
            compile_time: start.elapsed(),
            stages,
        }))
    }
}

impl Jit {
    /// The machine of the longest vectors: what recipes may use. Whoever compiles what these refuse has all operations.
    fn machine(&self) -> Machine {
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        if let Some(width) = self.width {
            return width.machine();
        }
        *self.target.machine()
    }

    /// The code of a shader, and the function that it was made of.
    fn compiled(&self, shader: &Shader, prepared: &mut Prepared) -> Result<(Func, Compiled), CompileError> {
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        {
            let widths = [self.width, self.narrower].into_iter().flatten();
            // Vertices that run one by one fill no vector: the shorter one is compiled sooner.
            let longest = usize::from(self.narrower.is_some() && shader.is_serial());
            for width in widths.skip(longest) {
                if let Some(compiled) = self.widely(shader, prepared, width)? {
                    return Ok(compiled);
                }
            }
        }
        let func = prepared.for_machine(self.budget, self.target.machine())?;
        let compiled = self.with_compiler(|compiler| compiler.compile(&func, shader.layout()))?;
        Ok((func, compiled))
    }

    /// The code of a shader for wide vectors; nothing if there is none for it.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    fn widely(
        &self,
        shader: &Shader,
        prepared: &mut Prepared,
        width: Width,
    ) -> Result<Option<(Func, Compiled)>, CompileError> {
        let func = prepared.for_machine(self.budget, &width.machine())?;
        match x64::compile_with(&func, shader.layout(), width, self.has_lines) {
            #[cfg(feature = "testing")]
            Ok(compiled) if let Some(processor) = &self.processor => {
                let compiled = compiled.on(Arc::clone(processor), &func);
                Ok(Some((func, compiled)))
            }
            Ok(compiled) => Ok(Some((func, compiled))),
            Err(CompileError::TooLarge(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Jit {
    /// A second routine for batches that are too small for the first. That there is none changes speed only.
    #[cfg(all(target_arch = "x86_64", feature = "wide"))]
    fn for_small_batches(
        &self,
        shader: &Shader,
        prepared: &mut Prepared,
        first: &Compiled,
    ) -> Option<Compiled> {
        let narrower = self.narrower.filter(|width| width.lanes() < first.lanes())?;
        let (_, small) = self.widely(shader, prepared, narrower).ok()??;
        // What the caller has to bring has been looked at for the first one.
        (small.reads_zero_row() == first.reads_zero_row()).then_some(small)
    }

    #[cfg(not(all(target_arch = "x86_64", feature = "wide")))]
    fn for_small_batches(&self, _: &Shader, _: &mut Prepared, _: &Compiled) -> Option<Compiled> {
        None
    }
}
