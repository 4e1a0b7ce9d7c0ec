//! Options that are given as `NAME=VALUE`, each name once.

use crate::fail::Failure;
use crate::text::clip;

/// A name, the value that it was given, and the values that it has.
type Named<'a> = (&'a str, &'a str, &'static [&'static str]);

/// The failure of an option whose name has other values than this.
pub fn no_value(option: &str, (name, value, values): Named<'_>) -> Failure {
    let (value, values) = (clip(value), values.join(", "));
    Failure::Usage(format!("--{option} {name}: `{value}` is not one of its values: {values}"))
}

/// Parts what was given to `--option` at its equals signs, and hands on one after the other; the names. Names that are not known or given
/// twice are refused; `what` says what a name should be, `example` is of the option.
pub fn named_values<'a, K>(
    [option, what, example]: [&str; 3],
    given: &'a [String],
    known: impl Fn() -> K,
    mut each: impl FnMut(Named<'a>) -> Result<(), Failure>,
) -> Result<Vec<&'a str>, Failure>
where
    K: Iterator<Item = (&'static str, &'static [&'static str])>,
{
    let usage = |message: String| Err(Failure::Usage(message));
    let mut seen: Vec<&str> = Vec::new();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            return usage(format!("--{option} {}: expected NAME=VALUE, as in {example}", clip(text)));
        };
        let Some((_, values)) = known().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = known().map(|(name, _)| name).collect();
            let article = if what.starts_with('o') { "an" } else { "a" };
            let names = names.join(", ");
            return usage(format!("--{option}: `{}` is not {article} {what}: {names}", clip(name)));
        };
        if seen.contains(&name) {
            return usage(format!("--{option} {name} is given twice"));
        }
        seen.push(name);
        each((name, value, values))?;
    }
    Ok(seen)
}
