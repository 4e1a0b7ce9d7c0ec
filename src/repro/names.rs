//! The names of places in the lines of runs: attributes, outputs, constants of programs, slots of the fixed function's
//! memories.

use xfjit_isa::asm;
use xfjit_isa::chip::memory::Ram;
use xfjit_isa::chip::{Family, Pipeline};
use xfjit_isa::isa::op::VecOp;
use xfjit_isa::isa::{Bank, Generation, Insn, Mask, OutTarget, OutWrite, Unit};
use xfjit_runtime::state::Row;

/// What is wrong with a piece of a line.
pub(super) type Flaw = String;

/// Whose names places have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    /// Those of programs: the assembler knows them, but for rows that the configuration has beside the chip's; how many there are.
    Program(Generation, usize),
    /// Those of a fixed function: attributes and outputs are called as in programs.
    Fixed(Pipeline),
}

/// A place that is set before a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    /// An attribute of a vertex.
    Attribute(usize),
    /// A row of the batch's constants, or of the memories.
    Row(usize),
}

impl Names {
    fn generation(self) -> Generation {
        match self {
            Names::Program(generation, _) => generation,
            Names::Fixed(pipeline) => pipeline.registers(),
        }
    }

    /// The attribute, constant or slot of a name, and the components that are named.
    pub(super) fn given(self, place: &str) -> Result<(Given, Mask), Flaw> {
        let Names::Fixed(pipeline) = self else { return self.register(place) };
        if place.contains('[') {
            return slot(pipeline, place);
        }
        if pipeline.family() != Family::Celsius {
            let attribute =
                self.register(place).ok().filter(|(given, _)| matches!(given, Given::Attribute(_)));
            return attribute
                .ok_or_else(|| format!("`{place}` is neither an attribute nor a slot of a memory"));
        }
        // The assembler's other names are those of programs, whose attributes are in another order.
        let (name, letters) = place.split_once('.').unwrap_or((place, "xyzw"));
        let number = name.strip_prefix('v').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let attributes = pipeline.sizes().attributes;
        let number = number.and_then(|digits| digits.parse().ok()).filter(|&number| number < attributes);
        let number = number.ok_or_else(|| {
            let (chip, last) = (pipeline.name(), attributes - 1);
            format!("`{place}` is neither an attribute of {chip} (v0 to v{last}) nor a slot of a memory")
        })?;
        Ok((Given::Attribute(number), mask(letters, 4, place)?))
    }

    /// What programs read.
    fn register(self, place: &str) -> Result<(Given, Mask), Flaw> {
        let unknown = || format!("`{place}` is neither an input nor a constant");
        let (register, letters) = place.split_once('.').unwrap_or((place, "xyzw"));
        if let Some(row) = self.row_of_configuration(register) {
            return Ok((Given::Row(row), mask(letters, 4, place)?));
        }
        let mask = letters;
        let insn =
            instruction(self.generation(), &format!("MOV r0.{mask}, {register}")).ok_or_else(unknown)?;
        let given = match insn.src[0].bank {
            Bank::Input => Given::Attribute(usize::from(insn.input)),
            Bank::Constant if !insn.indexed => Given::Row(usize::from(insn.constant)),
            _ => return Err(unknown()),
        };
        Ok((given, insn.vec_dst.mask))
    }

    /// The row of a name that the chip's assembler does not know, since a configuration alone has it.
    fn row_of_configuration(self, register: &str) -> Option<usize> {
        let Names::Program(generation, rows) = self else { return None };
        let row = register.strip_prefix("c[")?.strip_suffix(']')?.parse().ok()?;
        (generation.constants()..rows).contains(&row).then_some(row)
    }

    /// The output register or constant of a name, and the components that are named.
    pub(super) fn output(self, place: &str) -> Result<(OutTarget, Mask), Flaw> {
        let out = instruction(self.generation(), &format!("MOV {place}, v0")).and_then(|insn| insn.out);
        let found = out.map(|out| (out.target, out.mask(Unit::Vec)));
        match self {
            Names::Program(..) => {
                found.ok_or_else(|| format!("`{place}` is neither an output nor a constant"))
            }
            Names::Fixed(_) => found
                .filter(|(target, _)| matches!(target, OutTarget::Output(_)))
                .ok_or_else(|| format!("`{place}` is not an output")),
        }
    }

    /// An output register or constant as text.
    pub(super) fn target(self, target: OutTarget, mask: Mask) -> String {
        let out = Some(OutWrite::new(target, mask, Unit::Vec));
        let text = asm::print_insn(self.generation(), &Insn { vec: VecOp::Mov, out, ..Insn::NOP });
        let name = text.trim_start_matches("MOV ").split(',').next();
        name.unwrap_or_default().to_owned()
    }

    /// A row of constants or memories with its value as text.
    pub(super) fn row(self, row: usize, value: &Row) -> String {
        match self {
            Names::Program(..) => format!("c[{row}]={}", words(Mask::ALL, value)),
            Names::Fixed(pipeline) => {
                let Some((ram, slot)) = Ram::of_row(pipeline, row) else { return String::new() };
                format!("{}[{slot:#04x}]={}", ram.name(), words(first(ram.components()), value))
            }
        }
    }
}

/// A slot of a memory: `XFCTX[0x3a].xy`.
fn slot(pipeline: Pipeline, place: &str) -> Result<(Given, Mask), Flaw> {
    let unknown = || format!("`{place}` is not a slot of a memory, such as XFCTX[0x3a] or LTC1[2]");
    let (name, rest) = place.split_once('[').ok_or_else(unknown)?;
    let (number, rest) = rest.split_once(']').ok_or_else(unknown)?;
    let ram = Ram::ALL.into_iter().find(|ram| ram.name() == name).ok_or_else(unknown)?;
    let (digits, radix) = number.strip_prefix("0x").map_or((number, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(unknown());
    }
    // A number that is too large for the type is too large for the memory, too.
    let slot = usize::from_str_radix(digits, radix).unwrap_or(usize::MAX);
    let row = ram.row(pipeline, slot).ok_or_else(|| {
        let (chip, slots) = (pipeline.name(), ram.slots(pipeline));
        format!("`{place}`: {name} of {chip} has {slots:#x} slots")
    })?;
    let mask = match rest.strip_prefix('.') {
        Some(letters) => mask(letters, ram.components(), place)?,
        None if rest.is_empty() => first(ram.components()),
        None => return Err(unknown()),
    };
    Ok((Given::Row(row), mask))
}

/// The first components.
fn first(components: usize) -> Mask {
    Mask(0xf0_u8.wrapping_shr(components as u32) & 15)
}

/// The components that letters name, each once and in order.
fn mask(letters: &str, components: usize, place: &str) -> Result<Mask, Flaw> {
    let (mut found, mut next) = (Mask::NONE, 0);
    for letter in letters.chars() {
        let component = "xyzw".find(letter).filter(|&component| component >= next && component < components);
        let component = component.ok_or_else(|| {
            format!("`{place}`: components are some of {}, in this order", &"xyzw"[..components])
        })?;
        next = component + 1;
        found = Mask(found.0 | 8 >> component);
    }
    if found.is_empty() { Err(format!("`{place}` names no component")) } else { Ok(found) }
}

/// The components of a mask as hexadecimal digits.
pub(super) fn words(mask: Mask, row: &Row) -> String {
    let words: Vec<String> = mask.components().map(|c| format!("{:08x}", row[c])).collect();
    if words.len() == 1 { words.concat() } else { format!("({})", words.join(" ")) }
}

/// The assembler knows the names of registers.
fn instruction(generation: Generation, text: &str) -> Option<Insn> {
    asm::parse(generation, text).ok()?.insns.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        for pipeline in Pipeline::ALL {
            let names = Names::Fixed(pipeline);
            for ram in Ram::ALL {
                for row in ram.rows(pipeline) {
                    let text = names.row(row, &[1, 2, 3, 4]);
                    let place = text.split('=').next().unwrap_or_default();
                    assert_eq!(names.given(place), Ok((Given::Row(row), first(ram.components()))), "{text}");
                }
            }
        }
    }

    #[test]
    fn outputs_of_every_family_have_names() {
        for (pipeline, registers) in [(Pipeline::NV10, 13), (Pipeline::Kelvin, 13), (Pipeline::Rankine, 23)] {
            for register in 0..registers {
                let target = OutTarget::Output(register);
                let text = Names::Fixed(pipeline).target(target, Mask::ALL);
                assert_eq!(Names::Fixed(pipeline).output(&text), Ok((target, Mask::ALL)), "{text}");
            }
        }
    }
}
