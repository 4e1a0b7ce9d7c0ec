//! Output registers by the names of NV_vertex_program, per generation.

use super::super::names::output_number;
use crate::isa::Generation;

/// An output of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Output {
    /// Register.
    pub(super) n: u8,
    /// If only x is an output: the component of the register that takes it.
    pub(super) single: Option<u8>,
}

/// Names of the outputs without a number, as the languages have them.
pub(super) const NAMES: &[&str] = &["HPOS", "COL0", "COL1", "BFC0", "BFC1", "FOGC", "PSIZ"];
/// Texture coordinates that the languages name.
pub(super) const TEXTURES: u8 = 8;
/// Clip distances that the languages name.
pub(super) const CLIPS: u8 = 6;

/// The output register of a name; the error says what the generation lacks.
pub(super) fn output(generation: Generation, name: &str) -> Option<Result<Output, String>> {
    let numbered = |stem: &str, limit: u8| {
        let digit = name.strip_prefix(stem)?.parse::<u8>().ok()?;
        (name.len() == stem.len() + 1 && digit < limit).then_some(digit)
    };
    if let Some(n) = numbered("CLP", CLIPS) {
        return Some(clip(generation, n));
    }
    if !NAMES.contains(&name) && numbered("TEX", TEXTURES).is_none() {
        return None;
    }
    let wanted = format!("o{name}");
    let n = output_number(generation, &wanted);
    let single = matches!(name, "FOGC" | "PSIZ").then_some(0);
    Some(match n {
        Some(n) => Ok(Output { n: n as u8, single }),
        None => Err(format!("{} has no output {name}", generation.name())),
    })
}

/// A clip distance (rankine_curie.md 2.6): on Curie the y, z and w of fog and point size, by the output map that
/// drivers set up.
fn clip(generation: Generation, n: u8) -> Result<Output, String> {
    match generation {
        Generation::Kelvin => Err("kelvin has no clip distances".to_owned()),
        Generation::Rankine => Ok(Output { n: 17 + n, single: Some(0) }),
        Generation::Curie => Ok(Output { n: 5 + n / 3, single: Some(1 + n % 3) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generation_has_its_numbers() {
        let number =
            |generation, name| output(generation, name).map(|output| output.map(|o| (o.n, o.single)));
        let [kelvin, rankine, curie] = [Generation::Kelvin, Generation::Rankine, Generation::Curie];
        assert_eq!(number(kelvin, "HPOS"), Some(Ok((0, None))));
        assert_eq!(number(kelvin, "BFC1"), Some(Ok((8, None))));
        assert_eq!(number(kelvin, "TEX3"), Some(Ok((12, None))));
        assert_eq!(number(kelvin, "TEX4"), Some(Err("kelvin has no output TEX4".to_owned())));
        assert_eq!(number(rankine, "TEX7"), Some(Ok((15, None))));
        assert_eq!(number(rankine, "FOGC"), Some(Ok((5, Some(0)))));
        assert_eq!(number(rankine, "CLP5"), Some(Ok((22, Some(0)))));
        assert_eq!(number(curie, "CLP0"), Some(Ok((5, Some(1)))));
        assert_eq!(number(curie, "CLP5"), Some(Ok((6, Some(3)))));
        assert_eq!(number(curie, "TEX0"), Some(Ok((7, None))));
        for name in ["TEX8", "TEX", "TEX00", "CLP6", "hpos", "", "oHPOS"] {
            assert_eq!(number(curie, name), None, "{name}");
        }
    }
}
