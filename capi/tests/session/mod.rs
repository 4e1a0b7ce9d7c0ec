//! What tests of the interface in Rust begin with: an engine, a worker of it, and a program.

use std::ptr::{null, null_mut};
use xfjit_capi::*;

/// `oPos = v0 . c[0], ...; oD0 = v3 * c[4]`, see `tests/c/check.h`.
const TRANSFORM: [[u32; 4]; 5] = [
    [0, 0x00e0_001b, 0x0836_186c, 0x2070_8800],
    [0, 0x00e0_201b, 0x0836_186c, 0x2070_4800],
    [0, 0x00e0_401b, 0x0836_186c, 0x2070_2800],
    [0, 0x00e0_601b, 0x0836_186c, 0x2070_1800],
    [0, 0x0040_861b, 0x0836_186c, 0x2070_f819],
];

/// Options of an engine: the defaults.
pub(crate) fn options() -> xfjit_options {
    // SAFETY: numbers, null pointers and no functions.
    let mut options: xfjit_options = unsafe { std::mem::zeroed() };
    options.size = size_of::<xfjit_options>() as u32;
    options
}

/// An engine with a worker and the program.
pub(crate) struct Session {
    pub(crate) engine: *mut xfjit_engine,
    pub(crate) worker: *mut xfjit_worker,
    pub(crate) program: *const xfjit_program,
}

// SAFETY: handles may go from thread to thread.
unsafe impl Sync for Session {}

impl Session {
    pub(crate) fn new(options: &xfjit_options) -> Self {
        let (mut engine, mut worker, mut program) = (null_mut(), null_mut(), null());
        // SAFETY: everything is there.
        unsafe {
            assert_eq!(xfjit_engine_create(options, &raw mut engine), XFJIT_OK);
            assert_eq!(xfjit_worker_create(engine, &raw mut worker), XFJIT_OK);
            let mut config: xfjit_config = std::mem::zeroed();
            config.size = size_of::<xfjit_config>() as u32;
            assert_eq!(xfjit_config_init(&raw mut config, XFJIT_KELVIN), XFJIT_OK);
            config.live_outputs = 9;
            let slots = TRANSFORM.as_ptr().cast();
            let status = xfjit_program_get(engine, slots, 16, 5, 0, &raw const config, &raw mut program);
            assert_eq!(status, XFJIT_OK);
        }
        Session { engine, worker, program }
    }

    /// Runs vertices of ones, with constants of ones; the position of the last one, zeros if it was not run.
    pub(crate) fn run(&self, vertices: usize) -> (xfjit_status, [f32; 4]) {
        let one = 1.0f32.to_bits();
        let mut constants = vec![[one; 4]; 192];
        let input = vec![[[one; 4]; 16]; vertices];
        let mut output = vec![[[0u32; 4]; 16]; vertices];
        // SAFETY: everything is there.
        let status = unsafe {
            let (rows, from, to) =
                (constants.as_mut_ptr().cast(), input.as_ptr().cast(), output.as_mut_ptr().cast());
            xfjit_run_rows(self.program, self.worker, rows, 192, null_mut(), from, to, vertices)
        };
        (status, output[vertices - 1][0].map(f32::from_bits))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the handles are this test's.
        unsafe {
            assert_eq!(xfjit_program_unref(self.program), XFJIT_OK);
            assert_eq!(xfjit_worker_destroy(self.worker), XFJIT_OK);
            assert_eq!(xfjit_engine_destroy(self.engine), XFJIT_OK);
        }
    }
}
