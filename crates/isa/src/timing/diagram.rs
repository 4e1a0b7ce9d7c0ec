//! Clocks as text, in the notation of lectures: a line for each instruction, a column for each clock.

use super::path::Path;
use super::pipeline::{Issue, Pipeline};
use std::fmt;

/// The first clocks of a pipeline, from that on in which the first instruction is in it.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// Names of the stages.
    pub stages: Vec<String>,
    /// Clocks that are shown.
    pub clocks: u64,
    /// Instructions that begin in them, in order, and what is written before each.
    pub lines: Vec<(Issue, String)>,
    /// What is not shown, if anything is not.
    pub cut: Option<Cut>,
}

/// The text after the clocks of a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Instructions that begin there.
    pub instructions: usize,
    /// All clocks that it would take to show everything.
    pub clocks: u64,
}

impl Diagram {
    /// Of vertices on their paths; instructions get what `text` says of their slots.
    pub fn new(
        pipeline: &Pipeline,
        paths: &[Path],
        vertices: usize,
        clocks: u64,
        text: impl Fn(usize) -> String,
    ) -> Diagram {
        let (mut lines, mut first, mut hidden, mut end) = (Vec::new(), None, 0, 0);
        pipeline.run(paths, vertices, |mut issue| {
            // Attributes are copied before the first instruction.
            let zero = *first.get_or_insert(issue.enters);
            issue.enters -= zero;
            issue.leaves -= zero;
            end = issue.leaves + pipeline.stages.len() as u64 - 1;
            if issue.enters < clocks {
                let slot = paths[issue.vertex % paths.len()].steps[issue.step].slot;
                lines.push((issue, format!("t{}: {}", issue.thread, text(slot))));
            } else {
                hidden += 1;
            }
        });
        let cut = (end > clocks).then_some(Cut { instructions: hidden, clocks: end });
        Diagram { stages: pipeline.stages.clone(), clocks, lines, cut }
    }

    /// Where an instruction is: stage, first clock, clocks. Clocks after the last one shown are left out.
    pub fn places(&self, issue: &Issue) -> impl Iterator<Item = (usize, u64, u64)> {
        let places = (0..self.stages.len()).map(|stage| match stage {
            0 => (0, issue.enters, issue.leaves - issue.enters),
            _ => (stage, issue.leaves + stage as u64 - 1, 1),
        });
        let clocks = self.clocks;
        places.filter(move |&(_, first, _)| first < clocks)
    }

    /// What is not shown, as a sentence.
    pub fn cut_note(&self) -> Option<String> {
        let Cut { instructions, clocks } = self.cut?;
        let more = match instructions {
            0 => "no instruction begins behind it".to_owned(),
            1 => "1 more instruction begins behind it".to_owned(),
            more => format!("{more} more instructions begin behind it"),
        };
        Some(format!(
            "cut behind clock {}: {more}, and all take {clocks} clocks",
            self.clocks.saturating_sub(1)
        ))
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.clocks.saturating_sub(1).to_string().len();
        let longest = self.stages.iter().map(|stage| stage.chars().count()).max().unwrap_or(0);
        let column = longest.max(number) + 1;
        let text = self.lines.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0).max(7) + 1;
        let header: String = (0..self.clocks).map(|clock| format!("{clock:<column$}")).collect();
        writeln!(f, "{}", format!("{:text$}{header}", "# clock").trim_end())?;
        for (issue, name) in &self.lines {
            let mut line = format!("{name:text$}");
            line.extend(std::iter::repeat_n(' ', column * issue.enters as usize));
            for (stage, first, clocks) in self.places(issue) {
                line += &format!("{:column$}", self.stages[stage]);
                let waits = (clocks - 1).min(self.clocks.saturating_sub(first + 1)) as usize;
                if waits > 0 {
                    line += &format!("{:-<1$}> ", "", (column * waits).saturating_sub(2));
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        match self.cut_note() {
            Some(note) => writeln!(f, "# {note}"),
            None => Ok(()),
        }
    }
}
