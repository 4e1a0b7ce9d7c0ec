//! Shaders of every kind, for tests of what is made of them.

use crate::front::Microcode;
use crate::front::fixed::Setup;
use crate::shader::Shader;
use xfjit_isa::chip::Generation;
use xfjit_runtime::num::Model;
use xfjit_testing::RandomCase;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
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
