//! Nodes to instructions.

use super::super::assemble::{self, Operand, Operation};
use super::super::pair::{self, Paired, Passes};
use super::ir::{Destination, Node, Place, Register, Source, Target};
use super::language::Language;
use super::parse::{Draft, Parsed};
use super::rows::Row;
use super::{Assembled, ports};
use crate::isa::decode::reachable;
use crate::isa::op::Jump;
use crate::isa::{Condition, Generation, Reading};
use crate::isa::{Insn, OutTarget};
use crate::text::{MAX_ERRORS, Problem};

/// The program of a draft, and what its constants hold.
pub(super) fn emit(mut draft: Draft, passes: Passes) -> Result<Assembled, Vec<Problem>> {
    let (generation, language) = (draft.generation, draft.language);
    if language == Language::Arb10 {
        ports::split(&mut draft);
    }
    let one = |problem| vec![problem];
    if passes == Passes::NONE || draft.nodes.len() > pair::MOST * generation.slots() {
        check_slots(&draft, draft.nodes.len(), |slot| draft.nodes.get(slot)).map_err(one)?;
    }
    draft.variables.layout(language, generation).map_err(one)?;
    // More than there are, if other numbers may do with fewer.
    let (registers, too_many) = match draft.temps.allocate(generation, &draft.nodes) {
        Ok(registers) => (registers, None),
        Err(problem) if passes.rename => match draft.temps.number(generation) {
            Some(numbers) => (numbers, Some(problem)),
            None => return Err(one(problem)),
        },
        Err(problem) => return Err(one(problem)),
    };
    let reading = Reading::default();
    let mut problems = Vec::new();
    let mut insns = Vec::with_capacity(draft.nodes.len() + 1);
    for node in &draft.nodes {
        let insn = operation(&draft, &registers, node)
            .and_then(|operation| assemble::assemble(generation, reading, &[operation]))
            .and_then(|insn| target(&draft, node, insn));
        // Registers and slots may be others in the end.
        let check = |insn: Insn| {
            let shown =
                if passes == Passes::NONE { insn } else { pair::stand_in(generation, reading, &insn) };
            assemble::check(generation, reading, &shown, &node.span).map(|()| insn)
        };
        match insn.and_then(check) {
            Ok(insn) => insns.push(insn),
            Err(problem) => problems.push(problem),
        }
        if problems.len() == MAX_ERRORS {
            break;
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    end(&draft, &mut insns);
    let mut program = reachable(insns.len(), 0, |slot| insns.get(slot).copied().unwrap_or(Insn::NOP));
    // What was last may be what nothing leads to. What is last now goes elsewhere in any case.
    if let Some(last) = program.insns.last_mut() {
        (last.end, program.unterminated) = (true, false);
    }
    let Paired { program, from } = match (pair::shorten(generation, reading, &program, passes), too_many) {
        (Some(paired), _) => paired,
        (None, Some(problem)) => return Err(one(problem)),
        (None, None) => unreachable!("a program whose temporaries exist stays as it is at worst"),
    };
    let node = |slot: usize| draft.nodes.get(from.get(slot)?.iter().flatten().copied().min()?);
    check_slots(&draft, program.insns.len(), node).map_err(one)?;
    Ok(Assembled { program, generation, language, rows: rows(&draft) })
}

/// Refuses programs with more slots than there are; `node` is what stands in a slot.
fn check_slots<'a>(
    draft: &Draft,
    used: usize,
    node: impl Fn(usize) -> Option<&'a Node>,
) -> Result<(), Problem> {
    let slots = draft.generation.slots();
    if used <= slots {
        return Ok(());
    }
    let span = node(slots).map_or(&draft.end, |node| &node.span);
    Err(Problem::new(span.clone(), format!("the program has more than the {slots} slots of XFPR")))
}

/// Marks the last instruction. One that goes elsewhere, or a label behind it, needs another slot: END does not end
/// what is branched from, and nothing can be branched to behind it. So does a program without any.
fn end(draft: &Draft, insns: &mut Vec<Insn>) {
    let labelled = draft.labels.values().any(|&node| node == draft.nodes.len());
    let goes_on = insns.last().is_some_and(|insn| {
        let always = insn.branch.condition == Condition::ALWAYS && !insn.sca.is_on_boolean();
        match insn.sca.jump() {
            None => false,
            Some(Jump::Call(_)) => true,
            Some(Jump::Branch(_) | Jump::Return) => !always,
        }
    });
    if insns.is_empty() || labelled || goes_on {
        insns.push(Insn::NOP);
    }
    if let Some(last) = insns.last_mut() {
        last.end = true;
    }
}

/// Sends a branch where its label is.
fn target(draft: &Draft, node: &Node, insn: Insn) -> Parsed<Insn> {
    let Some((label, target)) = &node.label else { return Ok(insn) };
    let Some(&place) = draft.labels.get(label) else {
        let message = format!("there is no label {label}");
        return Err(Problem::new(target.clone(), message));
    };
    let mut insn = insn;
    insn.branch.target = place as u16;
    Ok(insn)
}

fn operation(draft: &Draft, registers: &[u8], node: &Node) -> Parsed<Operation> {
    let destination = node.destination.as_ref().map(|to| destination(draft, registers, to)).transpose()?;
    let sources = node.sources.iter().map(|source| operand(draft, registers, source));
    Ok(Operation {
        operator: node.operator,
        suffix: node.suffix,
        span: node.span.clone(),
        destination,
        condition: node.condition,
        sources: sources.collect::<Parsed<_>>()?,
        extra: node.extra,
    })
}

fn destination(draft: &Draft, registers: &[u8], to: &Destination) -> Parsed<assemble::Destination> {
    let mut index = None;
    let target = match to.target {
        Target::Temp(temp) => assemble::Target::Temp(registers[usize::from(temp)]),
        Target::Output { n, index: by } => {
            index = by;
            assemble::Target::Out(OutTarget::Output(n))
        }
        Target::Parameter(_) if draft.generation == Generation::Curie => {
            return Err(Problem::new(to.span.clone(), "curie cannot write constants"));
        }
        Target::Parameter(n) => assemble::Target::Out(OutTarget::Constant(draft.parameters.first() + n)),
        Target::Address(reg) => assemble::Target::Address(reg),
        Target::Codes => assemble::Target::Codes,
    };
    Ok(assemble::Destination { target, mask: to.mask, index, span: to.span.clone() })
}

fn operand(draft: &Draft, registers: &[u8], source: &Source) -> Parsed<Operand> {
    let Source { swizzle, absolute, negate, ref span, .. } = *source;
    let register = match source.register {
        Register::Temp(temp) => assemble::Register::Temp(registers[usize::from(temp)]),
        Register::Attribute { n, index } => assemble::Register::Input { n, index },
        Register::Constant { place, offset, index } => {
            let first = match place {
                Place::Parameters => draft.parameters.first(),
                Place::Variable(variable) => draft.variables.0[variable].row,
            };
            let row = i32::from(first) + offset;
            let exists = |row: &u16| usize::from(*row) < draft.generation.constants();
            match u16::try_from(row).ok().filter(exists) {
                Some(row) => assemble::Register::Constant { row, index },
                None => {
                    let name = draft.generation.name();
                    let message = format!("{name} has no row {row}, which this index needs");
                    return Err(Problem::new(span.clone(), message));
                }
            }
        }
    };
    Ok(Operand { register, swizzle, absolute, negate, span: span.clone() })
}

/// What the program's rows hold, by row.
fn rows(draft: &Draft) -> Vec<Row> {
    let variables = draft.variables.0.iter().filter(|variable| variable.used).flat_map(|variable| {
        let numbers = variable.row..;
        numbers.zip(&variable.items).map(|(row, binding)| Row { row, binding: binding.clone() })
    });
    let mut rows: Vec<Row> = draft.parameters.rows().chain(variables).collect();
    rows.sort_by_key(|row| row.row);
    rows
}
