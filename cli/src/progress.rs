//! Bars on stderr, where somebody watches.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};

/// A bar that counts up to `length`; it shows nothing unless stderr is a terminal and `quiet` is false.
pub fn bar(length: u64, what: &'static str, quiet: bool) -> ProgressBar {
    let target = if quiet || !io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let template = "{msg:12} {bar:32} {human_pos}/{human_len} {eta}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(length), target).with_style(style).with_message(what)
}

/// A count without an end.
pub fn counter(what: &'static str, quiet: bool) -> ProgressBar {
    let bar = bar(0, what, quiet);
    bar.unset_length();
    let style = ProgressStyle::with_template("{msg:12} {human_pos} {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_quiet_bar_is_hidden_and_its_template_is_valid() {
        assert!(super::bar(3, "testing", true).is_hidden());
        assert!(
            indicatif::ProgressStyle::with_template("{msg:12} {bar:32} {human_pos}/{human_len} {eta}")
                .is_ok()
        );
    }
}
