//! That listings say where code comes from, and that nothing else changes by it.

use crate as native;
use crate::Compiler;
use crate::Target;
use crate::backend::to_host;
use crate::front::Microcode;
use crate::front::fixed::Setup;
use crate::machine::Machine;
use crate::shader::Shader;
use std::sync::Arc;
use xfjit_runtime::num::Model;
use xfjit_testing::{programs, setups};

/// A target that this build has a listing for.
fn named(target: &str) -> Option<Target> {
    let decodes = cfg!(target_arch = "x86_64");
    Target::named(target).ok().filter(|_| target == "aarch64" || decodes)
}

fn shaders() -> impl Iterator<Item = Shader> {
    let program =
        |fixed: &programs::Fixed| Microcode::shader(&Arc::new(fixed.program()), &fixed.config(Model::Ieee));
    let setup = |set: &setups::FixedSetup| Shader::from(Setup::new(set.mode()).model(Model::Hw));
    programs::ALL.iter().map(program).chain(setups::ALL.iter().map(setup))
}

/// Nearly all instructions of a listing stand below an operation, and those below the operations of all slots that matter.
#[test]
fn listings_say_where_instructions_come_from() {
    for target in ["x86_64", "aarch64"] {
        let Some(named) = named(target) else { continue };
        let mut compiler = Compiler::new(named);
        for shader in shaders() {
            let host = to_host(shader.lower(), &Machine::X86_64);
            let listing = compiler.listing(&host, shader.layout()).expect("it compiles").text;
            let heads: Vec<&str> = listing.lines().filter(|line| line.starts_with("; ")).collect();
            assert!(heads.len() > host.body.len() / 2, "{target}: {} heads", heads.len());
            let known = |head: &&str| head.contains("  ; ") || head.contains("const ");
            assert!(heads.iter().all(known), "{target}: {listing}");
        }
    }
}

#[test]
fn lines_do_not_change_code() {
    for target in ["x86_64", "aarch64"] {
        let Some(target) = named(target) else { continue };
        let mut compilers =
            [false, true].map(|has_lines| Compiler::new(target.clone()).with_lines(has_lines));
        for shader in native::samples::shaders(9) {
            let host = to_host(shader.lower(), &Machine::X86_64);
            let codes = compilers
                .each_mut()
                .map(|compiler| compiler.code(&host, shader.layout()).expect("it compiles"));
            assert!(codes[0] == codes[1], "{host}");
        }
    }
}
