//! Pages of one file each. What they have in common is written once: a skeleton with a title, facts and themes, a style, and a script; each
//! page brings a body, and adds its own style and scripts.

use crate::fail::Failure;
use miniz_oxide::deflate::compress_to_vec;
use serde::Serialize;
use std::io;

/// Script: [`pack`]ed data is unpacked.
pub const UNPACK: &str = include_str!("html/unpack.js");
/// Script: lines that come from places, and are highlighted together.
pub const LINES: &str = include_str!("html/lines.js");
/// Script: tables that can be sorted and searched.
pub const TABLE: &str = include_str!("html/table.js");

/// How hard what is packed is pressed.
const LEVEL: u8 = 8;

/// What a page adds to the skeleton.
pub struct Part<'a> {
    pub body: &'a str,
    pub style: &'a str,
    /// In their order.
    pub scripts: &'a [&'a str],
}

/// A page that shows some data.
pub fn page(part: &Part<'_>, title: &str, data: &impl Serialize) -> Result<String, Failure> {
    // Nothing in it may end the element.
    let data = serde_json::to_string(data).map_err(io::Error::from)?.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let style = [include_str!("html/page.css"), part.style].concat();
    let script = [&[include_str!("html/page.js")], part.scripts].concat().concat();
    let parts =
        [("title", &*title), ("style", &style), ("body", part.body), ("data", &data), ("script", &script)];
    Ok(filled(include_str!("html/page.html"), &parts))
}

/// A template, in which `{{name}}` stands for a text of that name.
fn filled(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page =
        String::with_capacity(parts.iter().map(|(_, text)| text.len()).sum::<usize>() + template.len());
    let mut rest = template;
    // In their order, and once: what is put in is not searched.
    while let Some((before, behind)) = rest.split_once("{{") {
        let (name, behind) = behind.split_once("}}").unwrap_or_default();
        page += before;
        page += parts.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
        rest = behind;
    }
    page + rest
}

/// JSON, deflated, in base64: `unpack` of the script makes it data again.
pub fn pack(data: &impl Serialize) -> String {
    // What is serialised here has no maps whose keys are no texts, which is all that can fail.
    let json = serde_json::to_vec(data).unwrap_or_default();
    base64(&compress_to_vec(&json, LEVEL))
}

/// Bytes in base64.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word =
            three.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let value = word >> (18 - 6 * digit) & 63;
            text.push(if digit <= three.len() { DIGITS[value as usize].into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_cannot_become_markup() {
        let part = Part { body: "<main></main>", style: "x{}", scripts: &["1 < 2", ";{{title}}"] };
        let page = page(&part, "a<b>&{{data}}", &"</script>{{title}}").unwrap();
        assert!(page.contains("<title>a&lt;b>&amp;{{data}}</title>"), "{page}");
        assert!(page.contains("\"\\u003c/script>{{title}}\"</script>"), "{page}");
        assert!(page.contains("x{}\n</style>") && page.contains("1 < 2;{{title}}\n</script>"), "{page}");
        assert_eq!(page.matches("<main></main>").count(), 1);
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let want = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (text, want) in all.iter().zip(want) {
            assert_eq!(base64(text.as_bytes()), want);
        }
    }
}
