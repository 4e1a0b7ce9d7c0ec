//! Recorded while a device runs, and played: the same.

use std::io::{self, Write};
use std::sync::Arc;
use xfjit::capture::{
    Call, CallPlayer, CallWriter, FlipperWriter, Part, Reader, Recorded, Stream, UnitWriter,
};
use xfjit::flipper::{Quirks, Ram};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::xf::{Output, XfUnit};
use xfjit::{Engine, Model, Options, Worker, isa};
use xfjit_testing::flipper_streams::{random_memory, random_stream};
use xfjit_testing::flipper_unit::{Out, run, unit};
use xfjit_testing::{Choices, captures, commands, programs};

fn engine() -> Arc<Engine> {
    Arc::new(Engine::new(Options::default()))
}

/// All that comes out of a unit.
fn drain(unit: &mut XfUnit, to: &mut Vec<Vec<u32>>) {
    unit.drain(|output| {
        to.push(match output {
            Output::Vertices(vertices) => vertices.words.to_vec(),
            Output::Bundle(words) => words.to_vec(),
        });
    });
}

#[test]
fn units_of_every_chip_replay() {
    let mut chips = Vec::new();
    for seed in 0..60 {
        let trace = commands(&mut Choices::seed(seed));
        let mut recorded = XfUnit::new(engine(), trace.chip);
        let (before, after) = trace.items.split_at(trace.items.len() / 3);
        before.iter().for_each(|item| _ = recorded.play(item));
        recorded.discard();
        // From any state on, drained now and then.
        recorded.record();
        let mut writer = UnitWriter::new(Vec::new(), trace.chip).expect("memory");
        let mut want = Vec::new();
        for part in after.chunks(7) {
            part.iter().for_each(|item| _ = recorded.play(item));
            writer.take(&mut recorded).expect("memory");
        }
        drain(&mut recorded, &mut want);
        assert!(recorded.recorded().is_some_and(|rest| rest.items.is_empty()));
        let file = writer.finish().expect("memory");
        let mut fresh = XfUnit::new(engine(), trace.chip);
        let mut reader = Reader::new(&file[..]).expect("it is one");
        while let Some(part) = reader.part().expect("it is good") {
            match part {
                Part::Unit(item) => _ = fresh.play(&item),
                part => panic!("{part:?}"),
            }
        }
        let mut got = Vec::new();
        drain(&mut fresh, &mut got);
        assert_eq!(got.concat(), want.concat(), "{}", trace.chip.name());
        assert_eq!(fresh.save(), recorded.save(), "{}", trace.chip.name());
        chips.push(trace.chip);
    }
    chips.sort();
    chips.dedup();
    assert!(chips.len() > 5, "{chips:?}");
}

#[test]
fn flipper_replays() {
    let mut c = Choices::seed(31);
    let mut drawn = 0;
    for _ in 0..8 {
        let memory = random_memory(&mut c);
        let mut recorded = unit(Quirks::default());
        run(&mut recorded, &random_stream(&mut c, 20, 0x800).0, &memory);
        recorded.record();
        let mut writer = FlipperWriter::new(Vec::new()).expect("memory");
        let mut want = Vec::new();
        for _ in 0..3 {
            want.extend(run(&mut recorded, &random_stream(&mut c, 30, 0xa00).0, &memory));
            writer.take(&mut recorded).expect("memory");
        }
        want.retain(|out| !matches!(out, Out::Call(..) | Out::Unknown(_)));
        // The state behind the last draw.
        let rest = recorded.recorded().expect("it has been recorded");
        rest.items.iter().for_each(|item| writer.item(item).expect("memory"));
        let file = writer.finish().expect("memory");
        let (mut got, mut memory, mut fresh) = (Vec::<Out>::new(), Ram::default(), unit(Quirks::default()));
        let mut reader = Reader::new(&file[..]).expect("it is one");
        while let Some(part) = reader.part().expect("it is good") {
            match part {
                Part::Flipper(item) => {
                    fresh.play(&item, &mut memory, |output| got.push(output.into())).expect("it is whole");
                }
                part => panic!("{part:?}"),
            }
        }
        assert_eq!(got, want);
        assert_eq!(fresh.words(), recorded.words());
        drawn += want.len();
    }
    assert!(drawn > 100, "{drawn}");
}

#[test]
fn calls_replay() {
    let file = captures::calls();
    let mut player = CallPlayer::new(engine());
    let mut reader = Reader::new(&file[..]).expect("it is one");
    let mut got = Vec::new();
    while let Some(part) = reader.part().expect("it is good") {
        match part {
            Part::Program(program) => player.program(&program).expect("it is one"),
            Part::Call(call) => {
                let (_, played) = player.call(&call).expect("it is whole");
                let rows: Vec<Vec<_>> =
                    (0..24).filter_map(|register| Some(played.rows(register)?.collect())).collect();
                got.push(rows);
            }
            Part::Note(text) => assert!(text.contains("measured")),
            part => panic!("{part:?}"),
        }
    }
    assert_eq!(got.len(), programs::ALL.len());
    // What the programs compute beside the capture.
    let engine = engine();
    for (fixed, got) in programs::ALL.iter().zip(got) {
        let config = fixed.config(Model::Ieee);
        let program = engine.decoded(fixed.program(), &config);
        let words = fixed.vertices(3);
        let mut streams: Vec<(u8, Vec<[u32; 4]>)> = Vec::new();
        for (at, &register) in fixed.attributes.iter().enumerate() {
            let rows = words.chunks_exact(fixed.input_words()).map(|vertex| vertex.as_chunks().0[at]);
            streams.push((register, if at == 1 { vec![[1, 2, 3, 4]; 3] } else { rows.collect() }));
        }
        let mut inputs = Inputs::new(3);
        for (register, rows) in &streams {
            inputs = inputs.with(usize::from(*register), Attribute::rows(rows));
        }
        let mut context = fixed.context();
        // The first sixteen rows are what the capture has; others stay as they were from call to call.
        for row in 16..context.rows().len() {
            context.set_row(row, [0; 4]);
        }
        let live: Vec<u8> = (0..24).filter(|register| program.needs().outputs >> register & 1 != 0).collect();
        let mut out = vec![0; 12 * live.len()];
        program
            .run(&mut Worker::new(), &mut context, &inputs, &mut Outputs::interleaved(&mut out, &live))
            .expect("streams are whole");
        for (place, rows) in got.iter().enumerate() {
            let want: Vec<[u32; 4]> =
                out.as_chunks().0.iter().skip(place).step_by(live.len()).copied().collect();
            assert_eq!(*rows, want, "{}", fixed.name);
        }
    }
}

/// A program that an engine has is recorded as what it is.
#[test]
fn programs_survive() {
    let engine = engine();
    for fixed in programs::ALL {
        let program = engine.decoded(fixed.program(), &fixed.config(Model::Hw));
        let recorded = Recorded::of(&program).expect("it has instructions");
        let mut writer = CallWriter::new(Vec::new()).expect("memory");
        assert_eq!(writer.program(&recorded).expect("memory"), 0);
        let file = writer.finish().expect("memory");
        let part = Reader::new(&file[..]).expect("it is one").part().expect("it is good");
        assert_eq!(part, Some(Part::Program(Box::new(recorded.clone()))));
        let again = engine.program(&recorded.words, recorded.start, &recorded.config).expect("it is one");
        assert!(Arc::ptr_eq(&again, &program), "{}: the same handle", fixed.name);
        let decoded = isa::decode(fixed.generation, &recorded.words, recorded.start).expect("it is one");
        assert_eq!(decoded.insns, fixed.program().insns);
    }
}

/// What programs are called is read as it was written; who plays it labels the programs, and what they compute stays.
#[test]
fn names_survive() {
    let engine = engine();
    let mut writer = CallWriter::new(Vec::new()).expect("memory");
    for fixed in &programs::ALL[..3] {
        let program = engine.decoded(fixed.program(), &fixed.config(Model::Hw));
        program.set_label(fixed.name).expect("it is short");
        let label = program.label().expect("it has one");
        let number = writer.program(&Recorded::of(&program).expect("it has instructions")).expect("memory");
        writer.name(number, &label).expect("memory");
    }
    writer.name(1, "").expect("it has none any more");
    writer.name(2, "\u{5149}; #2").expect("another one");
    let file = writer.finish().expect("memory");
    let fresh = self::engine();
    let (mut player, mut reader) =
        (CallPlayer::new(Arc::clone(&fresh)), Reader::new(&file[..]).expect("it is one"));
    let (mut names, mut recorded) = (Vec::new(), Vec::new());
    while let Some(part) = reader.part().expect("it is good") {
        match part {
            Part::Program(program) => {
                player.program(&program).expect("it is one");
                recorded.push(*program);
            }
            Part::Name { program, name } => {
                player.name(program, &name).expect("it is one");
                names.push((program, name));
            }
            part => panic!("{part:?}"),
        }
    }
    let [first, second, third] = [0, 1, 2].map(|number| programs::ALL[number].name.to_owned());
    let again = [(1, String::new()), (2, "\u{5149}; #2".to_owned())];
    assert_eq!(names, [[(0, first.clone()), (1, second), (2, third)].as_slice(), &again].concat());
    let label = |recorded: &Recorded| {
        fresh.program(&recorded.words, recorded.start, &recorded.config).expect("it is one").label()
    };
    let labels: Vec<_> = recorded.iter().map(label).collect();
    assert_eq!(labels, [Some(&*first), None, Some("\u{5149}; #2")].map(|label| label.map(Arc::from)));
    // One that is not there has no name.
    player.name(3, "nothing").expect("it is one");
}

#[test]
fn writers_refuse_what_readers_would() {
    let mut writer = CallWriter::new(Vec::new()).expect("memory");
    let call = |program| Call { program, count: 2, constants: Vec::new(), attributes: Vec::new() };
    let kind = |result: io::Result<()>| result.expect_err("it is refused").kind();
    assert_eq!(kind(writer.call(&call(0))), io::ErrorKind::InvalidInput);
    let program = engine().decoded(programs::ALL[0].program(), &programs::ALL[0].config(Model::Hw));
    let good = Recorded::of(&program).expect("it has instructions");
    let short = Recorded { words: good.words[..good.words.len() - 1].to_vec(), ..good.clone() };
    let outside = Recorded { start: 1000, ..good.clone() };
    let empty = Recorded { words: Vec::new(), ..good.clone() };
    for bad in [short, outside, empty, Recorded { start: usize::MAX, ..good.clone() }] {
        assert_eq!(
            writer.program(&bad).map(|_| ()).map_err(|error| error.kind()),
            Err(io::ErrorKind::InvalidInput)
        );
    }
    assert_eq!(
        writer.note(&"x".repeat((1 << 25) + 1)).map_err(|error| error.kind()),
        Err(io::ErrorKind::InvalidInput)
    );
    assert_eq!(kind(writer.name(0, "early")), io::ErrorKind::InvalidInput);
    assert_eq!(writer.program(&good).expect("memory"), 0);
    for bad in ["two\nlines", &"x".repeat(256)] {
        assert_eq!(kind(writer.name(0, bad)), io::ErrorKind::InvalidInput, "{bad}");
    }
    writer.call(&call(0)).expect("memory");
    let row = [0; 4];
    for bad in [
        Call { count: 65_537, ..call(0) },
        Call { constants: vec![(600, row)], ..call(0) },
        Call { constants: vec![(0, row); 1000], ..call(0) },
        Call { attributes: vec![(16, Stream::One(row))], ..call(0) },
        Call { attributes: vec![(1, Stream::One(row)), (0, Stream::One(row))], ..call(0) },
        Call { attributes: vec![(1, Stream::Each(vec![row]))], ..call(0) },
    ] {
        assert_eq!(kind(writer.call(&bad)), io::ErrorKind::InvalidInput, "{bad:?}");
    }
    let file = writer.finish().expect("memory");
    let mut reader = Reader::new(&file[..]).expect("it is one");
    assert!(matches!(reader.part(), Ok(Some(Part::Program(_)))));
    assert!(matches!(reader.part(), Ok(Some(Part::Call(_)))));
    assert_eq!(reader.part(), Ok(None));
}

/// Takes so many bytes, then fails.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fails once, and then takes all.
#[derive(Default)]
struct Hiccup {
    bytes: Vec<u8>,
    writes: usize,
    at: usize,
    flushes: bool,
}

impl Write for Hiccup {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        if self.writes == self.at {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.flushes) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

/// No capture is whole that lacks something.
#[test]
fn a_writer_that_has_failed_does_not_go_on() {
    use xfjit::xf::Chip;
    use xfjit::xf::trace::Item;
    // The file's header is a write, a block three.
    for at in 5..8 {
        let mut writer = UnitWriter::new(Hiccup { at, ..Hiccup::default() }, Chip::Nv2a).expect("memory");
        writer.item(&Item::Vertex).expect("it is kept back");
        writer.flush().expect_err("the block is not written");
        writer.item(&Item::Vertex).expect_err("there is no going on");
        writer.note("more").expect_err("there is no going on");
        writer.flush().expect_err("there is no going on");
        let mut unit = XfUnit::new(engine(), Chip::Nv2a);
        unit.record();
        writer.take(&mut unit).expect_err("there is no going on");
        assert!(writer.finish().is_err(), "{at}");
    }
    let mut writer = FlipperWriter::new(Hiccup { flushes: true, ..Hiccup::default() }).expect("memory");
    writer.flush().expect_err("it is not flushed");
    assert!(writer.finish().is_err());
    let mut writer = CallWriter::new(Hiccup { at: 6, ..Hiccup::default() }).expect("memory");
    let program = engine().decoded(programs::ALL[0].program(), &programs::ALL[0].config(Model::Hw));
    let program = Recorded::of(&program).expect("it has instructions");
    writer.program(&program).expect_err("it is not written");
    writer.program(&program).expect_err("there is no going on");
    assert!(writer.finish().is_err());
}

#[test]
fn flipper_s_writer_refuses_what_its_reader_would() {
    use xfjit::flipper::trace::Item;
    let mut writer = FlipperWriter::new(Vec::new()).expect("memory");
    let draw = |bytes: usize| Item::Draw { opcode: 0x90, count: 3, bytes: vec![7; bytes] };
    let items = [Item::LoadCp(0x50, 0x200), Item::LoadCp(0x70, 1)];
    items.iter().for_each(|item| writer.item(item).expect("memory"));
    for bytes in [0, 3, 8, 10] {
        let error = writer.item(&draw(bytes)).expect_err("the vertices have nine bytes");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
    // Nothing of a memory that ends behind its end.
    let error = writer.item(&Item::Memory((1 << 27) - 0x10_0001, vec![1; 0x10_0002]));
    assert_eq!(error.expect_err("there is none").kind(), io::ErrorKind::InvalidInput);
    writer.item(&draw(9)).expect("these are nine");
    let file = writer.finish().expect("what was refused is not there");
    let mut reader = Reader::new(&file[..]).expect("it is one");
    let mut parts = Vec::new();
    while let Some(part) = reader.part().expect("it is good") {
        parts.push(part);
    }
    assert_eq!((parts.len(), parts.last()), (3, Some(&Part::Flipper(draw(9)))));
    assert_eq!(reader.cut(), None);
}

#[test]
fn a_full_disk_is_an_error_and_memory_stays_bounded() {
    use xfjit::xf::trace::Item;
    let mut writer = UnitWriter::new(Full(60_000), xfjit::xf::Chip::Nv10).expect("there is room");
    let mut c = Choices::seed(3);
    let mut written = 0;
    let error = loop {
        // What cannot be compressed.
        match writer.item(&Item::RdiWrite { space: c.word(), address: c.word(), value: c.word() }) {
            Ok(()) => written += 16,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(written < 1 << 19, "a block is written when it is full");
}
