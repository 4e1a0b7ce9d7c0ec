//! Experiments of the Xbox's fixed function: commands of its unit as the methods of class 0x97 that FE makes them of, and the colours of the points
//! that they draw.
//!
//! The documents give the numbers of few of these methods; the others are those of nxdk's header `pbkit/nv_regs.h`. What the header has not
//! (0x9e0, the parameters of shininess) is from drivers that use it.

use super::experiment::Experiment;
use super::hypothesis::Hypothesis;
use super::methods::{EXECUTION, POINTS};
use super::predict;
use super::push::Call;
use crate::fail::Failure;
use xfjit::chip::mode::{LIGHTS, Mode, Name, Property, Side};
use xfjit::chip::{Outputs, Pipeline};
use xfjit::xf::trace::{Item, Trace};
use xfjit::xf::{Command, Output, Payload, Type};
use xfjit::{Generation, XfUnit};

const BEGIN_END: u32 = 0x17fc;
/// Four floats of an attribute; the last one of attribute 0 draws a vertex.
const ATTRIBUTE: u32 = 0x1a00;
/// Points are squares of one pixel, in eighths.
const PLAIN_POINTS: [Call; 2] = [Call { method: 0x31c, value: 0 }, Call { method: 0x43c, value: 8 }];
/// Methods from one light to the next.
const LIGHT: u32 = 0x80;
/// Rows of LTCTX from one light to the next (fixed_function.md, table of LTCTX).
const LIGHT_ROWS: u16 = 8;

/// Words of a memory, and the method that loads the first of them. Those of lights are of light 0.
const MEMORIES: &[(Type, u16, u16, u32)] = &[
    (Type::Xfctx, 0x00, 16, 0x680), // composite matrix
    (Type::Xfctx, 0x08, 16, 0x480), // to eye space
    (Type::Xfctx, 0x0c, 16, 0x580), // its inverse, for normals
    (Type::Xfctx, 0x3b, 4, 0xa20),  // offset of the viewport
    (Type::Ltctx, 0x41, 3, 0xa10),  // ambient colour of the scene
    (Type::Ltctx, 0x43, 3, 0x3a8),  // factor of the material
    (Type::Ltc3, 0x0c, 1, 0x3b4),   // its alpha
    (Type::Ltc1, 0x01, 1, 0x9e0),   // shininess A
    (Type::Ltc2, 0x01, 1, 0x9e4),   // B
    (Type::Ltc3, 0x02, 1, 0x9e8),   // C
    (Type::Ltctx, 0x00, 3, 0x1000), // a light's ambient colour
    (Type::Ltctx, 0x01, 3, 0x100c), // diffuse
    (Type::Ltctx, 0x02, 3, 0x1018), // specular
    (Type::Ltctx, 0x03, 3, 0x1028), // its half vector
    (Type::Ltctx, 0x04, 3, 0x1034), // its direction
];

/// Methods of the fields of XFMODE, each with the place of its lowest bit in the value.
const MODES: &[(u32, &[(Name, u32)])] = &[
    (0x294, &[(Name::SeparateSpecular, 0), (Name::LocalViewer, 16), (Name::SpecularAlpha, 17)]),
    (
        0x298,
        &[
            (Name::Source(Side::Front, Property::Emission), 0),
            (Name::Source(Side::Front, Property::Ambient), 2),
            (Name::Source(Side::Front, Property::Diffuse), 4),
            (Name::Source(Side::Front, Property::Specular), 6),
        ],
    ),
    (0x2a4, &[(Name::FogEnable, 0)]),
    (0x314, &[(Name::Lighting, 0)]),
    (0x318, &[(Name::PointParams, 0)]),
    (0x328, &[(Name::Weight, 0)]),
    (0x3a4, &[(Name::Normalize, 0)]),
    (0x3b8, &[(Name::SpecularEnable, 0)]),
    (
        0x3bc,
        &[
            (Name::Light(0), 0),
            (Name::Light(1), 2),
            (Name::Light(2), 4),
            (Name::Light(3), 6),
            (Name::Light(4), 8),
            (Name::Light(5), 10),
            (Name::Light(6), 12),
            (Name::Light(7), 14),
        ],
    ),
    (0x17c4, &[(Name::TwoSide, 0)]),
    (EXECUTION, &[(Name::Mode, 0), (Name::ContextAccess, 2)]),
];

/// The commands of an experiment as methods.
pub fn methods(experiment: &Experiment, trace: &Trace) -> Result<Vec<Call>, Failure> {
    let mut methods = Methods { calls: PLAIN_POINTS.to_vec(), ..Methods::default() };
    for item in &trace.items {
        let written = match item {
            Item::Vertex => std::mem::take(&mut methods.has_drawn).then_some(()),
            Item::Command(command) if !methods.has_drawn => methods.command(command),
            _ => None,
        };
        written.ok_or_else(|| Failure::Internal(format!("{}: no method is `{item}`", experiment.name)))?;
    }
    methods.end();
    let is_whole = !methods.has_drawn;
    is_whole
        .then_some(methods.calls)
        .ok_or_else(|| Failure::Internal(format!("{}: a vertex too many", experiment.name)))
}

/// Methods so far.
#[derive(Default)]
struct Methods {
    calls: Vec<Call>,
    mode: [[u32; 4]; 1],
    /// Whether XFMODE is set to that.
    has_mode: bool,
    is_drawing: bool,
    /// The last word of attribute 0 has been sent: here it draws a vertex, which the trace's next line must do.
    has_drawn: bool,
}

impl Methods {
    /// Adds a command; nothing where there is no method for it.
    fn command(&mut self, command: &Command) -> Option<()> {
        let words = words(command);
        match command.kind {
            Type::Mode => {
                words.for_each(|(word, value)| self.mode[0][usize::from(word)] = value);
                self.has_mode = false;
            }
            Type::Vab => {
                if !std::mem::replace(&mut self.has_mode, true) {
                    self.end();
                    self.calls.extend(modes(&self.mode)?);
                }
                if !std::mem::replace(&mut self.is_drawing, true) {
                    self.calls.push(Call { method: BEGIN_END, value: POINTS });
                }
                let first = ATTRIBUTE + 16 * u32::from(command.slot);
                self.calls
                    .extend(words.map(|(word, value)| Call { method: first + 4 * u32::from(word), value }));
                self.has_drawn = self.calls.last().is_some_and(|call| call.method == ATTRIBUTE + 12);
            }
            kind => {
                self.end();
                for (word, value) in words {
                    self.calls.push(Call { method: memory(kind, command.slot, word)?, value });
                }
            }
        }
        Some(())
    }

    /// Ends a draw: between its vertices nothing is set.
    fn end(&mut self) {
        if std::mem::take(&mut self.is_drawing) {
            self.calls.push(Call { method: BEGIN_END, value: 0 });
        }
    }
}

/// The words that a command writes, by their numbers.
fn words(command: &Command) -> impl Iterator<Item = (u8, u32)> + use<> {
    let (first, words) = match command.payload {
        Payload::Word(word) => (command.word, vec![word]),
        Payload::Pair(pair) => (command.word & 2, pair.to_vec()),
    };
    (first..).zip(words)
}

/// The method of a word of a memory. The fourth word of LT's rows is none.
fn memory(kind: Type, slot: u16, word: u8) -> Option<u32> {
    let at = |&(of, first, count, method): &(Type, u16, u16, u32), slot: u16| {
        let width = if of == Type::Xfctx { 4 } else { 3 };
        let place = slot.checked_sub(first)? * width + u16::from(word);
        (of == kind && u16::from(word) < width && place < count).then(|| method + 4 * u32::from(place))
    };
    if let Some(method) = MEMORIES.iter().find_map(|row| at(row, slot)) {
        return Some(method);
    }
    let light = slot / LIGHT_ROWS;
    let lights = (kind == Type::Ltctx && usize::from(light) < LIGHTS).then_some(slot % LIGHT_ROWS)?;
    MEMORIES.iter().find_map(|row| at(row, lights)).map(|method| method + LIGHT * u32::from(light))
}

/// The methods that set XFMODE; none if one of its fields has no method here.
fn modes(vectors: &[[u32; 4]; 1]) -> Option<Vec<Call>> {
    let mode = Mode::from_vectors(Pipeline::Kelvin, vectors);
    let mut left = mode;
    let mut calls = Vec::new();
    for (method, fields) in MODES {
        let value = fields.iter().fold(0, |value, &(name, low)| value | mode.get(name) << low);
        fields.iter().for_each(|&(name, _)| left = left.with(name, 0));
        calls.push(Call { method: *method, value });
    }
    (left == Mode::from_vectors(Pipeline::Kelvin, &[[0; 4]])).then_some(calls)
}

/// The colours of the points that commands draw: red, green, blue.
pub fn colours(trace: &Trace, hypothesis: &Hypothesis) -> Vec<u32> {
    let mut unit = XfUnit::new(predict::engine(), trace.chip)
        .with_config(hypothesis.config(Generation::Kelvin))
        .with_fixed_quirks(hypothesis.fixed());
    for item in &trace.items {
        unit.play(item);
    }
    let register = Outputs::of(Pipeline::Kelvin).front[0];
    let mut colours = Vec::new();
    unit.drain(|left| {
        if let Output::Vertices(vertices) = left {
            let colour = |at| predict::bytes(vertices.register(at, register).unwrap_or_default());
            colours.extend((0..vertices.count).map(colour));
        }
    });
    colours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_memories_have_methods() {
        assert_eq!(memory(Type::Xfctx, 3, 3), Some(0x6bc));
        assert_eq!(memory(Type::Ltctx, 0x04, 0), Some(0x1034));
        assert_eq!(memory(Type::Ltctx, 0x0c, 2), Some(0x10bc));
        assert_eq!(memory(Type::Ltc3, 2, 0), Some(0x9e8));
        for (kind, slot, word) in
            [(Type::Xfctx, 4, 0), (Type::Ltctx, 4, 3), (Type::Ltctx, 0x40, 0), (Type::Ltc1, 2, 0)]
        {
            assert_eq!(memory(kind, slot, word), None, "{kind:?} {slot:#x}");
        }
    }

    #[test]
    fn a_draw_is_closed_before_anything_is_set() {
        let experiment = crate::kit::shelf::named("light-gaps").expect("it is on the shelf");
        let of = |lines: &str| {
            methods(&experiment, &Trace::parse(&format!("chip nv2a\n{lines}")).expect("a trace"))
        };
        let vertex = "VAB 0.xy 1.0 1.0\nVAB 0.zw 0 1.0\nvertex\n";
        let calls = of(&format!("{vertex}MODE 0.xy 0x4 0\n{vertex}LTC1 1.x 0\n{vertex}")).expect("methods");
        let mut is_open = false;
        for call in &calls {
            match call.method {
                BEGIN_END => is_open = call.value == POINTS,
                method => {
                    assert_eq!(is_open, (ATTRIBUTE..ATTRIBUTE + 0x100).contains(&method), "{method:#x}")
                }
            }
        }
        assert!(!is_open && calls.iter().filter(|call| call.method == BEGIN_END).count() == 6);
        for wrong in
            ["vertex\n", "VAB 0.zw 0 1.0\n", "VAB 0.zw 0 1.0\nVAB 0.zw 0 1.0\nvertex\n", "rdi 0x17 0\n"]
        {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_field_without_a_method_is_told() {
        assert!(modes(&[[0x4_0001, 0x8000_0000, 0, 0]]).is_some());
        // A texture unit.
        assert!(modes(&[[0x4_0001, 0x8000_0000, 0, 1]]).is_none());
    }
}
