//! Where the items of a trace stand in its text. Those of a capture have numbers alone.

use super::write::Place;
use crate::capture::{FlipperItems, UnitItems};
use xfjit::xf::Trace;

/// The place of one item after the other.
pub(super) struct Lines {
    /// Of each item of a text its line, from 1 on; empty without a text.
    lines: Vec<usize>,
    next: usize,
}

/// What is on a line, without a comment, if it is more than the chip.
fn item(line: &str) -> Option<&str> {
    let plain = line[..line.find(['#', ';']).unwrap_or(line.len())].trim();
    let verb = plain.split_whitespace().next()?;
    (verb != "chip").then_some(plain)
}

impl Lines {
    /// Of a unit's: a method may be several items, the same wherever it stands.
    pub(super) fn of(items: &UnitItems<'_>, text: &str) -> Lines {
        let UnitItems::Text(trace) = items else { return Lines { lines: Vec::new(), next: 0 } };
        let count = |line: &str| {
            let alone = format!("chip {}\n{line}\n", trace.chip.name());
            Trace::parse(&alone).map_or(1, |trace| trace.items.len())
        };
        let lines = (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, count(item(line)?))));
        let lines = lines.flat_map(|(number, count)| std::iter::repeat_n(number, count)).collect();
        Lines { lines, next: 0 }
    }

    /// Of Flipper's: each line is one.
    pub(super) fn of_flipper(items: &FlipperItems<'_>, text: &str) -> Lines {
        let FlipperItems::Text(_) = items else { return Lines { lines: Vec::new(), next: 0 } };
        let lines = (1..).zip(text.lines()).filter(|(_, line)| item(line).is_some());
        Lines { lines: lines.map(|(number, _)| number).collect(), next: 0 }
    }

    /// The next item's.
    pub(super) fn next(&mut self) -> Place {
        let number = self.next;
        self.next += 1;
        match self.lines.get(number) {
            Some(&line) => Place::Line { line },
            None => Place::Item { item: number },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_as_many_items_as_they_make() {
        let text = "# a comment\nchip nv2a\n\nmethod 0x1e9c 0x4 # none\nmethod 0x1ea0 0x0\nvertex\n; nothing\nset outputs 1\n";
        let trace = Trace::parse(text).expect("it is one");
        let count = trace.items.len();
        let mut lines = Lines::of(&UnitItems::Text(trace), text);
        assert_eq!(lines.lines.len(), count);
        assert_eq!(lines.lines, [5, 5, 6, 8]);
        let all: Vec<String> = (0..5).map(|_| lines.next().to_string()).collect();
        assert_eq!(all, ["line 5", "line 5", "line 6", "line 8", "item 4"]);
    }
}
