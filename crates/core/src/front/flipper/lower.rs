//! Lowering: docs/spec/flipper.md 3.1 to 3.3, and what light and texture coordinates share.
//!
//! The unit's arithmetic is that of IEEE, as far as anybody knows, so its primitives are machine operations.

use super::Setup;
use crate::chip::flipper::{input, output, rows};
use crate::config::{Depth, Storage};
use crate::interp::flipper::{LESSENED, UPPER_20};
use crate::ir::build::Builder;
use crate::ir::func::{Func, Level, Value};
use crate::ir::imm::Element;
use crate::ir::origin::{Origin, Topic};
use xfjit_runtime::batch::registers;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::bits::ONE;
use xfjit_runtime::num::{Model, Numerics, Rules};

pub(super) type Vec3 = [Value; 3];
pub(super) type Vec4 = [Value; 4];

/// Its model tells that NaNs become canonical where they leave. The rules are not asked: they are those of NVIDIA's primitives.
const NUMERICS: Numerics = Numerics { model: Model::Ieee, rules: Rules::RankineModern };

/// The function being built.
pub(super) struct Lowering<'a> {
    pub(super) f: Builder,
    pub(super) setup: &'a Setup,
    /// What more than one place reads, once it has been made.
    eye: Option<Vec3>,
    normals: [Option<Vec3>; 3],
    clip: Option<Vec4>,
    pub(super) colours: [Option<Vec4>; 2],
    pub(super) coordinates: [Option<Vec3>; 8],
}

/// Instructions that most configurations have fewer of.
const USUAL: usize = 512;

/// Lowers the configuration to IR.
pub(crate) fn lower(setup: &Setup) -> Func {
    FpEnv::Default.within(|| {
        let mut f = Builder::sharing(Func::new(Level::Xf, NUMERICS, 0..rows::ROWS as u16), false);
        f.reserve(USUAL);
        let mut lowering = Lowering {
            f,
            setup,
            eye: None,
            normals: [None; 3],
            clip: None,
            colours: [None; 2],
            coordinates: [None; 8],
        };
        for register in registers(setup.live_outputs & setup.outputs()) {
            lowering.output(register);
        }
        lowering.f.finish()
    })
}

impl Lowering<'_> {
    /// What `make` makes belongs to a part of the configuration.
    pub(super) fn part<R>(&mut self, topic: Topic, number: usize, make: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.f.set_origin(Origin::part(topic, number));
        let made = make(self);
        self.f.set_origin(before);
        made
    }

    pub(super) fn zero(&mut self) -> Value {
        self.f.bits(0)
    }

    pub(super) fn one(&mut self) -> Value {
        self.f.bits(ONE)
    }

    pub(super) fn input<const N: usize>(&mut self, register: usize) -> [Value; N] {
        std::array::from_fn(|component| self.f.input(Element { row: register, component }))
    }

    pub(super) fn constant<const N: usize>(&mut self, row: usize) -> [Value; N] {
        std::array::from_fn(|component| self.f.ctx(Element { row, component }))
    }

    /// What a memory that may keep 20 bits has of words.
    fn kept<const N: usize>(&mut self, row: [Value; N]) -> [Value; N] {
        match self.setup.quirks.storage {
            Storage::Full => row,
            Storage::Upper20 => {
                let upper = self.f.bits(UPPER_20);
                row.map(|word| self.f.and(word, upper))
            }
        }
    }

    /// A row of a memory that may keep 20 bits of a word only.
    pub(super) fn short(&mut self, row: usize) -> Vec3 {
        let row = self.constant(row);
        self.kept(row)
    }

    /// The first row of a matrix, of which six bits count: 0 is that of the position, then come those of texture coordinates.
    pub(super) fn index(&mut self, number: usize) -> Value {
        match self.setup.transform.vertices.index_byte(number) {
            Some(byte) => {
                let word = self.f.input(Element { row: input::MATRICES, component: byte / 4 });
                match byte % 4 {
                    0 => word,
                    place => self.f.shr(word, 8 * place as u32),
                }
            }
            None => self.f.ctx(Element { row: rows::INDICES + number / 4, component: number % 4 }),
        }
    }

    /// A row of a memory of `1 + last` rows, which wrap, counted from an index on.
    pub(super) fn row<const N: usize>(
        &mut self,
        start: usize,
        last: u32,
        index: Value,
        row: u32,
    ) -> [Value; N] {
        let step = self.f.bits(row);
        let index = self.f.iadd(index, step);
        let last = self.f.bits(last);
        let index = self.f.and(index, last);
        std::array::from_fn(|component| self.f.ctx_rel(index, Element { row: start, component }))
    }

    /// The left to right sum.
    pub(super) fn sum<const N: usize>(&mut self, addends: [Value; N]) -> Value {
        addends.into_iter().reduce(|sum, addend| self.f.fadd(sum, addend)).expect("there is one")
    }

    pub(super) fn dot(&mut self, a: Vec3, b: Vec3) -> Value {
        let products = std::array::from_fn::<_, 3, _>(|c| self.f.fmul(a[c], b[c]));
        self.sum(products)
    }

    /// A row of four times a vector and 1.
    pub(super) fn product(&mut self, [m0, m1, m2, m3]: Vec4, vector: Vec3) -> Value {
        let sum = self.dot([m0, m1, m2], vector);
        self.f.fadd(sum, m3)
    }

    pub(super) fn sub3(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.f.fsub(a[c], b[c]))
    }

    pub(super) fn unit(&mut self, a: Vec3) -> Vec3 {
        let square = self.dot(a, a);
        let length = self.f.fsqrt(square);
        a.map(|component| self.f.fdiv(component, length))
    }

    /// x if it is greater than 0, else +0.
    pub(super) fn positive(&mut self, x: Value) -> Value {
        let zero = self.zero();
        self.f.fmax(x, zero)
    }

    /// Position in eye space.
    pub(super) fn eye(&mut self) -> Vec3 {
        if let Some(eye) = self.eye {
            return eye;
        }
        let eye = self.part(Topic::Position, 0, |this| {
            let position = this.input(input::POSITION);
            let first = this.index(0);
            [0, 1, 2].map(|row| {
                let row = this.row(rows::POSITION_MATRICES.start, 63, first, row);
                this.product(row, position)
            })
        });
        *self.eye.insert(eye)
    }

    /// Unit normal (0), tangent (1), binormal (2).
    pub(super) fn normal(&mut self, which: usize) -> Vec3 {
        if let Some(normal) = self.normals[which] {
            return normal;
        }
        let normal = self.part(Topic::Normal, 0, |this| {
            let vector = this.input([input::NORMAL, input::TANGENT, input::BINORMAL][which]);
            let first = this.index(0);
            let normal = [0, 1, 2].map(|row| {
                let row = this.row(rows::NORMAL_MATRICES.start, 31, first, row);
                let row = this.kept(row);
                this.dot(row, vector)
            });
            if which == 0 { this.unit(normal) } else { normal }
        });
        *self.normals[which].insert(normal)
    }

    /// Position in clip space.
    fn clip(&mut self) -> Vec4 {
        if let Some(clip) = self.clip {
            return clip;
        }
        let clip = self.part(Topic::Position, 0, Self::projected);
        *self.clip.insert(clip)
    }

    fn projected(&mut self) -> Vec4 {
        let [ex, ey, ez] = self.eye();
        let [p0, p1, p2, p3] = self.constant(rows::PROJECTION);
        let [p4, p5] = self.constant(rows::PROJECTION_DEPTH);
        let [x, y, z] = [self.f.fmul(p0, ex), self.f.fmul(p2, ey), self.f.fmul(p4, ez)];
        let z = self.f.fadd(z, p5);
        if self.setup.transform.orthographic {
            [self.f.fadd(x, p1), self.f.fadd(y, p3), z, self.one()]
        } else {
            let [right, up] = [p1, p3].map(|p| self.f.fmul(p, ez));
            let z = match self.setup.quirks.depth {
                Depth::Plain => z,
                Depth::Lessened => {
                    let factor = self.f.bits(LESSENED);
                    self.f.fmul(z, factor)
                }
            };
            [self.f.fadd(x, right), self.f.fadd(y, up), z, self.f.neg(ez)]
        }
    }

    fn screen(&mut self) -> Vec4 {
        let [x, y, z, w] = self.clip();
        let scale: Vec3 = self.constant(rows::VIEWPORT_SCALE);
        let offset: Vec3 = self.constant(rows::VIEWPORT_OFFSET);
        let one = self.one();
        let inverse = self.f.fdiv(one, w);
        let clip = [x, y, z];
        let [x, y, z] = std::array::from_fn(|c| {
            let divided = self.f.fmul(clip[c], inverse);
            let scaled = self.f.fmul(divided, scale[c]);
            self.f.fadd(scaled, offset[c])
        });
        [x, y, z, inverse]
    }

    /// The clip mask.
    fn outside(&mut self) -> Value {
        let [x, y, z, w] = self.clip();
        let below = [
            self.f.fsub(w, x),
            self.f.fadd(x, w),
            self.f.fsub(w, y),
            self.f.fadd(y, w),
            self.f.fmul(w, z),
            self.f.fadd(z, w),
        ];
        let zero = self.zero();
        let mut mask = zero;
        for (bit, value) in below.into_iter().enumerate() {
            let outside = if bit == 4 { self.f.flt(zero, value) } else { self.f.flt(value, zero) };
            let bit = self.f.bits(1 << bit);
            let bit = self.f.and(outside, bit);
            mask = self.f.or(mask, bit);
        }
        // So that it is seen to be none of the bits of a NaN.
        let all = self.f.bits(0x3f);
        self.f.and(mask, all)
    }

    /// What an output register is part of, where it is not part of what it reads.
    fn place(register: usize) -> (Topic, usize) {
        match register {
            output::SCREEN => (Topic::Viewport, 0),
            output::NORMAL | output::TANGENT | output::BINORMAL => (Topic::Normal, 0),
            output::FLAGS => (Topic::ClipMask, 0),
            output::CLIP | output::EYE => (Topic::Position, 0),
            register if register < output::TEXCOORD => (Topic::Channel, register - output::COLOUR),
            register => (Topic::Texture, register - output::TEXCOORD),
        }
    }

    fn output(&mut self, register: usize) {
        let (topic, number) = Self::place(register);
        self.f.set_origin(Origin::part(topic, number));
        let zero = self.zero();
        let with = |[x, y, z]: Vec3, w: Value| [x, y, z, w];
        let row = match register {
            output::CLIP => self.clip(),
            output::SCREEN => self.screen(),
            output::EYE => {
                let one = self.one();
                with(self.eye(), one)
            }
            output::NORMAL => with(self.normal(0), zero),
            output::TANGENT => with(self.normal(1), zero),
            output::BINORMAL => with(self.normal(2), zero),
            output::FLAGS => [self.outside(), zero, zero, zero],
            register if register < output::TEXCOORD => {
                let colour = self.channel(register - output::COLOUR);
                self.f.output(register, colour);
                return;
            }
            register => with(self.coordinate(register - output::TEXCOORD), zero),
        };
        let row = match register {
            output::FLAGS => row,
            _ => row.map(|component| self.f.canonical(component)),
        };
        self.f.output(register, row);
    }
}
