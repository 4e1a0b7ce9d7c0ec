//! Programs in OpenGL's languages: `opengl/*.vp`, translated for every generation. The result is compared with the
//! listing beside the program, and run: every backend gives the same bits.
//!
//! `XFJIT_BLESS=1 cargo test --test opengl` writes the listings anew; read the difference before committing it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xfjit::asm::gl::{self, Assembled, Binding, Language, Notation};
use xfjit::asm::{self, Passes};
use xfjit::backend::{Backend, Interp};
use xfjit::front::Microcode;
use xfjit::isa::{self, Program};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::{Config, Generation, Worker};
use xfjit_testing::program::{self, Shape};
use xfjit_testing::{Choices, backends, branching, fuzz_asm};

/// Vertices of a run: whole groups and a part of one.
const VERTICES: usize = 23;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opengl")
}

/// The programs, by the names of their files.
fn programs() -> Vec<(String, String)> {
    let entries = fs::read_dir(directory()).expect("the directory of programs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "vp"));
    paths.sort();
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let read = |path: &PathBuf| fs::read_to_string(path).expect("a program");
    paths.iter().map(|path| (name(path).expect("a name"), read(path))).collect()
}

/// Rows and instructions, or what is wrong; then the instructions in fewer slots.
fn listing(generation: Generation, text: &str) -> String {
    match gl::assemble(Some(generation), text, Passes::NONE) {
        Ok(Assembled { program, rows, .. }) => {
            let short = gl::assemble(Some(generation), text, Passes::ALL).expect("what fits may be shorter");
            assert_eq!(short.rows, rows);
            let mut listing = String::new();
            for row in rows.iter().filter(|row| !matches!(row.binding, Binding::Parameter(_))) {
                writeln!(listing, "; c[{}] = {}", row.row, row.binding).expect("strings can be written");
            }
            listing += &asm::print(generation, &program);
            let count = short.program.insns.len();
            listing + &format!("--- in {count} slots\n") + &asm::print(generation, &short.program)
        }
        Err(errors) => errors.iter().map(|error| error.render(text)).collect(),
    }
}

/// Errors point into a text that ends behind any of its words, with a space, which belongs to none.
#[test]
fn texts_may_end_anywhere() {
    for (_, text) in programs() {
        for (end, pair) in text.as_bytes().windows(2).enumerate() {
            let [last, next] = [pair[0], pair[1]].map(|byte| byte.is_ascii_alphanumeric());
            if !last || next {
                fuzz_asm(&[&text.as_bytes()[..=end], b" "].concat());
            }
        }
    }
}

#[test]
fn translations_are_as_listed() {
    let mut wrong = Vec::new();
    for (name, text) in programs() {
        let mut got = String::new();
        for &generation in Generation::ALL {
            write!(got, "=== {}\n{}", generation.name(), listing(generation, &text))
                .expect("strings can be written");
        }
        let path = directory().join(format!("{name}.lst"));
        if std::env::var_os("XFJIT_BLESS").is_some() {
            fs::write(&path, &got).expect("the listing can be written");
        }
        if fs::read_to_string(&path).unwrap_or_default() != got {
            wrong.push(format!("{name}:\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A number that programs are likely to see, and now and then any bits.
fn word(c: &mut Choices<'_>) -> u32 {
    match c.below(12) {
        0 => c.word(),
        1 => 0,
        2 => 0x8000_0000,
        3 => 0x7fc0_0000,
        n => (f32::from(n as u8) * 0.37 - 2.0 + (c.below(64) as f32) / 16.0).to_bits(),
    }
}

fn row(c: &mut Choices<'_>) -> Row {
    std::array::from_fn(|_| word(c))
}

/// Everything that a run leaves: outputs and constants.
fn run(
    backend: &dyn Backend,
    program: &Arc<Program>,
    config: &Config,
    constants: &[Row],
    data: &[Vec<u8>],
) -> (Vec<u32>, Vec<Row>) {
    let mut context = Context::new(config.generation.constants());
    context.rows_mut().copy_from_slice(constants);
    let mut inputs = Inputs::new(VERTICES);
    for (register, data) in data.iter().enumerate() {
        inputs = inputs.with(register, Attribute::Stream { data, stride: 16, components: 4 });
    }
    let registers: Vec<u8> = (0..config.generation.outputs() as u8).collect();
    let mut words = vec![0; VERTICES * 4 * registers.len()];
    let routine =
        backend.prepare(&Microcode::shader(program, config)).expect("every backend takes these programs");
    routine
        .run(&mut Worker::new(), &mut context, &inputs, &mut Outputs::interleaved(&mut words, &registers))
        .expect("the streams hold the batch");
    (words, context.rows().to_vec())
}

#[test]
fn every_backend_runs_them_alike() {
    let mut runs = 0;
    for (seed, (name, text)) in programs().into_iter().enumerate() {
        for &generation in Generation::ALL {
            let Ok(assembled) = gl::assemble(Some(generation), &text, Passes::NONE) else { continue };
            let mut c = Choices::seed(seed as u64);
            let mut constants: Vec<Row> = (0..generation.constants()).map(|_| row(&mut c)).collect();
            for bound in &assembled.rows {
                if let Binding::Literal(words) = bound.binding {
                    constants[usize::from(bound.row)] = words;
                }
            }
            let data: Vec<Vec<u8>> = (0..16)
                .map(|_| (0..4 * VERTICES).flat_map(|_| word(&mut c).to_ne_bytes()).collect())
                .collect();
            let program = Arc::new(assembled.program);
            let short = gl::assemble(Some(generation), &text, Passes::ALL).expect("what fits may be shorter");
            let short = Arc::new(short.program);
            for model in [Model::Hw, Model::Ieee] {
                let constant_writes = assembled.language == Language::Vsp10;
                let config = Config::new(generation)
                    .model(model)
                    .with(|config| config.constant_writes = constant_writes);
                let want = run(&Interp::Single, &program, &config, &constants, &data);
                assert!(run(&Interp::Single, &short, &config, &constants, &data) == want, "{name}: paired");
                for (program, backend) in [&program, &short]
                    .iter()
                    .flat_map(|program| backends(model).into_iter().map(move |b| (program, b)))
                {
                    let got = run(&*backend, program, &config, &constants, &data);
                    let (generation, backend) = (generation.name(), backend.name());
                    assert!(got == want, "{name} for {generation} under {model:?}: {backend} differs");
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 100, "{runs} runs");
}

/// Whether a program and the one that its text is translated to leave the same; `None` if it has no text.
fn says_itself(
    generation: Generation,
    program: &Program,
    notation: Notation,
    c: &mut Choices<'_>,
) -> Option<Result<(), String>> {
    let text = gl::say(generation, program, notation).ok()?;
    let again = match gl::assemble(Some(generation), &text, Passes::NONE) {
        Ok(again) => again.program,
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(|error| error.render(&text)).collect();
            return Some(Err(format!("{text}\n{}", errors.join("\n"))));
        }
    };
    let constants: Vec<Row> = (0..generation.constants()).map(|_| row(c)).collect();
    let data: Vec<Vec<u8>> =
        (0..16).map(|_| (0..4 * VERTICES).flat_map(|_| word(c).to_ne_bytes()).collect()).collect();
    let [program, again] = [program, &again].map(|program| Arc::new(program.clone()));
    for model in [Model::Hw, Model::Ieee] {
        let config = Config::new(generation).model(model).with(|config| config.constant_writes = true);
        let [want, got] =
            [&program, &again].map(|program| run(&Interp::Single, program, &config, &constants, &data));
        if want != got {
            return Some(Err(format!("{model:?}\n{}{text}", asm::print(generation, &program))));
        }
    }
    Some(Ok(()))
}

/// Random microcode that has a text: translating that back computes the same. How much of it has one is told by the numbers.
#[test]
fn texts_of_microcode_mean_the_same() {
    let (mut said, mut wrong) = ([[0; 3]; 2], Vec::new());
    for seed in 0..6000 {
        let mut c = Choices::seed(seed);
        let generation = Generation::ALL[seed as usize % 3];
        let shape = Shape { raw: 0, slots: 1 + c.below(5), ..Shape::choose(&mut c, 4) };
        let microcode = match generation {
            Generation::Kelvin => program::program(&mut c, shape),
            _ => branching::program(&mut c, generation, shape),
        };
        let Ok(program) = isa::decode(generation, &microcode.words, microcode.start) else { continue };
        for (said, notation) in said.iter_mut().zip([Notation::Nv, Notation::Arb]) {
            match says_itself(generation, &program, notation, &mut c) {
                Some(Ok(())) => said[seed as usize % 3] += 1,
                Some(Err(text)) => wrong.push(format!("seed {seed}: {text}")),
                None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(6)].join("\n"));
    println!("{said:?} of 2,000 each have a text");
    assert!(said.as_flattened().iter().all(|&said| said > 250), "{said:?}");
}

/// What the languages have made, paired or not, can be said again, but for what is written with components that have no name.
#[test]
fn translations_can_be_said() {
    let mut said = 0;
    for (name, text) in programs() {
        for (&generation, passes) in Generation::ALL
            .iter()
            .flat_map(|generation| [Passes::NONE, Passes::ALL].map(|passes| (generation, passes)))
        {
            let Ok(Assembled { program, .. }) = gl::assemble(Some(generation), &text, passes) else {
                continue;
            };
            for notation in [Notation::Nv, Notation::Arb] {
                match says_itself(generation, &program, notation, &mut Choices::seed(7)) {
                    Some(Ok(())) => said += 1,
                    Some(Err(wrong)) => panic!("{name}: {wrong}"),
                    None => {
                        let why = gl::say(generation, &program, notation).expect_err("it has none");
                        let why: Vec<String> = why.iter().map(ToString::to_string).collect();
                        println!("{name} {}: {}", generation.name(), why.join("; "));
                    }
                }
            }
        }
    }
    println!("{said} are said");
    assert!(said >= 36, "{said}");
}

/// The lecture's program is the project's fifth benchmark but for the rows of its constants.
#[test]
fn the_lighting_program_is_the_fifth_benchmark() {
    let text = fs::read_to_string(directory().join("seed35.vp")).expect("the program");
    let assembled = gl::assemble(None, &text, Passes::NONE).expect("a program");
    let benchmark = xfjit_testing::programs::Fixed::find("P5").expect("the fifth benchmark");
    let mut want = asm::parse(Generation::Kelvin, benchmark.text).expect("a program");
    for insn in &mut want.insns {
        let reads = insn.src.iter().any(|source| source.bank == isa::Bank::Constant);
        insn.constant += if reads { 96 } else { 0 };
    }
    assert_eq!(asm::print(Generation::Kelvin, &assembled.program), asm::print(Generation::Kelvin, &want));
}

/// What a program without constants of its own leaves in its first texture coordinate, for one vertex.
fn texcoord(generation: Generation, text: &str) -> [f32; 4] {
    let assembled = gl::assemble(Some(generation), text, Passes::NONE).expect("a program");
    let mut constants = vec![[0; 4]; generation.constants()];
    for bound in &assembled.rows {
        if let Binding::Literal(words) = bound.binding {
            constants[usize::from(bound.row)] = words;
        }
    }
    let data = vec![vec![0; 16 * VERTICES]; 16];
    let config = Config::new(generation).model(Model::Ieee);
    let (words, _) = run(&Interp::Single, &Arc::new(assembled.program), &config, &constants, &data);
    let register = if generation == Generation::Kelvin {
        9
    } else {
        15 - 8 + usize::from(generation == Generation::Rankine)
    };
    std::array::from_fn(|c| f32::from_bits(words[4 * register + c]))
}

#[test]
fn expansions_compute_what_the_instruction_says() {
    let cases: [(&str, [f32; 4]); 11] = [
        ("FLR result.texcoord, v;", [-2.0, 3.0, 0.0, -1.0]),
        ("FRC result.texcoord, v;", [0.5, 0.25, 0.75, 0.75]),
        ("ABS result.texcoord, -v;", [1.5, 3.25, 0.75, 0.25]),
        ("SUB result.texcoord, v, 1;", [-2.5, 2.25, -0.25, -1.25]),
        ("XPD t, v, { 1, 2, 3 }; MOV t.w, 0; MOV result.texcoord, t;", [8.25, 5.25, -6.25, 0.0]),
        ("SWZ result.texcoord, v, -y, 1, x, 0;", [-3.25, 1.0, -1.5, 0.0]),
        ("MOV t, v; SWZ t, t, w, -x, -1, y; MOV result.texcoord, t;", [-0.25, 1.5, -1.0, 3.25]),
        ("POW result.texcoord, 2.0, 3.0;", [8.0; 4]),
        ("EX2 result.texcoord, 4;", [16.0; 4]),
        ("LG2 result.texcoord, 32;", [5.0; 4]),
        ("RSQ result.texcoord, { -4, -4, -4, -4 }.x;", [0.5; 4]),
    ];
    for (body, want) in cases {
        let text = format!("!!ARBvp1.0 PARAM v = {{ -1.5, 3.25, 0.75, -0.25 }}; TEMP t; {body} END");
        for &generation in Generation::ALL {
            let got = texcoord(generation, &text);
            let near = got.iter().zip(want).all(|(got, want)| (got - want).abs() <= want.abs() * 2e-4);
            assert!(near, "{body} for {}: {got:?}, not {want:?}", generation.name());
        }
    }
}
