//! The files between the test and the C host: little-endian words of 64 bits, and blocks of bytes.
//!
//! ```text
//! cases    lookup tables, number of cases, cases
//! case     bytes of code, truncate?, serial?, vertices, most of a call, constant rows, inputs, index lists, outputs, bytes of output
//!          the code, the constant rows
//!          each input: register, stride, bytes, the bytes
//!          each index list: number, bytes, the bytes
//!          each output: register, offset, stride
//! results  of each case: number of groups left undone, first vertex of each and the one behind it, the output bytes, the constant
//!          rows
//! ```

use std::fmt::Write as _;
use std::ops::Range;
use xfjit::runtime::abi::ALL_GUARDED;
use xfjit::runtime::batch::Place;
use xfjit::runtime::fpenv::{FpEnv, aarch64};
use xfjit::runtime::indices::SHARED;
use xfjit::runtime::lookup::{Lookup, Table};
use xfjit::runtime::state::{ATTRIBUTES, Io, MAX_ROWS, Row, Scratch, Stream, row_offset};
use xfjit_native::cranelift::clif::LANES;

/// The C header with the layout of what generated code sees.
pub(crate) fn layout_header() -> String {
    let mut text = String::from(
        "/* Printed by tests/aarch64: the layout of xfjit_runtime::state, and the values of its fpenv. */\n",
    );
    let values = [
        ("CONTEXT_SIZE", (MAX_ROWS + 1) * size_of::<Row>()),
        ("CONTEXT_ROWS", row_offset(0) as usize),
        ("ROW_SIZE", size_of::<Row>()),
        ("IO_SIZE", size_of::<Io>()),
        ("IO_INPUT", Io::input(0)),
        ("IO_INPUTS", ATTRIBUTES),
        ("IO_OUTPUT", Io::output(0)),
        ("IO_INDEX", Io::index(0)),
        ("IO_NEAR", Io::NEAR),
        ("IO_FAR", Io::FAR),
        ("LANES", LANES),
        ("IO_LISTS", SHARED + 1),
        ("IO_SCRATCH", Io::SCRATCH),
        ("IO_LOOKUP", Io::LOOKUP),
        ("STREAM_SIZE", size_of::<Stream>()),
        ("STREAM_BASE", Stream::BASE),
        ("STREAM_STRIDE", Stream::STRIDE),
        ("SCRATCH_SIZE", size_of::<Scratch>()),
        ("LOOKUP_SIZE", size_of::<Lookup>()),
    ];
    for (name, value) in values {
        writeln!(text, "#define {name} {value}").expect("a String takes everything");
    }
    for (name, env) in [("FPCR_DEFAULT", FpEnv::Default), ("FPCR_TRUNCATE", FpEnv::Truncate)] {
        writeln!(text, "#define {name} UINT64_C({})", aarch64::fpcr(env)).expect("a String takes everything");
    }
    writeln!(text, "#define ALL_GUARDED UINT64_C({ALL_GUARDED})").expect("a String takes everything");
    text
}

/// One program with its data, as the host takes it.
pub(crate) struct Job<'a> {
    pub(crate) code: Vec<u8>,
    /// Whether it runs under truncation and flushing.
    pub(crate) truncate: bool,
    /// Whether it ends at the first guard: what follows depends on what the interpreter would have done.
    pub(crate) serial: bool,
    pub(crate) vertices: usize,
    /// So many of them are run by a call, if not fewer.
    pub(crate) most: usize,
    pub(crate) rows: &'a [Row],
    /// Register, stride, data.
    pub(crate) inputs: Vec<(usize, usize, Vec<u8>)>,
    /// Number and data.
    pub(crate) lists: Vec<(usize, Vec<u8>)>,
    /// Register and place.
    pub(crate) outputs: Vec<(usize, Place)>,
    pub(crate) output_bytes: usize,
}

/// What a program has left behind.
#[derive(Debug)]
pub(crate) struct Result {
    /// The vertices of groups that have been left undone.
    pub(crate) undone: Vec<Range<usize>>,
    pub(crate) output: Vec<u8>,
    pub(crate) rows: Vec<Row>,
}

/// The cases file.
pub(crate) fn write(jobs: &[Job<'_>]) -> Vec<u8> {
    let mut file = lookup_tables();
    put(&mut file, jobs.len());
    for job in jobs {
        let head = [
            job.code.len(),
            usize::from(job.truncate),
            usize::from(job.serial),
            job.vertices,
            job.most,
            job.rows.len(),
            job.inputs.len(),
            job.lists.len(),
            job.outputs.len(),
            job.output_bytes,
        ];
        head.into_iter().for_each(|word| put(&mut file, word));
        file.extend_from_slice(&job.code);
        file.extend(job.rows.iter().flatten().flat_map(|word| word.to_le_bytes()));
        for (register, stride, data) in &job.inputs {
            [*register, *stride, data.len()].into_iter().for_each(|word| put(&mut file, word));
            file.extend_from_slice(data);
        }
        for (list, data) in &job.lists {
            [*list, data.len()].into_iter().for_each(|word| put(&mut file, word));
            file.extend_from_slice(data);
        }
        for (register, place) in &job.outputs {
            [*register, place.offset, place.stride].into_iter().for_each(|word| put(&mut file, word));
        }
    }
    file
}

fn put(file: &mut Vec<u8>, word: usize) {
    file.extend_from_slice(&(word as u64).to_le_bytes());
}

fn lookup_tables() -> Vec<u8> {
    let mut bytes = vec![0; size_of::<Lookup>()];
    for table in Table::ALL {
        let rows = table.rows().iter().flatten().flat_map(|word| word.to_le_bytes());
        bytes[table.offset() as usize..].iter_mut().zip(rows).for_each(|(byte, value)| *byte = value);
    }
    bytes
}

/// Reads the results file.
pub(crate) fn read(mut file: &[u8], jobs: &[Job<'_>]) -> Vec<Result> {
    let results = jobs.iter().map(|job| {
        let groups = word(take(&mut file, 8));
        let undone = take(&mut file, 16 * groups as usize).chunks_exact(16);
        let undone = undone.map(|ends| word(&ends[..8]) as usize..word(&ends[8..]) as usize).collect();
        let output = take(&mut file, job.output_bytes).to_vec();
        let (words, _) = take(&mut file, size_of_val(job.rows)).as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        Result { undone, output, rows: words.as_chunks().0.to_vec() }
    });
    let results = results.collect();
    assert!(file.is_empty(), "{} bytes too many in the results", file.len());
    results
}

fn take<'a>(file: &mut &'a [u8], bytes: usize) -> &'a [u8] {
    file.split_off(..bytes).expect("the results end too early")
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}
