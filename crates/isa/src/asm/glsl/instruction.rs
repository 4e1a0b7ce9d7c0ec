//! An instruction as statements of GLSL.

use super::super::names::COMPONENTS;
use super::super::print::insn::mask as letters;
use super::super::split::{self, Statement, To};
use super::Names;
use crate::chip::programs::{POSITION, POSITION_READ_BACK};
use crate::isa::kelvin::FOG;
use crate::isa::op::{Integers, Kind, ScaOp, Slot, VecOp};
use crate::isa::{
    Bank, Condition, Generation, Insn, Mask, OutTarget, Source, Swizzle, TempWrite, Test, Unit,
};

/// Whether a test looks at a condition register.
pub(super) const fn is_tested(test: Test) -> bool {
    !matches!(test, Test::Tr | Test::Fl)
}

/// The type of a number of components.
fn vector(count: usize, of: &str) -> String {
    let scalar = match of {
        "b" => "bool",
        "i" => "int",
        _ => "float",
    };
    if count == 1 { scalar.to_owned() } else { format!("{of}vec{count}") }
}

/// A value of one component for each of so many.
fn splat(count: usize, value: String) -> String {
    if count == 1 { value } else { format!("vec{count}({value})") }
}

/// The components of a register that some of its swizzled ones are.
fn swizzled(swizzle: Swizzle, of: &[usize]) -> String {
    let from: Vec<usize> = of.iter().map(|&c| usize::from(swizzle.0[c] & 3)).collect();
    if from == [0, 1, 2, 3] {
        String::new()
    } else {
        format!(".{}", from.iter().map(|&c| COMPONENTS[c]).collect::<String>())
    }
}

/// A comparison with an operator and a function, of single components and of several.
fn compare((operator, function): (&str, &str), a: &str, b: &str, count: usize) -> String {
    if count == 1 { format!("{a} {operator} {b}") } else { format!("{function}({a}, {b})") }
}

const LESS: (&str, &str) = ("<", "lessThan");
const LESS_OR_EQUAL: (&str, &str) = ("<=", "lessThanEqual");
const GREATER: (&str, &str) = (">", "greaterThan");
const GREATER_OR_EQUAL: (&str, &str) = (">=", "greaterThanEqual");
const EQUAL: (&str, &str) = ("==", "equal");
const NOT_EQUAL: (&str, &str) = ("!=", "notEqual");

/// An instruction on its way to text.
pub(super) struct Text<'a> {
    pub(super) names: &'a Names,
    pub(super) insn: &'a Insn,
}

impl Text<'_> {
    /// Its statements, without what goes elsewhere, pushes and pops.
    pub(super) fn statements(&self) -> Vec<String> {
        let insn = match self.insn.sca.is_flow() {
            true => Insn { sca: ScaOp::Nop, ..*self.insn }.canonical(),
            false => *self.insn,
        };
        let this = Text { names: self.names, insn: &insn };
        if insn.condition.test == Test::Fl {
            return Vec::new();
        }
        let is_plain = |statements: &Vec<Statement>| {
            let of = |unit: Unit| statements.iter().filter(|statement| statement.unit == unit).count();
            of(Unit::Vec) <= 1 && of(Unit::Sca) <= 1 && !this.is_read_back() && !this.moves_index()
        };
        match split::split(&insn).ok().filter(is_plain) {
            Some(statements) => statements.iter().flat_map(|statement| this.plain(statement)).collect(),
            None => this.block(),
        }
    }

    /// Whether what it writes is read back from a temporary.
    fn is_read_back(&self) -> bool {
        let is_position = |target| target == OutTarget::Output(POSITION);
        self.names.read_back && self.insn.out.is_some_and(|out| is_position(out.target))
    }

    /// Whether it writes the index by which it chooses an output, or codes of what may be no output.
    fn moves_index(&self) -> bool {
        self.insn.output_indexed && (self.insn.code.is_some() || !self.insn.address_dst.mask.is_empty())
    }

    /// One operation with one destination.
    fn plain(&self, statement: &Statement) -> Vec<String> {
        let &Statement { unit, to, mask, code } = statement;
        let mask = self.taken(to, mask);
        let value = self.value(unit, mask);
        let (register, when) = (self.destination(to), self.passing(mask));
        let mut all = Vec::new();
        match (to, code) {
            (To::Codes, Some(code)) => {
                all.push(assign(&format!("cc{code}"), mask, &self.coded(unit, value, mask), &when))
            }
            _ => {
                all.push(assign(&register, mask, &value, &when));
                let of_register = format!("{register}{}", letters(mask));
                if let Some(code) = code {
                    all.push(assign(&format!("cc{code}"), mask, &self.coded(unit, of_register, mask), &when));
                }
            }
        }
        match self.guard(to) {
            Some(guard) => all.iter().map(|line| format!("if ({guard}) {line}")).collect(),
            None => all,
        }
    }

    /// A value as a condition register keeps it: integers become floats.
    fn coded(&self, unit: Unit, value: String, mask: Mask) -> String {
        if self.insn.address_from() == Some(unit) {
            format!("{}({value})", vector(mask.components().count(), ""))
        } else {
            value
        }
    }

    /// All that it reads first, then all that it writes.
    fn block(&self) -> Vec<String> {
        let insn = self.insn;
        let mut lines = vec!["{".to_owned()];
        let mut writes = Vec::new();
        for unit in [Unit::Vec, Unit::Sca] {
            split::destinations(insn, unit, &mut writes);
        }
        // Codes come last.
        writes.retain(|write| write.to != To::Codes);
        writes.iter_mut().for_each(|write| write.mask = self.taken(write.to, write.mask));
        if self.is_read_back() {
            let positions: Vec<Statement> =
                writes.iter().filter(|write| write.to == To::Output(POSITION)).copied().collect();
            let back = |write| Statement { to: To::Temp(POSITION_READ_BACK), ..write };
            writes.extend(positions.into_iter().map(back));
        }
        let name = |unit: Unit| if unit == Unit::Vec { "mac" } else { "ilu" };
        for unit in [Unit::Vec, Unit::Sca] {
            let is_read = insn.code.is_some_and(|code| code.from == unit);
            if !is_read && writes.iter().all(|write| write.unit != unit) {
                continue;
            }
            let kind = if insn.address_from() == Some(unit) { "ivec4" } else { "vec4" };
            lines.push(format!("    {kind} {} = {};", name(unit), self.value(unit, Mask::ALL)));
        }
        let has_test = is_tested(insn.condition.test);
        if has_test {
            lines.push(format!("    bvec4 pass = {};", self.test(insn.condition, &[0, 1, 2, 3])));
        }
        if insn.output_indexed {
            let Some(OutTarget::Output(n)) = insn.out.map(|out| out.target) else { return Vec::new() };
            lines.push(format!("    int at = {};", self.index(n.into())));
        }
        let when = |mask: Mask| has_test.then(|| format!("pass{}", letters(mask)));
        for Statement { unit, to, mask, .. } in writes {
            let (register, guard) = match to {
                To::Output(_) if insn.output_indexed => {
                    let count = self.names.generation.outputs();
                    ("o[at]".to_owned(), format!("if (at >= 0 && at < {count}) "))
                }
                to => (self.destination(to), String::new()),
            };
            let value = format!("{}{}", name(unit), letters(mask));
            lines.push(format!("    {guard}{}", assign(&register, mask, &value, &when(mask))));
        }
        if let Some(code) = insn.code {
            let value =
                self.coded(code.from, format!("{}{}", name(code.from), letters(code.mask)), code.mask);
            lines.push(format!(
                "    {}",
                assign(&format!("cc{}", code.reg), code.mask, &value, &when(code.mask))
            ));
        }
        lines.push("}".to_owned());
        lines
    }

    /// The components that a destination takes: Kelvin's fog has the result's x, whatever the mask (kelvin.md 3).
    fn taken(&self, to: To, mask: Mask) -> Mask {
        let is_fog = self.names.generation == Generation::Kelvin && to == To::Output(FOG);
        if is_fog && !self.insn.output_indexed { Mask(mask.0 | 0b1000) } else { mask }
    }

    fn destination(&self, to: To) -> String {
        match to {
            To::Temp(n) => format!("r{n}"),
            To::Output(n) if self.insn.output_indexed => format!("o[{}]", self.index(n.into())),
            To::Output(n) => self.names.output(n),
            To::Constant(row) => format!("c[{row}]"),
            To::Address(n) => format!("a{n}"),
            To::Codes | To::Flow => String::new(),
        }
    }

    /// What has to hold for a destination to exist.
    fn guard(&self, to: To) -> Option<String> {
        let To::Output(n) = to else { return None };
        let count = self.names.generation.outputs();
        let index = || self.index(n.into());
        self.insn.output_indexed.then(|| format!("{} >= 0 && {} < {count}", index(), index()))
    }

    /// `a0.x + 12`
    pub(super) fn index(&self, base: u16) -> String {
        let address = self.insn.address;
        let base = if base == 0 { String::new() } else { format!(" + {base}") };
        format!("a{}.{}{base}", address.reg, COMPONENTS[usize::from(address.component & 3)])
    }

    /// Which components of a mask are written, if that depends.
    fn passing(&self, mask: Mask) -> Option<String> {
        let condition = self.insn.condition;
        let of: Vec<usize> = mask.components().collect();
        is_tested(condition.test).then(|| self.test(condition, &of))
    }

    /// A test of some components: a truth value, or a vector of them.
    fn test(&self, condition: Condition, of: &[usize]) -> String {
        let code = format!("cc{}{}", condition.reg, swizzled(condition.swizzle, of));
        let zero = splat(of.len(), "0.0".to_owned());
        let comparison = match condition.test {
            Test::Lt => LESS,
            Test::Eq => EQUAL,
            Test::Le => LESS_OR_EQUAL,
            Test::Gt => GREATER,
            Test::Ne => NOT_EQUAL,
            Test::Ge => GREATER_OR_EQUAL,
            Test::Tr => return format!("{}(true)", vector(of.len(), "b")),
            Test::Fl => return format!("{}(false)", vector(of.len(), "b")),
        };
        compare(comparison, &code, &zero, of.len())
    }

    /// Whether a branch is taken; none if it always is.
    pub(super) fn taken_if(&self) -> Option<String> {
        let branch = &self.insn.branch;
        if self.insn.sca.is_on_boolean() {
            return Some(format!("((b >> {}) & 1) == {}", branch.bit & 31, u8::from(branch.polarity)));
        }
        let condition = branch.condition;
        let first = condition.swizzle.0[0];
        match condition.test {
            Test::Tr => None,
            Test::Fl => Some("false".to_owned()),
            _ if condition.swizzle.0 == [first; 4] => Some(self.test(condition, &[0])),
            _ => Some(format!("any({})", self.test(condition, &[0, 1, 2, 3]))),
        }
    }

    /// POPA's statements: the components that pass take those of what was pushed.
    pub(super) fn popped(&self, entry: &str) -> Vec<String> {
        let TempWrite { reg, mask } = self.insn.address_dst;
        if mask.is_empty() || self.insn.condition.test == Test::Fl {
            return vec![format!("{entry};")];
        }
        let value = format!("popped{}", letters(mask));
        let write = assign(&format!("a{reg}"), mask, &value, &self.passing(mask));
        vec![format!("{{ ivec4 popped = {entry}; {write} }}")]
    }

    /// The result of a unit, of some components.
    fn value(&self, unit: Unit, mask: Mask) -> String {
        let of: Vec<usize> = mask.components().collect();
        let value = match unit {
            Unit::Vec => self.vector_value(mask, &of),
            Unit::Sca => self.scalar_value(mask, &of),
        };
        let is_value = self.insn.address_from() != Some(unit);
        if self.insn.saturate && is_value { format!("clamp({value}, 0.0, 1.0)") } else { value }
    }

    fn vector_value(&self, mask: Mask, of: &[usize]) -> String {
        let count = of.len();
        let (a, b, c) =
            (|| self.source(Slot::A, of), || self.source(Slot::B, of), || self.source(Slot::C, of));
        let whole = |slot| self.source(slot, &[0, 1, 2, 3]);
        let xyz = |slot| self.source(slot, &[0, 1, 2]);
        let compared = |with| {
            let test = compare(with, &a(), &b(), count);
            if count == 1 { format!("float({test})") } else { format!("vec{count}({test})") }
        };
        match self.insn.vec {
            VecOp::Nop | VecOp::Sfl => splat(count, "0.0".to_owned()),
            VecOp::Str => splat(count, "1.0".to_owned()),
            VecOp::Mov => a(),
            VecOp::Mul => format!("{} * {}", a(), b()),
            VecOp::Add => format!("{} + {}", a(), c()),
            VecOp::Mad => format!("{} * {} + {}", a(), b(), c()),
            VecOp::Dp3 => splat(count, format!("dot({}, {})", xyz(Slot::A), xyz(Slot::B))),
            VecOp::Dph => splat(count, format!("dph({}, {})", whole(Slot::A), whole(Slot::B))),
            VecOp::Dp4 => splat(count, format!("dot({}, {})", whole(Slot::A), whole(Slot::B))),
            VecOp::Dst => format!("dst({}, {}){}", whole(Slot::A), whole(Slot::B), letters(mask)),
            VecOp::Min => format!("min({}, {})", a(), b()),
            VecOp::Max => format!("max({}, {})", a(), b()),
            VecOp::Slt => compared(LESS),
            VecOp::Sge => compared(GREATER_OR_EQUAL),
            VecOp::Seq => compared(EQUAL),
            VecOp::Sgt => compared(GREATER),
            VecOp::Sle => compared(LESS_OR_EQUAL),
            VecOp::Sne => compared(NOT_EQUAL),
            VecOp::Frc => format!("fract({})", a()),
            VecOp::Flr => format!("floor({})", a()),
            VecOp::Ssg => format!("sign({})", a()),
            VecOp::Txl => {
                let at = self.source(Slot::A, &[0, 1]);
                let level = self.source(Slot::A, &[3]);
                format!("textureLod(tex{}, {at}, {level}){}", self.insn.texture, letters(mask))
            }
            VecOp::Arl | VecOp::Arr | VecOp::Ara => match self.insn.vec.kind() {
                Kind::Address(Integers::Floor) => format!("{}(floor({}))", vector(count, "i"), a()),
                Kind::Address(Integers::Nearest) => format!("{}(roundEven({}))", vector(count, "i"), a()),
                _ => {
                    let n = self.insn.address.reg;
                    format!("(a{n}.xyxy + a{n}.zwzw){}", letters(mask))
                }
            },
        }
    }

    fn scalar_value(&self, mask: Mask, of: &[usize]) -> String {
        let x = || self.source(Slot::C, &[0]);
        let whole = || self.source(Slot::C, &[0, 1, 2, 3]);
        // From Rankine on there is no magnitude unless the operand has one: of negative numbers the results are NaN (arithmetic.md).
        let magnitude = || match self.names.generation {
            Generation::Kelvin => format!("abs({})", x()),
            Generation::Rankine | Generation::Curie => x(),
        };
        let function = |name: &str| splat(of.len(), format!("{name}({})", x()));
        match self.insn.sca {
            ScaOp::Mov => self.source(Slot::C, of),
            ScaOp::Rcp => splat(of.len(), format!("1.0 / {}", x())),
            ScaOp::Rcc => function("rcc"),
            ScaOp::Rsq => splat(of.len(), format!("inversesqrt({})", magnitude())),
            ScaOp::Exp => format!("expp({}){}", x(), letters(mask)),
            ScaOp::Log => format!("logp({}){}", magnitude(), letters(mask)),
            ScaOp::Lit => format!("lit({}){}", whole(), letters(mask)),
            ScaOp::Lg2 => function("log2"),
            ScaOp::Ex2 => function("exp2"),
            ScaOp::Sin => function("sin"),
            ScaOp::Cos => function("cos"),
            // These have no result.
            ScaOp::Nop | ScaOp::BraIndirect | ScaOp::Bra | ScaOp::CalIndirect | ScaOp::Cal | ScaOp::Ret => {
                String::new()
            }
            ScaOp::Brb | ScaOp::Clb | ScaOp::Pusha | ScaOp::Popa => String::new(),
        }
    }

    /// Some components of an operand.
    fn source(&self, slot: Slot, of: &[usize]) -> String {
        let source = self.insn.source(slot);
        let text = match self.register(source) {
            Some(register) => format!("{register}{}", swizzled(source.swizzle, of)),
            None => splat(of.len(), "0.0".to_owned()),
        };
        let text = if source.absolute { format!("abs({text})") } else { text };
        if source.negate { format!("-{text}") } else { text }
    }

    fn register(&self, source: &Source) -> Option<String> {
        let Insn { input, constant, indexed, input_indexed, .. } = *self.insn;
        Some(match source.bank {
            Bank::None => return None,
            Bank::Temp(n) => format!("r{n}"),
            Bank::Input if input_indexed => format!("input_at({})", self.index(input.into())),
            Bank::Input => self.names.input(input),
            Bank::Constant if indexed => format!("row({})", self.index(constant)),
            // A row that does not exist reads as 0 (kelvin.md 10).
            Bank::Constant if usize::from(constant) >= self.names.generation.constants() => return None,
            Bank::Constant => format!("c[{constant}]"),
        })
    }
}

/// An assignment to some components of a register, of which a condition may pass only some.
fn assign(register: &str, mask: Mask, value: &str, when: &Option<String>) -> String {
    let to = format!("{register}{}", letters(mask));
    match when {
        None => format!("{to} = {value};"),
        Some(when) if mask.components().count() == 1 => format!("if ({when}) {to} = {value};"),
        Some(when) => format!("{to} = mix({to}, {value}, {when});"),
    }
}
