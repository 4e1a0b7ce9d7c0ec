//! Bindings of ARB_vertex_program: `vertex.`, `result.`, `program.` and `state.`.

use super::ir::Register;
use super::language::{V20, V30};
use super::lex::{Kind, Token};
use super::outputs::{CLIPS, Output, TEXTURES, output};
use super::parse::{Parsed, Parser};
use super::rows::Binding;
use crate::isa::AddressComponent;
use crate::text::Problem;

/// Limits of the bindings' numbers: what the chips have, or drivers offer on them.
const LIGHTS: u16 = 8;
const UNITS: u16 = 4;
const MATRICES: u16 = 8;
pub(super) const PROGRAM_PARAMETERS: u16 = 256;

impl Parser<'_> {
    /// `.name`
    fn member(&mut self) -> Parsed<Token> {
        self.expect('.')?;
        match self.peek().kind {
            Kind::Word => Ok(self.next()),
            _ => {
                let token = self.peek().clone();
                Err(self.unexpected(&token, "a name"))
            }
        }
    }

    /// `.name` if it is one of `names`.
    fn optional_member(&mut self, names: &[&'static str]) -> Option<&'static str> {
        let second = self.tokens.get(self.position + 1)?;
        if self.peek().kind != Kind::Mark('.') || second.kind != Kind::Word {
            return None;
        }
        let word = self.text_of(second);
        let name = names.iter().copied().find(|&name| name == word)?;
        self.next();
        self.next();
        Some(name)
    }

    /// `.name` of one of `names`.
    fn choice(&mut self, what: &str, names: &[&'static str]) -> Parsed<&'static str> {
        let token = self.member()?;
        let word = self.text_of(&token);
        match names.iter().copied().find(|&name| name == word) {
            Some(name) => Ok(name),
            None => {
                let problem = self.unknown(&token, what, names.iter().copied());
                let all = names.join(", ");
                Err(if problem.help.is_none() { problem.help(format!("there are {all}")) } else { problem })
            }
        }
    }

    /// `[n]`, or 0 without.
    fn optional_number(&mut self, limit: u16, what: &str) -> Parsed<u16> {
        match self.peek().kind {
            Kind::Mark('[') => self.bracketed(limit, what),
            _ => Ok(0),
        }
    }

    /// Behind `vertex`.
    pub(super) fn vertex_binding(&mut self) -> Parsed<Register> {
        let token = self.member()?;
        let mut index = None;
        let start = token.span.start;
        let word = self.text_of(&token);
        let (n, generic) = match word {
            "position" => (0, false),
            "weight" => {
                let n = self.optional_number(4, "a weight")?;
                if n != 0 {
                    let message = "weights are in groups of four: weight[0]";
                    return Err(Problem::new(self.since(start), message));
                }
                (1, false)
            }
            "normal" => (2, false),
            "color" => match self.optional_member(&["primary", "secondary"]) {
                Some("secondary") => (4, false),
                _ => (3, false),
            },
            "fogcoord" => (5, false),
            "texcoord" if self.peek().kind == Kind::Mark('[') => {
                let (n, by) = self.vertex_number(u16::from(TEXTURES), "a texture coordinate")?;
                index = by;
                (8 + n, false)
            }
            "texcoord" => (8, false),
            "attrib" => {
                let (n, by) = self.vertex_number(16, "an attribute")?;
                index = by;
                (n, true)
            }
            "matrixindex" => {
                let message = format!("{} has no matrix indices", self.draft.generation.name());
                return Err(Problem::new(token.span, message));
            }
            _ => {
                let names = ["position", "weight", "normal", "color", "fogcoord", "texcoord", "attrib"];
                return Err(self.unknown(&token, "attribute of a vertex", names.into_iter()));
            }
        };
        if n > 15 {
            return Err(Problem::new(self.since(start), "attributes are 0 to 15"));
        }
        if index.is_none() {
            self.attributes[usize::from(generic)] |= 1 << n;
            // Attribute 0 and the position are the same (ARB_vertex_program 2.14.3.1), the others share registers.
            if self.attributes[0] & self.attributes[1] & !1 & 1 << n != 0 {
                let message = format!("vertex.attrib[{n}] is also bound by its conventional name");
                return Err(Problem::new(self.since(start), message));
            }
        }
        Ok(Register::Attribute { n, index })
    }

    /// `[n]`, and with NV_vertex_program3 `[A0.x + n]`.
    fn vertex_number(&mut self, limit: u16, what: &str) -> Parsed<(u8, Option<AddressComponent>)> {
        let inside = self.tokens.get(self.position + 1).cloned();
        let address = inside.and_then(|token| self.address_register(&token).map(|reg| (reg, token)));
        let Some((reg, token)) = address else {
            return self.bracketed(limit, what).map(|n| (n as u8, None));
        };
        if self.sets & V30 == 0 {
            let problem = Problem::new(token.span, "indexing attributes and results requires an option");
            return Err(problem.help("write OPTION NV_vertex_program3; in front"));
        }
        self.expect('[')?;
        self.next();
        let index = self.index(reg, &token)?;
        let n = self.attribute_offset()?;
        self.expect(']')?;
        Ok((n, Some(index)))
    }

    /// Behind `result`.
    pub(super) fn result_binding(&mut self) -> Parsed<(Output, Option<AddressComponent>)> {
        let token = self.member()?;
        let start = token.span.start;
        let word = self.text_of(&token);
        let mut index = None;
        let name = match word {
            "position" if self.position_invariant => {
                let message = "a position-invariant program does not write the position";
                return Err(Problem::new(token.span, message));
            }
            "position" => "HPOS".to_owned(),
            "fogcoord" => "FOGC".to_owned(),
            "pointsize" => "PSIZ".to_owned(),
            "color" => {
                let face = self.optional_member(&["front", "back"]);
                let kind = self.optional_member(&["primary", "secondary"]);
                let stem = if face == Some("back") { "BFC" } else { "COL" };
                format!("{stem}{}", u8::from(kind == Some("secondary")))
            }
            "texcoord" if self.peek().kind == Kind::Mark('[') => {
                let (n, by) = self.vertex_number(u16::from(TEXTURES), "a texture coordinate")?;
                index = by;
                format!("TEX{n}")
            }
            "texcoord" => "TEX0".to_owned(),
            "clip" if self.sets & V20 != 0 => {
                format!("CLP{}", self.bracketed(u16::from(CLIPS), "a clip distance")?)
            }
            "clip" => {
                let problem = Problem::new(token.span, "clip distances need an option");
                return Err(problem.help("write OPTION NV_vertex_program2; in front"));
            }
            _ => {
                let names = ["position", "color", "fogcoord", "pointsize", "texcoord", "clip"];
                return Err(self.unknown(&token, "result", names.into_iter()));
            }
        };
        let span = self.since(start);
        match output(self.draft.generation, &name) {
            Some(Ok(found)) => Ok((found, index)),
            Some(Err(message)) => Err(Problem::new(span, message)),
            None => {
                let message = format!("`{}` is not a result", &self.text[span.clone()]);
                Err(Problem::new(span, message))
            }
        }
    }

    /// Behind `program`: one parameter, or with `many` a range.
    pub(super) fn program_binding(&mut self, many: bool) -> Parsed<Vec<Binding>> {
        let bind = match self.choice("kind of program parameter", &["env", "local"])? {
            "env" => Binding::Env,
            _ => Binding::Local,
        };
        let (first, last) = self.range(PROGRAM_PARAMETERS, "a program parameter", many)?;
        Ok((first..=last).map(bind).collect())
    }

    /// `[n]`, or with `many` `[n..m]`.
    fn range(&mut self, limit: u16, what: &str, many: bool) -> Parsed<(u16, u16)> {
        self.expect('[')?;
        let start = self.peek().span.start;
        let first = self.integer(limit, what)?;
        let to = self.eat(Kind::To);
        let last = match &to {
            Some(_) => self.integer(limit, what)?,
            None => first,
        };
        let span = self.since(start);
        if to.is_some() && !many {
            return Err(Problem::new(span, "only arrays can have a range: PARAM name[] = { ... }"));
        }
        if last < first {
            return Err(Problem::new(span, "a range must go upwards"));
        }
        self.expect(']')?;
        Ok((first, last))
    }

    /// Behind `state`: one row, or with `many` the rows of a matrix.
    pub(super) fn state_binding(&mut self, many: bool) -> Parsed<Vec<Binding>> {
        let token = self.member()?;
        let one = |state: String| Ok(vec![Binding::State(format!("state.{state}"))]);
        match self.text_of(&token) {
            "material" => {
                let face = self.face();
                let names = ["ambient", "diffuse", "specular", "emission", "shininess"];
                one(format!("material.{face}.{}", self.choice("property of a material", &names)?))
            }
            "light" => {
                let n = self.bracketed(LIGHTS, "a light")?;
                let names = ["ambient", "diffuse", "specular", "position", "attenuation", "spot", "half"];
                let property = self.choice("property of a light", &names)?;
                if property == "spot" {
                    self.choice("property of a spot light", &["direction"])?;
                    return one(format!("light[{n}].spot.direction"));
                }
                one(format!("light[{n}].{property}"))
            }
            "lightmodel" => {
                if self.optional_member(&["ambient"]).is_some() {
                    return one("lightmodel.ambient".to_owned());
                }
                let face = self.face();
                self.choice("property of the light model", &["scenecolor"])?;
                one(format!("lightmodel.{face}.scenecolor"))
            }
            "lightprod" => {
                let n = self.bracketed(LIGHTS, "a light")?;
                let face = self.face();
                let names = ["ambient", "diffuse", "specular"];
                one(format!("lightprod[{n}].{face}.{}", self.choice("light product", &names)?))
            }
            "texgen" => {
                let n = self.optional_number(u16::from(TEXTURES), "a texture unit")?;
                let plane = self.choice("texture generation", &["eye", "object"])?;
                let coordinate = self.choice("texture coordinate", &["s", "t", "r", "q"])?;
                one(format!("texgen[{n}].{plane}.{coordinate}"))
            }
            "fog" => one(format!("fog.{}", self.choice("property of fog", &["color", "params"])?)),
            "clip" => {
                let n = self.bracketed(u16::from(CLIPS), "a clip plane")?;
                self.choice("property of a clip plane", &["plane"])?;
                one(format!("clip[{n}].plane"))
            }
            "point" => one(format!("point.{}", self.choice("property of points", &["size", "attenuation"])?)),
            "matrix" => self.matrix(many),
            _ => {
                let names = [
                    "material",
                    "light",
                    "lightmodel",
                    "lightprod",
                    "texgen",
                    "fog",
                    "clip",
                    "point",
                    "matrix",
                ];
                Err(self.unknown(&token, "state", names.into_iter()))
            }
        }
    }

    fn face(&mut self) -> &'static str {
        self.optional_member(&["front", "back"]).unwrap_or("front")
    }

    fn matrix(&mut self, many: bool) -> Parsed<Vec<Binding>> {
        let start = self.last_end();
        let names = ["modelview", "projection", "mvp", "texture", "palette", "program"];
        let name = self.choice("matrix", &names)?;
        let number = match name {
            "modelview" => format!("[{}]", self.optional_number(UNITS, "a modelview matrix")?),
            "texture" => format!("[{}]", self.optional_number(u16::from(TEXTURES), "a texture unit")?),
            "program" => format!("[{}]", self.bracketed(MATRICES, "a program matrix")?),
            "palette" => {
                let message = format!("{} has no palette of matrices", self.draft.generation.name());
                return Err(Problem::new(self.since(start), message));
            }
            _ => String::new(),
        };
        let modifier = self.optional_member(&["inverse", "transpose", "invtrans"]);
        let modifier = modifier.map_or(String::new(), |modifier| format!(".{modifier}"));
        let (first, last) = match self.optional_member(&["row"]) {
            Some(_) => self.range(4, "a row of a matrix", many)?,
            None if many => (0, 3),
            None => {
                let problem = Problem::new(self.since(start), "a matrix has four rows");
                return Err(problem.help("name one, as in .row[0], or declare an array"));
            }
        };
        let row = |row| Binding::State(format!("state.matrix.{name}{number}{modifier}.row[{row}]"));
        Ok((first..=last).map(row).collect())
    }
}
