//! Dumps of microcode as text, as debuggers, logs and sources of C have them: words of eight hexadecimal digits, or of up to eight after
//! `0x`, separated by white space, commas, semicolons, quotation marks, brackets of any form, and `u` or `U` after a number. On a line that
//! begins with an address and a colon, only the next four words count: after them follows a rendering as text. Comments begin with `#` or
//! `//`.

use super::{ImportError, MOST_SLOTS, Slot};

/// What stands between words.
const BETWEEN: &[char] = &[',', ';', '{', '}', '(', ')', '[', ']', '"', '\''];

fn word(text: &str) -> Option<u32> {
    let plain = text.strip_suffix(['u', 'U']).unwrap_or(text);
    let digits = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X"));
    let is_hex = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match digits {
        Some(digits) if digits.len() <= 8 && is_hex(digits) => u32::from_str_radix(digits, 16).ok(),
        None if plain.len() == 8 && is_hex(plain) => u32::from_str_radix(plain, 16).ok(),
        _ => None,
    }
}

fn is_address(text: &str) -> bool {
    let plain = text.strip_prefix("0x").unwrap_or(text);
    !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads a dump.
///
/// # Errors
/// Text that is not a word; words that do not fill whole slots, or more slots than any chip has.
pub fn read(text: &str) -> Result<Vec<Slot>, ImportError> {
    let mut words = Vec::new();
    let mut last = 1;
    for (number, line) in (1..).zip(text.lines()) {
        let end = line.find('#').into_iter().chain(line.find("//")).min().unwrap_or(line.len());
        let line = &line[..end];
        let (line, most) = match line.split_once(':') {
            Some((address, rest)) if is_address(address.trim()) => (rest, 4),
            _ => (line, usize::MAX),
        };
        let parts = line.split(|c: char| c.is_whitespace() || BETWEEN.contains(&c));
        for part in parts.filter(|part| !part.is_empty()).take(most) {
            let Some(word) = word(part) else {
                let shown: String = part.chars().take(40).flat_map(char::escape_debug).collect();
                return Err(ImportError::line(
                    number,
                    format!("`{shown}` is not a word of eight hexadecimal digits"),
                ));
            };
            if words.len() == 4 * MOST_SLOTS {
                return Err(ImportError::line(number, format!("there are more than {MOST_SLOTS} slots")));
            }
            words.push(word);
            last = number;
        }
    }
    let (slots, rest) = words.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ImportError::line(last, format!("slot {} has {} words, not 4", slots.len(), rest.len())));
    }
    if slots.is_empty() {
        return Err(ImportError::line(1, "there are no microcode words"));
    }
    Ok(slots.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_of_many_forms() {
        let want = vec![[0, 0x0020_001b, 0x0836_106c, 0x2070_f801]];
        for text in [
            "00000000 0020001b 0836106c 2070f801",
            "0x0, 0x0020001B,\n0x0836106c, 0x2070f801,",
            "static const uint32_t p[] = 0",
            "{ 0x00000000u, 0x0020001bU, 0x0836106c, 0x2070f801 }; // move\n# the end",
            "00000010: 00000000 0020001b 0836106c 2070f801  .... ..6. .p..",
            "0x40:\n[00000000]\n\"0020001b\"\n(0836106c)\n2070f801",
        ] {
            match text.starts_with("static") {
                true => assert_eq!(
                    read(text).expect_err("it is none").to_string(),
                    "line 1: `static` is not a word of eight hexadecimal digits"
                ),
                false => assert_eq!(read(text).as_ref(), Ok(&want), "{text}"),
            }
        }
        let error = |text: &str| read(text).expect_err("it is none").to_string();
        assert_eq!(error(""), "line 1: there are no microcode words");
        assert_eq!(error("\n00000000\n\n"), "line 2: slot 0 has 1 words, not 4");
        assert_eq!(
            error("00000000 0000000\u{e9}"),
            "line 1: `0000000\u{e9}` is not a word of eight hexadecimal digits"
        );
        assert_eq!(error(&"0x0\n".repeat(2177)), "line 2177: there are more than 544 slots");
    }
}
