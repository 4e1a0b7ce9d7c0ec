//! Which guard it was: groups that native code has left are noted now and then, and looked at again when somebody asks.
//!
//! A routine tells that a guard was raised, not which: its guards are one vector, tested once. Of some of the groups that it leaves
//! the operands are kept, chosen so that each group is as likely as any other; the profile evaluates the function that the code was
//! made of for them, where every guard stands by itself and knows the slot that it came from.

use super::verify::HAS_NATIVE;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use xfjit_core::shader::{Rows, Shader};
use xfjit_ir::ir::eval;
use xfjit_ir::ir::func::{Func, Value};
use xfjit_ir::ir::ops::Op;
use xfjit_ir::ir::origin::{Origin, Place};
use xfjit_ir::machine::Machine;
use xfjit_ir::{legalize, opt};
use xfjit_runtime::batch::registers;
use xfjit_runtime::bound::{Bound, Needs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::{DEFAULT_ROW, Row};

/// The most vertices of a group that are kept.
const MOST: usize = 16;

/// Longer functions are not looked at: they are not compiled either.
const MOST_OPERATIONS: usize = 1 << 17;

/// What a group was run on.
#[derive(Debug)]
struct Group {
    /// Where it begins in its batch.
    first: usize,
    /// What attributes come to as numbers, whatever their form in memory, in the order of `attributes`.
    values: Vec<Row>,
    /// Rows of each attribute that is read, as code finds them in memory, for each vertex.
    attributes: Vec<Row>,
    vertices: usize,
    constants: Vec<Row>,
}

/// Groups of a program that native code has left to run again.
#[derive(Default)]
pub(super) struct Guards {
    seen: AtomicU64,
    groups: Mutex<Vec<Group>>,
}

impl fmt::Debug for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guards").field("seen", &self.seen).finish_non_exhaustive()
    }
}

/// A number between 0 and `below` that looks random.
fn scattered(number: u64, below: u64) -> u64 {
    let mixed = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 32)) % below
}

impl Guards {
    /// Where the group is kept that is seen as this one.
    fn place(most: usize, seen: u64) -> Option<usize> {
        let at = if seen <= most as u64 { seen - 1 } else { scattered(seen, seen) };
        (at < most as u64).then_some(at as usize)
    }

    /// Counts a group that is not noted. If it were one to be kept, nothing is counted, and the answer is yes.
    pub(super) fn keep_next(&self, most: usize) -> bool {
        let is_kept = Self::place(most, self.seen.load(Ordering::Relaxed) + 1).is_some();
        if !is_kept {
            self.seen.fetch_add(1, Ordering::Relaxed);
        }
        is_kept
    }

    /// Notes the group that begins at a position, unless as many are noted already and none of them has to go. Memory is taken for
    /// the first one only.
    pub(super) fn note(
        &self,
        most: usize,
        needs: &Needs,
        constants: &Constants<'_>,
        bound: &Bound<'_>,
        first: usize,
        lanes: usize,
    ) {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        let Some(at) = Self::place(most, seen).filter(|_| !needs.writes_constants) else { return };
        // Another thread is at it: the next group will do.
        let Ok(mut groups) = self.groups.try_lock() else { return };
        let inputs = bound.inputs();
        let positions = first..inputs.count.min(first + lanes.min(MOST));
        if groups.is_empty() {
            let rows = needs.inputs.count_ones() as usize * MOST;
            let group = || Group {
                first: 0,
                values: Vec::with_capacity(rows),
                attributes: Vec::with_capacity(rows),
                vertices: 0,
                constants: Vec::with_capacity(constants.rows().len()),
            };
            groups.extend((0..most).map(|_| group()));
        }
        let Some(group) = groups.get_mut(at) else { return };
        (group.first, group.vertices) = (first, positions.len());
        group.attributes.clear();
        group.values.clear();
        for register in registers(u32::from(needs.inputs)) {
            let rows = positions.clone();
            let row = |position| inputs.fetch_stored(register, position, &needs.input_layout);
            group.attributes.extend(rows.clone().map(row));
            group.values.extend(rows.map(|position| inputs.fetch(register, position)));
        }
        group.constants.clear();
        group.constants.extend_from_slice(constants.rows());
    }

    /// Guards at the groups that were noted.
    pub(super) fn look(&self, shader: &Shader, needs: &Needs) -> Found {
        let groups = self.groups.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut found = Found::default();
        if !HAS_NATIVE || groups.is_empty() {
            return found;
        }
        let Some(lowered) = shader.lower_within(MOST_OPERATIONS) else { return found };
        let Some(legal) =
            legalize::run_within(&opt::simplify(lowered), &machine(), legalize::Path::Quick, MOST_OPERATIONS)
        else {
            return found;
        };
        let func = opt::simplify(legal);
        let rows = shader.info().constants_read;
        let mut raised: BTreeMap<Reason, (u64, Example)> = BTreeMap::new();
        for group in groups.iter().filter(|group| group.vertices > 0) {
            found.groups += 1;
            for vertex in 0..group.vertices {
                let attribute = |register: usize| {
                    let below = needs.inputs & ((1 << register) - 1);
                    match needs.inputs >> register & 1 {
                        0 => DEFAULT_ROW,
                        _ => group.attributes[below.count_ones() as usize * group.vertices + vertex],
                    }
                };
                let mut guards: Vec<_> = eval::raised(&func, &group.constants, attribute)
                    .into_iter()
                    .map(|(guard, culprit)| reason(&func, guard, culprit))
                    .collect();
                guards.sort_unstable();
                guards.dedup();
                found.vertices += u64::from(!guards.is_empty());
                for guard in guards {
                    let (vertices, _) = raised.entry(guard).or_insert_with(|| {
                        let operand = odd_operand(group, vertex, needs, &rows, guard.2);
                        (0, Example { vertex: group.first + vertex, operand })
                    });
                    *vertices += 1;
                }
            }
        }
        found.guards = raised
            .into_iter()
            .map(|((place, operation, why), (vertices, example))| Guarded {
                place: place.map(|place| place.to_string()).unwrap_or_default(),
                slot: if let Some(Place::Slot(slot)) = place { Some(slot) } else { None },
                operation,
                why,
                vertices,
                example,
            })
            .collect();
        found.guards.sort_by_key(|guard| std::cmp::Reverse(guard.vertices));
        found
    }
}

type Reason = (Option<Place>, &'static str, Why);

/// Whose guard it is, and why it was raised. Of a NaN it matters who made it, more than who sees it.
fn reason(func: &Func, guard: Value, culprit: Option<Value>) -> Reason {
    let why = match (func.inst(guard).op, culprit) {
        (Op::RowGuard, _) | (_, Some(_)) => Why::Nan,
        (Op::BigGuard, _) => Why::Large,
        (Op::SmallGuard, _) => Why::Small,
        _ => Why::Operand,
    };
    let origin: Origin = func.origin(culprit.unwrap_or(guard));
    (origin.place(), origin.primitive().map_or("", Op::text), why)
}

/// What a second look at groups that native code had left to run again has found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Found {
    /// Groups looked at.
    pub groups: u64,
    /// Vertices of these groups that raise guards. If none does, the groups were left for another reason: vertices before them had run out
    /// of time.
    pub vertices: u64,
    /// The guards, beginning with those that most vertices raise.
    pub guards: Vec<Guarded>,
}

/// A guard, and how many vertices raised it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Guarded {
    /// The part of the program: `slot 5`, `light 0`; empty if it belongs to none.
    pub place: String,
    /// The slot, if that part is a slot.
    pub slot: Option<u16>,
    /// The primitive of the chip, or other operation of the intermediate representation, whose recipe has the guard. For a NaN, the
    /// operation that made it.
    pub operation: &'static str,
    /// The reason for the guard.
    pub why: Why,
    /// The number of vertices, among those looked at, that raise it.
    pub vertices: u64,
    /// One of these vertices.
    pub example: Example,
}

/// A vertex that raises a guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Example {
    /// Its place in its batch, from 0.
    pub vertex: usize,
    /// The attribute, or else the constant, that may be the reason. None if the program has computed the unusual value.
    pub operand: Option<Operand>,
}

/// A number that a program reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Operand {
    /// Whether it is a constant; otherwise it is an attribute.
    pub is_constant: bool,
    /// The attribute's register, or the constant's row.
    pub row: usize,
    /// Its component, from 0.
    pub component: usize,
    /// Its bits.
    pub bits: u32,
}

impl Operand {
    /// What is special about it: `NaN`, `infinity`, `large number`, `small number`.
    pub fn kind(&self) -> &'static str {
        match kind(self.bits) {
            Some(Kind::Nan) => "NaN",
            Some(Kind::Infinite) => "infinity",
            Some(Kind::Large) => "large number",
            Some(Kind::Small) => "small number",
            None => "number",
        }
    }
}

/// As programs name it: `v2.x`, `c[4].w`.
impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operand { is_constant, row, component, .. } = *self;
        let letter = ['x', 'y', 'z', 'w'][component & 3];
        if is_constant { write!(f, "c[{row}].{letter}") } else { write!(f, "v{row}.{letter}") }
    }
}

/// Why a number may be beyond a recipe, the more certain reason first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Nan,
    Infinite,
    /// A magnitude from 2^65 on: its square is beyond every recipe.
    Large,
    /// A denormal, or a magnitude below 2^-63: its square is too small for the recipes.
    Small,
}

fn kind(bits: u32) -> Option<Kind> {
    let magnitude = bits & 0x7fff_ffff;
    Some(match magnitude >> 23 {
        _ if magnitude > 0x7f80_0000 => Kind::Nan,
        0xff => Kind::Infinite,
        0xc0.. => Kind::Large,
        0..0x40 if magnitude != 0 => Kind::Small,
        _ => return None,
    })
}

/// What a vertex reads that may be why a guard was raised: attributes first, since they change from vertex to vertex.
fn odd_operand(group: &Group, vertex: usize, needs: &Needs, rows: &Rows, why: Why) -> Option<Operand> {
    let attributes = registers(u32::from(needs.inputs))
        .enumerate()
        .map(|(number, row)| (false, row, group.values[number * group.vertices + vertex]));
    let constants = group.constants.iter().enumerate().filter(|&(row, _)| rows.contains(row));
    let all = attributes.chain(constants.map(|(row, &value)| (true, row, value)));
    let words = all.flat_map(|(is_constant, row, value)| {
        value.into_iter().enumerate().map(move |(component, bits)| Operand {
            is_constant,
            row,
            component,
            bits,
        })
    });
    let is_reason = |kind: Kind| match why {
        Why::Nan => kind <= Kind::Infinite,
        Why::Large => kind <= Kind::Large,
        Why::Small => kind == Kind::Small,
        Why::Operand => true,
    };
    words
        .filter_map(|operand| Some((kind(operand.bits).filter(|&kind| is_reason(kind))?, operand)))
        .min_by_key(|&(kind, operand)| (operand.is_constant, kind))
        .map(|(_, operand)| operand)
}

/// Why a guard is raised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Why {
    /// A NaN whose bits, or whose effect on the zero rule, would be seen.
    Nan,
    /// An exponent above the range of the recipes, infinities and NaNs included.
    Large,
    /// Addends that are too small for the recipe of the sum.
    Small,
    /// An operand that the recipe does not cover, or something that native code does not do.
    Operand,
}

impl Why {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Why::Nan => "nan",
            Why::Large => "large",
            Why::Small => "small",
            Why::Operand => "operand",
        }
    }
}

/// What code is made for by default: guards are those of its recipes.
fn machine() -> Machine {
    #[cfg(feature = "jit")]
    if let Some(set) = xfjit_native::InstructionSet::best() {
        return set.machine();
    }
    Machine::HOST
}

#[cfg(test)]
mod tests {
    use super::Guards;

    /// Of a thousand groups, each is as likely to be kept as any other.
    #[test]
    fn groups_are_chosen_evenly() {
        let (most, mut kept) = (8, [0u64; 8]);
        for seen in 1..=1000_u64 {
            if let Some(at) = Guards::place(most, seen) {
                kept[at] = seen;
            }
        }
        assert!(kept.iter().any(|&seen| seen > 500) && kept.iter().any(|&seen| seen < 500), "{kept:?}");
        let replaced = (9..=100_000_u64).filter(|&seen| Guards::place(most, seen).is_some()).count();
        // 8 ln(100000 / 8) = 75.
        assert!((50..110).contains(&replaced), "{replaced}");
    }
}
