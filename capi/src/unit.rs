//! The unit as a device.

use crate::config::{Wanted, xfjit_config};
use crate::engine::xfjit_engine;
use crate::exclusive::{Entered, Exclusive};
use crate::export::functions;
use crate::handle::handle;
use crate::lent::LentMut;
use crate::sink::UnitRecording;
use crate::sized::Sized32;
use crate::status::{
    Failure, XFJIT_E_BUSY, XFJIT_E_INPUT, XFJIT_E_MEMORY, XFJIT_E_STATE, argument, call, count, xfjit_status,
};
use crate::table::{Function, Item, constants, record};
use std::ffi::c_void;
use std::io;
use std::ops::{Deref, DerefMut};
use xfjit::runtime::texture::{Coordinates, Texel, Texture, TextureError, UNITS, Wrap};
use xfjit::xf::{Chip, Command, Family, Form, Output, Payload, Register, Type, XfUnit};

handle! { UNIT =
    /// An XF unit as a device: it takes commands and returns finished vertices. Only one call at a time may use it. A second call returns
    /// XFJIT_E_BUSY.
    Owned xfjit_unit(b"xfunit01", "unit") { state: Exclusive<UnitState> }
}

/// A unit, and where what happens to it is recorded.
#[derive(Debug)]
pub(crate) struct UnitState {
    pub(crate) unit: XfUnit,
    pub(crate) recording: Option<UnitRecording>,
}

impl UnitState {
    /// Hands over what has been recorded since the last time; if it is not taken, the recording is over, and its taker knows.
    #[inline]
    pub(crate) fn hand_over(&mut self) {
        if self.recording.is_some() {
            let _ = self.take_recorded();
        }
    }

    /// Hands over what has been recorded since the last time, and tells whether it was taken.
    pub(crate) fn take_recorded(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.recording else { return Ok(()) };
        let taken = writer.take(&mut self.unit);
        if taken.is_err() {
            self.forget_recording();
        }
        taken
    }

    /// Records no more, and does not end what was recorded.
    pub(crate) fn forget_recording(&mut self) {
        self.recording = None;
        self.unit.recorded();
    }
}

impl Deref for UnitState {
    type Target = XfUnit;

    fn deref(&self) -> &XfUnit {
        &self.unit
    }
}

impl DerefMut for UnitState {
    fn deref_mut(&mut self) -> &mut XfUnit {
        &mut self.unit
    }
}

constants! {
    /// The chip of a unit.
    CHIPS: u32;
    /// The first Celsius.
    XFJIT_NV10 = 0x10;
    /// All later Celsius chips.
    XFJIT_NV15 = 0x15;
    /// The first Kelvin.
    XFJIT_NV20 = 0x20;
    /// Kelvin with two units.
    XFJIT_NV25 = 0x25;
    /// The Xbox's.
    XFJIT_NV2A = 0x2a;
    /// The first Rankine.
    XFJIT_NV30 = 0x30;
    /// Rankine without the alternate light attenuation.
    XFJIT_NV34 = 0x34;
    /// This is treated as NV30.
    XFJIT_NV35 = 0x35;
    /// The first Curie.
    XFJIT_NV40 = 0x40;
    /// Only the programs of Curie.
    XFJIT_NV41 = 0x41;
    /// All later Curie chips, and the RSX.
    XFJIT_NV43 = 0x43;
}

constants! {
    /// Flags in a stream of commands (xfjit_unit_write), or-ed to an address.
    COMMANDS: u32;
    /// Two words follow, for the pair of components that contains the address. Without this flag, one word follows.
    XFJIT_COMMAND_PAIR = 0x2000_0000;
    /// A vertex starts. This command has no address and no words.
    XFJIT_COMMAND_VERTEX = 0x4000_0000;
}

constants! {
    /// Registers that commands do not reach (xfjit_unit_set). Registers that the chip lacks have no effect.
    REGISTERS: u32;
    /// The output registers that the unit sends, as a mask.
    XFJIT_REGISTER_OUTPUTS = 0;
    /// The slot where programs start (Kelvin: bits 8 to 15 of XFMODE A).
    XFJIT_REGISTER_START = 1;
    /// Curie: the execution mode, as in method 0x1e94.
    XFJIT_REGISTER_EXECUTION = 2;
    /// Curie: the timeout.
    XFJIT_REGISTER_TIMEOUT = 3;
    /// Curie: the boolean constants.
    XFJIT_REGISTER_BRANCH_BITS = 4;
    /// Celsius: 1 if depth and 1/w have a lower clamp.
    XFJIT_REGISTER_DEPTH_CLAMP = 5;
    /// Rankine: 1 if the object is of Kelvin's class.
    XFJIT_REGISTER_CLASS = 6;
    /// Curie: the output map, as in methods 0x1fc4 to 0x1fd4. It has five registers.
    XFJIT_REGISTER_OUTPUT_MAP0 = 7;
    /// The second word.
    XFJIT_REGISTER_OUTPUT_MAP1 = 8;
    /// The third word.
    XFJIT_REGISTER_OUTPUT_MAP2 = 9;
    /// The fourth word.
    XFJIT_REGISTER_OUTPUT_MAP3 = 10;
    /// The fifth word.
    XFJIT_REGISTER_OUTPUT_MAP4 = 11;
    /// Curie: the enabled attributes of finished vertices, as in method 0x1ff4. Output registers that belong to no enabled attribute are
    /// not sent.
    XFJIT_REGISTER_OUTPUT_MASK = 12;
    /// Curie: the attributes that are fetched, as in method 0x1ff0.
    XFJIT_REGISTER_INPUT_MASK = 13;
    /// NV40: what words C, B, A and T3 to T0 of Rankine's XFMODE hold, for the fixed function (mode 0): seven registers.
    XFJIT_REGISTER_FIXED_C = 14;
    /// Word B.
    XFJIT_REGISTER_FIXED_B = 15;
    /// Word A.
    XFJIT_REGISTER_FIXED_A = 16;
    /// Word T3.
    XFJIT_REGISTER_FIXED_T3 = 17;
    /// Word T2.
    XFJIT_REGISTER_FIXED_T2 = 18;
    /// Word T1.
    XFJIT_REGISTER_FIXED_T1 = 19;
    /// Word T0.
    XFJIT_REGISTER_FIXED_T0 = 20;
}

constants! {
    /// How texture coordinates select a texel (xfjit_unit_set_texture), or-ed.
    TEXTURES: u32;
    /// The texture repeats without end. Without this flag, coordinates outside it select the nearest texel.
    XFJIT_TEXTURE_REPEAT = 1;
    /// 1.0 is the width or the height. Without this flag, 1.0 is one texel.
    XFJIT_TEXTURE_WHOLE = 2;
}

constants! {
    /// The kind of a piece of output (xfjit_piece.kind).
    PIECES: u32;
    /// Vertices of programs: the registers in the mask, four words for each, the lowest register first.
    XFJIT_PIECE_REGISTERS = 0;
    /// Vertices of the fixed function of Kelvin and Rankine, likewise.
    XFJIT_PIECE_FIXED = 1;
    /// Vertices of Celsius, 16 words each.
    XFJIT_PIECE_CELSIUS = 2;
    /// Two words that the unit passed through.
    XFJIT_PIECE_BUNDLE = 3;
}

record! {
    PIECE;
    /// A piece of a unit's output.
    struct xfjit_piece {
        /// XFJIT_PIECE_*
        kind: u32,
        /// The output registers, for kinds of vertices that have them.
        mask: u32,
        /// The number of vertices; 1 for other pieces.
        count: u32,
        /// The number of words of each.
        words_each: u32,
        /// The words in order. The pointer is valid until the callback returns.
        words: *const u32,
    }
}

record! {
    VIEW;
    /// The constants of a unit, in place.
    struct xfjit_view {
        /// sizeof(xfjit_view)
        size: u32,
        /// The number of rows of constants that the chip has.
        row_count: u32,
        /// The rows, four words for each. They are read-only, and show the current values.
        rows: *const c_void,
        /// One byte for each row. It becomes 1 when a command, a program or a loaded state changes the row. The caller clears it.
        dirty: *mut u8,
    }
}

impl Sized32 for xfjit_view {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_view";
    const ZERO: Self = Self::ZERO;
}

/// Takes a piece of output.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub type xfjit_take = Option<unsafe extern "C" fn(user: *mut c_void, piece: *const xfjit_piece)>;

pub(crate) const TAKE: Item = Item::Callback(Function {
    doc: &["Receives a piece of a unit's output. It must return normally: no exception, no longjmp."],
    name: "xfjit_take",
    parameters: &[("user", "*mut c_void"), ("piece", "*const xfjit_piece")],
    returns: "",
});

fn chip(number: u32) -> Result<Chip, Failure> {
    let found = Chip::ALL.iter().find(|chip| chip.name() == format!("nv{number:02x}"));
    found.copied().ok_or_else(|| argument(format_args!("there is no chip {number:#x}")))
}

fn register(number: u32) -> Result<Register, Failure> {
    Ok(match number {
        XFJIT_REGISTER_OUTPUTS => Register::Outputs,
        XFJIT_REGISTER_START => Register::Start,
        XFJIT_REGISTER_EXECUTION => Register::Execution,
        XFJIT_REGISTER_TIMEOUT => Register::Timeout,
        XFJIT_REGISTER_BRANCH_BITS => Register::BranchBits,
        XFJIT_REGISTER_DEPTH_CLAMP => Register::DepthClamp,
        XFJIT_REGISTER_CLASS => Register::Class,
        XFJIT_REGISTER_OUTPUT_MAP0 => Register::OutputMap0,
        XFJIT_REGISTER_OUTPUT_MAP1 => Register::OutputMap1,
        XFJIT_REGISTER_OUTPUT_MAP2 => Register::OutputMap2,
        XFJIT_REGISTER_OUTPUT_MAP3 => Register::OutputMap3,
        XFJIT_REGISTER_OUTPUT_MAP4 => Register::OutputMap4,
        XFJIT_REGISTER_OUTPUT_MASK => Register::OutputMask,
        XFJIT_REGISTER_INPUT_MASK => Register::InputMask,
        XFJIT_REGISTER_FIXED_C => Register::FixedC,
        XFJIT_REGISTER_FIXED_B => Register::FixedB,
        XFJIT_REGISTER_FIXED_A => Register::FixedA,
        XFJIT_REGISTER_FIXED_T3 => Register::FixedT3,
        XFJIT_REGISTER_FIXED_T2 => Register::FixedT2,
        XFJIT_REGISTER_FIXED_T1 => Register::FixedT1,
        XFJIT_REGISTER_FIXED_T0 => Register::FixedT0,
        other => return Err(argument(format_args!("there is no register {other}"))),
    })
}

/// What a stream of commands consists of.
enum Step {
    Command(Command),
    Vertex,
}

/// Calls for each command of a stream.
fn each(family: Family, words: &[u32], mut take: impl FnMut(Step)) -> Result<(), Failure> {
    let mut rest = words;
    while let [head, tail @ ..] = rest {
        rest = tail;
        if *head == XFJIT_COMMAND_VERTEX {
            take(Step::Vertex);
            continue;
        }
        let payload = match (head & XFJIT_COMMAND_PAIR, tail) {
            (0, [word, rest_of @ ..]) => {
                rest = rest_of;
                Payload::Word(*word)
            }
            (_, [x, y, rest_of @ ..]) if head & XFJIT_COMMAND_PAIR != 0 => {
                rest = rest_of;
                Payload::Pair([*x, *y])
            }
            _ => return Err(argument("the last command is incomplete")),
        };
        let command = Command::wrapped(family, head & !XFJIT_COMMAND_PAIR, payload);
        take(Step::Command(command.map_err(argument)?));
    }
    Ok(())
}

/// What is inside of a unit, for one call.
pub(crate) fn enter<'a>(unit: &'a LentMut<'_, xfjit_unit>) -> Result<Entered<'a, UnitState>, Failure> {
    let busy = || Failure::new(XFJIT_E_BUSY, "another call is using this unit");
    unit.handle()?.state.enter().ok_or_else(busy)
}

/// What is wrong with a texture.
fn refused_texture(error: TextureError) -> Failure {
    let status = if error == TextureError::Memory { XFJIT_E_MEMORY } else { XFJIT_E_INPUT };
    Failure::new(status, error)
}

functions! {
    FUNCTIONS;
    /// Creates a unit of a chip (XFJIT_NV10 ...) in its state after reset. `config` may be null. The unit takes from it only the model, and
    /// the choices for what is unknown about the chip. Any thread.
    fn xfjit_unit_create(engine: *mut xfjit_engine, chip: u32, config: *const xfjit_config, unit: *mut *mut xfjit_unit) -> xfjit_status {
        call(|| {
            let unit = unit.out("unit")?;
            let engine = engine.handle()?.get();
            let chip = self::chip(chip)?;
            let mut made = XfUnit::new(engine, chip);
            if !config.is_null() {
                let Wanted { config, .. } = Wanted::of(&config.record()?)?;
                if chip.family().microcode().is_some_and(|generation| generation != config.generation) {
                    return Err(argument("the configuration is for another generation than the chip's"));
                }
                made = made.with_config(config);
            }
            unit.give(xfjit_unit::new(Exclusive::new(UnitState { unit: made, recording: None })));
            Ok(())
        })
    }
    /// Destroys a unit. A null pointer has no effect. One thread, while no other uses the handle.
    fn xfjit_unit_destroy(unit: *mut xfjit_unit) -> xfjit_status {
        call(|| {
            if unit.is_null() {
                return Ok(());
            }
            // Nobody gets in any more.
            enter(&unit)?.stay();
            unit.end()
        })
    }
    /// Executes commands. A command is its address, as FE wraps it, and one word, or two words with XFJIT_COMMAND_PAIR.
    /// XFJIT_COMMAND_VERTEX is a command by itself. If any word is not a valid command, or if memory for the possible output is missing
    /// (XFJIT_E_MEMORY), nothing is executed. The unit collects vertices, and runs them before their results become visible. Its output
    /// waits for xfjit_unit_drain, which the caller should call regularly. One thread at a time.
    fn xfjit_unit_write(unit: *mut xfjit_unit, commands: *const u32, words: usize) -> xfjit_status {
        call(|| {
            let mut unit = enter(&unit)?;
            // SAFETY: `words` words are at `commands`.
            let words = unsafe { commands.slice(words, "commands") }?;
            let family = unit.chip().family();
            let (mut commands, mut bundles, mut vertices) = (0, 0, 0);
            each(family, words, |step| match step {
                Step::Command(command) => {
                    commands += 1;
                    bundles += usize::from(command.kind == Type::Passthru);
                }
                Step::Vertex => vertices += 1,
            })?;
            let device = &mut unit.unit;
            device.reserve(commands, bundles, vertices)?;
            each(family, words, |step| match step {
                Step::Command(command) => device.command(command),
                Step::Vertex => device.vertex(),
            })?;
            unit.hand_over();
            Ok(())
        })
    }
    /// Sets a register that commands do not reach (XFJIT_REGISTER_*). One thread at a time.
    fn xfjit_unit_set(unit: *mut xfjit_unit, which: u32, value: u32) -> xfjit_status {
        call(|| {
            let mut unit = enter(&unit)?;
            unit.set(register(which)?, value);
            unit.hand_over();
            Ok(())
        })
    }
    /// Sets the texture of a texture unit, 0 to 3, for TXL; only programs of Curie read it. The texture has `height` rows of `width`
    /// texels. A texel is 1 or 4 floats in the host's byte order. Rows are `pitch` bytes apart, and may overlap. The call copies the
    /// texels, as many bytes as there are up to the last one. A null pointer removes the texture; at first there is none. `flags` are
    /// XFJIT_TEXTURE_*, or-ed. Saved states and recordings do not include textures. Returns XFJIT_E_INPUT if the memory does not hold all
    /// texels, and XFJIT_E_MEMORY if there is none for the copy. One thread at a time.
    fn xfjit_unit_set_texture(unit: *mut xfjit_unit, number: u32, texels: *const c_void, size: usize, components: u32, width: u32, height: u32, pitch: u32, flags: u32) -> xfjit_status {
        call(|| {
            let mut unit = enter(&unit)?;
            if number as usize >= UNITS {
                return Err(argument(format_args!("there is no texture unit {number}; they are 0 to {}", UNITS - 1)));
            }
            if texels.is_null() {
                return unit.set_texture(number as usize, None).map_err(refused_texture);
            }
            let texel = match components {
                1 => Texel::One,
                4 => Texel::Four,
                _ => return Err(argument(format_args!("texels have 1 or 4 components, not {components}"))),
            };
            if flags & !(XFJIT_TEXTURE_REPEAT | XFJIT_TEXTURE_WHOLE) != 0 {
                return Err(argument(format_args!("there are no flags {flags:#x} of textures")));
            }
            let texels = texels.bytes();
            // SAFETY: `size` bytes are at `texels`.
            let texels = unsafe { texels.slice(size, "texels") }?;
            let (wrap, coordinates) = (
                if flags & XFJIT_TEXTURE_REPEAT != 0 { Wrap::Repeat } else { Wrap::Clamp },
                if flags & XFJIT_TEXTURE_WHOLE != 0 { Coordinates::Textures } else { Coordinates::Texels },
            );
            let texture = Texture::new(texels, texel, width as usize, height as usize, pitch as usize)
                .map_err(refused_texture)?;
            unit.set_texture(number as usize, Some(&texture.wrap(wrap).coordinates(coordinates))).map_err(refused_texture)
        })
    }
    /// Limits the overtime of a batch or a draw of vertices; xfjit_worker_set_overtime explains it, and gives the same default. Vertices
    /// that do not run any more are output as zeros. 0: no limit. One thread at a time.
    fn xfjit_unit_set_overtime(unit: *mut xfjit_unit, slots: u64) -> xfjit_status {
        call(|| {
            enter(&unit)?.unit.set_overtime((slots > 0).then_some(slots));
            Ok(())
        })
    }
    /// Runs pending vertices and passes the output since the last call to the callback, piece by piece, in order. The callback must not use
    /// the unit. One thread at a time.
    fn xfjit_unit_drain(unit: *mut xfjit_unit, take: xfjit_take, user: *mut c_void) -> xfjit_status {
        call(|| {
            let mut unit = enter(&unit)?;
            let take = take.ok_or_else(|| argument("take is a null pointer"))?;
            unit.drain(|output| {
                let bundle;
                let (kind, mask, count, words_each, words) = match output {
                    Output::Vertices(vertices) => {
                        let (kind, mask) = match vertices.form {
                            Form::Registers(mask) => (XFJIT_PIECE_REGISTERS, mask),
                            Form::Fixed(mask) => (XFJIT_PIECE_FIXED, mask),
                            Form::Celsius => (XFJIT_PIECE_CELSIUS, 0),
                        };
                        (kind, mask, vertices.count, vertices.form.words(), vertices.words)
                    }
                    Output::Bundle(words) => {
                        bundle = words;
                        (XFJIT_PIECE_BUNDLE, 0, 1, 2, &bundle[..])
                    }
                };
                let (count, words_each) = (count as u32, words_each as u32);
                let piece = xfjit_piece { kind, mask, count, words_each, words: words.as_ptr() };
                // SAFETY: a function of the caller's of this type, which the header says is called so; piece and words live until it returns.
                unsafe { take(user.as_ptr(), &raw const piece) };
            });
            Ok(())
        })
    }
    /// Runs pending vertices and reads constants: `count` rows of four words, beginning with row `first`. Rows that do not exist read as
    /// zeros. Commands write constants. One thread at a time.
    fn xfjit_unit_constants(unit: *mut xfjit_unit, first: usize, count: usize, rows: *mut c_void) -> xfjit_status {
        call(|| {
            let mut unit = enter(&unit)?;
            // SAFETY: `count` rows are at `rows`.
            let rows = unsafe { rows.rows().slice(count, "rows") }?;
            // Beyond the last number there is no row either.
            for (at, row) in rows.iter_mut().enumerate() {
                *row = unit.xfctx(first.saturating_add(at));
            }
            Ok(())
        })
    }
    /// Runs pending vertices and returns where the constants are, and which have changed. The caller may read both, and write the dirty
    /// bytes, until the next call with the unit, whichever it is; after that, call this function again. Nothing is copied. One thread at a
    /// time; that thread also uses the view.
    fn xfjit_unit_view(unit: *mut xfjit_unit, view: *mut xfjit_view) -> xfjit_status {
        call(|| {
            let view = view.room()?;
            let mut unit = enter(&unit)?;
            let dirty = unit.constants_written().as_mut_ptr();
            let rows = unit.constants();
            view.fill(&xfjit_view { size: 0, row_count: rows.len() as u32, rows: rows.as_ptr().cast(), dirty });
            Ok(())
        })
    }
    /// Runs pending vertices and writes the state of a unit, if it fits. Returns the size of the state in bytes, or 0 on an error. The
    /// state does not include output that waits for xfjit_unit_drain. One thread at a time.
    fn xfjit_unit_save(unit: *mut xfjit_unit, bytes: *mut c_void, size: usize) -> usize {
        count(|| {
            let saved = enter(&unit)?.save();
            if saved.len() <= size {
                // SAFETY: `size` bytes are at `bytes`, which are no fewer.
                unsafe { bytes.bytes().slice(saved.len(), "bytes") }?.copy_from_slice(&saved);
            }
            Ok(saved.len())
        })
    }
    /// Loads a saved state of a unit of the same chip. Pending vertices run first, in the old state. One thread at a time.
    fn xfjit_unit_load(unit: *mut xfjit_unit, bytes: *const c_void, size: usize) -> xfjit_status {
        call(|| {
            let (mut unit, bytes) = (enter(&unit)?, bytes.bytes());
            // SAFETY: `size` bytes are at `bytes`.
            let bytes = unsafe { bytes.slice(size, "bytes") }?;
            unit.restore(bytes).map_err(|error| Failure::new(XFJIT_E_STATE, error))?;
            unit.hand_over();
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_and_register_has_a_number() {
        let Item::Constants(chips) = CHIPS else { panic!("they are constants") };
        let found: Vec<Chip> =
            chips.entries.iter().map(|(.., number)| chip(*number as u32).expect("it is one")).collect();
        assert!(Chip::ALL.iter().all(|chip| found.contains(chip)) && found.len() == Chip::ALL.len());
        assert!(chip(0x11).is_err());
        for (number, &one) in (0..).zip(Register::ALL) {
            assert_eq!(register(number).expect("it is one"), one);
        }
        assert!(register(Register::ALL.len() as u32).is_err());
    }
}
