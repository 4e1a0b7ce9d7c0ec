//! Shaders and functions, for tests of what is made of them.

use crate::Budget;
use crate::backend::to_host;
use crate::front::Microcode;
use crate::front::fixed::Setup;
use crate::ir::func::Func;
use crate::ir::parse::parse;
use crate::machine::Machine;
use crate::shader::Shader;
use std::sync::Arc;
use xfjit_isa::chip::Generation;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::indices::{IndexLayout, IndexWidth};
use xfjit_runtime::num::Model;
use xfjit_testing::RandomCase;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::programs::Fixed;
use xfjit_testing::setups::FixedSetup;
use xfjit_testing::{Case, Choices, Limits};

/// As many random programs, short and long and of every generation, with branches and constants that they write, and
/// fixed functions.
pub(super) fn shaders(programs: u64) -> impl Iterator<Item = Shader> {
    let program = |seed: u64| {
        let shape = Shape { slots: [12, 40, 90][seed as usize / 3 % 3], rare: 10, raw: 0, idioms: 30 };
        let generation = Generation::ALL[seed as usize % 3];
        let limits = Limits { generation, shape, temper: Temper::Mixed, vertices: 4, model: None };
        let case = Case::within(&mut Choices::seed(seed), limits);
        Microcode::shader(&case.program().expect("it decodes"), &case.config)
    };
    let fixed = ["F1", "F2", "F3"].map(|name| {
        let set = FixedSetup::find(name).expect("it is of the set");
        Shader::from(Setup::new(set.mode()).model(Model::Hw))
    });
    (0..programs).map(program).chain(fixed)
}

/// Host-level functions of every kind, for code of four lanes: straight lines, look-ups, blocks and loops, frames of many pages, stores of
/// constants, index lists.
pub(super) fn functions(programs: u64, machine: &Machine) -> impl Iterator<Item = (Func, Layout)> {
    let layouts = [
        IndexLayout::NONE,
        IndexLayout::shared(IndexWidth::Half),
        IndexLayout::shared(IndexWidth::Word).with(0, None).with(1, Some(IndexWidth::Half)),
    ];
    shaders(programs).enumerate().map(move |(number, shader)| {
        let inputs = shader.inputs().indexed(layouts[number / 2 % 3]);
        let shader = shader.with_inputs(inputs);
        (to_host(shader.lower(), machine), shader.layout())
    })
}

/// Budgets by which Cranelift's code is made by one register allocator alone: the thorough one, and the quick one.
pub(super) const OF_ALLOCATORS: [Budget; 2] =
    [Budget { thorough: usize::MAX, most: 3000 }, Budget { thorough: 0, most: 12_288 }];

/// A function that reads all attributes, as values 0 to 63, computes so many further ones, each by the operation of its number, and
/// writes the last one.
pub(super) fn computing(values: usize, operation: impl Fn(usize) -> String) -> Func {
    let input = |number: usize| format!("input v{}.{}", number / 4, ["x", "y", "z", "w"][number % 4]);
    let operations = (0..64).map(input).chain((64..64 + values).map(operation));
    let lines: String =
        operations.enumerate().map(|(number, operation)| format!("  %{number} = {operation}\n")).collect();
    let last = 63 + values;
    let text = format!(
        "func host ieee kelvin window 0..192 {{\nbody:\n{lines}  output o0, %{last}, %{last}, %{last}, %{last}\n}}"
    );
    parse(&text).expect("it is a function")
}

/// The programs of the set, under both models.
pub(super) fn set() -> impl Iterator<Item = Shader> {
    let models = [Model::Ieee, Model::Hw];
    ["P1", "P2", "P3", "P4", "P5", "P6", "P7"].into_iter().flat_map(move |name| {
        let fixed = Fixed::find(name).expect("it is of the set");
        models.map(|model| Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model)))
    })
}
