//! Texture coordinates: docs/spec/flipper.md 3.6.

use super::{Vec3, Vertex, dot, sub, unit};
use crate::chip::flipper::input;
use crate::chip::flipper::rows::{self, Light};
use crate::chip::flipper::transform::{Generator, Input, Source, Texgen};

impl Vertex<'_> {
    /// A texture coordinate; those before have been made.
    pub(super) fn coordinate(&self, number: usize) -> Vec3 {
        let texgen = self.unit.transform.texgen(number);
        match texgen.generator {
            Generator::Regular => self.regular(number, texgen),
            Generator::Emboss => {
                let light = usize::from(texgen.emboss_light);
                let away = sub(self.short(Light::Position.row(light)), self.eye);
                let direction = unit(away);
                let source = usize::from(texgen.emboss_source);
                let [s, t, q] = if source < number { self.coordinates[source] } else { [0.0; 3] };
                [s + dot(direction, self.normals[1]), t + dot(direction, self.normals[2]), q]
            }
            Generator::Colour(channel) => {
                let [red, green, ..] = self.colours[usize::from(channel)];
                [red as f32 / 255.0, green as f32 / 255.0, 1.0]
            }
        }
    }

    fn regular(&self, number: usize, texgen: Texgen) -> Vec3 {
        let source = match texgen.source {
            Source::Position => self.input(input::POSITION),
            Source::Normal => self.input(input::NORMAL),
            Source::Tangent => self.input(input::TANGENT),
            Source::Binormal => self.input(input::BINORMAL),
            Source::Texcoord(number) => {
                let [s, t] = self.input(input::TEXCOORD + usize::from(number));
                [s, t, 1.0]
            }
            Source::Nothing => [0.0, 0.0, 1.0],
        };
        let [a, b, c] = source.map(|component: f32| if component.is_nan() { 1.0 } else { component });
        let first = self.index(1 + number);
        let product = |row| {
            let [m0, m1, m2, m3] = self.matrix(first, row);
            match texgen.input {
                Input::Ab11 => m0 * a + m1 * b + m2 + m3,
                Input::Abc1 => m0 * a + m1 * b + m2 * c + m3,
            }
        };
        let mut coordinate = [product(0), product(1), if texgen.projects { product(2) } else { 1.0 }];
        if self.unit.transform.dual {
            if self.unit.transform.normalises(number) {
                coordinate = unit(coordinate);
            }
            let [s, t, q] = coordinate;
            let first = self.constants.row(rows::POST_INDICES + number / 4)[number % 4] as usize;
            coordinate = [0, 1, 2].map(|row| {
                let row = rows::POST_MATRICES.start + (first % 64 + row) % 64;
                let [m0, m1, m2, m3] = self.constant(row);
                m0 * s + m1 * t + m2 * q + m3
            });
        }
        let [s, t, q] = coordinate;
        if q == 0.0 { [halved(s), halved(t), q] } else { coordinate }
    }
}

/// A half, clamped to -1 and 1; a NaN stays.
fn halved(x: f32) -> f32 {
    let half = x * 0.5;
    let not_below = if half < -1.0 { -1.0 } else { half };
    if not_below > 1.0 { 1.0 } else { not_below }
}
