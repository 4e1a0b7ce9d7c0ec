//! The command where it writes files: what snapshots of its text (`cli.rs`) cannot see.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of a test's own, emptied.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// Runs the command in `cli/tests/cmd`, where the files of the snapshots are.
fn xfjit(arguments: &[&str]) -> Output {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    command.current_dir(directory).args(arguments).output().expect("the command runs")
}

/// Runs the command, which must succeed and say nothing.
#[track_caller]
fn quietly(arguments: &[&str]) -> String {
    let output = xfjit(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn manual_pages_are_written_into_a_directory() {
    let directory = directory("man").join("new");
    assert_eq!(quietly(&["man", "--out", &directory.display().to_string()]), "");
    let page = std::fs::read_to_string(directory.join("xfjit-run.1")).expect("it has a page");
    assert_eq!(page, quietly(&["man", "run"]));
    assert!(page.contains(".SH OPTIONS") && page.contains("\\-\\-backend"), "{page}");
    assert!(directory.join("xfjit.1").exists());
}

/// A picture's width and height, and its pixels.
fn picture(path: &Path) -> (usize, usize, Vec<[u8; 3]>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("a picture was written"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    (info.width as usize, info.height as usize, bytes.as_chunks::<3>().0.to_vec())
}

/// Files of a test, each written with its content.
fn files<const N: usize>(name: &str, contents: [(&str, &str); N]) -> [String; N] {
    let directory = directory(name);
    contents.map(|(file, content)| {
        let path = directory.join(file);
        std::fs::write(&path, content).expect("a file for the test");
        path.display().to_string()
    })
}

/// How much of the width and of the height of a picture is not background.
fn extent(width: usize, height: usize, pixels: &[[u8; 3]]) -> (f64, f64) {
    // The background is the same along a row, and what fits does not reach the left edge.
    let is_set = |x: usize, y: usize| pixels[y * width + x] != pixels[y * width];
    let columns = (0..width).filter(|&x| (0..height).any(|y| is_set(x, y))).count();
    let rows = (0..height).filter(|&y| (0..width).any(|x| is_set(x, y))).count();
    (columns as f64 / width as f64, rows as f64 / height as f64)
}

/// Draws, and gives how much of the width and of the height what is drawn takes, and the pixels.
#[track_caller]
fn drawn(name: &str, arguments: &[&str]) -> (f64, f64, Vec<[u8; 3]>) {
    let file = directory(name).join("out.png").display().to_string();
    let mut all = vec!["run", "--draw", &file, "--size", "120x90", "--model", "ieee"];
    all.extend(arguments);
    assert_eq!(quietly(&all), "");
    let (width, height, pixels) = picture(Path::new(&file));
    assert_eq!((width, height), (120, 90));
    let (wide, high) = extent(width, height, &pixels);
    (wide, high, pixels)
}

const COPY: (&str, &str) = ("copy.vsh", "MOV oPos, v0\nMOV oD0, v3\n");

#[test]
fn any_program_over_any_mesh_fills_the_picture() {
    let light = "light[0].position = 0 0.6 0.8 0\nprogram.env[3] = 0 0 0 0\nmodelview = 1 0 0 0 0 1 0 0 0 0 1 -9 0 0 0 1\n";
    let [copy, moved, constants, camera] = files(
        "draw",
        [
            ("copy.vsh", "MOV oPos, v0\n"),
            ("moved.vsh", "MUL r0, v0, c[0]\nADD oPos, r0, c[1]\n"),
            ("far.txt", "c[0] = 1e6 1e6 5 1\nc[1] = 3e7 -9e8 0 0\n"),
            ("camera.txt", light.split("modelview").next().unwrap_or_default()),
        ],
    );
    let mesh = "files/triangle.obj";
    for (name, arguments) in [
        ("as it is", &["--program", &copy, "--vertices", mesh][..]),
        ("far away", &["--program", &moved, "--constants", &constants, "--vertices", mesh]),
        ("by a camera", &["--program", "files/lit.vp", "--constants", &camera, "--vertices", mesh]),
        ("by matrices", &["--program", "files/lit.vp", "--constants", "files/named.txt", "--vertices", mesh]),
        ("asked for", &["--program", "files/lit.vp", "--constants", &camera, "--camera", "--vertices", mesh]),
    ] {
        let (wide, high, _) = drawn("draw-any", arguments);
        assert!(
            wide.max(high) > 0.8 && wide.min(high) > 0.4 && wide.max(high) < 0.95,
            "{name}: {wide} {high}"
        );
    }
    // The camera of the second and third is the same one, so the picture is.
    let by_camera =
        drawn("draw-any", &["--program", "files/lit.vp", "--constants", &camera, "--vertices", mesh]).2;
    let asked = drawn(
        "draw-any",
        &["--program", "files/lit.vp", "--constants", &camera, "--camera", "--vertices", mesh],
    )
    .2;
    assert_eq!(by_camera, asked);
    let output = xfjit(&["run", "--program", "files/lit.vp", "--constants", &camera, "--vertices", mesh]);
    assert!(output.status.success());
    let [given] = files("draw-given", [("given.txt", light)]);
    let refused =
        xfjit(&["run", "--program", "files/lit.vp", "--constants", &given, "--camera", "--vertices", mesh]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn tables_are_drawn_with_the_colours_that_come_out() {
    let red = " 1 0 0 1\n";
    let quad = format!("v0 v3\n-1 -1 0 1{red}1 -1 0 1{red}1 1 0 1{red}-1 1 0 1{red}");
    let pixels = format!("v0 v3\n100 50 7 3{red}500 50 7 3{red}500 350 7 3{red}100 350 7 3{red}");
    let strip = format!("v0 v3\n-1 -1 0 1{red}1 -1 0 1{red}-1 1 0 1{red}1 1 0 1{red}");
    let [copy, quad, pixels, strip] =
        files("tables", [COPY, ("quad.txt", &quad), ("pixels.txt", &pixels), ("strip.txt", &strip)]);
    let run = |file: &str, more: &[&str]| {
        let arguments = [&["--program", &copy, "--vertices", file][..], more].concat();
        drawn("draw-tables", &arguments)
    };
    for (name, (wide, high, pixels)) in [
        ("quads", run(&quad, &["--primitive", "quads"])),
        ("fan", run(&quad, &["--primitive", "fan"])),
        ("strip", run(&strip, &["--primitive", "strip"])),
        ("window", run(&pixels, &["--primitive", "quads", "--view", "window"])),
    ] {
        // All of them are squares in clip space, or have the picture's shape in pixels.
        assert!((wide - 0.9).abs() < 0.03 && (high - 0.9).abs() < 0.03, "{name}: {wide} {high}");
        assert_eq!(pixels[45 * 120 + 60], [255, 0, 0], "{name}");
    }
    // Clip space as it is: all of the picture is red.
    let (.., pixels) = run(&quad, &["--primitive", "quads", "--view", "clip"]);
    assert!(pixels.iter().all(|pixel| *pixel == [255, 0, 0]));
}

#[test]
fn triangles_without_a_place_are_counted() {
    let [copy, table] = files(
        "lost",
        [
            COPY,
            (
                "t.txt",
                "v0.xyz v3\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 1\n0 0 0 1 1 1 1\n1 nan 0 1 1 1 1\n0 1 inf 1 1 1 1\n",
            ),
        ],
    );
    let out = directory("lost-out").join("p.png").display().to_string();
    let output = xfjit(&["run", "--program", &copy, "--vertices", &table, "--draw", &out, "--model", "ieee"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(stderr, "warning: 1 of 2 triangles are left out: a position is infinite or NaN\n");
}

#[test]
fn the_demo_takes_other_programs() {
    let [copy, constants] =
        files("demo", [COPY, ("camera.txt", "light[0].position = 0 0.6 0.8 0\nprogram.env[3] = 0 0 0 0\n")]);
    let out = directory("demo-out").join("p.png").display().to_string();
    for (program, constants) in
        [("files/lit.vp", &constants), ("files/rows.vsh", &"files/rows.txt".to_owned())]
    {
        let mesh = ["--mesh", "files/triangle.obj", "--model", "ieee", "--format", "csv", "--out", &out];
        let arguments = [&["demo", "--program", program, "--constants", constants][..], &mesh].concat();
        let output = xfjit(&arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(
            text.lines().count() >= 3 && text.lines().skip(2).all(|line| line.ends_with(",equal")),
            "{text}"
        );
        let (width, height, pixels) = picture(Path::new(&out));
        let (wide, high) = extent(width, height, &pixels);
        assert!(wide.max(high) > 0.8 && wide.max(high) < 0.95, "{program}: {wide} {high}");
    }
    // Constants alone are not enough, and a picture needs a position.
    assert_eq!(xfjit(&["demo", "--constants", &constants]).status.code(), Some(2));
    assert_eq!(
        xfjit(&["demo", "--program", &copy, "--gen", "curie", "--mesh", "files/bad.obj"]).status.code(),
        Some(3)
    );
}

/// Native code is there only where the system is one that it is made for, and perf only on Linux.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn perf_is_told_of_code() {
    let place = directory("perf");
    let run = |value: String| {
        Command::new(env!("CARGO_BIN_EXE_xfjit"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd"))
            .args(["run", "--program", "files/scale.vsh", "--vertices", "files/vertices.txt"])
            .env("XFJIT_PERF", value)
            .output()
            .expect("the command runs")
    };
    let output = run(format!("jitdump:{}", place.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = std::fs::read_dir(&place).expect("it is there");
    let files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    let is_listing = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "txt");
    let listing = files.iter().find(is_listing).expect("a listing");
    let text = std::fs::read_to_string(listing).expect("text");
    assert!(text.contains("  0: MUL oPos, v0, c[0]\n"), "{text}");
    assert!(files.iter().any(|path| path.extension().is_some_and(|extension| extension == "dump")));
    let output = run("flames".to_owned());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("XFJIT_PERF"));
}

/// Programs are called what a file says, then what their host says; whoever reads JSON or CSV finds the hash where it was.
#[test]
fn a_profile_names_programs() {
    let run = |more: &[&str]| {
        let options = ["prof", "--times", "2", "--sampling", "none", "files/named.capture"];
        quietly(&[&options[..], more].concat())
    };
    let labels = |text: &str| {
        let report: Value = serde_json::from_str(text).expect("it is JSON");
        let programs = report["programs"].as_array().expect("there are some").clone();
        let of = |program: &Value| (program["name"].to_string(), program["label"].clone());
        programs.iter().map(of).collect::<std::collections::BTreeMap<_, _>>()
    };
    let [first, second, third] =
        ["kelvin-73c30e705595dfad", "kelvin-83e7b9abd6ae05c1", "kelvin-8d3c70371792de6e"];
    let of = |labels: [Value; 3]| {
        [first, second, third].map(|name| format!("\"{name}\"")).into_iter().zip(labels).collect()
    };
    let host = of(["scale and colour".into(), Value::Null, "transform".into()]);
    assert_eq!(labels(&run(&["--format", "json"])), host);
    let names = ["--names", "files/names.txt"];
    let named = of(["tint".into(), Value::Null, "the transform".into()]);
    let report = run(&[&names[..], &["--format", "json"]].concat());
    assert_eq!(labels(&report), named);
    let csv = run(&[&names[..], &["--format", "csv"]].concat());
    assert!(csv.lines().next().is_some_and(|head| head.ends_with(",label")), "{csv}");
    assert!(csv.lines().any(|line| line.starts_with(first) && line.ends_with(",tint")), "{csv}");
    assert!(csv.lines().any(|line| line.starts_with(second) && line.ends_with(',')), "{csv}");
    let text = run(&names);
    assert!(text.contains(&format!("the transform ({third}), divided by")), "{text}");
    // A report keeps what it was told, and is told more.
    let directory = directory("names");
    let path = directory.join("report.json");
    std::fs::write(&path, &report).expect("a report");
    let path = path.display().to_string();
    let diff =
        |more: &[&str]| quietly(&[&["prof", "--diff", &path, &path, "--format", "json"], more].concat());
    assert_eq!(labels(&diff(&[])), named);
    let other = directory.join("other.txt").display().to_string();
    std::fs::write(&other, "83e7 move\n73c3 colour\n").expect("a file of names");
    let told = of(["colour".into(), "move".into(), "the transform".into()]);
    assert_eq!(labels(&diff(&["--names", &other])), told);
}

/// A profile's numbers, but for time, are those of the capture; times add up.
#[test]
fn a_profile_counts_what_a_capture_draws() {
    for (capture, batches, vertices, chip, slots) in [
        ("files/stream.trace", 2.0, 2.0, Some(2.0), &["slot 0", "slot 1"][..]),
        (
            "files/flipper.dff",
            2.0,
            8.0,
            None,
            &["channel 0", "clip mask", "normal", "position", "viewport"][..],
        ),
    ] {
        let folded = directory("folded").join("out");
        let name = folded.display().to_string();
        let options = ["--format", "json", "--sampling", "none", "--times", "3", "--folded", &name];
        let text = quietly(&[&["prof"], &options[..], &[capture]].concat());
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(report["schema"], "xfjit.prof.2");
        let programs = report["programs"].as_array().expect("programs");
        let [program] = &programs[..] else { panic!("{programs:?}") };
        assert_eq!(program["batches"].as_f64(), Some(batches), "{capture}");
        assert_eq!(program["vertices"].as_f64(), Some(vertices), "{capture}");
        assert_eq!(program["chip_clocks"].as_f64(), chip, "{capture}");
        assert_eq!(program["share"].as_f64(), Some(1.0), "{capture}");
        assert_eq!(report["ns"], program["ns"]);
        let all = program["slots"].as_array().expect("slots");
        let mut places: Vec<&str> = all.iter().map(|slot| slot["place"].as_str().expect("a name")).collect();
        places.sort_unstable();
        assert_eq!(places, slots, "{capture}");
        let share: f64 = all.iter().map(|slot| slot["share"].as_f64().expect("a number")).sum();
        assert!(share > 0.5 && share <= 1.0 + 1e-9, "{capture}: {share}");
        // Stacks have the time of the program, rounded in each.
        let text = std::fs::read_to_string(&folded).expect("it is there");
        let mut sum = 0.0;
        for line in text.lines() {
            let (stack, ns) = line.rsplit_once(' ').expect("a number");
            assert_eq!(stack.split(';').count(), 3, "{line}");
            sum += ns.parse::<f64>().expect("a number");
        }
        let ns = report["ns"].as_f64().expect("a number");
        assert!((sum - ns).abs() <= all.len() as f64 + 1.0, "{sum} of {ns}");
    }
}

/// A capture says what the text does that it has been made of.
#[test]
fn traces_become_captures_that_print_the_same() {
    let directory = directory("captures");
    for (number, file) in ["files/stream.trace", "files/flipper.trace"].into_iter().enumerate() {
        let capture = directory.join(format!("{number}.capture")).display().to_string();
        let output = xfjit(&["import", file, "-o", &capture]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(
            quietly(&["run", "--trace", file, "--hex"]),
            quietly(&["run", "--trace", &capture, "--hex"])
        );
    }
    // What drew is what draws.
    let capture = directory.join("dff.capture").display().to_string();
    let output = xfjit(&["import", "files/flipper.dff", "-o", &capture, "--quiet"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let recorded = quietly(&["run", "--trace", "files/flipper.dff", "--format", "csv", "--hex"]);
    let imported = quietly(&["run", "--trace", &capture, "--format", "csv", "--hex"]);
    // A recording has frames, which a capture has not: all but that column is the same.
    let vertices = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.contains("frame")).map(str::to_owned).collect()
    };
    assert_eq!(vertices(&recorded), vertices(&imported));
    // One that has been cut off is played as far as it goes, and damage is told by its place.
    let bytes = std::fs::read(&capture).expect("it is there");
    let broken = directory.join("broken.capture");
    std::fs::write(&broken, &bytes[..bytes.len() - 3]).expect("a file for the test");
    let output = xfjit(&["run", "--trace", &broken.display().to_string(), "--format", "csv", "--hex"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.contains("is truncated"), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), imported);
    let mut bytes = bytes;
    bytes[0x40] ^= 1;
    std::fs::write(&broken, &bytes).expect("a file for the test");
    let output = xfjit(&["run", "--trace", &broken.display().to_string()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("byte 0x"), "{output:?}");
}

#[test]
fn programs_of_other_tools_become_program_files() {
    let code = [0x401f_9c6cu32, 0x0040_000d, 0x8106_c083, 0x6041_ff81];
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let directory = directory("imports");
    let raw = directory.join("raw");
    std::fs::create_dir_all(&raw).expect("a directory for the test");
    std::fs::write(raw.join("1A2B.vp"), &bytes).expect("a file for the test");
    std::fs::write(raw.join("BAD.vp"), &bytes[1..]).expect("a file for the test");
    std::fs::write(raw.join("1A2B.VP"), &bytes).expect("a file for the test");
    std::fs::write(raw.join("other.fp"), b"no").expect("a file for the test");
    let path = |name: &str| directory.join(name).display().to_string();
    let output = xfjit(&["import", &path("raw"), "-o", &path("programs")]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stderr.contains("BAD.vp: byte 0x0: slot 0 has 15 bytes, not 16"),
        "{stderr}"
    );
    // Where names differ in more than the case of letters.
    let others = std::fs::read_dir(&raw).expect("a directory").count() - 3;
    assert_eq!(stderr.contains("would overwrite the file of another program"), others == 1, "{stderr}");
    let wrong = if others == 0 { "1 file is not a program" } else { "2 files are not programs" };
    assert!(stderr.contains(&format!("1 program; {wrong}")), "{stderr}");
    let output = xfjit(&["--quiet", "import", &path("raw"), "-o", &path("programs")]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("programs;"), "{output:?}");
    let output = xfjit(&["import", "files/calls.capture", "-o", &path("never")]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("is already a capture"), "{output:?}");
    let program = std::fs::read_to_string(directory.join("programs/1A2B.hex")).expect("it was written");
    assert_eq!(program, "# microcode of curie: --gen curie\n401f9c6c 0040000d 8106c083 6041ff81\n");
    assert!(quietly(&["dis", "--gen", "curie", &path("programs/1A2B.hex")]).contains("MOV"));
    assert_eq!(quietly(&["import", &path("raw/1A2B.vp"), "-o", "-"]), program);
    // As a source of C has it.
    let words = code.map(|word| format!("0x{word:08x}u")).join(", ");
    std::fs::write(directory.join("a.c"), format!("{{ {words} }};\n")).expect("a file for the test");
    let plain = program.split_once('\n').expect("two lines").1;
    assert_eq!(quietly(&["import", &path("a.c"), "-o", "-"]), plain);
    // Cg's: a header, the program's part, no parameters, the code.
    let header = [7003, 6, 72, 0, 0, 32, 16, 56, 1, 0, 1, 1, 1, 0];
    let vpo: Vec<u8> = header.iter().chain(&code).flat_map(|word: &u32| word.to_be_bytes()).collect();
    std::fs::write(directory.join("a.vpo"), vpo).expect("a file for the test");
    assert_eq!(quietly(&["import", &path("a.vpo"), "-o", "-"]), program);
    let output = xfjit(&["import", &path("a.vpo"), "--from", "rpcs3", "-o", &path("never")]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(!directory.join("never").exists());
}

#[test]
fn logs_of_methods_become_captures() {
    let mut log = String::from("pgraph method log from nv2a-trace.py\n\n");
    let mut method = |number: u32, word: u32| {
        log += &format!("nv2a_pgraph_method 0: 0x97 -> {number:#x} 0x{word:X}\n");
    };
    method(0x1e9c, 0);
    // MOV oPos, v0 and the end.
    for (at, word) in (0xb00..).step_by(4).zip([0, 0x0020_001b, 0x0836_106c, 0x2070_f801]) {
        method(at, word);
    }
    method(0x1ea0, 0);
    method(0x1e94, 6);
    (0..4u16).for_each(|at| method(0x1518 + 4 * u32::from(at), f32::from(at).to_bits()));
    log += "nv2a_pgraph_method_abbrev 0: 0x97 -> 0x1800 NV097_ARRAY_ELEMENT16 * 12\n";
    let [file] = files("log", [("pgraph.log", &log)]);
    let capture = format!("{file}.capture");
    let output = xfjit(&["import", &file, "-o", &capture]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert!(
        stderr.contains("pgraph.log:14: not in the capture: method 0x1800, abbreviated (1 in all)"),
        "{stderr}"
    );
    assert!(stderr.contains("of which 1 are vertices"), "{stderr}");
    let vertices = quietly(&["run", "--trace", &capture, "--format", "csv"]);
    assert!(vertices.contains("oPos,0,1,2,3"), "{vertices}");
    let [bad] = files("badlog", [("pgraph.log", "nv2a_pgraph_method 0: 0x97 -> 0x1e9c five\n")]);
    let output = xfjit(&["import", &bad, "-o", &capture]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 1: expected"), "{output:?}");
    // What was there stays.
    assert_eq!(quietly(&["run", "--trace", &capture, "--format", "csv"]), vertices);
}

/// Files with the line ends of Windows read as others do.
#[test]
fn lines_may_end_in_two_characters() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/files");
    let of = |directory: &Path, line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
        let output = command.current_dir(directory).args(line.split(' ')).output().expect("it runs");
        assert!(output.status.success(), "{line}: {output:?}");
        output.stdout
    };
    let lines = [
        "asm scale.vsh",
        "asm lit.vp",
        "dis light.hex",
        "run --program scale.vsh --constants constants.txt --vertices vertices.txt",
        "run --program scale.vsh --vertices triangle.obj --format csv",
        "run add.xf --quiet",
        "run --trace stream.trace --format csv",
        "run --trace flipper.trace --format csv",
        "vectors ops.vectors program.vectors --quiet",
    ];
    let to = directory("lines");
    for entry in std::fs::read_dir(&from).expect("a directory").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a file");
        let text = String::from_utf8(bytes).map(|text| text.replace('\n', "\r\n").into_bytes());
        let bytes = text.unwrap_or_else(|error| error.into_bytes());
        std::fs::write(to.join(entry.file_name()), bytes).expect("a file for the test");
    }
    for line in lines {
        assert_eq!(of(&to, line), of(&from, line), "{line}");
    }
}

/// Asks a process to end, as Ctrl-C does where that is a signal; elsewhere the system ends it, and asks nobody.
fn interrupt(child: &mut std::process::Child) -> bool {
    if cfg!(unix) {
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        sent.expect("kill runs").success()
    } else {
        child.kill().is_ok()
    }
}

/// Whoever ends a long run by Ctrl-C finds what was there before, and nothing half written.
#[test]
fn a_report_that_is_interrupted_leaves_nothing() {
    let directory = directory("interrupted");
    let page = directory.join("report.html");
    std::fs::write(&page, "old").expect("a file for the test");
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/files/stream.trace");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    command.args(["prof", "--times", "100000", "--out"]).arg(&page).arg(capture);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let sent = interrupt(&mut child);
    let ended = child.wait().expect("it ends");
    // It may have ended by itself, on a machine of the future.
    if sent && !ended.success() {
        #[cfg(unix)]
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(2));
        assert_eq!(std::fs::read_to_string(&page).expect("it is there"), "old");
    }
    let names: Vec<_> =
        std::fs::read_dir(&directory).expect("a directory").flatten().map(|it| it.file_name()).collect();
    assert_eq!(names, ["report.html"]);
}

/// A loop without an end, slot by slot, for nv40, and so many vertices.
fn endless(vertices: usize) -> String {
    use xfjit::{Generation, asm, isa};
    let program = asm::parse(Generation::Curie, "again: ADD oPos, r0, c[0]\nBRA again").expect("a program");
    let mut text = String::from("chip nv40\n");
    for (slot, words) in isa::encode(Generation::Curie, &program).as_chunks::<4>().0.iter().enumerate() {
        let [x, y, z, w] = words;
        text += &format!("XFPR {slot}.xy {x:08x} {y:08x}\nXFPR {slot}.zw {z:08x} {w:08x}\n");
    }
    text += "set execution 0x111\nset outputs 1\nMODE 0.xy 0x80040000 0\n";
    text + &"vertex\n".repeat(vertices)
}

#[test]
fn captures_whose_programs_do_not_end_are_ended() {
    // 10,000 vertices of 65,535 slots: a minute of the interpreter. A capture of them has a few hundred bytes.
    let [trace] = files("endless", [("endless.trace", &endless(10_000))]);
    let capture = directory("endless_capture").join("endless.capture").display().to_string();
    assert!(xfjit(&["import", &trace, "--output", &capture]).status.success());
    assert!(std::fs::metadata(&capture).expect("it was written").len() < 1000);
    for backend in ["jit", "interp"] {
        for file in [&trace, &capture] {
            let output = xfjit(&["run", "--trace", file, "--backend", backend]);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{stderr}");
            assert!(stderr.contains("--overtime") && output.stdout.is_empty(), "{stderr}");
        }
    }
    let output = xfjit(&["prof", &capture, "--sampling", "none", "--format", "json"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && stderr.contains("--overtime"), "{stderr}");

    // Whoever says how much a vertex may execute gets all of them.
    let output = quietly(&["run", "--trace", &capture, "--slot-limit", "40", "--format", "csv"]);
    assert_eq!(output.lines().count(), 10_001);
    let [trace] = files("short", [("short.trace", &endless(3))]);
    let output = xfjit(&["run", "--trace", &trace, "--overtime", "100000"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(quietly(&["run", "--trace", &trace, "--format", "csv"]).lines().count(), 4);
}

/// Where no vertex of a program runs, limits of programs are refused by name.
#[test]
fn limits_of_programs_are_for_programs() {
    let lines: [&[&str]; 3] = [
        &["run", "files/add.xf"],
        &["run", "--trace", "files/flipper.trace"],
        &["prof", "files/flipper.trace"],
    ];
    for (line, option) in
        lines.iter().flat_map(|line| ["--slot-limit", "--overtime"].map(|option| (line, option)))
    {
        let output = xfjit(&[line, &[option, "40"][..]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(option), "{line:?} {option}: {stderr}");
    }
}

/// What a run could not read, and what an import could not keep, is told where a script sees it.
#[test]
fn what_reaches_nothing_is_told() {
    let directory = directory("reaches_nothing");
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).expect("a file for the test");
        path.display().to_string()
    };
    let hanging = write("hanging.trace", b"chip nv10\nread XFPR 0.x\n");
    let output = xfjit(&["run", "--trace", &hanging]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("hangs the machine"), "{stderr}");
    // The first command of the first frame is made a byte that begins none.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/files/flipper.dff");
    let mut recording = std::fs::read(path).expect("it is there");
    let first = u32::from_le_bytes(recording[0x80..0x84].try_into().expect("four bytes")) as usize;
    recording[first] = 0x18;
    let odd = write("odd.dff", &recording);
    let capture = directory.join("odd.capture").display().to_string();
    let output = xfjit(&["import", &odd, "-o", &capture]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.contains("0x18 in frame 0"), "{stderr}");
}

/// A capture that was cut off before its first call, and one with all of them, of which the slots of one program are asked for.
#[test]
fn a_report_speaks_of_what_has_run() {
    let path = directory("cut_capture").join("cut.capture");
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/files/calls.capture");
    let bytes = std::fs::read(whole).expect("it is there");
    std::fs::write(&path, &bytes[..200]).expect("a file for the test");
    let path = path.display().to_string();
    let report = xfjit(&["prof", &path, "--sampling", "none"]);
    let text = String::from_utf8(report.stdout).expect("text");
    assert!(report.status.success() && text.contains("No program has run"), "{text}");
    assert!(text.contains(" 0 programs,") && !text.contains('%'), "{text}");

    let report = |top: &str| {
        let line = [
            "prof",
            "files/calls.capture",
            "--sampling",
            "none",
            "--times",
            "1",
            "--format",
            "json",
            "--top",
            top,
        ];
        let text = quietly(&line);
        serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON")
    };
    let slots = |top: &str| {
        let report = report(top);
        let programs = report["programs"].as_array().expect("programs").clone();
        programs
            .iter()
            .filter(|program| program["slots"].as_array().is_some_and(|slots| !slots.is_empty()))
            .count()
    };
    assert_eq!((slots("0"), slots("1")), (0, 1));
}
