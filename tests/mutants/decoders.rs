//! Faulty decoders: a field stands a bit off, or is a bit narrower; something of what is decoded is forgotten, or taken for something
//! else.
//!
//! A field that stands elsewhere is the same as words that have in the field what stands there, since decoders read words by their
//! tables of fields alone. Interpreter and compiler both run what is decoded, so figures must find the fault that neither has made:
//! a second reading of Kelvin's words, the hardware model's programs, a second reading of slots, emulators' programs.

use crate::lines;
use crate::pieces::{Piece, Whose, pieces};
use crate::printed::{agrees, printed};
use crate::tally;
use std::fmt;
use std::sync::OnceLock;
use xfjit::isa::{self, Bank, Condition, Insn, Mask, OutTarget, ScaOp, Swizzle, Test, Unit, VecOp};
use xfjit::{Generation, isa::Program};
use xfjit_isa::isa::layout::layout;

/// One of so many is tried by default.
const ONE_IN: usize = 12;

/// What has found a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Finder {
    /// A second reading of Kelvin's words.
    Words,
    /// Figures.
    Figures(Whose),
    /// Nothing.
    Nothing,
}

/// How a field is misread.
#[derive(Clone, Copy, Debug)]
enum Misread {
    /// A bit higher.
    Higher,
    /// A bit lower.
    Lower,
    /// Without its highest bit.
    Narrower,
}

/// What is wrong with a decoder.
#[derive(Clone)]
enum Fault {
    /// The bits from the first number to the second.
    Field(String, u32, u32, Misread),
    /// One operation is another one.
    Vec(VecOp, VecOp),
    Sca(ScaOp, ScaOp),
    /// Something else of instructions.
    Insn(&'static str, fn(&mut Insn)),
}

/// A faulty decoder of a generation.
struct Mutant {
    generation: Generation,
    fault: Fault,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.generation.name())?;
        match &self.fault {
            Fault::Field(name, _, _, how) => write!(f, "{name}: {how:?}"),
            Fault::Vec(op, other) => write!(f, "{op:?} is {other:?}"),
            Fault::Sca(op, other) => write!(f, "{op:?} is {other:?}"),
            Fault::Insn(what, _) => write!(f, "{what}"),
        }
    }
}

/// A mask without its last component.
fn less(mask: Mask) -> Mask {
    Mask(mask.0 & mask.0.wrapping_sub(1))
}

fn swapped(insn: &mut Insn, slot: usize, a: usize, b: usize) {
    insn.src[slot].swizzle.0.swap(a, b);
}

fn next_temp(insn: &mut Insn, slot: usize) {
    if let Bank::Temp(number) = &mut insn.src[slot].bank {
        *number ^= 1;
    }
}

/// The next test, in a circle.
fn next(test: Test) -> Test {
    Test::ALL[(test as usize + 1) % 8]
}

/// A fault of a decoded instruction.
type Mistake = fn(&mut Insn);

/// What can be forgotten of an instruction, or mistaken.
const INSNS: &[(&str, Mistake)] = &[
    ("sources A and B change places", |insn| insn.src.swap(0, 1)),
    ("sources A and C change places", |insn| insn.src.swap(0, 2)),
    ("sources B and C change places", |insn| insn.src.swap(1, 2)),
    ("x and y of A's swizzle change places", |insn| swapped(insn, 0, 0, 1)),
    ("z and w of A's swizzle change places", |insn| swapped(insn, 0, 2, 3)),
    ("x and y of B's swizzle change places", |insn| swapped(insn, 1, 0, 1)),
    ("z and w of B's swizzle change places", |insn| swapped(insn, 1, 2, 3)),
    ("x and y of C's swizzle change places", |insn| swapped(insn, 2, 0, 1)),
    ("z and w of C's swizzle change places", |insn| swapped(insn, 2, 2, 3)),
    ("A's sign stays", |insn| insn.src[0].negate = false),
    ("B's sign stays", |insn| insn.src[1].negate = false),
    ("C's sign stays", |insn| insn.src[2].negate = false),
    ("A is not made positive", |insn| insn.src[0].absolute = false),
    ("B is not made positive", |insn| insn.src[1].absolute = false),
    ("C is not made positive", |insn| insn.src[2].absolute = false),
    ("A is another temporary", |insn| next_temp(insn, 0)),
    ("B is another temporary", |insn| next_temp(insn, 1)),
    ("C is another temporary", |insn| next_temp(insn, 2)),
    ("another attribute", |insn| insn.input ^= 1),
    ("another constant", |insn| insn.constant ^= 1),
    ("constants have no index", |insn| insn.indexed = false),
    ("attributes have no index", |insn| insn.input_indexed = false),
    ("outputs have no index", |insn| insn.output_indexed = false),
    ("the index is of the other register", |insn| insn.address.reg ^= 1),
    ("the index is another component", |insn| insn.address.component ^= 1),
    ("writes have no condition", |insn| insn.condition = Condition::ALWAYS),
    ("writes have another test", |insn| insn.condition.test = next(insn.condition.test)),
    ("conditions have no swizzle", |insn| insn.condition.swizzle = Swizzle::IDENTITY),
    ("the condition is in the other register", |insn| insn.condition.reg ^= 1),
    ("nothing is clamped", |insn| insn.saturate = false),
    ("everything is clamped", |insn| insn.saturate = true),
    ("the vector unit writes another temporary", |insn| insn.vec_dst.reg ^= 1),
    ("the vector unit writes a component less", |insn| insn.vec_dst.mask = less(insn.vec_dst.mask)),
    ("the scalar unit writes another temporary", |insn| insn.sca_dst.reg ^= 1),
    ("the scalar unit writes a component less", |insn| insn.sca_dst.mask = less(insn.sca_dst.mask)),
    ("another address register is written", |insn| insn.address_dst.reg ^= 1),
    ("an address register gets a component less", |insn| insn.address_dst.mask = less(insn.address_dst.mask)),
    ("condition codes are not written", |insn| insn.code = None),
    ("other condition codes are written", |insn| insn.code.iter_mut().for_each(|code| code.reg ^= 1)),
    ("condition codes have a component less", |insn| {
        insn.code.iter_mut().for_each(|code| code.mask = less(code.mask));
    }),
    ("condition codes are of the other unit", |insn| {
        insn.code.iter_mut().for_each(|code| {
            code.from = if code.from == Unit::Vec { Unit::Sca } else { Unit::Vec };
        });
    }),
    ("nothing goes to outputs", |insn| insn.out = None),
    ("outputs take the other unit's result", |insn| {
        insn.out.iter_mut().for_each(|out| (out.vec, out.sca) = (out.sca, out.vec));
    }),
    ("outputs have a component less of the vector unit", |insn| {
        insn.out.iter_mut().for_each(|out| out.vec = less(out.vec));
    }),
    ("outputs have a component less of the scalar unit", |insn| {
        insn.out.iter_mut().for_each(|out| out.sca = less(out.sca));
    }),
    ("another output", |insn| {
        if let Some(OutTarget::Output(register)) = insn.out.as_mut().map(|out| &mut out.target) {
            *register ^= 1;
        }
    }),
    ("another constant is written", |insn| {
        if let Some(OutTarget::Constant(row)) = insn.out.as_mut().map(|out| &mut out.target) {
            *row ^= 1;
        }
    }),
    ("branches go a slot further", |insn| {
        if insn.sca.names_slot() {
            insn.branch.target += 1;
        }
    }),
    ("branches have no condition", |insn| insn.branch.condition = Condition::ALWAYS),
    ("branches have another test", |insn| insn.branch.condition.test = next(insn.branch.condition.test)),
    ("branches have no swizzle", |insn| insn.branch.condition.swizzle = Swizzle::IDENTITY),
    ("branches ask the other register", |insn| insn.branch.condition.reg ^= 1),
    ("branches ask another boolean", |insn| {
        if insn.sca.is_on_boolean() {
            insn.branch.bit ^= 1;
        }
    }),
    ("branches want the other boolean", |insn| {
        if insn.sca.is_on_boolean() {
            insn.branch.polarity ^= true;
        }
    }),
    ("another texture", |insn| insn.texture ^= 1),
];

impl Mutant {
    fn all() -> Vec<Mutant> {
        let mut all = Vec::new();
        for &generation in Generation::ALL {
            let mut add = |fault| all.push(Mutant { generation, fault });
            let layout = layout(generation);
            let mut places: Vec<(String, u32, u32)> = Vec::new();
            for field in layout.slot {
                match field.name.strip_prefix("src_") {
                    None => places.push((field.name.to_owned(), field.lo, field.hi)),
                    Some(source) => places.extend(layout.source.iter().map(|part| {
                        (format!("{} of {source}", part.name), field.lo + part.lo, field.lo + part.hi)
                    })),
                }
            }
            for (name, low, high) in places {
                for how in [Misread::Higher, Misread::Lower, Misread::Narrower] {
                    if low > 0 || !matches!(how, Misread::Lower) {
                        add(Fault::Field(name.clone(), low, high, how));
                    }
                }
            }
            let vec: Vec<VecOp> = VecOp::ALL.iter().copied().filter(|op| op.since() <= generation).collect();
            let sca: Vec<ScaOp> = ScaOp::ALL.iter().copied().filter(|op| op.since() <= generation).collect();
            vec.iter().zip(vec.iter().cycle().skip(1)).for_each(|(&op, &other)| add(Fault::Vec(op, other)));
            sca.iter().zip(sca.iter().cycle().skip(1)).for_each(|(&op, &other)| add(Fault::Sca(op, other)));
            INSNS.iter().for_each(|&(what, change)| add(Fault::Insn(what, change)));
        }
        all
    }

    /// What the decoder takes the words of a slot for.
    fn words(&self, words: [u32; 4]) -> [u32; 4] {
        let Fault::Field(_, low, high, how) = self.fault else { return words };
        let [d0, d1, d2, d3] = words.map(u128::from);
        let bits = d0 << 96 | d1 << 64 | d2 << 32 | d3;
        let mask = (1u128 << (high - low)) - 1;
        let read = match how {
            Misread::Higher => bits >> (low + 1) & mask,
            Misread::Lower => bits >> (low - 1) & mask,
            Misread::Narrower => bits >> low & mask >> 1,
        };
        let bits = bits & !(mask << low) | read << low;
        [96, 64, 32, 0].map(|shift| (bits >> shift) as u32)
    }

    /// What it makes of an instruction.
    fn insn(&self, insn: &mut Insn) {
        match self.fault {
            Fault::Field(..) => {}
            Fault::Vec(op, other) if insn.vec == op => insn.vec = other,
            Fault::Sca(op, other) if insn.sca == op => insn.sca = other,
            Fault::Vec(..) | Fault::Sca(..) => {}
            Fault::Insn(_, change) => change(insn),
        }
    }

    /// What it makes of a program; nothing if it refuses it.
    fn program(&self, piece: &Piece) -> Option<Program> {
        let slots = piece.words.as_chunks::<4>().0;
        let words: Vec<u32> = slots.iter().flat_map(|&slot| self.words(slot)).collect();
        let mut program = piece.decoded(&words)?;
        program.insns.iter_mut().for_each(|insn| self.insn(insn));
        Some(program)
    }

    fn finder(&self) -> Option<Finder> {
        let mut is_changed = false;
        if self.generation == Generation::Kelvin {
            for (words, reading) in readings() {
                let decode = |words| isa::decode_insn(Generation::Kelvin, isa::Reading::default(), words);
                let mut insn = decode(self.words(*words));
                self.insn(&mut insn);
                is_changed |= insn != decode(*words);
                if !agrees(reading, &printed(&insn, reading)) {
                    return Some(Finder::Words);
                }
            }
        }
        for piece in pieces() {
            if piece.config.generation != self.generation || piece.whose == Whose::Interpreter {
                continue;
            }
            let program = self.program(piece);
            if program.as_ref() == Some(&piece.program()) {
                continue;
            }
            is_changed = true;
            if !program.is_some_and(|program| piece.is_interpreted(&program)) {
                return Some(Finder::Figures(piece.whose));
            }
        }
        is_changed.then_some(Finder::Nothing)
    }
}

/// Words of Kelvin, and what a second reading says of them.
fn readings() -> &'static [([u32; 4], String)] {
    static READINGS: OnceLock<Vec<([u32; 4], String)>> = OnceLock::new();
    READINGS.get_or_init(|| {
        let text = lines::unpacked(include_bytes!("../data/readings/kelvin.txt.xz"));
        let case = |line: &str| {
            let (words, reading) = lines::case(line);
            (lines::words(words), reading.to_owned())
        };
        text.lines().map(case).collect()
    })
}

#[test]
fn every_fault_of_a_decoder_is_found() {
    pieces();
    readings();
    let text = |mutant: &Mutant| mutant.to_string();
    let reasons = tally::reasons("decoders.txt");
    tally::check(&Mutant::all(), ONE_IN, Finder::Nothing, &reasons, text, Mutant::finder);
}
