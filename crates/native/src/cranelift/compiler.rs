//! Compiles functions of the host level to machine code.

use super::super::budget::{Allocator, Budget};
use super::super::code::{Compiled, Finished};
use super::super::core::shape::{Ends, Processor, RowNumbers, Shape};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::super::core::{check, decodes};
use super::super::lines::Lines;
#[cfg(feature = "testing")]
use super::super::listing::{self, Listing};
use super::super::stack::{MOST_FRAME, with_enough};
use super::emit;
use super::target::Target;
use crate::backend::CompileError;
use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;
use crate::ir::verify::verify;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::UserFuncName;
use cranelift_codegen::{CompiledCode, Context as ClifContext};
use cranelift_frontend::FunctionBuilderContext;
use std::fmt;
use std::time::Instant;
use target_lexicon::Architecture;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::SCRATCH;

/// Compiles functions. The working memory of the code generator is reused.
pub struct Compiler {
    target: Target,
    budget: Budget,
    clif: ClifContext,
    pool: FunctionBuilderContext,
    registers: regalloc2::Ctx,
    checks: bool,
    has_lines: bool,
}

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiler").field("target", &self.target).finish_non_exhaustive()
    }
}

impl Compiler {
    /// A compiler for a target, with the default budget.
    pub fn new(target: Target) -> Self {
        Compiler {
            target,
            budget: Budget::default(),
            clif: ClifContext::new(),
            pool: FunctionBuilderContext::new(),
            registers: regalloc2::Ctx::default(),
            checks: cfg!(debug_assertions),
            has_lines: false,
        }
    }

    /// Whether code that is not made callable is checked, if this build has a decoder for it: code for the host's architecture, and with the
    /// feature `cross` for AArch64. In debug builds it always is; code that is made callable is checked in any case.
    #[must_use]
    pub fn checked(self, checks: bool) -> Self {
        Compiler { checks: checks || cfg!(debug_assertions), ..self }
    }

    /// Whether code knows which instruction each piece of it was made for.
    #[must_use]
    pub(crate) fn with_lines(self, has_lines: bool) -> Self {
        Compiler { has_lines, ..self }
    }

    /// With another budget.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Compiler { budget, ..self }
    }

    /// The register allocator for a function.
    fn allocator(&self, func: &Func) -> Allocator {
        self.budget.allocator(func, self.target.machine())
    }

    fn emit(&mut self, func: &Func, layout: Layout, allocator: Allocator) {
        self.clif.clear();
        self.clif.func.name = UserFuncName::user(0, 0);
        let place = (&mut self.clif.func, &mut self.pool);
        emit::emit(func, layout, &self.target, allocator, place);
    }

    /// The numbers of CLIF instructions and blocks of a host-level function.
    #[cfg(test)]
    pub(crate) fn size(&mut self, func: &Func, layout: Layout) -> (usize, usize) {
        self.emit(func, layout, self.allocator(func));
        (self.clif.func.dfg.num_insts(), self.clif.func.dfg.num_blocks())
    }

    /// The CLIF text of a host-level function.
    pub fn clif_text(&mut self, func: &Func, layout: Layout) -> String {
        let allocator = self.allocator(func);
        FpEnv::Default.within(|| self.emit(func, layout, allocator));
        // What instructions are for is for checks; it would fill the text.
        self.clif.func.stencil.srclocs.clear();
        self.clif.func.display().to_string()
    }

    /// Machine code for the target.
    ///
    /// # Errors
    /// [`CompileError::Codegen`].
    pub fn code(&mut self, func: &Func, layout: Layout) -> Result<Vec<u8>, CompileError> {
        let code = self.generate(func, layout)?;
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if self.checks && decodes(self.shape(&code).processor) {
            check(code.code_buffer(), &lines(&code), func, layout, self.shape(&code))?;
        }
        Ok(code.code_buffer().to_vec())
    }

    /// Machine code for the target, unchecked, and what there is to know of it beside the function.
    ///
    /// # Errors
    /// [`CompileError::Codegen`].
    #[cfg(test)]
    pub(crate) fn shaped(
        &mut self,
        func: &Func,
        layout: Layout,
    ) -> Result<(Vec<u8>, Lines, Shape), CompileError> {
        let code = self.generate(func, layout)?;
        Ok((code.code_buffer().to_vec(), lines(&code), self.shape(&code)))
    }

    /// Machine code for the target as text.
    ///
    /// # Errors
    /// [`CompileError::Codegen`]; [`CompileError::Host`] if this build cannot read such code.
    #[cfg(feature = "testing")]
    pub fn listing(&mut self, func: &Func, layout: Layout) -> Result<Listing, CompileError> {
        let code = self.generate(func, layout)?;
        match self.target.isa.triple().architecture {
            #[cfg(target_arch = "x86_64")]
            Architecture::X86_64 => Ok(listing::x86_64(func, code.code_buffer(), &lines(&code))),
            #[cfg(any(target_arch = "aarch64", feature = "cross"))]
            Architecture::Aarch64(_) => listing::aarch64(func, code.code_buffer(), &lines(&code)),
            other => Err(CompileError::Host(format!("there is no listing of code for {other}"))),
        }
    }

    /// Calls the back end directly: `Context::compile` would first remove the block parameters that shield foldable loads
    /// ([`super::emit`]), and the rest of what it does without optimisation is not needed here.
    fn generate(&mut self, func: &Func, layout: Layout) -> Result<CompiledCode, CompileError> {
        // Literals are converted to doubles, and the register allocator computes weights as floats.
        with_enough(|| FpEnv::Default.within(|| self.generate_here(func, layout)))?
    }

    fn generate_here(&mut self, func: &Func, layout: Layout) -> Result<CompiledCode, CompileError> {
        let codegen = |error: &dyn fmt::Display| CompileError::Codegen(error.to_string());
        // Memory safety of generated code rests on this contract.
        verify(func).map_err(|error| codegen(&error))?;
        let words = func.frame();
        if !func.is_split() || words > SCRATCH {
            let why =
                format!("beside {words} words of state its uniform values do not fit the scratch memory");
            return Err(CompileError::TooLarge(why));
        }
        let adds_products = |value| matches!(func.inst(value).op, Op::Fma | Op::Dfma);
        if func.order().any(adds_products) && !self.target.has_fused() {
            return Err(CompileError::TooLarge("it adds products that are rounded once".to_owned()));
        }
        self.budget.check(func, self.target.machine())?;
        self.generate_within(MOST_FRAME, func, layout)
    }

    /// Machine code with a frame of so many bytes at most.
    fn generate_within(
        &mut self,
        most: usize,
        func: &Func,
        layout: Layout,
    ) -> Result<CompiledCode, CompileError> {
        let allocator = self.allocator(func);
        let mut code = self.generate_with(allocator, func, layout)?;
        if allocator == Allocator::Quick && frame(&code).is_some_and(|bytes| bytes > most) {
            // The quick allocator gives each value that crosses blocks a place of its own; the other uses places again.
            code = self.generate_with(Allocator::Thorough, func, layout)?;
        }
        match frame(&code) {
            Some(bytes) if bytes <= most => Ok(code),
            Some(bytes) => Err(CompileError::TooLarge(format!("its code needs {bytes} bytes of stack"))),
            None => Err(CompileError::Codegen("how much stack the code needs is unknown".to_owned())),
        }
    }

    /// Machine code whose registers an allocator has chosen, however large its frame.
    fn generate_with(
        &mut self,
        allocator: Allocator,
        func: &Func,
        layout: Layout,
    ) -> Result<CompiledCode, CompileError> {
        let codegen = |error: &dyn fmt::Display| CompileError::Codegen(error.to_string());
        self.emit(func, layout, allocator);
        let Target { isa, quick, .. } = &self.target;
        let isa = &**match allocator {
            Allocator::Thorough => isa,
            Allocator::Quick => quick,
        };
        // A condition that the compiler knows, so that programs without it are smaller.
        if cfg!(debug_assertions) {
            self.clif.verify(isa).map_err(|error| codegen(&error))?;
        }
        self.clif.compute_cfg();
        self.clif.compute_domtree();
        let stencil = isa
            .compile_function(
                &self.clif.func,
                &self.clif.domtree,
                &mut self.registers,
                false,
                &mut ControlPlane::default(),
            )
            .map_err(|error| codegen(&error))?;
        let code = stencil.apply_params(&self.clif.func.params);
        if !code.buffer.relocs().is_empty() {
            return Err(CompileError::Codegen("the code calls a library function".to_owned()));
        }
        Ok(code)
    }

    /// What there is to know of code beside the function.
    fn shape(&self, code: &CompiledCode) -> Shape {
        let is_x86_64 = self.target.isa.triple().architecture == Architecture::X86_64;
        let processor = if is_x86_64 { Processor::X86_64 } else { Processor::Aarch64 };
        Shape {
            processor,
            lanes: self.target.machine().lanes,
            ends: Ends::Back,
            stack_bytes: frame(code).unwrap_or(MOST_FRAME),
            row_numbers: RowNumbers::Followed,
            clears_upper_halves: false,
        }
    }

    /// Compiles a host-level function for this machine; on a thread of its own, if less than 512 KiB of stack are left.
    ///
    /// # Errors
    /// Any [`CompileError`].
    pub fn compile(&mut self, func: &Func, layout: Layout) -> Result<Compiled, CompileError> {
        let start = Instant::now();
        let code = self.generate(func, layout)?;
        let finished = Finished {
            bytes: code.code_buffer(),
            alignment: u64::from(code.buffer.alignment),
            shape: self.shape(&code),
            lines: &lines(&code),
            keeps_lines: self.has_lines,
        };
        Compiled::new(finished, func, layout, start)
    }
}

/// The values that pieces of the code compute.
fn lines(code: &CompiledCode) -> Lines {
    let mut lines = Lines::default();
    lines.push(0, None);
    for piece in code.buffer.get_srclocs_sorted() {
        let value = (!piece.loc.is_default()).then(|| Value(piece.loc.bits()));
        lines.push(piece.start, value);
        lines.push(piece.end, None);
    }
    lines
}

/// Bytes of stack that the code uses: its frame, the saved frame pointer, and the return address.
fn frame(code: &CompiledCode) -> Option<usize> {
    Some(code.buffer.frame_layout()?.frame_to_fp_offset as usize + 16)
}

#[cfg(test)]
mod tests;
