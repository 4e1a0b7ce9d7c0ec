//! FE3D methods that load the unit, as the commands that FE makes of them (kelvin.md 2, rankine_curie.md 1.5,
//! fixed_function.md 2.3).
//!
//! Here are the methods whose numbers the documents give: programs and constants with their load pointers, start slot,
//! execution mode, state programs; on Celsius all memories. Other methods of the fixed function change XFMODE: who knows
//! them sets the words with [`Methods::set_xfmode`].
//!
//! ```
//! use xfjit::xf::{Chip, methods::Methods};
//!
//! let mut methods = Methods::new(Chip::Nv2a);
//! let mut lines = Vec::new();
//! methods.write(0x1ea4, 96, &mut |item| lines.push(item.to_string()))?; // load constants from row 96 on
//! methods.write(0x0b80, 0x3f80_0000, &mut |item| lines.push(item.to_string()))?;
//! assert_eq!(lines, ["XFCTX 0x60.x 0x3f800000"]);
//! # Ok::<(), xfjit::xf::methods::MethodError>(())
//! ```

use super::command::{Command, Payload, Type};
use super::register::Register;
use super::trace::Item;
use crate::chip::{Chip, Family};
use crate::isa::convert::row;
use std::fmt;
use xfjit_runtime::state::Row;

/// Why a method does nothing. FE raises an error for the guest in all these cases but the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MethodError {
    /// It is none of those that load the unit.
    Unknown {
        /// The method.
        method: u32,
    },
    /// The value is not allowed.
    Value {
        /// The method.
        method: u32,
        /// The value.
        value: u32,
    },
    /// The load pointer is behind the last slot.
    Full {
        /// The method.
        method: u32,
    },
}

impl fmt::Display for MethodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MethodError::Unknown { method } => write!(f, "method {method:#06x} does not load the unit"),
            MethodError::Value { method, value } => {
                write!(f, "method {method:#06x} does not take {value:#x}")
            }
            MethodError::Full { method } => write!(f, "method {method:#06x} would load behind the last slot"),
        }
    }
}

impl std::error::Error for MethodError {}

/// What FE keeps: load pointers, and the XFMODE words that it sends whole.
#[derive(Clone, Debug)]
pub struct Methods {
    chip: Chip,
    /// Slot of XFPR that is loaded next.
    program: u16,
    /// Row of XFCTX that is loaded next.
    constant: u16,
    mode: [Row; 2],
    /// The passthrough slot, as far as methods have written it.
    pass: Row,
    /// The object is of Kelvin's class.
    kelvin: bool,
}

/// What a method does.
enum Route {
    /// A dword of the instruction at the load pointer.
    Program(u8),
    /// A component of the constant at the load pointer.
    Constant(u8),
    /// A word of the parameter of state programs.
    Parameter(u8),
    Launch,
    Execution,
    ConstantWrites,
    ProgramPointer,
    ConstantPointer,
    Start,
    /// A word of XTRA.
    Xtra(u16, u8),
    Register(Register),
}

impl Methods {
    /// FE after reset, for an object of the chip's own class.
    pub fn new(chip: Chip) -> Self {
        Methods {
            chip,
            program: 0,
            constant: 0,
            mode: [[0; 4]; 2],
            pass: [0; 4],
            kelvin: chip.family() == Family::Kelvin,
        }
    }

    /// Executes a method: hands the commands on.
    ///
    /// # Errors
    /// The method is not of this unit, or FE refuses it; nothing has been handed on then.
    pub fn write(&mut self, method: u32, value: u32, emit: &mut impl FnMut(Item)) -> Result<(), MethodError> {
        if self.chip.family() == Family::Celsius {
            return self.celsius(method, value, emit);
        }
        let (slots, rows) = self.limits();
        // Rankine keeps the rows of Kelvin's class behind rows of its own.
        let first_row = if self.kelvin && self.chip.family() == Family::Rankine { row(0) } else { 0 };
        let refuse = || Err(MethodError::Value { method, value });
        let word = |kind: Type, slot: u16, word: u8| Item::Command(Command::word(kind, slot, word, value));
        match self.route(method).ok_or(MethodError::Unknown { method })? {
            Route::Program(dword) => {
                if usize::from(self.program) >= slots {
                    return Err(MethodError::Full { method });
                }
                emit(word(Type::Xfpr, self.program, dword));
                self.program += u16::from(dword == 3);
            }
            Route::Constant(component) => {
                if usize::from(self.constant) >= rows {
                    return Err(MethodError::Full { method });
                }
                emit(word(Type::Xfctx, first_row + self.constant, component));
                self.constant += u16::from(component == 3);
            }
            Route::Parameter(component) => emit(word(Type::Param, 0, component)),
            Route::Launch if value as usize >= slots => return refuse(),
            Route::Launch => emit(word(Type::Run, 0, 0)),
            Route::ProgramPointer if value as usize >= slots => return refuse(),
            Route::ProgramPointer => self.program = value as u16,
            Route::ConstantPointer if value as usize >= rows => return refuse(),
            Route::ConstantPointer => self.constant = value as u16,
            Route::Start if value as usize >= slots => return refuse(),
            Route::Start => {
                if self.chip.family() == Family::Kelvin {
                    self.change_mode(1, 0xff << 8, value << 8, emit);
                } else {
                    self.change_mode(3, 0xff << 8, (value & 0xff) << 8, &mut |_| {});
                    emit(Item::Set(Register::Start, value));
                }
            }
            Route::ConstantWrites if value > 1 => return refuse(),
            Route::ConstantWrites => {
                self.change_mode(b_word(self.chip.family()), 1 << 29, value << 29, emit);
            }
            Route::Execution => return self.execution(method, value, emit),
            Route::Xtra(slot, component) => emit(word(Type::Xtra, slot, component)),
            Route::Register(register) => emit(Item::Set(register, value)),
        }
        Ok(())
    }

    /// Changes the class of the object: on Rankine one of Kelvin's class has Kelvin's methods, and what it loads lands in
    /// Rankine's places (rankine_curie.md 1.4). Load pointers stay as they are. Nothing on other chips.
    pub fn set_kelvin_class(&mut self, kelvin: bool, emit: &mut impl FnMut(Item)) {
        if self.chip.family() == Family::Rankine {
            self.kelvin = kelvin;
            emit(Item::Set(Register::Class, kelvin.into()));
        }
    }

    /// Slots and rows that the class of the object can name.
    fn limits(&self) -> (usize, usize) {
        let sizes = if self.kelvin { Chip::Nv20.sizes() } else { self.chip.sizes() };
        (sizes.xfpr, sizes.xfctx)
    }

    /// Tells what XFMODE holds, where something else has written it.
    pub fn set_xfmode(&mut self, vector: usize, words: Row) {
        if let Some(row) = self.mode.get_mut(vector) {
            *row = words;
        }
    }

    fn route(&self, method: u32) -> Option<Route> {
        let family = self.chip.family();
        let component = (method >> 2 & 3) as u8;
        if method & 3 != 0 {
            return None;
        }
        let kelvin = self.kelvin;
        Some(match method {
            0x0b00..=0x0b7c if kelvin => Route::Program(component),
            0x0b80..=0x0bfc if kelvin => Route::Constant(component),
            0x0b80..=0x0bfc => Route::Program(component),
            0x1e80..=0x1e8c => Route::Parameter(component),
            0x1e90 => Route::Launch,
            0x1e94 => Route::Execution,
            0x1e98 if family != Family::Curie => Route::ConstantWrites,
            0x1e9c => Route::ProgramPointer,
            0x1ea0 => Route::Start,
            0x1ea4 if kelvin => Route::ConstantPointer,
            0x1efc if !kelvin => Route::ConstantPointer,
            0x1f00..=0x1f7c if !kelvin => Route::Constant(component),
            0x1f80..=0x1f9c if family == Family::Rankine && !kelvin => {
                Route::Xtra(((method - 0x1f80) / 16) as u16, component)
            }
            0x1fa0 if !kelvin => Route::Xtra(2, 0),
            0x1ef8 if family == Family::Curie => Route::Register(Register::Timeout),
            0x1ff8 if family == Family::Curie => Route::Register(Register::BranchBits),
            _ => return None,
        })
    }

    /// Method 0x1e94.
    fn execution(&mut self, method: u32, value: u32, emit: &mut impl FnMut(Item)) -> Result<(), MethodError> {
        let mode = value & 3;
        match self.chip.family() {
            _ if self.kelvin && (value > 7 || mode & 1 != 0) => Err(MethodError::Value { method, value }),
            Family::Rankine if value & !0x117 != 0 || mode == 1 => Err(MethodError::Value { method, value }),
            Family::Curie => {
                emit(Item::Set(Register::Execution, value));
                Ok(())
            }
            family => {
                let mut b = mode << 30 | (value >> 2 & 1) << 18;
                let mut mask = 3 << 30 | 1 << 18;
                if family == Family::Rankine {
                    b |= (value >> 4 & 1) << 17 | (value >> 8 & 1) << 16;
                    mask |= 3 << 16;
                }
                self.change_mode(b_word(family), mask, b, emit);
                Ok(())
            }
        }
    }

    /// Changes bits of the first vector of XFMODE, and sends all vectors in pairs, as FE does.
    fn change_mode(&mut self, word: usize, mask: u32, bits: u32, emit: &mut impl FnMut(Item)) {
        let vector = &mut self.mode[0];
        vector[word] = vector[word] & !mask | bits & mask;
        for slot in 0..self.chip.sizes().mode {
            let [a, b, c, d] = self.mode[slot];
            if self.chip.family() != Family::Celsius {
                emit(Item::Command(Command::pair(Type::Mode, slot as u16, 0, [a, b])));
            }
            emit(Item::Command(Command::pair(Type::Mode, slot as u16, 2, [c, d])));
        }
    }

    fn celsius(&mut self, method: u32, value: u32, emit: &mut impl FnMut(Item)) -> Result<(), MethodError> {
        const A: usize = 3;
        const B: usize = 2;
        let refuse = || Err(MethodError::Value { method, value });
        match method {
            // LIGHT_MODEL, LIGHT_MATERIAL, FOG_COORD, LIGHT_ENABLE, TL_MODE.
            0x294 if value & !0x1_0007 != 0 => return refuse(),
            0x294 => {
                let b = (value & 1) << 19 | (value >> 1 & 1) << 20 | (value >> 2 & 1) << 18;
                self.change_mode(B, 7 << 18, b, &mut |_| {});
                self.change_mode(A, 1 << 28, value >> 16 << 28, emit);
            }
            0x298 if value > 15 => return refuse(),
            0x298 => self.change_mode(B, 15 << 21, value << 21, emit),
            0x2a0 if value > 3 => return refuse(),
            0x2a0 => self.change_mode(B, 3 << 16, value << 16, emit),
            0x3bc if value > 0xffff || !lights_are_contiguous(value) => return refuse(),
            0x3bc => self.change_mode(B, 0xffff, value, emit),
            0x3e8 if value > 7 => return refuse(),
            0x3e8 => {
                self.change_mode(B, 1 << 28, value << 28, &mut |_| {});
                let a = (value >> 1 & 1) << 2 | (value >> 2 & 1) << 16;
                self.change_mode(A, 1 << 2 | 1 << 16, a, emit);
            }
            _ => {
                let (load, word) = load(method).ok_or(MethodError::Unknown { method })?;
                self.load(load, word, value, emit);
            }
        }
        Ok(())
    }

    /// One word of a Celsius memory.
    fn load(&mut self, load: Load, word: u32, value: u32, emit: &mut impl FnMut(Item)) {
        let slot = load.slot + (word / 4) as u16;
        let component = (word % 4) as u8;
        self.pass[usize::from(component)] = value;
        emit(Item::Command(Command {
            kind: load.kind,
            slot,
            word: component,
            payload: Payload::Word(value),
        }));
        // The memory takes a vector with its fourth word: a light's position leaves the stale one as it is. UNKNOWN: how
        // FE makes it so.
        if load.words == 3 && component == 2 && load.kind == Type::Xfctx {
            emit(Item::Command(Command::word(Type::Xfctx, slot, 3, self.pass[3])));
        }
    }
}

/// Where XFMODE_B is in the first vector.
const fn b_word(family: Family) -> usize {
    match family {
        Family::Kelvin => 0,
        Family::Celsius | Family::Rankine | Family::Curie => 2,
    }
}

/// Whether no light follows one that is off.
fn lights_are_contiguous(modes: u32) -> bool {
    let off = (0..8).position(|light| modes >> (2 * light) & 3 == 0).unwrap_or(8);
    off == 8 || modes >> (2 * off) == 0
}

/// Words of a memory that consecutive methods write.
#[derive(Clone, Copy)]
struct Load {
    method: u32,
    words: u32,
    kind: Type,
    slot: u16,
}

const fn to(method: u32, words: u32, kind: Type, slot: u16) -> Load {
    Load { method, words, kind, slot }
}

/// Methods of Celsius, in order.
const LOADS: [Load; 33] = [
    to(0x3a8, 3, Type::Ltctx, 0x2a),  // material factor, rgb
    to(0x3b4, 1, Type::Ltc3, 0x0b),   // and alpha
    to(0x400, 16, Type::Xfctx, 0x00), // MV0
    to(0x440, 16, Type::Xfctx, 0x0c), // MV1
    to(0x480, 16, Type::Xfctx, 0x04), // IMV0
    to(0x4c0, 16, Type::Xfctx, 0x10), // IMV1
    to(0x500, 16, Type::Xfctx, 0x08), // PROJ
    to(0x540, 16, Type::Xfctx, 0x18), // TX0
    to(0x580, 16, Type::Xfctx, 0x20), // TX1
    to(0x600, 16, Type::Xfctx, 0x14), // planes of texture 0
    to(0x640, 16, Type::Xfctx, 0x1c), // and 1
    to(0x680, 3, Type::Ltctx, 0x2b),  // fog coefficients
    to(0x68c, 4, Type::Xfctx, 0x38),  // fog plane
    to(0x6a0, 1, Type::Ltc1, 0x01),   // shininess A
    to(0x6a4, 1, Type::Ltc2, 0x01),   // B
    to(0x6a8, 1, Type::Ltc3, 0x02),   // C
    to(0x6ac, 1, Type::Ltc0, 0x02),   // D
    to(0x6b0, 1, Type::Ltc2, 0x02),   // E
    to(0x6b4, 1, Type::Ltc2, 0x03),   // F
    to(0x6c4, 3, Type::Ltctx, 0x29),  // scene ambient
    to(0x6e8, 4, Type::Xfctx, 0x39),  // viewport translate
    to(0x6f8, 3, Type::Ltctx, 0x2d),  // point parameters 0 to 2
    to(0x704, 3, Type::Ltctx, 0x2e),  // 3 to 5
    to(0x710, 1, Type::Ltc1, 0x02),   // 6
    to(0x714, 1, Type::Ltc3, 0x01),   // 7
    to(0x718, 4, Type::Xfctx, 0x34),  // eye position
    // Lights: those of light 0.
    to(0x800, 9, Type::Ltctx, 0x00), // ambient, diffuse, specular
    to(0x824, 1, Type::Ltc1, 0x03),  // range
    to(0x828, 6, Type::Ltctx, 0x03), // half vector, direction
    to(0x840, 3, Type::Ltc1, 0x0b),  // spot cutoff: one word each in LTC1, LTC2, LTC3
    to(0x84c, 4, Type::Xfctx, 0x2c), // spot direction
    to(0x85c, 3, Type::Xfctx, 0x24), // position
    to(0x868, 3, Type::Ltctx, 0x03), // attenuation
];
/// Methods from one light to the next.
const LIGHT: u32 = 0x80;
const LIGHTS: std::ops::Range<u32> = 0x800..0xc00;

/// Where a method of Celsius loads, and which word of the vectors it is, four to a vector.
fn load(method: u32) -> Option<(Load, u32)> {
    let (base, light) = if LIGHTS.contains(&method) {
        (0x800 + method % LIGHT, ((method - LIGHTS.start) / LIGHT) as u16)
    } else {
        (method, 0)
    };
    let found = LOADS.iter().find(|load| (load.method..load.method + 4 * load.words).contains(&base));
    let mut load = *found.filter(|_| method & 3 == 0)?;
    let word = (base - load.method) / 4;
    if load.method == 0x840 {
        // Three scalars in three memories.
        let (kind, slot) = [(Type::Ltc1, 0x0b), (Type::Ltc2, 0x04), (Type::Ltc3, 0x03)][word as usize];
        return Some((Load { kind, slot: slot + light, words: 1, ..load }, 0));
    }
    if LIGHTS.contains(&method) {
        load.slot += if load.kind == Type::Ltctx { 5 * light } else { light };
    }
    Some(match load.kind {
        // Vectors of LT have three words.
        Type::Ltctx => (load, word / 3 * 4 + word % 3),
        _ => (load, word),
    })
}
