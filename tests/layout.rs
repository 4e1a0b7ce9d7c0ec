//! What generated code assumes of memory is how memory is laid out.

use xfjit::runtime::abi::MOST_LANES;
use xfjit::runtime::batch::{Attribute, BLOCK, Inputs, Layout, Outputs, Staging};
use xfjit::runtime::bound::Bound;
use xfjit::runtime::state::{Context, Io, MAX_ROWS, Row, SCRATCH, Scratch, ZERO_ROW};

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
fn uniform_values_of_any_width_fill_the_scratch_memory_and_no_more() {
    let scratch = Scratch::new();
    assert_eq!(&raw const *scratch as usize % 64, 0);
    for lanes in [1, 2, 4, 8, MOST_LANES] {
        let ends = (0..SCRATCH).map(|slot| Scratch::offset(slot, lanes) as usize + 4 * lanes);
        let starts = (1..=SCRATCH).map(|slot| Scratch::offset(slot, lanes) as usize);
        assert!(ends.eq(starts), "vectors of {lanes} lanes lie one behind the other");
        assert!(Scratch::offset(SCRATCH, lanes) as usize <= size_of_val(&*scratch));
    }
}

#[test]
fn staged_vertices_are_padded_to_whole_groups_with_the_last_one() {
    let rows: Vec<Row> = (0..100).map(|vertex| [1, 2, 3, 4].map(|c| 16 * vertex + c)).collect();
    let inputs = Inputs::new(100).with(3, Attribute::rows(&rows));
    let mut staging = Staging::new();
    assert_eq!(&raw const *staging as usize % 64, 0);
    for lanes in [1, 2, 4, 8, MOST_LANES] {
        for count in [1, lanes, lanes + 1, BLOCK - 1, BLOCK].map(|count| count.min(BLOCK)) {
            staging.input[3].fill([!0; 4]);
            staging.load(&inputs, 1 << 3, 30, count, lanes);
            let padded = count.next_multiple_of(lanes);
            for (i, row) in staging.input[3].iter().enumerate() {
                let want = if i < padded { rows[30 + i.min(count - 1)] } else { [!0; 4] };
                assert_eq!(*row, want, "vertex {i} of {count} in groups of {lanes}");
            }
        }
    }
}

#[test]
fn groups_are_as_wide_as_the_code() {
    let rows = vec![[0; 4]; 100];
    let inputs = Inputs::new(100).with(3, Attribute::rows(&rows));
    let (mut io, mut scratch, mut staging) = (Io::new(), Scratch::new(), Staging::new());
    for lanes in [1, 4, 8, MOST_LANES] {
        let mut words = vec![0; 400];
        let mut outputs = Outputs::interleaved(&mut words, &[0]);
        let bound = Bound::direct(&mut io, &mut scratch, &inputs, &mut outputs, 8, 1, lanes).unwrap();
        assert_eq!(bound.groups(), 100 / lanes, "groups that are whole");
        assert!(bound.serves(8, 1, Layout::Rows, lanes));
        assert!(!bound.serves(8, 1, Layout::Rows, 2 * lanes), "the last group would lie behind the streams");
        let bound = Bound::staged(&mut io, &mut scratch, &mut staging, 8, 1, Layout::Rows, lanes);
        assert_eq!(bound.groups(), BLOCK / lanes);
    }
}
