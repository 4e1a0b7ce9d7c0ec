//! Draws as games may make them: the benchmark's programs and configurations on ordinary vertices, and in a part of the draws something odd
//! that occurs in models and scenes.

use std::sync::Arc;
use xfjit::front::fixed::Setup;
use xfjit::runtime::state::{ATTRIBUTES, Row};
use xfjit::{Model, Shader};
use xfjit_core::front::Microcode;
use xfjit_isa::chip::Family;
use xfjit_isa::chip::memory::Ram;
use xfjit_isa::chip::slots::slots;
use xfjit_testing::Choices;
use xfjit_testing::programs::{self, Fixed};
use xfjit_testing::setups::{self, FixedSetup};

/// Draws in all.
pub(crate) const DRAWS: usize = 10_000;
/// Vertices of a draw.
pub(crate) const VERTICES: usize = 24;

/// What runs.
pub(crate) enum Subject {
    Program(&'static Fixed),
    Setup(&'static FixedSetup),
}

/// All programs and configurations of the benchmark.
pub(crate) static SUBJECTS: [Subject; programs::ALL.len() + setups::ALL.len()] = {
    let mut all = [const { Subject::Program(&programs::ALL[0]) }; programs::ALL.len() + setups::ALL.len()];
    let mut at = 0;
    while at < all.len() {
        if at < programs::ALL.len() {
            all[at] = Subject::Program(&programs::ALL[at]);
        } else {
            all[at] = Subject::Setup(&setups::ALL[at - programs::ALL.len()]);
        }
        at += 1;
    }
    all
};

/// What registers and rows mean to a subject.
#[derive(Default)]
struct Roles {
    normal: Option<usize>,
    weights: Option<usize>,
    /// First row of the matrix to eye space, of three rows.
    eye: Option<usize>,
    /// The row that makes w of the position in clip space.
    depth: Option<usize>,
    /// The row with the place of the first light, in eye space.
    light: Option<usize>,
}

/// A subject that is ready, with its usual data.
pub(crate) struct Prepared {
    pub(crate) shader: Shader,
    constants: Vec<Row>,
    vertices: Vec<[Row; ATTRIBUTES]>,
    roles: Roles,
}

/// Vertices that draws take theirs from.
pub(crate) const POOL: usize = 1024;

impl Subject {
    pub(crate) fn prepared(&self, model: Model) -> Prepared {
        match self {
            Subject::Program(fixed) => {
                let words = fixed.vertices(POOL);
                let vertices = words.chunks_exact(fixed.input_words()).map(|words| {
                    let mut rows = [[0; 4]; ATTRIBUTES];
                    for (&register, row) in fixed.attributes.iter().zip(words.as_chunks().0) {
                        rows[usize::from(register)] = *row;
                    }
                    rows
                });
                let has = |register: usize| fixed.attributes.contains(&(register as u8)).then_some(register);
                let is_seed = fixed.name == "P5";
                Prepared {
                    shader: Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model)),
                    constants: fixed.context().rows().to_vec(),
                    vertices: vertices.collect(),
                    roles: Roles {
                        normal: has(2),
                        weights: has(1),
                        eye: (!is_seed && fixed.name != "P1").then_some(4),
                        depth: (!is_seed).then_some(3),
                        light: ["P3", "P6"].contains(&fixed.name).then_some(16),
                    },
                }
            }
            Subject::Setup(set) => {
                let columns = set.vertices(POOL);
                let pipeline = set.mode().pipeline();
                let slots = slots(pipeline);
                let row = |slot| Ram::Xfctx.row(pipeline, slot);
                let is_kelvin = pipeline.family() == Family::Kelvin;
                Prepared {
                    shader: Shader::from(Setup::new(set.mode()).model(model)),
                    constants: set.context().rows().to_vec(),
                    vertices: (0..POOL)
                        .map(|at| std::array::from_fn(|register| columns[register][at]))
                        .collect(),
                    roles: Roles {
                        normal: Some(if is_kelvin { 2 } else { 5 }),
                        weights: is_kelvin.then_some(1),
                        eye: row(slots.model_view[0]),
                        depth: row(slots.projection + 3),
                        light: (set.name == "F3").then(|| row(slots.light_position)).flatten(),
                    },
                }
            }
        }
    }
}

/// A draw, and which of [`TRAITS`] it has.
pub(crate) struct Draw {
    pub(crate) constants: Vec<Row>,
    pub(crate) vertices: Vec<[Row; ATTRIBUTES]>,
    pub(crate) oddity: usize,
    /// Which vertex of the pool each is, if it and the constants are as they were.
    pub(crate) usual: Vec<Option<usize>>,
}

/// Something odd about a draw.
pub(crate) struct Trait {
    pub(crate) what: &'static str,
    /// How often, of a thousand draws that can have it.
    share: u32,
    /// Makes it so; false if the subject cannot have it.
    make: fn(&mut Draw, &Roles, &mut Choices<'_>) -> bool,
}

const NAN: u32 = 0x7fff_ffff;
const ZERO: Row = [0; 4];

fn one(draw: &mut Draw, c: &mut Choices<'_>) -> usize {
    c.below(draw.vertices.len() as u32) as usize
}

/// Changes an attribute of one vertex.
fn in_one(
    draw: &mut Draw,
    register: Option<usize>,
    c: &mut Choices<'_>,
    row: impl FnOnce(Row) -> Row,
) -> bool {
    let at = one(draw, c);
    let Some(register) = register else { return false };
    let attribute = &mut draw.vertices[at][register];
    *attribute = row(*attribute);
    true
}

/// What is odd, the first one nothing. Shares are guesses: nobody has counted games.
pub(crate) static TRAITS: [Trait; 12] = [
    Trait { what: "nothing", share: 0, make: |_, _, _| true },
    Trait {
        what: "one normal has the length 0",
        share: 60,
        make: |draw, roles, c| in_one(draw, roles.normal, c, |_| ZERO),
    },
    Trait {
        what: "one normal is NaN, as from tools that divide by its length",
        share: 20,
        make: |draw, roles, c| in_one(draw, roles.normal, c, |_| [NAN, NAN, NAN, 0]),
    },
    Trait {
        what: "one vertex is all zeros, like padding",
        share: 40,
        make: |draw, _, c| {
            let at = one(draw, c);
            draw.vertices[at] = [ZERO; ATTRIBUTES];
            true
        },
    },
    Trait {
        what: "positions have w = 0, as skies do",
        share: 30,
        make: |draw, _, _| {
            draw.vertices.iter_mut().for_each(|vertex| vertex[0][3] = 0);
            true
        },
    },
    Trait {
        what: "one weight is denormal",
        share: 30,
        make: |draw, roles, c| in_one(draw, roles.weights, c, |[x, y, z, _]| [x, y, z, 0x0000_2000]),
    },
    Trait {
        what: "one weight is 0",
        share: 60,
        make: |draw, roles, c| in_one(draw, roles.weights, c, |[x, y, z, _]| [x, y, z, 0]),
    },
    Trait {
        what: "the model is scaled to nothing",
        share: 20,
        make: |draw, roles, _| {
            let Some(eye) = roles.eye else { return false };
            draw.constants[eye..][..3].iter_mut().for_each(|row| *row = [0, 0, 0, row[3]]);
            true
        },
    },
    Trait {
        what: "the model is scaled to nothing at the place of a light",
        share: 10,
        make: |draw, roles, _| {
            let (Some(eye), Some(light)) = (roles.eye, roles.light) else { return false };
            let place = draw.constants[light];
            draw.constants[eye..][..3].iter_mut().zip(place).for_each(|(row, at)| *row = [0, 0, 0, at]);
            true
        },
    },
    Trait {
        what: "w of the projected position is 0",
        share: 10,
        make: |draw, roles, _| {
            roles.depth.is_some_and(|row| {
                draw.constants[row] = ZERO;
                true
            })
        },
    },
    Trait {
        what: "one position is as far as floats go",
        share: 20,
        make: |draw, _, c| in_one(draw, Some(0), c, |[_, y, z, w]| [0x7f7f_ffff, y, z, w]),
    },
    Trait {
        what: "the matrix was never set, and is NaN",
        share: 5,
        make: |draw, roles, _| {
            let Some(eye) = roles.eye else { return false };
            draw.constants[eye..][..3].fill([NAN; 4]);
            true
        },
    },
];

impl Draw {
    /// The draw of a number.
    pub(crate) fn of(subject: &Prepared, number: u64) -> Draw {
        let c = &mut Choices::seed(number);
        let first = c.below((POOL - VERTICES) as u32) as usize;
        let vertices = subject.vertices[first..][..VERTICES].to_vec();
        let mut draw = Draw { constants: subject.constants.clone(), vertices, oddity: 0, usual: Vec::new() };
        let at = c.below(1000);
        let mut below = 0;
        for (number, oddity) in TRAITS.iter().enumerate() {
            below += oddity.share;
            if at < below {
                if (oddity.make)(&mut draw, &subject.roles, c) {
                    draw.oddity = number;
                }
                break;
            }
        }
        let are_usual = draw.constants == subject.constants;
        let usual = |(place, vertex): (usize, &[Row; ATTRIBUTES])| {
            (are_usual && *vertex == subject.vertices[first + place]).then_some(first + place)
        };
        draw.usual = draw.vertices.iter().enumerate().map(usual).collect();
        draw
    }
}
