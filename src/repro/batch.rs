//! A batch that somebody else has run as a test.

use super::{Case, Feed, FileTest, FixedCase, Placement, Texels, upload};
use std::ops::Range;
use xfjit_core::front::Microcode;
use xfjit_core::front::fixed::Setup;
use xfjit_core::shader::Shader;
use xfjit_isa::config::Config;
use xfjit_isa::isa::Program;
use xfjit_runtime::batch::Inputs;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::{Context, DEFAULT_ROW, Row};

impl FileTest {
    /// Vertices `positions` of a batch of a shader, with what the reference makes of them; the constants are those before
    /// it. None if the grammar has no form for what the shader was made of, or none for this one of it.
    pub fn of_batch(
        shader: &Shader,
        before: &Context,
        inputs: &Inputs<'_>,
        outputs: (&Placement, usize),
        why: Vec<String>,
        positions: Range<usize>,
    ) -> Option<FileTest> {
        let test = match shader.made_of() {
            Some(Microcode { program, config }) => {
                FileTest::of_case(&case(program, config, before, inputs, outputs), why, positions)
            }
            None => {
                let setup = shader.made_of::<Setup>()?;
                FileTest::of_fixed(&fixed_case(setup, before, inputs), why, positions)
            }
        };
        // Of the layout runs can have what is said of lists: their attributes are rows.
        let layout = InputLayout::ROWS.indexed(shader.canonical().inputs().indices());
        test.map(|test| FileTest { inputs: layout, ..test })
    }
}

/// The batch in memory of its own, but for textures: what a host's function gives is not known beforehand.
fn case(
    program: &Program,
    config: &Config,
    before: &Context,
    inputs: &Inputs<'_>,
    (placement, output_bytes): (&Placement, usize),
) -> Case {
    let live = program.live_inputs();
    let attributes = std::array::from_fn(|register| {
        if live >> register & 1 == 0 {
            return Feed::Constant(Row::default());
        }
        let rows = (0..inputs.count).flat_map(|position| inputs.fetch(register, position));
        let data = rows.flat_map(u32::to_ne_bytes).collect();
        Feed::Stream { data, offset: 0, stride: 16, components: 4 }
    });
    let (words, start) = upload(config, program);
    Case {
        words,
        start,
        config: config.clone(),
        constants: before.rows().to_vec(),
        attributes,
        texels: Texels::default(),
        indices: None,
        count: inputs.count,
        places: placement.places,
        output_bytes,
    }
}

/// A case of the fixed function. Attributes that nothing reads may be too short: they are the default.
fn fixed_case(setup: &Setup, before: &Context, inputs: &Inputs<'_>) -> FixedCase {
    let attributes = std::array::from_fn(|register| match inputs.check(1 << register) {
        Ok(()) => (0..inputs.count).map(|position| inputs.fetch(register, position)).collect(),
        Err(_) => vec![DEFAULT_ROW; inputs.count],
    });
    FixedCase { setup: *setup, context: before.clone(), attributes }
}
