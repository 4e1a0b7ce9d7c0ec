//! An Xbox: the unit, and what FE makes of methods that the library's FE does not have.

use super::{config, engine, text};
use serde_json::Value;
use xfjit::Generation;
use xfjit::chip::{Chip, Outputs, Pipeline};
use xfjit::config::{FixedQuirks, QuirkSet};
use xfjit::xf::methods::Methods;
use xfjit::xf::trace::Reply;
use xfjit::xf::{Command, Output, Payload, Type, XfUnit};

/// The method that waits until nothing runs, which is none of this unit.
const WAIT_FOR_IDLE: u32 = 0x110;

/// The console, of which FE keeps this.
pub(super) struct Xbox {
    unit: XfUnit,
    methods: Methods,
    /// XFMODE: B, A, T[1], T[0].
    mode: [u32; 4],
    is_drawing: bool,
}

/// The Xbox's methods of lighting, by nxdk's names for them, and where their words go (fixed_function.md, tables of the memories).
const SET_LIGHT_CONTROL: u32 = 0x294;
const SET_LIGHTING_ENABLE: u32 = 0x314;
const SET_POINT_SIZE: u32 = 0x43c;
const SET_LIGHT_ENABLE_MASK: u32 = 0x3bc;
const SET_MATERIAL_EMISSION: u32 = 0x3a8;
const SET_MATERIAL_ALPHA: u32 = 0x3b4;
const SET_MODEL_VIEW_MATRIX: u32 = 0x480;
const SET_INVERSE_MODEL_VIEW_MATRIX: u32 = 0x580;
const SET_COMPOSITE_MATRIX: u32 = 0x680;
const SET_SPECULAR_PARAMS: u32 = 0x9e0;
const SET_SCENE_AMBIENT_COLOR: u32 = 0xa10;
const SET_VIEWPORT_OFFSET: u32 = 0xa20;
const SET_LIGHT_AMBIENT_COLOR: u32 = 0x1000;
const SET_LIGHT_LOCAL_RANGE: u32 = 0x1024;
const SET_LIGHT_INFINITE_HALF_VECTOR: u32 = 0x1028;
const SET_LIGHT_SPOT_FALLOFF: u32 = 0x1040;
const SET_BEGIN_END: u32 = 0x17fc;
const SET_VERTEX_DATA4F_M: u32 = 0x1a00;

impl Xbox {
    pub(super) fn new(hypothesis: &Value) -> Xbox {
        let mut quirks = FixedQuirks::SPEC;
        quirks.choose(text(&hypothesis["option"]), text(&hypothesis["value"]));
        let unit = XfUnit::new(engine(), Chip::Nv2a)
            .with_config(config(hypothesis, Generation::Kelvin))
            .with_fixed_quirks(quirks);
        Xbox { unit, methods: Methods::new(Chip::Nv2a), mode: [0; 4], is_drawing: false }
    }

    pub(super) fn method(&mut self, method: u32, value: u32) {
        if method == WAIT_FOR_IDLE || self.lights(method, value) {
            return;
        }
        let Xbox { unit, methods, .. } = self;
        let written = methods.write(method, value, &mut |item| assert_eq!(unit.play(&item), Reply::None));
        written.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Whether a method is one of the fixed function or of draws, which FE's model in the library does not have.
    fn lights(&mut self, method: u32, value: u32) -> bool {
        let word = |first: u32| (method - first) / 4;
        let mut load = |kind, slot: u32, word: u32| {
            self.unit.command(Command::word(kind, slot as u16, word as u8, value));
        };
        assert!(
            !self.is_drawing || method == SET_BEGIN_END || (SET_VERTEX_DATA4F_M..0x1b00).contains(&method)
        );
        let matrix = |first: u32, slot: u32| (slot + word(first) / 4, word(first) % 4);
        match method {
            SET_POINT_SIZE => assert_eq!(value, 8, "a pixel in eighths"),
            SET_LIGHT_CONTROL | 0x298 | 0x2a4 | 0x318 | 0x31c | 0x328 | 0x3a4 | 0x3b8 | 0x17c4 => {
                assert_eq!(value, 0, "{method:#x}");
            }
            SET_LIGHTING_ENABLE => self.set_mode(1, 31, 1, value),
            SET_LIGHT_ENABLE_MASK => self.set_mode(0, 0, 16, value),
            SET_MATERIAL_EMISSION..SET_MATERIAL_ALPHA => load(Type::Ltctx, 0x43, word(SET_MATERIAL_EMISSION)),
            SET_MATERIAL_ALPHA => load(Type::Ltc3, 0xc, 0),
            SET_MODEL_VIEW_MATRIX..0x4c0 => {
                let (slot, word) = matrix(SET_MODEL_VIEW_MATRIX, 8);
                load(Type::Xfctx, slot, word);
            }
            SET_INVERSE_MODEL_VIEW_MATRIX..0x5c0 => {
                let (slot, word) = matrix(SET_INVERSE_MODEL_VIEW_MATRIX, 0xc);
                load(Type::Xfctx, slot, word);
            }
            SET_COMPOSITE_MATRIX..0x6c0 => {
                let (slot, word) = matrix(SET_COMPOSITE_MATRIX, 0);
                load(Type::Xfctx, slot, word);
            }
            SET_SPECULAR_PARAMS..0x9ec => {
                let places = [(Type::Ltc1, 1), (Type::Ltc2, 1), (Type::Ltc3, 2)];
                let (kind, slot) = places[word(SET_SPECULAR_PARAMS) as usize];
                load(kind, slot, 0);
            }
            SET_SCENE_AMBIENT_COLOR..0xa1c => load(Type::Ltctx, 0x41, word(SET_SCENE_AMBIENT_COLOR)),
            SET_VIEWPORT_OFFSET..0xa30 => load(Type::Xfctx, 0x3b, word(SET_VIEWPORT_OFFSET)),
            SET_LIGHT_AMBIENT_COLOR..0x1400 => {
                let (light, within) = ((method - 0x1000) / 0x80, 0x1000 + method % 0x80);
                let (row, first) = match within {
                    SET_LIGHT_AMBIENT_COLOR..SET_LIGHT_LOCAL_RANGE => (0, SET_LIGHT_AMBIENT_COLOR),
                    SET_LIGHT_INFINITE_HALF_VECTOR..SET_LIGHT_SPOT_FALLOFF => {
                        (3, SET_LIGHT_INFINITE_HALF_VECTOR)
                    }
                    _ => panic!("{method:#x}"),
                };
                let word = (within - first) / 4;
                load(Type::Ltctx, 8 * light + row + word / 3, word % 3);
            }
            SET_BEGIN_END => {
                assert_eq!(self.is_drawing, value == 0, "points, and the end of them");
                self.is_drawing = value == 1;
            }
            SET_VERTEX_DATA4F_M..0x1b00 => {
                assert!(self.is_drawing);
                let (slot, word) = (word(SET_VERTEX_DATA4F_M) / 4, word(SET_VERTEX_DATA4F_M) % 4);
                load(Type::Vab, slot, word);
                if (slot, word) == (0, 3) {
                    self.unit.vertex();
                }
            }
            _ => return false,
        }
        true
    }

    /// Sets bits of a word of XFMODE, and sends it.
    fn set_mode(&mut self, word: usize, low: u32, width: u32, value: u32) {
        assert!(value >> width == 0);
        self.mode[word] = self.mode[word] & !(((1 << width) - 1) << low) | value << low;
        self.methods.set_xfmode(0, self.mode);
        let [b, a, ..] = self.mode;
        for (word, pair) in [(0, [b, a]), (2, [0, 0])] {
            self.unit.command(Command { kind: Type::Mode, word, slot: 0, payload: Payload::Pair(pair) });
        }
    }

    /// The places and colours of the points that have been drawn.
    pub(super) fn points(&mut self) -> Vec<([f32; 2], u32)> {
        assert!(!self.is_drawing);
        let places = Outputs::of(Pipeline::Kelvin);
        let mut points = Vec::new();
        self.unit.drain(|left| {
            let Output::Vertices(vertices) = left else { panic!("{left:?}") };
            points.extend((0..vertices.count).map(|at| {
                let row = |register| vertices.register(at, register).expect("it is sent");
                let [x, y, ..] = row(places.position).map(f32::from_bits);
                let [red, green, blue, _] = row(places.front[0]);
                ([x, y], red << 16 | green << 8 | blue)
            }));
        });
        points
    }

    /// What RDI has at an index: the space above bit 16, the address below.
    pub(super) fn rdi(&mut self, index: u32) -> u32 {
        self.unit.rdi_read(index >> 16, index & 0xffff).expect("there is such a memory")
    }
}
