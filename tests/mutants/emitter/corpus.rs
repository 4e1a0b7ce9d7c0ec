//! What faulty code is made of: random programs of each generation, configurations, and attributes in all forms.

use std::fmt;
use xfjit::asm;
use xfjit::backend::{Backend, Interp};
use xfjit::runtime::num::Model;
use xfjit::{Config, Generation, Worker, isa};
use xfjit_core::backend::Eval;
use xfjit_testing::case::{Feed, Ran, Refusal};
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{
    Case, Choices, FixedCase, FlipperCase, Limits, RandomCase, RandomFixed, RandomFlipper, check_layouts_on,
};

/// Something to compile and to run.
pub(crate) enum Work {
    Program(Box<Case>),
    /// A program whose attributes have the forms and index lists that a seed says. Running it compares it.
    Forms(Box<Case>, u64),
    Fixed(Box<FixedCase>),
    Flipper(Box<FlipperCase>),
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Program(case) | Work::Forms(case, _) => write!(f, "{case}"),
            Work::Fixed(case) => write!(f, "{:?}", case.setup),
            Work::Flipper(case) => write!(f, "{:?}", case.setup),
        }
    }
}

impl Work {
    /// Vertices.
    pub(crate) fn count(&self) -> usize {
        match self {
            Work::Program(case) | Work::Forms(case, _) => case.count,
            Work::Fixed(case) => case.count(),
            Work::Flipper(case) => case.count(),
        }
    }

    /// Runs it; nothing if that has compared it as well.
    ///
    /// # Panics
    /// If a program whose attributes have other forms does not do what the reference does.
    pub(crate) fn run(&self, backend: &dyn Backend, worker: &mut Worker) -> Result<Option<Ran>, Refusal> {
        match self {
            Work::Program(case) => case.run(backend, worker).map(Some),
            Work::Forms(case, seed) => {
                check_layouts_on(&[backend], case, &mut Choices::seed(*seed), worker);
                Ok(None)
            }
            Work::Fixed(case) => case.run(backend, worker).map(Some),
            Work::Flipper(case) => case.run(backend, worker).map(Some),
        }
    }

    /// What the reference makes of it.
    pub(crate) fn reference(&self, worker: &mut Worker) -> Option<Ran> {
        let ran = match self {
            Work::Program(case) => case.run(&Interp::Single, worker),
            Work::Forms(..) => return None,
            Work::Fixed(case) => case.run(&Eval::Xf, worker),
            Work::Flipper(case) => case.run(&Interp::Single, worker),
        };
        Some(ran.unwrap_or_else(|refusal| panic!("{refusal}\n{self}")))
    }
}

/// What random programs seldom have, on vertices that differ: functions of one operand, relative reads, all attributes, branches at which they part.
const TEXTS: [(Generation, &str); 6] = [
    (
        Generation::Kelvin,
        "MOV R0, v4
MOV oPos, v0
EXP oD0, v1.x
LOG oD1, v2.y
LIT oT0, v3
DST oT1, R0, v5
RCC oT2.x, v6.x
RSQ oT2.y, v7.x
RCP oT2.z, v8.x",
    ),
    (
        Generation::Kelvin,
        "ARL A0.x, v0.x
MOV R0, v1
MOV oPos, c[A0.x + 90]
MAD oD0, R0, v2, c[A0.x + 3]
DP4 oD1, v3, c[A0.x]
DPH oT0, R0, v5
MIN oT1, R0, v7
MAX oT2, R0, v9
SGE oT3, R0, v11",
    ),
    (
        Generation::Kelvin,
        "MOV R0, v0
MOV R1, v1
MOV R2, v2
ADD oPos, R0, v3
ADD oD0, R1, v4
ADD oD1, R2, v5
ADD oT0, R0, v6
ADD oT1, R1, v7
ADD oT2, R2, v8
ADD oT3, R0, v9
MUL oB0, R1, v10
MUL oB1, R2, v11",
    ),
    (
        Generation::Rankine,
        "MOV R0, v5
LG2 o0.x, v0.x
EX2 o0.y, v0.y
SIN o0.z, v0.z
COS o0.w, v0.w
EXP o1, v1.x
LOG o2, v2.x
FLR o3, v3
FRC o4, v4
SEQ o5, R0, v6
STR o6
SSG o7, v8",
    ),
    (
        Generation::Curie,
        "LG2 o0.x, v0.x
EX2 o0.y, v0.y
SIN o0.z, v0.z
COS o0.w, v0.w
EXP o1, v1.x
LOG o2, v2.x
RSQ o3.x, v3.x
RCP o3.y, v3.y
RCC o3.z, v3.z
LIT o4, v4
ARR A0, v5
MOV o5, c[A0.y + 5]",
    ),
    (
        Generation::Curie,
        "MOV R0, v0
MOVC R1, v1
BRA minus (LT.x)
MUL R0, R0, v2
MOVC R1, v3
BRA end (GT.y)
ADD R0, R0, v4
BRA end
minus:
MAD R0, R0, v5, R1
end:
MOV o0, R0
MOV o1, R1",
    ),
];

/// A program of [`TEXTS`] on more vertices than the longest vectors have, which a seed gives forms.
fn written(generation: Generation, text: &str, model: Model, seed: u64) -> Case {
    let program = asm::parse(generation, text).expect("it assembles");
    let words = isa::encode(generation, &program);
    let shape = Shape { slots: 1, rare: 0, raw: 0, idioms: 0 };
    let limits = Limits { generation, shape, temper: Temper::Ordinary, vertices: 40, model: Some(model) };
    let config = Config::new(generation).model(model).live_outputs(program.written_outputs());
    let cases = (0..).map(|step| {
        let mut c = Choices::seed(1000 * seed + step);
        Case::with_program(&mut c, limits, words.clone(), 0, config.clone())
    });
    cases.into_iter().find(|case| case.count > 32).expect("one of many has so many")
}

/// Numbers at which recipes turn: zeros, what SIN's shifter wraps, powers of two that are no normal number, what is no number.
const TURNS: [u32; 16] = [
    0,
    1 << 31,
    0,
    1 << 31,
    0x3080_0000,
    0xb100_0000,
    0xc302_0000,
    0xc316_0000,
    0x3f80_0000,
    0xbf00_0000,
    0x0000_0001,
    0x8070_0000,
    0x4b00_0001,
    0x7f7f_ffff,
    0xff80_0000,
    0x7fc0_0001,
];

/// A case on such numbers.
fn at_turns(case: &Case, seed: u64) -> Case {
    let mut c = Choices::seed(seed);
    let mut feed = || {
        let words = (0..4 * case.count).flat_map(|_| c.pick(&TURNS).to_ne_bytes());
        Feed::Stream { data: words.collect(), offset: 0, stride: 16, components: 4 }
    };
    Case { attributes: std::array::from_fn(|_| feed()), indices: None, ..case.clone() }
}

/// Small ones first: most faults are found by any of them.
pub(crate) fn corpus() -> Vec<Work> {
    let mut corpus = Vec::new();
    for (seed, (generation, text)) in TEXTS.into_iter().enumerate() {
        for model in [Model::Ieee, Model::Hw] {
            let case = written(generation, text, model, seed as u64);
            corpus.extend((0..3).map(|turn| Work::Program(Box::new(at_turns(&case, turn)))));
            corpus.extend((0..4).map(|seed| Work::Forms(Box::new(case.clone()), seed)));
            corpus.push(Work::Program(Box::new(case)));
        }
    }
    for seed in 0..8 {
        for &generation in Generation::ALL {
            let mut c = Choices::seed(seed);
            let limits = Limits::choose(&mut c, generation);
            let mut case = Case::within(&mut c, limits);
            case.config.constant_writes ^= seed % 4 == 0;
            corpus.push(Work::Forms(Box::new(case.clone()), seed));
            corpus.push(Work::Program(Box::new(case)));
        }
        let vertices = 33 - 3 * seed as usize;
        for family in xfjit_testing::FAMILIES {
            let case = FixedCase::choose(&mut Choices::seed(seed), family, None, vertices);
            corpus.push(Work::Fixed(Box::new(case)));
        }
        let case = FlipperCase::choose_flipper(&mut Choices::seed(seed), vertices);
        corpus.push(Work::Flipper(Box::new(case)));
    }
    corpus
}
