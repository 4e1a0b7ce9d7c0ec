use super::{Code, SYSTEM_V, check};
use crate::backend::to_host;
use crate::core::note::Trace;
use crate::ir::func::Func;
use crate::ir::parse;
use crate::samples::shaders;
use crate::shader::Shader;
use crate::x64::{Width, traced};
use crate::{Budget, Compiler, Target};
use xfjit_runtime::batch::Layout;

/// What was emitted for a function.
struct Emitted {
    name: String,
    func: Func,
    bytes: Vec<u8>,
    vector: usize,
    trace: Trace,
}

impl Emitted {
    fn check(&self) -> Result<(), super::judge::Fault> {
        let code = Code { bytes: &self.bytes, vector: self.vector, arguments: SYSTEM_V };
        check(&self.func, code, &self.trace)
    }
}

/// A function that writes constants.
fn serial() -> impl Iterator<Item = (Func, Layout)> {
    let serial = "func host hw kelvin window 0..192 {\nbody:\n%0 = input v0.x\n%1 = ctx c[3].y\n%2 = fadd %0, %1\n\
                  store c[7], %2, %0, %1, %2\n%3 = fmul %2, %2\noutput o0, %3, %2, %0, %1\n}";
    let serial = parse::parse(serial).expect("it is a function");
    [(serial.clone(), Layout::Rows), (serial, Layout::Planes)].into_iter()
}

/// Code of Cranelift: long straight lines with many values, blocks and loops, stores of constants; both register allocators, groups of
/// one and of two vectors, with and without AVX.
fn narrow(programs: u64) -> impl Iterator<Item = Emitted> {
    let targets = ["x86_64", "x86-64-v2"].map(|name| Target::named(name).expect("this build has it"));
    let machine = *targets[0].machine();
    let of_shader = move |shader: Shader| (to_host(shader.lower(), &machine), shader.layout());
    let all = shaders(programs).map(of_shader).chain(serial()).enumerate();
    all.filter(|(_, (func, _))| func.is_split()).filter_map(move |(number, (func, layout))| {
        let target = targets[number / 4 % 2].clone().in_groups_of([4, 8][number % 2]);
        let budget = Budget { thorough: [usize::MAX, 0][number / 2 % 2], ..Budget::UNLIMITED };
        let name = format!("{} {number} thorough {}", target.name(), budget.thorough);
        let (bytes, trace) = Compiler::new(target).budget(budget).checked(true).traced(&func, layout).ok()?;
        Some(Emitted { name, func, bytes, vector: 16, trace })
    })
}

/// Wide code.
fn wide(width: Width, programs: u64) -> impl Iterator<Item = Emitted> {
    let of_shader = move |shader: Shader| (to_host(shader.lower(), &width.machine()), shader.layout());
    shaders(programs).map(of_shader).chain(serial()).filter_map(move |(func, layout)| {
        let (bytes, trace) = traced(&func, layout, width)?;
        Some(Emitted { name: width.name().to_owned(), func, bytes, vector: 4 * width.lanes(), trace })
    })
}

fn all() -> impl Iterator<Item = Emitted> {
    narrow(24).chain(Width::ALL.iter().flat_map(|&width| wide(width, 24)))
}

#[test]
fn what_is_emitted_passes() {
    let mut has_blocks = [false; 2];
    for emitted in all() {
        has_blocks[usize::from(emitted.func.has_blocks())] = true;
        if let Err(fault) = emitted.check() {
            panic!("{}: {fault}\n{}", emitted.name, emitted.func);
        }
    }
    assert_eq!(has_blocks, [true; 2]);
}

mod mutants;
