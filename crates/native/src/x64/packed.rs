//! Elements of up to seven bytes at sixteen lanes: each of their two words is loaded to its lane, and nothing is transposed.
//!
//! The second word of an element is not whole. It is loaded from where the element's last four bytes begin, so that no byte behind
//! them is read, and moved down by what it has in common with the first: behind an element are zeros.

use super::asm::Arg;
use super::emit::Emitter;
use super::rows::Rows;
use super::table::Insn;
use iced_x86::MemoryOperand;

/// Bytes of a word.
pub(super) const WORD: usize = size_of::<u32>();

/// Whether the words of elements of so many bytes may be loaded to their lanes.
pub(super) fn is_short(bytes: usize) -> bool {
    bytes < 2 * WORD
}

/// A word of elements on its way to its lanes.
#[derive(Clone, Copy)]
struct Column {
    /// Registers of the first eight lanes, of the others, and of four of them.
    lower: u8,
    upper: u8,
    four: u8,
    /// Where it begins in an element.
    at: usize,
}

impl Emitter<'_> {
    /// Loads the wanted words; returns their registers, which the instruction has taken.
    pub(super) fn packed_columns(&mut self, rows: Rows, wanted: [bool; 4]) -> [Option<u8>; 4] {
        let taken = [0, 1].map(|word| wanted[word].then(|| [self.take(), self.take()]));
        let lower = taken.map(|taken| taken.map(|[lower, _]| lower));
        self.load_words(rows, lower, taken.map(|taken| taken.map_or(0, |[_, four]| four)));
        let [first, second] = lower;
        [first, second, None, None]
    }

    /// Loads the words that have registers; there is another one for each.
    pub(super) fn load_words(&mut self, rows: Rows, registers: [Option<u8>; 2], fours: [u8; 2]) {
        let bytes = rows.bytes();
        let uppers = [(); 2].map(|()| self.temporary());
        let words: [Option<Column>; 2] = std::array::from_fn(|word| {
            let at = [0, bytes.saturating_sub(WORD)][word];
            let upper = uppers[word].register();
            registers[word].map(|lower| Column { lower, upper, four: fours[word], at })
        });
        for lane in 0..self.width.lanes() {
            let row = self.by_four(rows, lane);
            for Column { lower, upper, four, at } in words.into_iter().flatten() {
                let half = if lane < 8 { lower } else { upper };
                let to = if lane % 8 < 4 { half } else { four };
                self.load_lane(to, lane % 4, row, (at, bytes.min(WORD)));
                if lane % 8 == 7 {
                    let to = self.half(half);
                    let args = [to, to, Self::low(four), Arg::Immediate(1)];
                    self.asm.at(Insn::Vinsertf128, self.facts.eight, &args);
                }
            }
        }
        self.move_streams(rows.kept().as_slice(), 4);
        for Column { lower, upper, at, .. } in words.into_iter().flatten() {
            self.join(lower, upper);
            if at > 0 {
                let register = self.vector(lower);
                let common = Arg::Immediate(8 * (2 * WORD - bytes) as u32);
                self.op(Insn::Vpsrld, &[register, register, common]);
            }
        }
    }

    /// Loads a word of a row, or fewer bytes, to one of the lowest four lanes of a register; the first one comes first, and clears
    /// the others.
    fn load_lane(&mut self, register: u8, lane: usize, row: MemoryOperand, (at, bytes): (usize, usize)) {
        let low = Self::low(register);
        let behind = |offset: usize| {
            Arg::Memory(MemoryOperand { displacement: (at + offset) as i64, displ_size: 1, ..row })
        };
        if bytes == WORD && lane == 0 {
            return self.op_of_four(Insn::Vmovss, &[low, behind(0)]);
        }
        if bytes == WORD {
            let args = [low, low, behind(0), Arg::Immediate(lane as u32)];
            return self.op_of_four(Insn::Vpinsrd, &args);
        }
        if lane == 0 {
            self.op_of_four(Insn::Vpxor, &[low; 3]);
        }
        if bytes >= 2 {
            let args = [low, low, behind(0), Arg::Immediate(2 * lane as u32)];
            self.op_of_four(Insn::Vpinsrw, &args);
        }
        if bytes % 2 == 1 {
            let last = bytes - 1;
            let args = [low, low, behind(last), Arg::Immediate((WORD * lane + last) as u32)];
            self.op_of_four(Insn::Vpinsrb, &args);
        }
    }
}
