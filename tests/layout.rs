//! What generated code assumes of memory is how memory is laid out.

use xfjit::runtime::abi::MOST_LANES;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit::runtime::bound::{Bound, Call, Needs, Streams};
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
fn staged_vertices_are_padded_to_whole_groups_with_the_last_one() {
    let rows: Vec<Row> = (0..100).map(|vertex| [1, 2, 3, 4].map(|c| 16 * vertex + c)).collect();
    let inputs = Inputs::new(100).with(3, Attribute::rows(&rows));
    let mut staging = Staging::new();
    assert_eq!(&raw const *staging as usize % 64, 0);
    for lanes in [1, 2, 4, 8, MOST_LANES] {
        for count in [1, lanes, lanes + 1, BLOCK - 1, BLOCK].map(|count| count.min(BLOCK)) {
            staging.input[3].fill([!0; 4]);
            let call = Call {
                live_inputs: 1 << 3,
                input_layout: InputLayout::ROWS,
                live_outputs: 0,
                layout: Layout::Rows,
                lanes,
                has_tails: false,
            };
            staging.load(&inputs, &call, 30, count);
            let padded = count.next_multiple_of(lanes);
            for (i, row) in staging.input[3].iter().enumerate() {
                let want = if i < padded { rows[30 + i.min(count - 1)] } else { [!0; 4] };
                assert_eq!(*row, want, "vertex {i} of {count} in groups of {lanes}");
            }
        }
    }
}

/// What is copied of a batch that has been bound is what is copied of its streams, whatever their strides and addresses.
#[test]
fn bound_vertices_are_staged_as_those_of_streams() {
    let bytes: Vec<u8> = (0..4000).map(|at| (at * 7 + at / 256) as u8).collect();
    let needs = Needs {
        inputs: 0b1111,
        input_layout: InputLayout::ROWS,
        outputs: 0b11,
        written: u128::MAX,
        layout: Layout::Rows,
        rows: 192,
        writes_constants: false,
    };
    for (count, lanes) in [(1, 4), (2, 4), (3, 4), (4, 4), (5, 4), (9, 4), (3, 8), (9, 16)] {
        let stream = |at: usize, stride| Attribute::Stream { data: &bytes[at..], stride, components: 4 };
        let inputs = Inputs::new(count + 7)
            .with(0, stream(0, 16))
            .with(1, stream(1, 48))
            .with(2, stream(5, 0))
            .with(3, Attribute::Constant([9, 8, 7, 6]));
        let mut words = vec![!0u32; 400];
        let (mut bound_area, mut stream_area) = (Staging::new(), Staging::new());
        for (register, rows) in bound_area.output.iter_mut().enumerate() {
            rows.iter_mut().enumerate().for_each(|(i, row)| *row = [1000 * register as u32 + i as u32; 4]);
        }
        let call = Call {
            live_inputs: 0b1111,
            input_layout: InputLayout::ROWS,
            live_outputs: 0b11,
            layout: Layout::Rows,
            lanes,
            has_tails: false,
        };
        let outputs = Outputs::interleaved(&mut words, &[0, 1]);
        let bound = Bound::new(&needs, &inputs, &outputs).unwrap();
        for position in [0, 7] {
            bound_area.load_bound(&bound, &call, position, count);
            stream_area.load(&inputs, &call, position, count);
            for (register, (got, want)) in bound_area.input.iter().zip(&stream_area.input).enumerate() {
                let padded = count.next_multiple_of(lanes);
                assert_eq!(got[..padded], want[..padded], "v{register}, {count} from {position}");
            }
        }
        // All vertices but the first; the others stay as they are.
        bound_area.store(&bound, 0b11, 7, 1..count);
        for (vertex, words) in words.chunks_exact(8).enumerate() {
            let want = match vertex.checked_sub(7) {
                Some(i) if (1..count).contains(&i) => [i as u32, 1000 + i as u32],
                _ => [!0; 2],
            };
            assert_eq!(words, [[want[0]; 4], [want[1]; 4]].as_flattened(), "vertex {vertex} of {count}");
        }
    }
}

#[test]
fn streams_hold_the_vertices_of_the_batch() {
    let rows = vec![[0; 4]; 100];
    let inputs = Inputs::new(100).with(3, Attribute::rows(&rows));
    let (mut io, mut scratch, mut staging) = (Io::new(), Scratch::new(), Staging::new());
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
            has_tails: false,
        };
        assert_eq!(bound.streams(&mut scratch, &call).unwrap().count(), 100);
        for other in [
            Call { live_inputs: 9, ..call },
            Call { live_outputs: 3, ..call },
            Call { layout: Layout::Planes, ..call },
            Call { input_layout: InputLayout::ROWS.with(3, THREE), ..call },
        ] {
            assert!(bound.streams(&mut scratch, &other).is_none(), "{other:?}");
            assert!(bound.single(&mut io, &mut scratch, 0, &other).is_none(), "{other:?}");
            assert!(bound.behind(&mut io, &mut scratch, 0, &other).is_none(), "{other:?}");
        }
        assert!(bound.single(&mut io, &mut scratch, 99, &call).is_some());
        assert!(bound.single(&mut io, &mut scratch, 100, &call).is_none());
        for position in [0, 1, 99, 100, usize::MAX] {
            let streams = bound.behind(&mut io, &mut scratch, position, &call);
            let there = 100_usize.checked_sub(position).filter(|&count| count > 0);
            assert_eq!(streams.map(|streams| streams.count()), there);
        }
        assert_eq!(Streams::staged(&mut scratch, &mut staging, &call).count(), BLOCK);
        let mut one = [0; 4];
        let inputs = Inputs::new(1).with(3, Attribute::rows(&rows[..1]));
        let outputs = Outputs::interleaved(&mut one, &[0]);
        let mut bound = Bound::new(&needs, &inputs, &outputs).unwrap();
        assert_eq!(bound.streams(&mut scratch, &call).unwrap().count(), lanes, "all lanes are the vertex");
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
