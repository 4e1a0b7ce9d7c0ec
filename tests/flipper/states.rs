//! The unit's state: however commands come, saved, recorded, and in the hands of a stream that means harm.

use xfjit::chip::flipper::opcode::Primitive;
use xfjit::flipper::trace::Item;
use xfjit::flipper::{Budget, Draw, Memory, Processor, Quirks, Ram, Registers, Sink, Trace};
use xfjit_testing::Choices;
use xfjit_testing::flipper_streams::{Stream, random_memory, random_stream};
use xfjit_testing::flipper_unit::{Out, Reference, interpreting_unit, run, unit, vertices};

/// A stream comes whole, in pieces, with little budget, and as blocks of the ring.
#[test]
fn how_commands_come_does_not_matter() {
    let mut c = Choices::seed(23);
    let mut memory = random_memory(&mut c);
    let stream = random_stream(&mut c, 80, 0x800);
    // The ring lies behind, and holds already what will be stored there: indices may reach it.
    let (base, top) = (0x1000, 0x1000 + stream.0.len().next_multiple_of(32) as u32);
    memory.resize(base as usize, 0);
    memory.extend(&stream.0);
    memory.resize(top as usize + 64, 0);
    let want = run(&mut unit(Quirks::default()), &stream.0, &memory);
    assert!(vertices(&want) > 40, "{}", vertices(&want));
    let mut pieces = unit(Quirks::default());
    let (mut got, mut used, mut end) = (Vec::<Out>::new(), 0, 0);
    while used < stream.0.len() {
        end = (end + 1 + c.below(70) as usize).min(stream.0.len());
        used +=
            pieces.run(&stream.0[used..end], &memory, Budget(u64::from(c.below(40))), |o| got.push(o.into()));
    }
    assert_eq!(got, want);
    let mut ring = unit(Quirks::default());
    ring.fifo.write_gather_address(0x0c00_8000);
    [(0x0c, base), (0x10, top), (0x14, base)].iter().for_each(|&(at, value)| ring.fifo.write_pi(at, value));
    for (at, value) in [(0x20, base), (0x24, top), (0x34, base), (0x38, base), (0x02, 0x11)] {
        ring.fifo.write_cp(at, value as u16);
        if at != 2 {
            ring.fifo.write_cp(at + 2, (value >> 16) as u16);
        }
    }
    let mut got: Vec<Out> = Vec::new();
    for &byte in stream.0.iter().chain(&[0; 32]) {
        ring.fifo.store(byte.into(), 1, &mut memory);
        if c.below(50) == 0 {
            ring.run_fifo(&memory, Budget(u64::from(c.below(200))), |output| got.push(output.into()));
        }
    }
    ring.run_fifo(&memory, Budget::NONE, |output| got.push(output.into()));
    assert_eq!(got, want);
}

#[test]
fn states_are_saved_and_restored() {
    let mut c = Choices::seed(24);
    for _ in 0..10 {
        let mut memory = random_memory(&mut c);
        // A list that the budget ends in.
        let list = random_stream(&mut c, 8, 0x800);
        let at = memory.len();
        memory.extend(&list.0);
        memory.resize(memory.len().next_multiple_of(32), 0);
        let mut stream = random_stream(&mut c, 20, 0x800);
        stream.0.push(0x40);
        [at, memory.len() - at].iter().for_each(|&word| stream.0.extend((word as u32).to_be_bytes()));
        stream.0.extend(random_stream(&mut c, 20, 0x800).0);
        let mut first = unit(Quirks::default());
        let used = first.run(&stream.0, &memory, Budget(u64::from(c.below(9000))), |_| ());
        let state = first.save();
        let want = run(&mut first, &stream.0[used..], &memory);
        let mut second = unit(Quirks::default());
        run(&mut second, &random_stream(&mut c, 30, 0x800).0, &memory);
        second.restore(&state).expect("it is one");
        assert_eq!(second.save(), state);
        assert_eq!(run(&mut second, &stream.0[used..], &memory), want);
        for broken in [&state[..state.len() - 1], &state[..40], &state[..3], &[&state[..], &[0]].concat()] {
            let before = second.save();
            assert!(second.restore(broken).is_err());
            assert_eq!(second.save(), before);
        }
    }
}

/// A recording plays in a fresh unit, with a memory that it makes itself, and its text is the same recording.
#[test]
fn recordings_play() {
    let mut c = Choices::seed(25);
    let mut drawn = 0;
    for round in 0..16 {
        let mut memory = random_memory(&mut c);
        let mut recorded = unit(Quirks::default());
        // From any state on.
        run(&mut recorded, &random_stream(&mut c, 30 * (round % 2), 0x800).0, &memory);
        recorded.record();
        let mut want = run(&mut recorded, &random_stream(&mut c, 40, 0xa00).0, &memory);
        // Memory changes between draws, and so does the state.
        memory[0x100..0x300].reverse();
        let state = recorded.save();
        want.extend(run(&mut recorded, &random_stream(&mut c, 20, 0xa00).0, &memory));
        recorded.restore(&state).expect("it is one");
        want.extend(run(&mut recorded, &random_stream(&mut c, 20, 0xa00).0, &memory));
        want.retain(|out| !matches!(out, Out::Call(..) | Out::Unknown(_)));
        let trace = recorded.recorded().expect("it has been recorded");
        assert_eq!(recorded.recorded(), None);
        let text = trace.to_string();
        assert_eq!(Trace::parse(&text).as_ref(), Ok(&trace));
        drawn += vertices(&want);
        let (mut got, mut memory) = (Vec::<Out>::new(), Ram::default());
        let mut fresh = unit(Quirks::default());
        for item in &trace.items {
            fresh.play(item, &mut memory, |output| got.push(output.into())).expect("it is whole");
        }
        assert_eq!(got, want);
        // The state behind it, too, but for what does not belong to draws.
        assert_eq!(fresh.words(), recorded.words());
        assert_eq!(fresh.fifo.processor.registers, recorded.fifo.processor.registers);
    }
    assert!(drawn > 1000, "{drawn}");
}

/// A trace may say what the processor does: stores, a ring of four blocks, and when it is read.
#[test]
fn rings_of_traces_bring_the_same() {
    let mut c = Choices::seed(29);
    let memory = random_memory(&mut c);
    let stream = random_stream(&mut c, 60, 0x800);
    let mut want = run(&mut unit(Quirks::default()), &stream.0, &memory);
    want.retain(|out| !matches!(out, Out::Unknown(_)));
    assert!(vertices(&want) > 20, "{}", vertices(&want));
    // Behind all that indices reach.
    let base = 0x80_0000;
    let mut items = vec![Item::Memory(0, memory), Item::Gather(0x0c00_8000)];
    items.extend([(0x0c, base), (0x10, base + 0x60), (0x14, base)].map(|(at, value)| Item::Pi(at, value)));
    for (at, value) in [(0x20, base), (0x24, base + 0x60), (0x34, base), (0x38, base)] {
        items.extend([Item::Port(at, value as u16), Item::Port(at + 2, (value >> 16) as u16)]);
    }
    items.push(Item::Port(2, 0x11));
    let mut bytes = stream.0;
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    for blocks in bytes.chunks(0x60) {
        let (first, second) = blocks.split_at(c.below(blocks.len() as u32) as usize);
        items.extend([Item::Store(first.to_vec()), Item::Fifo(c.below(90)), Item::Store(second.to_vec())]);
        items.push(Item::Fifo(1 << 24));
    }
    let trace = Trace { items };
    let text = trace.to_string();
    assert_eq!(Trace::parse(&text).as_ref(), Ok(&trace));
    let (mut got, mut memory, mut unit) = (Vec::<Out>::new(), Ram::default(), unit(Quirks::default()));
    for item in &trace.items {
        unit.play(item, &mut memory, |output| got.push(output.into()))
            .expect("there are no draws beside the ring");
    }
    got.retain(|out| !matches!(out, Out::Unknown(_)));
    assert_eq!(got, want);
}

/// Stores to anywhere: what is behind all memory is lost, and none of it grows to there.
#[test]
fn stores_behind_memory_are_lost() {
    let mut unit = unit(Quirks::default());
    let mut memory = Ram::default();
    for address in [Memory::END - 32, Memory::END, 0xffff_ffff, 0x40] {
        for item in [Item::Gather(address), Item::Store(vec![7; 32])] {
            unit.play(&item, &mut memory, |_| ()).expect("it draws nothing");
        }
    }
    let at = |address| memory.memory().read::<4>(address, 4);
    assert_eq!((at(0x40), at(0x60), at(Memory::END - 4)), ([7; 4], [0; 4], [7; 4]));
}

#[track_caller]
fn error(text: &str, want: &str) {
    let errors = Trace::parse(text).expect_err("it is none");
    assert_eq!(errors[0].to_string(), want);
    errors[0].render(text);
}

#[test]
fn errors_of_traces_name_line_and_column() {
    error("", "1:1: the trace is empty");
    error("cp 0 0", "1:1: the chip is missing");
    error("chip nv2a", "1:6: no chip `nv2a` in this trace");
    error("chip flipper\nchip flipper", "2:1: the chip is already named");
    error("chip flipper\nbq 1 2", "2:1: `bq` is not an item");
    error("chip flipper\ncp 0x100 2", "2:4: `0x100` is too large; the number must be below 0x100");
    error("chip flipper\nxf 0x1058 0", "2:4: `0x1058` is too large; the number must be below 0x1058");
    error("chip flipper\nxf 0 5", "2:6: `5` is not a word");
    error("chip flipper\nnormal 0 none 1", "2:10: `none` is not a word");
    error("chip flipper\nmemory 0x7ffffff 0102", "2:18: there is no such memory");
    error("chip flipper\nmemory 0 012", "2:10: `012` is not a list of bytes");
    error("chip flipper\ndraw 0x70 1", "2:6: `0x70` draws nothing");
    error("chip flipper\ncp 0x50 0x200\ndraw 0x90 2 0102", "3:1: the vertices need 4 bytes, but there are 2");
    error("chip flipper\npi 0x08 1", "2:4: there is no register at `0x08`");
    error("chip flipper\nport 0x40 1", "2:6: there is no register at `0x40`");
    error(
        "chip flipper\nport 0x20 0x10000",
        "2:11: `0x10000` is too large; the number must be below 0x10000",
    );
    error(
        "chip flipper\nfifo 0x1000001",
        "2:6: `0x1000001` is too large; the number must be below 0x1000001",
    );
    let behind = "3:1: after `fifo`, vertices come through the ring";
    error("chip flipper\nfifo 1\ndraw 0x90 0", behind);
    let words = "0.5 ".repeat(17);
    error(&format!("chip flipper\nxf 0 {words}"), "2:70: nothing more is expected here");
    let trace =
        Trace::parse("chip flipper # and\ncp 0x50 512\n\nxf 32 1.0 0\ndraw 0x90 2 01 020304\n").expect("one");
    let want = "chip flipper\ncp 0x50 0x00000200\nxf 0x0020 0x3f800000 0x00000000\ndraw 0x90 2 0102 0304\n";
    assert_eq!(trace.to_string(), want);
}

/// How many vertices a stream has.
#[derive(Default)]
struct Count(usize);

impl Sink for Count {
    fn draw(&mut self, _: &Registers, draw: &Draw<'_>, _: Memory<'_>) {
        self.0 += usize::from(draw.count);
    }
}

/// Bytes that nobody has made for this: all of it is defined, bounded, and the same as the reference.
#[test]
fn streams_that_mean_harm() {
    let mut c = Choices::seed(26);
    let (mut drawn, mut run_streams) = (0, 0);
    for _ in 0..80 {
        let memory: Vec<u8> = (0..c.below(300)).map(|_| c.word() as u8).collect();
        let mut stream = Stream::default();
        for _ in 0..30 {
            let byte = c.pick(&[0x08, 0x10, 0x20, 0x28, 0x38, 0x40, 0x61, 0x90, 0x98, 0xa0, 0x80]);
            stream.0.push(byte);
            if byte >= 0x80 {
                stream.0.extend([(c.below(80) / 79) as u8, c.below(24) as u8]);
            }
            let rest = c.below(12);
            // None of these draws: without attributes, any number of vertices needs no bytes.
            stream.0.extend((0..rest).map(|_| (c.word() & c.word()) as u8 & 0x7f));
        }
        // Vertices without bytes: a draw of many costs three bytes.
        if c.chance(10) {
            stream.cp(0x50, 0).cp(0x60, 0).draw(Primitive::TriangleStrip, 0, 0x201, &[]);
        }
        // In a list they may: the reference takes its time.
        let mut count = Count::default();
        Processor::new(Quirks::default()).run(&stream.0, &memory, &mut count, Budget::NONE);
        if count.0 > 2000 {
            continue;
        }
        run_streams += 1;
        let mut got = Vec::new();
        let mut unit = interpreting_unit(Quirks::default());
        let mut used = 0;
        loop {
            let taken =
                unit.run(&stream.0[used..], &memory, Budget(500), |output| got.push(Out::from(output)));
            used += taken;
            if taken == 0 && !unit.fifo.processor.is_in_list() {
                break;
            }
        }
        drawn += vertices(&got);
        assert_eq!(got, Reference::new(Quirks::default()).run(&stream.0, &memory));
    }
    assert!(drawn > 1000 && run_streams > 30, "{drawn} {run_streams}");
}
