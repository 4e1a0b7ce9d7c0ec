//! What generated code assumes of memory is how memory is laid out.

use xfjit::runtime::abi::MOST_LANES;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit::runtime::bound::{Bound, Call, Needs, NumberedCall, Streams};
use xfjit::runtime::format::{ByteOrder, Format, InputLayout};
use xfjit::runtime::staging::{BLOCK, Staging};
use xfjit::runtime::state::{Context, Io, MAX_ROWS, Row, SCRATCH, Scratch};

/// Vertices of three words.
const THREE: Format = Format::words(3, ByteOrder::Host);

#[test]
fn rows_that_a_generation_lacks_read_zero_and_stay_so() {
    let mut context = Context::new(192);
    context.set_row(192, [!0; 4]);
    assert_eq!(context, Context::new(192));
    context.rows_mut().fill([!0; 4]);
    assert_eq!([191, 192, MAX_ROWS, usize::MAX].map(|row| context.row(row)[0]), [!0, 0, 0, 0]);
    let constants = context.constants();
    assert_eq!([191, 192, MAX_ROWS, usize::MAX].map(|row| constants.row(row)[0]), [!0, 0, 0, 0]);
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
fn staged_vertices_are_those_of_the_streams() {
    let rows: Vec<Row> = (0..100).map(|vertex| [1, 2, 3, 4].map(|c| 16 * vertex + c)).collect();
    let inputs = Inputs::new(100).with(3, Attribute::rows(&rows));
    let mut staging = Staging::new();
    assert_eq!(staging.input.as_ptr() as usize % 64, 0);
    let call = Call {
        live_inputs: 1 << 3,
        input_layout: InputLayout::ROWS,
        live_outputs: 0,
        layout: Layout::Rows,
        lanes: 4,
        fewest: 1,
    };
    for count in [0, 1, 4, 5, BLOCK - 1, BLOCK] {
        staging.input[3].0.fill([!0; 4]);
        staging.load(&inputs, &call, 30, count);
        for (i, row) in staging.input[3].0.iter().enumerate() {
            let want = if i < count { rows[30 + i] } else { [!0; 4] };
            assert_eq!(*row, want, "vertex {i} of {count}");
        }
    }
}

/// What is staged has places in the batch, whatever their strides; all others stay as they are.
#[test]
fn staged_outputs_go_where_the_batch_has_them() {
    let needs = Needs {
        inputs: 0,
        input_layout: InputLayout::ROWS,
        outputs: 0b11,
        written: u128::MAX,
        layout: Layout::Rows,
        rows: 192,
        writes_constants: false,
    };
    for count in [1, 2, 3, 4, 5, 9] {
        let inputs = Inputs::new(count + 7);
        let mut words = vec![!0u32; 400];
        let mut area = Staging::new();
        for (register, rows) in area.output.iter_mut().enumerate() {
            rows.0.iter_mut().enumerate().for_each(|(i, row)| *row = [1000 * register as u32 + i as u32; 4]);
        }
        let outputs = Outputs::interleaved(&mut words, &[0, 1]);
        let bound = Bound::new(&needs, &inputs, &outputs).unwrap();
        // All vertices but the first; the others stay as they are.
        area.store(&bound, 0b11, 7, 1..count);
        for (vertex, words) in words.chunks_exact(8).enumerate() {
            let want = match vertex.checked_sub(7) {
                Some(i) if (1..count).contains(&i) => [i as u32, 1000 + i as u32],
                _ => [!0; 2],
            };
            assert_eq!(words, [[want[0]; 4], [want[1]; 4]].as_flattened(), "vertex {vertex} of {count}");
        }
    }
}

/// Lanes of a short call share its vertices, each of which has one, and guards are told of vertices.
#[test]
fn lanes_share_the_vertices_that_are_there() {
    let mut io = Io::new();
    for vertices in 1..=9 {
        io.share(vertices);
        let lanes = [0, io.near, io.far, io.near + io.far];
        let there = vertices.min(4);
        assert!(lanes.iter().all(|&vertex| vertex < there), "{vertices}: {lanes:?}");
        assert!((0..there).all(|vertex| lanes.contains(&vertex)), "{vertices}: {lanes:?}");
    }
}

#[test]
fn streams_hold_the_vertices_of_the_batch() {
    let rows = vec![[0; 4]; 100];
    let inputs = Inputs::new(100).with(3, Attribute::rows(&rows));
    let (mut scratch, mut staging) = (Scratch::new(), Staging::new());
    let needs = Needs {
        inputs: 8,
        input_layout: InputLayout::ROWS,
        outputs: 1,
        written: u128::MAX,
        layout: Layout::Rows,
        rows: 192,
        writes_constants: false,
    };
    for lanes in [1, 4, 8, MOST_LANES] {
        let mut words = vec![0; 400];
        let outputs = Outputs::interleaved(&mut words, &[0]);
        let mut bound = Bound::new(&needs, &inputs, &outputs).unwrap();
        let call = Call {
            live_inputs: 8,
            input_layout: needs.input_layout,
            live_outputs: 1,
            layout: Layout::Rows,
            lanes,
            fewest: lanes,
        };
        let serving = NumberedCall::new(call);
        // The first time it is looked at, and then known.
        for _ in 0..2 {
            assert_eq!(bound.streams(&mut scratch, &serving).unwrap().count(), 100);
        }
        for other in [
            Call { live_inputs: 9, ..call },
            Call { live_outputs: 3, ..call },
            Call { layout: Layout::Planes, ..call },
            Call { input_layout: InputLayout::ROWS.with(3, THREE), ..call },
        ] {
            assert!(bound.streams(&mut scratch, &NumberedCall::new(other)).is_none(), "{other:?}");
        }
        assert_eq!(Streams::staged(&mut scratch, &mut staging, &serving).count(), BLOCK);
    }
}

#[test]
fn what_lies_in_memory_as_the_layout_says_is_not_copied() {
    let is_in_place = |input_layout: InputLayout, components: u8, swapped: bool| {
        let attribute = Attribute::Stream { data: &[0; 64], stride: 12, components };
        let inputs = Inputs::new(4).with(3, attribute);
        let inputs = if swapped { inputs.swapped(3) } else { inputs };
        let layout = Layout::Rows;
        let needs = Needs {
            inputs: 8,
            input_layout,
            outputs: 0,
            written: 0,
            layout,
            rows: 0,
            writes_constants: false,
        };
        let outputs = Outputs::interleaved(&mut [], &[]);
        Bound::new(&needs, &inputs, &outputs).ok().map(|bound| bound.is_in_place(8, 0))
    };
    for (order, swapped) in [(ByteOrder::Host, false), (ByteOrder::Swapped, true)] {
        for components in 1..=4 {
            let layout = InputLayout::ROWS.with(3, Format::words(components, order));
            for got in 1..=4 {
                let want = (got <= components).then_some(got == components);
                assert_eq!(is_in_place(layout, got, swapped), want, "{got} for {layout:?}");
                assert_eq!(is_in_place(layout, got, !swapped), want.map(|_| false), "{got} for {layout:?}");
            }
        }
    }
}
