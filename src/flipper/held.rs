//! Small draws that wait: games draw strips of four, and what each run of code costs is more than what so few vertices take.
//!
//! Nothing is held beyond the call that has drawn it. Vertices are read when their command is run, so that memory, arrays and kept normals
//! are those of the command. What has been loaded since does not count either: a load that held draws would see runs them first,
//! but for loads of the matrix of position and normal, and of its index. Of that matrix each draw has a version, a copy of its rows. Code reads the version of
//! a vertex by an index that the vertex is given, as those have it that bring one; until there is such code, the vertices of each version are a
//! batch of their own.

use super::command::Draw;
use super::execute::{Executor, Handle};
use super::memory::Memory;
use super::output::{Disagreement, Drawn, Output};
use super::registers::{NormalCache, Registers};
use crate::engine::{Engine, Program};
use crate::xf::{Form, UnitStats, Vertices as Sent};
use std::ops::Range;
use std::sync::Arc;
use xfjit_core::backend::Worker;
use xfjit_core::front::flipper::Setup;
use xfjit_core::shader::Shader;
use xfjit_isa::chip::flipper::opcode::Primitive;
use xfjit_isa::chip::flipper::transform::{Generator, Vertices};
use xfjit_isa::chip::flipper::{input, registers as xf, rows};
use xfjit_isa::config::Dialect;
use xfjit_runtime::batch::{Inputs, Outputs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::Row;

/// Vertices of a draw up to which it waits for others.
pub(super) const SMALL: u16 = 32;

/// Vertices that are held at most, and draws, which may have none. Rows of these and what is made of them fit the second-level cache.
pub(super) const MOST: usize = 256;

/// Rows of a matrix of positions, and of one of normals.
const MATRIX: usize = 3;

/// Registers that are normals.
const NORMALS: u16 = 1 << input::NORMAL | 1 << input::TANGENT | 1 << input::BINORMAL;

/// Of so many vertices that would make code of a layout, one makes code of versions: there a vertex saves that much more.
const SHARE: u64 = 32;

/// A draw that waits.
#[derive(Clone, Copy, Debug)]
struct Entry {
    primitive: Primitive,
    given: u16,
    count: usize,
    disagreement: Disagreement,
}

/// The matrix of position and normal as some draws in a row have it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Version {
    position: [Row; MATRIX],
    normal: [Row; MATRIX],
    /// Its draws' vertices end here.
    end: usize,
}

/// What waits. Its vertices are in the executor's columns.
#[derive(Clone, Default, Debug)]
pub(super) struct Held {
    entries: Vec<Entry>,
    versions: Vec<Version>,
    /// Whether the matrix has been loaded since the last version was taken.
    is_stale: bool,
    looks: Looks,
    /// What was kept when the first was drawn.
    normals: NormalCache,
    /// What the last disagreement was made of: indices as the command processor has them, and the transform unit's first register of them.
    matrices: ([u32; 2], u32),
}

/// What held draws look at of the memories that may be loaded meanwhile.
#[derive(Clone, Copy, Default, Debug)]
struct Looks {
    /// The first row of the matrix of position and normal, as the last draw has it.
    first: usize,
    /// Its rows, and those of the normal's; none if nothing is made of normals.
    position: u64,
    normal: u32,
    /// Rows of texture coordinates' matrices.
    coordinates: u64,
    /// Whether vertices have indices of their own: then any row may be looked at.
    own: bool,
    /// Versions for which there is a place, and the first rows of their places.
    places: usize,
    free: [u8; rows::POSITION_MATRICES.end / MATRIX],
    /// Registers of normals that vertices lack, and have as they were kept.
    kept: u16,
    /// Whether all normals that vertices have are looked at.
    reads_normals: bool,
}

/// The places of a matrix, of so many rows, from a row on.
fn places(first: usize, rows: usize) -> [usize; MATRIX] {
    std::array::from_fn(|row| (first + row) % rows)
}

fn mask(places: [usize; MATRIX]) -> u64 {
    places.into_iter().fold(0, |mask, row| mask | 1 << row)
}

/// Parts, of so many words each, of a range of memory that some words are in.
fn touched(words: &Range<u16>, range: Range<u16>, each: u16) -> u64 {
    let parts = (words.start - range.start) / each..(words.end - range.start).div_ceil(each);
    parts.fold(0, |mask, part| mask | 1 << part)
}

impl Looks {
    fn new(setup: &Setup, vertices: Vertices, live: u16, rows: &[Row]) -> Looks {
        let index = |number: usize| rows[rows::INDICES + number / 4][number % 4] as usize;
        let transform = &setup.transform;
        let coordinates = (0..transform.texgen_count())
            .filter(|&number| transform.texgen(number).generator == Generator::Regular)
            .fold(0, |all, number| all | mask(places(index(1 + number), rows::POSITION_MATRICES.len())));
        let own = vertices.matrices != 0;
        let mut looks = Looks { coordinates, own, ..Looks::default() };
        looks.turn(index(0), live & NORMALS != 0);
        looks.find_places();
        looks
    }

    /// Looks at another matrix of position, and of normal if that is looked at.
    fn turn(&mut self, first: usize, has_normals: bool) {
        self.first = first;
        self.position = mask(places(first, rows::POSITION_MATRICES.len()));
        self.normal = if has_normals { mask(places(first, rows::NORMAL_MATRICES.len())) as u32 } else { 0 };
    }

    /// Finds the first rows at which versions can lie, since nothing else there is looked at.
    fn find_places(&mut self) {
        // The normal's rows wrap sooner.
        let rows = if self.normal != 0 { rows::NORMAL_MATRICES.len() } else { rows::POSITION_MATRICES.len() };
        for first in (0..rows / MATRIX).map(|number| MATRIX * number) {
            if self.coordinates & (((1 << MATRIX) - 1) << first) == 0 {
                self.free[self.places] = first as u8;
                self.places += 1;
            }
        }
    }

    /// Exchanges versions with what is at their places. Twice, all is as before.
    fn exchange(&self, versions: &mut [Version], rows: &mut [Row]) {
        for (version, &first) in versions.iter_mut().zip(&self.free[..self.places]) {
            version.exchange(first.into(), self, rows);
        }
    }
}

impl Version {
    fn new(looks: &Looks, rows: &[Row], end: usize) -> Version {
        let mut version = Version { position: [[0; 4]; MATRIX], normal: [[0; 4]; MATRIX], end };
        let [position, normal] = Version::rows(looks.first);
        version.position = position.map(|row| rows[row]);
        if looks.normal != 0 {
            version.normal = normal.map(|row| rows[row]);
        }
        version
    }

    /// The rows of constants of a matrix of position and normal.
    fn rows(first: usize) -> [[usize; MATRIX]; 2] {
        [rows::POSITION_MATRICES, rows::NORMAL_MATRICES]
            .map(|range| places(first, range.len()).map(|row| range.start + row))
    }

    fn is_same(&self, other: &Version) -> bool {
        self.position == other.position && self.normal == other.normal
    }

    /// Exchanges it with what is at a place. Twice, all is as before.
    fn exchange(&mut self, first: usize, looks: &Looks, rows: &mut [Row]) {
        let [position, normal] = Version::rows(first);
        for (own, row) in self.position.iter_mut().zip(position) {
            std::mem::swap(own, &mut rows[row]);
        }
        if looks.normal != 0 {
            for (own, row) in self.normal.iter_mut().zip(normal) {
                std::mem::swap(own, &mut rows[row]);
            }
        }
    }
}

impl Held {
    /// Forgets all.
    fn clear(&mut self) {
        self.entries.clear();
        self.versions.clear();
        self.is_stale = false;
    }

    /// Whether normals are those that its vertices have in the place of their own.
    fn has_kept(&self, normals: &NormalCache) -> bool {
        (0..normals.len())
            .filter(|which| self.looks.kept >> (input::NORMAL + which) & 1 != 0)
            .all(|which| self.normals[which] == normals[which])
    }

    /// Whether a load of the first register of indices changes the matrix of position and normal alone. No version may then lie where a
    /// coordinate's matrix does.
    fn admits_index(&mut self, before: u32, after: u32) -> bool {
        let Looks { position, normal, coordinates, own, .. } = self.looks;
        let mut others =
            xf::MATRIX_INDICES[1..].iter().filter(|(register, _)| *register == xf::MATRIX_INDEX_A);
        if own || position & coordinates != 0 || others.any(|(_, field)| field.of(before) != field.of(after))
        {
            return false;
        }
        let mut looks = self.looks;
        looks.turn(xf::POSITION_INDEX.of(after) as usize, normal != 0);
        if looks.position & coordinates != 0 {
            return false;
        }
        self.is_stale |= looks.first != self.looks.first;
        self.looks = looks;
        true
    }

    /// Whether the words that a load changes are of no account to what is held, or of versions alone.
    fn admits(&mut self, words: &Range<u16>) -> bool {
        let Looks { position, normal, coordinates, own, .. } = self.looks;
        let (is_seen, is_version) = if words.end <= xf::POSITION_MATRICES.end {
            let rows = touched(words, xf::POSITION_MATRICES, 4);
            (rows & coordinates != 0, rows & position != 0)
        } else if words.start >= xf::NORMAL_MATRICES.start && words.end <= xf::NORMAL_MATRICES.end {
            let rows = touched(words, xf::NORMAL_MATRICES, 3);
            (false, rows & u64::from(normal) != 0)
        } else {
            return false;
        };
        let admits = !is_seen && !own;
        self.is_stale |= admits && is_version;
        admits
    }
}

/// What runs columns of vertices.
struct Runner<'a> {
    worker: &'a mut Worker,
    stats: &'a mut UnitStats,
    list: &'a [u8],
}

impl Runner<'_> {
    fn run(&mut self, program: &Program, rows: &[Row], inputs: &Inputs<'_>, made: &mut [u32]) {
        let outputs = Outputs::interleaved(made, self.list);
        match program.run_on(self.worker, &mut Constants::read_only(rows), inputs, &outputs) {
            Ok(outcome) => self.stats.count(outcome),
            Err(error) => {
                debug_assert!(false, "columns hold every vertex of the draws: {error}");
                made.fill(0);
                self.stats.dropped += inputs.count as u64;
            }
        }
    }
}

impl Executor {
    /// Up to how many vertices draws wait for others.
    pub(super) fn set_held(&mut self, vertices: u16) {
        self.most_held = vertices.min(MOST as u16);
    }

    /// Forgets what a call that did not come back has left.
    pub(super) fn clear_held(&mut self) {
        self.held.clear();
    }

    /// Holds a drawing command, if it is one of few vertices; otherwise tells so. What is held before is run if that cannot join it.
    pub(super) fn hold(
        &mut self,
        registers: &Registers,
        draw: &Draw<'_>,
        (memory, dialect): (Memory<'_>, Dialect),
        take: &mut impl FnMut(Output<'_>),
    ) -> bool {
        let is_small = draw.count <= self.most_held;
        if self.held.entries.is_empty() {
            if !is_small {
                return false;
            }
        } else if !is_small || !self.joins(registers, draw, dialect) {
            self.run_held(take);
            if !is_small {
                return false;
            }
        }
        let format = (registers.vcd, registers.vats[draw.vat()], dialect);
        let vertices = Vertices::of_vcd(registers.vcd.lo);
        let (plan, at) = (self.plan(format), self.program(vertices));
        let (setup, handle) = &self.programs[at];
        let live = handle.program.live_inputs();
        let is_first = self.held.entries.is_empty();
        if is_first {
            self.fetched.clear();
        }
        let count = self.plans[plan].1.append_live(live, draw, &registers.arrays, memory, &mut self.fetched);
        let held = &mut self.held;
        let end = self.fetched.count();
        if is_first {
            held.looks = Looks::new(setup, vertices, live, &self.rows);
            let own = self.plans[plan].1.registers();
            held.looks.kept = live & NORMALS & !own;
            held.looks.reads_normals = own & NORMALS & !live == 0;
            held.normals = registers.normals;
        }
        if is_first || held.is_stale {
            let version = Version::new(&held.looks, &self.rows, end);
            if !held.versions.last().is_some_and(|last| last.is_same(&version)) {
                held.versions.push(version);
            }
            held.is_stale = false;
        }
        if let Some(version) = held.versions.last_mut() {
            version.end = end;
        }
        let matrices = (registers.matrices, self.words.word(xf::MATRIX_INDEX_A));
        let disagreement = match held.entries.last() {
            Some(last) if held.matrices == matrices => last.disagreement,
            _ => Disagreement::new(registers, draw.vat(), &self.words),
        };
        held.matrices = matrices;
        held.entries.push(Entry { primitive: draw.primitive(), given: draw.count, count, disagreement });
        true
    }

    /// The normals of the last vertex that is held, if its draw has one, none of that has been left out, and all of its normals have been
    /// read.
    pub(super) fn last_normals(&self) -> Option<NormalCache> {
        let Entry { given, count, .. } = *self.held.entries.last()?;
        if count == 0 || count != usize::from(given) || !self.held.looks.reads_normals {
            return None;
        }
        Some(std::array::from_fn(|which| {
            let &[x, y, z, _] = self.fetched.rows(input::NORMAL + which).last()?;
            Some([x, y, z])
        }))
    }

    /// Whether a draw can wait with those that are held.
    fn joins(&self, registers: &Registers, draw: &Draw<'_>, dialect: Dialect) -> bool {
        let held = &self.held;
        let format = (registers.vcd, registers.vats[draw.vat()], dialect);
        self.plan.is_some_and(|(known, _)| known == format)
            && self.program.is_some_and(|(known, _)| known == Vertices::of_vcd(registers.vcd.lo))
            && self.fetched.count() + usize::from(draw.count) <= MOST
            && held.entries.len() < MOST
            && (!held.is_stale || held.versions.len() < held.looks.places)
            && (held.looks.kept == 0 || held.has_kept(&registers.normals))
    }

    /// Loads words of the transform unit; what is held and would see that is run before.
    pub(super) fn load_between(&mut self, address: u16, words: &[u32], take: &mut impl FnMut(Output<'_>)) {
        if !self.held.entries.is_empty() {
            let first = usize::from(address);
            let before = self.words.words().get(first..).unwrap_or_default();
            let there = &words[..words.len().min(before.len())];
            if before[..there.len()] == *there {
                return;
            }
            let is_admitted = match (address, there, before) {
                (xf::MATRIX_INDEX_A, &[after], &[before, ..]) => self.held.admits_index(before, after),
                _ => self.held.admits(&(address..address + there.len() as u16)),
            };
            if !is_admitted {
                self.run_held(take);
            }
        }
        self.load(address, words);
    }

    /// Runs what is held, and hands it on in order.
    pub(super) fn run_held(&mut self, take: &mut impl FnMut(Output<'_>)) {
        if self.held.entries.is_empty() {
            return;
        }
        let Some((_, at)) = self.program else {
            debug_assert!(false, "what decides the program has not changed");
            return self.held.clear();
        };
        let count = self.fetched.count();
        let form = Form::Registers(self.programs[at].1.mask);
        let words = form.words();
        if self.made.len() < words * count {
            self.made.resize(words * count, 0);
        }
        self.run_versions(at, words);
        self.stats.batches += self.held.entries.len() as u64;
        self.stats.vertices += count as u64;
        let scale = self.words.word(xf::VIEWPORT + 1);
        let keeps_rejected = xf::REJECT_OFF.of(self.words.word(xf::CLIP_DISABLE)) != 0;
        let mut made = &self.made[..words * count];
        for &Entry { primitive, given, count, disagreement } in &self.held.entries {
            let (words, rest) = made.split_at(words * count);
            made = rest;
            let vertices = Sent { form, count, words };
            take(Output::Drawn(Drawn { primitive, given, vertices, disagreement, scale, keeps_rejected }));
        }
        self.held.clear();
    }

    /// Runs the columns, each vertex with its version of the matrix.
    fn run_versions(&mut self, at: usize, words: usize) {
        let Executor { engine, worker, programs, held, fetched, rows, made, stats, hot, .. } = self;
        let (setup, handle) = &mut programs[at];
        let Held { versions, is_stale, looks, normals, .. } = held;
        let count = fetched.count();
        let is_by_index =
            versions.len() > 1 && handle.prepare_indexed(setup, engine, count, *hot / SHARE, stats);
        let Handle { sent: (list, sent), program, indexed, .. } = &*handle;
        let live = program.live_inputs();
        let mut runner = Runner { worker, stats, list: &list[..*sent] };
        if let Some(program) = indexed.program.as_ref().filter(|_| is_by_index) {
            debug_assert_eq!(program.live_inputs(), live | 1 << input::MATRICES);
            let mut start = 0;
            fetched.give(input::MATRICES, |column| {
                for (Version { end, .. }, first) in versions.iter().zip(looks.free) {
                    column[start..*end].fill([first.into(), 0, 0, 0]);
                    start = *end;
                }
            });
            looks.exchange(versions, rows);
            let inputs = fetched.inputs_of(program.live_inputs(), normals, 0..count);
            runner.run(program, rows, &inputs, &mut made[..words * count]);
            looks.exchange(versions, rows);
            return;
        }
        let is_there = versions.len() == 1 && !*is_stale;
        let mut start = 0;
        for version in versions {
            let part = start..version.end;
            start = version.end;
            if !is_there {
                version.exchange(looks.first, looks, rows);
            }
            let made = &mut made[words * part.start..words * part.end];
            runner.run(program, rows, &fetched.inputs_of(live, normals, part), made);
            if !is_there {
                version.exchange(looks.first, looks, rows);
            }
        }
    }
}

/// Code of a configuration for vertices with an index of their matrix.
#[derive(Default, Debug)]
pub(super) struct Indexed {
    /// Vertices that it would have run.
    vertices: u64,
    program: Option<Arc<Program>>,
}

impl Handle {
    /// Whether there is code for vertices with an index of their matrix, of which there are so many now. It is made of those of which
    /// there have been enough.
    fn prepare_indexed(
        &mut self,
        setup: &Setup,
        engine: &Engine,
        count: usize,
        hot: u64,
        stats: &mut UnitStats,
    ) -> bool {
        let Indexed { vertices, program } = &mut self.indexed;
        if let Some(program) = program {
            return program.is_native();
        }
        *vertices = vertices.saturating_add(count as u64);
        if *vertices < hot || !engine.makes_code() {
            return false;
        }
        let mut setup = *setup;
        setup.transform.vertices.matrices = 1;
        stats.resolved += 1;
        let program = program.insert(engine.shader(&Shader::from(setup)));
        engine.warm(std::slice::from_ref(program), false);
        program.is_native()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::flipper::{Budget, FlipperUnit, Quirks};
    use xfjit_isa::config::FlipperQuirks;

    /// However many draws a stream has, and if they have no vertices.
    #[test]
    fn what_is_held_is_bounded() {
        for (vcd, count, bytes) in [(0_u8, 0_u8, 0), (2, 0, 0), (2, 3, 6)] {
            let engine = Arc::new(Engine::new(Options::background(u64::MAX)));
            let mut unit = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
            let mut stream = vec![8, 0x50, 0, 0, vcd, 0];
            for _ in 0..5000 {
                stream.extend([0xb8, 0, count]);
                stream.extend((0..bytes).map(|byte| byte as u8));
            }
            let mut draws = 0;
            let used = unit.run(&stream, &[], Budget::NONE, |_| draws += 1);
            assert_eq!((used, draws), (stream.len(), 5000));
            let held = &unit.executor.held;
            assert!(held.entries.is_empty() && held.versions.is_empty());
            assert!(held.entries.capacity() <= 2 * MOST, "{}", held.entries.capacity());
            assert!(unit.executor.made.len() <= MOST * 4 * 32, "{}", unit.executor.made.len());
        }
    }
}
