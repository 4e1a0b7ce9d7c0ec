//! The terminal that shows the view.

use super::session::Session;
use super::view::{State, View, Wish};
use super::{INTERVAL, is_over};
use crate::fail::Failure;
use ratatui::crossterm::event::{self, Event};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Over what time speeds are measured.
const SPEED: Duration = Duration::from_secs(1);

/// Shows the view until somebody wants it to end, or the process ends.
pub(super) fn show(session: &mut Session, end: Option<Instant>, stop: &AtomicBool) -> Result<(), Failure> {
    let mut terminal = ratatui::try_init()?;
    let shown = watch(&mut terminal, session, end, stop);
    // The terminal is as it was, whatever has happened.
    ratatui::restore();
    shown
}

fn watch(
    terminal: &mut ratatui::DefaultTerminal,
    session: &mut Session,
    end: Option<Instant>,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let mut view = View::new();
    let mut measured = Instant::now();
    loop {
        session.update();
        if measured.elapsed() >= SPEED {
            session.measure(measured.elapsed());
            measured = Instant::now();
        }
        if !view.is_paused {
            refresh(&mut view, session);
        }
        terminal.draw(|frame| view.draw(frame))?;
        if session.is_over() || is_over(end, stop) {
            return Ok(());
        }
        // All keys that have been pressed by now.
        let mut wait = INTERVAL;
        while event::poll(wait)? {
            wait = Duration::ZERO;
            let Event::Key(key) = event::read()? else { continue };
            match view.key(key) {
                Wish::Quit => return Ok(()),
                Wish::Rows => view.rows = session.rows(view.sort),
                Wish::Slots => view.slots = view.place().map(|place| session.slots(place)),
                Wish::Anew => session.begin_anew(),
                Wish::Nothing => {}
            }
        }
    }
}

fn refresh(view: &mut View, session: &Session) {
    view.rows = session.rows(view.sort);
    view.state = State {
        title: session.title(),
        seconds: session.seconds(),
        lost: session.lost(),
        damaged: session.reader().damaged(),
        left_programs: session.left_out().0,
        has_ended: session.is_over(),
    };
}
