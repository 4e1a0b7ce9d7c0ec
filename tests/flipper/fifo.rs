//! The rings, driven as the console's own library drives them.

use xfjit::chip::flipper::fifo::{Clear, Enable, GATHER_ENABLE, Status};
use xfjit::flipper::{
    Budget, Draw, Fifo, Interrupt, Memory, Progress, Quirks, Registers, Ring, Sink, Watermarks,
};

const BASE: u32 = 0x400;
const SIZE: u32 = 0x200;
const WPAR: u32 = 0x0c00_8000;

/// What comes out: words for the transform unit, one a load, and draws.
#[derive(Default, PartialEq, Eq, Debug)]
struct Out {
    loads: Vec<(u16, u32)>,
    draws: Vec<(u16, Vec<u8>)>,
    calls: usize,
}

impl Sink for Out {
    fn load_xf(&mut self, address: u16, words: &[u32]) {
        self.loads.extend(words.iter().map(|&word| (address, word)));
    }

    fn call(&mut self, _: u32, _: u32) {
        self.calls += 1;
    }

    fn draw(&mut self, _: &Registers, draw: &Draw<'_>, _: Memory<'_>) {
        self.draws.push((draw.count, draw.bytes.to_vec()));
    }
}

fn set_pair(fifo: &mut Fifo, offset: u32, value: u32) {
    fifo.write_cp(offset, value as u16);
    fifo.write_cp(offset + 2, (value >> 16) as u16);
}

fn pair(fifo: &Fifo, offset: u32) -> u32 {
    u32::from(fifo.read_cp(offset)) | u32::from(fifo.read_cp(offset + 2)) << 16
}

const COUNT: u32 = 0x30;
const WRITE: u32 = 0x34;
const READ: u32 = 0x38;
const BREAK: u32 = 0x3c;
const STATUS: u32 = 0;
const ENABLE: u32 = 2;
const CLEAR: u32 = 4;

/// As the library sets a ring up, linked: its last word is the top.
fn linked(quirks: Quirks, enable: u16) -> (Fifo, Vec<u8>) {
    let mut fifo = Fifo::new(quirks);
    fifo.write_gather_address(WPAR);
    for (offset, value) in [(0x0c, BASE), (0x10, BASE + SIZE - 4), (0x14, BASE)] {
        fifo.write_pi(offset, value);
    }
    for (offset, value) in [
        (0x20, BASE),
        (0x24, BASE + SIZE - 4),
        (0x28, SIZE - 0x80),
        (0x2c, SIZE / 2),
        (COUNT, 0),
        (WRITE, BASE),
        (READ, BASE),
    ] {
        set_pair(&mut fifo, offset, value);
    }
    fifo.write_cp(ENABLE, Enable::LINK | enable);
    (fifo, vec![0; 0x1000])
}

/// A load of one word: nine bytes.
fn load(fifo: &mut Fifo, memory: &mut [u8], word: u32) {
    fifo.store(0x10, 1, memory);
    fifo.store(0x1018, 4, memory);
    fifo.store(word.into(), 4, memory);
}

fn pad(fifo: &mut Fifo, memory: &mut [u8]) {
    while fifo.held() > 0 {
        fifo.store(0, 1, memory);
    }
}

fn words(from: std::ops::Range<u32>) -> Vec<(u16, u32)> {
    from.map(|word| (0x1018, word)).collect()
}

#[test]
fn pointers_hold_whole_blocks() {
    let (mut fifo, _) = linked(Quirks::default(), 0);
    assert_eq!(fifo.read_pi(0x10), BASE + SIZE - 32);
    assert_eq!(pair(&fifo, 0x24), BASE + SIZE - 32);
    set_pair(&mut fifo, 0x28, u32::MAX);
    assert_eq!((fifo.read_cp(0x28), fifo.read_cp(0x2a)), (0xffe0, 0x03ff));
    fifo.write_pi(0x10, 0x0400_0000);
    assert_eq!(fifo.read_pi(0x10), 0);
    assert_eq!((fifo.read_cp(CLEAR), fifo.read_cp(0x44), fifo.read_pi(0)), (0, 0, 0));
    fifo.write_cp(ENABLE, u16::MAX);
    assert_eq!(fifo.read_cp(ENABLE), 0x3f);
    fifo.write_cp(STATUS, u16::MAX);
    fifo.write_cp(0x0a, 0x1ff);
    assert_eq!(fifo.read_cp(0x0a), 0xff);
    assert_eq!(Fifo::new(Quirks::default()).read_cp(ENABLE), 0x10);
}

/// The flag of the write pointer is not written.
#[test]
fn pointers_of_the_interface_hold_bits_25_to_5() {
    for offset in [0x0c, 0x10, 0x14] {
        let mut fifo = Fifo::new(Quirks::default());
        fifo.write_pi(offset, u32::MAX);
        let all = [0x0c, 0x10, 0x14].map(|offset| fifo.read_pi(offset));
        assert_eq!(all, [0x0c, 0x10, 0x14].map(|other| if other == offset { 0x03ff_ffe0 } else { 0 }));
    }
}

/// Each number of the command processor in its two halves, the others left alone.
#[test]
fn pairs_hold_bits_15_to_5_and_25_to_16() {
    for offset in (0x20..0x40).step_by(4) {
        let mut fifo = Fifo::new(Quirks::default());
        fifo.write_cp(offset, 0xffff);
        assert_eq!((fifo.read_cp(offset), fifo.read_cp(offset + 2)), (0xffe0, 0), "{offset:x}");
        fifo.write_cp(offset + 2, 0xffff);
        assert_eq!((fifo.read_cp(offset), fifo.read_cp(offset + 2)), (0xffe0, 0x03ff), "{offset:x}");
        for other in (0x20..0x40).step_by(4).filter(|&other| other != offset) {
            assert_eq!(pair(&fifo, other), 0, "{offset:x} {other:x}");
        }
    }
}

#[test]
fn an_empty_ring_is_idle() {
    let idle = Status::READ_IDLE | Status::COMMAND_IDLE;
    let (mut fifo, mut memory) = linked(Quirks::default(), Enable::READ);
    assert_eq!(fifo.read_cp(STATUS) & idle, idle);
    (0..4).for_each(|word| load(&mut fifo, &mut memory, word));
    assert_eq!(fifo.read_cp(STATUS) & idle, 0, "a block waits");
    fifo.run(&memory, &mut Out::default(), Budget::NONE);
    assert_eq!(fifo.read_cp(STATUS) & idle, idle);
}

/// Commands go round the ring many times, wherever blocks end in them; run after each store, or seldom.
#[test]
fn commands_come_out_in_order() {
    for ring in [Ring::Inclusive, Ring::Exclusive] {
        for every in [1, 5, 40] {
            let (mut fifo, mut memory) = linked(Quirks { ring, ..Quirks::default() }, Enable::READ);
            let mut out = Out::default();
            for word in 0..400 {
                load(&mut fifo, &mut memory, word);
                if word % every == 0 {
                    assert_eq!(fifo.run(&memory, &mut out, Budget::NONE), Progress::Idle);
                }
            }
            pad(&mut fifo, &mut memory);
            fifo.run(&memory, &mut out, Budget::NONE);
            assert_eq!(out.loads, words(0..400), "{ring:?} {every}");
            assert_eq!((pair(&fifo, COUNT), pair(&fifo, READ)), (0, pair(&fifo, WRITE)));
            // 3,600 bytes: 113 blocks, of 16 or 15 in the ring.
            let blocks = if ring == Ring::Inclusive { 113 % 16 } else { 113 % 15 };
            assert_eq!(pair(&fifo, WRITE), BASE + 32 * blocks, "{ring:?}");
            assert_eq!(fifo.read_pi(0x14) & 0x03ff_ffff, pair(&fifo, WRITE));
        }
    }
}

#[test]
fn the_flag_tells_that_the_pointer_came_round() {
    let (mut fifo, mut memory) = linked(Quirks::default(), 0);
    let burst = |fifo: &mut Fifo, memory: &mut [u8]| {
        fifo.burst(&[0; 32], memory);
        fifo.read_pi(0x14)
    };
    for block in 1..16 {
        assert_eq!(burst(&mut fifo, &mut memory), BASE + 32 * block);
    }
    assert_eq!(burst(&mut fifo, &mut memory), BASE | 1 << 26);
    assert_eq!(burst(&mut fifo, &mut memory), BASE + 32);
}

/// What the library does when too much waits: its handler lets the ring drain to the low mark, and goes on.
#[test]
fn marks_are_told_and_handled() {
    for quirks in [
        Quirks::default(),
        Quirks { interrupt: Interrupt::Latched, ..Quirks::default() },
        Quirks { interrupt: Interrupt::Latched, watermarks: Watermarks::Stop, ..Quirks::default() },
    ] {
        let (mut fifo, mut memory) = linked(quirks, Enable::OVERFLOW_INTERRUPT);
        let mut word = 0;
        assert_eq!(fifo.read_cp(STATUS) & 3, Status::UNDERFLOW);
        assert!(!fifo.interrupt(), "nobody asked for that");
        while !fifo.interrupt() {
            assert_eq!(fifo.read_cp(STATUS) & Status::OVERFLOW, 0);
            load(&mut fifo, &mut memory, word);
            word += 1;
        }
        assert_eq!(fifo.read_cp(STATUS) & 3, Status::OVERFLOW);
        assert_eq!(pair(&fifo, COUNT), SIZE - 0x80 + 32);
        let mut out = Out::default();
        // The handler: no more of that, but tell of the other.
        fifo.write_cp(ENABLE, Enable::LINK | Enable::READ | Enable::UNDERFLOW_INTERRUPT);
        fifo.write_cp(CLEAR, Clear::OVERFLOW);
        assert!(!fifo.interrupt());
        fifo.run(&memory, &mut out, Budget::NONE);
        assert!(fifo.interrupt(), "the low mark is told");
        // Where marks stop the reader, it is a block below.
        let stopped = quirks.watermarks == Watermarks::Stop;
        assert_eq!(pair(&fifo, COUNT), if stopped { SIZE / 2 - 32 } else { 0 });
        fifo.write_cp(ENABLE, Enable::LINK | Enable::READ | Enable::OVERFLOW_INTERRUPT);
        fifo.write_cp(CLEAR, Clear::OVERFLOW | Clear::UNDERFLOW);
        assert!(!fifo.interrupt());
        fifo.run(&memory, &mut out, Budget::NONE);
        pad(&mut fifo, &mut memory);
        fifo.run(&memory, &mut out, Budget::NONE);
        assert_eq!(out.loads, words(0..word));
    }
}

/// In the mode of several buffers marks interrupt nobody, though the status has them.
#[test]
fn marks_interrupt_in_linked_mode_only() {
    for interrupt in [Interrupt::Level, Interrupt::Latched] {
        let (mut fifo, _) = linked(Quirks { interrupt, ..Quirks::default() }, 0);
        for (count, mark) in [(0, Status::UNDERFLOW), (SIZE, Status::OVERFLOW)] {
            set_pair(&mut fifo, COUNT, count);
            let both = Enable::OVERFLOW_INTERRUPT | Enable::UNDERFLOW_INTERRUPT;
            fifo.write_cp(ENABLE, both);
            assert_eq!((fifo.read_cp(STATUS) & 3, fifo.interrupt()), (mark, false), "{interrupt:?}");
            fifo.write_cp(ENABLE, both | Enable::LINK);
            assert!(fifo.interrupt(), "{interrupt:?}");
            fifo.write_cp(ENABLE, 0);
            fifo.write_cp(CLEAR, Clear::OVERFLOW | Clear::UNDERFLOW);
        }
    }
}

/// A break point is set, reached, its interrupt taken away, and the reader let go.
#[test]
fn break_points_stop_before_their_block() {
    for interrupt in [Interrupt::Level, Interrupt::Latched] {
        let (mut fifo, mut memory) = linked(Quirks { interrupt, ..Quirks::default() }, 0);
        (0..20).for_each(|word| load(&mut fifo, &mut memory, word));
        pad(&mut fifo, &mut memory);
        set_pair(&mut fifo, BREAK, BASE + 3 * 32);
        let both = Enable::BREAK | Enable::BREAK_INTERRUPT;
        fifo.write_cp(ENABLE, Enable::LINK | both);
        assert_eq!(fifo.read_cp(STATUS) & Status::BREAK, 0);
        fifo.write_cp(ENABLE, Enable::LINK | both | Enable::READ);
        let mut out = Out::default();
        fifo.run(&memory, &mut out, Budget::NONE);
        // Three blocks hold ten loads and a part.
        assert_eq!((pair(&fifo, READ), out.loads.len()), (BASE + 96, 10));
        assert!(fifo.interrupt());
        let idle = Status::COMMAND_IDLE | Status::BREAK;
        assert_eq!(fifo.read_cp(STATUS) & (idle | Status::READ_IDLE), idle);
        // The handler: the interrupt falls, the reader stands.
        fifo.write_cp(ENABLE, Enable::LINK | Enable::BREAK | Enable::READ);
        assert!(!fifo.interrupt());
        fifo.run(&memory, &mut out, Budget::NONE);
        assert_eq!((pair(&fifo, READ), out.loads.len()), (BASE + 96, 10));
        fifo.write_cp(ENABLE, Enable::LINK | Enable::READ);
        assert_eq!(fifo.read_cp(STATUS) & Status::BREAK, 0);
        fifo.run(&memory, &mut out, Budget::NONE);
        assert_eq!(out.loads, words(0..20));
    }
}

/// They stop the reader in the mode of several buffers as well.
#[test]
fn break_points_do_not_depend_on_the_mode() {
    for link in [0, Enable::LINK] {
        let (mut fifo, mut memory) = linked(Quirks::default(), 0);
        (0..20).for_each(|word| load(&mut fifo, &mut memory, word));
        set_pair(&mut fifo, BREAK, BASE + 2 * 32);
        fifo.write_cp(ENABLE, link | Enable::READ | Enable::BREAK | Enable::BREAK_INTERRUPT);
        assert!(!fifo.interrupt());
        fifo.run(&memory, &mut Out::default(), Budget::NONE);
        assert_eq!((pair(&fifo, READ), fifo.interrupt()), (BASE + 2 * 32, true), "{link}");
        assert_ne!(pair(&fifo, COUNT), 0, "more waits");
    }
}

/// Software hands over buffers that it has filled.
#[test]
fn buffers_are_handed_over() {
    let (mut fifo, mut memory) = linked(Quirks::default(), 0);
    fifo.write_cp(ENABLE, 0);
    (0..7).for_each(|word| load(&mut fifo, &mut memory, word));
    pad(&mut fifo, &mut memory);
    assert_eq!((pair(&fifo, COUNT), pair(&fifo, WRITE)), (0, BASE), "the rings are not linked");
    assert_eq!(fifo.read_pi(0x14), BASE + 64);
    for (offset, value) in [(0x24, BASE + 32), (COUNT, 64), (READ, BASE), (WRITE, BASE)] {
        set_pair(&mut fifo, offset, value);
    }
    let mut out = Out::default();
    fifo.run(&memory, &mut out, Budget::NONE);
    assert!(out.loads.is_empty(), "it may not read");
    fifo.write_cp(ENABLE, Enable::READ);
    fifo.run(&memory, &mut out, Budget::NONE);
    assert_eq!(out.loads, words(0..7));
    assert_eq!((pair(&fifo, COUNT), pair(&fifo, READ)), (0, BASE));
}

/// A list is made by the gather buffer, and called.
#[test]
fn lists_are_made_and_called() {
    let (mut fifo, mut memory) = linked(Quirks::default(), Enable::READ);
    let ring = [0x0c, 0x10, 0x14].map(|offset| fifo.read_pi(offset));
    fifo.write_cp(ENABLE, Enable::READ);
    for (offset, value) in [(0x0c, 0), (0x10, 0x0400_0000), (0x14, 0xa00)] {
        fifo.write_pi(offset, value);
    }
    (0..9).for_each(|word| load(&mut fifo, &mut memory, word));
    // A list in a list is not read.
    for (value, bytes) in [(0x40, 1), (0xa00, 4), (0x60, 4)] {
        fifo.store(value, bytes, &mut memory);
    }
    load(&mut fifo, &mut memory, 9);
    pad(&mut fifo, &mut memory);
    let bytes = fifo.read_pi(0x14) - 0xa00;
    assert_eq!(bytes, 128);
    [0x0c, 0x10, 0x14].into_iter().zip(ring).for_each(|(offset, value)| fifo.write_pi(offset, value));
    fifo.write_cp(ENABLE, Enable::READ | Enable::LINK);
    // 31 is no part of an address.
    for (value, bytes) in [(0x40, 1), (0xa00 + 31, 4), (u64::from(bytes) + 31, 4)] {
        fifo.store(value, bytes, &mut memory);
    }
    load(&mut fifo, &mut memory, 10);
    pad(&mut fifo, &mut memory);
    let mut out = Out::default();
    fifo.run(&memory, &mut out, Budget::NONE);
    assert_eq!((out.loads, out.calls), (words(0..11), 1));
}

#[test]
fn what_is_gathered_goes_where_it_is_said() {
    let (mut fifo, mut memory) = linked(Quirks::default(), 0);
    fifo.store(0x0102_0304_0506_0708, 8, &mut memory);
    assert_eq!(fifo.held(), 8);
    fifo.write_gather_address(0x800 + 17);
    assert_eq!((fifo.gather_address(), fifo.held()), (0x800, 0), "what was held is lost");
    for (value, bytes) in [(0xa1, 1), (0xb1b2, 2), (0xc1c2_c3c4, 4), (1, 8), (2, 8), (3, 8), (4, 1)] {
        fifo.store(value, bytes, &mut memory);
    }
    assert_eq!(memory[0x800..0x810], [0xa1, 0xb1, 0xb2, 0xc1, 0xc2, 0xc3, 0xc4, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    assert_eq!((fifo.held(), pair(&fifo, COUNT)), (0, 0));
    // Behind memory, whole or in part.
    for address in [0xff0, 0x1000, 0x7fff_ffe0, u32::MAX] {
        fifo.write_gather_address(address);
        fifo.burst(&[7; 32], &mut memory[..0xff0]);
    }
    assert_eq!(memory[0xfe0..0x1000], [[7; 16], [0; 16]].concat()[..]);
}

/// HID2 switches it on; of addresses the upper 27 bits count.
#[test]
fn stores_to_the_line_of_wpar_are_gathered_where_hid2_has_it() {
    let (mut fifo, _) = linked(Quirks::default(), 0);
    for line in [WPAR, 0x0000_0800, 0xffff_ffe0] {
        fifo.write_gather_address(line | 17);
        for hid2 in [GATHER_ENABLE, u32::MAX] {
            assert!((0..32).all(|low| fifo.gathers(hid2, line | low)), "{line:x}");
            assert!((5..32).all(|bit| !fifo.gathers(hid2, line ^ 1 << bit)), "{line:x}");
        }
        assert!(!fifo.gathers(0, line) && !fifo.gathers(!GATHER_ENABLE, line));
    }
}

#[test]
fn a_reset_drops_what_waits() {
    let (mut fifo, mut memory) = linked(Quirks::default(), Enable::READ);
    (0..4).for_each(|word| load(&mut fifo, &mut memory, word));
    let mut out = Out::default();
    fifo.run(&memory, &mut out, Budget::NONE);
    assert_eq!((out.loads.len(), fifo.held()), (3, 4));
    fifo.write_pi(0x18, 1);
    assert_eq!((fifo.read_pi(0x18), fifo.held(), fifo.read_cp(ENABLE)), (1, 0, 0x10));
    fifo.write_pi(0x18, 0);
    fifo.write_cp(ENABLE, Enable::LINK | Enable::READ);
    load(&mut fifo, &mut memory, 77);
    pad(&mut fifo, &mut memory);
    fifo.run(&memory, &mut out, Budget::NONE);
    assert_eq!(out.loads[3..], [(0x1018, 77)], "no half of a command is left");
}

/// With any budget the same comes out, and a state kept between any two calls goes on as it would have.
#[test]
fn work_can_be_cut_and_kept_anywhere() {
    let script = |fifo: &mut Fifo, memory: &mut [u8], part: u32| {
        if part == 0 {
            fifo.store(0x08, 1, memory);
            fifo.store(0x50, 1, memory);
            fifo.store(0x200, 4, memory);
            // A list of its own: two draws of six bytes a vertex.
            let list = [0x90, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x98, 0, 1, 6, 5, 4, 3, 2, 1];
            memory[0xc00..][..list.len()].copy_from_slice(&list);
            fifo.store(0x08, 1, memory);
            fifo.store(0x70, 1, memory);
            fifo.store(7, 4, memory);
        }
        load(fifo, memory, part);
        fifo.store(0x40, 1, memory);
        fifo.store(0xc00, 4, memory);
        fifo.store(32, 4, memory);
        fifo.store(0x90_0003, 4, memory);
        (0..3).for_each(|vertex| fifo.store(vertex << 32, 8, memory));
        pad(fifo, memory);
    };
    let run = |budget: u64, kept: bool| {
        let (mut fifo, mut memory) = linked(Quirks::default(), Enable::READ);
        let mut out = Out::default();
        for part in 0..20 {
            script(&mut fifo, &mut memory, part);
            while fifo.run(&memory, &mut out, Budget(budget)) == Progress::Budget {
                if kept {
                    let bytes = fifo.save();
                    let mut other = Fifo::new(Quirks::default());
                    other.restore(&bytes).expect("it is a state");
                    assert_eq!(other, fifo);
                    fifo = other;
                }
            }
        }
        (out, fifo.save())
    };
    let (want, state) = run(u64::MAX, false);
    assert_eq!((want.loads.len(), want.calls), (20, 20));
    assert!(want.draws.len() > 20, "{}", want.draws.len());
    for budget in [1, 2, 7, 30, 100] {
        assert_eq!(run(budget, true), (want.clone_all(), state.clone()), "{budget}");
    }
}

/// A budget that ends takes the blocks of the commands that have been run, and no more: what is behind them is read when there is
/// budget again, as it is then.
#[test]
fn blocks_stay_in_the_ring_when_a_budget_ends() {
    let (mut fifo, mut memory) = linked(Quirks::default(), Enable::READ);
    (0..32).for_each(|word| load(&mut fifo, &mut memory, word));
    assert_eq!((pair(&fifo, COUNT), fifo.held()), (9 * 32, 0));
    let mut out = Out::default();
    // Each load is nine bytes: the fourth is begun in the first block, and ends in the second.
    for (budget, loads, blocks) in [(1, 1, 1), (18, 3, 1), (1, 4, 2), (9, 5, 2), (20, 8, 3)] {
        assert_eq!(fifo.run(&memory, &mut out, Budget(budget)), Progress::Budget);
        assert_eq!(out.loads, words(0..loads));
        assert_eq!((pair(&fifo, READ), pair(&fifo, COUNT)), (BASE + 32 * blocks, (9 - blocks) * 32));
    }
    // What a guest writes over the rest before it is read is what is run. Of the eleventh load six bytes have been read.
    memory[(BASE + 96) as usize..][..9 * 32 - 96].fill(0);
    assert_eq!(fifo.run(&memory, &mut out, Budget::NONE), Progress::Idle);
    assert_eq!(out.loads, [words(0..10), words(0..1)].concat());
    assert_eq!((pair(&fifo, READ), pair(&fifo, COUNT)), (BASE + 9 * 32, 0));
}

impl Out {
    fn clone_all(&self) -> Out {
        Out { loads: self.loads.clone(), draws: self.draws.clone(), calls: self.calls }
    }
}

#[test]
fn what_is_no_state_is_refused() {
    let (mut fifo, mut memory) = linked(Quirks::default(), Enable::READ);
    load(&mut fifo, &mut memory, 1);
    let bytes = fifo.save();
    for length in 0..bytes.len() {
        assert!(fifo.clone().restore(&bytes[..length]).is_err(), "{length}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(fifo.clone().restore(&longer).is_err());
    let mut other = bytes.clone();
    other[8] = 2;
    assert!(fifo.clone().restore(&other).is_err());
    // Whatever words say, it runs.
    let mut c = xfjit_testing::Choices::seed(5);
    for _ in 0..300 {
        let mut wild = bytes.clone();
        let end = wild.len() - 4;
        for _ in 0..20 {
            let at = 12 + c.below(end as u32 - 12) as usize;
            wild[at] = c.word() as u8;
        }
        let mut fifo = fifo.clone();
        if fifo.restore(&wild).is_ok() {
            fifo.store(0x9000_0500_0000_0000, 8, &mut memory);
            fifo.run(&memory, &mut Out::default(), Budget(1 << 16));
            fifo.save();
        }
    }
}
