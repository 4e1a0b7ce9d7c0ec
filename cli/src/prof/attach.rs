//! `xfjit prof --attach`: what the programs of a running process do.
//!
//! ```text
//! find.rs      the file that a process is attached to by
//! session.rs   what has been read of it, and what follows: rows of the view
//! outcome.rs   the report in the end
//! view.rs      the view as a picture of text, and its keys
//! screen.rs    the terminal that shows it
//! ```

mod find;
mod outcome;
mod screen;
mod session;
mod view;

use super::{export, words};
use crate::args::{Global, Prof};
use crate::fail::{Failure, note, remark};
use crate::names::Names;
use crate::table;
use session::Session;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(200);
/// How often a line is printed.
const LINES: Duration = Duration::from_secs(1);

/// Attaches to a process, watches it, and reports.
pub(super) fn run(wanted: &str, args: &Prof, global: &Global) -> Result<(), Failure> {
    let names = Names::read(args.names.as_deref())?;
    let mut session = Session::new(find::open(wanted)?, args.whole)?;
    let end = args.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
    let stop = interrupted();
    let is_plain = args.plain || !io::stdout().is_terminal() || !io::stdin().is_terminal();
    if is_plain {
        if !global.quiet {
            remark(format_args!("attached to {}", session.title()));
        }
        lines(&mut session, end, &stop, global)?;
    } else {
        screen::show(&mut session, end, &stop)?;
    }
    if let Some(why) = session.failure() {
        note(format_args!("{}: {why}; this is what was read before", session.title()));
    }
    if session.lost() > 0 {
        note(format_args!(
            "{} records were overwritten before they were read: plots and traces lack them, totals do not",
            session.lost()
        ));
    }
    let report = outcome::report(&mut session, args, global, &names)?;
    // Nobody can watch this again: where a file cannot be written, the report is printed all the same.
    let written = export::write(&report, args);
    words::write(&outcome::shortened(report, args, global), args, global)?;
    written
}

/// Whether somebody wants it to end, by Ctrl-C or as the system asks a process to. The second time ends it at once.
fn interrupted() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Where a signal cannot be caught, it ends the process as ever.
        let _ = signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop));
        let _ = signal_hook::flag::register(signal, Arc::clone(&stop));
    }
    stop
}

/// Whether it is time to stop.
fn is_over(end: Option<Instant>, stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end)
}

/// Prints a line now and then, until it is over.
fn lines(
    session: &mut Session,
    end: Option<Instant>,
    stop: &AtomicBool,
    global: &Global,
) -> Result<(), Failure> {
    let mut printed = Instant::now();
    loop {
        session.update();
        let last = session.is_over() || is_over(end, stop);
        if !global.quiet && (printed.elapsed() >= LINES || last) {
            session.measure(printed.elapsed());
            printed = Instant::now();
            remark(line(session));
        }
        if last {
            return Ok(());
        }
        std::thread::sleep(INTERVAL);
    }
}

/// The state in a line: the vertices of a second, and the programs that take most.
fn line(session: &Session) -> String {
    let rows = session.rows(session::Sort::Share);
    let vertices = session::vertices_per_second(&rows);
    let most: Vec<String> = rows
        .iter()
        .take(3)
        .filter(|row| row.share > 0.0)
        .map(|row| format!("{} {:.0}%", row.name, 100.0 * row.share))
        .collect();
    format!(
        "{:.1} s: {} vertices/s, {} lost; {}",
        session.seconds(),
        table::si(vertices),
        session.lost(),
        if most.is_empty() { "no program has run".to_owned() } else { most.join(", ") }
    )
}
