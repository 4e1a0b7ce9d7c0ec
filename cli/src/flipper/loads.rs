//! What loads of registers say by name, one by one.

use super::{Named, fields, place};
use xfjit::chip::flipper::cp::Register;
use xfjit::chip::flipper::memory::Memory;
use xfjit::chip::flipper::{Console, registers};

/// A register of the command processor; bits that it does not hold are dropped.
pub fn cp(number: u8, value: u32) -> Named {
    super::cp(number, value & Register::of(number).mask(Console::Wii))
}

/// What words of the transform unit from an address on belong to, as they are now.
pub fn xf(memory: &Memory, first: u16, count: usize) -> Vec<Named> {
    let end = (usize::from(first) + count).min(registers::END.into()) as u16;
    let (mut all, mut address) = (Vec::new(), first);
    while address < end {
        let (at, count, name) = place(address);
        let words: Vec<u32> = (at..at + count).map(|address| memory.word(address)).collect();
        let (fields, rest) = fields(at, &words);
        all.push(Named { unit: "xf", address: at, name, words, fields, rest });
        address = at + count;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_what_its_words_belong_to() {
        let mut memory = Memory::new();
        memory.write(0x4, &[0x3f80_0000]);
        let names = |first, count| -> Vec<String> {
            xf(&memory, first, count).into_iter().map(|named| named.name).collect()
        };
        assert_eq!(names(5, 4), ["matrix[1]", "matrix[2]"]);
        assert_eq!(names(0x1009, 1), ["numchans"]);
        assert_eq!(names(registers::END - 1, 9).len(), 1);
        assert_eq!(names(registers::END, 9).len(), 0);
        assert_eq!(xf(&memory, 6, 1)[0].words[0], 0x3f80_0000);
        assert!(cp(0x50, u32::MAX).to_string().starts_with("cp 50 vcd_lo"));
    }
}
