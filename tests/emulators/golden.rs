//! scratch
use xfjit::{Config, Emulator, Generation};
use xfjit::config::RowCount;
use xfjit_testing::golden::emulators::EmulatedCases;

#[test]
fn scratch() {
    for (name, emulator, generation) in [
        ("bochs_kelvin", Emulator::Bochs, Generation::Kelvin),
        ("bochs_rankine", Emulator::Bochs, Generation::Rankine),
        ("bochs_curie", Emulator::Bochs, Generation::Curie),
        ("mame", Emulator::Mame, Generation::Kelvin),
        ("nv2a_vsh_cpu", Emulator::Nv2aVshCpu, Generation::Kelvin),
    ] {
        let config = Config::like(emulator, generation).unwrap().with(|config| {
            if emulator == Emulator::Bochs { config.forms.rows = RowCount::Most; }
        });
        for kind in ["ops", "programs"] {
            let path = format!("{}/{name}_{kind}.txt", std::env::var("XFJIT_SCRATCH").unwrap_or("/tmp/emu".into()));
            let text = std::fs::read_to_string(path).unwrap();
            let mut counts = std::collections::BTreeMap::<String, (u32, u32, Vec<String>)>::new();
            for case in EmulatedCases::new(name.into(), text).unwrap() {
                let case = case.unwrap();
                let mut key = case.name.split(' ').next().unwrap().to_owned();
                if kind == "programs" {
                    let program = xfjit::isa::decode_as(generation, config.reading(), case.words.as_flattened(), case.start).unwrap();
                    use xfjit_isa::isa::op::ScaOp::*;
                    let functions = program.insns.iter().any(|insn| matches!(insn.sca, Exp | Log | Lit | Lg2 | Ex2));
                    key = if functions { "functions".into() } else { "others".into() };
                }
                let entry = counts.entry(key).or_default();
                entry.0 += 1;
                if case.compare(emulator, &config).differing > 0 { entry.1 += 1; entry.2.push(case.name.clone()); }
            }
            for (key, (all, differing, which)) in counts {
                if differing > 0 || kind == "programs" { println!("{name} {key}: {differing} of {all} {:?}", &which[..which.len().min(6)]); }
            }
        }
    }
}
