//! Every bit of the SIMD forms against the scalar ones.

use xfjit_testing::programs::Fixed;

use super::{Constants, Kernel, kernel, scalar};

/// Words that are rare in a stream and matter: NaNs, infinities, zeros, denormals, extremes.
const SALT: [u32; 12] = [
    0x7fc0_0000,
    0xffc1_2345,
    0x7f80_0001,
    0x7f80_0000,
    0xff80_0000,
    0,
    0x8000_0000,
    1,
    0x807f_ffff,
    0x7f7f_ffff,
    0x0080_0000,
    0xdf00_0000,
];

const CASES: [(&str, scalar::Program); 5] =
    [("P1", scalar::p1), ("P2", scalar::p2), ("P3", scalar::p3), ("P4", scalar::p4), ("P5", scalar::p5)];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32
    }
}

fn scalar_run(program: scalar::Program, constants: &Constants, inputs: &[u32], outputs: &mut [u32]) {
    let (outputs, _) = outputs.as_chunks_mut::<12>();
    let words = inputs.len() / outputs.len().max(1);
    for (vertex, output) in outputs.iter_mut().enumerate() {
        let input = inputs[vertex * words..][..words].as_chunks().0;
        output.copy_from_slice(program(constants, input).as_flattened());
    }
}

/// Runs both; returns how many vertices took the slow path.
fn compare(
    name: &str,
    kernel: Kernel,
    program: scalar::Program,
    constants: &Constants,
    inputs: &[u32],
) -> usize {
    let fixed = Fixed::find(name).unwrap();
    let count = inputs.len() / fixed.input_words();
    let mut want = vec![0; count * 12];
    scalar_run(program, constants, inputs, &mut want);
    let mut got = vec![0xdead_beef; count * 12];
    let mut slow_vertices = 0;
    kernel(constants, inputs, &mut got, count, &mut |first, many, outputs| {
        let words = fixed.input_words();
        scalar_run(program, constants, &inputs[first * words..(first + many) * words], outputs);
        slow_vertices += many;
    });
    for vertex in 0..count {
        let (want, got) = (&want[12 * vertex..][..12], &got[12 * vertex..][..12]);
        let input = &inputs[vertex * fixed.input_words()..][..fixed.input_words()];
        assert_eq!(
            want,
            got,
            "{:08x?} {name} vertex {vertex} of {count}: {input:08x?}: {want:08x?} {got:08x?}",
            &constants[9..11]
        );
    }
    slow_vertices
}

#[test]
fn ordinary_vertices_have_the_bits_of_the_scalar_form_and_no_slow_path() {
    for (name, program) in CASES {
        let fixed = Fixed::find(name).unwrap();
        let Some(kernel) = kernel(name) else { return };
        let inputs = fixed.vertices(1_000_000);
        assert_eq!(compare(name, kernel, program, &fixed.constants(), &inputs), 0, "{name}");
        for count in 0..10 {
            let inputs = &inputs[..count * fixed.input_words()];
            assert_eq!(compare(name, kernel, program, &fixed.constants(), inputs), 0, "{name}");
        }
    }
}

#[test]
fn salted_vertices_have_the_bits_of_the_scalar_form() {
    let mut random = Random(1);
    for (name, program) in CASES {
        let fixed = Fixed::find(name).unwrap();
        let Some(kernel) = kernel(name) else { return };
        for odds in [3, 100, 1000] {
            let mut inputs = fixed.vertices(30_003);
            for word in &mut inputs {
                if random.next().is_multiple_of(odds) {
                    *word = SALT[random.next() as usize % SALT.len()];
                }
                if random.next().is_multiple_of(4 * odds) {
                    *word = random.next() << 1 ^ random.next();
                }
            }
            let slow = compare(name, kernel, program, &fixed.constants(), &inputs);
            assert!(slow > 0, "{name}");
        }
    }
}

#[test]
fn salted_constants_have_the_bits_of_the_scalar_form() {
    let mut random = Random(2);
    for (name, program) in CASES {
        let fixed = Fixed::find(name).unwrap();
        let Some(kernel) = kernel(name) else { return };
        let inputs = fixed.vertices(21);
        for _ in 0..20_000 {
            let mut constants = fixed.constants();
            for _ in 0..1 + random.next() % 6 {
                let row = &mut constants[random.next() as usize % 40];
                row[random.next() as usize % 4] = match random.next() % 3 {
                    0 => random.next() << 1 ^ random.next(),
                    1 => (random.next() as f32 * 1e-8 - 10.0).to_bits(),
                    _ => SALT[random.next() as usize % SALT.len()],
                };
            }
            compare(name, kernel, program, &constants, &inputs);
        }
    }
}

/// Cases of the hardware model (x, y, w, then LIT.y and LIT.z).
#[test]
fn scalar_lit_is_that_of_the_hardware() {
    let cases: [[u32; 5]; 27] = [
        [0x3f80_0000, 0x3f00_0000, 0x4120_0000, 0x3f80_0000, 0x3a80_0000],
        [0x3f80_0000, 0xbf80_0000, 0x0000_0000, 0x3f80_0000, 0x3f80_0000],
        [0x3f80_0000, 0xbf80_0000, 0xc000_0000, 0x3f80_0000, 0x7f80_0000],
        [0x3f80_0000, 0x4000_0000, 0x4400_0000, 0x3f80_0000, 0x7f7f_f88a],
        [0x3f80_0000, 0x3f00_0000, 0x7fc0_0000, 0x3f80_0000, 0x7fff_ffff],
        [0x0080_0000, 0xc1d1_4000, 0xc2fe_0000, 0x0080_0000, 0x7f80_0000],
        [0xc18f_2000, 0xf74e_6195, 0xbf77_428b, 0x0000_0000, 0x0000_0000],
        [0xbf80_0004, 0xff7f_ffff, 0x3f80_0002, 0x0000_0000, 0x0000_0000],
        [0x45c2_a20c, 0xbd01_6004, 0xc796_8be8, 0x45c2_a20c, 0x7f80_0000],
        [0x3804_120e, 0x3ad3_7dd0, 0x3c8a_d6e1, 0x3804_120e, 0x3f65_b316],
        [0x799a_534e, 0x67e4_fd0d, 0xbf80_0000, 0x799a_534e, 0x170f_17a0],
        [0x11be_93e3, 0x7fc0_0000, 0x0049_46d3, 0x11be_93e3, 0x3f80_0000],
        [0x3f80_0000, 0x3f7f_fffe, 0x3f7f_ffff, 0x3f80_0000, 0x3f7f_f88a],
        [0x0fd6_0d99, 0x7435_f223, 0xffff_ffff, 0x0fd6_0d99, 0x7fff_ffff],
        [0x3f00_0000, 0x4000_0000, 0x4300_0000, 0x3f00_0000, 0x7f7f_f88a],
        [0x177b_aeb8, 0x4e3b_9a5c, 0x3ab6_e3c5, 0x177b_aeb8, 0x3f83_934c],
        [0x4000_0000, 0xcb00_0000, 0x7fc0_0000, 0x4000_0000, 0x7fff_ffff],
        [0x4b00_0000, 0xbf80_0000, 0x807f_ffff, 0x4b00_0000, 0x3f80_0000],
        [0x3c9c_1341, 0x4f4b_2e84, 0xbe47_e6ca, 0x3c9c_1341, 0x3c61_3532],
        [0x442a_8000, 0x43cf_0000, 0x3ed0_22ce, 0x442a_8000, 0x4139_50fc],
        [0x01ae_1e22, 0x22b8_d213, 0xbdcc_0112, 0x01ae_1e22, 0x4254_8cce],
        [0x43f3_c677, 0x416e_1a79, 0x3c69_a432, 0x43f3_c677, 0x3f84_fb94],
        [0x4303_6fe5, 0x4060_f6ed, 0xb7a5_2b5b, 0x4303_6fe5, 0x3f7f_f314],
        [0x7b2c_3156, 0x423a_b20c, 0x40d8_c000, 0x7b2c_3156, 0x523c_1d48],
        [0x406b_67c7, 0x42fe_0000, 0x413c_6000, 0x406b_67c7, 0x689b_80a8],
        [0x3a2d_6a2b, 0x3b22_2596, 0xb9ee_7ffd, 0x3a2d_6a2b, 0x3f80_5f5c],
        [0x4023_59bf, 0x3ffe_e763, 0x3e9c_2b0a, 0x4023_59bf, 0x3f9d_ec50],
    ];
    for [x, y, w, want_y, want_z] in cases {
        assert_eq!(scalar::lit(x, y, w), (want_y, want_z), "{x:08x} {y:08x} {w:08x}");
    }
}

/// Light vectors chosen so that LIT sees operands of all sizes, with exponents of all sizes.
#[test]
fn powers_of_all_sizes_have_the_bits_of_the_scalar_form() {
    let mut random = Random(3);
    let fixed = Fixed::find("P2").unwrap();
    let Some(kernel) = kernel("P2") else { return };
    let inputs = fixed.vertices(64);
    let mut settled = 0;
    for _ in 0..20_000 {
        let mut constants = fixed.constants();
        let size = f32::from_bits((random.next() % 0xfe) << 23 | 0x40_0000);
        constants[9] = constants[9].map(|word| (f32::from_bits(word) * size).to_bits());
        constants[10][3] = (random.next() % 0x100) << 23 | random.next() & 0x7f_ffff;
        settled += usize::from(compare("P2", kernel, scalar::p2, &constants, &inputs) == 0);
    }
    assert!(settled > 15_000, "{settled}");
}
