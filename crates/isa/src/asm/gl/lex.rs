//! Splits a program into tokens.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A letter, underscore or dollar sign, then the same and digits.
    Word,
    /// Digits.
    Integer,
    /// A number with a decimal point or an exponent.
    Float,
    /// `..`
    To,
    /// Any other character.
    Mark(char),
    /// End of the text.
    End,
}

/// A token; its text is the span's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

/// Length and kind of the number that `text` begins with. A point that another one follows belongs to `..`.
fn number(text: &str) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let (mut kind, mut end) = (Kind::Integer, digits(0));
    if at(end) == b'.' && at(end + 1) != b'.' {
        (kind, end) = (Kind::Float, digits(end + 1));
    }
    if matches!(at(end), b'e' | b'E') {
        let signed = end + 1 + usize::from(matches!(at(end + 1), b'+' | b'-'));
        if at(signed).is_ascii_digit() {
            (kind, end) = (Kind::Float, digits(signed));
        }
    }
    (kind, end)
}

/// The tokens of `text` from byte `start` on, without white space and comments (`#` to the end of the line), the last
/// one an End.
pub(super) fn tokens(text: &str, start: usize) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = &text[start..];
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        let point_first = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let (kind, length) = match first {
            '#' => (None, rest.find(['\n', '\r']).unwrap_or(rest.len())),
            c if c.is_whitespace() => (None, c.len_utf8()),
            '.' if rest.starts_with("..") => (Some(Kind::To), 2),
            c if c.is_ascii_digit() || point_first => {
                let (kind, length) = number(rest);
                (Some(kind), length)
            }
            c if is_word(c) => (Some(Kind::Word), rest.find(|c| !is_word(c)).unwrap_or(rest.len())),
            c => (Some(Kind::Mark(c)), c.len_utf8()),
        };
        tokens.extend(kind.map(|kind| Token { kind, span: start..start + length }));
        rest = &rest[length..];
    }
    tokens.push(Token { kind: Kind::End, span: text.len()..text.len() });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text, 0).into_iter().map(|token| &text[token.span]).collect()
    }

    #[test]
    fn points_are_read_by_what_surrounds_them() {
        assert_eq!(
            texts("R0.x row[0..3] 1..2"),
            ["R0", ".", "x", "row", "[", "0", "..", "3", "]", "1", "..", "2", ""]
        );
        assert_eq!(
            texts("{1.5, .5, 2., 1e3, 1E-2}"),
            ["{", "1.5", ",", ".5", ",", "2.", ",", "1e3", ",", "1E-2", "}", ""]
        );
        assert_eq!(texts("1e 2.e1"), ["1", "e", "2.e1", ""]);
    }

    #[test]
    fn comments_vanish() {
        assert_eq!(texts("a#b;\nc # é"), ["a", "c", ""]);
        assert_eq!(texts("é"), ["é", ""]);
    }
}
