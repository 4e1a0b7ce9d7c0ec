//! Random command streams for the unit as a device, and what must hold of every stream.

use super::branching;
use super::choices::Choices;
use super::operand::{self, Temper};
use super::program::{self, Shape};
use crate::backend::Interp;
use crate::chip::mode::{Mode, Name};
use crate::isa::Generation;
use crate::xf::trace::{Item, Reply, Trace};
use crate::xf::{Chip, Command, Form, Output, Register, Type, XfUnit};
use crate::{Config, Engine, Model, Options};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A command stream; every one is defined.
pub fn commands(c: &mut Choices<'_>) -> Trace {
    let chip = c.pick(&[
        Chip::Nv2a,
        Chip::Nv20,
        Chip::Nv25,
        Chip::Nv10,
        Chip::Nv15,
        Chip::Nv30,
        Chip::Nv34,
        Chip::Nv40,
        Chip::Nv41,
        Chip::Nv43,
    ]);
    let mut writer = Writer { chip, items: Vec::new() };
    // Loops would otherwise cost a test minutes.
    if chip.sizes().xtra > 0 {
        writer.word(Type::Xtra, 2, 0, c.below(200));
    } else if Register::Timeout.exists(chip) {
        writer.items.push(Item::Set(Register::Timeout, c.below(200)));
    }
    writer.program(c);
    if c.chance(90) {
        writer.mode(c);
    }
    for _ in 0..c.below(60) {
        writer.step(c);
    }
    Trace { chip, items: writer.items }
}

/// A number: mostly an ordinary one.
fn operand(c: &mut Choices<'_>) -> u32 {
    operand::word(c, Temper::Mixed)
}

/// A stream in the making.
struct Writer {
    chip: Chip,
    items: Vec<Item>,
}

impl Writer {
    fn word(&mut self, kind: Type, slot: u16, word: u8, value: u32) {
        self.items.push(Item::Command(Command::word(kind, slot, word, value)));
    }

    fn vector(&mut self, kind: Type, slot: u16, [x, y, z, w]: [u32; 4]) {
        self.items.push(Item::Command(Command::pair(kind, slot, 0, [x, y])));
        self.items.push(Item::Command(Command::pair(kind, slot, 2, [z, w])));
    }

    fn step(&mut self, c: &mut Choices<'_>) {
        let slots = 1u32 << self.chip.family().slot_bits();
        match c.weighted(&[
            (30, 0),
            (12, 1),
            (4, 2),
            (4, 3),
            (3, 4),
            (3, 5),
            (3, 6),
            (3, 7),
            (2, 8),
            (2, 9),
            (2, 10),
            (2, 11),
        ]) {
            0 => self.vertex(c),
            1 => {
                let slot = self.row(c);
                let value = std::array::from_fn(|_| operand(c));
                self.vector(Type::Xfctx, slot, value);
            }
            2 => {
                let kind = c.pick(&[Type::Ltctx, Type::Ltc0, Type::Ltc1, Type::Ltc2, Type::Ltc3, Type::Xtra]);
                let value = std::array::from_fn(|_| operand(c));
                // TIMEOUT stays small.
                let slot = c.below(if kind == Type::Xtra { 2 } else { slots.min(0x50) }) as u16;
                self.vector(kind, slot, value);
            }
            3 => {
                // Anything anywhere, but for the timeout.
                let kind = c.pick(&Type::ALL);
                let slot = if kind == Type::Xtra { 0 } else { c.below(slots) as u16 };
                let values = [operand(c), operand(c)];
                self.items.push(Item::Command(if c.chance(50) {
                    Command::pair(kind, slot, c.below(4) as u8, values)
                } else {
                    Command::word(kind, slot, c.below(4) as u8, values[0])
                }));
            }
            4 => self.mode(c),
            5 => self.program(c),
            6 => {
                self.vector(Type::Param, 0, std::array::from_fn(|_| operand(c)));
                self.word(Type::Run, 0, 0, c.below(24));
            }
            7 => self.items.push(Item::Command(Command::pair(
                Type::Passthru,
                0,
                0,
                [c.below(64) << 2, c.word()],
            ))),
            8 => self.items.push(Item::Command(Command::pair(Type::Sync, 0, 2, [c.word(); 2]))),
            9 => {
                let space = c.pick(&[0x17, 0x10, 0x15, 0x16, 0x18, 0x19]);
                let address = 16 * c.below(0x60);
                for word in 0..c.below(5) {
                    self.items.push(Item::RdiWrite { space, address: address + 4 * word, value: operand(c) });
                }
                self.items.push(Item::RdiRead { space, address });
            }
            10 => {
                let kind = c.pick(&[Type::Vab, Type::Xfctx, Type::Ltctx, Type::Ltc1]);
                self.items.push(Item::Read { kind, slot: c.below(64) as u16, word: c.below(4) as u8 });
            }
            _ => {
                let register = c.pick(&[
                    Register::Start,
                    Register::Outputs,
                    Register::DepthClamp,
                    Register::BranchBits,
                    Register::Execution,
                    Register::Class,
                    Register::OutputMap0,
                    Register::OutputMap3,
                    Register::OutputMask,
                    Register::InputMask,
                    Register::FixedB,
                    Register::FixedA,
                    Register::FixedT0,
                ]);
                let value = match register {
                    Register::Start => c.below(24),
                    // Mostly programs of the chip's own.
                    Register::Execution if c.chance(60) => c.word() & !2 | 1,
                    _ => c.word(),
                };
                // Others are no part of a trace.
                if register.matters(self.chip) {
                    self.items.push(Item::Set(register, value));
                }
            }
        }
    }

    /// A few vertices.
    fn vertex(&mut self, c: &mut Choices<'_>) {
        for _ in 0..1 + c.below(5) {
            for _ in 0..c.below(4) {
                let slot = c.below(self.chip.sizes().attributes as u32) as u16;
                match c.below(3) {
                    0 => self.vector(Type::Vab, slot, std::array::from_fn(|_| operand(c))),
                    1 => self.word(Type::Vab, slot, c.below(4) as u8, operand(c)),
                    _ => {
                        let pair = [operand(c), operand(c)];
                        self.items.push(Item::Command(Command::pair(Type::Vab, slot, 0, pair)));
                    }
                }
            }
            self.items.push(Item::Vertex);
        }
    }

    /// A row of constants that programs may read.
    fn row(&self, c: &mut Choices<'_>) -> u16 {
        c.below(self.chip.sizes().xfctx as u32 + 2) as u16
    }

    fn mode(&mut self, c: &mut Choices<'_>) {
        let vectors = self.chip.sizes().mode as u16;
        for slot in 0..vectors {
            let mut row: [u32; 4] = std::array::from_fn(|_| if c.chance(40) { c.word() } else { 0 });
            if slot == 0
                && let Some(pipeline) = self.chip.xfmode()
                && c.chance(85)
            {
                // A program that starts where one has been loaded.
                let mut both = [row, [0; 4]];
                let mode = Mode::from_vectors(pipeline, &both).with(Name::Mode, c.pick(&[2, 3]));
                mode.with(Name::ProgramStart, c.below(24)).store(&mut both);
                row = both[0];
            }
            self.vector(Type::Mode, slot, row);
        }
    }

    /// A program, from some slot on; or a part of one.
    fn program(&mut self, c: &mut Choices<'_>) {
        let Some(generation) = self.chip.family().microcode() else { return };
        let shape = Shape { slots: 8, ..Shape::choose(c, 8) };
        let words = match generation {
            Generation::Kelvin => program::program(c, shape).words,
            // Some of Kelvin's class, some of random bits.
            Generation::Rankine if c.chance(15) => {
                self.items.push(Item::Set(Register::Class, 1));
                program::program(c, shape).words
            }
            _ if c.chance(80) => branching::program(c, generation, shape).words,
            _ => (0..4 * (1 + c.below(8))).map(|_| c.word()).collect(),
        };
        let first = c.pick(&[0, 0, 0, 3, 20]);
        for (slot, words) in (first..).zip(words.as_chunks::<4>().0) {
            self.vector(Type::Xfpr, slot, *words);
        }
        if c.chance(20) {
            self.word(Type::Xfpr, c.below(24) as u16, c.below(4) as u8, c.word());
        }
    }
}

/// What has come out, however it was cut.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Seen {
    outputs: Vec<Piece>,
    replies: Vec<Reply>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Vertex(Form, Vec<u32>),
    Bundle([u32; 2]),
}

impl Seen {
    fn take(&mut self, unit: &mut XfUnit) {
        unit.drain(|output| match output {
            Output::Vertices(vertices) => {
                let all =
                    (0..vertices.count).map(|at| Piece::Vertex(vertices.form, vertices.vertex(at).to_vec()));
                self.outputs.extend(all);
            }
            Output::Bundle(words) => self.outputs.push(Piece::Bundle(words)),
        });
    }

    fn play(&mut self, unit: &mut XfUnit, items: &[Item]) {
        for item in items {
            match unit.play(item) {
                Reply::None => {}
                reply => self.replies.push(reply),
            }
        }
    }
}

/// What did not hold of a stream. Its text is the stream as a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandMismatch {
    what: String,
    trace: Trace,
}

impl fmt::Display for CommandMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "# {}\n{}", self.what, self.trace)
    }
}

impl std::error::Error for CommandMismatch {}

/// What checks of streams have covered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CommandStats {
    /// Items played.
    pub items: u64,
    /// Vertices that came out.
    pub vertices: u64,
    /// Batches in which they were run.
    pub batches: u64,
    /// Vertex state programs.
    pub state_programs: u64,
}

/// Engines of the fast tier and of the reference.
fn engines() -> &'static [Arc<Engine>; 2] {
    static ENGINES: OnceLock<[Arc<Engine>; 2]> = OnceLock::new();
    ENGINES.get_or_init(|| {
        let reference = Options::default().with(|options| options.backend = Arc::new(Interp::Single));
        [Options::default(), reference].map(|options| Arc::new(Engine::new(options)))
    })
}

/// Checks of a stream that
/// - a unit which collects vertices, on the fastest backend, does what one does that runs each at once on the reference;
/// - its recording replays to the same, and its text reads back as it is;
/// - a unit restored from the state at `cut` goes on as the first one did.
///
/// # Errors
/// What does not hold.
pub fn check_commands(trace: &Trace, model: Model, cut: usize) -> Result<CommandStats, Box<CommandMismatch>> {
    let fail = |what: &str| Err(Box::new(CommandMismatch { what: what.to_owned(), trace: trace.clone() }));
    let [fast, reference] = engines();
    let generation = trace.chip.family().microcode().unwrap_or_default();
    let unit = |engine: &Arc<Engine>| {
        XfUnit::new(Arc::clone(engine), trace.chip).with_config(Config::new(generation).model(model))
    };
    let mut batched = unit(fast);
    batched.record();
    let mut want = Seen::default();
    want.play(&mut batched, &trace.items);
    want.take(&mut batched);
    let state = batched.save();

    let mut single = unit(reference);
    let mut seen = Seen::default();
    for item in &trace.items {
        seen.play(&mut single, std::slice::from_ref(item));
        single.flush();
    }
    seen.take(&mut single);
    if seen != want {
        return fail("a unit that runs every vertex at once gives other outputs");
    }
    if single.save() != state {
        return fail("a unit that runs every vertex at once ends in another state");
    }

    let Some(recorded) = batched.recorded() else { return fail("nothing was recorded") };
    if recorded != *trace {
        return fail("the recording is another stream");
    }
    match Trace::parse(&trace.to_string()) {
        Ok(again) if again == *trace => {}
        Ok(_) => return fail("the text reads as another stream"),
        Err(errors) => return fail(&format!("the text cannot be read: {}", errors[0])),
    }

    match super::captures::through_a_capture(trace) {
        Ok(again) if again == *trace => {}
        Ok(_) => return fail("its capture reads as another stream"),
        Err(error) => return fail(&format!("its capture cannot be read: {error}")),
    }

    let (before, after) = trace.items.split_at(cut.min(trace.items.len()));
    let mut first = unit(fast);
    let mut seen = Seen::default();
    seen.play(&mut first, before);
    let saved = first.save();
    seen.take(&mut first);
    let mut second = unit(fast);
    if let Err(error) = second.restore(&saved) {
        return fail(&format!("its own state is refused: {error}"));
    }
    if second.save() != saved {
        return fail("a restored unit has another state");
    }
    // A recording that begins here must bring a fresh unit here.
    second.record();
    seen.play(&mut second, after);
    seen.take(&mut second);
    if seen != want || second.save() != state {
        return fail("a restored unit goes on in another way");
    }
    let Some(rest) = second.recorded() else { return fail("nothing was recorded") };
    let mut third = unit(fast);
    Seen::default().play(&mut third, &rest.items);
    if third.save() != state {
        return fail("a recording that begins in the middle replays to another state");
    }
    let stats = batched.stats();
    Ok(CommandStats {
        items: trace.items.len() as u64,
        vertices: stats.vertices,
        batches: stats.batches,
        state_programs: stats.state_programs,
    })
}

/// The body of the fuzz target: the stream that the bytes name.
pub fn fuzz_commands(bytes: &[u8]) -> CommandStats {
    let c = &mut Choices::bytes(bytes);
    let cut = c.below(64) as usize;
    let model = if c.chance(30) { Model::Ieee } else { Model::Hw };
    check_commands(&commands(c), model, cut).unwrap_or_else(|mismatch| panic!("{mismatch}"))
}
