//! What xfjit does otherwise than documents say, and what it does not do, as text.
//!
//! ```text
//! departure NAME        or `gap NAME`
//! weight: results       of a gap, what it matters to
//! says: ..              what documents say
//! does: ..              what xfjit does
//! why: ..               evidence, or the reason; lines that are indented go on
//! ```

/// What gaps matter to, the greatest first.
pub(crate) const WEIGHTS: [(&str, &str); 4] = [
    ("results", "Outputs would have other numbers, or there would be outputs where there are none."),
    ("interface", "Software or another unit would notice the difference, apart from the numbers."),
    ("timing", "Only the time of events would differ; no number depends on it."),
    ("inside", "Nothing outside of the unit can see the difference, as far as is known."),
];

/// A departure, or a gap.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Departure {
    pub(crate) name: String,
    pub(crate) is_gap: bool,
    pub(crate) weight: String,
    pub(crate) says: String,
    pub(crate) does: String,
    pub(crate) why: String,
}

impl Departure {
    /// Reads all.
    ///
    /// # Errors
    /// The first line that is none, or the first of them that is not whole.
    pub(crate) fn parse(text: &str) -> Result<Vec<Departure>, String> {
        let mut all: Vec<Departure> = Vec::new();
        let mut last = "";
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("`{line}` is not a line of a departure");
            if let Some((kind @ ("departure" | "gap"), name)) = line.split_once(' ') {
                let (name, is_gap) = (name.to_owned(), kind == "gap");
                all.push(Departure { name, is_gap, ..Departure::default() });
                continue;
            }
            let departure = all.last_mut().ok_or_else(wrong)?;
            let (word, text) = match line.strip_prefix("    ") {
                Some(text) => (last, text),
                None => line.split_once(": ").ok_or_else(wrong)?,
            };
            last = word;
            let field = match word {
                "weight" => &mut departure.weight,
                "says" => &mut departure.says,
                "does" => &mut departure.does,
                "why" => &mut departure.why,
                _ => return Err(wrong()),
            };
            if !field.is_empty() {
                field.push(' ');
            }
            field.push_str(text);
        }
        match all.iter().find(|departure| !departure.is_whole()) {
            Some(Departure { name, .. }) => Err(format!("{name} is not whole")),
            None => Ok(all),
        }
    }

    fn is_whole(&self) -> bool {
        let is_weighed = WEIGHTS.iter().any(|(weight, _)| *weight == self.weight);
        let texts = [&self.name, &self.says, &self.does, &self.why];
        texts.iter().all(|text| !text.is_empty()) && is_weighed == self.is_gap
    }
}
