//! Code memory and entry: the one place where machine code is made callable.
//!
//! Memory is written first and made executable afterwards, never both at once; it is freed when the last handle to
//! the [`Compiled`] drops.
#![expect(unsafe_code, reason = "machine code can only be called through an unsafe function pointer")]

#[cfg(target_arch = "x86_64")]
use super::audit;
use super::budget::{Allocator, Budget};
use super::emit;
use super::stack::{MOST_FRAME, with_enough};
use crate::ir::func::Func;
use crate::ir::verify::verify;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::UserFuncName;
#[cfg(target_arch = "x86_64")]
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, CompiledCode, Context as ClifContext};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{
    BranchProtection, JITBuilder, JITMemoryKind, JITMemoryProvider, JITModule, SystemMemoryProvider,
};
use cranelift_module::{Linkage, Module, ModuleError, ModuleResult, default_libcall_names};
use std::error::Error;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
#[cfg(target_arch = "x86_64")]
use target_lexicon::Architecture;
use xfjit_runtime::abi::{Entry, LANES};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::bound::Bound;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::{Context, SCRATCH};

/// Why a program could not be compiled. It runs in the interpreter then; nothing else changes (invariant I7).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CompileError {
    /// No code generator for this host, or it lacks an instruction set that the code needs (SSE4.1).
    Host(String),
    /// The code generator refused: a limit of it, or a bug of ours.
    Codegen(String),
    /// The program has more constants, registers and branches, or more operations, than compiled code is made for.
    TooLarge(String),
    /// The system gave no memory, or did not let it become executable.
    Memory(String),
    /// The caller's stack is too small to compile on, or its size is unknown, and the system gave no thread instead.
    Stack(String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Host(why) => write!(f, "no native code on this host: {why}"),
            CompileError::Codegen(why) => write!(f, "the code generator failed: {why}"),
            CompileError::TooLarge(why) => write!(f, "the program is too large: {why}"),
            CompileError::Memory(why) => write!(f, "no executable memory: {why}"),
            CompileError::Stack(why) => write!(f, "no thread to compile on: {why}"),
        }
    }
}

impl std::error::Error for CompileError {}

impl CompileError {
    /// Whether it tells of a limit, and not of a bug.
    pub fn is_limit(&self) -> bool {
        !matches!(self, CompileError::Codegen(_))
    }
}

/// A machine to generate code for.
#[derive(Clone)]
pub struct Target {
    isa: OwnedTargetIsa,
    /// The same with the simple register allocator.
    quick: OwnedTargetIsa,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.name()).finish()
    }
}

fn flags(allocator: Allocator) -> settings::Flags {
    let mut flags = settings::builder();
    let values = [
        // Our IR is optimised already; Cranelift's optimiser would reschedule it and fold floats to nearest.
        ("opt_level", "none"),
        ("regalloc_algorithm", allocator.name()),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("is_pic", "false"),
        ("unwind_info", "false"),
        // A frame of several pages must not step over the page that guards the stack's end.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("probestack_size_log2", "12"),
        ("use_colocated_libcalls", "false"),
    ];
    for (name, value) in values {
        flags.set(name, value).expect("the flag exists in the pinned version");
    }
    settings::Flags::new(flags)
}

impl Target {
    /// This machine.
    ///
    /// # Errors
    /// [`CompileError::Host`] if it has no code generator, or no SSE4.1.
    pub fn host() -> Result<Self, CompileError> {
        // Elsewhere the floating-point environment cannot be set (`xfjit_runtime::fpenv`).
        if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            return Err(CompileError::Host("neither x86-64 nor AArch64".to_owned()));
        }
        let builder = cranelift_native::builder().map_err(|why| CompileError::Host(why.to_owned()))?;
        #[cfg(target_arch = "x86_64")]
        if !std::arch::is_x86_feature_detected!("sse4.1") {
            return Err(CompileError::Host("the processor lacks SSE4.1".to_owned()));
        }
        Self::finish(builder).map_err(|error| CompileError::Host(error.to_string()))
    }

    /// Another machine, by architecture: `x86_64` (with AVX) or `aarch64`. Its code can be looked at, or run elsewhere.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this build has no such code generator.
    pub fn named(architecture: &str) -> Result<Self, CompileError> {
        let unknown = |error: &dyn fmt::Display| CompileError::Host(format!("{architecture}: {error}"));
        let triple = match architecture {
            "x86_64" => "x86_64-unknown-linux-gnu",
            "aarch64" => "aarch64-unknown-linux-gnu",
            _ => return Err(unknown(&"neither x86_64 nor aarch64")),
        };
        let mut builder = isa::lookup_by_name(triple).map_err(|error| unknown(&error))?;
        if architecture == "x86_64" {
            for feature in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_avx", "has_avx2"] {
                builder.enable(feature).map_err(|error| unknown(&error))?;
            }
        }
        Self::finish(builder).map_err(|error| unknown(&error))
    }

    fn finish(builder: isa::Builder) -> Result<Self, CodegenError> {
        let isa = builder.finish(flags(Allocator::Thorough))?;
        Ok(Target { isa, quick: builder.finish(flags(Allocator::Quick))? })
    }

    /// Architecture and the instruction sets in use; part of cache keys.
    pub fn name(&self) -> String {
        let enabled = self.isa.isa_flags().into_iter().filter(|flag| flag.as_bool() == Some(true));
        let enabled: Vec<&str> = enabled.map(|flag| flag.name).collect();
        format!("{} {}", self.isa.triple().architecture, enabled.join(" "))
    }
}

/// Compiles functions; keeps the working memory of the code generator from one to the next.
pub struct Compiler {
    target: Target,
    budget: Budget,
    clif: ClifContext,
    pool: FunctionBuilderContext,
    registers: regalloc2::Ctx,
    audits: bool,
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
            audits: cfg!(debug_assertions),
        }
    }

    /// Whether code for x86-64 is decoded again and its memory operands are checked, on hosts that are x86-64. In debug
    /// builds it always is.
    #[must_use]
    pub fn audited(self, audits: bool) -> Self {
        Compiler { audits: audits || cfg!(debug_assertions), ..self }
    }

    /// With another limit of what compilation may cost.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Compiler { budget, ..self }
    }

    fn emit(&mut self, func: &Func, layout: Layout) {
        self.clif.clear();
        self.clif.func.name = UserFuncName::user(0, 0);
        let allocator = self.budget.allocator(func);
        emit::emit(func, layout, &*self.target.isa, allocator, &mut self.clif.func, &mut self.pool);
    }

    /// Instructions and blocks that the code generator is given for a host-level function.
    #[cfg(test)]
    pub(super) fn size(&mut self, func: &Func, layout: Layout) -> (usize, usize) {
        self.emit(func, layout);
        (self.clif.func.dfg.num_insts(), self.clif.func.dfg.num_blocks())
    }

    /// The CLIF text of a host-level function.
    pub fn clif_text(&mut self, func: &Func, layout: Layout) -> String {
        FpEnv::Default.within(|| self.emit(func, layout));
        self.clif.func.display().to_string()
    }

    /// Machine code for the target, and its listing if wanted.
    ///
    /// # Errors
    /// [`CompileError::Codegen`].
    pub fn code(
        &mut self,
        func: &Func,
        layout: Layout,
        listing: bool,
    ) -> Result<(Vec<u8>, String), CompileError> {
        let code = self.generate(func, layout, listing)?;
        Ok((code.code_buffer().to_vec(), code.vcode.unwrap_or_default()))
    }

    /// Straight from CLIF to the back end. `Context::compile` would first remove the block parameters that shield
    /// foldable loads ([`super::emit`]); nothing else of what it does without optimisation is needed here.
    fn generate(&mut self, func: &Func, layout: Layout, listing: bool) -> Result<CompiledCode, CompileError> {
        // Literals become doubles, and the register allocator weighs its choices with floats.
        with_enough(|| FpEnv::Default.within(|| self.generate_here(func, layout, listing)))?
    }

    fn generate_here(
        &mut self,
        func: &Func,
        layout: Layout,
        listing: bool,
    ) -> Result<CompiledCode, CompileError> {
        let codegen = |error: &dyn fmt::Display| CompileError::Codegen(error.to_string());
        // What keeps generated code inside its memory is this contract: no code without it.
        verify(func).map_err(|error| codegen(&error))?;
        let words = func.frame();
        if !func.is_split() || words > SCRATCH {
            let why =
                format!("beside {words} words of state its uniform values do not fit the scratch memory");
            return Err(CompileError::TooLarge(why));
        }
        self.budget.check(func)?;
        self.emit(func, layout);
        let Target { isa, quick } = &self.target;
        let isa = &**match self.budget.allocator(func) {
            Allocator::Thorough => isa,
            Allocator::Quick => quick,
        };
        self.clif.verify_if(isa).map_err(|error| codegen(&error))?;
        self.clif.compute_cfg();
        self.clif.compute_domtree();
        let stencil = isa
            .compile_function(
                &self.clif.func,
                &self.clif.domtree,
                &mut self.registers,
                listing,
                &mut ControlPlane::default(),
            )
            .map_err(|error| codegen(&error))?;
        let code = stencil.apply_params(&self.clif.func.params);
        if !code.buffer.relocs().is_empty() {
            return Err(CompileError::Codegen("the code calls a library function".to_owned()));
        }
        match frame(&code) {
            Some(bytes) if bytes <= MOST_FRAME => {}
            Some(bytes) => {
                return Err(CompileError::TooLarge(format!("its code needs {bytes} bytes of stack")));
            }
            None => return Err(codegen(&"how much stack the code needs is unknown")),
        }
        #[cfg(target_arch = "x86_64")]
        if self.audits && isa.triple().architecture == Architecture::X86_64 {
            let windows = isa.default_call_conv() == CallConv::WindowsFastcall;
            let contract = audit::Contract::new(func, windows);
            audit::audit(code.code_buffer(), &contract).map_err(|fault| codegen(&fault))?;
        }
        Ok(code)
    }

    /// Compiles a host-level function for this machine; on a thread of its own, if less than 512 KiB of stack are left.
    ///
    /// # Errors
    /// Any [`CompileError`].
    pub fn compile(&mut self, func: &Func, layout: Layout) -> Result<Compiled, CompileError> {
        let start = Instant::now();
        let code = self.generate(func, layout, false)?;
        let memory = CodeMemory::default();
        let mut builder = JITBuilder::with_isa(self.target.isa.clone(), default_libcall_names());
        builder.memory_provider(Box::new(memory.clone()));
        let mut module = JITModule::new(builder);
        let refused = |error: ModuleError| CompileError::Memory(with_causes(&error));
        let id = module.declare_function("xf", Linkage::Local, &self.clif.func.signature).map_err(refused)?;
        let alignment = u64::from(code.buffer.alignment);
        module.define_function_bytes(id, alignment, code.code_buffer(), &[]).map_err(refused)?;
        module.finalize_definitions().map_err(refused)?;
        let address = module.get_finalized_function(id);
        // SAFETY: the address is that of a function emitted with the signature and the calling convention of `Entry`.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        Ok(Compiled {
            entry,
            memory,
            code_bytes: code.code_buffer().len(),
            stack_bytes: frame(&code).unwrap_or(MOST_FRAME),
            compile_time: start.elapsed(),
            live_inputs: func.live_inputs(),
            live_outputs: func.live_outputs(),
            layout,
            rows: usize::from(func.window.end),
            wide: has_wide_registers(),
        })
    }
}

/// What an error says, and what the errors behind it say: the last is the system's.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let what = error.to_string();
        if !text.ends_with(&what) {
            text = format!("{text}: {what}");
        }
        cause = error.source();
    }
    text
}

/// Bytes of stack that the code uses: its frame, the frame pointer that it saves, and the address of its caller.
fn frame(code: &CompiledCode) -> Option<usize> {
    Some(code.buffer.frame_layout()?.frame_to_fp_offset as usize + 16)
}

/// Whether upper register halves exist that legacy encodings would merge into.
fn has_wide_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Code in executable memory.
pub struct Compiled {
    entry: Entry,
    memory: CodeMemory,
    code_bytes: usize,
    stack_bytes: usize,
    compile_time: Duration,
    live_inputs: u16,
    live_outputs: u32,
    layout: Layout,
    rows: usize,
    wide: bool,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("code_bytes", &self.code_bytes)
            .field("compile_time", &self.compile_time)
            .finish_non_exhaustive()
    }
}

impl Compiled {
    /// Bytes of machine code, constants included.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// Bytes of its caller's stack that a call uses: at most [`MOST_FRAME`].
    pub fn stack_bytes(&self) -> usize {
        self.stack_bytes
    }

    /// Memory held: whole pages.
    pub fn memory_bytes(&self) -> usize {
        self.memory.0.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// How long code generation took.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Runs groups of bound streams; see [`Entry`] for the result. The floating-point environment must be the
    /// function's ([`Func::env`]), or results are wrong.
    ///
    /// # Panics
    /// If the streams or the context are not what the code was compiled for.
    pub(crate) fn run(&self, context: &mut Context, bound: &mut Bound<'_>, groups: Range<usize>) -> u64 {
        assert!(bound.serves(self.live_inputs, self.live_outputs, self.layout), "streams of another program");
        assert!(groups.end * LANES <= bound.vertices(), "more groups than the streams hold");
        assert_eq!(context.rows().len(), self.rows, "constants of another generation");
        if groups.is_empty() {
            return groups.end as u64;
        }
        if self.wide {
            clear_upper_halves();
        }
        // SAFETY: the code stays in memory as long as `self`. It touches only what its contract names (invariant
        // I10): the streams in the masks, for vertices that `bound` proves to be there and borrows; its scratch
        // memory; and the rows of `context`, at row numbers that the verifier has bounded by `rows`, the last of
        // which is the zero row.
        unsafe { (self.entry)(context, bound.io(), groups.start as u64, groups.end as u64) }
    }
}

/// Generated code spills by legacy encodings, which merge into dirty upper halves at a cost of 15 to 20 %.
#[inline]
fn clear_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: called only where AVX has been detected. The compiler keeps nothing in the upper halves across it: all
    // vector registers are declared as clobbered.
    unsafe {
        std::arch::asm!(
            "vzeroupper",
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
            out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nostack, nomem, preserves_flags)
        );
    }
}

/// Memory of one program's code, shared by the module while it is made and by [`Compiled`] from then on.
#[derive(Clone, Default)]
struct CodeMemory(Arc<Mutex<Mapping>>);

/// The mapping behind a [`CodeMemory`]; unmapped on drop.
struct Mapping {
    provider: SystemMemoryProvider,
    bytes: usize,
}

impl Default for Mapping {
    fn default() -> Self {
        Mapping { provider: SystemMemoryProvider::new(), bytes: 0 }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the only pointer into the mapping is the entry of the `Compiled` that holds the last reference to
        // it, and that is being dropped, or was never made.
        unsafe { self.provider.free_memory() }
    }
}

impl JITMemoryProvider for CodeMemory {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        // Code needs no data of its own: constants live inside the function.
        if !matches!(kind, JITMemoryKind::Executable) {
            return Err(io::Error::other("generated code has no data segment"));
        }
        let mut mapping = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        mapping.bytes += size.next_multiple_of(region::page::size());
        mapping.provider.allocate(size, align, kind)
    }

    unsafe fn free_memory(&mut self) {
        // Freed by `Mapping`, not by the module.
    }

    fn finalize(&mut self, branch_protection: BranchProtection) -> ModuleResult<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).provider.finalize(branch_protection)
    }
}
