//! Two threads on one worker: one of them works, the other is told so; nothing else happens.

use std::ptr::{null, null_mut};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use xfjit_capi::*;

/// `oPos = v0 . c[0], ...; oD0 = v3 * c[4]`, see `tests/c/check.h`.
const TRANSFORM: [[u32; 4]; 5] = [
    [0, 0x00e0_001b, 0x0836_186c, 0x2070_8800],
    [0, 0x00e0_201b, 0x0836_186c, 0x2070_4800],
    [0, 0x00e0_401b, 0x0836_186c, 0x2070_2800],
    [0, 0x00e0_601b, 0x0836_186c, 0x2070_1800],
    [0, 0x0040_861b, 0x0836_186c, 0x2070_f819],
];
const VERTICES: usize = 2000;

struct Shared(*mut xfjit_worker, *const xfjit_program);

// SAFETY: handles may go from thread to thread.
unsafe impl Sync for Shared {}

#[test]
fn a_worker_serves_one_call_at_a_time() {
    let (mut engine, mut worker, mut program) = (null_mut(), null_mut(), null());
    // SAFETY: numbers alone.
    let mut config: xfjit_config = unsafe { std::mem::zeroed() };
    config.size = size_of::<xfjit_config>() as u32;
    // SAFETY: everything is there.
    unsafe {
        assert_eq!(xfjit_engine_create(null(), &raw mut engine), XFJIT_OK);
        assert_eq!(xfjit_worker_create(engine, &raw mut worker), XFJIT_OK);
        assert_eq!(xfjit_config_init(&raw mut config, XFJIT_KELVIN), XFJIT_OK);
        config.live_outputs = 9;
        let slots = TRANSFORM.as_ptr().cast();
        let status = xfjit_program_get(engine, slots, 16, 5, 0, &raw const config, &raw mut program);
        assert_eq!(status, XFJIT_OK);
    }
    let shared = &Shared(worker, program);
    let (done, busy, start) = (&AtomicU32::new(0), &AtomicU32::new(0), &Barrier::new(4));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                let Shared(worker, program) = *shared;
                let one = 1.0f32.to_bits();
                let mut constants = vec![[one; 4]; 192];
                let input = vec![[[one; 4]; 16]; VERTICES];
                let mut output = vec![[[0u32; 4]; 16]; VERTICES];
                start.wait();
                for round in 0..100 {
                    output[VERTICES - 1][0] = [0; 4];
                    // SAFETY: everything is there, and this thread's own but for the handles.
                    let status = unsafe {
                        let (to, from) = (output.as_mut_ptr().cast(), input.as_ptr().cast());
                        xfjit_run_rows(
                            program,
                            worker,
                            constants.as_mut_ptr().cast(),
                            192,
                            null_mut(),
                            from,
                            to,
                            VERTICES,
                        )
                    };
                    let last = output[VERTICES - 1][0];
                    match status {
                        XFJIT_OK => {
                            assert_eq!(last, [4.0f32.to_bits(); 4], "round {round}");
                            done.fetch_add(1, Ordering::Relaxed)
                        }
                        XFJIT_E_BUSY => {
                            assert_eq!(last, [0; 4], "round {round}");
                            busy.fetch_add(1, Ordering::Relaxed)
                        }
                        other => panic!("status {other}"),
                    };
                }
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed) + busy.load(Ordering::Relaxed), 400);
    assert!(done.load(Ordering::Relaxed) > 0);
    // SAFETY: nobody uses them any more.
    unsafe {
        assert_eq!(xfjit_program_unref(program), XFJIT_OK);
        assert_eq!(xfjit_worker_destroy(worker), XFJIT_OK);
        assert_eq!(xfjit_engine_destroy(engine), XFJIT_OK);
    }
}
