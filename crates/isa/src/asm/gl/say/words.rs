//! The parts that a notation gives a program: registers, instruction sets, and the text before the
//! statements.

use super::super::language::{Language, Sets, V20, V30};
use super::super::state::PROGRAM_PARAMETERS;
use crate::isa::{Bank, Generation, Insn, Unit};

/// The language of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Notation {
    /// NV_vertex_program's languages: !!VP1.1 for Kelvin, !!VP2.0 for Rankine, !!VP3.0 for Curie, and
    /// !!VSP1.0 if the program writes constants.
    #[default]
    Nv,
    /// ARB_vertex_program, with the option NV_vertex_program2 for Rankine and NV_vertex_program3 for Curie.
    Arb,
}

/// What a notation has for a program.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) language: Language,
    pub(super) sets: Sets,
    pub(super) temps: u16,
    pub(super) parameters: u16,
}

impl Words {
    pub(super) fn new(generation: Generation, notation: Notation, writes_constants: bool) -> Words {
        let language = match (notation, generation) {
            (Notation::Arb, _) => {
                let sets = match generation {
                    Generation::Kelvin => 0,
                    Generation::Rankine => V20,
                    Generation::Curie => V20 | V30,
                };
                let language = Language::Arb10;
                let parameters = generation.user_rows().len().min(usize::from(PROGRAM_PARAMETERS)) as u16;
                let temps = generation.temps() as u16;
                return Words { language, sets: language.sets() | sets, temps, parameters };
            }
            _ if writes_constants => Language::Vsp10,
            (Notation::Nv, Generation::Kelvin) => Language::Vp11,
            (Notation::Nv, Generation::Rankine) => Language::Vp20,
            (Notation::Nv, Generation::Curie) => Language::Vp30,
        };
        let (temps, parameters) = (language.temps(), language.parameters());
        Words { language, sets: language.sets(), temps, parameters }
    }

    pub(super) fn is_arb(self) -> bool {
        self.language == Language::Arb10
    }

    pub(super) fn has_conditions(self) -> bool {
        self.sets & V20 != 0
    }

    /// What stands before the statements.
    pub(super) fn head(self, insns: &[Insn]) -> String {
        let mut head = format!("{}\n", self.language.header());
        if !self.is_arb() {
            return head;
        }
        head += match self.sets {
            sets if sets & V30 != 0 => "OPTION NV_vertex_program3;\n",
            sets if sets & V20 != 0 => "OPTION NV_vertex_program2;\n",
            _ => "",
        };
        let reads = |bank: Bank| insns.iter().any(|insn| insn.reads_bank(bank));
        if reads(Bank::Constant) {
            let (count, last) = (self.parameters, self.parameters - 1);
            head += &format!("PARAM c[{count}] = {{ program.local[0..{last}] }};\n");
        }
        let writes = |n: u8| {
            let to =
                |insn: &Insn, unit| insn.temp_write(unit).reg == n && !insn.temp_write(unit).mask.is_empty();
            insns.iter().any(|insn| to(insn, Unit::Vec) || to(insn, Unit::Sca))
        };
        let named = (0..self.temps as u8).filter(|&n| reads(Bank::Temp(n)) || writes(n));
        let temps: Vec<String> = named.map(|n| format!("R{n}")).collect();
        if !temps.is_empty() {
            head += &format!("TEMP {};\n", temps.join(", "));
        }
        head += if self.has_conditions() { "ADDRESS A0, A1;\n" } else { "ADDRESS A0;\n" };
        head
    }
}

/// The name of an output in ARB_vertex_program.
pub(super) fn result(name: &str) -> String {
    let numbered = |stem: &str, result: &str| Some(format!("result.{result}[{}]", name.strip_prefix(stem)?));
    match name {
        "HPOS" => "result.position".to_owned(),
        "COL0" => "result.color".to_owned(),
        "COL1" => "result.color.secondary".to_owned(),
        "BFC0" => "result.color.back".to_owned(),
        "BFC1" => "result.color.back.secondary".to_owned(),
        "FOGC" => "result.fogcoord".to_owned(),
        "PSIZ" => "result.pointsize".to_owned(),
        _ => numbered("TEX", "texcoord").or_else(|| numbered("CLP", "clip")).unwrap_or_default(),
    }
}
