//! Inputs of a corpus as programs and configurations.

use super::Coverage;
use crate::asm;
use crate::choices::Choices;
use crate::config::Config;
use crate::filetest::FileTest;
use crate::front::Microcode;
use crate::isa::{self, Generation};
use crate::layouts;
use crate::repro::{Case, FixedCase, FlipperCase};
use crate::shader::Shader;
use crate::{RandomCase, RandomFixed, RandomFlipper};
use std::sync::Arc;
use xfjit_runtime::num::Model;

/// What the inputs of a corpus are: fuzz targets by the names of their directories, and test files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Corpus {
    /// Decisions of the generator of programs.
    Program,
    /// A start slot and microcode.
    Decode,
    /// Assembler text.
    Asm,
    /// Decisions of the generator of XFMODE configurations.
    Fixed,
    /// Decisions of the generator of configurations of Flipper's transform unit.
    Transform,
    /// Text of a function.
    Ir,
    /// A test file.
    Test,
}

/// An input that holds nothing that can be compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotRead;

impl Corpus {
    /// The corpus of a fuzz target, or of files with an ending.
    pub fn named(name: &str) -> Option<Corpus> {
        Some(match name {
            "program" => Corpus::Program,
            "decode" => Corpus::Decode,
            "asm" => Corpus::Asm,
            "fixed" => Corpus::Fixed,
            "transform" => Corpus::Transform,
            "ir" => Corpus::Ir,
            "xf" => Corpus::Test,
            _ => return None,
        })
    }

    /// The programs and configurations that an input is compiled as. A function is none of them.
    fn shaders(self, bytes: &[u8]) -> Vec<Shader> {
        let text = || String::from_utf8_lossy(bytes);
        match self {
            Corpus::Program => program(bytes),
            Corpus::Decode => decoded(bytes),
            Corpus::Asm => {
                let parsed =
                    Generation::ALL.iter().map(|&generation| (generation, asm::parse(generation, &text())));
                let fine = parsed.filter_map(|(generation, program)| Some((generation, program.ok()?)));
                fine.flat_map(|(generation, program)| under_both(generation, program)).collect()
            }
            Corpus::Fixed => {
                let mut c = Choices::bytes(bytes);
                let family = c.pick(&crate::FAMILIES);
                let vertices = 1 + c.below(9) as usize;
                vec![FixedCase::choose(&mut c, family, None, vertices).shader()]
            }
            Corpus::Transform => {
                let mut c = Choices::bytes(bytes);
                let vertices = 1 + c.below(9) as usize;
                vec![FlipperCase::choose_flipper(&mut c, vertices).shader()]
            }
            Corpus::Ir => Vec::new(),
            Corpus::Test => {
                let test: Result<FileTest, _> = text().parse();
                test.map_or(Vec::new(), |test| test.models.iter().map(|&model| test.shader(model)).collect())
            }
        }
    }
}

impl Coverage {
    /// Adds what an input reaches.
    ///
    /// # Errors
    /// It holds nothing that can be compiled.
    pub fn input(&mut self, corpus: Corpus, bytes: &[u8]) -> Result<(), NotRead> {
        if corpus == Corpus::Ir {
            return self.function(&String::from_utf8_lossy(bytes));
        }
        let shaders = corpus.shaders(bytes);
        shaders.iter().for_each(|shader| self.add(shader));
        if shaders.is_empty() { Err(NotRead) } else { Ok(()) }
    }
}

/// As the fuzz target runs it: with rows, and mostly with another layout of attributes.
fn program(bytes: &[u8]) -> Vec<Shader> {
    let mut c = Choices::bytes(bytes);
    let case = Case::choose(&mut c);
    let Ok(program) = case.program() else { return Vec::new() };
    let shader = Microcode::shader(&program, &case.config);
    let other = c.chance(70).then(|| shader.clone().with_inputs(layouts::of_case(&mut c, &case)));
    [shader].into_iter().chain(other).collect()
}

fn decoded(bytes: &[u8]) -> Vec<Shader> {
    let (&start, words) = bytes.split_first().unwrap_or((&0, &[]));
    let words: Vec<u32> = words.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let decoded = |&generation: &Generation| {
        isa::decode(generation, &words, start.into()).ok().map(|program| (generation, program))
    };
    let programs = Generation::ALL.iter().filter_map(decoded);
    programs.flat_map(|(generation, program)| under_both(generation, program)).collect()
}

fn under_both(generation: Generation, program: isa::Program) -> impl Iterator<Item = Shader> {
    let program = Arc::new(program);
    let models = Model::ALL.iter();
    models.map(move |&model| Microcode::shader(&program, &Config::new(generation).model(model)))
}
