//! Numbers as people write them, and bits.

/// The bits of a number: `0x` and up to eight hexadecimal digits, or a decimal number, `inf` or `nan`, which are rounded to nearest.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let shown = || text.chars().take(40).collect::<String>();
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let is_hex = (1..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = if is_hex { u32::from_str_radix(digits, 16).ok() } else { None };
        return bits.ok_or_else(|| format!("`{}` is not 0x and up to eight hexadecimal digits", shown()));
    }
    if text.is_empty() {
        return Err("a number is missing".to_owned());
    }
    text.parse::<f32>().map(f32::to_bits).map_err(|_| {
        format!("`{}` is not a number; write 1.5, -2e-3, inf, nan or bits as 0x3f800000", shown())
    })
}

/// The number as text: the shortest that reads back as the same bits.
pub fn text(bits: u32) -> String {
    let number = f32::from_bits(bits);
    if number.is_nan() {
        return if bits >> 31 == 0 { "nan".to_owned() } else { "-nan".to_owned() };
    }
    let magnitude = number.abs();
    let is_plain = magnitude == 0.0 || (1e-4..1e7).contains(&magnitude) || number.is_infinite();
    if is_plain { format!("{number}") } else { format!("{number:e}") }
}

/// Bits as eight digits.
pub fn hex(bits: u32) -> String {
    format!("{bits:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bits_are_read() {
        let good =
            [("1", 0x3f80_0000), (" -0 ", 0x8000_0000), ("0x7FFFFFFF", 0x7fff_ffff), ("inf", 0x7f80_0000)];
        for (text, bits) in good {
            assert_eq!(parse(text), Ok(bits), "{text}");
        }
        assert_eq!(parse("1e-45"), Ok(1));
        for bad in ["", "0x", "0x123456789", "0xg", "one", "1.5f", "0x+1", "<b>"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn texts_read_back_as_the_same_bits() {
        for step in 0..=0xffffu32 {
            let bits = step.wrapping_mul(0x1_0001) ^ 0x55;
            if !f32::from_bits(bits).is_nan() {
                assert_eq!(parse(&text(bits)), Ok(bits), "{bits:08x}");
            }
        }
    }
}
