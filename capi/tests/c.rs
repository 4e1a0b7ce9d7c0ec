//! C and C++ programs, compiled with the system's compilers, with every warning an error.
//!
//! Without a C++ compiler its tests are skipped, unless `XFJIT_REQUIRE_CXX` is set. Needs a system with shared objects.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use xfjit::capture::{CallPlayer, Part, Played, Reader};
use xfjit::flipper::{FlipperUnit, Output, Ram};

const STRICT: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"];
/// What the static library needs of the system.
const SYSTEM: &[&str] = &["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

/// A compiler and the version of the language.
#[derive(Clone, Copy)]
struct Language(&'static str, &'static [&'static str]);

const C89: Language = Language("cc", &["-std=c89", "-pedantic"]);
const C99: Language = Language("cc", &["-std=c99"]);
const C11: Language = Language("cc", &["-std=c11"]);
/// Which has no `long long`, but `stdint.h` does.
const CXX98: Language =
    Language("c++", &["-x", "c++", "-std=c++98", "-Wno-long-long", "-Wno-missing-field-initializers"]);
const CXX17: Language = Language("c++", &["-x", "c++", "-std=c++17"]);

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A directory of this run, for a name.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("capi-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a directory can be made");
    path
}

/// A directory with everything that is installed, by the script that users have.
fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let built = std::env::current_exe().expect("the test runs from a file");
        let to = directory("prefix");
        run(Command::new("sh")
            .arg(package().join("install.sh"))
            .arg(&to)
            .arg(built.parent().expect("a directory")));
        to
    })
}

/// The directory of the libraries.
fn installed() -> PathBuf {
    prefix().join("lib")
}

/// Runs a command, which must end well; returns what it has printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether a tool is there. An emulator of a processor starts what is not, and lets it end with an error.
fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Whether the language's compiler is there.
fn is_there(language: Language) -> bool {
    let there = has(language.0);
    let required = language.0 == "cc" || std::env::var_os("XFJIT_REQUIRE_CXX").is_some();
    assert!(there || !required, "there is no {}", language.0);
    if !there {
        println!("skipped: there is no {}", language.0);
    }
    there
}

/// Compiles and links a program.
fn compile(language: Language, source: &Path, to: &Path, libraries: &[&str]) {
    let mut command = Command::new(language.0);
    command.args(language.1).args(STRICT).arg("-I").arg(package().join("include"));
    command.arg("-I").arg(package().join("tests/c")).arg(source).arg("-o").arg(to);
    // What follows is not in the language.
    run(command.args(["-x", "none"]).args(libraries));
}

fn shared() -> Vec<String> {
    let lib = installed().display().to_string();
    vec![format!("-L{lib}"), "-lxfjit".to_owned(), format!("-Wl,-rpath,{lib}")]
}

/// What a program is run under to find memory that it loses or misuses.
fn valgrind() -> Command {
    let mut command = Command::new("valgrind");
    command.args(["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    command
}

fn as_strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Nothing is installed where something is missing, and it is told what.
#[test]
fn an_installation_is_whole_or_none() {
    let directory = directory("install");
    let (there, empty) = (directory.join("prefix"), directory.join("empty"));
    std::fs::create_dir_all(&empty).expect("a directory can be made");
    let (there, empty) = (there.display().to_string(), empty.display().to_string());
    let built = std::env::current_exe().expect("the test runs from a file");
    let built = built.parent().expect("a directory").display().to_string();
    let install = |arguments: &[&str], compiler: &str| {
        let mut command = Command::new("sh");
        command.arg(package().join("install.sh")).args(arguments).env("CC", compiler);
        let output = command.output().expect("there is a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for arguments in
        [&[][..], &["--build"], &["--build", "--release"], &["--meson", &empty], &[&there], &["--help"]]
    {
        let (code, message) = install(arguments, "cc");
        assert!(
            code == Some(2) && message.starts_with("usage: install.sh PREFIX"),
            "{arguments:?}: {message}"
        );
    }
    let (code, message) = install(&[&there, &empty], "cc");
    assert!(code == Some(1) && message.contains("no libxfjit_capi.a in"), "{message}");
    assert_ne!(install(&[&there, &built], "false").0, Some(0), "nothing is linked");
    assert!(!Path::new(&there).exists(), "nothing is left behind");
}

#[test]
fn each_header_stands_alone() {
    let directory = directory("alone");
    for header in ["xfjit.h", "xfjit_loader.h"] {
        for (number, language) in [C89, C99, CXX98, CXX17].into_iter().enumerate() {
            // C89 takes the loader alone.
            if !is_there(language) || header == "xfjit.h" && number == 0 {
                continue;
            }
            let source = directory.join(format!("{number}.{header}.c"));
            std::fs::write(&source, format!("#include \"{header}\"\n#include \"{header}\"\nint one(void);\nint one(void) {{ return 1; }}\n"))
                .expect("a source can be written");
            let mut command = Command::new(language.0);
            command
                .args(language.1)
                .args(STRICT)
                .arg("-fsyntax-only")
                .arg("-I")
                .arg(package().join("include"));
            run(command.arg(&source));
        }
    }
    let source = directory.join("both.c");
    std::fs::write(
        &source,
        "#include \"xfjit_loader.h\"\n#include \"xfjit.h\"\nint one(void);\nint one(void) { return 1; }\n",
    )
    .expect("a source can be written");
    let mut command = Command::new("cc");
    run(command
        .args(STRICT)
        .args(["-std=c99", "-fsyntax-only", "-I"])
        .arg(package().join("include"))
        .arg(&source));
}

#[test]
fn calls_through_the_shared_library() {
    let directory = directory("shared");
    for (name, language) in [("calls99", C99), ("calls98", CXX98)] {
        if !is_there(language) {
            continue;
        }
        let program = directory.join(name);
        compile(language, &package().join("tests/c/calls.c"), &program, &as_strs(&shared()));
        assert_eq!(run(&mut Command::new(&program)), "fine\n");
    }
}

#[test]
fn repeated_batches() {
    let directory = directory("repeated");
    for (name, language) in [("repeated98", CXX98), ("repeated99", C99)] {
        if is_there(language) {
            let program = directory.join(name);
            compile(language, &package().join("tests/c/repeated.c"), &program, &as_strs(&shared()));
            assert_eq!(run(&mut Command::new(&program)), "fine\n");
        }
    }
    if has("valgrind") {
        assert_eq!(run(valgrind().arg(directory.join("repeated99"))), "fine\n");
    }
}

/// In callbacks, calls and children.
#[test]
fn engines_end_where_they_hardly_can() {
    let program = directory("endings").join("endings");
    compile(C99, &package().join("tests/c/endings.c"), &program, &as_strs(&shared()));
    assert_eq!(run(&mut Command::new(&program)), "fine\n");
    if has("valgrind") {
        let mut command = Command::new("valgrind");
        assert_eq!(run(command.args(["-q", "--error-exitcode=9"]).arg(&program)), "fine\n");
    }
}

#[test]
fn draws_through_the_shared_library() {
    let directory = directory("draws");
    let has_valgrind = has("valgrind");
    for (name, language) in [("draws99", C99), ("draws98", CXX98)] {
        if !is_there(language) {
            continue;
        }
        let program = directory.join(name);
        compile(language, &package().join("tests/c/draws.c"), &program, &as_strs(&shared()));
        assert_eq!(run(&mut Command::new(&program)), "fine\n");
        if has_valgrind && name == "draws99" {
            let mut command = valgrind();
            assert_eq!(run(command.arg(&program)), "fine\n");
        }
    }
}

/// Flipper, and a recording of it that plays: from the second memory of a Wii.
#[test]
fn flipper_through_the_shared_library() {
    let directory = directory("flipper");
    let has_valgrind = has("valgrind");
    for (name, language) in [("flipper99", C99), ("flipper98", CXX98)] {
        if !is_there(language) {
            continue;
        }
        let (program, capture) = (directory.join(name), directory.join(format!("{name}.capture")));
        compile(language, &package().join("tests/c/flipper.c"), &program, &as_strs(&shared()));
        assert_eq!(run(Command::new(&program).arg(&capture)), "fine\n");
        let engine = Arc::new(xfjit::Engine::new(xfjit::Options::default()));
        let mut unit = FlipperUnit::new(engine, Default::default(), Default::default());
        let (mut ram, mut seen) = (Ram::default(), Vec::new());
        let bytes = std::fs::read(&capture).expect("it was written");
        let mut reader = Reader::new(&bytes[..]).expect("it is a capture");
        while let Some(part) = reader.part().expect("it is good") {
            let Part::Flipper(item) = part else { panic!("{part:?}") };
            let take = |output: Output<'_>| {
                let Output::Drawn(drawn) = output else { return };
                let x = |at| f32::from_bits(drawn.vertices.register(at, 2).expect("it leaves")[0]);
                seen.extend((0..drawn.vertices.count).map(x));
            };
            unit.play(&item, &mut ram, take).expect("it is whole");
        }
        assert_eq!((reader.cut(), seen), (None, vec![3.0, 5.0, 7.0]));
        if has_valgrind && name == "flipper99" {
            let mut command = valgrind();
            assert_eq!(run(command.arg(&program)), "fine\n");
        }
    }
}

/// What C has recorded replays to what its calls computed.
#[test]
fn recordings_of_c_replay() {
    let directory = directory("record");
    let (program, capture) = (directory.join("record99"), directory.join("calls.capture"));
    let named = directory.join("named.capture");
    compile(C99, &package().join("tests/c/record.c"), &program, &as_strs(&shared()));
    assert_eq!(run(Command::new(&program).args([&capture, &named])), "fine\n");
    let calls = replayed(&capture, |call, played| {
        assert_eq!((played.count(), played.registers()), (3 + usize::from(call), 9));
        for (vertex, (position, colour)) in
            played.rows(0).expect("oPos").zip(played.rows(3).expect("oD0")).enumerate()
        {
            // As in check.h.
            let input =
                |attribute: usize, component: usize| vertex as f32 - attribute as f32 + component as f32;
            for at in 0..4 {
                let sum: f32 = (0..4).map(|c| input(0, c) * (at + c) as f32).sum();
                let factor = if at == 0 { f32::from(call) } else { (4 + at) as f32 };
                assert_eq!(f32::from_bits(position[at]), sum, "{call}: {vertex}");
                assert_eq!(f32::from_bits(colour[at]), input(3, at) * factor, "{call}: {vertex}");
            }
        }
    });
    assert_eq!(calls, 3);
    // The labels of its program, and the calls before which they had changed.
    let bytes = std::fs::read(&named).expect("a recording");
    let mut reader = Reader::new(&bytes[..]).expect("it is one");
    let (mut calls, mut names) = (0, Vec::new());
    while let Some(part) = reader.part().expect("it is good") {
        match part {
            Part::Call(_) => calls += 1,
            Part::Name { program, name } => names.push((calls, program, name)),
            _ => {}
        }
    }
    let want = [(0, 0, "transform"), (2, 0, "a cube's"), (4, 0, "")];
    assert_eq!(names, want.map(|(calls, program, name)| (calls, program, name.to_owned())));
    assert_eq!(calls, 5);
}

#[test]
fn calls_through_the_static_library() {
    let directory = directory("static");
    let archive = installed().join("libxfjit.a").display().to_string();
    let mut libraries = vec![archive.as_str()];
    libraries.extend(SYSTEM);
    let program = directory.join("calls");
    compile(C99, &package().join("tests/c/calls.c"), &program, &libraries);
    assert_eq!(run(&mut Command::new(&program)), "fine\n");
}

#[test]
fn the_loader_finds_the_library_or_goes_on_alone() {
    let directory = directory("loader");
    // Libraries that are none: without the functions, of another version, with the first function alone.
    let fakes = [
        ("none", "int nothing(void) { return 0; }\n"),
        ("other", "unsigned xfjit_abi_version(void) { return 0xffffu; }\n"),
        ("older", "unsigned xfjit_abi_version(void) { return 1u; }\n"),
    ];
    let mut paths = vec![installed().join("libxfjit.so.1")];
    for (name, text) in fakes {
        let (source, library) = (directory.join(format!("{name}.c")), directory.join(format!("{name}.so")));
        std::fs::write(&source, text).expect("a source can be written");
        run(Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source));
        paths.push(library);
    }
    for (name, language) in [("loader89", C89), ("loader98", CXX98)] {
        if !is_there(language) {
            continue;
        }
        let program = directory.join(name);
        compile(language, &package().join("tests/c/loader.c"), &program, &["-ldl"]);
        assert_eq!(run(Command::new(&program).args(&paths)), "fine\n");
    }
}

/// What is put into emulators, with the library and without, as C and as C++; and what it records.
#[test]
fn patches_of_emulators_run_their_programs() {
    let directory = directory("patches");
    let library = installed().join("libxfjit.so.1");
    let patches = package().join("patches").display().to_string();
    for (name, language) in [("c11", C11), ("cxx17", CXX17)] {
        if !is_there(language) {
            continue;
        }
        let program = directory.join(name);
        let source = package().join("tests/c/patches.c");
        // The scripts put the loader beside the other files.
        compile(language, &source, &program, &["-I", &patches, "-ldl"]);
        for (path, argument) in
            [(library.as_path(), "on"), (Path::new("off"), "off"), (Path::new("/nowhere"), "off")]
        {
            run(Command::new(&program).arg(argument).env("XFJIT_LIBRARY", path));
        }
        let capture = directory.join(format!("{name}.capture"));
        run(Command::new(&program).arg("on").env("XFJIT_LIBRARY", &library).env("XFJIT_CAPTURE", &capture));
        let bytes = std::fs::read(&capture).expect("a recording");
        let (mut reader, mut calls) = (Reader::new(&bytes[..]).expect("it is a capture"), 0);
        while let Some(part) = reader.part().expect("it is good") {
            calls += usize::from(matches!(part, Part::Call(_)));
        }
        assert!(calls > 2000 && reader.cut().is_none(), "{calls} calls are recorded");
        let output = Command::new(&program)
            .arg("off")
            .envs([("XFJIT_LIBRARY", "/nowhere"), ("XFJIT_VERBOSE", "1")])
            .output()
            .expect("it runs");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("/nowhere"),
            "it says why there is no library"
        );
    }
}

#[test]
fn handles_of_cxx_end_by_themselves() {
    if !is_there(CXX17) {
        return;
    }
    let program = directory("cxx").join("handles");
    compile(CXX17, &package().join("tests/c/handles.cpp"), &program, &as_strs(&shared()));
    assert_eq!(run(&mut Command::new(&program)), "fine\n");
}

/// The library that cargo links itself serves, too; it has no versions.
#[test]
fn what_cargo_links_has_the_same_functions() {
    let directory = directory("cargo");
    let built = std::env::current_exe().expect("the test runs from a file");
    let library = built.parent().expect("a directory").join("libxfjit_capi.so");
    std::fs::copy(library, directory.join("libxfjit.so.1")).expect("the shared library has been built");
    let path = directory.join("libxfjit.so.1").display().to_string();
    let program = directory.join("calls");
    compile(
        C99,
        &package().join("tests/c/calls.c"),
        &program,
        &[&path, &format!("-Wl,-rpath,{}", directory.display())],
    );
    assert_eq!(run(&mut Command::new(&program)), "fine\n");
}

/// Nothing but the interface leaves the shared library, and all of it has the version of the interface.
#[test]
fn symbols_have_versions() {
    let listed =
        run(Command::new("nm").args(["-D", "--defined-only"]).arg(installed().join("libxfjit.so.1")));
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    let functions: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix("@@XFJIT_1")).collect();
    let others: Vec<&&str> = names.iter().filter(|name| !name.ends_with("@@XFJIT_1")).collect();
    assert!(functions.iter().all(|name| name.starts_with("xfjit_")), "{functions:?}");
    assert!(functions.len() > 30 && functions.contains(&"xfjit_run"), "{functions:?}");
    // The version itself is a symbol.
    assert!(others.iter().all(|name| name.starts_with("XFJIT_1")), "{others:?}");
}

/// Flags of pkg-config, where it is there, build a program.
#[test]
fn pkg_config_finds_the_library() {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", installed().join("pkgconfig")).args(["--cflags", "--libs", "xfjit"]);
    if !has("pkg-config") {
        println!("skipped: there is no pkg-config");
        return;
    }
    let flags = run(&mut command);
    let (directory, source) = (directory("pkg"), package().join("tests/c/calls.c"));
    let program = directory.join("calls");
    let mut compiler = Command::new("cc");
    compiler.arg("-std=c99").arg("-I").arg(package().join("tests/c")).arg(source).arg("-o").arg(&program);
    run(compiler.args(flags.split_whitespace()).arg(format!("-Wl,-rpath,{}", installed().display())));
    assert_eq!(run(&mut Command::new(&program)), "fine\n");
}

/// A memory debugger has nothing to say.
#[test]
fn calls_under_valgrind() {
    if !has("valgrind") {
        println!("skipped: there is no valgrind");
        return;
    }
    let program = directory("valgrind").join("calls");
    compile(C99, &package().join("tests/c/calls.c"), &program, &as_strs(&shared()));
    let mut command = valgrind();
    assert_eq!(run(command.arg(&program).arg("checked-memory")), "fine\n");
}

/// Plays a whole capture of calls, and looks at what each of them, from 0 on, comes to. How many there are.
fn replayed(path: &Path, mut look: impl FnMut(u8, &Played<'_>)) -> u8 {
    let bytes = std::fs::read(path).expect("it was written");
    let engine = xfjit::Engine::new(xfjit::Options::default());
    let (mut player, mut calls) = (CallPlayer::new(Arc::new(engine)), 0);
    let mut reader = Reader::new(&bytes[..]).expect("it is a capture");
    while let Some(part) = reader.part().expect("it is good") {
        match part {
            Part::Program(program) => player.program(&program).expect("it is one"),
            Part::Call(call) => {
                look(calls, &player.call(&call).expect("it is whole").1);
                calls += 1;
            }
            part => panic!("{part:?}"),
        }
    }
    assert_eq!(reader.cut(), None, "{}", path.display());
    calls
}

/// Whether a file is a whole capture of one call of so many vertices, which plays.
fn replays(path: &Path, vertices: usize) {
    let calls = replayed(path, |_, played| assert_eq!(played.count(), vertices, "{}", path.display()));
    assert_eq!(calls, 1, "{}", path.display());
}

/// The examples: each compares an interpreter in an emulator's shape with the library in the same shape.
#[test]
fn shapes_of_emulators() {
    let directory = directory("examples");
    let has_valgrind = has("valgrind");
    let library = installed().join("libxfjit.so.1").display().to_string();
    for name in ["bochs", "mame", "xemu"] {
        let (source, program) = (package().join("examples").join(format!("{name}.c")), directory.join(name));
        // The library of the one that loads it is not linked.
        let mut libraries = if name == "xemu" { vec!["-ldl".to_owned()] } else { shared() };
        libraries.push("-lm".to_owned());
        compile(C99, &source, &program, &as_strs(&libraries));
        let capture = directory.join(format!("{name}.capture"));
        let said = run(Command::new(&program).args(["300", &library]).arg(&capture));
        assert!(said.contains("times as fast") && !said.contains("not there"), "{said}");
        // Bochs runs the vertices of a triangle, the others one.
        replays(&capture, if name == "bochs" { 3 } else { 1 });
        if has_valgrind {
            let mut command = Command::new("valgrind");
            command.args(["-q", "--error-exitcode=9"]).arg(&program).args(["5", &library]);
            run(&mut command);
        }
    }
    let alone = run(Command::new(directory.join("xemu")).args(["300", "/there/is/no/such/library"]));
    assert!(alone.contains("xfjit is not there"), "{alone}");
}

/// Draws of the Xbox: random ones are those of the unit that is sent each vertex, and those of a hostile guest read nothing that is
/// not there.
#[test]
fn draws_of_the_xbox() {
    let directory = directory("nv2a_draw");
    let include = format!("-I{}", package().join("examples").display());
    let mut libraries = vec![include];
    libraries.extend(shared());
    libraries.push("-lm".to_owned());
    let compiled = |name: &str, source: &str| {
        let program = directory.join(name);
        compile(C99, &package().join(source), &program, &as_strs(&libraries));
        program
    };
    // (Not under valgrind, which rounds to nearest whatever a program asks for.)
    let said = run(Command::new(compiled("example", "examples/nv2a_draw.c")).arg("300"));
    assert!(said.starts_with("300 draws of ") && said.contains(" are the unit's, to the bit\n"), "{said}");
    assert!(said.contains("vertex buffer, byte  16: oD0, a colour\n"), "{said}");
    let hostile = compiled("hostile", "tests/c/nv2a_draw.c");
    assert_eq!(run(&mut Command::new(&hostile)), "fine\n");
    if has("valgrind") {
        assert_eq!(run(valgrind().arg(&hostile).arg("less")), "fine\n");
    }
}

/// A loader in Dolphin's shape, beside one in plain C++: both store the same, and a mistake is found.
#[test]
fn loader_in_dolphins_shape() {
    if !is_there(CXX17) {
        return;
    }
    let program = directory("dolphin").join("loader");
    compile(CXX17, &package().join("examples/dolphin_loader.cpp"), &program, &as_strs(&shared()));
    let said = run(Command::new(&program).arg("300"));
    assert!(said.contains("300 draws") && said.contains(": 0 draws differ"), "{said}");
    assert!(said.contains("wrong on purpose 20 differ"), "{said}");
    if has("valgrind") {
        let mut command = Command::new("valgrind");
        run(command.args(["-q", "--error-exitcode=9"]).arg(&program).arg("5"));
    }
}

/// What is written against `nv2a_vsh_cpu` links against ours: the example, and a test of each part of its interface. Nothing is
/// left in memory.
#[test]
fn interface_of_nv2a_vsh_cpu() {
    let (directory, sources) = (directory("nv2a"), package().join("examples/nv2a_vsh_cpu"));
    let has_valgrind = has("valgrind");
    let mut parts = vec![format!("-I{}", sources.display())];
    for file in ["apply", "encode", "known", "operations", "parse", "xfjit"] {
        parts.push(sources.join(format!("nv2a_vsh_{file}.c")).display().to_string());
    }
    parts.extend(shared());
    parts.push("-lm".to_owned());
    for (name, source) in [("demo", sources.join("demo.c")), ("parts", package().join("tests/c/nv2a_vsh.c"))]
    {
        let program = directory.join(name);
        compile(C99, &source, &program, &as_strs(&parts));
        let capture = directory.join(format!("{name}.capture"));
        let said = run(Command::new(&program).args(["300", "-"]).arg(&capture));
        if name == "demo" {
            replays(&capture, 1);
        }
        assert!(said == "fine\n" || said.matches("times as fast").count() == 4, "{said}");
        if has_valgrind {
            let mut command = valgrind();
            run(command.arg(&program).arg("5"));
        }
    }
    // The table of small calls compares all ways with the interpreter before it measures them.
    let table = directory.join("table");
    compile(C99, &sources.join("table.c"), &table, &as_strs(&parts));
    let programs = ["P1_mvp", "P2_lit", "P3_lit8", "P4_skin", "P5_seed35"];
    let file = |name| package().join(format!("../programs/{name}.nv20.hex"));
    let said = run(Command::new(&table).arg("3").args(programs.map(file)));
    assert!(programs.iter().all(|name| said.contains(name)) && said.lines().count() == 6, "{said}");
    if is_there(CXX98) {
        for header in ["cpu", "disassembler", "emulator_execution_state", "emulator", "xfjit"] {
            let source = directory.join(format!("{header}.cpp"));
            let line = format!("#include \"nv2a_vsh_{header}.h\"\n").repeat(2);
            std::fs::write(&source, line).expect("a source can be written");
            let mut command = Command::new("c++");
            command.args(STRICT).args(["-std=c++11", "-fsyntax-only", "-I"]).arg(&sources).arg(&source);
            run(&mut command);
        }
    }
}
