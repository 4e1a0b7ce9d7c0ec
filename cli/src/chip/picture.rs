//! The diagram as a picture.

use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Style, Text, Title};
use xfjit_isa::timing::Diagram;

const COLUMN: usize = 34;
const LINE: usize = 24;
/// Of a letter of the text.
const LETTER: usize = 8;
const MARGIN: usize = 12;
/// A legend is as wide at least.
const LEAST: usize = 560;

/// What stages do that have the usual names.
const MEANINGS: [(&str, &str); 4] = [
    ("RR", "registers are read"),
    ("SN", "swizzled, negated"),
    ("E1", "execution, and E2 on"),
    ("WB", "result written"),
];

/// Colours that can be told apart on light and dark ground, and without colour by the names in them.
const STYLE: &str = "text { font: 13px ui-monospace, monospace; fill: #1b1b1b } .title { font-weight: bold } .stage { fill: #b7d3f2 } \
    .wait { fill: #f2c8b7 } .line { fill: #f4f4f4 } .ground { fill: #ffffff } .cut { stroke: #b3261e; stroke-dasharray: 6 4 } \
    @media (prefers-color-scheme: dark) { text { fill: #ececec } .stage { fill: #22476e } .wait { fill: #7a3a20 } \
    .line { fill: #242424 } .ground { fill: #161616 } .cut { stroke: #ff8a80 } }";

/// A diagram of one line for each instruction, and one column for each clock; above it what it is of, below it what its colours mean and
/// what is cut off.
pub fn svg(diagram: &Diagram, of: &str) -> String {
    let title = format!("Instructions of {of} in the pipeline, clock by clock");
    let legend = legend(diagram);
    let note = diagram.cut_note();
    let letters = diagram.lines.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
    let left = MARGIN + (letters + 2) * LETTER;
    let texts = [Some(&title), note.as_ref()].into_iter().flatten().map(|text| text.chars().count() * LETTER);
    let right = left + diagram.clocks as usize * COLUMN;
    let legend = rows(legend, right.max(LEAST));
    let wide = |row: &Vec<Entry>| row.iter().map(Entry::width).sum();
    let wide = texts.chain(legend.iter().map(wide)).max().unwrap_or(0);
    let width = right.max(MARGIN + wide) + MARGIN;
    // A line for the title, one for the numbers of clocks, then instructions, the legend and perhaps the note.
    let top = MARGIN + LINE;
    let bottom = top + (diagram.lines.len() + 1) * LINE;
    let below = bottom + MARGIN / 2 + legend.len() * LINE;
    let height = below + usize::from(note.is_some()) * LINE + MARGIN;
    let mut document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("role", "img")
        .add(Title::new(title.as_str()))
        .add(Style::new(STYLE))
        .add(rectangle("ground", 0, 0, width, height))
        .add(text(MARGIN, MARGIN, &title).set("class", "title"))
        .add(text(MARGIN, top, "clock"));
    for clock in 0..diagram.clocks as usize {
        document = document.add(text(left + clock * COLUMN + 4, top, &clock.to_string()));
    }
    for (number, (issue, name)) in diagram.lines.iter().enumerate() {
        let y = top + (number + 1) * LINE;
        let mut line = Group::new();
        if number % 2 == 0 {
            line = line.add(rectangle("line", 0, y, width, LINE));
        }
        line = line.add(text(MARGIN, y, name));
        for (stage, first, clocks) in diagram.places(issue) {
            let x = |clock: u64| left + clock as usize * COLUMN;
            let end = (first + clocks).min(diagram.clocks);
            line = line.add(rectangle("stage", x(first) + 1, y + 2, COLUMN - 2, LINE - 4));
            if end > first + 1 {
                let wide = (end - first - 1) as usize * COLUMN;
                line = line.add(rectangle("wait", x(first + 1) + 1, y + 2, wide - 2, LINE - 4));
            }
            line = line.add(text(x(first) + 4, y, &diagram.stages[stage]));
        }
        document = document.add(line);
    }
    for (number, row) in legend.iter().enumerate() {
        let (mut x, y) = (MARGIN, bottom + MARGIN / 2 + number * LINE);
        for entry in row {
            if let Some(class) = entry.class {
                document = document.add(rectangle(class, x, y + 2, COLUMN - 2, LINE - 4));
            }
            document = document.add(text(x + entry.indent(), y, &entry.text));
            x += entry.width();
        }
    }
    if let Some(note) = note {
        let line = Line::new()
            .set("class", "cut")
            .set("x1", right)
            .set("y1", top)
            .set("x2", right)
            .set("y2", bottom);
        document = document.add(line).add(text(MARGIN, below, &note));
    }
    document.to_string() + "\n"
}

/// A colour, or the name of a stage, and what it means.
struct Entry {
    class: Option<&'static str>,
    text: String,
}

impl Entry {
    fn indent(&self) -> usize {
        if self.class.is_some() { COLUMN + 4 } else { 0 }
    }

    fn width(&self) -> usize {
        self.indent() + (self.text.chars().count() + 3) * LETTER
    }
}

/// Entries in rows that are not wider than the picture.
fn rows(entries: Vec<Entry>, wide: usize) -> Vec<Vec<Entry>> {
    let mut rows: Vec<Vec<Entry>> = vec![Vec::new()];
    let mut x = MARGIN;
    for entry in entries {
        x += entry.width();
        if x > wide {
            x = MARGIN + entry.width();
            rows.push(Vec::new());
        }
        if let Some(row) = rows.last_mut() {
            row.push(entry);
        }
    }
    rows
}

fn legend(diagram: &Diagram) -> Vec<Entry> {
    let entry = |class, text: &str| Entry { class, text: text.to_owned() };
    let mut all = vec![
        entry(Some("stage"), "an instruction in a stage"),
        entry(Some("wait"), "it waits in the first stage"),
        entry(None, "t0: the first vertex"),
    ];
    let known = MEANINGS.iter().filter(|(name, _)| diagram.stages.iter().any(|stage| stage == name));
    all.extend(known.map(|(name, meaning)| entry(None, &format!("{name}: {meaning}"))));
    all
}

fn rectangle(class: &str, x: usize, y: usize, width: usize, height: usize) -> Rectangle {
    Rectangle::new().set("class", class).set("x", x).set("y", y).set("width", width).set("height", height)
}

fn text(x: usize, y: usize, text: &str) -> Text {
    Text::new(text).set("x", x).set("y", y + LINE - 8)
}
