//! When each instruction is where.

use super::buffers::Buffers;
use super::families::Timing;
use super::path::Path;
use super::rules::Rules;
use super::units::Unit;
use crate::chip::Family;

/// A vertex unit as a pipeline. Vertices take turns; each has registers and buffers of its own.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Names of the stages, as many as the parameter says.
    pub stages: Vec<String>,
    /// Its parameters.
    pub timing: Timing,
}

/// An instruction in the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Whose turn it is: the place of the vertex among those that are worked on.
    pub thread: usize,
    /// The vertex, counted from the first one.
    pub vertex: usize,
    /// The step of its path.
    pub step: usize,
    /// The clock in which it is in the first stage at first.
    pub enters: u64,
    /// The clock in which it is in the second stage.
    pub leaves: u64,
    /// What the pipeline has waited for before it.
    pub waits: Waits,
}

/// Clocks in which no instruction goes on, by what is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Waits {
    /// Results.
    pub results: u64,
    /// An execution unit that is taken.
    pub units: u64,
    /// Branches: the instructions after them are not known.
    pub branches: u64,
    /// Vertices: none is there, or none has registers or buffers.
    pub vertices: u64,
}

impl Waits {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.results + self.units + self.branches + self.vertices
    }
}

/// What a vertex that is worked on is about.
#[derive(Clone, Debug)]
struct Thread {
    vertex: usize,
    /// Its number among those that have something to do.
    number: usize,
    step: usize,
    /// When each step so far is in the second stage.
    left: Vec<u64>,
    /// The first clock in which the next step is known; none if the vertex waits for buffers of which that is not known yet.
    knows: Option<u64>,
}

/// Where an instruction could be placed.
#[derive(Clone, Copy, Debug)]
struct Place {
    enters: u64,
    leaves: u64,
    waits: Waits,
}

impl Pipeline {
    /// With names for its stages: as the lecture has them (004: 670-678), with as many of execution as there are.
    pub fn new(timing: Timing) -> Pipeline {
        let count = Rules::of(&timing).depth + 2;
        let name = |stage: u64| match stage {
            0 => "RR".to_owned(),
            stage if stage == count - 1 => "WB".to_owned(),
            1 if count > 3 => "SN".to_owned(),
            stage => format!("E{}", stage - u64::from(count > 3)),
        };
        Pipeline { stages: (0..count).map(name).collect(), timing }
    }

    /// As far as it is known of a family.
    pub fn of(family: Family) -> Pipeline {
        Pipeline::new(Timing::of(family))
    }

    /// Vertices that are worked on at a time.
    pub fn vertices_at_a_time(&self) -> usize {
        Rules::of(&self.timing).vertices
    }

    /// Vertices that can be under way, from the copy of their attributes until they have left.
    pub fn vertices_under_way(&self) -> usize {
        Rules::of(&self.timing).sets
    }

    /// Clocks between two instructions of which the later one takes the result of the earlier one, if nothing waits.
    pub fn latency(&self) -> u64 {
        Rules::of(&self.timing).latency
    }

    /// Vertices at a time with which no instruction waits for a result of another one, but for texels.
    pub(super) fn most_useful_vertices(&self) -> usize {
        let rules = Rules::of(&self.timing);
        (rules.depth + 1).max(rules.latency) as usize
    }

    /// Runs vertices, each on its path (the paths in turns, over and over), and tells where each instruction is, in order. The
    /// result is the first clock in which no instruction is before the second stage any more.
    pub fn run(&self, paths: &[Path], vertices: usize, mut each: impl FnMut(Issue)) -> u64 {
        let rules = Rules::of(&self.timing);
        let has_steps = |&vertex: &usize| !paths.is_empty() && !paths[vertex % paths.len()].steps.is_empty();
        let all: Vec<usize> = (0..vertices).filter(has_steps).collect();
        let path = |number: usize| &paths[all[number] % paths.len()];
        let mut buffers = Buffers::new(&rules, all.len());
        let mut threads: Vec<Option<Thread>> = (0..rules.vertices).map(|_| None).collect();
        let count = threads.len();
        let mut taken = [0; Unit::ALL.len()];
        let (mut begun, mut free, mut turn) = (0, 0, 0);
        loop {
            // UNKNOWN: when registers are free for another vertex; here once the last instruction has read them. Results that are on
            // their way are written before those of the next vertex, as instructions keep their order.
            let mut idle = threads.iter().filter(|thread| thread.is_none()).count();
            while begun < all.len() && idle >= rules.launch.min(all.len() - begun) {
                let together = rules.launch.min(all.len() - begun);
                for thread in threads.iter_mut().filter(|thread| thread.is_none()).take(together) {
                    *thread = Some(Thread::new(all[begun], begun));
                    begun += 1;
                }
                idle -= together;
            }
            for thread in threads.iter_mut().flatten().filter(|thread| thread.knows.is_none()) {
                // Who begins together waits for the last of them.
                let last = (thread.number / rules.launch + 1) * rules.launch - 1;
                thread.knows = buffers.ready(last.min(all.len() - 1), path);
            }
            // UNKNOWN: who is next if a vertex does not know its instruction yet; here the first one that does.
            let mut next: Option<(usize, Place)> = None;
            for at in (turn..count).chain(0..turn) {
                let Some(thread) = &threads[at] else { continue };
                let Some(place) = place(&rules, thread, path(thread.number), free, &taken) else { continue };
                if next.is_none_or(|(_, earliest)| place.enters < earliest.enters) {
                    next = Some((at, place));
                }
                if place.enters == free {
                    break;
                }
            }
            let Some((at, Place { enters, leaves, waits })) = next else { return free };
            let Some(thread) = &mut threads[at] else { return free };
            let step = path(thread.number).steps[thread.step];
            each(Issue { thread: at, vertex: thread.vertex, step: thread.step, enters, leaves, waits });
            for &rate in step.rates.into_iter().flatten() {
                taken[rate.unit() as usize] = leaves + rules.interval(rate);
            }
            thread.left.push(leaves);
            thread.step += 1;
            thread.knows = Some(if step.is_branch { leaves + rules.branch } else { 0 });
            if thread.step == path(thread.number).steps.len() {
                buffers.done(thread.number, leaves + rules.depth + 1, path);
                threads[at] = None;
            }
            (free, turn) = (leaves + rules.issue - 1, (at + 1) % count);
        }
    }
}

impl Thread {
    fn new(vertex: usize, number: usize) -> Thread {
        Thread { vertex, number, step: 0, left: Vec::new(), knows: None }
    }
}

/// Where the next instruction of a vertex could be; none if it is not known when the vertex begins.
fn place(rules: &Rules, thread: &Thread, path: &Path, free: u64, taken: &[u64]) -> Option<Place> {
    let knows = thread.knows?;
    let step = &path.steps[thread.step];
    let enters = knows.max(free);
    let needs = if rules.components { step.needs.components } else { step.needs.registers };
    let results = needs.into_iter().zip([0, rules.texture]);
    let result = results.filter_map(|(needs, late)| Some(thread.left[needs?] + rules.latency + late)).max();
    let unit = step.rates.into_iter().flatten().map(|rate| taken[rate.unit() as usize]).max();
    let with_results = result.unwrap_or(0).max(enters + 1);
    let leaves = unit.unwrap_or(0).max(with_results);
    let not_known = enters - free;
    let is_first = thread.step == 0;
    let waits = Waits {
        results: with_results - (enters + 1),
        units: leaves - with_results,
        branches: if is_first { 0 } else { not_known },
        vertices: if is_first { not_known } else { 0 },
    };
    // A vertex that is passed over stands nowhere meanwhile.
    let enters = if rules.holds { enters } else { leaves - 1 };
    Some(Place { enters, leaves, waits })
}
