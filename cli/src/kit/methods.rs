//! Experiments of NVIDIA's chips as methods (kelvin.md 2, rankine_curie.md 1.5).

use super::experiment::Program;
use super::predict::position;
use super::push::Call;
use xfjit::isa::WORDS_PER_SLOT;
use xfjit::runtime::state::Row;

/// Methods that differ between the classes.
struct Class {
    program: u32,
    constant_pointer: u32,
    constant: u32,
}

const KELVIN: Class = Class { program: 0xb00, constant_pointer: 0x1ea4, constant: 0xb80 };
const CURIE: Class = Class { program: 0xb80, constant_pointer: 0x1efc, constant: 0x1f00 };

const PROGRAM_POINTER: u32 = 0x1e9c;
const START: u32 = 0x1ea0;
/// Which pipeline runs, and what it may read.
pub const EXECUTION: u32 = 0x1e94;
const CONSTANT_WRITES: u32 = 0x1e98;
const PARAMETER: u32 = 0x1e80;
const LAUNCH: u32 = 0x1e90;
/// Waits until nothing runs. No method of this unit; nxdk's programs end with it before they read memories.
const WAIT_FOR_IDLE: u32 = 0x110;
const TIMEOUT: u32 = 0x1ef8;
const OUTPUT_MAP: u32 = 0x1fc4;
const INPUT_MASK: u32 = 0x1ff0;
const OUTPUT_MASK: u32 = 0x1ff4;
/// Begins a primitive, or ends it with 0 (the headers of Curie's class in Mesa's `nv30-40_3d.xml.h`, and RPCS3).
const BEGIN_END: u32 = 0x1808;
/// The primitive that each experiment draws, in every class.
pub const POINTS: u32 = 1;
/// Four floats of an attribute; the last one of attribute 0 draws a vertex (the same sources).
const ATTRIBUTE: u32 = 0x1c00;

/// Kelvin's programs, which read all constants.
const KELVIN_PROGRAMS: u32 = 2 | 1 << 2;
/// Curie's programs under the rules that RSX runs, whose position is in pixels: no viewport transform.
const CURIE_PROGRAMS: u32 = 1 | 1 << 4 | 1 << 8;
/// As many instructions as a vertex can have, 32 temporaries.
const MOST_INSTRUCTIONS: u32 = 0xffff | 2 << 20;
/// What drivers write: colours in o1 and o2.
const COLOURS: u32 = 0x0614_4321;

/// Methods so far.
struct Calls(Vec<Call>);

impl Calls {
    fn send(&mut self, method: u32, value: u32) {
        self.0.push(Call { method, value });
    }

    fn row(&mut self, method: u32, row: &Row) {
        (method..).step_by(4).zip(row).for_each(|(method, &value)| self.send(method, value));
    }

    fn load(&mut self, class: &Class, program: &Program, rows: &[(u16, Row)]) {
        self.send(PROGRAM_POINTER, 0);
        let (slots, _) = program.words.as_chunks::<WORDS_PER_SLOT>();
        slots.iter().for_each(|slot| self.row(class.program, slot));
        for (row, words) in rows {
            self.send(class.constant_pointer, (*row).into());
            self.row(class.constant, words);
        }
    }
}

/// A state program for the Xbox.
pub fn nv2a(program: &Program) -> Vec<Call> {
    let mut calls = Calls(Vec::new());
    calls.load(&KELVIN, program, &program.constants);
    calls.send(EXECUTION, KELVIN_PROGRAMS);
    calls.send(CONSTANT_WRITES, 1);
    program.inputs.iter().for_each(|input| calls.row(PARAMETER, input));
    calls.send(LAUNCH, program.start as u32);
    calls.send(WAIT_FOR_IDLE, 0);
    calls.0
}

/// Points for the PlayStation 3: v0 is the place in pixels, v1 the input, o1 the colour.
pub fn rsx(program: &Program) -> Vec<Call> {
    let mut calls = Calls(Vec::new());
    calls.load(&CURIE, program, &program.constants);
    calls.send(EXECUTION, CURIE_PROGRAMS);
    calls.send(START, program.start as u32);
    calls.send(TIMEOUT, MOST_INSTRUCTIONS);
    calls.send(OUTPUT_MAP, COLOURS);
    calls.send(INPUT_MASK, 0b11);
    calls.send(OUTPUT_MASK, 1);
    calls.send(BEGIN_END, POINTS);
    for (point, input) in (0..).zip(&program.inputs) {
        calls.row(ATTRIBUTE + 16, input);
        calls.row(ATTRIBUTE, &position(point));
    }
    calls.send(BEGIN_END, 0);
    calls.0
}
