//! `--preset`, `--option`, `--bool` and `--outputs`: what else decides what a program computes.

use crate::fail::Failure;
use crate::named_values::{named_values, no_value};
use crate::registers;
use crate::text::clip;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use xfjit::chip::Chip;
use xfjit::config::{FixedQuirks, Forms, Quirk, QuirkSet};
use xfjit::emulators::Emulator;
use xfjit::isa::{Mask, Reading};
use xfjit::repro::options;
use xfjit::{Config, Generation, Model};

/// The options.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Configuration")]
pub struct Configuration {
    /// Start from the configuration that is closest to an emulator, including its arithmetic.
    #[arg(long, value_name = "EMULATOR", value_parser = emulators(), conflicts_with_all = ["model", "test", "trace", "fifo"])]
    pub preset: Option<Emulator>,
    /// Make one choice, by its name in test files, for example access=user or branch_table=4,7. With --trace and --fifo, choose a quirk
    /// (docs/QUIRKS.md). A wrong name lists all names.
    #[arg(long = "option", value_name = "NAME=VALUE", conflicts_with = "test")]
    pub options: Vec<String>,
    /// Boolean constants that are true, for example b0,b5. The others are false.
    #[arg(long = "bool", value_name = "bN", value_delimiter = ',', value_parser = boolean, conflicts_with_all = ["test", "trace", "fifo"])]
    pub bools: Vec<u32>,
    /// Compute and print only these output registers, for example oPos,oD0.
    #[arg(long, value_name = "REGISTER", value_delimiter = ',', conflicts_with_all = ["test", "trace", "fifo"])]
    pub outputs: Vec<String>,
}

/// Every emulator by name.
fn emulators() -> impl TypedValueParser<Value = Emulator> {
    PossibleValuesParser::new(Emulator::ALL.map(Emulator::name))
        .try_map(|name| name.parse::<Emulator>().map_err(|error| error.to_string()))
}

/// The number of a boolean constant written `b5`.
fn boolean(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix(['b', 'B']).unwrap_or(text);
    let number =
        digits.parse().ok().filter(|&number| number < 32 && digits.bytes().all(|b| b.is_ascii_digit()));
    number.ok_or_else(|| format!("`{}` is not a boolean constant (b0 to b31)", clip(text)))
}

impl Configuration {
    /// The configuration for a generation, all outputs on. Options that do nothing there are refused.
    pub fn config(&self, generation: Generation, model: Model) -> Result<Config, Failure> {
        let usage = |message: String| Err(Failure::Usage(message));
        let mut config = match self.preset {
            Some(emulator) => Config::like(emulator, generation)
                .map_err(|error| Failure::Usage(format!("--preset {emulator}: {error}")))?,
            None => Config::new(generation).model(model),
        };
        // How outputs lie in memory is the caller's choice in the library; here they are printed.
        let known = || options::all().filter(|(name, _)| *name != "layout");
        let words = ["option", "option", "access=user"];
        let seen = named_values(words, &self.options, known, |(name, value, values)| {
            if !options::matters(name, generation) {
                let generation = generation.name();
                return Err(Failure::Usage(format!(
                    "--option {name} does not go with --gen {generation}, which does not have this option"
                )));
            }
            let words: Vec<&str> = std::iter::once(name).chain(value.split(',')).collect();
            options::set(&mut config, &words).ok_or_else(|| no_value("option", (name, value, values)))
        })?;
        if !self.bools.is_empty() {
            if seen.contains(&"branch_bits") {
                return usage(
                    "--bool and --option branch_bits do the same; give only one of them".to_owned(),
                );
            }
            if !options::matters("branch_bits", generation) {
                let generation = generation.name();
                return usage(format!(
                    "--bool does not go with --gen {generation}, which has no boolean constants"
                ));
            }
            config.branch_bits = self.bools.iter().fold(0, |bits, number| bits | 1 << number);
        }
        Ok(config)
    }

    /// Refuses options that have no effect with a model: what an emulator computes differently is none of the chip's arithmetic.
    pub fn check_model(&self, model: Model) -> Result<(), Failure> {
        let mut names = self.options.iter().filter_map(|option| Some(option.split_once('=')?.0));
        match (model, names.find(|name| Forms::row(name).is_some())) {
            (Model::Hw, Some(name)) => Err(Failure::Usage(format!(
                "--option {name} has no effect under --model hw, which is the chip's arithmetic; it is for --model ieee"
            ))),
            (Model::Hw | Model::Ieee, _) => Ok(()),
        }
    }

    /// The configuration of a unit, whose commands decide all but what nobody knows of the chip: of its programs, and of its fixed function.
    pub fn of_unit(&self, chip: Chip, model: Model) -> Result<(Config, FixedQuirks), Failure> {
        let generation = chip.family().microcode();
        let known = || {
            let fixed = options::all_fixed().filter(|(name, _)| FixedQuirks::row(name).is_some());
            options::all().filter(|(name, _)| Quirk::named(name).is_some()).chain(fixed)
        };
        let words = ["option", "quirk (the stream decides everything else)", "write_order=vector_wins"];
        let mut fixed = FixedQuirks::SPEC;
        named_values(words, &self.options, known, |(name, value, values)| {
            let no_effect =
                |of: &str| Err(Failure::Usage(format!("--option {name} has no effect with a chip {of}")));
            match (FixedQuirks::row(name), chip.pipeline()) {
                (None, _) if generation.is_none() => no_effect("without programs"),
                (None, _) => Ok(()),
                (Some(_), None) => no_effect("without fixed function"),
                (Some(_), Some(pipeline)) if !FixedQuirks::matters(name, pipeline, model) => {
                    let (chip, model) = (chip.name(), model.name());
                    Err(Failure::Usage(format!(
                        "--option {name} has no effect with the chip {chip} under --model {model}"
                    )))
                }
                (Some(quirk), Some(_)) if (quirk.set)(&mut fixed, value) => Ok(()),
                (Some(_), Some(_)) => Err(no_value("option", (name, value, values))),
            }
        })?;
        let mut of_programs = self.clone();
        of_programs
            .options
            .retain(|option| option.split_once('=').is_none_or(|(name, _)| FixedQuirks::row(name).is_none()));
        Ok((of_programs.config(generation.unwrap_or(Generation::Kelvin), model)?, fixed))
    }

    /// How the words of a generation are read.
    pub fn reading(&self, generation: Generation) -> Result<Reading, Failure> {
        Ok(self.config(generation, Model::Hw)?.reading())
    }

    /// Of the registers that a program writes those that are asked for.
    pub fn wanted(&self, generation: Generation, masks: &[Mask]) -> Result<Vec<u8>, Failure> {
        let written: Vec<u8> =
            (0..generation.outputs() as u8).filter(|&r| !masks[usize::from(r)].is_empty()).collect();
        if self.outputs.is_empty() {
            return Ok(written);
        }
        let name = |register: &u8| registers::output_name(generation, usize::from(*register));
        let mut wanted = Vec::new();
        for asked in &self.outputs {
            let found = written.iter().find(|register| name(register).eq_ignore_ascii_case(asked));
            let Some(&register) = found else {
                let names: Vec<String> = written.iter().map(name).collect();
                let (asked, names) = (clip(asked), names.join(", "));
                return Err(Failure::Usage(format!(
                    "--outputs: the program does not write `{asked}`, but {names}"
                )));
            };
            wanted.push(register);
        }
        wanted.sort_unstable();
        wanted.dedup();
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit::config::{Access, Arithmetic};

    fn of(options: &[&str], bools: &[u32], preset: Option<Emulator>) -> Configuration {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Configuration { preset, options, bools: bools.to_vec(), outputs: Vec::new() }
    }

    #[test]
    fn options_reach_the_configuration() {
        let given = of(
            &["access=user", "branch_table=4,7", "timeout=9", "arithmetic=legacy", "out_of_range=wraps"],
            &[],
            None,
        );
        let config = given.config(Generation::Rankine, Model::Ieee).unwrap();
        assert_eq!((config.access, config.arithmetic, config.timeout), (Access::User, Arithmetic::Legacy, 9));
        assert_eq!((config.branch_table[..3].to_vec(), config.model), (vec![4, 7, 0], Model::Ieee));
        let config = of(&[], &[0, 5, 31], None).config(Generation::Curie, Model::Hw).unwrap();
        assert_eq!(config.branch_bits, 0x8000_0021);
        // What a preset says, but for what is said behind it.
        let preset = of(&["write_order=scalar_wins"], &[], Some(Emulator::Xemu));
        let mut expected = Config::like(Emulator::Xemu, Generation::Kelvin).unwrap();
        expected.quirks.write_order = xfjit::config::WriteOrder::ScalarWins;
        assert_eq!(preset.config(Generation::Kelvin, Model::Hw).unwrap(), expected);
    }

    #[test]
    fn every_option_of_a_configuration_can_be_given() {
        for (name, values) in options::all().filter(|(name, _)| *name != "layout") {
            let value = values[0].replace("HEX", "a5").replace("SLOT,..", "7").replace("COUNT", "9");
            let given = of(&[&format!("{name}={value}")], &[], None);
            let all = [Generation::Kelvin, Generation::Rankine, Generation::Curie];
            assert!(all.iter().any(|&generation| given.config(generation, Model::Hw).is_ok()), "{name}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        use Generation::{Curie, Kelvin, Rankine};
        for (given, generation, expected) in [
            (of(&["access"], &[], None), Kelvin, "--option access: expected NAME=VALUE, as in access=user"),
            (
                of(&["acces=user"], &[], None),
                Kelvin,
                "--option: `acces` is not an option: access, constant_writes,",
            ),
            (of(&["layout=planes"], &[], None), Kelvin, "--option: `layout` is not an option"),
            (
                of(&["access=all"], &[], None),
                Kelvin,
                "--option access: `all` is not one of its values: full, user",
            ),
            (of(&["timeout=-1"], &[], None), Curie, "--option timeout: `-1` is not one of its values: COUNT"),
            (of(&["access=user", "access=full"], &[], None), Kelvin, "--option access is given twice"),
            (of(&["timeout=3"], &[], None), Kelvin, "--option timeout does not go with --gen kelvin"),
            (of(&["access=user"], &[], None), Curie, "--option access does not go with --gen curie"),
            (of(&[], &[3], None), Rankine, "--bool does not go with --gen rankine"),
            (of(&["branch_bits=1"], &[3], None), Curie, "--bool and --option branch_bits do the same"),
            (
                of(&[], &[], Some(Emulator::Xemu)),
                Curie,
                "--preset xemu: xemu runs no programs of curie, only of kelvin",
            ),
        ] {
            match given.config(generation, Model::Hw) {
                Err(Failure::Usage(message)) => assert!(message.starts_with(expected), "{message}"),
                other => panic!("{expected}: {other:?}"),
            }
        }
        let refused = |given: &str, chip: Chip| match of(&[given], &[], None).of_unit(chip, Model::Hw) {
            Err(Failure::Usage(message)) => message,
            other => panic!("{given}: {other:?}"),
        };
        let of_a_unit = refused("access=user", Chip::Nv2a);
        assert!(
            of_a_unit.contains("`access` is not a quirk") && of_a_unit.contains("write_order, "),
            "{of_a_unit}"
        );
        assert!(refused("clip_outputs=no", Chip::Nv2a).contains("does not go with --gen kelvin"));
        assert!(
            refused("write_order=vector_wins", Chip::Nv15).contains("--option write_order has no effect")
        );
        assert!(refused("write_order=any", Chip::Nv43).contains("is not one of its values"));
        assert!(
            refused("light_gaps=end", Chip::Nv15)
                .contains("has no effect with the chip nv15 under --model hw")
        );
        assert!(refused("light_gaps=end", Chip::Nv43).contains("without fixed function"));
        assert!(refused("lighting_sums=end", Chip::Nv2a).contains("split, guarded, unguarded, wide"));
        let both = of(&["write_order=vector_wins", "light_gaps=end"], &[], None);
        let (programs, fixed) = both.of_unit(Chip::Nv2a, Model::Ieee).unwrap();
        assert_eq!(programs.quirks.write_order, xfjit::config::WriteOrder::VectorWins);
        assert_eq!(fixed.light_gaps, xfjit::config::LightGaps::End);
        let of_lt = of(&["lighting_sums=wide"], &[], None);
        assert!(
            of_lt.of_unit(Chip::Nv2a, Model::Hw).is_ok() && of_lt.of_unit(Chip::Nv2a, Model::Ieee).is_err()
        );
        assert_eq!(["b0", "31", "B7"].map(boolean), [Ok(0), Ok(31), Ok(7)]);
        assert!(["b32", "", "b", "c1", "b-1", "b+1"].iter().all(|text| boolean(text).is_err()));
    }
}
