//! Vertex textures from files: `--texture 0=heights.png` or `--texture 1=table.f32,16x16x1`.

use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::text::{Flaw, clip};
use std::io::Cursor;
use std::path::PathBuf;
use std::str::FromStr;
use xfjit::isa::Program;
use xfjit::runtime::texture::{Coordinates, Texel, Texture, Textures, UNITS, Wrap};
use xfjit_isa::isa::op::VecOp;

/// What the command line says of a texture: `UNIT=FILE[,WIDTHxHEIGHTxCOMPONENTS][,repeat][,whole]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    unit: usize,
    path: PathBuf,
    /// Of raw floats.
    size: Option<Size>,
    wrap: Wrap,
    coordinates: Coordinates,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    width: usize,
    height: usize,
    texel: Texel,
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Given, String> {
        let form = "expected UNIT=FILE, as in 0=heights.png or 1=table.f32,16x16x1,repeat";
        let (unit, rest) = text.split_once('=').ok_or(form)?;
        let unit = unit.parse().ok().filter(|&unit| unit < UNITS);
        let unit = unit.ok_or_else(|| format!("texture units are 0 to {}: {form}", UNITS - 1))?;
        let mut parts = rest.split(',');
        let path = parts.next().filter(|path| !path.is_empty()).ok_or(form)?;
        let (wrap, coordinates) = (Wrap::Clamp, Coordinates::Texels);
        let mut given = Given { unit, path: PathBuf::from(path), size: None, wrap, coordinates };
        for part in parts {
            match part {
                "repeat" => given.wrap = Wrap::Repeat,
                "whole" => given.coordinates = Coordinates::Textures,
                _ => {
                    let size = size(part);
                    given.size = Some(size.ok_or_else(|| {
                        format!("`{}` is neither a size (16x16x1 or 16x16x4), repeat nor whole", clip(part))
                    })?);
                }
            }
        }
        Ok(given)
    }
}

/// `16x16x4`
fn size(text: &str) -> Option<Size> {
    let numbers = text.split('x').map(|number| number.parse().ok()).collect::<Option<Vec<usize>>>()?;
    let &[width, height, components] = &numbers[..] else { return None };
    let texel = match components {
        1 => Texel::One,
        4 => Texel::Four,
        _ => return None,
    };
    Some(Size { width, height, texel })
}

/// The texels of every unit.
#[derive(Debug, Default)]
pub struct Loaded([Option<(Given, Size, Vec<u8>)>; UNITS]);

impl Loaded {
    /// Reads the files. Each must be for a unit of its own, which the program looks at.
    pub fn read(all: &[Given], program: &Program) -> Result<Loaded, Failure> {
        let looked_at = units(program);
        if let Some(Given { unit, .. }) = all.iter().find(|given| looked_at >> given.unit & 1 == 0) {
            return Err(Failure::Usage(format!(
                "--texture {unit} has no effect: the program does not read texture {unit}"
            )));
        }
        Loaded::read_all(all)
    }

    /// Reads the files, each for a unit of its own.
    pub fn read_all(all: &[Given]) -> Result<Loaded, Failure> {
        let mut loaded = Loaded::default();
        for given in all {
            let unit = given.unit;
            if loaded.0[unit].is_some() {
                return Err(Failure::Usage(format!("--texture {unit} is given twice")));
            }
            let (size, texels) = given.load()?;
            loaded.0[unit] = Some((given.clone(), size, texels));
        }
        Ok(loaded)
    }

    /// For a run.
    pub fn textures(&self) -> Result<Textures<'_>, Failure> {
        Ok(Textures::Units(self.units()?))
    }

    /// Those of each unit.
    pub fn units(&self) -> Result<[Option<Texture<'_>>; UNITS], Failure> {
        let mut units = [None; UNITS];
        for (unit, loaded) in units.iter_mut().zip(&self.0) {
            if let Some((given, size, texels)) = loaded {
                let pitch = texels.len() / size.height.max(1);
                let texture =
                    Texture::new(texels, size.texel, size.width, size.height, pitch).map_err(|error| {
                        Failure::input(files::name(&given.path), Flaw::new(error.to_string()))
                    })?;
                *unit = Some(texture.wrap(given.wrap).coordinates(given.coordinates));
            }
        }
        Ok(units)
    }

    /// The units that a program looks at without a texture.
    pub fn missing(&self, program: &Program) -> Vec<usize> {
        (0..UNITS).filter(|&unit| units(program) >> unit & 1 != 0 && self.0[unit].is_none()).collect()
    }
}

/// The units that a program looks at, as a mask.
fn units(program: &Program) -> u32 {
    let texts = program.insns.iter().filter(|insn| insn.vec == VecOp::Txl);
    texts.fold(0, |mask, insn| mask | 1 << insn.texture)
}

impl Given {
    fn load(&self) -> Result<(Size, Vec<u8>), Failure> {
        let bytes = sort::read(&self.path, Wanted::Bytes)?;
        let fail = |flaw| Failure::input(files::name(&self.path), flaw);
        match (bytes.starts_with(b"\x89PNG"), self.size) {
            (true, None) => picture(&bytes).map_err(fail),
            (true, Some(_)) => {
                let file = files::name(&self.path);
                Err(Failure::Usage(format!(
                    "--texture {}: {file} is a PNG, which contains its size; leave the size out",
                    self.unit
                )))
            }
            (false, None) => {
                let message = "is not a PNG, so it is read as raw floats, which need a size";
                Err(fail(
                    Flaw::new(message)
                        .help("--texture 0=FILE,WIDTHxHEIGHTxCOMPONENTS, with 1 or 4 components"),
                ))
            }
            (false, Some(size)) => raw(&bytes, size).map(|texels| (size, texels)).map_err(fail),
        }
    }
}

/// Texels of little-endian floats in the order of this machine.
fn raw(bytes: &[u8], size: Size) -> Result<Vec<u8>, Flaw> {
    let components = if size.texel == Texel::One { 1 } else { 4 };
    let needed =
        [size.height, components, 4].iter().try_fold(size.width, |product, &n| product.checked_mul(n));
    if needed != Some(bytes.len()) || bytes.is_empty() {
        let (width, height) = (size.width, size.height);
        let needed = needed.map_or("too many".to_owned(), |needed| needed.to_string());
        let message = format!(
            "has {} bytes, {width} by {height} texels with {components} of 4 bytes each are {needed}",
            bytes.len()
        );
        return Err(Flaw::new(message));
    }
    Ok(bytes.as_chunks::<4>().0.iter().flat_map(|word| u32::from_le_bytes(*word).to_ne_bytes()).collect())
}

/// Texels of a PNG: red, green, blue and alpha from 0 to 1.
fn picture(bytes: &[u8]) -> Result<(Size, Vec<u8>), Flaw> {
    let wrong = |error: png::DecodingError| Flaw::new(format!("is not a PNG that can be read: {error}"));
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let length = reader.output_buffer_size().filter(|&length| length <= 1 << 28);
    let mut pixels = vec![0; length.ok_or_else(|| Flaw::new("is too large a picture"))?];
    let frame = reader.next_frame(&mut pixels).map_err(wrong)?;
    let channels = frame.color_type.samples();
    let color = |pixel: &[u8]| match *pixel {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [r, g, b] => [r, g, b, 255],
        [r, g, b, alpha, ..] => [r, g, b, alpha],
        [] => [0; 4],
    };
    let values = pixels[..frame.buffer_size()].chunks_exact(channels).flat_map(color);
    let texels = values.flat_map(|value| (f32::from(value) / 255.0).to_ne_bytes()).collect();
    Ok((Size { width: frame.width as usize, height: frame.height as usize, texel: Texel::Four }, texels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Picture, write_png};

    #[test]
    fn the_command_line_describes_textures() {
        let given: Given = "2=a.f32,16x8x1,repeat,whole".parse().unwrap();
        assert_eq!((given.unit, given.path.to_str(), given.wrap), (2, Some("a.f32"), Wrap::Repeat));
        assert_eq!(given.size, Some(Size { width: 16, height: 8, texel: Texel::One }));
        assert_eq!(given.coordinates, Coordinates::Textures);
        for wrong in ["", "0", "4=a", "x=a", "0=", "0=a,16", "0=a,16x16", "0=a,1x1x2", "0=a,clamp", "-1=a"] {
            assert!(wrong.parse::<Given>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn pictures_become_numbers_from_0_to_1() {
        let mut png = Vec::new();
        write_png(&mut png, &Picture { width: 2, height: 1, pixels: vec![0, 51, 255, 255, 0, 102] }).unwrap();
        let (size, texels) = picture(&png).unwrap();
        assert_eq!((size.width, size.height, size.texel), (2, 1, Texel::Four));
        let floats: Vec<f32> =
            texels.as_chunks::<4>().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
        assert_eq!(floats, [0.0, 0.2, 1.0, 1.0, 1.0, 0.0, 0.4, 1.0]);
        assert!(picture(&png[..20]).is_err() && picture(b"").is_err());
    }

    #[test]
    fn raw_floats_must_be_as_many_as_the_size_says() {
        let size = |width, height, texel| Size { width, height, texel };
        assert_eq!(raw(&[0, 0, 0x80, 0x3f], size(1, 1, Texel::One)).unwrap(), 1f32.to_ne_bytes());
        assert!(
            raw(&[0; 16], size(2, 2, Texel::One)).is_ok() && raw(&[0; 16], size(1, 1, Texel::Four)).is_ok()
        );
        for (length, size) in
            [(16, size(2, 2, Texel::Four)), (0, size(0, 1, Texel::One)), (4, size(usize::MAX, 2, Texel::One))]
        {
            assert!(raw(&vec![0; length], size).is_err());
        }
    }
}
