//! What a program tells of itself: what it reads and computes, its counters and times, its name and label.

use super::super::counters::{TierTime, Times};
use super::super::label::{LabelError, check_label};
use super::super::profile::{ProgramProfile, Tier};
use super::super::stats::ProgramStats;
use super::Program;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use xfjit_core::backend::{CompileError, Routine};
use xfjit_core::shader::{Faults, ProgramInfo, Shader};

/// The name of a shader in profiles and files.
pub(super) fn name(shader: &Shader) -> String {
    format!("{}-{:016x}", shader.name(), FxBuildHasher.hash_one(shader))
}

impl Program {
    /// The attributes that the program reads, as a mask. The others need not be fetched.
    pub fn live_inputs(&self) -> u16 {
        self.interpreted.live_inputs()
    }

    /// The shader of this handle.
    pub fn shader(&self) -> &Shader {
        &self.shader
    }

    /// Returns what the program reads and writes, and whether its native code is ready.
    pub fn info(&self) -> ProgramInfo {
        let native = self.routine().is_some();
        ProgramInfo { native, ..self.shader.info() }
    }

    /// Whether a batch runs in native code.
    pub(crate) fn is_native(&self) -> bool {
        !self.is_retired.load(Ordering::Relaxed) && self.routine().is_some()
    }

    /// Its native code, if there is some by now. A program that is retired keeps it.
    #[doc(hidden)]
    pub fn routine(&self) -> Option<&dyn Routine> {
        Some(&*self.compiled()?.routine)
    }

    /// Why the program runs in the interpreter, if the back end has rejected it.
    pub fn refusal(&self) -> Option<&CompileError> {
        self.native.get().and_then(|result| result.as_ref().err())
    }

    /// The counters of the program.
    pub fn stats(&self) -> ProgramStats {
        let routine = self.routine();
        ProgramStats {
            batches: self.done.batches(),
            vertices: self.done.vertices(),
            deopt_groups: self.seldom().deopt_groups.load(Ordering::Relaxed),
            deopt_vertices: self.seldom().deopt_vertices.load(Ordering::Relaxed),
            slow_vertices: self.seldom().slow_vertices.load(Ordering::Relaxed),
            faults: Faults {
                timeouts: self.timeouts.load(Ordering::Relaxed),
                stack: self.stack_faults.load(Ordering::Relaxed),
            },
            native: routine.is_some(),
            given_up: self.given_up.load(Ordering::Relaxed),
            barred: self.barred.load(Ordering::Relaxed),
            folded_routines: self.compiled().map_or(0, |native| native.folding.routines().count() as u64),
            folded_vertices: self.folded().vertices,
            cost: routine.map(|routine| routine.cost()).unwrap_or_default(),
        }
    }

    /// The work and the time of the program: in the interpreter, and in native code including what that left to run again.
    pub fn times(&self) -> [TierTime; 2] {
        let [interpreted, unfolded, folded] = self.tiers();
        [interpreted, unfolded.and(folded)]
    }

    /// The work and the time of its native code with constants as literals ([`Options::fold_after`](crate::engine::Options::fold_after)),
    /// which is a part of what [`Program::times`] reports for native code.
    pub fn folded(&self) -> TierTime {
        let [.., folded] = self.tiers();
        folded
    }

    /// In the interpreter, in native code that reads constants, and in native code with literals.
    fn tiers(&self) -> [TierTime; 3] {
        let folded = self.compiled().map(|native| native.folding.done()).unwrap_or(Times::default().of(0, 0));
        let done = [self.done.batches(), self.done.vertices()];
        let interpreted = [self.interpreted_done.batches(), self.interpreted_done.vertices()];
        let others = [interpreted[0] + folded.batches, interpreted[1] + folded.vertices];
        // Counters are read one after the other while others may run.
        let native = [0, 1].map(|which| done[which].saturating_sub(others[which]));
        let [interpreted, native] =
            [(&self.seldom().interpreted_times, interpreted), (&self.seldom().native_times, native)]
                .map(|(times, [batches, vertices])| times.of(batches, vertices));
        [interpreted, native, folded]
    }

    /// A profile of the program. It runs vertex groups again in which native code has raised a guard. This takes about as long as
    /// compiling the program.
    pub fn profile(&self) -> ProgramProfile {
        let stats = self.stats();
        let [interpreted, unfolded, folded] = self.tiers();
        let native = unfolded.and(folded);
        ProgramProfile {
            folded,
            name: self.name(),
            label: self.label().map(|label| label.to_string()),
            tier: match self.native.get() {
                _ if self.is_retired.load(Ordering::Relaxed) => Tier::Retired,
                None => Tier::Waiting,
                Some(Ok(_)) => Tier::Native,
                Some(Err(error)) => Tier::Refused(error.to_string()),
            },
            lanes: self.routine().map_or(1, Routine::lanes),
            interpreted,
            native,
            hits: self.hits.load(Ordering::Relaxed),
            guarded_batches: self.seldom().deopt_batches.load(Ordering::Relaxed),
            guarded_vertices: stats.deopt_vertices,
            found: self.seldom().guards.look(&self.shader, self.needs()),
            stats,
        }
    }

    /// The program's name in profiles and files: its kind, and a hash of everything that decides what it computes. All back ends use the
    /// same name, so profiles can be compared.
    pub fn name(&self) -> String {
        name(&self.shader)
    }

    /// The label that the host has given the program ([`Program::set_label`]).
    pub fn label(&self) -> Option<Arc<str>> {
        let label = &self.seldom.get()?.label;
        label.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Labels the program for people: profiles and recordings contain the label next to the program's [name](Program::name). An empty label
    /// removes the existing one. A label changes nothing that is computed, and does not distinguish programs: a request for an equal
    /// program returns this handle with its label. Any thread may set it at any time. The engine forgets it with the program.
    ///
    /// ```
    /// use xfjit::{Config, Engine, Generation, Options, asm};
    ///
    /// let engine = Engine::new(Options::default());
    /// let program = asm::parse(Generation::Kelvin, "MOV oPos, v0").unwrap();
    /// let program = engine.decoded(program, &Config::new(Generation::Kelvin));
    /// program.set_label("skinning")?;
    /// assert_eq!(program.label().as_deref(), Some("skinning"));
    /// # Ok::<(), xfjit::engine::LabelError>(())
    /// ```
    ///
    /// # Errors
    /// A label of more than [`MOST_LABEL`](crate::engine::MOST_LABEL) bytes, or with a character that would not stay within a line of text. The
    /// program keeps the label that it had.
    pub fn set_label(&self, label: &str) -> Result<(), LabelError> {
        check_label(label)?;
        if label.is_empty() && self.seldom.get().is_none() {
            return Ok(());
        }
        if let Some(watch) = &self.watch {
            watch.label(label);
        }
        let label = (!label.is_empty()).then(|| Arc::from(label));
        *self.seldom().label.lock().unwrap_or_else(PoisonError::into_inner) = label;
        Ok(())
    }

    /// Memory held, for the cache.
    pub(in super::super) fn bytes(&self) -> usize {
        // A program that will be compiled later is counted as one page of code.
        let code = match self.native.get() {
            Some(Ok(native)) => native.routine.cost().memory_bytes + native.folding.bytes(),
            Some(Err(_)) => 0,
            None => 4096,
        };
        size_of::<Self>() + self.shader.bytes() + self.interpreted.bytes() + code
    }
}
