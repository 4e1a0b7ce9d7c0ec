//! The diagram as a picture.

use svg::Document;
use svg::node::element::{Group, Rectangle, Style, Text, Title};
use xfjit_isa::timing::Diagram;

const COLUMN: usize = 34;
const LINE: usize = 24;
/// Of a letter of the text.
const LETTER: usize = 8;
const MARGIN: usize = 12;

/// Colours that can be told apart on light and dark ground, and without colour by the names in them.
const STYLE: &str = "text { font: 13px ui-monospace, monospace; fill: #1b1b1b } .stage { fill: #b7d3f2 } .wait { fill: #f2c8b7 } \
    .line { fill: #f4f4f4 } .ground { fill: #ffffff } @media (prefers-color-scheme: dark) { text { fill: #ececec } \
    .stage { fill: #22476e } .wait { fill: #7a3a20 } .line { fill: #242424 } .ground { fill: #161616 } }";

/// A diagram of one line for each instruction, and one column for each clock.
pub fn svg(diagram: &Diagram) -> String {
    let letters = diagram.lines.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
    let left = MARGIN + (letters + 2) * LETTER;
    let width = left + diagram.clocks as usize * COLUMN + MARGIN;
    let height = 2 * MARGIN + (diagram.lines.len() + 1) * LINE;
    let rectangle = |class: &str, x: usize, y: usize, width: usize, height: usize| {
        Rectangle::new().set("class", class).set("x", x).set("y", y).set("width", width).set("height", height)
    };
    let text = |x: usize, y: usize, text: &str| Text::new(text).set("x", x).set("y", y + LINE - 8);
    let mut document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("role", "img")
        .add(Title::new("Instructions in the pipeline, clock by clock"))
        .add(Style::new(STYLE))
        .add(rectangle("ground", 0, 0, width, height));
    for clock in 0..diagram.clocks as usize {
        document = document.add(text(left + clock * COLUMN + 4, MARGIN, &clock.to_string()));
    }
    for (number, (issue, name)) in diagram.lines.iter().enumerate() {
        let y = MARGIN + (number + 1) * LINE;
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
    document.to_string() + "\n"
}
