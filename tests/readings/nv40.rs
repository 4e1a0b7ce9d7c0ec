//! NV40's execution mode and output map, as methods set them.

use crate::assert_none;
use crate::figures::{Reading, reading};
use crate::lines::{case, words};
use std::collections::BTreeSet;
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::chip::output_map::{Place, VertexAttribute as Attribute};
use xfjit::runtime::num::bits::ONE;
use xfjit::runtime::state::Row;
use xfjit::xf::methods::Methods;
use xfjit::xf::trace::Item;
use xfjit::xf::{Chip, Command, Output, Type, XfUnit};
use xfjit::{Engine, Generation, Options, asm, isa};

const READING: Reading = reading!("nv40", 1_000);
/// The methods of a case, in the order of its words.
const METHODS: [u32; 7] = [0x1e94, 0x1fc4, 0x1fc8, 0x1fcc, 0x1fd0, 0x1fd4, 0x1ff4];

/// The names of the reading, in its order.
const NAMES: [(&str, Attribute); 22] = [
    ("COL0", Attribute::Colour0),
    ("COL1", Attribute::Colour1),
    ("BFC0", Attribute::Back0),
    ("BFC1", Attribute::Back1),
    ("FOG", Attribute::Fog),
    ("PSZ", Attribute::PointSize),
    ("CLIP0", Attribute::Clip0),
    ("CLIP1", Attribute::Clip1),
    ("CLIP2", Attribute::Clip2),
    ("CLIP3", Attribute::Clip3),
    ("CLIP4", Attribute::Clip4),
    ("CLIP5", Attribute::Clip5),
    ("TC8", Attribute::Tex8),
    ("TC9", Attribute::Tex9),
    ("TC0", Attribute::Tex0),
    ("TC1", Attribute::Tex1),
    ("TC2", Attribute::Tex2),
    ("TC3", Attribute::Tex3),
    ("TC4", Attribute::Tex4),
    ("TC5", Attribute::Tex5),
    ("TC6", Attribute::Tex6),
    ("TC7", Attribute::Tex7),
];

fn place(place: Option<Place>) -> String {
    match place {
        None => "off".to_owned(),
        Some(Place::Register(register)) => format!("o{register}"),
        Some(Place::Component(register, component)) => {
            format!("o{register}.{}", char::from(b"xyzw"[usize::from(component)]))
        }
    }
}

/// A unit behind methods; none if one of them is refused.
fn unit(methods: &[u32], values: &[u32]) -> Option<XfUnit> {
    let engine = Engine::new(Options::default().with(|options| options.backend = Arc::new(Interp::Single)));
    let (mut front, mut unit) = (Methods::new(Chip::Nv40), XfUnit::new(Arc::new(engine), Chip::Nv40));
    for (&method, &value) in methods.iter().zip(values) {
        let play = &mut |item: Item| {
            unit.play(&item);
        };
        front.write(method, value, play).ok()?;
    }
    Some(unit)
}

/// The only attribute of the vertex.
const POSITION: Row = [(-1.5f32).to_bits(), 0, f32::INFINITY.to_bits(), ONE];
/// Each slot shows one thing: the viewport transform, whether zero times infinity is zero, whether opcodes from 0x0e on write.
const PROGRAM: &str = "MOV o0, v0\nMUL o1, v0.y, v0.z\nFLR o2, v0";

/// What a program shows of the mode, in the words of the reading.
fn shown(unit: &mut XfUnit) -> String {
    let Some(generation) = unit.generation() else { return "mode=FIXED".to_owned() };
    let program = asm::parse(generation, PROGRAM).expect("both generations have these");
    let code = isa::encode(generation, &program);
    for (slot, &[x, y, z, w]) in (0..).zip(code.as_chunks::<4>().0) {
        unit.command(Command::pair(Type::Xfpr, slot, 0, [x, y]));
        unit.command(Command::pair(Type::Xfpr, slot, 2, [z, w]));
    }
    let [x, y, z, w] = POSITION;
    unit.command(Command::pair(Type::Vab, 0, 0, [x, y]));
    unit.command(Command::pair(Type::Vab, 0, 2, [z, w]));
    unit.vertex();
    let mut rows: Vec<[Row; 3]> = Vec::new();
    unit.drain(|output| {
        if let Output::Vertices(vertices) = output {
            rows.push(
                [0, 1, 2].map(|register| vertices.register(0, register).expect("every register is sent")),
            );
        }
    });
    let [[position, product, floor]] = rows[..] else { panic!("one vertex comes out") };
    let mode = match (generation, floor[0] == (-2.0f32).to_bits()) {
        (Generation::Curie, true) => "V3",
        (Generation::Rankine, true) => "V2",
        (Generation::Rankine, false) => "V1",
        (Generation::Curie | Generation::Kelvin, _) => "none of NV40's",
    };
    let arithmetic = if product[0] == 0 { "legacy" } else { "modern" };
    let viewport = if position == POSITION { "skipped" } else { "applied" };
    format!("mode={mode} arithmetic={arithmetic} viewport={viewport}")
}

/// The setting in the words of the reading. The fixed function shows less of the mode, so only its name is compared. The map
/// decides which registers are sent, so the program that shows the mode runs with that of a reset.
fn printed(values: [u32; METHODS.len()]) -> (String, String) {
    let mode = unit(&METHODS[..1], &values[..1]).map_or("mode=error".to_owned(), |mut unit| shown(&mut unit));
    let map = unit(&METHODS[1..], &values[1..]).expect("the map takes every value").output_map();
    let places = NAMES.map(|(name, attribute)| format!("{name}={}", place(map.place(attribute))));
    (mode, places.join(" "))
}

#[test]
fn every_setting_means_what_the_reading_says() {
    READING.check(|text| {
        let wrong: Vec<String> = text
            .lines()
            .filter_map(|line| {
                let (values, reading) = case(line);
                let (mode, places) = printed(words(values));
                let agrees = reading.starts_with(&mode) && reading.ends_with(&format!(" {places}"));
                (!agrees).then(|| format!("{values}\n  read: {reading}\n  set:  {mode} {places}"))
            })
            .collect();
        assert_none("nv40", READING.count, &wrong);
    });
}

/// The figures are no evidence of what does not occur in them.
#[test]
fn every_mode_and_place_occurs_in_the_figures() {
    let text = READING.committed();
    let occurs = |part: &str| {
        let cases = text.lines().filter(|line| case(line).1.split(' ').any(|field| field == part)).count();
        assert!(cases >= 3, "{part} occurs in {cases} cases only");
    };
    for mode in ["V1", "V2", "V3", "FIXED", "error"] {
        occurs(&format!("mode={mode}"));
    }
    ["arithmetic=modern", "arithmetic=legacy", "viewport=skipped", "viewport=applied"]
        .into_iter()
        .for_each(occurs);
    for (name, _) in NAMES {
        occurs(&format!("{name}=off"));
        let registers: BTreeSet<&str> = text
            .lines()
            .flat_map(|line| case(line).1.split(' '))
            .filter_map(|field| field.strip_prefix(name)?.strip_prefix("=o")?.split('.').next())
            .collect();
        // "ff" of "off" is one of them.
        assert_eq!(registers.len(), 17, "{name}: {registers:?}");
    }
}
