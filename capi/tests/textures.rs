//! Textures of a unit, as C gives them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use xfjit::xf::{Command, Family, Type};
use xfjit::{Generation, asm, isa};
use xfjit_capi::*;

/// Vertices that come out.
unsafe extern "C" fn take(user: *mut c_void, piece: *const xfjit_piece) {
    // SAFETY: as `look` calls it; a piece of vertices has its rows.
    unsafe {
        let (piece, to) = (&*piece, &mut *user.cast::<Vec<f32>>());
        to.extend(std::slice::from_raw_parts(piece.words.cast::<f32>(), 4));
    }
}

/// Runs one vertex at a coordinate, and tells what its position is.
fn look(unit: *mut xfjit_unit, [s, t]: [f32; 2]) -> Vec<f32> {
    let address = Command::pair(Type::Vab, 0, 0, [0; 2]).address(Family::Curie) | 1 << 14;
    let words = [address | XFJIT_COMMAND_PAIR, s.to_bits(), t.to_bits(), XFJIT_COMMAND_VERTEX];
    let mut seen: Vec<f32> = Vec::new();
    // SAFETY: everything is there.
    unsafe {
        assert_eq!(xfjit_unit_write(unit, words.as_ptr(), words.len()), XFJIT_OK);
        assert_eq!(xfjit_unit_drain(unit, Some(take), (&raw mut seen).cast()), XFJIT_OK);
    }
    seen
}

#[test]
fn programs_of_a_unit_look_at_its_textures() {
    let text = "TXL r1, v0, tex2\nMOV o0, r1";
    let program = asm::parse(Generation::Curie, text).expect("it assembles");
    let mut commands = Vec::new();
    for (slot, words) in isa::encode(Generation::Curie, &program).as_chunks::<4>().0.iter().enumerate() {
        for pair in 0..2 {
            let address = 2 << 14 | (slot as u32) << 4 | pair << 3;
            let at = 2 * pair as usize;
            commands.extend([address | XFJIT_COMMAND_PAIR, words[at], words[at + 1]]);
        }
    }
    // Two rows of two texels, and a float between the rows.
    let texels: [f32; 5] = [1.0, 2.0, 99.0, 3.0, 4.0];
    let (data, size) = (texels.as_ptr().cast::<c_void>(), size_of_val(&texels));
    let (mut engine, mut unit) = (null_mut(), null_mut());
    // SAFETY: everything is there.
    unsafe {
        assert_eq!(xfjit_engine_create(null(), &raw mut engine), XFJIT_OK);
        assert_eq!(xfjit_unit_create(engine, XFJIT_NV41, null(), &raw mut unit), XFJIT_OK);
        assert_eq!(xfjit_unit_set(unit, XFJIT_REGISTER_EXECUTION, 0x111), XFJIT_OK);
        assert_eq!(xfjit_unit_set(unit, XFJIT_REGISTER_OUTPUTS, 1), XFJIT_OK);
        assert_eq!(xfjit_unit_write(unit, commands.as_ptr(), commands.len()), XFJIT_OK);
        let give = |number: u32, components: u32, width: u32, flags: u32| {
            xfjit_unit_set_texture(unit, number, data, size, components, width, 2, 12, flags)
        };
        assert_eq!(look(unit, [1.0, 1.0]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(give(2, 1, 2, 0), XFJIT_OK);
        assert_eq!(look(unit, [1.0, 1.0]), [4.0, 0.0, 0.0, 1.0]);
        assert_eq!(look(unit, [5.0, -1.0]), [2.0, 0.0, 0.0, 1.0]);
        assert_eq!(give(2, 1, 2, XFJIT_TEXTURE_REPEAT), XFJIT_OK);
        assert_eq!(look(unit, [4.0, -1.0]), [3.0, 0.0, 0.0, 1.0]);
        assert_eq!(give(2, 1, 2, XFJIT_TEXTURE_WHOLE), XFJIT_OK);
        assert_eq!(look(unit, [0.5, 0.25]), [2.0, 0.0, 0.0, 1.0]);
        // What is refused changes nothing.
        assert_eq!(give(4, 1, 2, 0), XFJIT_E_ARGUMENT);
        assert_eq!(give(2, 3, 2, 0), XFJIT_E_ARGUMENT);
        assert_eq!(give(2, 1, 2, 4), XFJIT_E_ARGUMENT);
        assert_eq!(give(2, 1, 0, 0), XFJIT_E_INPUT);
        assert_eq!(give(2, 1, 3, 0), XFJIT_E_INPUT);
        assert_eq!(give(2, 4, 1, 0), XFJIT_E_INPUT);
        assert_eq!(look(unit, [0.5, 0.25]), [2.0, 0.0, 0.0, 1.0]);
        // Rows may overlap, all of them: the copy has no more bytes than the memory.
        assert_eq!(xfjit_unit_set_texture(unit, 2, data, 4, 1, 1, u32::MAX, 0, 0), XFJIT_OK);
        assert_eq!(look(unit, [0.0, 4e9]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(xfjit_unit_set_texture(unit, 2, null(), 0, 0, 0, 0, 0, 0), XFJIT_OK);
        assert_eq!(look(unit, [0.5, 0.25]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(xfjit_unit_destroy(unit), XFJIT_OK);
        assert_eq!(xfjit_engine_destroy(engine), XFJIT_OK);
    }
}

#[test]
fn arrays_that_a_unit_does_not_fetch_need_not_be_there() {
    let (mut engine, mut unit) = (null_mut(), null_mut());
    let position = [1f32; 4];
    let there = xfjit_attribute {
        data: position.as_ptr().cast(),
        size_bytes: 16,
        stride: 16,
        format: XFJIT_FORMAT_F32,
        components: 4,
        divisor: 0,
        value: [0; 4],
    };
    // SAFETY: everything is there, but for the second array.
    unsafe {
        assert_eq!(xfjit_engine_create(null(), &raw mut engine), XFJIT_OK);
        assert_eq!(xfjit_unit_create(engine, XFJIT_NV43, null(), &raw mut unit), XFJIT_OK);
        let attributes = [there, xfjit_attribute { size_bytes: 0, ..there }];
        let mut batch: xfjit_batch = std::mem::zeroed();
        batch.size = size_of::<xfjit_batch>() as u32;
        batch.count = 1;
        batch.attribute_size = size_of::<xfjit_attribute>() as u32;
        (batch.attribute_count, batch.attributes) = (2, attributes.as_ptr());
        assert_eq!(xfjit_unit_draw(unit, &raw const batch), XFJIT_E_INPUT);
        assert_eq!(xfjit_unit_set(unit, XFJIT_REGISTER_INPUT_MASK, 1), XFJIT_OK);
        assert_eq!(xfjit_unit_draw(unit, &raw const batch), XFJIT_OK);
        assert_eq!(xfjit_unit_destroy(unit), XFJIT_OK);
        assert_eq!(xfjit_engine_destroy(engine), XFJIT_OK);
    }
}
