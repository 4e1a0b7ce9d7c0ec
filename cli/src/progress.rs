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

/// The bar of a campaign, from the units that are done to `share` of them: how fast it is, and how long it still takes; a count
/// without an end if `share` is None.
pub fn campaign(done: u64, share: Option<u64>, what: &'static str, quiet: bool) -> ProgressBar {
    let bar = bar(share.unwrap_or(done), what, quiet).with_position(done);
    let style = ProgressStyle::with_template(match share {
        Some(_) => CAMPAIGN,
        None => ENDLESS,
    });
    if share.is_none() {
        bar.unset_length();
    }
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    // What was done before is not counted as speed.
    bar.reset_eta();
    bar
}

/// A count without an end.
pub fn counter(what: &'static str, quiet: bool) -> ProgressBar {
    let bar = bar(0, what, quiet);
    bar.unset_length();
    let style = ProgressStyle::with_template("{msg:12} {human_pos} {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}

const CAMPAIGN: &str = "{msg:12} {bar:32} {human_pos}/{human_len} {per_sec} {eta}";
const ENDLESS: &str = "{msg:12} {human_pos} {per_sec} {elapsed}";

#[cfg(test)]
mod tests {
    #[test]
    fn a_quiet_bar_is_hidden_and_its_template_is_valid() {
        assert!(super::bar(3, "testing", true).is_hidden());
        for template in ["{msg:12} {bar:32} {human_pos}/{human_len} {eta}", super::CAMPAIGN, super::ENDLESS] {
            assert!(indicatif::ProgressStyle::with_template(template).is_ok());
        }
    }

    #[test]
    fn a_campaign_goes_on_where_it_was() {
        let bar = super::campaign(7, Some(30), "comparing", true);
        assert_eq!((bar.position(), bar.length()), (7, Some(30)));
        assert_eq!(super::campaign(7, None, "comparing", true).length(), None);
    }
}
