//! The `option` lines of a header: fields of [`Config`], or of the [`Setup`] of the fixed function, by name.

use std::fmt::{self, Write};
use xfjit_core::front::fixed::Setup;
use xfjit_isa::config::{Access, Arithmetic, Config, FixedQuirks, Forms, Quirk, QuirkSet, Viewport};
use xfjit_isa::isa::{Generation, ProgramMode};
use xfjit_runtime::batch::Layout;

/// Options that choose one of several values: the place in a configuration, the name, and each value with its name.
macro_rules! choices { ($config:ident: $type:ty, $table:ident, $choose:ident, $write:ident; $($place:expr, $name:literal: $($value:literal => $variant:expr),+;)*) => {
    /// The options that are a choice, with the names of their values.
    const $table: &[(&str, &[&str])] = &[$(($name, &[$($value),+])),*];

    /// Sets an option that is a choice; whether there is one of this name and value.
    fn $choose($config: &mut $type, name: &str, value: &str) -> bool {
        match (name, value) {
            $($(($name, $value) => $place = $variant,)+)*
            _ => return false,
        }
        true
    }

    /// Writes the choices that are not the default's.
    fn $write(f: &mut impl Write, config: &$type, default: &$type) -> fmt::Result {
        $({
            let of = |$config: &$type| $place;
            let name = match of(config) {
                $(value if value == $variant => $value,)+
                _ => return Err(fmt::Error),
            };
            if of(config) != of(default) {
                writeln!(f, "option {} {name}", $name)?;
            }
        })*
        Ok(())
    }
} }

choices! {
    config: Config, CHOICES, choose, write_choices;
    config.layout, "layout": "rows" => Layout::Rows, "planes" => Layout::Planes;
    config.access, "access": "full" => Access::Full, "user" => Access::User;
    config.constant_writes, "constant_writes": "yes" => true, "no" => false;
    config.mode, "mode": "v1" => ProgramMode::V1, "v2" => ProgramMode::V2;
    config.arithmetic, "arithmetic": "legacy" => Arithmetic::Legacy, "modern" => Arithmetic::Modern;
    config.viewport, "viewport": "skip" => Viewport::Skip, "transform" => Viewport::Transform;
}

choices! {
    setup: Setup, FIXED_CHOICES, choose_fixed, write_fixed_choices;
    setup.layout, "layout": "rows" => Layout::Rows, "planes" => Layout::Planes;
    setup.clamps_depth, "clamps_depth": "yes" => true, "no" => false;
}

/// Options that are numbers, with what they are.
const NUMBERS: &[(&str, &[&str])] =
    &[("branch_bits", &["HEX"]), ("branch_table", &["SLOT,.."]), ("timeout", &["COUNT"])];

/// The options of a program's configuration other than `live_outputs`, with their values.
pub fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let quirks = Quirk::ALL.iter().map(|quirk| (quirk.name, quirk.values));
    let forms = Forms::TABLE.iter().map(|form| (form.name, form.values));
    CHOICES.iter().chain(NUMBERS).copied().chain(quirks).chain(forms)
}

/// The options of the fixed function other than `live_outputs`, with their values.
pub fn all_fixed() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let quirks = FixedQuirks::TABLE.iter().map(|quirk| (quirk.name, quirk.values));
    FIXED_CHOICES.iter().copied().chain(quirks)
}

/// Whether an option can change anything for a generation's programs.
pub fn matters(name: &str, generation: Generation) -> bool {
    if let Some(quirk) = Quirk::named(name) {
        return quirk.matters(generation);
    }
    if let Some(form) = Forms::row(name) {
        return form.matters(generation);
    }
    match name {
        "layout" => true,
        "access" | "constant_writes" => generation != Generation::Curie,
        "branch_bits" => generation == Generation::Curie,
        _ => generation != Generation::Kelvin,
    }
}

/// Sets an option of the fixed function other than `live_outputs`; none if there is no such option.
pub(super) fn set_fixed(setup: &mut Setup, words: &[&str]) -> Option<()> {
    let &[name, value] = words else { return None };
    (choose_fixed(setup, name, value) || setup.quirks.choose(name, value)).then_some(())
}

/// Writes the options of the fixed function other than `live_outputs` that are not the chip's.
pub(super) fn write_fixed(f: &mut impl Write, setup: &Setup) -> fmt::Result {
    // Exhaustive, so that a new field is not forgotten.
    let Setup { mode, model: _, live_outputs: _, layout: _, clamps_depth: _, quirks } = *setup;
    write_fixed_choices(f, setup, &Setup::new(mode))?;
    write_chosen(f, &quirks)
}

/// Sets an option other than `live_outputs`, by its name and the words behind it; none if there is no such option or
/// value.
pub fn set(config: &mut Config, words: &[&str]) -> Option<()> {
    match words {
        ["branch_bits", bits] => config.branch_bits = u32::from_str_radix(bits, 16).ok()?,
        ["timeout", count] => config.timeout = count.parse().ok()?,
        ["branch_table", slots @ ..] if slots.len() <= config.branch_table.len() => {
            for (entry, slot) in config.branch_table.iter_mut().zip(slots) {
                *entry = slot.parse().ok()?;
            }
        }
        ["constant_writes"] => config.constant_writes = true,
        [name, value] if choose(config, name, value) => {}
        [name, value] if config.quirks.choose(name, value) || config.forms.choose(name, value) => {}
        _ => return None,
    }
    Some(())
}

/// Writes the options other than `live_outputs` that are not the chip's.
pub(crate) fn write(f: &mut impl Write, config: &Config) -> fmt::Result {
    let default = Config::new(config.generation);
    // Exhaustive, so that a new field is not forgotten.
    let Config {
        generation: _,
        model: _,
        live_outputs: _,
        layout: _,
        access: _,
        constant_writes: _,
        quirks: _,
        forms: _,
        mode: _,
        arithmetic: _,
        branch_bits,
        branch_table,
        timeout,
        viewport: _,
    } = *config;
    write_choices(f, config, &default)?;
    if branch_bits != default.branch_bits {
        writeln!(f, "option branch_bits {branch_bits:08x}")?;
    }
    if branch_table != default.branch_table {
        let slots: Vec<String> = branch_table.iter().map(u16::to_string).collect();
        writeln!(f, "option branch_table {}", slots.join(" "))?;
    }
    if timeout != default.timeout {
        writeln!(f, "option timeout {timeout}")?;
    }
    write_chosen(f, &config.quirks)?;
    write_chosen(f, &config.forms)
}

/// Writes what is not the default of a record.
fn write_chosen<S: QuirkSet>(f: &mut impl Write, set: &S) -> fmt::Result {
    for (row, chosen) in S::TABLE.iter().zip(set.chosen()) {
        if chosen != row.values[0] {
            writeln!(f, "option {} {chosen}", row.name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit_isa::asm;
    use xfjit_runtime::num::Model;

    /// Every option with each of its values that is not the default.
    fn changed(generation: Generation) -> Vec<(&'static str, Config)> {
        let default = Config::new(generation).model(Model::Ieee);
        let mut changed = Vec::new();
        for (name, values) in all() {
            for value in values {
                let value = value.replace("HEX", "a5").replace("SLOT,..", "7").replace("COUNT", "9");
                let mut config = default.clone();
                assert_eq!(set(&mut config, &[name, &value]), Some(()), "{name} {value}");
                if config != default {
                    changed.push((name, config));
                }
            }
        }
        changed
    }

    #[test]
    fn options_matter_where_the_key_keeps_them() {
        // Branches of each kind, so that no option is idle for want of an instruction.
        let text = |generation| match generation {
            Generation::Kelvin => "MOV oPos, v0\nEXP o1, v0.x",
            Generation::Rankine => "MOV oPos, v0\nEXP o1, v0.x\nBRAI a0.x",
            Generation::Curie => "MOV oPos, v0\nEXP o1, v0.x\nBRAI a0.x\nBRB 0, b0",
        };
        for generation in [Generation::Kelvin, Generation::Rankine, Generation::Curie] {
            let program = asm::parse(generation, text(generation)).expect("it is a program");
            let default = Config::new(generation).model(Model::Ieee).canonical(&program);
            for (name, config) in changed(generation) {
                let is_kept = config.canonical(&program) != default;
                assert!(is_kept || !matters(name, generation), "{generation:?}: {name} changes no key");
                if generation == Generation::Kelvin {
                    assert!(!is_kept || matters(name, generation), "{name} changes the key");
                }
            }
        }
    }
}
