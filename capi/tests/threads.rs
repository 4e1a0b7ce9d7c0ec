//! Several threads on one worker: one of them works, the others are told so; nothing else happens.

mod session;

use session::{Session, options};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use xfjit_capi::*;

const VERTICES: usize = 2000;

#[test]
fn a_worker_serves_one_call_at_a_time() {
    let session = &Session::new(&options());
    let (done, busy, start) = (&AtomicU32::new(0), &AtomicU32::new(0), &Barrier::new(4));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                start.wait();
                for round in 0..100 {
                    match session.run(VERTICES) {
                        (XFJIT_OK, last) => {
                            assert_eq!(last, [4.0; 4], "round {round}");
                            done.fetch_add(1, Ordering::Relaxed)
                        }
                        (XFJIT_E_BUSY, last) => {
                            assert_eq!(last, [0.0; 4], "round {round}");
                            busy.fetch_add(1, Ordering::Relaxed)
                        }
                        (other, _) => panic!("status {other}"),
                    };
                }
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed) + busy.load(Ordering::Relaxed), 400);
    assert!(done.load(Ordering::Relaxed) > 0);
}
