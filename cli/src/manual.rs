//! `xfjit completions` and `xfjit man`: what clap's own generators make of the grammar.

use crate::args::{Cli, Completions, Format, Global, Man};
use crate::fail::Failure;
use crate::files;
use clap::{Command, CommandFactory, ValueEnum};
use clap_mangen::Man as Page;
use std::path::Path;

/// Writes the script of a shell.
pub fn completions(args: &Completions, global: &Global) -> Result<(), Failure> {
    plain("completions", global)?;
    files::write(Path::new("-"), &script(args.shell))
}

/// Writes a page, or all of them into a directory.
pub fn man(args: &Man, global: &Global) -> Result<(), Failure> {
    plain("man", global)?;
    let pages = pages()?;
    if let Some(directory) = &args.out {
        std::fs::create_dir_all(directory).map_err(|error| {
            let flaw = crate::text::Flaw::new(format!("cannot be made: {error}"));
            Failure::input(directory.display().to_string(), flaw)
        })?;
        return pages.iter().try_for_each(|(name, text)| files::write(&directory.join(name), text));
    }
    let wanted = args.page.as_deref().map_or("xfjit.1".to_owned(), |page| format!("xfjit-{page}.1"));
    match pages.iter().find(|(name, _)| *name == wanted) {
        Some((_, text)) => files::write(Path::new("-"), text),
        None => {
            let commands =
                pages.iter().filter_map(|(name, _)| name.strip_prefix("xfjit-")?.strip_suffix(".1"));
            let known = commands.collect::<Vec<_>>().join(", ");
            let page = crate::text::clip(args.page.as_deref().unwrap_or_default());
            Err(Failure::Usage(format!("`{page}` is not a command of xfjit: {known}")))
        }
    }
}

/// Neither has any other form.
fn plain(command: &str, global: &Global) -> Result<(), Failure> {
    match global.format {
        Format::Text => Ok(()),
        Format::Json | Format::Csv => {
            let format = global.format.to_possible_value();
            let format = format.as_ref().map_or("", |value| value.get_name());
            Err(Failure::Usage(format!("--format {format} does not go with `xfjit {command}`")))
        }
    }
}

fn script(shell: clap_complete::Shell) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "xfjit", &mut text);
    text
}

/// The page of the command and of each of its commands, with their file names.
fn pages() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    // Gives the commands their names on the pages (`xfjit run`) and the options of all.
    command.build();
    let commands = below(&command);
    let page = |command: Command| {
        let name = format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name()));
        let mut text = Vec::new();
        Page::new(command).render(&mut text)?;
        Ok((name, text))
    };
    std::iter::once(command).chain(commands).map(page).collect()
}

/// The commands of a command, and theirs.
fn below(command: &Command) -> Vec<Command> {
    let own = command.get_subcommands();
    own.flat_map(|command| [vec![command.clone()], below(command)].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The long options of a command that are shown.
    fn options(command: &Command) -> Vec<String> {
        command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
    }

    #[test]
    fn no_line_of_any_help_page_is_wider_than_80_columns() {
        fn check(command: &mut Command) {
            for text in [command.render_help(), command.render_long_help()] {
                let text = text.to_string();
                assert!(text.contains("Usage: xfjit"), "{text}");
                for line in text.lines() {
                    assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
                }
            }
            command.get_subcommands_mut().for_each(check);
        }
        let mut command = Cli::command();
        command.build();
        check(&mut command);
    }

    #[test]
    fn the_scripts_of_all_shells_know_every_command_and_option() {
        let mut command = Cli::command();
        command.build();
        for &shell in clap_complete::Shell::value_variants() {
            let text = String::from_utf8(script(shell)).unwrap();
            for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
                assert!(text.contains(command.get_name()), "{shell}: {}", command.get_name());
                for option in options(command) {
                    assert!(text.contains(&option), "{shell}: {} --{option}", command.get_name());
                }
            }
        }
    }

    #[test]
    fn every_command_has_a_page_with_all_of_its_options() {
        let pages = pages().unwrap();
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let commands = below(&command);
        assert_eq!(pages.len(), commands.len() + 1);
        assert_eq!(pages[0].0, "xfjit.1");
        assert!(pages.iter().any(|(name, _)| name == "xfjit-kit-build.1"));
        for command in &commands {
            let name = format!("{}.1", command.get_display_name().unwrap_or_default());
            let (_, text) = pages.iter().find(|(page, _)| *page == name).unwrap();
            let text = String::from_utf8(text.clone()).unwrap();
            for option in options(command) {
                let escaped = format!("\\-\\-{}", option.replace('-', "\\-"));
                assert!(text.contains(&escaped), "{name}: {escaped}\n{text}");
            }
        }
    }
}
