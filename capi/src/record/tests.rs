use super::*;
use crate::engine::{xfjit_engine, xfjit_engine_create, xfjit_engine_destroy};
use crate::status::XFJIT_OK;
use crate::unit::{xfjit_unit_create, xfjit_unit_destroy};
use std::ptr::{null, null_mut};
use xfjit::chip::{Mode, Pipeline};
use xfjit::front::fixed::Setup;
use xfjit::xf::{Command, Type};
use xfjit::{Engine, Options};

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

#[test]
fn a_recording_that_does_not_begin_leaves_none() {
    with_unit(|unit| {
        let (mut all, mut nothing) = (Room(usize::MAX), Room(0));
        // SAFETY: everything is there.
        unsafe {
            assert_eq!(xfjit_unit_record(unit, Some(take), (&raw mut all).cast()), XFJIT_OK);
            assert_eq!(xfjit_unit_record(unit, Some(take), (&raw mut nothing).cast()), XFJIT_E_FILE);
            let mut unit = unit::enter(unit).expect("nobody else has it");
            assert!(unit.recording.is_none() && unit.unit.recorded().is_none());
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
                unit::enter(unit).expect("nobody else has it").unit.command(command);
            }
            assert_eq!(xfjit_unit_record_end(unit), XFJIT_E_FILE);
            assert!(unit::enter(unit).expect("nobody else has it").recording.is_none());
            assert_eq!(xfjit_unit_record_end(unit), XFJIT_OK);
        }
    });
}

#[test]
fn programs_without_instructions_take_no_place() {
    let mut room = Room(usize::MAX);
    let taker = Taker::new(Some(take), (&raw mut room).cast()).expect("it is a function");
    let mut recording = CallRecording::new(taker, u64::MAX >> 1).expect("all is taken");
    let engine = Engine::new(Options::default());
    let program = engine.fixed(&Setup::new(Mode::new(Pipeline::Kelvin, &[])));
    assert!(matches!(recording.program(&program), Ok(Numbered::Nothing)));
    assert!(recording.programs.is_empty());
}
