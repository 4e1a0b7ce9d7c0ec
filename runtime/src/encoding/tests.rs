//! Figures written by hand from the specification, and properties that any right function has.

use super::*;
use crate::format::{ByteOrder, Format, MOST_FRACTION};

/// Values of codes as literal floats: the corners of each encoding.
#[test]
fn corner_codes_mean_what_the_specification_says() {
    let check = |encoding: Encoding, bits: u32, codes: &[(u32, u32)]| {
        for &(code, want) in codes {
            let got = encoding.value(code, bits);
            assert_eq!(got, want, "{} {code:#x}: {:e}", encoding.text(), f32::from_bits(got));
        }
    };
    check(Encoding::Float, 32, &[(0x7fc0_1234, 0x7fc0_1234), (0x8000_0000, 0x8000_0000), (1, 1)]);
    let halves = [
        (0x0000, 0x0000_0000),
        (0x8000, 0x8000_0000),
        (0x3c00, 0x3f80_0000),
        (0xc000, 0xc000_0000),
        (0x7bff, 0x477f_e000), // 65504
        (0x0400, 0x3880_0000), // 2^-14, the least that is not denormal
        (0x0001, 0x3380_0000), // 2^-24
        (0x83ff, 0xb87f_c000), // -1023 * 2^-24
        (0x0200, 0x3800_0000), // 2^-15
        (0x7c00, 0x7f80_0000),
        (0xfc00, 0xff80_0000),
        (0x7c01, 0x7f80_2000),
        (0xfe00, 0xffc0_0000),
    ];
    check(Encoding::Half, 16, &halves);
    // 2v + 1 over 65535, cut off: 1/65535 is 2^-16 * 1.0000000000000001 (binary), 3/65535 of two such.
    let shorts = [
        (0x0000, 0x3780_0080),
        (0xffff, 0xb780_0080),
        (0x0001, 0x3840_00c0),
        (0xfffe, 0xb840_00c0),
        (0x3fff, 0x3eff_feff), // 32767/65535
        (0x4000, 0x3f00_0180), // 32769/65535
        (0x7ffe, 0x3f7f_fdff), // 65533/65535
        (0x7fff, 0x3f80_0000),
        (0x8000, 0xbf80_0000),
        (0x8001, 0xbf7f_fdff),
    ];
    check(Encoding::S1, 16, &shorts);
    let numbers =
        [(0, 0), (1, 0x3f80_0000), (0xffff, 0xbf80_0000), (0x7fff, 0x46ff_fe00), (0x8000, 0xc700_0000)];
    check(Encoding::S32k, 16, &numbers);
    check(Encoding::U16, 16, &[(0xffff, 0x477f_ff00), (0x8000, 0x4700_0000), (0, 0)]);
    // v * 0x010101 / 2^24: 1 is 2^-8 * (1 + 2^-8 + 2^-16).
    let bytes = [
        (0, 0),
        (1, 0x3b80_8080),
        (3, 0x3c40_c0c0),
        (127, 0x3efe_fefe),
        (128, 0x3f00_8080),
        (254, 0x3f7e_fefe),
        (255, 0x3f80_0000),
    ];
    check(Encoding::UbOgl, 8, &bytes);
    check(Encoding::UbD3d, 8, &bytes);
    check(Encoding::Ub256, 8, &[(0, 0), (1, 0x3f80_0000), (255, 0x437f_0000)]);
    check(Encoding::S8, 8, &[(0x80, 0xc300_0000), (0xff, 0xbf80_0000), (0x7f, 0x42fe_0000)]);
    // Quotients to nearest: 1/255, 1/127, 64/127, 1/65535, 1/32767, 1/1023, 1/511.
    check(Encoding::Unorm8, 8, &[(0, 0), (1, 0x3b80_8081), (254, 0x3f7e_feff), (255, 0x3f80_0000)]);
    check(Encoding::Snorm8, 8, &[(0x80, 0xbf80_0000), (0x81, 0xbf80_0000), (0x7f, 0x3f80_0000), (0, 0)]);
    check(Encoding::Snorm8, 8, &[(1, 0x3c01_0204), (0xff, 0xbc01_0204), (64, 0x3f01_0204)]);
    check(Encoding::Unorm16, 16, &[(0, 0), (1, 0x3780_0080), (0xffff, 0x3f80_0000)]);
    check(Encoding::Snorm16, 16, &[(0, 0), (1, 0x3800_0100), (0x7fff, 0x3f80_0000)]);
    check(Encoding::Snorm16, 16, &[(0x8000, 0xbf80_0000), (0x8001, 0xbf80_0000), (0xffff, 0xb800_0100)]);
    check(Encoding::Cmp, 11, &[(0, 0), (1, 0x3a80_2008), (0x3ff, 0x3f80_0000), (0x400, 0xbf80_0000)]);
    check(
        Encoding::Cmp,
        10,
        &[(1, 0x3b00_4020), (0x1ff, 0x3f80_0000), (0x200, 0xbf80_0000), (0x3ff, 0xbb00_4020)],
    );
}

/// Division by the compiler of this crate rounds to nearest, and it multiplies exactly in doubles.
#[test]
fn every_code_is_the_number_that_its_name_says() {
    for code in 0..=0xffff_u32 {
        let signed = f64::from(code as u16 as i16);
        let value = |encoding: Encoding| f32::from_bits(encoding.value(code, 16));
        assert_eq!(value(Encoding::S32k), signed as f32);
        assert_eq!(value(Encoding::U16), code as f32);
        assert_eq!(value(Encoding::Unorm16), code as f32 / 65535.0);
        assert_eq!(value(Encoding::Snorm16), (signed as f32 / 32767.0).max(-1.0));
        let exact = (2.0 * signed + 1.0) / 65535.0;
        assert!((f64::from(value(Encoding::S1)) - exact).abs() <= exact.abs() * 2f64.powi(-23), "{code:#x}");
        let field = code >> 10 & 31;
        let fraction = f64::from(code & 0x3ff);
        let magnitude = match field {
            0 => fraction * 2f64.powi(-24),
            31 => continue,
            _ => (1024.0 + fraction) * 2f64.powi(field as i32 - 25),
        };
        let half = if code & 0x8000 == 0 { magnitude } else { -magnitude };
        assert_eq!(value(Encoding::Half).to_bits(), (half as f32).to_bits(), "{code:#x}");
    }
    for code in 0..256_u32 {
        let signed = f32::from(code as u8 as i8);
        let value = |encoding: Encoding| f32::from_bits(encoding.value(code, 8));
        assert_eq!(value(Encoding::Ub256), code as f32);
        assert_eq!(value(Encoding::S8), signed);
        assert_eq!(value(Encoding::Unorm8), code as f32 / 255.0);
        assert_eq!(value(Encoding::Snorm8), (signed / 127.0).max(-1.0));
        let exact = f64::from(code) / 255.0;
        assert!((f64::from(value(Encoding::UbOgl)) - exact).abs() <= 2f64.powi(-24), "{code}");
    }
    for (bits, greatest) in [(11, 1023.0), (10, 511.0)] {
        for code in 0..1_u32 << bits {
            let signed = ((code << (32 - bits)) as i32 >> (32 - bits)) as f32;
            let value = f32::from_bits(Encoding::Cmp.value(code, bits));
            assert_eq!(value, (signed / greatest).max(-1.0), "{code:#x}");
        }
    }
}

/// Ends and middles of fields, and what is lacking.
#[test]
fn colours_are_numbers_of_eight_bits() {
    let floats = |row: Row| row.map(f32::from_bits);
    let value = |encoding, components, order, bytes: &[u8]| {
        let format = Format { order, ..Format::host(encoding, components) };
        floats(format.value(format.element(bytes)))
    };
    let big = if cfg!(target_endian = "big") { ByteOrder::Host } else { ByteOrder::Swapped };
    // 10110 100101 01001: 0xb5, 0x96, 0x4a.
    assert_eq!(value(Encoding::Rgb565, 3, big, &[0xb4, 0xa9]), [181.0, 150.0, 74.0, 255.0]);
    assert_eq!(value(Encoding::Rgb565, 2, big, &[0xff, 0xff]), [255.0, 255.0, 0.0, 255.0]);
    assert_eq!(value(Encoding::Rgba4, 4, big, &[0x1f, 0x70]), [17.0, 255.0, 119.0, 0.0]);
    assert_eq!(value(Encoding::Rgba4, 3, big, &[0x1f, 0x70]), [17.0, 255.0, 119.0, 255.0]);
    // 110001 000010 100000 111111.
    assert_eq!(value(Encoding::Rgba6, 4, big, &[0xc4, 0x28, 0x3f]), [199.0, 8.0, 130.0, 255.0]);
    assert_eq!(value(Encoding::Rgba8, 4, big, &[1, 2, 3, 4]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(value(Encoding::Rgba8, 3, big, &[1, 2, 3]), [1.0, 2.0, 3.0, 255.0]);
    let other = if big == ByteOrder::Host { ByteOrder::Swapped } else { ByteOrder::Host };
    assert_eq!(value(Encoding::Rgb565, 3, other, &[0xa9, 0xb4]), [181.0, 150.0, 74.0, 255.0]);
    assert_eq!(value(Encoding::Rgba6, 4, other, &[0x3f, 0x28, 0xc4]), [199.0, 8.0, 130.0, 255.0]);
}

/// A number with bits of fraction is divided by a power of two; what is none has no such bits.
#[test]
fn numbers_have_fractions() {
    for fraction in 0..=MOST_FRACTION {
        let by = 2f64.powi(fraction.into());
        for code in [0, 1, -1, 77, -300, i16::MAX, i16::MIN] {
            let format = Format::host(Encoding::S32k, 1).with_fraction(fraction);
            let value = format.value(format.element(&code.to_ne_bytes()))[0];
            assert_eq!(f64::from(f32::from_bits(value)), f64::from(code) / by, "{code} {fraction}");
            assert!(code != 0 || value == 0);
            let other = Format { encoding: Encoding::S1, ..format };
            assert_eq!(other.canonical(), Format::host(Encoding::S1, 1));
            assert_eq!(other.value(other.element(&code.to_ne_bytes()))[0], short_fraction(code.into()));
        }
    }
}

#[test]
fn elements_are_read_where_they_are() {
    let bytes: [u8; 16] = std::array::from_fn(|i| i as u8 + 1);
    let row = |encoding, components, order| {
        let format = Format { order, ..Format::host(encoding, components) };
        format.value(format.element(&bytes[..format.bytes()]))
    };
    let value = |code: u32| byte_fraction(code);
    let colour = |encoding| row(encoding, 4, ByteOrder::Host);
    assert_eq!(colour(Encoding::UbOgl), [1, 2, 3, 4].map(value));
    assert_eq!(colour(Encoding::UbD3d), [3, 2, 1, 4].map(value), "blue first");
    let [_, _, _, one] = DEFAULT_ROW;
    assert_eq!(row(Encoding::UbD3d, 3, ByteOrder::Host), [value(3), value(2), value(1), one]);
    assert_eq!(row(Encoding::UbOgl, 2, ByteOrder::Swapped), [value(1), value(2), 0, one]);
    let little = cfg!(target_endian = "little");
    let (first, third) = if little { (0x0201, 0x0605) } else { (0x0102, 0x0506) };
    let shorts = row(Encoding::S32k, 3, ByteOrder::Host);
    assert_eq!((shorts[0], shorts[2], shorts[3]), (number(first), number(third), one));
    let first = (first as u16).swap_bytes();
    assert_eq!(row(Encoding::S32k, 1, ByteOrder::Swapped), [number(first.into()), 0, 0, one]);
    // x 3, y -2, z -1: from the lowest bit on.
    let word = 3 | 0x7fe << 11 | 0x3ff_u32 << 22;
    for (order, word) in [(ByteOrder::Host, word), (ByteOrder::Swapped, word.swap_bytes())] {
        let format = Format { order, ..Format::host(Encoding::Cmp, 3) };
        let want = [quotient(3, 1023), quotient(-2, 1023), quotient(-1, 511), one];
        assert_eq!(format.value(format.element(&word.to_ne_bytes())), want);
    }
}

/// The size that the Xbox gives CMP, 1, is all of it wherever a size is taken; what else is not three is nothing.
#[test]
fn a_word_of_three_fields_has_all_of_them() {
    let whole = Format { encoding: Encoding::Cmp, components: 3, order: ByteOrder::Host, fraction: 0 };
    let up = 0x1ff_u32 << 22;
    for one in [Format::host(Encoding::Cmp, 1), Format::from_text("cmp:1").expect("it is one")] {
        assert_eq!(one, whole);
        assert_eq!(one.value(one.element(&up.to_ne_bytes())), [0, 0, ONE, ONE], "a normal");
    }
    for size in [0, 2, 4, 7, 255] {
        assert_eq!(Encoding::Cmp.components(size), None, "{size}");
        assert!(!Format::host(Encoding::Cmp, size).exists(), "{size}");
        assert!(!Format { components: size, ..whole }.exists(), "{size}");
    }
    assert!(!Format { components: 1, ..whole }.exists(), "fields are not left out");
    for &encoding in Encoding::ALL.iter().filter(|&&encoding| encoding != Encoding::Cmp) {
        for size in 0..6 {
            let want = (1..=encoding.most()).contains(&size).then_some(size);
            assert_eq!(encoding.components(size), want, "{encoding:?} {size}");
        }
    }
}

#[test]
fn names_are_read_back() {
    for &encoding in Encoding::ALL {
        assert_eq!(Encoding::from_text(encoding.text()), Some(encoding));
        for components in 0..6 {
            let format = Format::host(encoding, components);
            let read = Format::from_text(&format.to_string());
            assert_eq!(read, format.exists().then_some(format), "{format}");
            for fraction in [1, MOST_FRACTION, MOST_FRACTION + 1] {
                if encoding == Encoding::Float {
                    continue;
                }
                let format = format.with_fraction(fraction);
                let is_one = format.exists() && format.canonical() == format;
                assert_eq!(Format::from_text(&format.to_string()), is_one.then_some(format), "{format}");
            }
        }
    }
    for text in [
        "",
        ":",
        "s1",
        "s1:",
        "S1:2",
        "cmp:4",
        "cmp:2",
        "f:0",
        "nothing:2",
        "3:s1",
        "s8.0:1",
        "s8.:1",
        "s1.4:2",
    ] {
        assert_eq!(Format::from_text(text), None, "{text}");
    }
    assert_eq!(Format::from_text("f:3"), Format::from_text("3"));
}
