//! What generated code assumes of memory is how memory is laid out.

use memoffset::offset_of;
use xfjit::runtime::abi::LANES;
use xfjit::runtime::batch::{BLOCK, Staging};
use xfjit::runtime::state::{
    ATTRIBUTES, Context, Io, MAX_ROWS, OUTPUTS, Row, SCRATCH, Scratch, Stream, ZERO_ROW,
};

#[test]
fn constants_lie_where_generated_code_reads_them() {
    let context = Context::new(192);
    let start = &raw const context as usize;
    for row in [0, 1, 191] {
        let at = context.rows()[row].as_ptr() as usize - start;
        assert_eq!(at, Context::row_offset(row) as usize);
    }
    assert_eq!(Context::row_offset(3), 3 * size_of::<Row>() as i32);
    assert!(Context::row_offset(ZERO_ROW) as usize + 16 <= size_of::<Context>());
    assert_eq!(ZERO_ROW, MAX_ROWS);
    assert_eq!(align_of::<Context>(), 64);
}

#[test]
fn the_row_behind_the_last_constant_stays_zero() {
    let mut context = Context::new(MAX_ROWS);
    context.rows_mut().fill([!0; 4]);
    context.set_row(ZERO_ROW, [!0; 4]);
    assert_eq!(context.row(ZERO_ROW), [0; 4]);
    assert_eq!(context.row(usize::MAX), [0; 4]);
    let mut context = Context::new(192);
    context.set_row(192, [!0; 4]);
    assert_eq!(context, Context::new(192));
}

#[test]
fn streams_lie_where_generated_code_reads_them() {
    assert_eq!(offset_of!(Stream, base), 0);
    assert_eq!(offset_of!(Stream, stride), size_of::<usize>());
    for register in 0..ATTRIBUTES {
        assert_eq!(Io::input(register), offset_of!(Io, input) + register * size_of::<Stream>());
    }
    for register in 0..OUTPUTS {
        assert_eq!(Io::output(register), offset_of!(Io, output) + register * size_of::<Stream>());
    }
    assert!(offset_of!(Io, scratch) >= Io::output(OUTPUTS));
}

#[test]
fn uniform_values_lie_where_generated_code_keeps_them() {
    for slot in [0, 1, SCRATCH - 1] {
        assert_eq!(Scratch::offset(slot) as usize, offset_of!(Scratch, uniform) + slot * 4 * LANES);
    }
    assert!(Scratch::offset(SCRATCH) as usize <= size_of::<Scratch>());
    let scratch = Scratch::new();
    assert_eq!(&raw const *scratch as usize % 64, 0);
}

#[test]
fn staged_vertices_are_aligned_groups() {
    assert_eq!(BLOCK % LANES, 0);
    assert_eq!(align_of::<Staging>(), 64);
    assert_eq!(offset_of!(Staging, input), 0);
    assert_eq!(offset_of!(Staging, output), ATTRIBUTES * BLOCK * size_of::<Row>());
}
