//! What depends on a parameter that is not documented.

use super::grade::Grade;
use super::values::{Choice, Parameter, Values};

/// The cost of a vertex at the ends of what is plausible for a parameter, all others as they are.
#[derive(Clone, PartialEq, Debug)]
pub struct Influence {
    /// The parameter.
    pub parameter: &'static Parameter,
    /// What its value rests on.
    pub choice: &'static Choice,
    /// Its value.
    pub value: u16,
    /// The least and the greatest plausible value, and what a vertex costs with it.
    pub ends: [(u16, f64); 2],
}

/// The influence of every parameter of a chip that no document has, one at a time.
pub fn influence(values: &Values, cost: impl Fn(&Values) -> f64) -> Vec<Influence> {
    let open = values.all().filter(|(_, choice, _)| choice.grade != Grade::Documented);
    open.map(|(parameter, choice, value)| {
        let (least, greatest) = parameter.plausible.clone().into_inner();
        let ends = [least, greatest].map(|end| (end, cost(&values.clone().with(parameter.name, end))));
        Influence { parameter, choice, value, ends }
    })
    .collect()
}
