//! An engine without native code with equal programs and units: what every call is compared with.

use super::lent::Lent;
use super::world::World;
use super::{Handles, Tally};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use xfjit_capi::*;

/// An engine that interprets, and for each handle of the other engine one of its own.
pub(super) struct Twin {
    pub(super) engine: *mut xfjit_engine,
    worker: *mut xfjit_worker,
    pub(super) unit: *mut xfjit_unit,
    pub(super) flipper: *mut xfjit_flipper,
    programs: Vec<*const xfjit_program>,
}

impl Default for Twin {
    fn default() -> Self {
        let (engine, worker, unit, flipper) = (null_mut(), null_mut(), null_mut(), null_mut());
        Twin { engine, worker, unit, flipper, programs: Vec::new() }
    }
}

impl Twin {
    /// Makes the engine, for programs that may do what the other engine's may.
    pub(super) unsafe fn create(&mut self, options: &xfjit_options) {
        let options = xfjit_options {
            backend: XFJIT_BACKEND_INTERPRETER,
            compile_after: 0,
            compile_by: XFJIT_COMPILE_THREAD,
            instructions: XFJIT_INSTRUCTIONS_BEST,
            verify_every: 0,
            heard: None,
            ..*options
        };
        // SAFETY: as above.
        unsafe {
            assert_eq!(xfjit_engine_create(&raw const options, &raw mut self.engine), XFJIT_OK);
            assert_eq!(xfjit_worker_create(self.engine, &raw mut self.worker), XFJIT_OK);
        }
    }

    pub(super) unsafe fn destroy(&mut self) {
        // SAFETY: as above.
        unsafe {
            while !self.programs.is_empty() {
                self.forget();
            }
            assert_eq!(xfjit_unit_destroy(self.unit), XFJIT_OK);
            assert_eq!(xfjit_flipper_destroy(self.flipper), XFJIT_OK);
            assert_eq!(xfjit_worker_destroy(self.worker), XFJIT_OK);
            assert_eq!(xfjit_engine_destroy(self.engine), XFJIT_OK);
        }
    }

    /// Makes a handle of what the other engine has made one of.
    pub(super) unsafe fn get(
        &mut self,
        slots: *const c_void,
        stride: usize,
        count: usize,
        start: usize,
        config: &xfjit_config,
    ) {
        let mut program = null();
        // SAFETY: as above.
        let status =
            unsafe { xfjit_program_get(self.engine, slots, stride, count, start, config, &raw mut program) };
        assert_eq!(status, XFJIT_OK);
        self.programs.push(program);
    }

    /// Gives back the newest handle.
    pub(super) unsafe fn forget(&mut self) {
        if let Some(program) = self.programs.pop() {
            // SAFETY: as above.
            assert_eq!(unsafe { xfjit_program_unref(program) }, XFJIT_OK);
        }
    }
}

impl Handles {
    /// What is here for a program, or for what is none.
    fn twin_of(&self, program: *const xfjit_program) -> *const xfjit_program {
        let place = self.programs.iter().position(|&other| other == program);
        place.map_or(program, |place| self.twin.programs[place])
    }

    fn twin_worker(&self, worker: *mut xfjit_worker) -> *mut xfjit_worker {
        if worker == self.worker { self.twin.worker } else { worker }
    }

    /// What is here for the unit, or for what is none.
    pub(super) fn twin_unit(&self, unit: *mut xfjit_unit) -> *mut xfjit_unit {
        if unit == self.unit { self.twin.unit } else { unit }
    }

    /// What is here for the Flipper, or for what is none.
    pub(super) fn twin_flipper(&self, flipper: *mut xfjit_flipper) -> *mut xfjit_flipper {
        if flipper == self.flipper { self.twin.flipper } else { flipper }
    }

    /// Makes a call in some world, which gives a status and what it says of the run, and makes it in the interpreter on the same memory:
    /// both say the same and leave the same there.
    pub(super) fn compared<T: PartialEq + std::fmt::Debug>(
        &self,
        (program, worker): (*const xfjit_program, *mut xfjit_worker),
        memory: &mut [&mut Lent],
        (world, tally): (World, &mut Tally),
        call: impl Fn(*const xfjit_program, *mut xfjit_worker) -> (xfjit_status, T),
    ) -> (xfjit_status, T) {
        let before = words(memory);
        tally.worlds[world.number()] += 1;
        let result = world.around(memory, || call(program, worker));
        let after = words(memory);
        restore(memory, &before);
        let interpreted = call(self.twin_of(program), self.twin_worker(worker));
        assert_eq!(result, interpreted, "the interpreter says something else");
        for (number, (own, after)) in memory.iter().zip(&after).enumerate() {
            assert!(*own.words == **after, "memory {number} is not what the interpreter leaves");
        }
        restore(memory, &after);
        tally.compared += 1;
        result
    }
}

pub(super) fn words(memory: &[&mut Lent]) -> Vec<Vec<u32>> {
    memory.iter().map(|lent| lent.words.to_vec()).collect()
}

pub(super) fn restore(memory: &mut [&mut Lent], words: &[Vec<u32>]) {
    for (lent, words) in memory.iter_mut().zip(words) {
        lent.words.copy_from_slice(words);
    }
}
