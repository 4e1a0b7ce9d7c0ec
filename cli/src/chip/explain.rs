//! `--explain`: what the model rests on, and how much each assumption matters.

use crate::table::Table;
use serde_json::{Value, json};
use std::io::{self, Write};
use xfjit_isa::timing::{Choice, Influence, Parameter, Values, influence};

/// Columns of figures: of what is not documented, what a vertex costs at the least and at the greatest plausible value.
const FIGURES: [&str; 7] =
    ["parameter", ">value", "grade", ">low", ">clocks at low", ">high", ">clocks at high"];

/// A parameter, what its value rests on, and the value.
type Row = (&'static Parameter, &'static Choice, u16);

/// The parameters of a model, and the influence of those that are not documented.
pub struct Explained {
    rows: Vec<Row>,
    influence: Vec<Influence>,
}

impl Explained {
    /// Of a model with some values, in which a vertex costs so much.
    pub fn new(values: &Values, cost: impl Fn(&Values) -> f64) -> Explained {
        Explained { rows: values.all().collect(), influence: influence(values, cost) }
    }

    /// A row for each parameter.
    pub fn table(&self) -> Table {
        let mut table = Table::new(FIGURES.into_iter().chain(["what it is", "source", "why"]));
        for row @ (parameter, choice, _) in &self.rows {
            let words = [
                format!("{} {}", parameter.unit, parameter.meaning),
                choice.source.to_owned(),
                choice.why.to_owned(),
            ];
            table.row(self.figures(row).into_iter().chain(words));
        }
        table
    }

    /// The figures as a table, and under it what they mean and rest on.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(FIGURES);
        self.rows.iter().for_each(|row| table.row(self.figures(row)));
        table.write(out)?;
        writeln!(out, "\nDocuments are numbered as in docs/DEPARTURES.md.\n")?;
        for (parameter, choice, _) in &self.rows {
            let source =
                if choice.source.is_empty() { String::new() } else { format!(" ({})", choice.source) };
            writeln!(out, "{}: {} {}{source}", parameter.name, parameter.unit, parameter.meaning)?;
            if !choice.why.is_empty() {
                writeln!(out, "    {}: {}", choice.grade.name(), choice.why)?;
            }
        }
        Ok(())
    }

    /// The cells of a parameter: its value, how sure that is, and the cost of a vertex at both ends of what is plausible.
    fn figures(&self, (parameter, choice, value): &Row) -> Vec<String> {
        let mut cells = vec![parameter.name.to_owned(), value.to_string(), grade(choice, *value)];
        cells.extend(match self.influence.iter().find(|one| one.parameter.name == parameter.name) {
            Some(one) => one.ends.map(|(end, clocks)| [end.to_string(), format!("{clocks:.2}")]).concat(),
            None => vec![String::new(); 4],
        });
        cells
    }

    /// As JSON, for programs.
    pub fn json(&self) -> Value {
        let influence = |name: &str| {
            let one = self.influence.iter().find(|one| one.parameter.name == name)?;
            Some(one.ends.map(|(value, clocks)| json!({ "value": value, "clocks_per_vertex": clocks })))
        };
        let row = |(parameter, choice, value): &Row| {
            json!({
                "name": parameter.name, "value": value, "default": choice.value, "unit": parameter.unit,
                "meaning": parameter.meaning, "grade": choice.grade.name(), "source": choice.source,
                "why": choice.why, "influence": influence(parameter.name),
            })
        };
        self.rows.iter().map(row).collect()
    }
}

fn grade(choice: &Choice, value: u16) -> String {
    let grade = choice.grade.name();
    if value == choice.value { grade.to_owned() } else { format!("set; {grade}: {}", choice.value) }
}
