//! Programs whose cost is built in: what `xfjit prof` says of them is compared with what is known. It measures time, so these tests are for
//! an idle machine, and run by hand:
//!
//! ```sh
//! cargo test --release -p xfjit-cli --test prof_truth -- --ignored --test-threads 1 --nocapture
//! ```
#![cfg(target_os = "linux")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command as Process;
use xfjit::capture::UnitWriter;
use xfjit::chip::Chip;
use xfjit::runtime::state::Row;
use xfjit::xf::trace::Item;
use xfjit::xf::{Command, Register, Type};
use xfjit::{Generation, asm, isa};

/// What a report may be wrong by, as a part of a program's time.
const CLOSE: f64 = 0.05;

const ONE: u32 = 0x3f80_0000;
const NAN: u32 = 0x7fc0_0000;

/// Commands of the Xbox's unit.
#[derive(Default)]
struct Stream(Vec<Item>);

impl Stream {
    fn vector(&mut self, kind: Type, slot: u16, [x, y, z, w]: Row) {
        self.0.push(Item::Command(Command::pair(kind, slot, 0, [x, y])));
        self.0.push(Item::Command(Command::pair(kind, slot, 2, [z, w])));
    }

    fn program(&mut self, text: &str) {
        let program = asm::parse(Generation::Kelvin, text).expect("it is a program");
        let code = isa::encode(Generation::Kelvin, &program);
        for (slot, &words) in (0..).zip(code.as_chunks::<4>().0) {
            self.vector(Type::Xfpr, slot, words);
        }
        (0..96).for_each(|row| self.vector(Type::Xfctx, row, [ONE; 4]));
        self.vector(Type::Mode, 0, [2 << 30 | 1 << 18, 0, 0, 0]);
        self.0.push(Item::Set(Register::Start, 0));
        self.0.push(Item::Set(Register::Outputs, 1));
    }

    /// A draw, in which some vertices have a second attribute that is no number: those in the middle of a group, spread evenly.
    fn draw(&mut self, vertices: usize, nans: usize) {
        // What has been set again ends a draw.
        self.0.push(Item::Set(Register::Start, 0));
        self.vector(Type::Xfctx, 0, [ONE + self.0.len() as u32; 4]);
        for number in 0..vertices {
            let is_nan = (number + 1) * nans / vertices != number * nans / vertices;
            let words = [ONE + number as u32, ONE, ONE + 3, ONE];
            self.vector(Type::Vab, 1, if is_nan { [NAN; 4] } else { words });
            self.vector(Type::Vab, 0, words);
            self.0.push(Item::Vertex);
        }
    }

    /// What `xfjit prof` says of it.
    fn report(&self, name: &str) -> Value {
        let mut writer = UnitWriter::new(Vec::new(), Chip::Nv2a).expect("memory takes all");
        self.0.iter().for_each(|item| writer.item(item).expect("memory takes all"));
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.capture"));
        std::fs::write(&file, writer.finish().expect("memory takes all")).expect("a file for the test");
        let mut command = Process::new(env!("CARGO_BIN_EXE_xfjit"));
        let output = command
            .args(["prof", "--format", "json", "--times", "2000", "--sampled", "3000"])
            .arg(&file)
            .output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Behind a group that is left native code begins anew, without the groups before it under way: so much longer its own slots take.
const BEGIN_ANEW: f64 = 100.0;

/// Each vertex with a NaN is interpreted: what a play takes longer than without is what the report charges to the interpreter.
#[test]
#[ignore = "measures time"]
fn what_guarded_vertices_cost_is_charged_to_the_interpreter() {
    let text = "DP4 r0, v1, c[0]\nMAD r1, v0, c[0], r0\nDP3 r2, r1, c[2]\nRSQ r3, r2.x\nMUL oPos, r1, r3.x";
    for nans in [1, 10, 48, 240, 480] {
        // Both in one play, so that the machine is the same for both; by another register it is another program.
        let mut stream = Stream::default();
        stream.program(text);
        stream.draw(480, 0);
        stream.program(&text.replace("r0", "r4"));
        stream.draw(480, nans);
        let report = stream.report(&format!("guarded{nans}"));
        let programs = report["programs"].as_array().expect("programs");
        let find = |is_guarded: bool| {
            let is_it = |program: &&Value| (number(&program["guarded_vertices"]) > 0.0) == is_guarded;
            programs.iter().find(is_it).expect("it is there")
        };
        let (plain, guarded) = (find(false), find(true));
        assert_eq!(number(&guarded["guarded_vertices"]), nans as f64);
        assert_eq!(number(&plain["fallback_ns"]), 0.0);
        let (ns, fallback) = (number(&guarded["ns"]), number(&guarded["fallback_ns"]));
        let slots = guarded["slots"].as_array().expect("slots");
        let slots: f64 = slots.iter().map(|slot| number(&slot["ns"])).sum();
        let known = ns - number(&plain["ns"]);
        let anew = BEGIN_ANEW * number(&guarded["guarded"]);
        println!(
            "{nans} of 480: {ns:.0} ns, {fallback:.0} of them the interpreter's, {known:.0} known, slots {slots:.0}"
        );
        let missing = known - fallback;
        assert!(
            (-CLOSE * ns..=CLOSE * ns + anew).contains(&missing),
            "{nans}: {fallback} of {ns}, known {known}"
        );
        assert!(slots <= (ns - fallback) * (1.0 + 1e-6), "{nans}: {slots} beside {fallback} of {ns}");
    }
}

/// A slot that takes most of a program: what the program takes less without it is the slot's.
#[test]
#[ignore = "measures time"]
fn a_slow_slot_has_its_time() {
    // Enough of other work that the processor is busy throughout: where it waits for memory, work costs nothing.
    let chain = |count: usize| "MUL r0, r0, c[0]\nDP4 r1.x, r0, c[2]\nMIN r0.x, r1.x, c[0]\n".repeat(count);
    let mut stream = Stream::default();
    stream.program(&format!("MOV r0, v0\n{}MUL oPos, r0, c[0]", chain(12)));
    stream.draw(960, 0);
    stream.program(&format!("MOV r0, v0\n{}RSQ r0.x, r0.x\n{}MUL oPos, r0, c[0]", chain(6), chain(6)));
    stream.draw(960, 0);
    let report = stream.report("slow");
    let find = |count: usize| {
        let programs = report["programs"].as_array().expect("programs");
        let is_it = |program: &&Value| program["slots"].as_array().is_some_and(|slots| slots.len() == count);
        programs.iter().find(is_it).expect("it is there")
    };
    let (without, program) = (find(38), find(39));
    let all = program["slots"].as_array().expect("slots");
    let slot = all.iter().find(|slot| slot["place"] == "slot 19").expect("it is there");
    assert!(slot["text"].as_str().is_some_and(|text| text.starts_with("RSQ")), "{slot}");
    let (ns, slot) = (number(&program["ns"]), number(&slot["ns"]));
    let known = ns - number(&without["ns"]);
    println!("{slot:.0} ns of {ns:.0} are the slot's, {known:.0} known");
    assert!((slot - known).abs() <= CLOSE * ns, "{slot} of {ns}, known {known}");
}

/// One draw of many has most of the vertices: it has its part of the time.
#[test]
#[ignore = "measures time"]
fn a_dear_draw_has_its_time() {
    let text = "DP4 oPos.x, v0, c[0]\nDP4 oPos.y, v0, c[1]\nDP4 oPos.z, v0, c[2]\nDP4 oPos.w, v0, c[3]";
    let mut stream = Stream::default();
    stream.program(text);
    [480, 480, 9600, 480, 480].into_iter().for_each(|vertices| stream.draw(vertices, 0));
    // Another program does the same work.
    stream.program(&text.replace("v0", "v1"));
    stream.draw(9600, 0);
    let all = stream.report("dear");
    let programs = all["programs"].as_array().expect("programs");
    let find = |vertices: f64| {
        programs.iter().position(|program| number(&program["vertices"]) == vertices).expect("it is there")
    };
    let (dear, alone) = (find(11520.0), find(9600.0));
    let known = number(&programs[alone]["ns"]);
    assert_eq!(programs[dear]["draw"], 2);
    let parts = all["over"]["parts"].as_array().expect("parts");
    let of = |draw: Option<u32>| -> f64 {
        let own = parts.iter().filter(|part| part[1] == dear && draw.is_none_or(|draw| part[0] == draw));
        own.map(|part| number(&part[4])).sum()
    };
    let ns = number(&programs[dear]["ns"]);
    let (dear, sum) = (of(Some(2)), of(None));
    println!("{dear:.0} ns of {ns:.0} are the draw's, {known:.0} known");
    assert!((dear - known).abs() <= CLOSE * ns, "{dear} of {ns}, known {known}");
    assert!((sum - ns).abs() <= CLOSE * ns, "{sum} of {ns}");
}
