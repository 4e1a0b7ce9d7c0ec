//! The registers of the command processor.

use xfjit_isa::chip::flipper::Console;
use xfjit_isa::chip::flipper::cp::{ARRAYS, Register, VATS};
use xfjit_isa::chip::flipper::vat::Vat;
use xfjit_isa::chip::flipper::vcd::Vcd;

/// An array of elements in memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Array {
    /// The address of the first element.
    pub base: u32,
    /// The distance from one element to the next.
    pub stride: u32,
}

impl Array {
    /// The address of an element.
    pub const fn element(self, index: u32) -> u32 {
        self.base + self.offset(index)
    }

    /// Bytes from the array's first to an element.
    pub const fn offset(self, index: u32) -> u32 {
        index * self.stride
    }
}

/// Normal, tangent and binormal of the last vertex that had them. Vertices without them get these.
pub type NormalCache = [Option<[u32; 3]>; 3];

/// The registers, and the state that is kept between draws.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// Registers of the vertex cache and of measurements, which nothing reads.
    pub control: [u32; 0x30],
    /// Matrix indices A and B.
    pub matrices: [u32; 2],
    /// The attributes that vertices have.
    pub vcd: Vcd,
    /// Their formats, by the number in the drawing command.
    pub vats: [Vat; VATS],
    /// The arrays of attributes that are not in the command.
    pub arrays: [Array; ARRAYS],
    /// The normals that are kept.
    pub normals: NormalCache,
    /// The console whose addresses bases and lists have.
    pub console: Console,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers {
            control: [0; 0x30],
            matrices: [0; 2],
            vcd: Vcd::default(),
            vats: [Vat::default(); VATS],
            arrays: [Array::default(); ARRAYS],
            normals: [None; 3],
            console: Console::GameCube,
        }
    }
}

impl Registers {
    /// Loads a register. Bits that it lacks are dropped, and so are loads of unknown registers.
    pub fn load(&mut self, number: u8, value: u32) {
        let register = Register::of(number);
        let value = value & register.mask(self.console);
        match register {
            Register::Control(number) => self.control[usize::from(number) % 0x30] = value,
            Register::MatrixIndexA => self.matrices[0] = value,
            Register::MatrixIndexB => self.matrices[1] = value,
            Register::VcdLo => self.vcd.lo = value,
            Register::VcdHi => self.vcd.hi = value,
            Register::Vat(word, vat) => self.vats[usize::from(vat)].0[usize::from(word)] = value,
            Register::ArrayBase(array) => self.arrays[usize::from(array)].base = value,
            Register::ArrayStride(array) => self.arrays[usize::from(array)].stride = value,
            Register::Unknown(_) => {}
        }
    }

    /// Keeps normals of a vertex, of those that it has.
    pub(super) fn keep(&mut self, normals: NormalCache) {
        let kept = self.normals.iter_mut().zip(normals);
        kept.for_each(|(kept, normal)| *kept = normal.or(*kept));
    }

    /// Reads a register; 0 if it is unknown.
    pub fn read(&self, number: u8) -> u32 {
        match Register::of(number) {
            Register::Control(number) => self.control[usize::from(number) % 0x30],
            Register::MatrixIndexA => self.matrices[0],
            Register::MatrixIndexB => self.matrices[1],
            Register::VcdLo => self.vcd.lo,
            Register::VcdHi => self.vcd.hi,
            Register::Vat(word, vat) => self.vats[usize::from(vat)].0[usize::from(word)],
            Register::ArrayBase(array) => self.arrays[usize::from(array)].base,
            Register::ArrayStride(array) => self.arrays[usize::from(array)].stride,
            Register::Unknown(_) => 0,
        }
    }
}
