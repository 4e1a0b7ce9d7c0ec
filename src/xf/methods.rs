//! FE3D methods that load the unit, and the commands that FE makes of them (kelvin.md 2, rankine_curie.md 1.5, fixed_function.md 2.3).
//!
//! This module has the methods whose numbers the documents give: programs and constants with their load pointers, start slot, execution
//! mode, state programs; on Celsius all memories. Other methods of the fixed function change XFMODE: if you know them, set the words with
//! [`Methods::set_xfmode`].
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

use super::command::{Command, Type};
use super::item::Item;
use super::register::{OUTPUT_MAP, Register};
use std::fmt;
use xfjit_isa::chip::memory::Ram;
use xfjit_isa::chip::methods::{Bits, EXECUTION, What, find};
use xfjit_isa::chip::mode::{Mode, Name};
use xfjit_isa::chip::{Chip, Family, Generation};
use xfjit_isa::isa::convert::row;
use xfjit_runtime::state::Row;

/// Why a method does nothing. In all these cases except the first, FE raises an error for the guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MethodError {
    /// It does not load the unit.
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
    /// The load pointer is after the last slot.
    Full {
        /// The method.
        method: u32,
    },
    /// It requests the fixed function, which chips from NV41 on do not have.
    NoFixedFunction {
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
            MethodError::Full { method } => write!(f, "method {method:#06x} would load past the last slot"),
            MethodError::NoFixedFunction { method } => {
                write!(
                    f,
                    "method {method:#06x} selects the fixed function, which chips from NV41 on do not have"
                )
            }
        }
    }
}

impl std::error::Error for MethodError {}

/// The state of FE: load pointers, and the XFMODE words that it sends whole.
#[derive(Clone, Debug)]
pub struct Methods {
    chip: Chip,
    /// The family that the class of the object came with.
    class: Family,
    /// Slot of XFPR that is loaded next.
    program: u16,
    /// Row of XFCTX that is loaded next.
    constant: u16,
    mode: [Row; 2],
    /// The passthrough slot, as far as methods have written it.
    pass: Row,
}

impl Methods {
    /// FE after reset, for an object of the chip's own class.
    pub fn new(chip: Chip) -> Self {
        Methods { chip, class: chip.family(), program: 0, constant: 0, mode: [[0; 4]; 2], pass: [0; 4] }
    }

    /// Executes a method: passes on its commands.
    ///
    /// # Errors
    /// The method does not belong to this unit, or FE refuses it. On an error, nothing has been passed on.
    pub fn write(&mut self, method: u32, value: u32, emit: &mut impl FnMut(Item)) -> Result<(), MethodError> {
        let (slots, rows) = self.limits();
        let refuse = || Err(MethodError::Value { method, value });
        let command = |kind: Type, slot: u16, word: u8| Item::Command(Command::word(kind, slot, word, value));
        let (found, word) = find(self.class, method).ok_or(MethodError::Unknown { method })?;
        let component = (word % 4) as u8;
        match found.what {
            What::Program => {
                if usize::from(self.program) >= slots {
                    return Err(MethodError::Full { method });
                }
                emit(command(Type::Xfpr, self.program, component));
                self.program += u16::from(component == 3);
            }
            What::Constant => {
                if usize::from(self.constant) >= rows {
                    return Err(MethodError::Full { method });
                }
                emit(command(Type::Xfctx, self.first_row() + self.constant, component));
                self.constant += u16::from(component == 3);
            }
            What::Parameter => emit(command(Type::Param, 0, component)),
            What::Launch | What::ProgramPointer | What::Start if value as usize >= slots => return refuse(),
            What::ConstantPointer if value as usize >= rows => return refuse(),
            What::Launch => emit(command(Type::Run, 0, 0)),
            What::ProgramPointer => self.program = value as u16,
            What::ConstantPointer => self.constant = value as u16,
            What::Start => {
                self.set(Name::ProgramStart, value);
                if self.chip.family() == Family::Kelvin {
                    self.send_mode(emit);
                } else {
                    emit(Item::Set(Register::Start, value));
                }
            }
            What::Execution if !self.takes_execution(value) => return refuse(),
            What::Execution if self.chip.family() == Family::Curie => {
                if value & 3 == 0 && self.chip.pipeline().is_none() {
                    return Err(MethodError::NoFixedFunction { method });
                }
                emit(Item::Set(Register::Execution, value));
            }
            What::Execution => self.set_fields(EXECUTION, value, emit),
            // Without XFMODE there is nothing that they are fields of.
            What::Fields(_) if self.chip.xfmode().is_none() => return Err(MethodError::Unknown { method }),
            What::Fields(fields) if value & !Bits::all(fields, self.class) != 0 => return refuse(),
            What::Fields(fields) if !lights_are_contiguous(fields, value) => return refuse(),
            What::Fields(fields) => self.set_fields(fields, value, emit),
            What::Xtra(slot) => emit(command(Type::Xtra, slot + (word / 4) as u16, component)),
            What::Timeout => emit(Item::Set(Register::Timeout, value)),
            What::BranchBits => emit(Item::Set(Register::BranchBits, value)),
            What::OutputMap(word) => emit(Item::Set(OUTPUT_MAP[word], value)),
            What::OutputMask => emit(Item::Set(Register::OutputMask, value)),
            What::InputMask => emit(Item::Set(Register::InputMask, value)),
            What::Memory(ram, slot) => {
                let width = if ram == Ram::Ltctx { 3 } else { 4 };
                let whole = found.words % 4 == 0 || ram != Ram::Xfctx;
                self.load(ram.into(), slot + (word / width) as u16, (word % width) as u8, value, whole, emit);
            }
        }
        Ok(())
    }

    /// Changes the class of the object to Rankine's, or back, on NV40, which runs programs of both classes. The methods are then those of
    /// that class. Load pointers stay unchanged. This has no effect on other chips.
    pub fn set_rankine_class(&mut self, rankine: bool) {
        if self.chip.family() == Family::Curie && self.chip.runs(Generation::Rankine) {
            self.class = if rankine { Family::Rankine } else { Family::Curie };
        }
    }

    /// Changes the class of the object: on Rankine, an object of Kelvin's class has Kelvin's methods, and what it loads goes to Rankine's
    /// places (rankine_curie.md 1.4). Load pointers stay unchanged. This has no effect on other chips.
    pub fn set_kelvin_class(&mut self, kelvin: bool, emit: &mut impl FnMut(Item)) {
        if self.chip.family() == Family::Rankine {
            self.class = if kelvin { Family::Kelvin } else { Family::Rankine };
            emit(Item::Set(Register::Class, kelvin.into()));
        }
    }

    /// Slots and rows that the class of the object can name.
    fn limits(&self) -> (usize, usize) {
        let chip = match self.class {
            Family::Kelvin => Chip::Nv20,
            Family::Rankine => Chip::Nv30,
            Family::Celsius | Family::Curie => self.chip,
        };
        let sizes = chip.sizes();
        (sizes.xfpr, sizes.xfctx)
    }

    /// Where the rows of the object's class begin: Rankine keeps those of Kelvin's behind rows of its own.
    fn first_row(&self) -> u16 {
        if self.class == Family::Kelvin && self.chip.family() == Family::Rankine { row(0) } else { 0 }
    }

    /// Informs FE of what XFMODE holds, after something else has written it.
    pub fn set_xfmode(&mut self, vector: usize, words: Row) {
        if let Some(row) = self.mode.get_mut(vector) {
            *row = words;
        }
    }

    /// Whether FE takes an execution mode (rankine_curie.md 1.5). Curie's class lacks the bit of access to all constants.
    fn takes_execution(&self, value: u32) -> bool {
        let mode = value & 3;
        let (is_taken, lacks) = match self.class {
            Family::Celsius | Family::Kelvin => (mode & 1 == 0, 0),
            Family::Rankine => (mode != 1, 0),
            Family::Curie => (mode <= 1 || self.chip.runs(Generation::Rankine), 1 << 2),
        };
        is_taken && value & !(Bits::all(EXECUTION, self.class) & !lacks) == 0
    }

    /// Sets fields of XFMODE, and sends it.
    fn set_fields(&mut self, fields: &[Bits], value: u32, emit: &mut impl FnMut(Item)) {
        fields.iter().for_each(|bits| self.set(bits.name, bits.of(value)));
        self.send_mode(emit);
    }

    /// Sets a field of XFMODE, if the chip has it.
    fn set(&mut self, name: Name, value: u32) {
        if let Some(pipeline) = self.chip.xfmode() {
            Mode::from_vectors(pipeline, &self.mode).with(name, value).store(&mut self.mode);
        }
    }

    /// Sends all vectors of XFMODE in pairs, as FE does.
    fn send_mode(&mut self, emit: &mut impl FnMut(Item)) {
        for slot in 0..self.chip.sizes().mode {
            let [a, b, c, d] = self.mode[slot];
            if self.chip.family() != Family::Celsius {
                emit(Item::Command(Command::pair(Type::Mode, slot as u16, 0, [a, b])));
            }
            emit(Item::Command(Command::pair(Type::Mode, slot as u16, 2, [c, d])));
            // Whatever comes by PASS stays there.
            self.pass[2..].copy_from_slice(&[c, d]);
        }
    }

    /// One word of a Celsius memory, `whole` if its methods write all words of the slot.
    fn load(
        &mut self,
        kind: Type,
        slot: u16,
        component: u8,
        value: u32,
        whole: bool,
        emit: &mut impl FnMut(Item),
    ) {
        self.pass[usize::from(component)] = value;
        emit(Item::Command(Command::word(kind, slot, component, value)));
        // The memory takes a vector with its fourth word: a light's position leaves the stale one as it is. UNKNOWN: how
        // FE makes it so.
        if !whole && component == 2 {
            emit(Item::Command(Command::word(kind, slot, 3, self.pass[3])));
        }
    }
}

/// Whether no light follows one that is off; other fields are all right.
fn lights_are_contiguous(fields: &[Bits], value: u32) -> bool {
    let modes = fields.iter().filter(|bits| matches!(bits.name, Name::Light(_))).map(|bits| bits.of(value));
    modes.skip_while(|&mode| mode != 0).all(|mode| mode == 0)
}
