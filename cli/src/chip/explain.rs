//! `--explain`: what the model rests on, and how much each assumption matters.

use crate::table::Table;
use serde_json::{Value, json};
use xfjit_isa::timing::{Choice, Influence, Parameter, Values, influence};

/// The parameters of a model, and the influence of those that are not documented.
pub struct Explained {
    rows: Vec<(&'static Parameter, &'static Choice, u16)>,
    influence: Vec<Influence>,
}

impl Explained {
    /// Of a model with some values, in which a vertex costs so much.
    pub fn new(values: &Values, cost: impl Fn(&Values) -> f64) -> Explained {
        Explained { rows: values.all().collect(), influence: influence(values, cost) }
    }

    /// A row for each parameter.
    pub fn table(&self) -> Table {
        let columns = [
            "parameter",
            ">value",
            "grade",
            ">from",
            ">clocks",
            ">to",
            ">clocks",
            "what it is",
            "source",
            "why",
        ];
        let mut table = Table::new(columns);
        for (parameter, choice, value) in &self.rows {
            let mut cells = vec![parameter.name.to_owned(), value.to_string(), grade(choice, *value)];
            cells.extend(match self.influence.iter().find(|one| one.parameter.name == parameter.name) {
                Some(one) => one.ends.map(|(end, clocks)| [end.to_string(), format!("{clocks:.2}")]).concat(),
                None => vec![String::new(); 4],
            });
            cells.push(format!("{} {}", parameter.unit, parameter.meaning));
            cells.extend([choice.source.to_owned(), choice.why.to_owned()]);
            table.row(cells);
        }
        table
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let influence = |name: &str| {
            let one = self.influence.iter().find(|one| one.parameter.name == name)?;
            Some(one.ends.map(|(value, clocks)| json!({ "value": value, "clocks_per_vertex": clocks })))
        };
        let row = |(parameter, choice, value): &(&Parameter, &Choice, u16)| {
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
