//! Flipper as a device.

use super::lent::{Lent, Source};
use super::world::World;
use super::{Handles, Tally};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use xfjit_capi::*;

/// Bytes of the guest's memory.
const MEMORY: usize = 512;
/// Bytes of vertices in a layout.
const ROOM: usize = 1024;
const ELEMENT: u32 = size_of::<xfjit_flipper_element>() as u32;

/// Adds what leaves to a sum.
unsafe extern "C" fn take(user: *mut c_void, output: *const xfjit_flipper_output) {
    // SAFETY: the unit hands over such an output, and what the caller gave it.
    unsafe {
        let sum = &mut *user.cast::<u64>();
        let mut add =
            |word: u32| *sum = (sum.rotate_left(7) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let output = &*output;
        [output.kind, output.address, output.value, output.primitive, output.given, output.count]
            .into_iter()
            .for_each(&mut add);
        [output.disagreement, output.triangle_count].into_iter().for_each(&mut add);
        if output.triangle_count > 0 {
            for triangle in std::slice::from_raw_parts(output.triangles, output.triangle_count as usize) {
                assert!(triangle.vertices.iter().all(|&vertex| vertex < output.count));
                triangle.vertices.into_iter().for_each(&mut add);
                add(triangle.flags);
            }
        }
        if output.vertex_bytes > 0 {
            let bytes = std::slice::from_raw_parts(output.vertices.cast::<u8>(), output.vertex_bytes);
            bytes.iter().for_each(|&byte| add(byte.into()));
        }
    }
}

/// Commands: loads, lists, draws, and bytes that are none.
fn stream(source: &mut Source<'_>) -> Vec<u8> {
    let mut stream = Vec::new();
    for _ in 0..source.below(12) {
        match source.below(8) {
            0 | 1 => {
                let number = [0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, 0xb0, 0xa2, 0xb2, 0x30][source.below(10)];
                let value = match number & 0xf0 {
                    0x50 | 0x60 => source.word() & source.word(),
                    0xa0 | 0xb0 => source.byte().into(),
                    _ => source.word(),
                };
                stream.extend([8, number]);
                stream.extend(value.to_be_bytes());
            }
            2 | 3 => {
                let (start, count) =
                    ([0u32, 0x400, 0x1008, 0x1020, 0x1040][source.below(5)], source.below(8) as u32);
                stream.push(0x10);
                let at = start + u32::from(source.byte() & 15);
                stream.extend((count << 16 | at).to_be_bytes());
                for _ in 0..=count {
                    let float = f32::from(source.byte()) / 16.0 - 8.0;
                    stream
                        .extend(if source.one_in(4) { source.word() } else { float.to_bits() }.to_be_bytes());
                }
            }
            4 => {
                stream.push(0x40);
                stream.extend(u32::from(source.byte()).to_be_bytes());
                stream.extend(64u32.to_be_bytes());
            }
            5 | 6 => {
                stream.extend([0x80 | source.byte() & 0x3f, 0, source.below(6) as u8]);
                stream.extend((0..source.below(100)).map(|_| source.byte()));
            }
            _ => stream.extend([0x61, source.byte(), 0, 0, source.byte(), 0x48, source.byte()]),
        }
    }
    stream
}

fn elements(source: &mut Source<'_>, starts: &[u32]) -> Vec<xfjit_flipper_element> {
    let element = |source: &mut Source<'_>| xfjit_flipper_element {
        source: source.mostly(starts),
        stored: source.mostly(&[0, 0, 0, 1, 2]),
        components: source.mostly(&[1, 2, 3, 4]),
        // The library makes room for whatever a layout takes.
        offset: source.mostly(&[0, 4, 16, 20]) % 5_000,
        stride: source.mostly(&[16, 32, 36]) % 5_000,
        reserved: 0,
    };
    (0..source.below(4)).map(|_| element(source)).collect()
}

const INPUTS: [u32; 6] =
    [XFJIT_FLIPPER_IN_POSITION, 1, XFJIT_FLIPPER_IN_COLOUR0, XFJIT_FLIPPER_IN_TEX0, 7, 16];
const OUTPUTS: [u32; 6] = [
    XFJIT_FLIPPER_OUT_CLIP,
    33,
    XFJIT_FLIPPER_OUT_EYE,
    XFJIT_FLIPPER_OUT_COLOUR0,
    40,
    XFJIT_FLIPPER_OUT_MASK,
];

unsafe fn create(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    // SAFETY: as above.
    unsafe {
        assert_eq!(xfjit_flipper_destroy(handles.flipper), XFJIT_OK);
        assert_eq!(xfjit_flipper_destroy(handles.twin.flipper), XFJIT_OK);
        (handles.flipper, handles.twin.flipper) = (null_mut(), null_mut());
        let mut options: xfjit_flipper_options = std::mem::zeroed();
        options.size = size_of::<xfjit_flipper_options>() as u32;
        tally.note(xfjit_flipper_options_init(&raw mut options, source.mostly(&[0, 1, 2, 3])));
        options.console = source.mostly(&[0, 1]);
        options.hot = u64::from(source.mostly(&[0, 1, 9]));
        options.held = source.mostly(&[0, 5, 256, u32::MAX]);
        options.ring = source.mostly(&[0, 1]);
        options.watermarks = source.mostly(&[0, 1]);
        let options = if source.one_in(8) { null() } else { &raw const options };
        let status = xfjit_flipper_create(handles.engine, options, &raw mut handles.flipper);
        let twin = &raw mut handles.twin.flipper;
        assert_eq!(xfjit_flipper_create(handles.twin.engine, options, twin), status);
        tally.note(status);
    }
}

pub(super) unsafe fn flipper(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    // SAFETY: as above.
    unsafe {
        if handles.flipper.is_null() || source.one_in(24) {
            return create(source, handles, tally);
        }
        let flipper = if source.one_in(32) { handles.worker.cast() } else { handles.flipper };
        let twin = handles.twin_flipper(flipper);
        let mut ram = Lent::new(source, MEMORY, 0);
        let before = ram.words.to_vec();
        let (address, bytes) = (ram.pointer(), [MEMORY, MEMORY, 40][source.below(3)]);
        let memory = xfjit_flipper_memory {
            size: size_of::<xfjit_flipper_memory>() as u32,
            reserved: source.mostly(&[0; 15]),
            first: address.cast(),
            first_bytes: bytes,
            second: null(),
            second_bytes: source.mostly(&[0]).min(1) as usize,
        };
        let memory = if source.one_in(8) { null() } else { &raw const memory };
        let commands = stream(source);
        let budget = 1 + 40 * u64::from(source.byte());
        let opcode = source.mostly(&[0x80, 0x90, 0x98, 0xa0, 0xb8]);
        let (count, size) =
            (source.mostly(&[0, 1, 3, 4]), [commands.len(), commands.len() / 2][source.below(2)]);
        let inputs = elements(source, &INPUTS);
        let outputs = elements(source, &OUTPUTS);
        let (offset, value) =
            (source.mostly(&[0, 2, 4, 6, 12, 16, 20, 24, 32, 36, 48, 52, 56, 60]), source.word());
        let value = if source.one_in(2) { value & 0xe0 } else { value };
        let which = source.below(16);
        let world = World::choose(source);
        // What a call has said beside its status.
        let mut said: Vec<(xfjit_status, u64, Vec<u32>)> = Vec::new();
        for unit in [flipper, twin] {
            ram.words.copy_from_slice(&before);
            let mut room = Lent::new(&mut Source(&[]), ROOM, 0);
            let (mut sum, mut word, mut flag) = (0u64, 0u32, 0i32);
            let user: *mut c_void = (&raw mut sum).cast();
            let mut progress: xfjit_flipper_progress = std::mem::zeroed();
            progress.size = size_of::<xfjit_flipper_progress>() as u32;
            let told = &raw mut progress;
            let world = if unit == flipper { world } else { World::Plain };
            let status = world.around(&mut [&mut ram], || match which {
                0 => xfjit_flipper_set_layout(unit, outputs.as_ptr(), ELEMENT, outputs.len(), 1),
                1..=4 => xfjit_flipper_run(
                    unit,
                    commands.as_ptr().cast(),
                    size,
                    memory,
                    budget,
                    Some(take),
                    user,
                    told,
                ),
                5 => xfjit_flipper_draw(
                    unit,
                    opcode,
                    count,
                    commands.as_ptr().cast(),
                    size,
                    memory,
                    Some(take),
                    user,
                ),
                6 => {
                    let (from, data) = (commands.as_ptr().cast(), room.pointer().cast());
                    let (elements, many, stored) = (inputs.as_ptr(), inputs.len(), &raw mut word);
                    xfjit_flipper_fetch(
                        unit, opcode, count, from, size, memory, elements, ELEMENT, many, data, ROOM, stored,
                    )
                }
                7 => {
                    let (from, faces) = (commands.as_ptr().cast(), value & 3);
                    xfjit_flipper_culled(unit, opcode, count, from, size, memory, faces, &raw mut flag)
                }
                8 => xfjit_flipper_load_cp(unit, offset, value),
                9 => {
                    let status = xfjit_flipper_load_xf(
                        unit,
                        offset.wrapping_mul(16),
                        commands.as_ptr().cast(),
                        size / 8,
                    );
                    assert_eq!(
                        xfjit_flipper_read_xf(unit, offset.wrapping_mul(16), room.pointer().cast(), 16),
                        status
                    );
                    status
                }
                10 => {
                    let status = xfjit_flipper_write_port(unit, offset, value & 0x1ffff);
                    xfjit_flipper_read_port(unit, offset, &raw mut word);
                    xfjit_flipper_interrupt(unit, &raw mut flag);
                    status
                }
                11 => {
                    xfjit_flipper_write_gather(
                        unit,
                        if value & 32 == 0 { 0x0c00_8000 } else { value & 0x1e0 },
                    );
                    xfjit_flipper_write_pi(unit, offset, value & 0x1ff);
                    xfjit_flipper_read_pi(unit, offset, &raw mut word)
                }
                12 => {
                    let mut status = XFJIT_OK;
                    for part in commands.as_chunks::<8>().0 {
                        status =
                            xfjit_flipper_store(unit, u64::from_be_bytes(*part), 8, address.cast(), bytes);
                    }
                    xfjit_flipper_read_gather(unit, null_mut(), &raw mut word);
                    status
                }
                13 => xfjit_flipper_burst(unit, [value as u8; 32].as_ptr().cast(), address.cast(), bytes),
                14 => xfjit_flipper_run_fifo(unit, memory, budget, Some(take), user, told),
                _ => {
                    let size = xfjit_flipper_save(unit, null_mut(), 0);
                    let mut saved = Lent::new(&mut Source(&[]), size, 0);
                    assert_eq!(xfjit_flipper_save(unit, saved.pointer().cast(), size), size);
                    word = saved.words.iter().fold(0, |sum: u32, word| sum.rotate_left(3) ^ word);
                    if size > 0 {
                        assert_eq!(xfjit_flipper_load(unit, saved.pointer().cast(), size), XFJIT_OK);
                        *saved.pointer().add(offset as usize % size.min(256)) ^= value as u8;
                    }
                    let size = size.saturating_sub(value as usize & 1);
                    xfjit_flipper_load(unit, saved.pointer().cast(), size)
                }
            });
            ram.check();
            room.check();
            let numbers =
                [word, flag as u32, progress.in_list, progress.used as u32, progress.waiting as u32];
            said.push((status, sum, [&numbers[..], &ram.words, &room.words].concat()));
        }
        assert!(said[0] == said[1], "the interpreter's Flipper says something else: {which}");
        tally.compared += 1;
        tally.worlds[world.number()] += 1;
        tally.note(said[0].0);
        tally.flipper += u32::from(said[0].1 != 0);
    }
}
