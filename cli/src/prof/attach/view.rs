//! The view of a process: a picture of text, and what keys do to it.

use super::super::cost::{Guard, Slot};
use super::session::{Row, Sort, vertices_per_second};
use crate::table;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row as Cells, Table, TableState};

/// What a key asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wish {
    Nothing,
    /// To end.
    Quit,
    /// Rows in another order.
    Rows,
    /// The slots of the chosen program.
    Slots,
    /// To count from now on.
    Anew,
}

/// What stands above and below the programs.
#[derive(Default)]
pub(super) struct State {
    pub(super) title: String,
    pub(super) seconds: f64,
    pub(super) lost: u64,
    pub(super) damaged: u64,
    pub(super) left_programs: u64,
    pub(super) has_ended: bool,
}

/// What is shown.
pub(super) struct View {
    pub(super) state: State,
    pub(super) rows: Vec<Row>,
    pub(super) sort: Sort,
    pub(super) is_paused: bool,
    /// The chosen program, by its place in the process: rows change theirs.
    pub(super) chosen: Option<usize>,
    /// Its slots, if they are shown: none of a program of which nobody knows them.
    pub(super) slots: Option<Option<(Vec<Slot>, Vec<Guard>)>>,
}

impl View {
    pub(super) fn new() -> View {
        View {
            state: State::default(),
            rows: Vec::new(),
            sort: Sort::Share,
            is_paused: false,
            chosen: None,
            slots: None,
        }
    }

    /// Where the chosen program stands.
    fn at(&self) -> usize {
        self.rows.iter().position(|row| Some(row.place) == self.chosen).unwrap_or(0)
    }

    /// The program whose slots are wanted.
    pub(super) fn place(&self) -> Option<usize> {
        self.rows.get(self.at()).map(|row| row.place)
    }

    /// What a key does.
    pub(super) fn key(&mut self, key: KeyEvent) -> Wish {
        // Some terminals tell when a key is let go.
        if key.kind == KeyEventKind::Release {
            return Wish::Nothing;
        }
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Wish::Quit,
            KeyCode::Char('q') => Wish::Quit,
            KeyCode::Char('s') => {
                self.sort = self.sort.next();
                Wish::Rows
            }
            KeyCode::Char('p') | KeyCode::Char(' ') => {
                self.is_paused = !self.is_paused;
                Wish::Nothing
            }
            KeyCode::Char('z') => Wish::Anew,
            KeyCode::Enter if self.slots.is_some() => {
                self.slots = None;
                Wish::Nothing
            }
            KeyCode::Enter => Wish::Slots,
            KeyCode::Esc => {
                self.slots = None;
                Wish::Nothing
            }
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            _ => Wish::Nothing,
        }
    }

    fn step(&mut self, by: isize) -> Wish {
        let last = self.rows.len().saturating_sub(1);
        let at = self.at().saturating_add_signed(by).min(last);
        self.chosen = self.rows.get(at).map(|row| row.place);
        if self.slots.is_some() { Wish::Slots } else { Wish::Nothing }
    }

    /// Draws it.
    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let lower = if self.slots.is_some() { Constraint::Percentage(50) } else { Constraint::Length(0) };
        let parts =
            Layout::vertical([Constraint::Length(2), Constraint::Min(3), lower, Constraint::Length(1)]);
        let [head, programs, slots, foot] = parts.areas(frame.area());
        frame.render_widget(Paragraph::new(self.head()), head);
        self.draw_programs(frame, programs);
        if let Some(of) = &self.slots {
            self.draw_slots(frame, slots, of.as_ref());
        }
        let keys = format!(
            "q quit  s sort ({})  p {}  Enter slots  z reset  j k choose",
            self.sort.name(),
            if self.is_paused { "go on" } else { "pause" }
        );
        frame.render_widget(Paragraph::new(keys).style(Style::new().add_modifier(Modifier::REVERSED)), foot);
    }

    fn head(&self) -> Vec<Line<'static>> {
        let State { title, seconds, lost, damaged, left_programs, has_ended } = &self.state;
        let vertices = vertices_per_second(&self.rows);
        let mut first = format!("{title}  {seconds:.1} s");
        if *has_ended {
            first += "  ended";
        } else if self.is_paused {
            first += "  paused";
        }
        let mut second =
            format!("{} programs, {} vertices/s, {lost} records lost", self.rows.len(), table::si(vertices));
        if *damaged > 0 {
            second += &format!(", {damaged} make no sense");
        }
        if *left_programs > 0 {
            second += &format!(", {left_programs} programs had no room");
        }
        vec![Line::from(first), Line::from(second)]
    }

    fn draw_programs(&self, frame: &mut Frame<'_>, area: Rect) {
        let widths = [
            Constraint::Fill(2),
            Constraint::Length(6),
            Constraint::Length(10),
            Constraint::Length(9),
            Constraint::Length(7),
            Constraint::Fill(1),
            Constraint::Length(10),
        ];
        let right = |text: String, width: usize| Cell::from(format!("{text:>width$}"));
        let rows = self.rows.iter().map(|row| {
            Cells::new([
                Cell::from(row.name.clone()),
                right(format!("{:.1}%", 100.0 * row.share), 6),
                right(table::si(row.vertices_per_second), 10),
                right(row.ns_per_vertex.map_or_else(|| "-".to_owned(), |ns| format!("{ns:.2}")), 9),
                right(
                    if row.guarded > 0.0 { format!("{:.1}%", 100.0 * row.guarded) } else { "-".to_owned() },
                    7,
                ),
                Cell::from(row.cause.clone()),
                Cell::from(row.tier.clone()),
            ])
        });
        let heads = ["program", " share", "vertices/s", "ns/vertex", "guarded", "cause", "tier"];
        let head = Cells::new(heads).style(Style::new().add_modifier(Modifier::BOLD));
        let table = Table::new(rows, widths)
            .header(head)
            .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
        let mut state = TableState::default().with_selected((!self.rows.is_empty()).then(|| self.at()));
        frame.render_stateful_widget(table, area, &mut state);
    }

    fn draw_slots(&self, frame: &mut Frame<'_>, area: Rect, of: Option<&(Vec<Slot>, Vec<Guard>)>) {
        let name = self.rows.get(self.at()).map_or("", |row| &row.name);
        let block = Block::new().borders(Borders::TOP).title(format!("{name}, by host operations"));
        let mut lines = Vec::new();
        match of {
            None => lines.push(Line::from("The file does not say what this program is made of.")),
            Some((slots, guards)) => {
                lines.extend(guards.iter().map(|guard| Line::from(format!("guard: {}", guard.text))));
                lines.extend(slots.iter().map(|slot| {
                    Line::from(format!("{:>6.1}%  {:<8} {}", 100.0 * slot.share, slot.place, slot.text))
                }));
            }
        }
        frame.render_widget(Paragraph::new(lines).block(block), area);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn row(place: usize, name: &str, share: f64, guarded: f64) -> Row {
        Row {
            place,
            name: name.to_owned(),
            share,
            vertices_per_second: 1e6 * share,
            ns_per_vertex: Some(10.0 * share),
            guarded,
            cause: if guarded > 0.0 { "NaN in v2.x (slot 4)".to_owned() } else { String::new() },
            tier: "native, 8".to_owned(),
        }
    }

    fn view() -> View {
        let state =
            State { title: "emulator (4711)".to_owned(), seconds: 12.34, lost: 5, ..State::default() };
        let rows =
            vec![row(1, "skinning (kelvin-41b0b92d3b6c4f9f)", 0.75, 0.125), row(0, "kelvin-0", 0.25, 0.0)];
        View { state, rows, ..View::new() }
    }

    /// The picture as lines of text.
    fn picture(view: &View, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("it is memory");
        terminal.draw(|frame| view.draw(frame)).expect("it is memory");
        let buffer = terminal.backend().buffer();
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(line).collect()
    }

    fn press(view: &mut View, code: KeyCode) -> Wish {
        view.key(KeyEvent::from(code))
    }

    #[test]
    fn programs_stand_in_a_table() {
        assert_eq!(
            picture(&view(), 110, 7),
            [
                "emulator (4711)  12.3 s",
                "2 programs, 1.00 M vertices/s, 5 records lost",
                "program                                    share vertices/s ns/vertex guarded cause                 tier",
                "skinning (kelvin-41b0b92d3b6c4f9f)         75.0%      750 k      7.50   12.5% NaN in v2.x (slot 4)  native, 8",
                "kelvin-0                                   25.0%      250 k      2.50       -                       native, 8",
                "",
                "q quit  s sort (share)  p pause  Enter slots  z reset  j k choose",
            ]
        );
    }

    #[test]
    fn slots_stand_below() {
        let mut view = view();
        assert_eq!(press(&mut view, KeyCode::Enter), Wish::Slots);
        let slot = |place: &str, text: &str, share| Slot {
            place: place.to_owned(),
            text: text.to_owned(),
            share,
            ns: 1.0,
            clocks: None,
            operations: 1,
        };
        view.slots = Some(Some((
            vec![slot("slot 4", "DP3 r0.x, c[4], v2", 0.5), slot("slot 0", "MOV oPos, v0", 0.25)],
            Vec::new(),
        )));
        let lines = picture(&view, 80, 12);
        assert!(
            lines[5].starts_with("skinning (kelvin-41b0b92d3b6c4f9f), by host operations─"),
            "{lines:#?}"
        );
        assert_eq!(&lines[6..8], ["  50.0%  slot 4   DP3 r0.x, c[4], v2", "  25.0%  slot 0   MOV oPos, v0"]);
        // Another program, of which nobody knows.
        assert_eq!(press(&mut view, KeyCode::Down), Wish::Slots);
        assert_eq!(view.place(), Some(0));
        view.slots = Some(None);
        assert!(picture(&view, 80, 12)[6].starts_with("The file does not say"));
        assert_eq!(press(&mut view, KeyCode::Esc), Wish::Nothing);
        assert!(view.slots.is_none());
    }

    #[test]
    fn keys_do_what_the_last_line_says() {
        let mut view = view();
        assert_eq!(press(&mut view, KeyCode::Char('q')), Wish::Quit);
        let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(view.key(control), Wish::Quit);
        for name in ["vertices/s", "ns/vertex", "guarded", "program", "share"] {
            assert_eq!(press(&mut view, KeyCode::Char('s')), Wish::Rows);
            assert_eq!(view.sort.name(), name);
        }
        press(&mut view, KeyCode::Char('p'));
        let lines = picture(&view, 80, 6);
        assert!(lines[0].ends_with("paused") && lines[5].contains("p go on"), "{lines:?}");
        assert_eq!(press(&mut view, KeyCode::Char('z')), Wish::Anew);
        // The chosen program stays chosen where it goes, and there is none before the first or behind the last.
        press(&mut view, KeyCode::Char('j'));
        press(&mut view, KeyCode::Char('j'));
        assert_eq!(view.chosen, Some(0));
        view.rows.reverse();
        assert_eq!(view.at(), 0);
        press(&mut view, KeyCode::Up);
        assert_eq!(view.chosen, Some(0));
        view.rows.clear();
        assert_eq!((view.place(), press(&mut view, KeyCode::Down)), (None, Wish::Nothing));
    }

    /// However small the terminal is.
    #[test]
    fn there_is_always_a_picture() {
        let mut view = view();
        view.slots = Some(None);
        for (width, height) in [(1, 1), (3, 2), (200, 3), (5, 50)] {
            picture(&view, width, height);
        }
    }
}
