//! Fixed-function cases: state, a vertex, and what comes out.

use super::{Source, hex_words, index, words_of};
use crate::fail::Failure;
use crate::text::{self, Flaw, Line, Word, clip};

/// The chip that a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Chip {
    /// Celsius, first revision.
    Nv10,
    /// Celsius, second revision.
    Nv15,
}

/// What a vertex comes out as; None is not put out under the mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedOutput {
    /// Position.
    pub position: [u32; 4],
    /// Texture coordinates s t q.
    pub texcoords: [Option<[u32; 3]>; 2],
    /// Point size, in bits 12 to 20.
    pub point_size: Option<u32>,
    /// Fog coordinate.
    pub fog: Option<u32>,
    /// RGBA8, red lowest.
    pub diffuse: u32,
    /// RGB8, red lowest.
    pub specular: u32,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedCase {
    /// Where it stands in the file.
    pub line: usize,
    /// The number in the file.
    pub number: usize,
    /// Chip.
    pub chip: Chip,
    /// XFMODE_B and XFMODE_A.
    pub mode: [u32; 2],
    /// XFCTX rows.
    pub xfctx: Vec<[u32; 4]>,
    /// LTCTX rows.
    pub ltctx: Vec<[u32; 3]>,
    /// LTC0 to LTC3.
    pub ltc: [Vec<u32>; 4],
    /// Input attributes.
    pub vab: [[u32; 4]; 7],
    /// Result.
    pub output: FixedOutput,
}

/// The cases of a file.
#[derive(Debug)]
pub struct FixedCases(pub(super) Source);

impl FixedCases {
    /// The name of the file.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The next line, which must be `keyword` and `N` words.
    fn expect<const N: usize>(&mut self, keyword: &str) -> Result<[u32; N], Flaw> {
        let Some(line) = self.0.line() else { return Err(cut(keyword)) };
        hex_words(&line, after(&line, &words_of(line), keyword)?)
    }

    fn case(&mut self) -> Result<Option<FixedCase>, Flaw> {
        let Some(line) = self.0.line() else { return Ok(None) };
        let words = words_of(line);
        let rest = after(&line, &words, "case")?;
        let number = index(&line, rest.first(), usize::MAX)?;
        let chip = match rest.get(2).map(|word| word.text) {
            Some("nv10") => Chip::Nv10,
            Some("nv15") => Chip::Nv15,
            _ => return Err(Flaw::line(&line, "names no chip (nv10, nv15): is the file cut short?")),
        };
        let case = FixedCase {
            line: line.number,
            number,
            chip,
            mode: self.expect("mode")?,
            xfctx: groups(&self.expect::<240>("xfctx")?),
            ltctx: groups(&self.expect::<144>("ltctx")?),
            ltc: [
                self.expect::<3>("ltc0")?.to_vec(),
                self.expect::<19>("ltc1")?.to_vec(),
                self.expect::<12>("ltc2")?.to_vec(),
                self.expect::<12>("ltc3")?.to_vec(),
            ],
            vab: {
                let words: [u32; 28] = self.expect("vab")?;
                std::array::from_fn(|i| std::array::from_fn(|c| words[4 * i + c]))
            },
            output: match self.0.line() {
                Some(line) => output(&line)?,
                None => return Err(cut("out")),
            },
        };
        Ok(Some(case))
    }
}

impl Iterator for FixedCases {
    type Item = Result<FixedCase, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.case();
        result
            .map_err(|flaw| {
                self.0.stop();
                self.0.fail(flaw)
            })
            .transpose()
    }
}

fn cut(keyword: &str) -> Flaw {
    Flaw::new(format!("ends inside a case, where `{keyword}` should stand: it was cut short"))
}

fn groups<const N: usize>(words: &[u32]) -> Vec<[u32; N]> {
    words.chunks_exact(N).map(|chunk| std::array::from_fn(|i| chunk[i])).collect()
}

/// The words after the keyword that must start the line.
fn after<'w, 'a>(line: &Line<'a>, words: &'w [Word<'a>], keyword: &str) -> Result<&'w [Word<'a>], Flaw> {
    match words.split_first() {
        Some((first, rest)) if first.text == keyword => Ok(rest),
        Some((first, _)) => {
            Err(Flaw::word(first, format!("expected `{keyword}`, found `{}`", clip(first.text))))
        }
        None => Err(Flaw::line(line, format!("expected `{keyword}`"))),
    }
}

fn output(line: &Line<'_>) -> Result<FixedOutput, Flaw> {
    let words = words_of(*line);
    let mut rest = after(line, &words, "out")?;
    let mut result = FixedOutput::default();
    let mut seen = [false; 3];
    while let Some((name, values)) = rest.split_first() {
        let length = match name.text {
            "pos" => 4,
            "txc0" | "txc1" => 3,
            _ => 1,
        };
        let Some((values, next)) = values.split_at_checked(length) else {
            let message = format!("`{}` needs {length} words: is the file cut short?", clip(name.text));
            return Err(Flaw::word(name, message));
        };
        rest = next;
        match name.text {
            "pos" => (result.position, seen[0]) = (hex_words(line, values)?, true),
            "txc0" => result.texcoords[0] = Some(hex_words(line, values)?),
            "txc1" => result.texcoords[1] = Some(hex_words(line, values)?),
            "psize" => result.point_size = Some(text::hex(&values[0])?),
            "fog" => result.fog = Some(text::hex(&values[0])?),
            "col0" => (result.diffuse, seen[1]) = (text::hex(&values[0])?, true),
            "col1" => (result.specular, seen[2]) = (color(&values[0])?, true),
            other => return Err(Flaw::word(name, format!("`{}` is not known here", clip(other)))),
        }
    }
    match seen {
        [true, true, true] => Ok(result),
        _ => Err(Flaw::line(line, "needs pos, col0 and col1: is the file cut short?")),
    }
}

/// Six hexadecimal digits.
fn color(word: &Word<'_>) -> Result<u32, Flaw> {
    let fits = word.text.len() == 6 && word.text.bytes().all(|b| b.is_ascii_hexdigit());
    let value = if fits { u32::from_str_radix(word.text, 16).ok() } else { None };
    value.ok_or_else(|| {
        Flaw::word(word, format!("`{}` is not a colour of six hexadecimal digits", clip(word.text)))
    })
}
