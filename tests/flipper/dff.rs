//! Recordings of Dolphin's FIFO player, written here field by field.

use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::output;
use xfjit::chip::flipper::vat::{Field, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::flipper::dff::{DffError, Played, Player, Recording};
use xfjit::flipper::{Budget, Draw, Memory, Processor, Quirks, Registers, Sink};
use xfjit_testing::Choices;
use xfjit_testing::flipper_streams::Stream;
use xfjit_testing::flipper_unit::{Out, run, unit};

/// Commands, and updates: position, address, data.
type Frame = (Vec<u8>, Vec<(u32, u32, Vec<u8>)>);

/// What a recording has.
#[derive(Clone)]
struct File {
    version: u32,
    least: u32,
    flags: u32,
    bp: Vec<u32>,
    cp: Vec<u32>,
    xf: Vec<u32>,
    registers: Vec<u32>,
    frames: Vec<Frame>,
}

/// Fields of four bytes.
fn put(to: &mut [u8], at: usize, value: usize) {
    to[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
}

impl File {
    fn write(&self) -> Vec<u8> {
        let mut header = vec![0; 128];
        let mut list = vec![0; 64 * self.frames.len()];
        let mut data = Vec::new();
        let first = header.len() + list.len();
        for (at, value) in [(0, 0x0d01_f1f0), (4, self.version), (8, self.least), (0x48, self.flags)] {
            put(&mut header, at, value as usize);
        }
        for (at, words) in [(0x0c, &self.bp), (0x18, &self.cp), (0x24, &self.xf), (0x30, &self.registers)] {
            put(&mut header, at, first + data.len());
            put(&mut header, at + 8, words.len());
            data.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        put(&mut header, 0x3c, 128);
        put(&mut header, 0x44, self.frames.len());
        for ((commands, updates), fields) in self.frames.iter().zip(list.chunks_mut(64)) {
            put(fields, 0, first + data.len());
            put(fields, 8, commands.len());
            data.extend(commands);
            put(fields, 20, first + data.len());
            put(fields, 28, updates.len());
            let mut rows = vec![0; 24 * updates.len()];
            let mut at = first + data.len() + rows.len();
            for ((position, address, bytes), row) in updates.iter().zip(rows.chunks_mut(24)) {
                put(row, 0, *position as usize);
                put(row, 4, *address as usize);
                put(row, 8, at);
                put(row, 16, bytes.len());
                row[20] = 4;
                at += bytes.len();
            }
            data.extend(rows);
            updates.iter().for_each(|(.., bytes)| data.extend(bytes));
        }
        [header, list, data].concat()
    }
}

/// What registers hold behind a stream.
struct State {
    xf: Vec<u32>,
}

impl Sink for State {
    fn load_xf(&mut self, address: u16, words: &[u32]) {
        self.xf[usize::from(address)..][..words.len()].copy_from_slice(words);
    }

    fn draw(&mut self, _: &Registers, _: &Draw<'_>, _: Memory<'_>) {}
}

/// Points whose positions are in memory; the state in front of them is the recording's.
fn file() -> File {
    let vcd = Vcd::default().with(Attribute::Position, Source::Index8);
    let vat =
        Vat::default().with(Field::POS_COUNT, 1).with(Field::POS_FORMAT, 1).with(Field::BYTE_DEQUANT, 1);
    let mut stream = Stream::default();
    stream.camera().formats(vcd, 3, vat).cp(0xa0, 0x100).cp(0xb0, 3);
    let mut processor = Processor::new(Quirks::default());
    let mut state = State { xf: vec![0; 0x1058] };
    processor.run(&stream.0, &[], &mut state, Budget::NONE);
    let mut points = Stream::default();
    points.draw(Primitive::Points, 3, 2, &[0, 1]);
    let draw = points.0;
    let position = |x: u8| (0x100, vec![x, 0, 0xfe, x + 1, 0, 0xfe]);
    let update = |at: u32, x: u8| (at, position(x).0, position(x).1);
    // The second frame begins inside of a command, and ends inside of one; its list stands where it was called.
    let (head, tail) = draw.split_at(2);
    File {
        version: 5,
        least: 1,
        flags: 0,
        bp: (0..256).collect(),
        cp: (0..=255).map(|number| processor.registers.read(number)).collect(),
        xf: state.xf[..0x1000].to_vec(),
        registers: state.xf[0x1000..].to_vec(),
        frames: vec![
            ([&draw[..], &draw, head].concat(), vec![update(0, 1), update(5, 3)]),
            ([tail, &[0, 0], &draw, head].concat(), vec![update(0, 5), update(4, 7)]),
        ],
    }
}

/// What leaves, and how much is left.
fn play(recording: &Recording<'_>, budget: Budget) -> (Vec<Out>, usize) {
    let mut unit = unit(Quirks::default());
    let mut player = Player::new(recording, &mut unit);
    let (mut seen, mut frames) = (Vec::new(), 0);
    loop {
        match player.frame(&mut unit, budget, |output| seen.push(output.into())) {
            Played::Part => {}
            Played::Frame => frames += 1,
            Played::End => break,
        }
    }
    assert_eq!(frames, recording.frames.len());
    (seen, player.left())
}

/// The x of all points in eye space.
fn played(bytes: &[u8]) -> Result<(Vec<f32>, usize), DffError> {
    let recording = Recording::read(bytes)?;
    let (seen, left) = play(&recording, Budget::NONE);
    for budget in [1, 2, 9] {
        assert_eq!(play(&recording, Budget(budget)), (seen.clone(), left), "{budget}");
    }
    let mut all = Vec::new();
    for out in seen {
        if let Out::Drawn { vertices, .. } = out {
            all.extend(vertices.iter().map(|vertex| f32::from_bits(vertex[&output::EYE][0])));
        }
    }
    Ok((all, left))
}

#[test]
fn memory_is_as_it_was_when_commands_read_it() {
    let bytes = file().write();
    let (seen, left) = played(&bytes).expect("a recording");
    assert_eq!(seen, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(left, 2);
    let recording = Recording::read(&bytes).expect("a recording");
    assert_eq!((recording.version, recording.is_wii, recording.bp[255]), (5, false, 255));
    // Older versions have the same, a Wii's flag is told, cached addresses are physical ones.
    let mut other = file();
    (other.version, other.flags) = (1, 1);
    other.frames[0].1[0].1 |= 0x8000_0000;
    let bytes = other.write();
    assert!(Recording::read(&bytes).expect("a recording").is_wii);
    assert_eq!(played(&bytes).expect("a recording").0, seen);
}

/// A Wii's recording has its arrays in the second memory, at addresses of 29 bits.
#[test]
fn a_recording_of_a_wii_has_a_second_memory() {
    let seen = played(&file().write()).expect("a recording").0;
    let mut wii = file();
    wii.flags = 1;
    wii.cp[0xa0] |= 0x1000_0000;
    // Nothing of it is where the updates are.
    assert!(played(&wii.write()).expect("a recording").0.iter().all(|x| !seen.contains(x)));
    for frame in &mut wii.frames {
        frame.1.iter_mut().for_each(|(_, address, _)| *address |= 0x9000_0000);
    }
    assert_eq!(played(&wii.write()).expect("a recording").0, seen);
}

/// Registers that a recording has not are zero, words that are none are left.
#[test]
fn sections_may_be_shorter_or_longer() {
    let mut short = file();
    short.xf.truncate(4 * 3);
    short.registers.extend([9; 40]);
    short.bp.clear();
    let bytes = short.write();
    let recording = Recording::read(&bytes).expect("a recording");
    assert_eq!(recording.xf.len(), 0x1000 + 96);
    assert_eq!((recording.bp, recording.xf[12]), ([0; 256], 0));
    assert_eq!(played(&bytes).expect("a recording").0[..2], [1.0, 2.0]);
}

/// A register that acts when it is loaded is not, and one that holds nothing need not be.
#[test]
fn registers_behind_the_unit_are_loaded_as_by_the_player_of_the_format() {
    let bytes = file().write();
    let recording = Recording::read(&bytes).expect("a recording");
    let acting = [0x45, 0x47, 0x48, 0x52, 0x63, 0x65, 0x67];
    let want: Vec<(u8, u32)> = (1..=255)
        .filter(|register| !acting.contains(register))
        .map(|register| (register, register.into()))
        .collect();
    let mut unit = unit(Quirks::default());
    let mut player = Player::new(&recording, &mut unit);
    let mut loaded = Vec::new();
    while player.frame(&mut unit, Budget::NONE, |output| {
        if let xfjit::flipper::Output::LoadBp(register, value) = output {
            loaded.push((register, value));
        }
    }) != Played::End
    {}
    assert_eq!(loaded, want);
}

/// Addresses have as many bits as the memory needs: 24 MB of a console unless a file of version 5 or later tells another size.
#[test]
fn addresses_of_updates_are_those_of_the_memory() {
    let mut file = file();
    file.frames[0].1[0].1 = 0x8200_0100;
    let address = |version: u32, size: u32| {
        let mut bytes = file.write();
        put(&mut bytes, 4, version as usize);
        put(&mut bytes, 0x58, size as usize);
        Recording::read(&bytes).expect("a recording").frames[0].updates[0].address
    };
    for (version, size, want) in [
        (4, 0, 0x100),
        (4, 64 << 20, 0x100),
        (5, 0, 0x100),
        (5, 24 << 20, 0x100),
        (6, 32 << 20, 0x100),
        (6, 48 << 20, 0x0200_0100),
        (6, 64 << 20, 0x0200_0100),
        (6, u32::MAX, 0x0200_0100),
    ] {
        assert_eq!(address(version, size), want, "{version} {size:#x}");
    }
}

/// What is played of a recording is what is in its stream.
#[test]
fn a_recording_is_its_stream() {
    let mut stream = Stream::default();
    let vcd = Vcd::default().with(Attribute::Position, Source::Direct);
    stream.camera().light([1.0, 2.0, 3.0], 0x102).formats(vcd, 0, Vat::default().with(Field::POS_COUNT, 1));
    stream.draw(Primitive::Triangles, 0, 3, &[9, 8, 7, 6, 5, 4, 3, 2, 1]);
    let want = run(&mut unit(Quirks::default()), &stream.0, &[]);
    for cut in [0, 7, 100, stream.0.len() - 1] {
        let (first, second) = stream.0.split_at(cut);
        let frames = vec![(first.to_vec(), vec![]), (second.to_vec(), vec![])];
        let none = Vec::new();
        let (bp, cp, xf, registers) = (none.clone(), none.clone(), none.clone(), none);
        let bytes = File { version: 4, least: 1, flags: 0, bp, cp, xf, registers, frames }.write();
        let recording = Recording::read(&bytes).expect("a recording");
        assert_eq!(play(&recording, Budget::NONE), (want.clone(), 0), "{cut}");
    }
}

#[test]
fn what_cannot_be_played_is_told() {
    let bytes = file().write();
    let wrong = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        Recording::read(&bytes).err()
    };
    assert_eq!(wrong(&|_| ()), None);
    assert_eq!(wrong(&|bytes| bytes[0] = 0), Some(DffError::NoRecording));
    assert_eq!(wrong(&|bytes| bytes[8] = 6), None);
    assert_eq!(wrong(&|bytes| bytes[8] = 7), Some(DffError::Newer(7)));
    let outside = |what, position, bytes| Some(DffError::Outside { what, position, bytes });
    assert_eq!(wrong(&|bytes| bytes.truncate(127)), outside("header", 0, 128));
    assert_eq!(wrong(&|bytes| bytes[0x10] = 1), outside("registers of BP", 1 << 32 | 256, 1024));
    assert_eq!(wrong(&|bytes| bytes[0x47] = 1), outside("list of frames", 128, 64 * (2 | 1 << 24)));
    let end = bytes.len() as u64;
    assert!(matches!(
        wrong(&|bytes| _ = bytes.pop()),
        Some(DffError::Outside { what: "data of an update", position, bytes: 6 }) if position + 6 == end
    ));
    // Both frames have all of the file.
    let all = |bytes: &mut Vec<u8>| {
        let end = bytes.len();
        for at in [128, 192] {
            put(bytes, at, 0);
            put(bytes, at + 8, end - 128);
        }
    };
    assert_eq!(wrong(&all), Some(DffError::Shared));
    for (flags, address, length) in [(0, 0x1000_0000, 6), (0, 0x03ff_ffff, 2), (1, 0x13ff_ffff, 2)] {
        let mut file = file();
        file.flags = flags;
        file.frames[1].1[0] = (0, address, vec![0; length]);
        let error = DffError::NoMemory { address, bytes: length as u32 };
        assert_eq!(Recording::read(&file.write()), Err(error));
    }
}

/// Any bytes are a recording that can be played, or an error.
#[test]
fn damaged_recordings_do_no_harm() {
    let mut small = file();
    small.xf.truncate(12);
    let bytes = small.write();
    let mut c = Choices::seed(5);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..400 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + c.below(3) {
            // Mostly where fields are.
            let fields = if c.chance(70) { 256 } else { damaged.len() as u32 };
            damaged[c.below(fields) as usize] = if c.chance(50) { c.below(4) as u8 } else { c.word() as u8 };
        }
        damaged.truncate(if c.chance(10) { c.below(damaged.len() as u32) as usize } else { damaged.len() });
        match played(&damaged) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 50 && refused > 50, "{read} {refused}");
}
