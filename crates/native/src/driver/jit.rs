//! Which code a shader gets.

use super::super::budget::{Budget, Prepared};
use super::super::code::Compiled;
use super::super::cranelift::compiler::Compiler;
use super::super::cranelift::target::Target;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
use super::super::emitter::{self, Width};
use super::super::instructions::InstructionSet;
#[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
use super::super::processor::Processor;
use super::super::room;
use super::super::stack;
use super::routine::{Native, far, next_number, operations, rows_guarded, rows_read, rows_written};
use crate::backend::{Backend, CompileError, Interpreted, Routine, Runs, Source};
use crate::ir::func::Func;
use crate::legalize::Path;
use crate::machine::Machine;
use crate::shader::Shader;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::Row;

/// So many groups of the longest vectors are not few.
const FEW: usize = 4;

/// The back end that makes native code. The library's own emitters make code for wide vectors of x86-64 and
/// for AArch64; Cranelift makes all other code. Running it takes less than `RUNNING` bytes of stack. So does
/// compiling, which moves to another thread if less than 512 KiB of stack are left.
#[derive(Debug)]
pub struct Jit {
    target: Target,
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
    width: Option<Width>,
    /// So many groups of the longest vectors are not few.
    few: usize,
    /// What executes wide code, if that is not this machine's processor.
    #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
    processor: Option<Arc<dyn Processor>>,
    budget: Budget,
    has_lines: bool,
    /// The recipes of what it prepares; a slow path for the other's code is asked for by itself.
    path: Path,
    /// Idle compilers. Each compilation takes one, so that threads compile in parallel.
    idle: Mutex<Vec<Compiler>>,
}

impl Jit {
    /// Makes code for this machine, in the widest instruction set that it has ([`InstructionSet::best`]).
    ///
    /// # Errors
    /// [`CompileError::Host`] if there is no code generator for this machine.
    pub fn host() -> Result<Self, CompileError> {
        match InstructionSet::best().filter(|set| set.is_wide() || *set == InstructionSet::Aarch64) {
            Some(best) => Jit::of(best),
            None => Jit::cranelift(),
        }
    }

    /// Makes code for this machine with Cranelift only, in vectors of four vertices.
    ///
    /// # Errors
    /// [`CompileError::Host`] if there is none.
    #[doc(hidden)]
    pub fn cranelift() -> Result<Self, CompileError> {
        let target = Target::host()?;
        #[cfg(target_arch = "x86_64")]
        super::super::core::make_tables();
        Ok(Jit {
            target,
            #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
            width: None,
            few: FEW,
            #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
            processor: None,
            budget: Budget::default(),
            has_lines: false,
            path: Path::Quick,
            idle: Mutex::default(),
        })
    }

    /// Makes code for this machine in a given instruction set. It need not be the widest one. With the widest set, each
    /// program has two routines: batches that would not fill its groups run on vectors of half the length.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine or this build lacks it.
    pub fn of(instructions: InstructionSet) -> Result<Self, CompileError> {
        instructions.check_host()?;
        let jit = Jit::cranelift()?;
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
        if let Some(width) = Width::of(instructions) {
            return Ok(Jit { few: FEW, ..jit.wide(width)? });
        }
        Ok(Jit { target: Target::of(instructions)?, ..jit })
    }

    /// Sets the budget of compilation.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Jit { budget, idle: Mutex::default(), ..self }
    }

    /// Makes the slow path alone, which raises no guard for values of operands. For tests.
    #[must_use]
    #[doc(hidden)]
    pub fn slowly(self) -> Self {
        Jit { path: Path::Slow, ..self }
    }

    /// With code for wide vectors, which runs groups of them however few they are, where it is not [refused](super::super::emitter::refusal); Cranelift's for
    /// everything else.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine has no such vectors.
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
    #[doc(hidden)]
    pub fn wide(self, width: Width) -> Result<Self, CompileError> {
        width.instructions().check_host()?;
        Ok(Jit { width: Some(width), few: 1, ..self })
    }

    /// With code for wide vectors that something else executes than this machine's processor. So many groups are not few, or as many as by default.
    #[must_use]
    #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
    pub fn wide_on(self, width: Width, few: Option<usize>, processor: Arc<dyn Processor>) -> Self {
        Jit { width: Some(width), few: few.unwrap_or(FEW), processor: Some(processor), ..self }
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
        if self.path == Path::Slow {
            return "slow path";
        }
        #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
        if let Some(processor) = &self.processor {
            return processor.name();
        }
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
        if let Some(width) = self.width {
            return width.name();
        }
        "jit"
    }

    fn target(&self) -> String {
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
        if self.width.is_some() {
            let (name, few) = (self.name(), self.few);
            return format!("{name} from {few} jit {}", self.target.name());
        }
        format!("jit {}", self.target.name())
    }

    fn runs(&self) -> Runs {
        Runs::Native
    }

    fn with_lines(&self) -> Option<Arc<dyn Backend>> {
        Some(Arc::new(Jit {
            target: self.target.clone(),
            #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
            width: self.width,
            few: self.few,
            #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
            processor: self.processor.clone(),
            budget: self.budget,
            has_lines: true,
            path: self.path,
            idle: Mutex::default(),
        }))
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        self.prepare_path(shader, self.path, &[], None)
    }

    fn prepare_beside(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        self.prepare_path(shader, self.path, &[], Some(interpreted))
    }

    fn prepare_slow(&self, shader: &Shader, interpreted: &Interpreted) -> Option<Arc<dyn Routine>> {
        // Vertices that run one by one, or for long, are the interpreter's as soon as a guard is raised.
        if shader.is_serial() || interpreted.source.may_run_out_of_time() {
            return None;
        }
        self.prepare_path(shader, Path::Slow, &[], Some(interpreted)).ok()
    }

    fn prepare_folded(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
        literals: &[(usize, Row)],
    ) -> Option<Arc<dyn Routine>> {
        // What vertices write, later ones read.
        if shader.is_serial() {
            return None;
        }
        self.prepare_path(shader, self.path, literals, Some(interpreted)).ok()
    }
}

impl Jit {
    /// Compiles a path of a shader, if there is room for its code, with enough stack and in the environment for it.
    fn prepare_path(
        &self,
        shader: &Shader,
        path: Path,
        literals: &[(usize, Row)],
        interpreted: Option<&Interpreted>,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        room::check()?;
        stack::with_enough(|| FpEnv::Default.within(|| self.native(shader, path, literals, interpreted)))?
    }

    fn native(
        &self,
        shader: &Shader,
        path: Path,
        literals: &[(usize, Row)],
        interpreted: Option<&Interpreted>,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        let start = Instant::now();
        let mut prepared = self.budget.prepare(shader, &self.machine(), path, literals)?;
        let many = match path {
            Path::Quick => self.for_many(shader, &mut prepared)?,
            // What it runs is a few groups.
            Path::Slow => None,
        };
        let (func, any) = self.for_any(shader, &mut prepared)?;
        // What the caller has to bring is the same for both.
        let many = many.filter(|many| many.reads_zero_row() == any.reads_zero_row());
        let Prepared { lowered, mut stages, .. } = prepared;
        let (source, source_bytes) = match interpreted {
            Some(interpreted) => (interpreted.source.clone(), 0),
            None => {
                let source = Source::new(shader, shader.fallback(Some(lowered)));
                let bytes = source.bytes();
                (source, bytes)
            }
        };
        let codes = || many.iter().chain([&any]);
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
            rows_read: rows_read(&func),
            operations: operations(&func),
            any,
            many,
            few: self.few,
            slow: OnceLock::new(),
            compile_time: start.elapsed(),
            stages,
        }))
    }
}

impl Jit {
    /// The machine of the longest vectors: what recipes may use. Whoever compiles what these refuse has all operations.
    fn machine(&self) -> Machine {
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
        if let Some(width) = self.width {
            return width.machine();
        }
        *self.target.machine()
    }

    /// The code of a shader that runs any number of vertices, and the function that it was made of.
    fn for_any(&self, shader: &Shader, prepared: &mut Prepared) -> Result<(Func, Compiled), CompileError> {
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
        {
            let width =
                self.width.and_then(|width| if width.has_tails() { Some(width) } else { width.narrower() });
            if let Some(width) = width
                && let Some(compiled) = self.widely(shader, prepared, width)?
            {
                return Ok(compiled);
            }
        }
        let func = prepared.for_machine(self.budget, self.target.machine())?;
        let compiled = self.with_compiler(|compiler| compiler.compile(&func, shader.layout()))?;
        Ok((func, compiled))
    }

    /// The code of a shader that runs groups of the longest vectors, which vertices that run one by one do not fill.
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
    fn for_many(&self, shader: &Shader, prepared: &mut Prepared) -> Result<Option<Compiled>, CompileError> {
        let width = self.width.filter(|width| !width.has_tails() && !shader.is_serial());
        let Some(width) = width else { return Ok(None) };
        Ok(self.widely(shader, prepared, width)?.map(|(_, compiled)| compiled))
    }

    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide")))]
    fn for_many(&self, _: &Shader, _: &mut Prepared) -> Result<Option<Compiled>, CompileError> {
        Ok(None)
    }

    /// The code of a shader for wide vectors; nothing if there is none for it.
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "wide"))]
    fn widely(
        &self,
        shader: &Shader,
        prepared: &mut Prepared,
        width: Width,
    ) -> Result<Option<(Func, Compiled)>, CompileError> {
        let func = prepared.for_machine(self.budget, &width.machine())?;
        match emitter::compile_with(&func, shader.layout(), width, self.has_lines) {
            #[cfg(all(target_arch = "x86_64", feature = "testing"))]
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
