//! Instructions of x86-64 that move words and compute nothing: where each word of the result comes from.

use super::super::held::ELEMENTS;
use super::super::patterns::{FOUR, Pattern, SECOND, ZERO, each_four, pattern};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// An instruction that moves words: the numbers of the operands that it writes and reads.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Move {
    pub(in super::super) to: u32,
    pub(in super::super) from: [u32; 2],
    pub(in super::super) pattern: Pattern,
}

/// Words of the second source.
const fn second(words: [u8; 4]) -> [u8; 4] {
    let [a, b, c, d] = words;
    [SECOND + a, SECOND + b, SECOND + c, SECOND + d]
}

/// The word that each two bits of an immediate name.
const fn named(immediate: u8) -> [u8; 4] {
    [immediate & 3, immediate >> 2 & 3, immediate >> 4 & 3, immediate >> 6]
}

/// Words of a register, or of four integer bytes.
pub(super) fn words(register: Register) -> usize {
    match register.size() {
        0..=4 => 1,
        bytes => bytes / size_of::<u32>(),
    }
}

impl Move {
    /// What an instruction moves, if it does nothing else. `literal` are the bytes behind the code that it reads.
    pub(in super::super) fn of(insn: &Instruction, literal: Option<&[u8]>) -> Option<Move> {
        if !may_move(insn) {
            return None;
        }
        plain(insn).or_else(|| permuted(insn, literal))
    }

    /// What an instruction copies, or puts in all lanes, if it does nothing else.
    pub(in super::super) fn plain(insn: &Instruction) -> Option<Move> {
        if may_move(insn) { plain(insn) } else { None }
    }
}

/// Whether an instruction has two operands, and writes all of the first.
fn may_move(insn: &Instruction) -> bool {
    insn.op_mask() == Register::None && insn.op_count() >= 2
}

/// How many words an operand has.
fn size(insn: &Instruction, operand: u32) -> usize {
    match insn.op_kind(operand) {
        OpKind::Register => words(insn.op_register(operand)),
        _ => insn.memory_size().size().div_ceil(size_of::<u32>()),
    }
}

/// Copies, and what goes to all lanes.
fn plain(insn: &Instruction) -> Option<Move> {
    use Mnemonic as M;
    let is_memory = |operand: u32| insn.op_kind(operand) == OpKind::Memory;
    let is_register = |operand: u32| insn.op_kind(operand) == OpKind::Register;
    let whole = size(insn, 0);
    // So many words; behind them are zeros.
    let first =
        |count: usize| Some(pattern(whole, |number| if number < count { number as u8 } else { ZERO }));
    let pattern = match insn.mnemonic() {
        M::Movups | M::Movaps | M::Movupd | M::Movapd | M::Movdqu | M::Movdqa => first(whole),
        M::Vmovups | M::Vmovaps | M::Vmovupd | M::Vmovapd | M::Vmovdqu | M::Vmovdqa => first(whole),
        M::Vmovdqa32 | M::Vmovdqu32 | M::Vmovdqa64 | M::Vmovdqu64 => first(whole),
        M::Movd | M::Vmovd => first(1),
        M::Movss | M::Vmovss if is_memory(0) || is_memory(1) => first(1),
        M::Movq | M::Vmovq => first(2),
        M::Movsd | M::Vmovsd if is_memory(0) || is_memory(1) => first(2),
        M::Movlps | M::Vmovlps | M::Movlpd | M::Vmovlpd if is_memory(0) => first(2),
        M::Mov | M::Movzx if is_register(1) || is_memory(1) => first(size(insn, 1).min(whole)),
        M::Vbroadcastss | M::Vpbroadcastd => Some(pattern(whole, |_| 0)),
        M::Vbroadcastf128 | M::Vbroadcasti128 | M::Vbroadcastf32x4 => {
            Some(pattern(whole, |number| (number % FOUR) as u8))
        }
        _ => None,
    }?;
    Some(Move { to: 0, from: [1, 1], pattern })
}

/// Permutations, and what puts words together.
fn permuted(insn: &Instruction, literal: Option<&[u8]>) -> Option<Move> {
    use Mnemonic as M;
    let whole = size(insn, 0);
    let last = insn.op_count() - 1;
    let has_immediate = !matches!(insn.op_kind(last), OpKind::Register | OpKind::Memory);
    let immediate = if has_immediate { insn.immediate(last) as u8 } else { 0 };
    let operands = if has_immediate { last } else { last + 1 };
    // With two operands the first is a source, too; with one beside it there is no other.
    let both = match operands {
        2 => [0, 1],
        3 => [1, 2],
        _ => return None,
    };
    let single = [operands - 1; 2];
    let four = |words: [u8; 4]| Some((both, each_four(whole, words)));
    let one = |words: [u8; 4]| Some((single, each_four(whole, words)));
    let is_register = |operand: u32| insn.op_kind(operand) == OpKind::Register;
    let bit = |number: usize| immediate >> number & 1 == 1;
    let other = |number: usize| SECOND + number as u8;
    let inserted = |at: usize, count: usize| {
        let pattern = pattern(whole, |number| match number.checked_sub(at) {
            Some(word) if word < count => other(word),
            _ => number as u8,
        });
        Some((both, pattern))
    };
    let extracted = |at: usize, count: usize| {
        let width = if is_register(0) && whole < count { whole } else { count };
        Some((single, pattern(width, |number| (at + number) as u8)))
    };
    let imm = usize::from(immediate);
    let (from, pattern) = match insn.mnemonic() {
        M::Unpcklps | M::Vunpcklps | M::Punpckldq | M::Vpunpckldq => four([0, SECOND, 1, SECOND + 1]),
        M::Unpckhps | M::Vunpckhps | M::Punpckhdq | M::Vpunpckhdq => four([2, SECOND + 2, 3, SECOND + 3]),
        M::Unpcklpd | M::Vunpcklpd | M::Punpcklqdq | M::Vpunpcklqdq | M::Movlhps | M::Vmovlhps => {
            four([0, 1, SECOND, SECOND + 1])
        }
        M::Unpckhpd | M::Vunpckhpd | M::Punpckhqdq | M::Vpunpckhqdq => four([2, 3, SECOND + 2, SECOND + 3]),
        M::Movhlps | M::Vmovhlps => four([SECOND + 2, SECOND + 3, 2, 3]),
        M::Movss | M::Vmovss => four([SECOND, 1, 2, 3]),
        M::Movsd | M::Vmovsd | M::Movlps | M::Vmovlps | M::Movlpd | M::Vmovlpd => {
            four([SECOND, SECOND + 1, 2, 3])
        }
        M::Movhps | M::Vmovhps | M::Movhpd | M::Vmovhpd if whole == FOUR => four([0, 1, SECOND, SECOND + 1]),
        M::Movhps | M::Vmovhps | M::Movhpd | M::Vmovhpd => extracted(2, 2),
        M::Shufps | M::Vshufps => {
            let ([a, b, ..], [.., c, d]) = (named(immediate), second(named(immediate)));
            four([a, b, c, d])
        }
        M::Shufpd | M::Vshufpd if whole == FOUR => {
            let [a, b] = [0, 1].map(|number| if bit(number) { 2 } else { 0 });
            four([a, a + 1, SECOND + b, SECOND + b + 1])
        }
        M::Pshufd | M::Vpshufd | M::Vpermilps if has_immediate => one(named(immediate)),
        M::Movddup | M::Vmovddup => one([0, 1, 0, 1]),
        M::Movshdup | M::Vmovshdup => one([1, 1, 3, 3]),
        M::Movsldup | M::Vmovsldup => one([0, 0, 2, 2]),
        M::Insertps | M::Vinsertps => {
            let (from, to) = (if is_register(both[1]) { immediate >> 6 } else { 0 }, immediate >> 4 & 3);
            Some((
                both,
                pattern(whole, |number| match number {
                    _ if bit(number) => ZERO,
                    _ if number == usize::from(to) => SECOND + from,
                    _ => number as u8,
                }),
            ))
        }
        M::Blendps | M::Vblendps | M::Vpblendd => {
            Some((both, pattern(whole, |number| if bit(number) { other(number) } else { number as u8 })))
        }
        M::Blendpd | M::Vblendpd => {
            Some((both, pattern(whole, |number| if bit(number / 2) { other(number) } else { number as u8 })))
        }
        M::Pblendw | M::Vpblendw if (0..4).all(|number| matches!(immediate >> (2 * number) & 3, 0 | 3)) => {
            let word = |number: usize| if bit(2 * (number % FOUR)) { other(number) } else { number as u8 };
            Some((both, pattern(whole, word)))
        }
        M::Palignr | M::Vpalignr if whole == FOUR && imm.is_multiple_of(4) && imm <= 16 => {
            let word = |number: usize| match number + imm / 4 {
                low @ 0..FOUR => other(low),
                high => (high - FOUR) as u8,
            };
            Some((both, pattern(whole, word)))
        }
        M::Pinsrd | M::Vpinsrd => inserted(imm % 4, 1),
        M::Pinsrq | M::Vpinsrq => inserted(2 * (imm % 2), 2),
        // A byte is of the word that it comes to.
        M::Pinsrw | M::Vpinsrw => inserted(imm % 8 / 2, 1),
        M::Pinsrb | M::Vpinsrb => inserted(imm % 16 / 4, 1),
        M::Pextrd | M::Vpextrd | M::Extractps | M::Vextractps => extracted(imm % 4, 1),
        M::Pextrq | M::Vpextrq => extracted(2 * (imm % 2), 2),
        M::Pextrw | M::Vpextrw => extracted(imm % 8 / 2, 1),
        M::Pextrb | M::Vpextrb => extracted(imm % 16 / 4, 1),
        M::Vinsertf128 | M::Vinserti128 => inserted(4 * (imm % 2), 4),
        M::Vinsertf32x4 | M::Vinserti32x4 => inserted(4 * (imm % (whole / 4)), 4),
        M::Vinsertf64x4 | M::Vinserti64x4 => inserted(8 * (imm % 2), 8),
        M::Vextractf128 | M::Vextracti128 => extracted(4 * (imm % 2), 4),
        M::Vextractf32x4 | M::Vextracti32x4 => extracted(4 * (imm % (size(insn, 1) / 4)), 4),
        M::Vextractf64x4 | M::Vextracti64x4 => extracted(8 * (imm % 2), 8),
        M::Vpermq | M::Vpermpd if has_immediate && whole == 8 => {
            let word = |number: usize| 2 * named(immediate)[number / 2] + (number % 2) as u8;
            Some((single, pattern(whole, word)))
        }
        M::Vshufi32x4 | M::Vshuff32x4 if whole == ELEMENTS => {
            let word = |number: usize| {
                let group = named(immediate)[number / FOUR];
                let word = FOUR as u8 * group + (number % FOUR) as u8;
                if number < ELEMENTS / 2 { word } else { SECOND + word }
            };
            Some((both, pattern(whole, word)))
        }
        M::Pshufb | M::Vpshufb => {
            let bytes = literal.filter(|bytes| bytes.len() == 4 * whole)?;
            let words: Vec<u8> =
                bytes.as_chunks::<4>().0.iter().map(|word| picked(*word)).collect::<Option<_>>()?;
            let from = [both[0]; 2];
            Some((
                from,
                pattern(whole, |number| match words[number] {
                    ZERO => ZERO,
                    word => word + (number - number % FOUR) as u8,
                }),
            ))
        }
        _ => None,
    }?;
    Some(Move { to: 0, from, pattern })
}

/// The word that a permutation of bytes picks as a whole.
fn picked(bytes: [u8; 4]) -> Option<u8> {
    let [first, ..] = bytes;
    let is_whole =
        first.is_multiple_of(4) && first < 16 && bytes.iter().zip(first..).all(|(&byte, at)| byte == at);
    let is_zero = bytes.iter().all(|byte| byte & 0x80 != 0);
    if is_zero { Some(ZERO) } else { is_whole.then_some(first / 4) }
}
