//! Commands of Flipper: bytes in, draws and the rest out.

use crate::cancel::xfjit_cancel;
use crate::export::functions;
use crate::flipper::{State, enter, xfjit_flipper, xfjit_flipper_triangle};
use crate::lent::{self, Lent};
use crate::sized::{Record, Sized32};
use crate::status::{Failure, XFJIT_E_MEMORY, argument, call, xfjit_status};
use crate::table::{Function, Item, constants, record};
use std::ffi::c_void;
use xfjit::flipper::{Budget, Drawn, FlipperUnit, Memory, Output};

constants! {
    /// The kind of a unit's output (xfjit_flipper_output.kind).
    OUTPUTS: u32;
    /// The vertices of a drawing command.
    XFJIT_FLIPPER_DRAW = 0;
    /// A command loads a register after the transform unit: its number is in address, its 24 bits in value.
    XFJIT_FLIPPER_BP = 1;
    /// The unit begins to read a display list: its address is in address, its size in bytes in value.
    XFJIT_FLIPPER_CALL = 2;
    /// A command empties the vertex cache.
    XFJIT_FLIPPER_INVALIDATE = 3;
    /// A byte that begins no command; it is in value.
    XFJIT_FLIPPER_UNKNOWN = 4;
}

constants! {
    /// Where the settings of the command processor and those of the transform unit disagree (xfjit_flipper_output.disagreement), or-ed.
    DISAGREEMENTS: u32;
    /// The number of colours.
    XFJIT_FLIPPER_COLOURS = 1;
    /// The number of normals.
    XFJIT_FLIPPER_NORMALS = 2;
    /// The number of texture coordinates.
    XFJIT_FLIPPER_TEXCOORDS = 4;
    /// The matrix indices of vertices that have none of their own.
    XFJIT_FLIPPER_MATRICES = 8;
    /// Vertices have no position; zeros are used.
    XFJIT_FLIPPER_POSITIONS = 16;
}

constants! {
    /// Properties of a triangle (xfjit_flipper_triangle.flags), or-ed.
    SIDES: u32;
    /// The triangle shows its back face.
    XFJIT_FLIPPER_BACK = 1;
    /// The whole triangle is outside one clip plane, so it is not drawn.
    XFJIT_FLIPPER_REJECTED = 2;
}

record! {
    MEMORY;
    /// The guest's memory, for calls that read it. Memory that does not exist reads as zeros.
    struct xfjit_flipper_memory {
        /// sizeof(xfjit_flipper_memory)
        size: u32,
        /// 0
        reserved: u32,
        /// The memory from address 0 on (MEM1).
        first: *const c_void,
        /// Its size in bytes. Bytes above 128 MiB are ignored.
        first_bytes: usize,
        /// The memory from address 0x10000000 on (MEM2 of the Wii), or null.
        second: *const c_void,
        /// Its size in bytes, likewise.
        second_bytes: usize,
    }
}

record! {
    OUTPUT;
    /// One output of a unit. Pointers are valid until the callback returns.
    struct xfjit_flipper_output {
        /// XFJIT_FLIPPER_DRAW ...
        kind: u32,
        /// The address of a register or of a display list.
        address: u32,
        /// The loaded value, the size of a display list in bytes, or a byte.
        value: u32,
        /// For a draw, bits 5:3 of its command: 0 and 1 quads, 2 triangles, 3 strip, 4 fan, 5 lines, 6 line strip, 7 points.
        primitive: u32,
        /// The number of vertices in the command, including those that are left out.
        given: u32,
        /// The number of vertices in the output.
        count: u32,
        /// XFJIT_FLIPPER_COLOURS ...
        disagreement: u32,
        /// The number of triangles, if the caller wants them.
        triangle_count: u32,
        /// The triangles.
        triangles: *const xfjit_flipper_triangle,
        /// The vertices, in the declared layout.
        vertices: *const c_void,
        /// Their size in bytes.
        vertex_bytes: usize,
    }
}

record! {
    PROGRESS;
    /// How far a stream of commands has run.
    struct xfjit_flipper_progress {
        /// sizeof(xfjit_flipper_progress)
        size: u32,
        /// 1 if the unit can continue without further bytes, because the budget ended inside a display list.
        in_list: u32,
        /// The number of bytes that the unit took, or read from a ring. Pass the others again.
        used: u64,
        /// The number of bytes that wait in the unit for the rest of their command.
        waiting: u64,
        /// 1 if a flag cancelled the call (xfjit_flipper_set_cancel).
        cancelled: u32,
        /// 0
        reserved: u32,
    }
}

impl Sized32 for xfjit_flipper_memory {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_flipper_memory";
    const ZERO: Self = Self::ZERO;
}

impl Sized32 for xfjit_flipper_progress {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_flipper_progress";
    const ZERO: Self = Self::ZERO;
}

/// Takes what leaves a unit.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_flipper_take =
    Option<unsafe extern "C" fn(user: *mut c_void, output: *const xfjit_flipper_output)>;

/// The function, which must be there.
pub(crate) fn needed(
    take: xfjit_flipper_take,
) -> Result<unsafe extern "C" fn(*mut c_void, *const xfjit_flipper_output), Failure> {
    take.ok_or_else(|| argument("take is a null pointer"))
}

pub(crate) const TAKE: Item = Item::Callback(Function {
    doc: &[
        "Receives one output of a unit, in order. It must not use the unit, and it must return normally: no exception, no longjmp.",
    ],
    name: "xfjit_flipper_take",
    parameters: &[("user", "*mut c_void"), ("output", "*const xfjit_flipper_output")],
    returns: "",
});

/// The memory that a call was lent.
pub(crate) fn memory_of<'r>(record: Record<'r, xfjit_flipper_memory>) -> Result<Memory<'r>, Failure> {
    let &xfjit_flipper_memory { size: _, reserved, first, first_bytes, second, second_bytes } = &*record;
    if reserved != 0 {
        return Err(argument("xfjit_flipper_memory.reserved is not 0"));
    }
    // SAFETY: so many bytes are there for `'r`, and nobody writes them, as the description of the record says and a `Record` promises.
    let [first, second] = [(first, first_bytes, "first"), (second, second_bytes, "second")]
        .map(|(data, bytes, name)| unsafe { lent::part(data.cast(), 0..bytes, name) });
    Ok(Memory::new(first?, second?))
}

/// The memory that a call was lent, or none.
pub(crate) fn memory<'r>(
    memory: &'r Lent<'_, xfjit_flipper_memory>,
    other: &'r mut Option<xfjit_flipper_memory>,
) -> Result<Memory<'r>, Failure> {
    match memory.is_null() {
        true => Ok(Memory::default()),
        false => memory_of(memory.borrow(other)?),
    }
}

/// Where what leaves goes.
struct Handing<'a> {
    triangles: bool,
    found: &'a mut Vec<xfjit_flipper_triangle>,
    take: unsafe extern "C" fn(*mut c_void, *const xfjit_flipper_output),
    user: *mut c_void,
    /// Whether there was no memory for a draw.
    is_short: bool,
}

impl Handing<'_> {
    fn take(&mut self, output: Output<'_>) {
        let mut record = xfjit_flipper_output::ZERO;
        match output {
            Output::Drawn(drawn) => {
                record.kind = XFJIT_FLIPPER_DRAW;
                record.primitive = drawn.primitive as u32;
                record.given = drawn.given.into();
                record.count = drawn.vertices.count as u32;
                let disagreement = drawn.disagreement;
                record.disagreement = [
                    (disagreement.colours, XFJIT_FLIPPER_COLOURS),
                    (disagreement.normals, XFJIT_FLIPPER_NORMALS),
                    (disagreement.texcoords, XFJIT_FLIPPER_TEXCOORDS),
                    (disagreement.matrices, XFJIT_FLIPPER_MATRICES),
                    (disagreement.positions, XFJIT_FLIPPER_POSITIONS),
                ]
                .iter()
                .fold(0, |bits, (is_one, bit)| if *is_one { bits | bit } else { bits });
                let vertices = drawn.stored.filter(|_| self.find_triangles(&drawn).is_some());
                if vertices.is_none() {
                    self.is_short = true;
                    self.found.clear();
                }
                let vertices = vertices.unwrap_or_default();
                record.triangle_count = self.found.len() as u32;
                record.triangles = self.found.as_ptr();
                record.vertices = vertices.as_ptr().cast();
                record.vertex_bytes = vertices.len();
            }
            Output::LoadBp(register, value) => {
                (record.kind, record.address, record.value) = (XFJIT_FLIPPER_BP, register.into(), value);
            }
            Output::Call(address, bytes) => {
                (record.kind, record.address, record.value) = (XFJIT_FLIPPER_CALL, address, bytes);
            }
            Output::InvalidateVertices => record.kind = XFJIT_FLIPPER_INVALIDATE,
            Output::Unknown(byte) => (record.kind, record.value) = (XFJIT_FLIPPER_UNKNOWN, byte.into()),
        }
        // SAFETY: a function of the caller's of this type, which the header says is called so; the record and what it points to live until
        // it returns.
        unsafe { (self.take)(self.user, &raw const record) };
    }

    /// Keeps the triangles of a draw, if they are wanted and there is memory for them.
    fn find_triangles(&mut self, drawn: &Drawn<'_>) -> Option<()> {
        self.found.clear();
        if self.triangles {
            let triangles = drawn.triangles();
            self.found.try_reserve(triangles.len()).ok()?;
            self.found.extend(triangles.map(|triangle| xfjit_flipper_triangle {
                vertices: triangle.vertices.map(|vertex| vertex as u32),
                flags: if triangle.is_back { XFJIT_FLIPPER_BACK } else { 0 }
                    | if triangle.is_rejected { XFJIT_FLIPPER_REJECTED } else { 0 },
            }));
        }
        Some(())
    }
}

/// How far a unit has come.
pub(crate) fn progress_of(unit: &FlipperUnit, has_more: bool, used: u64) -> xfjit_flipper_progress {
    xfjit_flipper_progress {
        in_list: has_more.into(),
        used,
        waiting: unit.waiting() as u64,
        cancelled: unit.was_cancelled().into(),
        ..xfjit_flipper_progress::ZERO
    }
}

/// Runs something of a unit whose outputs go to C.
pub(crate) fn handing<R>(
    state: &mut State,
    take: unsafe extern "C" fn(*mut c_void, *const xfjit_flipper_output),
    user: *mut c_void,
    run: impl FnOnce(&mut FlipperUnit, &mut dyn FnMut(Output<'_>)) -> R,
) -> Result<R, Failure> {
    let State { unit, triangles, found, .. } = state;
    let mut handing = Handing { triangles: *triangles, found, take, user, is_short: false };
    let result = run(unit, &mut |output| handing.take(output));
    let is_short = handing.is_short;
    state.hand_over();
    match is_short {
        true => Err(Failure::new(
            XFJIT_E_MEMORY,
            "not enough memory for a draw; it was output without its vertices",
        )),
        false => Ok(result),
    }
}

/// The byte of a drawing command, and how many vertices it has.
pub(crate) fn command(opcode: u32, count: u32) -> Result<(u8, u16), Failure> {
    match (opcode, u16::try_from(count)) {
        (0x80..=0xbf, Ok(count)) => Ok((opcode as u8, count)),
        (0x80..=0xbf, Err(_)) => Err(argument(format_args!("{count} vertices are more than 65535"))),
        _ => Err(argument(format_args!("{opcode:#x} draws nothing; drawing commands are 0x80 to 0xbf"))),
    }
}

functions! {
    FUNCTIONS;
    /// Runs bytes of commands. Pieces may have any size: the unit keeps the beginning of a command until the rest arrives. `take` receives
    /// the output as it is produced. `memory` may be null. `budget` limits the work of the call, in bytes of commands and vertices; 0: no
    /// limit. If the budget is used up, `progress` (which may be null) says how many bytes the unit took; pass the others again. If the
    /// call returns XFJIT_E_MEMORY, all commands have run, but a draw was output without its vertices. One thread at a time.
    fn xfjit_flipper_run(flipper: *mut xfjit_flipper, bytes: *const c_void, size: usize, memory: *const xfjit_flipper_memory, budget: u64, take: xfjit_flipper_take, user: *mut c_void, progress: *mut xfjit_flipper_progress) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let take = needed(take)?;
            let progress = if progress.is_null() { None } else { Some(progress.room()?) };
            let bytes = bytes.bytes();
            // SAFETY: `size` bytes are at `bytes`.
            let bytes = unsafe { bytes.slice(size, "bytes") }?;
            let mut other = None;
            let memory = self::memory(&memory, &mut other)?;
            let budget = if budget == 0 { Budget::NONE } else { Budget(budget) };
            let mut used = 0;
            let ran = handing(&mut state, take, user.as_ptr(), |unit, take| used = unit.feed(bytes, memory, budget, take));
            if let Some(progress) = progress {
                progress.fill(&progress_of(&state.unit, state.unit.is_in_list(), used as u64));
            }
            ran
        })
    }
    /// Makes calls that run commands watch a flag; they check it before each command. With a null pointer they watch none, which is the
    /// default. A cancelled call ends as if its budget were used up: xfjit_flipper_progress.cancelled reports it, and the caller passes the
    /// remaining bytes again. A drawing command is not divided. One thread at a time.
    fn xfjit_flipper_set_cancel(flipper: *mut xfjit_flipper, cancel: *const xfjit_cancel) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            state.unit.set_cancel(cancel.optional()?.map(|cancel| cancel.flag.clone()));
            Ok(())
        })
    }
    /// Runs one drawing command by itself. `opcode` is its byte (0x80 to 0xbf). `bytes` holds its `count` vertices in the format that the
    /// registers describe. Returns XFJIT_E_INPUT if bytes are missing. Bytes that wait in the unit keep waiting. One thread at a time.
    fn xfjit_flipper_draw(flipper: *mut xfjit_flipper, opcode: u32, count: u32, bytes: *const c_void, size: usize, memory: *const xfjit_flipper_memory, take: xfjit_flipper_take, user: *mut c_void) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let (opcode, count) = command(opcode, count)?;
            let bytes = bytes.bytes();
            // SAFETY: `size` bytes are at `bytes`.
            let bytes = unsafe { bytes.slice(size, "bytes") }?;
            let mut other = None;
            let memory = self::memory(&memory, &mut other)?;
            let drawn = handing(&mut state, needed(take)?, user.as_ptr(), |unit, take| unit.draw(opcode, count, bytes, memory, take))?;
            drawn.map_err(crate::flipper_layout::incomplete)
        })
    }
}
