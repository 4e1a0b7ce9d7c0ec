//! The unit as a device.

use super::lent::{Lent, Source};
use super::world::World;
use super::{Handles, Tally, any_config};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use xfjit_capi::*;

/// Adds what comes out to a sum.
pub(super) unsafe extern "C" fn take(user: *mut c_void, piece: *const xfjit_piece) {
    // SAFETY: the unit hands over such a piece, and what the caller gave it.
    unsafe {
        let xfjit_piece { count, words_each, words, .. } = *piece;
        let all = std::slice::from_raw_parts(words, (count * words_each) as usize);
        let sum = all.iter().fold(0u32, |sum, &word| sum.rotate_left(5) ^ word);
        *user.cast::<u32>() = (*user.cast::<u32>()).rotate_left(5) ^ sum;
    }
}

pub(super) unsafe fn unit(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    // SAFETY: as above.
    unsafe {
        if handles.unit.is_null() || source.one_in(16) {
            assert_eq!(xfjit_unit_destroy(handles.unit), XFJIT_OK);
            assert_eq!(xfjit_unit_destroy(handles.twin.unit), XFJIT_OK);
            (handles.unit, handles.twin.unit) = (null_mut(), null_mut());
            let chip = source.mostly(&[0x10, 0x15, 0x20, 0x25, 0x2a, 0x30, 0x34, 0x35, 0x40, 0x43]);
            let config = any_config(source);
            let config = if source.one_in(2) { null() } else { &raw const config };
            let status = xfjit_unit_create(handles.engine, chip, config, &raw mut handles.unit);
            let (engine, twin) = (handles.twin.engine, &raw mut handles.twin.unit);
            assert_eq!(xfjit_unit_create(engine, chip, config, twin), status);
            tally.note(status);
            return;
        }
        let unit = if source.one_in(32) { handles.worker.cast() } else { handles.unit };
        let twin = handles.twin_unit(unit);
        let count = source.below(64);
        let mut words = Lent::new(source, 4 * count, 0);
        // Of many words some shall be addresses of the unit.
        let kinds = [0x1_1000u32, 0x1_2000, 0x1_7000, 0x1_9000, XFJIT_COMMAND_VERTEX, 0x3_9000, 0x1_6000];
        let flag = XFJIT_COMMAND_PAIR;
        let start = words.start() / 4;
        for word in words.words[start..start + count].iter_mut().step_by(3) {
            *word = kinds[source.below(kinds.len())] | (*word & 0xff0);
            if !matches!(*word & XFJIT_COMMAND_VERTEX, 0) {
                *word = XFJIT_COMMAND_VERTEX;
            } else {
                *word |= flag;
            }
        }
        let world = World::choose(source);
        let mut both = |call: &mut dyn FnMut(*mut xfjit_unit) -> xfjit_status| {
            let status = world.around(&mut [], || call(unit));
            assert_eq!(call(twin), status, "the interpreter's unit says something else");
            tally.compared += 1;
            tally.worlds[world.number()] += 1;
            tally.note(status)
        };
        both(&mut |unit| xfjit_unit_write(unit, words.pointer().cast(), count));
        words.check();
        match source.below(4) {
            0 => {
                let (which, value) = (source.mostly(&[0, 1, 2, 3, 4, 5, 6, 12, 13]), source.word());
                both(&mut |unit| xfjit_unit_set(unit, which, value));
            }
            1 => {
                let mut sums = Vec::new();
                both(&mut |unit| {
                    let mut sum = 0u32;
                    let status = xfjit_unit_drain(unit, Some(take), (&raw mut sum).cast());
                    sums.push(sum);
                    status
                });
                assert_eq!(sums[0], sums[1], "the interpreter's unit puts out something else");
            }
            2 => {
                let mut rows = Lent::new(source, 16 * 20, 0);
                let first = source.mostly(&[0, 90, 190]) as usize;
                let mut all = Vec::new();
                both(&mut |unit| {
                    let status = xfjit_unit_constants(unit, first, 20, rows.pointer().cast());
                    all.push(rows.words.to_vec());
                    status
                });
                assert_eq!(all[0], all[1], "the interpreter's unit has other constants");
                let mut views = Vec::new();
                both(&mut |unit| {
                    let mut view = xfjit_view {
                        size: size_of::<xfjit_view>() as u32,
                        row_count: 0,
                        rows: null(),
                        dirty: null_mut(),
                    };
                    let status = xfjit_unit_view(unit, &raw mut view);
                    if status == XFJIT_OK {
                        let count = view.row_count as usize;
                        let all = std::slice::from_raw_parts(view.rows.cast::<[u32; 4]>(), count);
                        let dirty = std::slice::from_raw_parts(view.dirty, count);
                        // Where a program may have written, no command has cleared it.
                        assert!(
                            dirty
                                .iter()
                                .zip(all)
                                .all(|(&byte, row)| byte < 2 && (byte == 1 || *row == [0; 4]))
                        );
                        views.push((all.to_vec(), dirty.to_vec()));
                    }
                    status
                });
                assert!(views.first() == views.last(), "the interpreter's unit has written other rows");
                rows.check();
            }
            _ => {
                let size = xfjit_unit_save(unit, null_mut(), 0);
                let [mut bytes, mut other] = [(); 2].map(|()| Lent::new(&mut Source(&[]), size, 0));
                assert_eq!(xfjit_unit_save(unit, bytes.pointer().cast(), size), size);
                assert_eq!(xfjit_unit_save(twin, other.pointer().cast(), size), size);
                assert!(*bytes.words == *other.words, "the interpreter's unit saves something else");
                if size > 0 {
                    assert!(both(&mut |unit| xfjit_unit_load(unit, bytes.pointer().cast(), size)));
                    *bytes.pointer().add(source.below(size.min(256))) ^= 1;
                    let size = size - source.below(2);
                    both(&mut |unit| xfjit_unit_load(unit, bytes.pointer().cast(), size));
                }
                other.check();
                bytes.check();
            }
        }
    }
}
