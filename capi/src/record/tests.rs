use super::*;
use crate::engine::{xfjit_engine, xfjit_engine_create, xfjit_engine_destroy};
use crate::lent::{Parameter, Scope};
use crate::status::{XFJIT_E_FILE, XFJIT_OK};
use crate::unit::{xfjit_unit_create, xfjit_unit_destroy};
use std::ptr::{null, null_mut};
use xfjit::xf::{Command, Type};

/// What is taken: so many bytes more.
struct Room(usize);

unsafe extern "C" fn take(user: *mut c_void, _: *const c_void, size: usize) -> i32 {
    // SAFETY: it is what the recording was given.
    let room = unsafe { &mut *user.cast::<Room>() };
    match room.0.checked_sub(size) {
        Some(left) => {
            room.0 = left;
            0
        }
        None => 1,
    }
}

/// A unit for a test.
fn with_unit(test: impl FnOnce(*mut xfjit_unit)) {
    let (mut engine, mut unit): (*mut xfjit_engine, _) = (null_mut(), null_mut());
    // SAFETY: everything is there.
    unsafe {
        assert_eq!(xfjit_engine_create(null(), &raw mut engine), XFJIT_OK);
        assert_eq!(xfjit_unit_create(engine, 0x2a, null(), &raw mut unit), XFJIT_OK);
        test(unit);
        assert_eq!(xfjit_unit_destroy(unit), XFJIT_OK);
        assert_eq!(xfjit_engine_destroy(engine), XFJIT_OK);
    }
}

/// Whether a unit of such a test is recorded, which has no other use.
fn is_recorded(unit: *mut xfjit_unit) -> bool {
    let scope = Scope::new();
    // SAFETY: it lives, and nobody else uses it.
    let unit = unsafe { unit.lend(&scope) };
    let mut unit = unit::enter(&unit).expect("nobody else has it");
    unit.recording.is_some() || unit.unit.recorded().is_some()
}

#[test]
fn a_recording_that_does_not_begin_leaves_none() {
    with_unit(|unit| {
        let (mut all, mut nothing) = (Room(usize::MAX), Room(0));
        // SAFETY: everything is there.
        unsafe {
            assert_eq!(xfjit_unit_record(unit, Some(take), (&raw mut all).cast()), XFJIT_OK);
            assert_eq!(xfjit_unit_record(unit, Some(take), (&raw mut nothing).cast()), XFJIT_E_FILE);
            assert!(!is_recorded(unit));
        }
    });
}

#[test]
fn an_end_tells_of_bytes_that_were_not_taken() {
    with_unit(|unit| {
        // The header, and no block of commands.
        let mut room = Room(200);
        // SAFETY: everything is there.
        unsafe {
            assert_eq!(xfjit_unit_record(unit, Some(take), (&raw mut room).cast()), XFJIT_OK);
            for number in 0..100_000u32 {
                let command = Command::pair(Type::Vab, 3, 0, [number, number.wrapping_mul(0x9e37_79b9)]);
                let scope = Scope::new();
                let unit = unit.lend(&scope);
                let mut unit = unit::enter(&unit).expect("nobody else has it");
                unit.unit.command(command);
            }
            assert_eq!(xfjit_unit_record_end(unit), XFJIT_E_FILE);
            assert!(!is_recorded(unit));
            assert_eq!(xfjit_unit_record_end(unit), XFJIT_OK);
        }
    });
}
