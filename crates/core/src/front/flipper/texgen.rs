//! Texture coordinates: docs/spec/flipper.md 3.6.

use super::lower::{Lowering, Vec3, Vec4};
use crate::chip::flipper::transform::{Generator, Input, Source, Texgen};
use crate::chip::flipper::{input, rows};
use crate::ir::func::Value;
use crate::ir::imm::Element;
use crate::ir::origin::Topic;

impl Lowering<'_> {
    /// A texture coordinate.
    pub(super) fn coordinate(&mut self, number: usize) -> Vec3 {
        if let Some(coordinate) = self.coordinates[number] {
            return coordinate;
        }
        let texgen = self.setup.transform.texgen(number);
        let coordinate = self.part(Topic::Texture, number, |this| match texgen.generator {
            Generator::Regular => this.regular(number, texgen),
            Generator::Emboss => this.embossed(number, texgen),
            Generator::Colour(channel) => {
                let greatest = this.f.float(255.0);
                let [s, t] = [0, 1].map(|component| {
                    let integer = this.channel_component(channel.into(), component);
                    let number = this.f.cvt_f(integer);
                    this.f.fdiv(number, greatest)
                });
                [s, t, this.one()]
            }
        });
        *self.coordinates[number].insert(coordinate)
    }

    fn embossed(&mut self, number: usize, texgen: Texgen) -> Vec3 {
        let source = usize::from(texgen.emboss_source);
        let [s, t, q] = match source < number {
            true => self.coordinate(source),
            false => [self.zero(); 3],
        };
        let away = self.away(texgen.emboss_light.into());
        let direction = self.unit(away);
        let [tangent, binormal] = [1, 2].map(|which| self.normal(which));
        let [along, across] = [tangent, binormal].map(|vector| self.dot(direction, vector));
        [self.f.fadd(s, along), self.f.fadd(t, across), q]
    }

    fn source(&mut self, source: Source) -> Vec3 {
        match source {
            Source::Position => self.input(input::POSITION),
            Source::Normal => self.input(input::NORMAL),
            Source::Tangent => self.input(input::TANGENT),
            Source::Binormal => self.input(input::BINORMAL),
            Source::Texcoord(number) => {
                let [s, t] = self.input(input::TEXCOORD + usize::from(number));
                [s, t, self.one()]
            }
            Source::Nothing => [self.zero(), self.zero(), self.one()],
        }
    }

    fn regular(&mut self, number: usize, texgen: Texgen) -> Vec3 {
        let one = self.one();
        let [a, b, c] = self.source(texgen.source).map(|component| {
            let is_nan = self.f.funord(component, component);
            self.f.select(is_nan, one, component)
        });
        let first = self.index(1 + number);
        let rows = if texgen.projects { 3 } else { 2 };
        let mut coordinate = [one; 3];
        for (row, component) in (0..rows).zip(&mut coordinate) {
            let row: Vec4 = self.row(rows::POSITION_MATRICES.start, 63, first, row);
            *component = match texgen.input {
                Input::Abc1 => self.product(row, [a, b, c]),
                Input::Ab11 => {
                    let [m0, m1, m2, m3] = row;
                    let products = [self.f.fmul(m0, a), self.f.fmul(m1, b)];
                    self.sum([products[0], products[1], m2, m3])
                }
            };
        }
        if self.setup.transform.dual {
            if self.setup.transform.normalises(number) {
                coordinate = self.unit(coordinate);
            }
            let first = self.f.ctx(Element { row: rows::POST_INDICES + number / 4, component: number % 4 });
            coordinate = [0, 1, 2].map(|row| {
                let row = self.row(rows::POST_MATRICES.start, 63, first, row);
                self.product(row, coordinate)
            });
        }
        let [s, t, q] = coordinate;
        let zero = self.zero();
        let is_zero = self.f.feq(q, zero);
        let [s, t] = [s, t].map(|component| {
            let halved = self.halved(component);
            self.f.select(is_zero, halved, component)
        });
        [s, t, q]
    }

    /// A half, clamped to -1 and 1; a NaN stays.
    fn halved(&mut self, x: Value) -> Value {
        let [half, least, most] = [0.5, -1.0, 1.0].map(|number| self.f.float(number));
        let half = self.f.fmul(x, half);
        // Which is the second operand, if one is a NaN.
        let half = self.f.fmax(least, half);
        self.f.fmin(most, half)
    }
}
