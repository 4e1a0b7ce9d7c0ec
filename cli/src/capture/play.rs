//! Playing a capture, before somebody who looks on: where draws begin and end, what they see, and what comes out.

use super::{Capture, UnitItems};
use crate::args::limits::Limits;
use crate::fail::Failure;
use crate::flipper_choices::FlipperChoices;
use std::sync::Arc;
use xfjit::capture::{CallPlayer, Played};
use xfjit::flipper::dff::{self, Player};
use xfjit::flipper::{self, Budget, Drawn, FlipperUnit, Ram};
use xfjit::runtime::state::Row;
use xfjit::xf::trace::Item;
use xfjit::xf::{Command, Output, Type, Vertices, XfUnit};
use xfjit::{Config, Engine, Generation, Model};

/// Words after which outputs are taken in the midst of a draw, so that a long one needs no more memory.
const TAKE: usize = 1 << 20;
/// Work of a stream of Flipper's between two looks at whether its frame has ended.
const STEP: Budget = Budget(1 << 16);

/// How a capture is played.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Arithmetic of NVIDIA's chips.
    pub model: Model,
    /// Whose reading of Flipper.
    pub flipper: FlipperChoices,
    /// What its vertices may execute.
    pub limits: Limits,
}

/// What happens in a play. A draw is a row of vertices between which nothing changes that they all see.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A draw begins, whose vertices see these rows of constants.
    Begin(&'a [Row]),
    /// Vertices of a draw have come out.
    Vertices(Vertices<'a>),
    /// A draw of Flipper's has come out, whose vertices are known to make triangles.
    Drawn(Drawn<'a>),
    /// A call has been run, which is a draw: what has come out.
    Called(Played<'a>),
    /// The draw has ended.
    End,
}

impl Capture<'_> {
    /// Plays it once, on a device of its own.
    pub fn play(
        &self,
        engine: &Arc<Engine>,
        how: How,
        watch: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), Failure> {
        match self {
            Capture::Unit(items) => unit(items, engine, how, watch)?,
            Capture::Flipper(items) => {
                let (mut unit, mut memory) = (flipper_unit(engine, how), Ram::default());
                items.each(|item| {
                    let played = unit.play(item, &mut memory, |output| drawn(&output, watch));
                    played.map_err(|_| Failure::Internal("a draw of a trace lacks bytes".to_owned()))
                })?;
            }
            Capture::Calls(calls) => {
                let watch_over = how.limits.watch(engine);
                let mut player = CallPlayer::new(Arc::clone(engine));
                player.set_overtime(Some(how.limits.overtime));
                calls.each(&mut player, |_, _, played| {
                    watch(Event::Called(played));
                    watch(Event::End);
                    watch_over.check()
                })?;
            }
            Capture::Recording(recording) => {
                let mut unit = flipper_unit(engine, how);
                let mut player = Player::new(recording, &mut unit);
                for _ in 0..recording.frames.len() {
                    let mut take = |output: flipper::Output<'_>| drawn(&output, watch);
                    while player.frame(&mut unit, STEP, &mut take) == dff::Played::Part {}
                }
            }
        }
        Ok(())
    }
}

fn flipper_unit(engine: &Arc<Engine>, how: How) -> FlipperUnit {
    FlipperUnit::new(Arc::clone(engine), how.flipper.processor, how.flipper.transform)
}

fn drawn(output: &flipper::Output<'_>, watch: &mut dyn FnMut(Event<'_>)) {
    if let flipper::Output::Drawn(drawn) = output {
        watch(Event::Drawn(*drawn));
        watch(Event::End);
    }
}

/// The unit itself decides how vertices are gathered: nothing here makes it run them earlier than it would.
fn unit(
    items: &UnitItems<'_>,
    engine: &Arc<Engine>,
    how: How,
    watch: &mut dyn FnMut(Event<'_>),
) -> Result<(), Failure> {
    let generation = items.chip().family().microcode().unwrap_or(Generation::Kelvin);
    let config = Config::new(generation).model(how.model);
    let watch_over = how.limits.watch(engine);
    let mut unit = XfUnit::new(Arc::clone(engine), items.chip()).with_config(config);
    unit.set_overtime(Some(how.limits.overtime));
    // Vertices since the draw began, and of these some that have not been run.
    let (mut open, mut pending) = (false, false);
    items.each(|item| {
        let is_vertex = matches!(item, Item::Vertex);
        if is_vertex && !open {
            // None is pending: to ask runs nothing.
            watch(Event::Begin(unit.constants()));
            open = true;
        }
        let before = unit.stats().batches;
        unit.play(item);
        let has_run = unit.stats().batches != before;
        pending = if is_vertex { !has_run } else { pending && !has_run };
        let is_attribute = matches!(item, Item::Command(Command { kind: Type::Vab, .. }));
        // A full batch is run by its last vertex. What is written behind that may change anything.
        if open && !is_vertex && (has_run || !pending && !is_attribute) {
            take(&mut unit, watch);
            watch(Event::End);
            open = false;
        } else if unit.waiting() > TAKE {
            take(&mut unit, watch);
            pending = false;
        }
        watch_over.check()
    })?;
    take(&mut unit, watch);
    watch_over.check()?;
    if open {
        watch(Event::End);
    }
    Ok(())
}

/// Hands out what has come out; where vertices are pending, they are run.
fn take(unit: &mut XfUnit, watch: &mut dyn FnMut(Event<'_>)) {
    unit.drain(|output| {
        if let Output::Vertices(vertices) = output {
            watch(Event::Vertices(vertices));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit::xf::Trace;
    use xfjit::{Options, asm, isa};

    fn events(text: &str) -> Vec<String> {
        let capture = Capture::Unit(UnitItems::Text(Trace::parse(text).expect("a trace")));
        let engine = Arc::new(Engine::new(Options::default()));
        let mut seen: Vec<String> = Vec::new();
        let how = How { model: Model::Hw, flipper: FlipperChoices::default(), limits: Limits::default() };
        let played = capture.play(&engine, how, &mut |event| match event {
            Event::Begin(rows) => seen.push(format!("begin {:x}", rows[0][0])),
            Event::Vertices(vertices) => seen.push(vertices.count.to_string()),
            Event::Drawn(_) | Event::Called(_) => seen.push("another".to_owned()),
            Event::End => seen.push("end".to_owned()),
        });
        assert!(played.is_ok());
        seen
    }

    #[test]
    fn a_draw_ends_where_something_changes_that_its_vertices_see() {
        let program = asm::parse(Generation::Kelvin, "MOV oPos, c[0]").expect("a program");
        let words = isa::encode(Generation::Kelvin, &program);
        let [x, y, z, w] = words[..] else { panic!("one slot") };
        let mode = 2 << 30 | 1 << 18;
        let start = format!(
            "chip nv2a\nXFPR 0.xy {x:08x} {y:08x}\nXFPR 0.zw {z:08x} {w:08x}\nset outputs 1\nMODE 0.xy {mode:#x} 0\n"
        );
        let start = &*start;
        let row = |bits: u32| format!("XFCTX 0.xy {bits:#x} 0\nXFCTX 0.zw 0 0\n");
        let one = "VAB 0.x 1.0\nvertex\n";
        let text = [start, &row(1), one, one, &row(1), one, &row(2), one].concat();
        // What is written as it is already ends nothing.
        assert_eq!(events(&text), ["begin 1", "3", "end", "begin 2", "1", "end"]);
        // A full batch, and what is behind it.
        let text = [start, &row(1), &one.repeat(512), &row(2), &one.repeat(513), &row(3), one].concat();
        assert_eq!(events(&text), ["begin 1", "512", "end", "begin 2", "513", "end", "begin 3", "1", "end"]);
        assert_eq!(events(start), Vec::<String>::new());
    }
}
