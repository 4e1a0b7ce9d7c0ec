//! Splits assembler text into tokens.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A letter or underscore, then letters, digits and underscores.
    Word,
    /// A digit, then letters and digits.
    Number,
    /// Any other character.
    Mark(char),
    /// End of a line.
    Newline,
    /// End of the text.
    End,
}

/// A token; its text is the span's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// The tokens of `text`, without white space and comments (`;`, `#` or `//` to the end of the line), the last an End.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (kind, length) = match first {
            '\n' => (Some(Kind::Newline), 1),
            ';' | '#' => (None, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("//") => (None, rest.find('\n').unwrap_or(rest.len())),
            c if c.is_whitespace() || c == '\u{feff}' => (None, c.len_utf8()),
            c if is_word(c) => {
                let kind = if c.is_ascii_digit() { Kind::Number } else { Kind::Word };
                (Some(kind), rest.find(|c| !is_word(c)).unwrap_or(rest.len()))
            }
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

    #[test]
    fn comments_and_white_space_vanish() {
        let text = "MOV r0.x, -c[12] ; a\n# b\n\t// c";
        let texts: Vec<&str> = tokens(text).into_iter().map(|t| &text[t.span]).collect();
        assert_eq!(texts, ["MOV", "r0", ".", "x", ",", "-", "c", "[", "12", "]", "\n", "\n", ""]);
    }

    #[test]
    fn a_lone_slash_is_no_comment() {
        assert_eq!(tokens("/")[0].kind, Kind::Mark('/'));
    }
}
