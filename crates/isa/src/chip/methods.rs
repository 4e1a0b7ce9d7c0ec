//! FE3D methods that load the unit, by their numbers: which object has them, and what they write.

use super::Family;
use super::memory::Ram;
use super::mode::{Name, Property, Side};

/// Methods with consecutive numbers, a dword each.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The first number.
    pub first: u32,
    /// How many dwords there are.
    pub words: u32,
    /// Objects that have them, by the family that their class came with.
    pub classes: &'static [Family],
    /// What they do.
    pub what: What,
}

/// What a method does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A dword of the instruction at the load pointer of programs.
    Program,
    /// A component of the row at the load pointer of constants.
    Constant,
    /// Sets the load pointer of programs.
    ProgramPointer,
    /// Sets the load pointer of constants.
    ConstantPointer,
    /// Sets the slot in which programs start.
    Start,
    /// A word of the vector that state programs read.
    Parameter,
    /// Runs a state program from a slot on.
    Launch,
    /// Who transforms vertices, and how: [`EXECUTION`].
    Execution,
    /// Fields of XFMODE.
    Fields(&'static [Bits]),
    /// A word of XTRA, from this vector on.
    Xtra(u16),
    /// Curie's timeout.
    Timeout,
    /// Curie's conditions of BRB and CLB.
    BranchBits,
    /// A word of Curie's output map.
    OutputMap(usize),
    /// Curie's attributes of finished vertices that are on.
    OutputMask,
    /// Curie's attributes that are fetched.
    InputMask,
    /// Words of a memory from this slot on; where the method is one of a light, that of light 0.
    Memory(Ram, u16),
}

/// Bits of a method's value, and the field of XFMODE that they become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    /// The field.
    pub name: Name,
    /// The lowest bit in the value.
    pub low: u32,
    /// Bits.
    pub width: u32,
}

impl Bits {
    /// What a value has there.
    pub const fn of(self, value: u32) -> u32 {
        value >> self.low & ((1 << self.width) - 1)
    }

    /// All bits of a value that belong to fields which an object of a class can set.
    pub fn all(fields: &[Bits], class: Family) -> u32 {
        let has = |bits: &&Bits| class.pipeline().is_none_or(|pipeline| pipeline.place(bits.name).is_some());
        fields.iter().filter(has).fold(0, |mask, bits| mask | ((1 << bits.width) - 1) << bits.low)
    }
}

const fn bits(name: Name, low: u32, width: u32) -> Bits {
    Bits { name, low, width }
}

/// The value of the method of the execution mode (kelvin.md 2, rankine_curie.md 1.5); on Curie, which has no XFMODE, it
/// is kept in a register.
pub const EXECUTION: &[Bits] = &[
    bits(Name::Mode, 0, 2),
    bits(Name::ContextAccess, 2, 1),
    bits(Name::ArithRules, 4, 1),
    bits(Name::ViewportSkip, 8, 1),
];

/// Modes of lights.
const LIGHT_ENABLE: &[Bits] = &[
    bits(Name::Light(0), 0, 2),
    bits(Name::Light(1), 2, 2),
    bits(Name::Light(2), 4, 2),
    bits(Name::Light(3), 6, 2),
    bits(Name::Light(4), 8, 2),
    bits(Name::Light(5), 10, 2),
    bits(Name::Light(6), 12, 2),
    bits(Name::Light(7), 14, 2),
];

const CELSIUS: &[Family] = &[Family::Celsius];
const KELVIN: &[Family] = &[Family::Kelvin];
const RANKINE: &[Family] = &[Family::Rankine];
const CURIE: &[Family] = &[Family::Curie];
const LATER: &[Family] = &[Family::Rankine, Family::Curie];
const PROGRAMMABLE: &[Family] = &[Family::Kelvin, Family::Rankine, Family::Curie];

const fn at(first: u32, words: u32, classes: &'static [Family], what: What) -> Method {
    Method { first, words, classes, what }
}

/// Celsius: words of a memory.
const fn to(first: u32, words: u32, ram: Ram, slot: u16) -> Method {
    at(first, words, CELSIUS, What::Memory(ram, slot))
}

/// Every method whose number the documents give (kelvin.md 2; rankine_curie.md 1.5; fixed_function.md 2.3), those that a
/// draw has most of first.
pub const METHODS: &[Method] = &[
    at(0x0b80, 32, KELVIN, What::Constant),
    at(0x1f00, 32, LATER, What::Constant),
    at(0x1ea4, 1, KELVIN, What::ConstantPointer),
    at(0x1efc, 1, LATER, What::ConstantPointer),
    at(0x0b00, 32, KELVIN, What::Program),
    at(0x0b80, 32, LATER, What::Program),
    at(0x1e80, 4, PROGRAMMABLE, What::Parameter),
    at(0x1e90, 1, PROGRAMMABLE, What::Launch),
    at(0x1e94, 1, PROGRAMMABLE, What::Execution),
    at(0x1e98, 1, &[Family::Kelvin, Family::Rankine], What::Fields(&[bits(Name::ContextWrite, 0, 1)])),
    at(0x1e9c, 1, PROGRAMMABLE, What::ProgramPointer),
    at(0x1ea0, 1, PROGRAMMABLE, What::Start),
    at(0x1f80, 8, RANKINE, What::Xtra(0)),
    at(0x1fa0, 1, LATER, What::Xtra(2)),
    at(0x1ef8, 1, CURIE, What::Timeout),
    at(0x1ff8, 1, CURIE, What::BranchBits),
    at(0x1fc4, 1, CURIE, What::OutputMap(0)),
    at(0x1fc8, 1, CURIE, What::OutputMap(1)),
    at(0x1fcc, 1, CURIE, What::OutputMap(2)),
    at(0x1fd0, 1, CURIE, What::OutputMap(3)),
    at(0x1fd4, 1, CURIE, What::OutputMap(4)),
    at(0x1ff0, 1, CURIE, What::InputMask),
    at(0x1ff4, 1, CURIE, What::OutputMask),
    // Celsius: LIGHT_MODEL, LIGHT_MATERIAL, FOG_COORD, LIGHT_ENABLE, TL_MODE.
    at(
        0x294,
        1,
        CELSIUS,
        What::Fields(&[
            bits(Name::VertexSpecular, 0, 1),
            bits(Name::SeparateSpecular, 1, 1),
            bits(Name::RawAttenuation, 2, 1),
            bits(Name::LocalViewer, 16, 1),
        ]),
    ),
    at(
        0x298,
        1,
        CELSIUS,
        What::Fields(&[
            bits(Name::Source(Side::Front, Property::Emission), 0, 1),
            bits(Name::Source(Side::Front, Property::Ambient), 1, 1),
            bits(Name::Source(Side::Front, Property::Diffuse), 2, 1),
            bits(Name::Source(Side::Front, Property::Specular), 3, 1),
        ]),
    ),
    at(0x2a0, 1, CELSIUS, What::Fields(&[bits(Name::FogCoord, 0, 2)])),
    at(0x3bc, 1, CELSIUS, What::Fields(LIGHT_ENABLE)),
    at(
        0x3e8,
        1,
        CELSIUS,
        What::Fields(&[
            bits(Name::Mode, 0, 1),
            bits(Name::TexPerspective(0), 1, 1),
            bits(Name::TexPerspective(1), 2, 1),
        ]),
    ),
    to(0x3a8, 3, Ram::Ltctx, 0x2a),  // material factor, rgb
    to(0x3b4, 1, Ram::Ltc(3), 0x0b), // and alpha
    to(0x400, 16, Ram::Xfctx, 0x00), // MV0
    to(0x440, 16, Ram::Xfctx, 0x0c), // MV1
    to(0x480, 16, Ram::Xfctx, 0x04), // IMV0
    to(0x4c0, 16, Ram::Xfctx, 0x10), // IMV1
    to(0x500, 16, Ram::Xfctx, 0x08), // PROJ
    to(0x540, 16, Ram::Xfctx, 0x18), // TX0
    to(0x580, 16, Ram::Xfctx, 0x20), // TX1
    to(0x600, 16, Ram::Xfctx, 0x14), // planes of texture 0
    to(0x640, 16, Ram::Xfctx, 0x1c), // and 1
    to(0x680, 3, Ram::Ltctx, 0x2b),  // fog coefficients
    to(0x68c, 4, Ram::Xfctx, 0x38),  // fog plane
    to(0x6a0, 1, Ram::Ltc(1), 0x01), // shininess A
    to(0x6a4, 1, Ram::Ltc(2), 0x01), // B
    to(0x6a8, 1, Ram::Ltc(3), 0x02), // C
    to(0x6ac, 1, Ram::Ltc(0), 0x02), // D
    to(0x6b0, 1, Ram::Ltc(2), 0x02), // E
    to(0x6b4, 1, Ram::Ltc(2), 0x03), // F
    to(0x6c4, 3, Ram::Ltctx, 0x29),  // scene ambient
    to(0x6e8, 4, Ram::Xfctx, 0x39),  // viewport translate
    to(0x6f8, 3, Ram::Ltctx, 0x2d),  // point parameters 0 to 2
    to(0x704, 3, Ram::Ltctx, 0x2e),  // 3 to 5
    to(0x710, 1, Ram::Ltc(1), 0x02), // 6
    to(0x714, 1, Ram::Ltc(3), 0x01), // 7
    to(0x718, 4, Ram::Xfctx, 0x34),  // eye position
    // Lights: those of light 0.
    to(0x800, 9, Ram::Ltctx, 0x00),  // ambient, diffuse, specular
    to(0x824, 1, Ram::Ltc(1), 0x03), // range
    to(0x828, 6, Ram::Ltctx, 0x03),  // half vector, direction
    to(0x840, 1, Ram::Ltc(1), 0x0b), // spot cutoff: one word each in three memories
    to(0x844, 1, Ram::Ltc(2), 0x04),
    to(0x848, 1, Ram::Ltc(3), 0x03),
    to(0x84c, 4, Ram::Xfctx, 0x2c), // spot direction
    to(0x85c, 3, Ram::Xfctx, 0x24), // position
    to(0x868, 3, Ram::Ltctx, 0x03), // attenuation
];

/// Methods of Celsius's lights.
const LIGHTS: std::ops::Range<u32> = 0x800..0xc00;
/// Methods from one light to the next.
const LIGHT: u32 = 0x80;
/// Slots of LTCTX from one light to the next.
const LIGHT_SLOTS: u16 = super::slots::slots(super::Pipeline::NV15).lighting.stride as u16;

/// The method of an object that has a number, and which of its dwords it is; `None` where the documents know none. What
/// is of a light comes with that light's slot.
pub fn find(class: Family, number: u32) -> Option<(Method, u32)> {
    if number & 3 != 0 {
        return None;
    }
    let (base, light) = if class == Family::Celsius && LIGHTS.contains(&number) {
        (LIGHTS.start + number % LIGHT, ((number - LIGHTS.start) / LIGHT) as u16)
    } else {
        (number, 0)
    };
    let here = |method: &&Method| {
        base.wrapping_sub(method.first) < 4 * method.words && method.classes.contains(&class)
    };
    let mut method = *METHODS.iter().find(here)?;
    let word = (base - method.first) / 4;
    if let What::Memory(ram, slot) = &mut method.what {
        *slot += if *ram == Ram::Ltctx { LIGHT_SLOTS * light } else { light };
    }
    Some((method, word))
}

#[cfg(test)]
mod doc_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_object_has_two_methods_of_one_number() {
        for &class in Family::ALL {
            let mut numbers: Vec<u32> = METHODS
                .iter()
                .filter(|method| method.classes.contains(&class))
                .flat_map(|method| (0..method.words).map(|word| method.first + 4 * word))
                .collect();
            let count = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), count, "{class:?}");
        }
    }

    #[test]
    fn methods_load_slots_that_exist_and_fields_that_the_family_has() {
        for &class in Family::ALL {
            for number in (0..0x2000).step_by(4) {
                match find(class, number) {
                    Some((Method { what: What::Memory(ram, slot), .. }, word)) => {
                        let pipeline = class.pipeline().expect("it has such memories");
                        let last = usize::from(slot) + word as usize / ram.components();
                        assert!(last < ram.slots(pipeline), "{number:#x}");
                    }
                    Some((Method { what: What::Fields(fields), .. }, _)) => {
                        let pipeline = class.pipeline().expect("it has XFMODE");
                        for bits in fields {
                            let place = pipeline.place(bits.name).expect("it has the field");
                            assert_eq!(place.width, bits.width, "{number:#x}");
                        }
                    }
                    _ => {}
                }
            }
            assert!((0..0x2000).filter(|number| number % 4 != 0).all(|number| find(class, number).is_none()));
        }
    }

    #[test]
    fn what_methods_set_is_what_lighting_reads() {
        let slots = &super::super::slots::slots(super::super::Pipeline::NV15);
        let lighting = &slots.lighting;
        let goes = |number| match find(Family::Celsius, number) {
            Some((Method { what: What::Memory(ram, slot), .. }, 0)) => (ram, usize::from(slot)),
            other => panic!("{number:#x}: {other:?}"),
        };
        let ltc = |(number, slot)| (Ram::Ltc(number), slot);
        for light in 0..8 {
            let method = |number: u32| goes(number + 0x80 * light);
            let light = light as usize;
            assert_eq!(method(0x85c), (Ram::Xfctx, slots.light_position + light));
            assert_eq!(method(0x84c), (Ram::Xfctx, slots.spot_direction + light));
            assert_eq!(method(0x824), ltc((lighting.range.0, lighting.range.1 + light)));
            assert_eq!(method(0x828), (Ram::Ltctx, lighting.stride * light + lighting.half));
            for (number, (ram, slot)) in [0x840, 0x844, 0x848].into_iter().zip(lighting.cutoff) {
                assert_eq!(method(number), ltc((ram, slot + light)));
            }
        }
        let shininess = [0x6a0, 0x6a4, 0x6a8, 0x6ac, 0x6b0, 0x6b4].map(goes);
        assert_eq!(shininess, lighting.front.shininess.map(ltc));
        assert_eq!(
            [goes(0x3b4), goes(0x6c4)],
            [ltc(lighting.front.alpha), (Ram::Ltctx, lighting.front.scene)]
        );
        assert_eq!([goes(0x600), goes(0x640)], [0, 1].map(|unit| (Ram::Xfctx, slots.texture[unit])));
    }
}
