//! Traces: text, errors, recordings.

use crate::{ONE, TWO, copying, rows, unit, vector, word};
use xfjit::runtime::batch::Inputs;
use xfjit::runtime::format::{ByteOrder, Encoding, Format};
use xfjit::xf::trace::{Item, Reply};
use xfjit::xf::{Chip, Command, Register, Trace, Type};

const ALL_FORMS: &str = "\
chip nv2a
XFPR 0x3.xy 00000001 00000002
VAB 0x0.x 0x3fc00000
vertex
set outputs 0x1
read XFCTX 0x3.x
rdi 0x17 0x40
rdi 0x17 0x40 0x3f800000
SYNC 0x0.zw 0x00000007 0x00000007
T3 0x0.y 0x00000000
";

#[test]
fn the_text_of_a_trace_reads_back_as_it_is() {
    let trace = Trace::parse(ALL_FORMS).expect("it is one");
    assert_eq!(trace.to_string(), ALL_FORMS);
    assert_eq!(trace.items.len(), ALL_FORMS.lines().count() - 1);
}

#[test]
fn other_spellings_mean_the_same() {
    let text = "# a comment\n\n  chip nv2a ; another\r\n\tXFPR 3.xy 1 0x2\nVAB 0.x 1.5 # 1.5\nwrapped 0x17000 0x5 0x6\nmethod 0x1ea4 0x60\nmethod 0xb80 1.0";
    let trace = Trace::parse(text).expect("it is one");
    let want = [
        Item::Command(Command::pair(Type::Xfpr, 3, 0, [1, 2])),
        Item::Command(Command::word(Type::Vab, 0, 0, 0x3fc0_0000)),
        Item::Command(Command::pair(Type::Mode, 0, 0, [5, 6])),
        Item::Command(Command::word(Type::Xfctx, 0x60, 0, ONE)),
    ];
    assert_eq!(trace.items, want);
}

#[track_caller]
fn error(text: &str, want: &str) {
    let errors = Trace::parse(text).expect_err("it is none");
    assert_eq!(errors[0].to_string(), want);
    assert!(text.get(errors[0].span.clone()).is_some());
    errors[0].render(text);
}

#[test]
fn errors_name_line_and_column() {
    error("", "1:1: the trace is empty");
    error("# nothing\n\n", "3:1: the trace is empty");
    error("vertex", "1:1: the chip is missing");
    error("chip", "1:5: a chip is missing");
    error("chip nv1", "1:6: no chip `nv1`");
    error("chip nv20\nchip nv20", "2:1: the chip is already named");
    error("chip nv20 nv25", "1:11: nothing more is expected here");
    error("chip nv20\n  VAX 0.x 0", "2:3: `VAX` is not a command");
    error("chip nv20\nVAB 0 0", "2:5: `0` names no words");
    error("chip nv20\nVAB 0.yz 0 0", "2:5: `yz` is not x, y, z, w, xy or zw");
    error("chip nv20\nVAB 0x100.x 0", "2:5: there is no slot 0x100; the last one is 0xff");
    error("chip nv20\nVAB 0.x", "2:8: a word is missing");
    error("chip nv20\nVAB 0.xy 0", "2:11: a second word is missing");
    error("chip nv20\nVAB 0.x 0 0", "2:11: nothing more is expected here");
    error("chip nv20\nVAB 0.x 123456789", "2:9: `123456789` is not a word");
    // Which of both numbers is meant?
    error("chip nv20\nVAB 0.x 10000000", "2:9: `10000000` is not a word");
    error("chip nv20\nVAB 0.x 0x100000000", "2:9: `0x100000000` is not a word");
    error("chip nv20\nXFPR 0.x 1.5", "2:10: `1.5` is not a word");
    error("chip nv10\nset outputs 0x1", "2:5: nv10 has no register `outputs`");
    error("chip nv20\nset timeout 1", "2:5: nv20 has no register `timeout`");
    error("chip nv20\nVAB 0.x 1.x", "2:9: `1.x` is not a word");
    error("chip nv20\nVAB é.x 1", "2:5: `é` is not a number");
    error("chip nv20\nset start 4294967296", "2:11: `4294967296` is not a number");
    error("chip nv20\nset stop 1", "2:5: no register `stop`");
    error("chip nv20\nread VAB 0.xy", "2:10: a read has exactly one word");
    error("chip nv20\nwrapped 0x5000 0", "2:9: address 0x5000 is not a wrapped XF command");
    error("chip nv20\nmethod 0x100 0", "2:8: method 0x0100 does not load the unit");
    error("chip nv20\nrdi 0x17", "2:9: an address is missing");
}

#[test]
fn several_errors_are_reported_at_once_but_not_too_many() {
    let text = format!("chip nv20\n{}", "nonsense\n".repeat(100));
    assert_eq!(Trace::parse(&text).expect_err("it is none").len(), xfjit::text::MAX_ERRORS);
}

#[test]
fn a_recording_replays_to_the_same() {
    let mut unit = copying(Chip::Nv30);
    word(&mut unit, Type::Vab, 0, 0, TWO);
    // It begins with the state that there is by now.
    unit.record();
    unit.vertex();
    unit.command(Command::pair(Type::Passthru, 0, 0, [4, 5]));
    assert!(unit.rdi_write(0x17, 0, 1).is_ok());
    let trace = unit.recorded().expect("it was recording");
    assert!(unit.recorded().is_none());
    let want = (crate::seen(&mut unit), unit.save());
    let mut other = crate::unit(Chip::Nv30);
    let trace = Trace::parse(&trace.to_string()).expect("its own text");
    assert_eq!(trace.chip, Chip::Nv30);
    trace.items.iter().for_each(|item| assert_eq!(other.play(item), Reply::None));
    assert_eq!((crate::seen(&mut other), other.save()), want);
}

#[test]
fn registers_that_a_chip_lacks_are_no_part_of_a_recording() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        unit.record();
        Register::ALL.iter().for_each(|&register| unit.set(register, 1));
        let trace = unit.recorded().expect("it was recording");
        assert_eq!(Trace::parse(&trace.to_string()).expect("its own text"), trace, "{chip:?}");
    }
}

#[test]
fn a_restored_state_is_part_of_the_recording() {
    for &chip in Chip::ALL {
        let mut source = unit(chip);
        for slot in 0..7 {
            vector(&mut source, Type::Vab, slot, [TWO; 4]);
            vector(&mut source, Type::Xfctx, slot, [TWO; 4]);
            vector(&mut source, Type::Ltctx, slot, [TWO; 4]);
        }
        let _ = source.rdi_write(0x16, 16 * 0x33 + 12, 1);
        source.set(Register::Start, 0x123);
        let state = source.save();
        let mut unit = unit(chip);
        vector(&mut unit, Type::Xfctx, 30, [ONE; 4]);
        unit.record();
        unit.restore(&state).expect("the same chip");
        let trace = unit.recorded().expect("it was recording");
        let mut other = crate::unit(chip);
        trace.items.iter().for_each(|item| assert_eq!(other.play(item), Reply::None));
        assert_eq!(other.save(), state, "{chip:?}");
    }
}

#[test]
fn items_answer_what_they_read() {
    let text = "chip nv15\nXFCTX 1.xy 0x1 0x2\nXFCTX 1.zw 0x3 0x4\nread XFCTX 1.z\nread MODE 0.x\nrdi 0x17 0\nrdi 0x17 0 0x1";
    let trace = Trace::parse(text).expect("it is one");
    let mut unit = unit(trace.chip);
    let replies: Vec<Reply> = trace.items.iter().map(|item| unit.play(item)).collect();
    assert_eq!(replies[..2], [Reply::None; 2]);
    assert_eq!(replies[2], Reply::Read(Ok(3)));
    assert!(matches!(replies[3], Reply::Read(Err(_))));
    assert!(matches!(replies[4], Reply::Rdi(Err(_))));
    assert!(matches!(replies[5], Reply::RdiFailed(_)));
    assert_eq!(rows(&mut unit).len(), 0);
}

/// Plays what a unit has recorded on another one of its chip.
fn replayed(recorded: &Trace) -> xfjit::XfUnit {
    let text = recorded.to_string();
    assert_eq!(Trace::parse(&text).expect("it is one").items, recorded.items, "{text}");
    let mut other = unit(recorded.chip);
    recorded.items.iter().for_each(|item| {
        let _ = other.play(item);
    });
    other
}

#[test]
fn a_recorded_colour_without_alpha_keeps_that_of_its_format() {
    let format = Format { encoding: Encoding::Rgb565, components: 3, order: ByteOrder::Host, fraction: 0 };
    for chip in [Chip::Nv15, Chip::Nv2a, Chip::Nv43] {
        let mut unit = unit(chip);
        unit.record();
        let colours = Inputs::new(1).formatted(3, &[0xff, 0xff], 2, format);
        unit.draw(colours, 1 << 3).expect("the array holds it");
        assert_eq!(unit.attribute(3), [255f32.to_bits(); 4], "{}", chip.name());
        let recorded = unit.recorded().expect("it records");
        assert_eq!(replayed(&recorded).attribute(3), unit.attribute(3), "{}", chip.name());
    }
}

#[test]
fn calls_that_do_nothing_are_not_recorded() {
    for chip in [Chip::Nv15, Chip::Nv2a] {
        let mut unit = unit(chip);
        let (state, tbuf) = (unit.save(), unit.tbuf(0));
        unit.record();
        for register in [30, 256] {
            unit.set_tbuf(register, [ONE; 4]);
        }
        assert!(unit.read(Type::Vab, 1000, 0).is_err());
        assert_eq!(unit.recorded().expect("it records").items, [], "{}", chip.name());
        unit.record();
        unit.restore(&state).expect("it is its own");
        assert_eq!(replayed(&unit.recorded().expect("it records")).tbuf(0), tbuf);
    }
}
