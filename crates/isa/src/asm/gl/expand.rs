//! Instructions to operations that the generation has.

use std::ops::Range;

use super::super::assemble::{Extra, Operator};
use super::super::names::Suffix;
use super::ir::{Destination, Node, Source, Target, Temp};
use super::language::Language;
use super::ops::{Action, Lookup, Opcode};
use super::parse::{Parsed, Parser};
use crate::isa::Generation;
use crate::isa::op::{ScaOp, VecOp};
use crate::isa::{Condition, Mask, Swizzle};
use crate::text::Problem;

const X: Mask = Mask(8);
const Z: Mask = Mask(2);
const W: Mask = Mask(1);
const XYZ: Mask = Mask(14);

/// The look-up of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fetch {
    pub(super) lookup: Lookup,
    pub(super) unit: u8,
}

/// An instruction of the text.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub(super) opcode: &'static Opcode,
    pub(super) suffix: Suffix,
    pub(super) span: Range<usize>,
    /// What is written, and the component of the register that takes x if only x is an output.
    pub(super) destination: Option<(Destination, Option<u8>)>,
    pub(super) condition: Condition,
    pub(super) sources: Vec<Source>,
    pub(super) extra: Extra,
    pub(super) label: Option<(String, Range<usize>)>,
    pub(super) fetch: Option<Fetch>,
    /// Each component's source (0 to 3, 4 for 0.0, 5 for 1.0) and sign.
    pub(super) swizzle: Option<[(u8, bool); 4]>,
}

impl Parser<'_> {
    /// Appends the operations of an instruction.
    pub(super) fn expand(&mut self, mut instruction: Instruction) -> Parsed<()> {
        let Some((destination, single)) = instruction.destination.clone() else {
            return self.operate(instruction, None);
        };
        let Some(component) = single else { return self.operate(instruction, Some(destination)) };
        if !destination.mask.has(0) {
            // Nothing but the condition codes is written.
            let codes = Destination { target: Target::Codes, ..destination };
            return match instruction.suffix.code {
                Some(_) => self.operate(instruction, Some(codes)),
                None => Ok(()),
            };
        }
        if component == 0 {
            return self.operate(instruction, Some(Destination { mask: X, ..destination }));
        }
        // The result's x goes to another component of the register.
        let mut condition = instruction.condition;
        if instruction.suffix.code.is_some() && condition != Condition::ALWAYS {
            let message = "this output cannot be written under a condition that the same instruction updates";
            return Err(Problem::new(destination.span, message));
        }
        condition.swizzle = Swizzle([condition.swizzle.0[0]; 4]);
        instruction.condition = Condition::ALWAYS;
        let span = destination.span.clone();
        let temp = self.draft.temps.scratch();
        self.operate(
            instruction,
            Some(Destination { target: Target::Temp(temp), mask: X, span: span.clone() }),
        )?;
        let to = Destination { mask: Mask(8 >> component), ..destination };
        let source = Source::temp(temp, &span).component(0);
        self.draft.nodes.push(Node { condition, ..Node::new(Operator::Mov, to, vec![source]) });
        Ok(())
    }

    fn operate(&mut self, instruction: Instruction, destination: Option<Destination>) -> Parsed<()> {
        match (instruction.opcode.action, destination) {
            (Action::Plain(operator), destination) => self.plain(instruction, operator, destination),
            (_, None) => Ok(()),
            (Action::Subtract, Some(to)) => {
                let mut sources = instruction.sources.clone();
                if let Some(second) = sources.get_mut(1) {
                    *second = second.negated();
                }
                self.last(&instruction, Operator::Vec(VecOp::Add), to, sources);
                Ok(())
            }
            (Action::Absolute, Some(to)) => {
                self.absolute(&instruction, to);
                Ok(())
            }
            (Action::Cross, Some(to)) => {
                self.cross(&instruction, to);
                Ok(())
            }
            (Action::Power, Some(to)) => {
                self.power(&instruction, to);
                Ok(())
            }
            (Action::Swizzle, Some(to)) => {
                self.extended(&instruction, to);
                Ok(())
            }
            (Action::Texture(_), Some(to)) => {
                self.texture(&instruction, to);
                Ok(())
            }
        }
    }

    fn plain(
        &mut self,
        mut instruction: Instruction,
        operator: Operator,
        destination: Option<Destination>,
    ) -> Parsed<()> {
        let kelvin = self.draft.generation == Generation::Kelvin;
        match (operator, destination) {
            (operator, None) => self.draft.nodes.push(Node {
                operator,
                suffix: instruction.suffix,
                span: instruction.span,
                destination: None,
                condition: instruction.condition,
                sources: Vec::new(),
                extra: instruction.extra,
                label: instruction.label,
            }),
            (Operator::Vec(VecOp::Frc), Some(to)) if kelvin => {
                let temp = self.fraction(&instruction, to.mask);
                let source = Source::temp(temp, &instruction.span);
                self.last(&instruction, Operator::Mov, to, vec![source]);
            }
            (Operator::Vec(VecOp::Flr), Some(to)) if kelvin => {
                let temp = self.fraction(&instruction, to.mask);
                let mut sources = instruction.sources.clone();
                sources.push(Source::temp(temp, &instruction.span).negated());
                self.last(&instruction, Operator::Vec(VecOp::Add), to, sources);
            }
            (Operator::Sca(op @ (ScaOp::Ex2 | ScaOp::Lg2)), Some(to)) if kelvin => {
                let sources = instruction.sources.clone();
                self.rough(&instruction, op, to, sources);
            }
            (operator, Some(to)) => {
                if let Operator::Sca(op) = operator
                    && self.reads_magnitude(op)
                {
                    instruction.sources.iter_mut().for_each(|source| *source = source.magnitude());
                }
                let sources = instruction.sources.clone();
                self.last(&instruction, operator, to, sources);
            }
        }
        Ok(())
    }

    /// The operation that an instruction ends with: its suffix and condition belong to it.
    fn last(&mut self, instruction: &Instruction, operator: Operator, to: Destination, sources: Vec<Source>) {
        self.draft.nodes.push(Node {
            operator,
            suffix: instruction.suffix,
            span: instruction.span.clone(),
            destination: Some(to),
            condition: instruction.condition,
            sources,
            extra: instruction.extra,
            label: None,
        });
    }

    /// An operation whose result only the same instruction reads.
    fn step(
        &mut self,
        span: &Range<usize>,
        operator: Operator,
        temp: Temp,
        mask: Mask,
        sources: Vec<Source>,
    ) {
        let to = Destination { target: Target::Temp(temp), mask, span: span.clone() };
        self.draft.nodes.push(Node::new(operator, to, sources));
    }

    /// The greater of a value and its negation where sources have no absolute value.
    fn absolute(&mut self, instruction: &Instruction, to: Destination) {
        let Some(source) = instruction.sources.first() else { return };
        if self.draft.generation == Generation::Kelvin {
            let sources = vec![source.clone(), source.negated()];
            self.last(instruction, Operator::Vec(VecOp::Max), to, sources);
        } else {
            let sources = vec![source.magnitude()];
            self.last(instruction, Operator::Mov, to, sources);
        }
    }

    /// a.yzx * b.zxy - a.zxy * b.yzx; w is undefined, and not written here.
    fn cross(&mut self, instruction: &Instruction, to: Destination) {
        let [a, b] = &instruction.sources[..] else { return };
        let mask = Mask(to.mask.0 & XYZ.0);
        if mask.is_empty() {
            return;
        }
        let temp = self.draft.temps.scratch();
        let (yzx, zxy) = ([1, 2, 0, 3], [2, 0, 1, 3]);
        let span = &instruction.span;
        self.step(span, Operator::Vec(VecOp::Mul), temp, mask, vec![a.pick(zxy), b.pick(yzx)]);
        let sources = vec![a.pick(yzx), b.pick(zxy), Source::temp(temp, span).negated()];
        self.last(instruction, Operator::Vec(VecOp::Mad), Destination { mask, ..to }, sources);
    }

    /// 2 to the power of the product of the exponent and the logarithm of the base.
    fn power(&mut self, instruction: &Instruction, to: Destination) {
        let [base, exponent] = &instruction.sources[..] else { return };
        let temp = self.draft.temps.scratch();
        let span = &instruction.span;
        let kelvin = self.draft.generation == Generation::Kelvin;
        // LOG and EXP have the approximations in z.
        let (logarithm, mask, c) = if kelvin { (ScaOp::Log, Z, 2) } else { (ScaOp::Lg2, X, 0) };
        self.step(span, Operator::Sca(logarithm), temp, mask, vec![base.clone()]);
        let product = vec![Source::temp(temp, span).component(c), exponent.clone()];
        self.step(span, Operator::Vec(VecOp::Mul), temp, X, product);
        let sources = vec![Source::temp(temp, span).component(0)];
        if kelvin {
            self.rough(instruction, ScaOp::Ex2, to, sources);
        } else {
            self.last(instruction, Operator::Sca(ScaOp::Ex2), to, sources);
        }
    }

    /// EX2 and LG2 by what Kelvin has: the z of EXP and LOG, which has 12 to 13 good bits (kelvin.md 4.1).
    fn rough(&mut self, instruction: &Instruction, op: ScaOp, to: Destination, sources: Vec<Source>) {
        let operator = Operator::Sca(if op == ScaOp::Ex2 { ScaOp::Exp } else { ScaOp::Log });
        if to.mask == Z {
            return self.last(instruction, operator, to, sources);
        }
        let temp = self.draft.temps.scratch();
        self.step(&instruction.span, operator, temp, Z, sources);
        let source = Source::temp(temp, &instruction.span).component(2);
        self.last(instruction, Operator::Mov, to, vec![source]);
    }

    /// The fractions of the components in `mask` by what Kelvin has: the y of EXP.
    fn fraction(&mut self, instruction: &Instruction, mask: Mask) -> Temp {
        let (temp, part) = (self.draft.temps.scratch(), self.draft.temps.scratch());
        let span = &instruction.span;
        for c in mask.components() {
            let Some(source) = instruction.sources.first() else { break };
            let source = source.component(c as u8);
            let y = Mask(4);
            let to = if c == 1 { temp } else { part };
            self.step(span, Operator::Sca(ScaOp::Exp), to, y, vec![source]);
            if c != 1 {
                let fraction = Source::temp(part, span).component(1);
                self.step(span, Operator::Mov, temp, Mask(8 >> c), vec![fraction]);
            }
        }
        temp
    }

    /// Components of the source, 0.0 and 1.0: one MOV for each sign of each.
    fn extended(&mut self, instruction: &Instruction, to: Destination) {
        let (Some(source), Some(parts)) = (instruction.sources.first(), instruction.swizzle) else { return };
        let mut moves: Vec<(Mask, Source)> = Vec::new();
        for (literal, negate) in [(false, false), (false, true), (true, false), (true, true)] {
            let chosen = |c: &usize| (parts[*c].0 >= 4, parts[*c].1) == (literal, negate);
            let components: Vec<usize> = to.mask.components().filter(chosen).collect();
            let Some(&some) = components.first() else { continue };
            let mask = components.iter().fold(0, |mask, &c| mask | 8 >> c);
            let from = if literal {
                let words = [0f32, 1.0, 0.0, 1.0].map(f32::to_bits);
                Source { register: self.literal(words, &instruction.span), ..source.clone() }
            } else {
                source.clone()
            };
            // Components that are not written read what another one reads.
            let pick = std::array::from_fn(|c| parts[if mask & 8 >> c != 0 { c } else { some }].0 & 3);
            let from = from.pick(pick);
            moves.push((Mask(mask), if negate { from.negated() } else { from }));
        }
        let conditional = instruction.condition != Condition::ALWAYS || instruction.suffix.code.is_some();
        let overlaps = matches!((to.target, source.register),
            (Target::Temp(a), super::ir::Register::Temp(b)) if a == b);
        if moves.len() < 2 || !conditional && !overlaps {
            for (mask, from) in moves {
                self.last(instruction, Operator::Mov, Destination { mask, ..to.clone() }, vec![from]);
            }
            return;
        }
        let temp = self.draft.temps.scratch();
        for (mask, from) in moves {
            self.step(&instruction.span, Operator::Mov, temp, mask, vec![from]);
        }
        self.last(instruction, Operator::Mov, to, vec![Source::temp(temp, &instruction.span)]);
    }

    /// A look-up by TXL, whose level is in w.
    fn texture(&mut self, instruction: &Instruction, to: Destination) {
        let (Some(fetch), Some(source)) = (instruction.fetch, instruction.sources.first()) else { return };
        let span = &instruction.span;
        let with_unit = Instruction { extra: Extra::Texture(fetch.unit), ..instruction.clone() };
        let mut coordinates = source.clone();
        if fetch.lookup != Lookup::Level {
            let temp = self.draft.temps.scratch();
            coordinates = Source::temp(temp, span);
            if fetch.lookup == Lookup::Projected {
                self.step(span, Operator::Sca(ScaOp::Rcp), temp, W, vec![source.component(3)]);
                let product = vec![source.clone(), coordinates.component(3)];
                self.step(span, Operator::Vec(VecOp::Mul), temp, XYZ, product);
            } else {
                self.step(span, Operator::Mov, temp, XYZ, vec![source.clone()]);
            }
            self.step(span, Operator::Vec(VecOp::Sfl), temp, W, Vec::new());
        }
        self.last(&with_unit, Operator::Vec(VecOp::Txl), to, vec![coordinates]);
    }

    /// Whether sources read absolute values where the language says so and the chip does not: the reciprocal square root
    /// and the logarithm of programs that are older than the chip (rankine_curie.md 4).
    pub(super) fn reads_magnitude(&self, op: ScaOp) -> bool {
        let older = !matches!(self.draft.language, Language::Vp20 | Language::Vp30);
        self.draft.generation > Generation::Kelvin && (op == ScaOp::Log || op == ScaOp::Rsq && older)
    }
}
