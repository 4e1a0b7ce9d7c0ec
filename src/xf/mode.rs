//! XFMODE, XTRA and the registers: what of them decides how programs run (fixed_function.md 5.1, 6 and 7;
//! rankine_curie.md 1.5). Where the fields are is told by [`xfjit_isa::chip::mode`]; Curie has registers in their place.

use super::ram::{Ram, XTRA_TIMEOUT};
use super::register::{FIXED, Register, Registers};
use xfjit_isa::chip::methods::{Bits, EXECUTION};
use xfjit_isa::chip::mode::{Mode, Name};
use xfjit_isa::chip::{Chip, Family, Generation, Pipeline};
use xfjit_isa::config::{Access, Arithmetic, Config, Viewport};
use xfjit_isa::isa::ProgramMode;

/// Who transforms vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Execution {
    /// The fixed function, bypass included; on NV40 by XF alone.
    Fixed,
    /// The program, of a generation.
    Program(Generation),
    /// Nothing. UNKNOWN: what the unit does in a mode that the chip does not have, or has lost.
    Nothing,
}

/// XFMODE, if the chip has one.
pub(super) fn xfmode(ram: &Ram) -> Option<Mode> {
    Some(xfmode_of(ram, ram.chip.xfmode()?))
}

/// What decides the fixed function of a chip that has this one: XFMODE, or the registers that stand for it. UNKNOWN: which of two that
/// hold one thing counts on NV40; here the execution mode, as for its programs.
pub(super) fn fixed_mode(ram: &Ram, registers: &Registers, pipeline: Pipeline) -> Mode {
    if ram.chip.xfmode().is_some() {
        return xfmode_of(ram, pipeline);
    }
    let mode = Mode::new(pipeline, &FIXED.map(|word| registers.get(word)));
    let execution = registers.get(Register::Execution);
    EXECUTION.iter().fold(mode, |mode, bits| mode.with(bits.name, bits.of(execution)))
}

/// XFMODE of a chip with this fixed function, without fields that do nothing there.
pub(super) fn xfmode_of(ram: &Ram, pipeline: Pipeline) -> Mode {
    Mode::from_vectors(pipeline, &ram.mode).on(ram.chip)
}

/// Who transforms vertices.
pub(super) fn execution(ram: &Ram, registers: &Registers) -> Execution {
    match (xfmode(ram), ram.chip.family().microcode()) {
        (Some(mode), Some(generation)) if mode.runs_programs() => Execution::Program(generation),
        (Some(_), _) => Execution::Fixed,
        (None, _) => curie_execution(ram.chip, registers.get(Register::Execution)),
    }
}

/// Curie's modes (rankine_curie.md 1.5): 1 is its own; of those that NV40 alone has 2 and 3 are Rankine's two, and 0, by Rankine's numbers, the
/// fixed function.
fn curie_execution(chip: Chip, value: u32) -> Execution {
    match MODE.of(value) {
        1 => Execution::Program(Generation::Curie),
        0 if chip.pipeline().is_some() => Execution::Fixed,
        2 | 3 if chip.runs(Generation::Rankine) => Execution::Program(Generation::Rankine),
        _ => Execution::Nothing,
    }
}

/// Bits of the method of the execution mode that say who transforms vertices.
const MODE: Bits = EXECUTION[0];

/// Whether programs may write constants; Curie's instructions cannot.
pub(super) fn constant_writes(ram: &Ram) -> bool {
    xfmode(ram).is_some_and(|mode| mode.has(Name::ContextWrite))
}

/// Slot in which programs start.
pub(super) fn start(ram: &Ram, registers: &Registers) -> usize {
    let low = xfmode(ram).map_or(0, |mode| mode.get(Name::ProgramStart));
    (low | registers.get(Register::Start)) as usize
}

/// The slot that a run from `start` begins in: behind the last one where nothing runs.
pub(super) fn first_slot(ram: &Ram, registers: &Registers, start: usize) -> usize {
    match execution(ram, registers) {
        Execution::Nothing => ram.sizes.xfpr,
        Execution::Fixed | Execution::Program(_) => start,
    }
}

/// The bits of the start slot that are not in XFMODE.
pub(super) fn start_bits(chip: Chip, slot: u32) -> u32 {
    match chip.xfmode().and_then(|pipeline| pipeline.place(Name::ProgramStart)) {
        Some(place) => slot & Register::Start.bits(chip) & !((1 << place.width) - 1),
        None => slot & Register::Start.bits(chip),
    }
}

/// Sets the slot in which programs start, wherever the chip keeps it.
pub(super) fn set_start(ram: &mut Ram, registers: &mut Registers, slot: u32) {
    registers.set(Register::Start, start_bits(ram.chip, slot));
    if let Some(pipeline) = ram.chip.xfmode() {
        Mode::from_vectors(pipeline, &ram.mode).with(Name::ProgramStart, slot).store(&mut ram.mode);
    }
}

/// What programs are prepared for: `base` holds the model and the choices where the chip's behaviour is not known.
pub(super) fn config(base: &Config, ram: &Ram, registers: &Registers) -> Config {
    let mode = xfmode(ram);
    let has = |name| match &mode {
        Some(mode) => mode.has(name),
        // The register holds what the method has been given.
        None => {
            EXECUTION.iter().any(|bits| bits.name == name && bits.of(registers.get(Register::Execution)) != 0)
        }
    };
    let mut config = base.clone();
    config.constant_writes = constant_writes(ram);
    let family = ram.chip.family();
    if let Execution::Program(generation) = execution(ram, registers) {
        config.generation = generation;
    }
    config.live_outputs = live_outputs(ram.chip, config.generation, registers);
    config.access = match config.generation {
        _ if family == Family::Celsius => config.access,
        Generation::Kelvin | Generation::Rankine if !has(Name::ContextAccess) => Access::User,
        Generation::Kelvin | Generation::Rankine | Generation::Curie => Access::Full,
    };
    if family >= Family::Rankine {
        config.arithmetic = if has(Name::ArithRules) { Arithmetic::Modern } else { Arithmetic::Legacy };
        config.viewport = if has(Name::ViewportSkip) { Viewport::Skip } else { Viewport::Transform };
        config.timeout = timeout(ram);
        config.branch_table = branch_table(ram);
    }
    if config.generation == Generation::Rankine {
        let value = match &mode {
            Some(mode) => mode.get(Name::Mode),
            None => MODE.of(registers.get(Register::Execution)),
        };
        config.mode = if value == 2 { ProgramMode::V1 } else { ProgramMode::V2 };
    }
    if family == Family::Curie {
        // UNKNOWN: which of the two counts where methods 0x1fa0 and 0x1ef8 set both (rankine_curie.md 1.5); the lesser does here.
        config.timeout = config.timeout.min(registers.get(Register::Timeout) as u16);
        config.branch_bits = registers.get(Register::BranchBits);
    }
    config
}

/// Which output registers programs of a generation send. UNKNOWN: what the output map is to Rankine's, which have registers of their own;
/// nothing here.
fn live_outputs(chip: Chip, generation: Generation, registers: &Registers) -> u32 {
    let asked = registers.get(Register::Outputs) & ((1 << generation.outputs()) - 1);
    match generation {
        Generation::Curie if chip.family() == Family::Curie => asked & registers.output_map().registers(),
        _ => asked,
    }
}

fn timeout(ram: &Ram) -> u16 {
    ram.xtra[XTRA_TIMEOUT][0] as u16
}

/// The slots of indirect branches: two 9-bit numbers a word, in bits 0 to 8 and 16 to 24, over two vectors. UNKNOWN: that
/// these words are the branch table (rankine_curie.md 1.5 infers it; fixed_function.md 7 calls them packed maps).
fn branch_table(ram: &Ram) -> [u16; 16] {
    std::array::from_fn(|entry| {
        let word = ram.xtra[entry / 8][entry / 2 % 4];
        (word >> (entry % 2 * 16) & 0x1ff) as u16
    })
}
