//! Parameters of a model, and the values that they have.

use super::grade::Grade;
use crate::chip::Family;
use std::ops::RangeInclusive;

/// A parameter of a model: a row of its table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name, as `NAME=VALUE` has it.
    pub name: &'static str,
    /// What it counts.
    pub unit: &'static str,
    /// Its description, which follows the unit.
    pub meaning: &'static str,
    /// Values that it can have.
    pub allowed: RangeInclusive<u16>,
    /// Values between which the chip's may well lie; what influence it has is tried at both ends.
    pub plausible: RangeInclusive<u16>,
    /// Its value on each chip that has it.
    pub choices: &'static [Choice],
}

/// The value of a parameter on some chips, and what it rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The chips; none where there is one chip only.
    pub families: &'static [Family],
    /// The value.
    pub value: u16,
    /// How sure it is.
    pub grade: Grade,
    /// Lines of documents (`000: 181-182; 002: 82-83`, numbered as in docs/DEPARTURES.md), or another source.
    pub source: &'static str,
    /// What else there is to say: how it follows, or why this value.
    pub why: &'static str,
}

impl Parameter {
    /// Its value on a chip; `None` if that chip has no such thing.
    pub fn choice(&self, family: Option<Family>) -> Option<&'static Choice> {
        self.choices.iter().find(|choice| match family {
            Some(family) => choice.families.contains(&family),
            None => choice.families.is_empty(),
        })
    }
}

/// A table of parameters with values for one chip.
#[derive(Clone, Debug)]
pub struct Values {
    table: &'static [Parameter],
    family: Option<Family>,
    values: Vec<u16>,
}

/// Why a parameter cannot be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The table has no such parameter.
    Name,
    /// This chip has none.
    Chip,
    /// It cannot have such a value.
    Range(RangeInclusive<u16>),
}

impl Values {
    /// Those of a chip.
    pub fn new(table: &'static [Parameter], family: Option<Family>) -> Values {
        let value = |parameter: &Parameter| parameter.choice(family).map_or(0, |choice| choice.value);
        Values { table, family, values: table.iter().map(value).collect() }
    }

    /// The table.
    pub fn table(&self) -> &'static [Parameter] {
        self.table
    }

    /// The parameters that the chip has, what their values rest on, and the values.
    pub fn all(&self) -> impl Iterator<Item = (&'static Parameter, &'static Choice, u16)> + '_ {
        let rows = self.table.iter().zip(&self.values);
        rows.filter_map(|(row, &value)| Some((row, row.choice(self.family)?, value)))
    }

    /// The value of a row of the table, by its number; `None` if the chip has no such thing.
    pub(super) fn at(&self, row: usize) -> Option<u16> {
        let parameter = self.table.get(row)?;
        parameter.choice(self.family).and(self.values.get(row).copied())
    }

    /// The value of a parameter, if there is one of that name on this chip.
    pub fn get(&self, name: &str) -> Option<u16> {
        self.table.iter().position(|parameter| parameter.name == name).and_then(|row| self.at(row))
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// There is none of that name, or it cannot have such a value.
    pub fn set(&mut self, name: &str, value: u16) -> Result<(), Refused> {
        let row = self.table.iter().position(|parameter| parameter.name == name).ok_or(Refused::Name)?;
        let parameter = &self.table[row];
        if parameter.choice(self.family).is_none() {
            return Err(Refused::Chip);
        }
        if !parameter.allowed.contains(&value) {
            return Err(Refused::Range(parameter.allowed.clone()));
        }
        self.values[row] = value;
        Ok(())
    }

    /// With another value of a parameter, where it can have that.
    #[must_use]
    pub fn with(mut self, name: &str, value: u16) -> Values {
        // What cannot be set stays.
        let _ = self.set(name, value);
        self
    }
}
