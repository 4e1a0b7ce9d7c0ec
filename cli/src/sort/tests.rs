use super::*;

fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/files").join(name);
    std::fs::read(path).expect("it is one of the snapshots' files")
}

#[test]
fn files_tell_what_they_are() {
    for (name, sort) in [
        ("light.vsh", Sort::Assembler),
        ("steps.vsh", Sort::Assembler),
        ("start.vsh", Sort::Assembler),
        ("loop.vp", Sort::OpenGl),
        ("state.vp", Sort::OpenGl),
        ("two.hex", Sort::Microcode),
        ("start.hex", Sort::Microcode),
        ("light.json", Sort::Microcode),
        ("big.bin", Sort::Raw),
        ("floats.bin", Sort::Raw),
        ("calls.capture", Sort::Capture),
        ("flipper.dff", Sort::Recording),
        ("stream.trace", Sort::Trace),
        ("bom.trace", Sort::Trace),
        ("flipper.trace", Sort::Trace),
        ("report.json", Sort::Report),
        ("bench.json", Sort::Figures),
        ("add.xf", Sort::Test),
        ("fixed.xf", Sort::Test),
        ("results.txt", Sort::Results),
        ("flipper.txt", Sort::Registers),
        ("triangle.obj", Sort::Mesh),
        ("back.obj", Sort::Mesh),
        ("vertices.txt", Sort::Table),
        ("gap.csv", Sort::Table),
        ("constants.txt", Sort::Constants),
        ("named.txt", Sort::Constants),
        ("rows.txt", Sort::Constants),
        ("ops.vectors", Sort::Vectors),
        ("fixed.vectors", Sort::Vectors),
        ("program.vectors", Sort::Vectors),
    ] {
        assert_eq!(Sort::of(&file(name)), Some(sort), "{name}");
    }
    assert_eq!(Sort::of(b"nv2a_pgraph_method 0: 0x97 -> 0x1ea4 0x60\n"), Some(Sort::Log));
    assert_eq!(Sort::of(b"# a name\nkelvin-41b0b92d3b6c4f9f skinning\n"), Some(Sort::Names));
    assert_eq!(Sort::of(b"\x89PNG\r\n\x1a\n"), Some(Sort::Picture));
    for nothing in ["", "\n", "# a comment alone\n", "what this is nobody knows\n"] {
        assert_eq!(Sort::of(nothing.as_bytes()), None, "{nothing:?}");
    }
}

/// The beginning of any file, and any byte of it changed, is some sort or none.
#[test]
fn damaged_files_do_no_harm() {
    for name in ["calls.capture", "flipper.dff", "light.json", "light.vsh", "triangle.obj", "fixed.vectors"] {
        let bytes = file(name);
        let short = &bytes[..bytes.len().min(200)];
        for end in 0..short.len() {
            let _ = check(&short[..end], Wanted::Program);
            let mut changed = short.to_vec();
            changed[end] ^= 0x80;
            let _ = check(&changed, Wanted::Capture);
        }
    }
}

#[test]
fn every_sort_is_wanted_by_somebody() {
    for sort in Sort::ALL {
        assert!(Wanted::ALL.iter().any(|wanted| wanted.sorts().contains(sort)), "{sort:?}");
        assert!(sort.takes().contains("`xfjit "), "{sort:?}: {}", sort.takes());
    }
}

#[test]
fn what_is_not_wanted_is_named_with_who_takes_it() {
    let flaw = check(&file("calls.capture"), Wanted::Program).expect_err("it is none");
    assert_eq!(flaw.message, "is a capture of calls, not a program");
    assert_eq!(
        flaw.help.as_deref(),
        Some("use it with `xfjit run --trace`, `list`, `prof`, `dis`, `dump` or `explore`")
    );
    let flaw = check(&file("light.vsh"), Wanted::Capture).expect_err("it is none");
    assert_eq!(flaw.message, "is assembler text, not a capture");
    assert!(check(&file("light.vsh"), Wanted::Program).is_ok());
    assert!(check(b"unheard of", Wanted::Program).is_ok(), "who reads it knows best");
}
