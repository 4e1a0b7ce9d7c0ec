//! Random forms in which attributes lie in memory, and the check that all backends agree on them.

use super::case::Case;
use super::check::backends;
use super::choices::Choices;
use crate::backend::{Backend, Interp, Worker};
use crate::front::Microcode;
use crate::shader::Shader;
use xfjit_runtime::batch::{Attribute, Inputs};
use xfjit_runtime::format::{ByteOrder, Encoding, Format, InputLayout};
use xfjit_runtime::state::{ATTRIBUTES, DEFAULT_ROW};

/// What the streams of a batch are taken to hold: mostly floats, of either byte order.
fn encode<'a>(c: &mut Choices<'_>, mut inputs: Inputs<'a>) -> (Inputs<'a>, [Format; ATTRIBUTES]) {
    let formats = std::array::from_fn(|register| match inputs.attributes[register] {
        Attribute::Constant(_) => Format::ROW,
        Attribute::Stream { components, .. } => {
            let encoding = if c.chance(40) { Encoding::Float } else { c.pick(Encoding::ALL) };
            let order = if c.chance(50) { ByteOrder::Swapped } else { ByteOrder::Host };
            let format = Format { encoding, components, order, fraction: c.below(32) as u8 };
            if format.exists() { format } else { Format::words(components, order) }
        }
    });
    for (register, format) in formats.iter().enumerate() {
        if let Attribute::Stream { data, stride, .. } = inputs.attributes[register] {
            inputs = inputs.formatted(register, data, stride, *format);
        }
    }
    (inputs, formats)
}

/// A layout for the attributes of a batch: mostly just how they lie in memory, sometimes floats to which they have to be
/// converted.
fn choose(c: &mut Choices<'_>, inputs: &Inputs<'_>, formats: &[Format; ATTRIBUTES]) -> InputLayout {
    let mut layout = InputLayout::ROWS;
    for (register, attribute) in inputs.attributes.iter().enumerate() {
        let (least, format) = match *attribute {
            Attribute::Constant(row) if row[1..] == DEFAULT_ROW[1..] => (1, Format::ROW),
            Attribute::Constant(_) => (4, Format::ROW),
            Attribute::Stream { .. } => (formats[register].floats(), formats[register]),
        };
        let order = if c.chance(50) { ByteOrder::Swapped } else { ByteOrder::Host };
        let components = least + c.below(5 - u32::from(least)) as u8;
        let same = c.chance(80) && matches!(attribute, Attribute::Stream { .. });
        layout = layout.with(register, if same { format } else { Format::words(components, order) });
    }
    layout
}

/// The layout that [`check_layouts`] tests a case with.
pub(crate) fn of_case(c: &mut Choices<'_>, case: &Case) -> InputLayout {
    let (inputs, formats) = encode(c, case.inputs());
    choose(c, &inputs, &formats)
}

/// All backends, with code for a layout that `c` chooses and for rows, do what the reference does on the case, whose streams are
/// taken to hold codes of encodings that `c` chooses. Returns how many ran, and how many refused the program.
///
/// # Panics
/// If they do not, or the case is no program.
pub fn check_layouts(case: &Case, c: &mut Choices<'_>, worker: &mut Worker) -> (u64, u64) {
    let backends = backends(case.config.model);
    let backends: Vec<_> = backends.iter().map(|backend| &**backend).collect();
    check_layouts_on(&backends, case, c, worker)
}

/// Some backends, as [`check_layouts`] does with all that there are.
///
/// # Panics
/// If they do not do what the reference does, or the case is no program.
pub fn check_layouts_on(
    backends: &[&dyn Backend],
    case: &Case,
    c: &mut Choices<'_>,
    worker: &mut Worker,
) -> (u64, u64) {
    let (inputs, formats) = encode(c, case.inputs());
    let layout = choose(c, &inputs, &formats);
    let shader = Microcode::shader(&case.program().expect("it decodes"), &case.config);
    let mut run = |backend: &dyn Backend, shader: &Shader| {
        let routine = match backend.prepare(shader) {
            Ok(routine) => routine,
            Err(error) => {
                assert!(error.is_limit(), "{}: {error}", backend.name());
                return None;
            }
        };
        let (mut output, mut context) = (case.fresh_output(), case.context());
        let outcome = routine.run(worker, &mut context, &inputs, &mut case.outputs(&mut output));
        let faults = outcome.expect("the batch is one for the layout").faults;
        Some((output, context, faults))
    };
    let want = run(&Interp::Single, &shader).expect("the interpreter takes everything");
    let (mut ran, mut refused) = (0, 0);
    for &backend in backends {
        for layout in [layout, InputLayout::ROWS] {
            match run(backend, &shader.clone().with_inputs(layout)) {
                Some(got) => {
                    assert!(got == want, "{}, {layout:?}, {formats:?}\n{case}", backend.name());
                    ran += 1;
                }
                None => refused += 1,
            }
        }
    }
    (ran, refused)
}
