use super::{Width, code, emit, refusal};
use crate::backend::{CompileError, to_host};
use crate::ir::func::Func;
use crate::ir::parse::parse;
use crate::lines::Lines;
use crate::samples::{computing, set, shaders};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::format::{Encoding, Format};
use xfjit_runtime::indices::{IndexLayout, IndexWidth};

/// Functions that are not refused, for a width.
pub(crate) fn functions(width: Width) -> impl Iterator<Item = (Func, Layout)> {
    let all = set()
        .chain(shaders(60))
        .map(move |shader| (to_host(shader.lower(), &width.machine()), shader.layout()));
    fed().chain(packed(width)).chain(all.filter(|(func, _)| refusal(func).is_none()))
}

/// P1 with attributes that may lie beside each other, under both models.
pub(crate) fn packed(width: Width) -> impl Iterator<Item = (Func, Layout)> {
    set().take(2).map(move |shader| {
        let inputs = shader.inputs().with(0, Format::host(Encoding::S1, 3));
        let inputs =
            inputs.with(3, Format::host(Encoding::UbD3d, 4)).with(8, Format::host(Encoding::Half, 2));
        let shader = shader.with_inputs(inputs);
        (to_host(shader.lower(), &width.machine()), shader.layout())
    })
}

/// Functions with all forms of attributes, which write constants.
fn fed() -> impl Iterator<Item = (Func, Layout)> {
    let text = "func host ieee kelvin window 0..192 {
body:
  %0 = input v0.x
  %1 = input v1.x
  %2 = input v2.x
  %3 = input v3.x
  store c[5], %0, %1, %2, %3
  output o0, %3, %2, %1, %0
}";
    let plain = parse(text).expect("it is a function");
    let indexed = [IndexWidth::Half, IndexWidth::Word].map(|numbers| {
        let lists = IndexLayout::shared(numbers).with(3, Some(IndexWidth::Half)).with(0, None);
        plain.inputs.indexed(lists)
    });
    let formats = [Encoding::Float, Encoding::U16, Encoding::Unorm8].map(|encoding| {
        (0..4).fold(plain.inputs, |inputs, register| {
            inputs.with(register, Format::host(encoding, register as u8 + 1))
        })
    });
    let both = formats.map(|inputs| inputs.indexed(indexed[0].indices()));
    let all = indexed.into_iter().chain(formats).chain(both);
    all.flat_map(move |inputs| {
        [Layout::Rows, Layout::Planes].map(|layout| (Func { inputs, ..plain.clone() }, layout))
    })
}

/// Code of a function, unchecked, unless it is refused.
pub(crate) fn unchecked(func: &Func, layout: Layout, width: Width) -> Option<(Vec<u8>, Lines)> {
    let emitted = emit::emit(func, layout, width).ok()?;
    Some((emitted.bytes, emitted.lines))
}

#[test]
fn the_set_is_not_refused() {
    for &width in Width::ALL {
        for shader in set() {
            let func = to_host(shader.lower(), &width.machine());
            assert_eq!(refusal(&func), None);
            code(&func, shader.layout(), width).expect("it is compiled");
        }
    }
}

#[test]
fn what_is_compiled_passes_the_checker() {
    for &width in Width::ALL {
        let mut count = 0;
        for (func, layout) in functions(width) {
            match code(&func, layout, width) {
                Ok(_) => count += 1,
                Err(CompileError::TooLarge(_)) => {}
                Err(error) => panic!("{error}\n{func}"),
            }
        }
        assert!(count > 20, "{count} functions are not refused");
    }
}

#[test]
fn what_scratch_memory_does_not_hold_is_refused() {
    /// So many values live until the last of them is there.
    const LIVE: usize = 1400;
    let func = computing(2 * LIVE, |number| {
        if number < 64 + LIVE {
            format!("iadd %{}, %{}", number - 64, number - 1)
        } else {
            format!("xor %{}, %{}", number - 1, number - LIVE)
        }
    });
    for &width in Width::ALL {
        let refused = code(&func, Layout::Rows, width);
        assert!(matches!(refused, Err(CompileError::TooLarge(_))), "{refused:?}");
    }
}

#[test]
fn what_crosses_blocks_is_refused() {
    let text = "func host ieee kelvin window 0..192 {
body:
  %0 = ctx c[0].x
  %1 = block b1
  output o0, %0, %0, %0, %0
}";
    let func = parse(text).expect("uniform values may");
    for &width in Width::ALL {
        assert_eq!(refusal(&func), Some("its blocks share values"));
        let refused = code(&func, Layout::Rows, width);
        assert!(matches!(refused, Err(CompileError::TooLarge(_))), "{refused:?}");
    }
}

/// Each instruction stands below the operation that it is for, and each operation with instructions is there once.
#[test]
fn listings_name_the_operations() {
    for &width in Width::ALL {
        let (func, layout) = functions(width).next().expect("P1");
        let text = super::listing(&func, layout, width).expect("P1 is compiled").text;
        let emitted = emit::emit(&func, layout, width).expect("P1 is compiled");
        let instructions = text.lines().filter(|line| !line.starts_with(';')).count();
        assert_eq!(instructions, emitted.instructions.len());
        for effect in func.to_string().lines().filter(|line| line.trim_start().starts_with("output")) {
            let mut below = text.lines().skip_while(|line| *line != format!("; {}", effect.trim()));
            assert!(below.next().is_some(), "{effect}\n{text}");
            assert!(
                below.take_while(|line| *line != ";").any(|line| line.contains("mov")),
                "{effect}\n{text}"
            );
        }
    }
}
