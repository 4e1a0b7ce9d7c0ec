//! Arrays of numpy as memory: what is checked, and what is borrowed.
//!
//! Nothing is copied. While a call works on an array, other calls of this package cannot write it (rust-numpy keeps
//! account of what is borrowed), and nobody can resize it; other threads of Python must not write it, as with numpy's own functions.
//!
//! Any code of Python may run while a call looks at its arguments: keys, numbers, iterators, destructors are objects of the caller's. So
//! what a call takes of an array is a view of its own, whose shape nobody else can change, and what the memory belongs to is pinned
//! ([`pins`]) for as long.

use crate::error::error;
use crate::numbers;
use numpy::{
    BorrowError, Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use std::ops::Range;
use xfjit::runtime::batch::{Layout, Outputs, Place};
use xfjit::runtime::state::{OUTPUTS, Row};

/// Arrays that a view is of, one the base of the other, at most: numpy makes no chains, but classes that derive from its own may.
const MOST_BASES: usize = 64;

/// Keeps memory where it is: numpy resizes no array to which there is a weak reference, whatever it is told.
type Pins<'py> = Vec<Bound<'py, PyAny>>;

/// A range of addresses.
pub(crate) type Hull = Range<i128>;

/// An array that is read.
pub(crate) struct Array<'py> {
    /// Keeps the memory, and whoever would write it out.
    _held: Held<'py>,
    _pins: Pins<'py>,
    data: *const u8,
    item: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

#[expect(dead_code, reason = "held until they are dropped")]
enum Held<'py> {
    Words(PyReadonlyArrayDyn<'py, f32>),
    Bytes(PyReadonlyArrayDyn<'py, u8>),
    Codes(PyReadonlyArrayDyn<'py, u32>),
    Halves(PyReadonlyArrayDyn<'py, u16>),
}

/// References to an array and to what its memory belongs to.
fn pins<'py>(what: &str, array: &Bound<'py, PyAny>) -> PyResult<Pins<'py>> {
    let mut pins: Pins<'py> = Vec::new();
    let mut next = array.clone();
    while next.is_instance_of::<PyUntypedArray>() {
        if pins.len() == MOST_BASES {
            return Err(error(format_args!("{what}: the array is a view of a view, {MOST_BASES} times")));
        }
        pins.push(PyWeakrefReference::new(&next)?.into_any());
        next = next.getattr("base")?;
    }
    Ok(pins)
}

/// A view of an array's memory as words of a type, which nobody else knows: of numpy's own class, whatever that of the array is.
fn view<'py, T: Element>(
    what: &str,
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<(Bound<'py, PyArrayDyn<T>>, Pins<'py>)> {
    let py = array.py();
    let pins = pins(what, array.as_any())?;
    let class = py.get_type::<PyUntypedArray>();
    let view = class.call_method1("view", (array, dtype::<T>(py), &class))?;
    Ok((view.cast_into()?, pins))
}

/// An array of words: `float32`, or `uint32`, which is taken for the bits of it.
fn typed<'py>(what: &str, any: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyArrayDyn<f32>>, Pins<'py>)> {
    let py = any.py();
    let array = untyped(what, any)?;
    let found = array.dtype();
    if !found.is_equiv_to(&dtype::<u32>(py)) && !found.is_equiv_to(&dtype::<f32>(py)) {
        let message = format!("{what}: numpy.float32 is needed (or numpy.uint32, its bits), not {found}");
        return Err(PyTypeError::new_err(message));
    }
    view(what, array)
}

/// An array of this type and no other.
fn exactly<'py, T: Element>(
    what: &str,
    any: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArrayDyn<T>>, Pins<'py>)> {
    let array = untyped(what, any)?;
    let (found, needed) = (array.dtype(), dtype::<T>(any.py()));
    if !found.is_equiv_to(&needed) {
        return Err(PyTypeError::new_err(format!("{what}: numpy.{needed} is needed, not {found}")));
    }
    view(what, array)
}

fn untyped<'a, 'py>(what: &str, any: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    any.cast::<PyUntypedArray>().map_err(|_| {
        let found = numbers::kind(any);
        PyTypeError::new_err(format!("{what}: a numpy array is needed, not {found}"))
    })
}

fn read<'py, T: Element>(
    what: &str,
    array: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    array.try_readonly().map_err(|_| error(format_args!("{what}: another call is writing the array")))
}

impl<'py> Array<'py> {
    /// An array of words.
    pub(crate) fn words(what: &str, any: &Bound<'py, PyAny>) -> PyResult<Self> {
        let (array, pins) = typed(what, any)?;
        Ok(Self::new(&array, pins, Held::Words(read(what, &array)?)))
    }

    /// An array of bytes.
    pub(crate) fn bytes(what: &str, any: &Bound<'py, PyAny>) -> PyResult<Self> {
        let (array, pins) = exactly::<u8>(what, any)?;
        Ok(Self::new(&array, pins, Held::Bytes(read(what, &array)?)))
    }

    /// An array of `uint16` or `uint32` that are no floats: an index list.
    pub(crate) fn indices(what: &str, any: &Bound<'py, PyAny>) -> PyResult<Self> {
        let found = untyped(what, any)?.dtype();
        if found.is_equiv_to(&dtype::<u16>(any.py())) {
            let (array, pins) = view::<u16>(what, untyped(what, any)?)?;
            return Ok(Self::new(&array, pins, Held::Halves(read(what, &array)?)));
        }
        if !found.is_equiv_to(&dtype::<u32>(any.py())) {
            let message = format!("{what}: numpy.uint16 or numpy.uint32 is needed, not {found}");
            return Err(PyTypeError::new_err(message));
        }
        Self::codes(what, any)
    }

    /// An array of `uint32` that are no floats.
    pub(crate) fn codes(what: &str, any: &Bound<'py, PyAny>) -> PyResult<Self> {
        let (array, pins) = exactly::<u32>(what, any)?;
        Ok(Self::new(&array, pins, Held::Codes(read(what, &array)?)))
    }

    fn new<T: Element>(array: &Bound<'py, PyArrayDyn<T>>, pins: Pins<'py>, held: Held<'py>) -> Self {
        Array {
            data: array.data().cast_const().cast(),
            item: size_of::<T>(),
            shape: array.shape().to_vec(),
            strides: array.strides().to_vec(),
            _held: held,
            _pins: pins,
        }
    }

    /// The addresses from its first byte to behind its last one: nothing, if it has no elements.
    pub(crate) fn hull(&self) -> Hull {
        if self.shape.contains(&0) {
            return 0..0;
        }
        // (Wider than addresses, since strides are what the caller says.)
        let (mut first, mut last) = (0i128, self.item as i128);
        for (&length, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (length as i128 - 1) * stride as i128;
            if reach < 0 { first += reach } else { last += reach }
        }
        let data = self.data.addr() as i128;
        data + first..data + last
    }

    /// The length of each axis.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Rows of the last axis, one for each place of the first, at `place` of those in between: their memory, from the first
    /// to the last, and the bytes from one to the next.
    pub(crate) fn stream(&self, what: &str, place: usize) -> PyResult<(&[u8], usize)> {
        let (&[count, ref between @ .., width], &[stride, ref steps @ .., last]) =
            (&self.shape[..], &self.strides[..])
        else {
            return Err(error(format_args!("{what}: there is no axis of components")));
        };
        if self.shape.contains(&0) {
            return Ok((&[], 0));
        }
        if width > 1 && last != self.item.cast_signed() {
            return Err(error(format_args!(
                "{what}: the components of a vertex are not side by side; numpy.ascontiguousarray makes them so"
            )));
        }
        // The stride of an axis with one place means nothing, and numpy leaves there what was.
        let stride = if count == 1 { 0 } else { stride };
        let step = match between {
            [] | [1] => 0,
            _ => steps.first().copied().unwrap_or(0),
        };
        let (Ok(stride), Ok(step)) = (usize::try_from(stride), usize::try_from(step)) else {
            return Err(error(format_args!(
                "{what}: the array runs backwards; numpy.ascontiguousarray turns it round"
            )));
        };
        debug_assert!(place < between.first().copied().unwrap_or(1) && between.len() <= 1);
        let bytes = (count - 1).checked_mul(stride).and_then(|bytes| bytes.checked_add(width * self.item));
        let bytes = bytes.ok_or_else(|| error(format_args!("{what}: the array is too large for memory")))?;
        // SAFETY: the first byte is that of the element (0, place, 0), the last one that of (count - 1, place, width - 1),
        // which are elements of the view, and so what is between them is its memory; it lives, and stays where it is, as long as it
        // is held and pinned.
        // Only who breaks the rule in the module's description writes it meanwhile.
        Ok((unsafe { std::slice::from_raw_parts(self.data.add(place * step), bytes) }, stride))
    }

    /// The bytes of an element.
    pub(crate) fn item(&self) -> usize {
        self.item
    }

    /// All of a contiguous array.
    pub(crate) fn all(&self) -> PyResult<&[u8]> {
        if self.shape.contains(&0) {
            return Ok(&[]);
        }
        let mut bytes = self.item;
        for (&length, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if length > 1 && stride != bytes.cast_signed() {
                return Err(error("the array is not contiguous: numpy.ascontiguousarray makes it so"));
            }
            bytes *= length;
        }
        // SAFETY: the elements follow each other, and the view holds that many; they stay as long as it is held and pinned.
        Ok(unsafe { std::slice::from_raw_parts(self.data, bytes) })
    }

    /// The rows of an array of float4, of which `whose` has so many at most.
    pub(crate) fn rows(&self, what: &str, whose: &str, most: usize) -> PyResult<Vec<Row>> {
        let &[count, 4] = self.shape() else {
            return Err(error(format_args!("{what}: the shape must be (rows, 4), not {:?}", self.shape())));
        };
        // Before they are copied: an array may have more rows than there is memory.
        if count > most {
            return Err(error(format_args!("{what}: {count} rows, {whose} has {most}")));
        }
        let (bytes, stride) = self.stream(what, 0)?;
        Ok((0..count).map(|row| words(&bytes[row * stride..])).collect())
    }
}

/// Four words.
fn words(bytes: &[u8]) -> Row {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|word| u32::from_ne_bytes(words[word]))
}

/// An array that is written.
pub(crate) struct Memory<'py> {
    array: PyReadwriteArrayDyn<'py, f32>,
    _pins: Pins<'py>,
}

impl<'py> Memory<'py> {
    /// An array of words of this shape, contiguous.
    pub(crate) fn of(what: &str, any: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Self> {
        let (array, pins) = typed(what, any)?;
        if array.shape() != shape {
            let found = array.shape();
            return Err(error(format_args!("{what}: the shape must be {shape:?}, not {found:?}")));
        }
        if !array.is_c_contiguous() {
            return Err(error(format_args!("{what}: the array is not contiguous")));
        }
        let held = array.try_readwrite().map_err(|reason| match reason {
            BorrowError::NotWriteable => error(format_args!("{what}: the array is read-only")),
            _ => error(format_args!(
                "{what}: the array overlaps another one of the call, or another call uses it"
            )),
        })?;
        Ok(Memory { array: held, _pins: pins })
    }

    /// Its addresses.
    pub(crate) fn hull(&self) -> Hull {
        let data = self.array.data().addr() as i128;
        data..data + (self.array.len() * size_of::<f32>()) as i128
    }

    /// Refuses memory that other arrays of the call have too. rust-numpy knows arrays by the object that their memory belongs to, and one
    /// piece of memory may belong to several: arrays over one `bytearray`, or from a capsule of DLPack.
    pub(crate) fn apart_from(&self, what: &str, others: impl IntoIterator<Item = Hull>) -> PyResult<()> {
        let own = self.hull();
        let overlaps = |other: Hull| {
            !other.is_empty() && !own.is_empty() && other.start < own.end && own.start < other.end
        };
        match others.into_iter().any(overlaps) {
            true => Err(error(format_args!("{what}: the array overlaps another one of the call"))),
            false => Ok(()),
        }
    }

    /// Its bytes.
    pub(crate) fn bytes_mut(&mut self) -> PyResult<&mut [u8]> {
        let bytes = self.array.len() * size_of::<f32>();
        if bytes == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the view is contiguous, its memory is pinned, and nobody else has borrowed it. Bytes need no alignment.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.array.data().cast(), bytes) })
    }
}

/// A new array of words, which is to be filled.
pub(crate) fn empty<'py>(py: Python<'py>, shape: &[usize]) -> PyResult<(Bound<'py, PyAny>, Memory<'py>)> {
    // numpy's own function, since it is an exception if there is not so much memory. Of sizes beyond addresses it says something else.
    let bytes = shape.iter().try_fold(size_of::<f32>(), |bytes, &length| bytes.checked_mul(length));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) && !shape.contains(&0) {
        return Err(PyMemoryError::new_err(format!(
            "there is no memory for an array of the shape {shape:?}"
        )));
    }
    let array = py.import("numpy")?.call_method1("empty", (shape.to_vec(), "float32"))?;
    let memory = Memory::of("the result", &array, shape)?;
    Ok((array, memory))
}

/// Rows as an array of their own.
pub(crate) fn rows<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyAny>> {
    let (array, mut memory) = empty(py, &[rows.len(), 4])?;
    put(memory.bytes_mut()?, rows);
    drop(memory);
    Ok(array)
}

/// Rows as an array that cannot be written, since writing would change nothing.
pub(crate) fn frozen<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyAny>> {
    let array = self::rows(py, rows)?;
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// Room for so many elements. Python tells its users of a lack of memory; a collection that grows would end the process.
fn room<T>(count: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    let none =
        |_| PyMemoryError::new_err(format!("there is no memory for {count} times {} bytes", size_of::<T>()));
    room.try_reserve_exact(count).map_err(none)?;
    Ok(room)
}

/// All of an iterator, which knows how many there are.
pub(crate) fn collected<T>(items: impl ExactSizeIterator<Item = T>) -> PyResult<Vec<T>> {
    let mut collected = room(items.len())?;
    collected.extend(items);
    Ok(collected)
}

/// Zeros.
pub(crate) fn zeros(count: usize) -> PyResult<Vec<u8>> {
    let mut zeros = room(count)?;
    zeros.resize(count, 0);
    Ok(zeros)
}

/// The words of an array of `float32` or `uint32`, in its order, which has at most so many. Nothing, if it is another thing.
pub(crate) fn bits(what: &str, any: &Bound<'_, PyAny>, most: usize) -> PyResult<Option<Vec<u32>>> {
    let py = any.py();
    // A number of numpy's own counts as an array of one.
    if !any.hasattr("dtype")? {
        return Ok(None);
    }
    let array = py.import("numpy")?.call_method1("asarray", (any,))?;
    let found = untyped(what, &array)?.dtype();
    if !found.is_equiv_to(&dtype::<u32>(py)) && !found.is_equiv_to(&dtype::<f32>(py)) {
        return Ok(None);
    }
    if untyped(what, &array)?.len() > most {
        return Err(error(format_args!("{what}: there are more than {most}")));
    }
    let array = Array::words(what, &array.call_method1("ravel", ())?)?;
    Ok(Some(array.all()?.as_chunks().0.iter().map(|&word| u32::from_ne_bytes(word)).collect()))
}

/// Rows as bytes.
pub(crate) fn put(bytes: &mut [u8], rows: &[Row]) {
    for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(rows.as_flattened()) {
        *bytes = word.to_ne_bytes();
    }
}

/// Bytes as rows.
pub(crate) fn get(bytes: &[u8]) -> Vec<Row> {
    bytes.as_chunks::<16>().0.iter().map(|row| words(row)).collect()
}

/// Rows of these registers side by side, vertex after vertex.
pub(crate) fn interleaved<'a>(bytes: &'a mut [u8], registers: &[u8]) -> Outputs<'a> {
    let stride = 16 * registers.len();
    let mut places = [None; OUTPUTS];
    for (at, &register) in registers.iter().enumerate() {
        places[usize::from(register)] = Some(Place { offset: 16 * at, stride });
    }
    Outputs::new(bytes, Layout::Rows, places)
}
