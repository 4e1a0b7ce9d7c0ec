//! Small draws that wait: games draw strips of four, and what each run of code costs is more than what so few vertices take.
//!
//! Nothing is held beyond the call that has drawn it. Memory does not change within a call, so that vertices of several draws are read
//! together, with the arrays and the kept normals of their commands. A load that held draws would see runs them first, but for loads of the
//! matrix of position and normal, and of its index. Of that matrix each draw has a version, a copy of its rows. Code reads the version of a
//! vertex by an index that the vertex is given, as those have it that bring one; until there is such code, the vertices of each version are
//! a batch of their own.

use super::column::Of;
use super::command::Draw;
use super::execute::{Executor, Handle};
use super::memory::Memory;
use super::output::{Disagreement, Drawn, Output};
use super::registers::{Array, NormalCache, Registers};
use super::storing::Outlet;
use super::versions::{NORMALS, Versions};
use crate::engine::{Engine, Program};
use crate::xf::{Form, UnitStats, Vertices as Sent};
use std::sync::Arc;
use xfjit_core::backend::Worker;
use xfjit_core::front::flipper::Setup;
use xfjit_core::shader::Shader;
use xfjit_isa::chip::flipper::cp::ARRAYS;
use xfjit_isa::chip::flipper::opcode::Primitive;
use xfjit_isa::chip::flipper::transform::Vertices;
use xfjit_isa::chip::flipper::{input, registers as xf};
use xfjit_isa::config::Dialect;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::Row;

/// Vertices of a draw up to which it waits for others.
pub(super) const SMALL: u16 = 32;

/// Vertices that are held at most, and draws, which may have none. Rows of these and what is made of them fit the second-level cache.
pub(super) const MOST: usize = 256;

/// Of so many vertices that would make code of a layout, one makes code of versions: there a vertex saves that much more.
const SHARE: u64 = 32;

/// A draw that waits.
#[derive(Clone, Copy, Debug)]
struct Entry {
    primitive: Primitive,
    count: u16,
    disagreement: Disagreement,
}

/// What waits.
#[derive(Clone, Default, Debug)]
pub(super) struct Held {
    entries: Vec<Entry>,
    versions: Versions,
    /// Vertices.
    count: usize,
    /// The bytes of those that are not in the executor's columns yet, and the arrays of all of these.
    bytes: Vec<u8>,
    arrays: [Array; ARRAYS],
    /// Which of the plans they have, and whether something of them lies in arrays.
    plan: usize,
    has_indices: bool,
    /// Registers of normals that vertices lack, and have as they were kept when the first was drawn.
    kept: u16,
    normals: NormalCache,
    /// What is kept of normals behind draws that have been read, until the registers have it.
    late: Option<NormalCache>,
    /// Whether the next draw is to be held.
    is_next: bool,
    /// What the last disagreement was made of: indices as the command processor has them, and the transform unit's first register of them.
    matrices: ([u32; 2], u32),
}

impl Held {
    /// Forgets all.
    fn clear(&mut self) {
        self.entries.clear();
        self.versions.clear();
        self.bytes.clear();
        self.count = 0;
    }

    /// Whether normals are those that its vertices have in the place of their own.
    fn has_kept(&self, normals: &NormalCache) -> bool {
        (0..normals.len())
            .filter(|which| self.kept >> (input::NORMAL + which) & 1 != 0)
            .all(|which| self.normals[which] == normals[which])
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
                debug_assert!(
                    error == StreamError::OutOfMemory,
                    "columns hold every vertex of the draws: {error}"
                );
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
        (self.held.late, self.held.is_next) = (None, false);
    }

    /// Decides whether the next drawing command is held, which is one of few vertices, of which none is left out. What is held before is run
    /// if that cannot join it. Tells what is kept of normals, if registers do not have it yet and the command may see it.
    pub(super) fn settle(
        &mut self,
        registers: &Registers,
        draw: &Draw<'_>,
        dialect: Dialect,
        outlet: &mut Outlet<'_, impl FnMut(Output<'_>)>,
    ) -> Option<NormalCache> {
        let is_small = draw.count <= self.most_held;
        if !is_small || !self.joins(registers, draw, dialect) {
            self.run_held(outlet);
        }
        let plan = self.plan((registers.vcd, registers.vats[draw.vat()], dialect));
        self.held.is_next = is_small && self.plans[plan].1.has_all(draw);
        if !self.held.is_next {
            self.run_held(outlet);
        }
        self.held.late.take()
    }

    /// Whether the next drawing command is held, or the last one has been.
    pub(super) fn holds(&self) -> bool {
        self.held.is_next
    }

    /// What is kept of normals, if registers do not have it yet.
    pub(super) fn late_normals(&mut self) -> Option<NormalCache> {
        self.held.late.take()
    }

    /// Holds a drawing command.
    pub(super) fn hold(
        &mut self,
        registers: &Registers,
        draw: &Draw<'_>,
        dialect: Dialect,
        outlet: &mut Outlet<'_, impl FnMut(Output<'_>)>,
    ) {
        if self.held.entries.is_empty() {
            self.begin(registers, draw, dialect);
        } else if self.held.has_indices && self.held.arrays != registers.arrays {
            self.read_held(outlet.memory);
            self.held.arrays = registers.arrays;
        }
        let Executor { held, rows, words, .. } = self;
        held.bytes.extend_from_slice(draw.bytes);
        held.count += usize::from(draw.count);
        held.versions.take(rows, held.count);
        let matrices = (registers.matrices, words.word(xf::MATRIX_INDEX_A));
        let disagreement = match held.entries.last() {
            Some(last) if held.matrices == matrices => last.disagreement,
            _ => Disagreement::new(registers, draw.vat(), words),
        };
        held.matrices = matrices;
        held.entries.push(Entry { primitive: draw.primitive(), count: draw.count, disagreement });
    }

    /// Begins with the first draw that waits.
    fn begin(&mut self, registers: &Registers, draw: &Draw<'_>, dialect: Dialect) {
        let vertices = Vertices::of_vcd(registers.vcd.lo);
        let plan = self.plan((registers.vcd, registers.vats[draw.vat()], dialect));
        let at = self.program(vertices);
        let (setup, handle) = &self.programs[at];
        let live = handle.program.live_inputs();
        self.fetched.clear();
        let held = &mut self.held;
        held.versions.begin(setup, vertices, live, &self.rows);
        held.plan = plan;
        held.has_indices = self.plans[plan].1.has_indices();
        held.arrays = registers.arrays;
        held.kept = live & NORMALS & !self.plans[plan].1.registers();
        held.normals = registers.normals;
    }

    /// Makes columns of the vertices that are not there yet, and finds what is kept of the last one's normals.
    fn read_held(&mut self, memory: Memory<'_>) {
        let Some((_, at)) = self.program else { return };
        let live = self.programs[at].1.program.live_inputs();
        let Held { plan, bytes, arrays, count, late, .. } = &mut self.held;
        let plan = &self.plans[*plan].1;
        let of = Of { vertices: bytes, size: plan.size, arrays, memory };
        plan.append(live, &of, *count - self.fetched.count(), &mut self.fetched);
        if let Some(last) = bytes.len().checked_sub(plan.size.max(1)) {
            *late = Some(plan.normals(&Of { vertices: &bytes[last..], ..of }));
        }
        bytes.clear();
    }

    /// Whether a draw can wait with those that are held.
    fn joins(&self, registers: &Registers, draw: &Draw<'_>, dialect: Dialect) -> bool {
        let held = &self.held;
        let format = (registers.vcd, registers.vats[draw.vat()], dialect);
        self.plan.is_some_and(|(known, _)| known == format)
            && self.program.is_some_and(|(known, _)| known == Vertices::of_vcd(registers.vcd.lo))
            && held.count + usize::from(draw.count) <= MOST
            && held.entries.len() < MOST
            && held.versions.has_room()
            && (held.kept == 0 || held.has_kept(&registers.normals))
    }

    /// Loads words of the transform unit; what is held and would see that is run before.
    pub(super) fn load_between(
        &mut self,
        address: u16,
        words: &[u32],
        outlet: &mut Outlet<'_, impl FnMut(Output<'_>)>,
    ) {
        if !self.held.entries.is_empty() {
            let before = self.words.words().get(usize::from(address)..).unwrap_or_default();
            let count = words.len().min(before.len());
            let (before, after) = (&before[..count], &words[..count]);
            if before == after {
                return;
            }
            if !self.held.versions.admits(address, before, after) {
                self.run_held(outlet);
            }
        }
        self.load(address, words);
    }

    /// Runs what is held, and hands it on in order.
    pub(super) fn run_held(&mut self, outlet: &mut Outlet<'_, impl FnMut(Output<'_>)>) {
        if self.held.entries.is_empty() {
            return;
        }
        let Some((_, at)) = self.program else {
            debug_assert!(false, "what decides the program has not changed");
            return self.held.clear();
        };
        self.read_held(outlet.memory);
        let count = self.held.count;
        let form = Form::Registers(self.programs[at].1.mask);
        let each = form.words();
        if self.made.len() < each * count {
            self.made.resize(each * count, 0);
        }
        self.run_versions(at, each);
        self.stats.batches += self.held.entries.len() as u64;
        self.stats.vertices += count as u64;
        let scale = self.words.word(xf::VIEWPORT + 1);
        let keeps_rejected = xf::REJECT_OFF.of(self.words.word(xf::CLIP_DISABLE)) != 0;
        let words = &self.made[..each * count];
        let mut end = 0;
        let draws = self.held.entries.iter().map(|&Entry { primitive, count: given, disagreement }| {
            let count = usize::from(given);
            let part = end..end + count;
            end = part.end;
            let vertices = Sent { form, count, words: &words[each * part.start..each * part.end] };
            let stored = None;
            (part, Drawn { primitive, given, vertices, disagreement, stored, scale, keeps_rejected })
        });
        outlet.draw_together(&Sent { form, count, words }, draws);
        self.held.clear();
    }

    /// Runs the vertices that wait, by their versions.
    fn run_versions(&mut self, at: usize, words: usize) {
        let Executor { engine, worker, programs, held, fetched, rows, made, stats, hot, .. } = self;
        let (setup, handle) = &mut programs[at];
        let Held { versions, normals, count, .. } = held;
        let is_by_index =
            versions.count() > 1 && handle.prepare_indexed(setup, engine, *count, *hot / SHARE, stats);
        let Handle { sent: (list, sent), program, indexed, .. } = &*handle;
        let live = program.live_inputs();
        let mut runner = Runner { worker, stats, list: &list[..*sent] };
        if let Some(program) = indexed.program.as_ref().filter(|_| is_by_index) {
            debug_assert_eq!(program.live_inputs(), live | 1 << input::MATRICES);
            fetched.give(input::MATRICES, |column| versions.write_places(column));
            let inputs = fetched.inputs_of(program.live_inputs(), normals, 0..*count);
            let made = &mut made[..words * *count];
            return versions.at_places(rows, |rows| runner.run(program, rows, &inputs, made));
        }
        versions.one_by_one(rows, |rows, part| {
            let made = &mut made[words * part.start..words * part.end];
            runner.run(program, rows, &fetched.inputs_of(live, normals, part), made);
        });
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
    use crate::flipper::vertex::LONGEST;
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
            assert!(held.entries.is_empty() && held.versions.count() == 0);
            assert!(held.entries.capacity() <= 2 * MOST, "{}", held.entries.capacity());
            assert!(held.bytes.capacity() <= 2 * MOST * LONGEST, "{}", held.bytes.capacity());
            assert!(unit.executor.made.len() <= MOST * 4 * 32, "{}", unit.executor.made.len());
        }
    }
}
