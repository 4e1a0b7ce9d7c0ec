//! The only place where machine code is made callable. Its memory is freed when the last handle to the [`Compiled`] drops.
#![expect(unsafe_code, reason = "machine code can only be called through an unsafe function pointer")]

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::core::check;
use super::core::shape::Shape;
use super::lines::Lines;
use super::mapping::Mapping;
#[cfg(feature = "testing")]
use super::processor::{CodeCall, Processor};
#[cfg(doc)]
use super::stack::MOST_FRAME;
use crate::backend::CompileError;
use crate::ir::func::Func;
use crate::ir::origin::Origin;
use std::fmt;
use std::ops::Range;
#[cfg(feature = "testing")]
use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit_runtime::abi::Entry;
use xfjit_runtime::batch::Layout;
#[cfg(feature = "testing")]
use xfjit_runtime::bound::Needs;
use xfjit_runtime::bound::{Call, NumberedCall, Streams};
use xfjit_runtime::constants::Constants;
#[cfg(feature = "testing")]
use xfjit_runtime::fpenv::FpEnv;

/// Machine code of a function for this machine, with the signature and calling convention of [`Entry`], before it is copied
/// to executable memory.
pub(super) struct Finished<'a> {
    /// Position-independent code, which begins with the function and needs no relocation.
    pub(super) bytes: &'a [u8],
    pub(super) alignment: u64,
    pub(super) shape: Shape,
    /// The operation that each piece is for, and whether the code is to know it.
    pub(super) lines: &'a Lines,
    pub(super) keeps_lines: bool,
}

/// Code in executable memory.
pub struct Compiled {
    entry: Entry,
    memory: Mapping,
    code_bytes: usize,
    stack_bytes: usize,
    lines: Box<[(u32, Origin)]>,
    compile_time: Duration,
    call: NumberedCall,
    rows: usize,
    reads_zero_row: bool,
    writes_constants: bool,
    has_upper_halves: bool,
    /// What executes it, if that is not this machine's processor, and in which environment.
    #[cfg(feature = "testing")]
    processor: Option<(Arc<dyn Processor>, FpEnv)>,
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
    /// Makes the code of a function callable, which is the only way to do so: code that breaks its contract stays bytes. Its compilation began at `start`.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] if a checker refuses the code, [`CompileError::Memory`].
    pub(super) fn new(
        code: Finished<'_>,
        func: &Func,
        layout: Layout,
        start: Instant,
    ) -> Result<Self, CompileError> {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        check(code.bytes, code.lines, func, layout, code.shape)?;
        let (memory, address) = Mapping::new(code.bytes, code.alignment)?;
        // SAFETY: `Finished` holds a function of this signature and calling convention, for this machine; it lies in
        // executable memory now, which lives as long as the value that holds the pointer.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        let (live_inputs, live_outputs) = func.live_streams();
        Ok(Compiled {
            entry,
            memory,
            code_bytes: code.bytes.len(),
            stack_bytes: code.shape.stack_bytes,
            lines: if code.keeps_lines { code.lines.origins(func) } else { Box::default() },
            compile_time: start.elapsed(),
            call: NumberedCall::new(Call {
                live_inputs,
                input_layout: func.inputs,
                live_outputs,
                layout,
                lanes: code.shape.lanes,
                fewest: code.shape.fewest(),
            }),
            rows: usize::from(func.window.end),
            reads_zero_row: func.reads_zero_row(),
            writes_constants: func.is_serial(),
            has_upper_halves: has_upper_halves(),
            #[cfg(feature = "testing")]
            processor: None,
        })
    }

    /// The code of a function, executed by something else than this machine's processor.
    #[cfg(all(target_arch = "x86_64", feature = "wide", feature = "testing"))]
    pub(super) fn on(self, processor: Arc<dyn Processor>, func: &Func) -> Self {
        Compiled { processor: Some((processor, func.env())), ..self }
    }

    /// Vertices of a group.
    pub fn lanes(&self) -> usize {
        self.call.lanes
    }

    /// The requirements of batches that are bound for this code only.
    #[cfg(feature = "testing")]
    pub fn needs(&self) -> Needs {
        let Compiled { rows, writes_constants, .. } = *self;
        let Call { live_inputs: inputs, input_layout, live_outputs: outputs, layout, .. } = *self.call;
        Needs { inputs, input_layout, outputs, written: u128::MAX, layout, rows, writes_constants }
    }

    /// The registers, layouts and lanes of a call.
    pub fn call(&self) -> &NumberedCall {
        &self.call
    }

    /// Whether streams for a call are streams for this code. Mostly they were made for its own call.
    #[inline]
    fn is_for(&self, call: &NumberedCall) -> bool {
        std::ptr::eq(call, &raw const self.call) || **call == *self.call
    }

    /// Whether it reads a row of zeros after the constants.
    pub(crate) fn reads_zero_row(&self) -> bool {
        self.reads_zero_row
    }

    /// Bytes of machine code, constants included.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// Bytes of its caller's stack that a call uses: at most [`MOST_FRAME`].
    pub fn stack_bytes(&self) -> usize {
        self.stack_bytes
    }

    /// The code, where it is executed.
    pub(crate) fn code(&self) -> &[u8] {
        // SAFETY: so many bytes have been copied to where the entry is; they can be read, and stay as they are, as long as `self` is.
        unsafe { std::slice::from_raw_parts(self.entry as *const u8, self.code_bytes) }
    }

    /// Offsets at which other parts of the program begin.
    pub(crate) fn lines(&self) -> &[(u32, Origin)] {
        &self.lines
    }

    /// Memory held: whole pages.
    pub fn memory_bytes(&self) -> usize {
        self.memory.bytes() + size_of_val(&self.lines[..])
    }

    /// How long code generation took.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Runs vertices of bound streams, from any on; see [`Entry`] for the result. The floating-point
    /// environment must be the function's ([`Func::env`]), or results are wrong.
    ///
    /// # Panics
    /// If the streams or the constants are not what the code was compiled for, if there are no such vertices, or if they are fewer
    /// than the code runs.
    #[inline(always)]
    pub fn run(
        &self,
        constants: &mut Constants<'_>,
        streams: &mut Streams<'_>,
        vertices: Range<usize>,
    ) -> u64 {
        assert!(self.is_for(streams.call()), "streams of another program");
        assert!(vertices.end <= streams.count(), "more vertices than the streams hold");
        let constants_serve = constants.check(self.rows, self.writes_constants).is_ok();
        assert!(constants_serve, "constants of another generation, or lent to be read");
        assert!(constants.has_zero_row() || !self.reads_zero_row, "constants without a row of zeros");
        let [first, end] = [vertices.start, vertices.end].map(|vertex| vertex as u64);
        if vertices.is_empty() {
            return first;
        }
        assert!(vertices.len() >= self.call.fewest, "fewer vertices than a group");
        #[cfg(feature = "testing")]
        if let Some((processor, env)) = &self.processor {
            return processor.call(CodeCall {
                code: self.code(),
                env: *env,
                constants,
                rows: self.rows + usize::from(self.reads_zero_row),
                writes_constants: self.writes_constants,
                streams,
                vertices,
            });
        }
        if self.has_upper_halves {
            clear_upper_halves();
        }
        // SAFETY: the code stays in memory as long as `self`. It touches only what its contract names (invariant I10): the
        // streams in the masks, for these vertices, of which there are as many as it needs, and which `streams` proves to be there and borrows; scratch memory, which has room for the most lanes; and `rows` rows of constants, with one of zeros behind
        // them if `reads_zero_row`, all there, at row numbers that the verifier has bounded. It writes rows only if
        // `writes_constants`, and then they are borrowed mutably.
        unsafe { (self.entry)(constants.base(), streams.io(vertices.len()), first, end) }
    }
}

/// Clears the upper halves of vector registers. Generated code spills with legacy SSE encodings, which take 15 to 20 %
/// longer while upper halves are dirty.
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

/// Whether vector registers have upper halves, which legacy encodings preserve.
fn has_upper_halves() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// A function of a test's own.
#[cfg(all(feature = "testing", target_arch = "x86_64"))]
type Piece = unsafe extern "sysv64" fn(*mut u8);
#[cfg(all(feature = "testing", not(target_arch = "x86_64")))]
type Piece = unsafe extern "C" fn(*mut u8);

/// Calls a function of a test's own, which gets the address of a block of memory.
///
/// # Errors
/// [`CompileError::Memory`].
///
/// # Safety
/// The bytes are a function with the calling convention of [`Entry`], which takes a pointer; called with this one it does nothing
/// that safe code could not do.
#[cfg(feature = "testing")]
pub unsafe fn call_piece(bytes: &[u8], block: *mut u8) -> Result<(), CompileError> {
    let (_memory, address) = Mapping::new(bytes, 1)?;
    // SAFETY: the bytes are such a function, and lie in executable memory now, which lives until it has returned.
    unsafe {
        let function = std::mem::transmute::<*const u8, Piece>(address);
        function(block);
    }
    Ok(())
}
