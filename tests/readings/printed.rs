//! Kelvin's instructions in the words of the reading. Nothing here goes through the project's own texts.

use xfjit::isa::{Bank, Insn, Mask, OutTarget, OutWrite, ScaOp, Source, TempWrite, VecOp};

fn mac(op: VecOp) -> &'static str {
    match op {
        VecOp::Nop => "NOP",
        VecOp::Mov => "MOV",
        VecOp::Mul => "MUL",
        VecOp::Add => "ADD",
        VecOp::Mad => "MAD",
        VecOp::Dp3 => "DP3",
        VecOp::Dph => "DPH",
        VecOp::Dp4 => "DP4",
        VecOp::Dst => "DST",
        VecOp::Min => "MIN",
        VecOp::Max => "MAX",
        VecOp::Slt => "SLT",
        VecOp::Sge => "SGE",
        VecOp::Arl => "ARL",
        _ => "not Kelvin's",
    }
}

fn ilu(op: ScaOp) -> &'static str {
    match op {
        ScaOp::Nop => "NOP",
        ScaOp::Mov => "MOV",
        ScaOp::Rcp => "RCP",
        ScaOp::Rcc => "RCC",
        ScaOp::Rsq => "RSQ",
        ScaOp::Exp => "EXP",
        ScaOp::Log => "LOG",
        ScaOp::Lit => "LIT",
        _ => "not Kelvin's",
    }
}

/// The names of components.
pub(crate) fn components(mask: Mask) -> String {
    "xyzw".chars().enumerate().filter(|&(at, _)| mask.0 & 8 >> at != 0).map(|(_, name)| name).collect()
}

fn source(insn: &Insn, Source { bank, swizzle, absolute, negate }: Source) -> String {
    assert!(!absolute, "Kelvin has no absolute values");
    let register = match bank {
        Bank::None => "unknown".to_owned(),
        Bank::Temp(number) => format!("r{number}"),
        Bank::Input => format!("v{}", insn.input),
        Bank::Constant => format!("c[{}{}]", if insn.indexed { "a0+" } else { "" }, insn.constant),
    };
    let swizzle: String =
        swizzle.0.iter().map(|&component| char::from(b"xyzw"[usize::from(component)])).collect();
    format!("{}{register}.{swizzle}", if negate { '-' } else { '+' })
}

fn target(bank: char, TempWrite { reg, mask }: TempWrite) -> String {
    if mask.is_empty() { "-".to_owned() } else { format!("{bank}{reg}.{}", components(mask)) }
}

fn mac_target(insn: &Insn) -> String {
    match (insn.address_dst.mask.is_empty(), insn.vec_dst.mask.is_empty()) {
        (true, _) => target('r', insn.vec_dst),
        (false, true) => target('a', insn.address_dst),
        (false, false) => "an address and a temporary".to_owned(),
    }
}

fn output(out: Option<OutWrite>) -> String {
    let Some(OutWrite { target, vec, sca }) = out else { return "-".to_owned() };
    let (unit, mask) = match (vec.is_empty(), sca.is_empty()) {
        (false, true) => ("mac", vec),
        (true, false) => ("ilu", sca),
        (true, true) | (false, false) => return "not Kelvin's".to_owned(),
    };
    let register = match target {
        OutTarget::Output(number) => format!("o{number}"),
        OutTarget::Constant(row) => format!("c[{row}]"),
    };
    format!("{unit}:{register}.{}", components(mask))
}

/// What the reading says of a slot, in the decoder's words. Of sources the ones that the reading names are printed: an
/// operation that lacks one, or has one too many, differs from the reading in `Source::UNUSED`.
pub(crate) fn printed(insn: &Insn, reading: &str) -> String {
    let mut line = format!("mac={} ilu={}", mac(insn.vec), ilu(insn.sca));
    for (name, &operand) in ["a", "b", "c"].into_iter().zip(&insn.src) {
        if reading.contains(&format!(" {name}=")) || operand != Source::UNUSED {
            line += &format!(" {name}={}", source(insn, operand));
        }
    }
    line += &format!(" mac>{} ilu>{}", mac_target(insn), target('r', insn.sca_dst));
    line + &format!(" out>{} end={}", output(insn.out), u8::from(insn.end))
}

/// Whether a line is what the reading says; `_` is a component that nothing reads, so any will do.
pub(crate) fn agrees(reading: &str, printed: &str) -> bool {
    reading.len() == printed.len()
        && reading.bytes().zip(printed.bytes()).all(|(want, got)| want == b'_' || want == got)
}
