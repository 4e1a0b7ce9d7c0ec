//! Pages in a real browser: what they show is what is in them, and what can be done with them works. Without Chromium the tests say
//! that they did nothing, unless XFJIT_REQUIRE_BROWSER is set.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What runs in pages of `explore`, and of `prof`.
const EXPLORE: &str = concat!(include_str!("browser/common.js"), include_str!("browser/explore.js"));
const PROF: &str = concat!(include_str!("browser/common.js"), include_str!("browser/prof.js"));
const DIFF: &str = concat!(include_str!("browser/common.js"), include_str!("browser/diff.js"));

/// Whose command it is, by the names that systems give it.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];

fn browser() -> Option<&'static str> {
    let answers = |name: &&&str| {
        let mut command = Command::new(name);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|it| it.success())
    };
    let found = NAMES.iter().find(answers).copied();
    assert!(found.is_some() || std::env::var_os("XFJIT_REQUIRE_BROWSER").is_none(), "there is no Chromium");
    found
}

/// A directory of a test's own, emptied.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit =
            || rest.next().and_then(|byte| char::from(byte).to_digit(16)).expect("two digits") as u8;
        bytes.push(if byte == b'%' { digit() << 4 | digit() } else { byte });
    }
    String::from_utf8(bytes).expect("text")
}

/// Opens a page with a script behind its own, in a window of a width; what the script leaves.
fn opened(browser: &str, page: &Path, script: &str, width: u32, at: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(page).expect("a page");
    let (before, behind) = text.rsplit_once("</body>").expect("a body");
    let watched = page.with_extension("watched.html");
    std::fs::write(&watched, format!("{before}<script>{script}</script></body>{behind}"))
        .expect("it is written");
    let profile = page.with_extension("profile");
    let mut command = Command::new(browser);
    command.args(["--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--dump-dom"]);
    // As root, in a container, it has no sandbox of its own; what it opens is ours.
    command.args(["--no-sandbox", "--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0"]);
    command.arg(format!("--window-size={width},900")).arg(format!("--user-data-dir={}", profile.display()));
    let output = command.arg(format!("file://{}{at}", watched.display())).output().expect("it runs");
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let said: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(said.is_empty(), "{said:#?}");
    let result = dom.split_once("<pre id=\"result\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let Some((result, _)) = result else { panic!("{log}") };
    serde_json::from_str(&unescaped(result)).expect("what the script leaves")
}

fn explored(directory: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    written(directory, name, "explore", arguments)
}

/// The page that a command writes.
fn written(directory: &Path, name: &str, of: &str, arguments: &[&str]) -> PathBuf {
    let page = directory.join(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd"));
    let output = command.arg(of).args(arguments).arg("--out").arg(&page).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    page
}

#[test]
fn a_page_of_explore_can_be_used() {
    let Some(browser) = browser() else {
        eprintln!("no Chromium: no page was opened");
        return;
    };
    let directory = directory("explore");
    // A name that would be markup, if it were not kept from being it.
    let hostile = directory.join("<img src=x onerror=alert(1)>&amp;.vsh");
    std::fs::write(&hostile, "MOV oPos, v0 + RCP r1.w, v0.x\nMUL oD0, r1.w, v2\n").expect("it is written");
    let hostile = hostile.display().to_string();
    let pages = [
        (explored(&directory, "lit.html", &["../../../programs/P2_lit.asm"]), 1400),
        (
            explored(
                &directory,
                "narrow.html",
                &["../../../programs/P2_lit.nv40.hex", "--gen", "curie", "--model", "ieee"],
            ),
            600,
        ),
        (explored(&directory, "fixed.html", &["--fixed", "celsius", "0010000a", "70000005"]), 1400),
        (explored(&directory, "flipper.html", &["--flipper", "files/flipper.txt"]), 1400),
        (explored(&directory, "hostile.html", &[&hostile]), 1400),
    ];
    for (page, width) in &pages {
        let result = opened(browser, page, EXPLORE, *width, "");
        assert_eq!(result["failures"], serde_json::json!([]), "{}", page.display());
        assert!(result["checks"].as_u64() > Some(50), "{}: {result}", page.display());
    }
}

#[test]
fn a_page_of_prof_can_be_used() {
    let Some(browser) = browser() else {
        eprintln!("no Chromium: no page was opened");
        return;
    };
    let directory = directory("prof");
    for (name, capture, width) in [
        ("wide.html", "../../../programs/demo.capture", 1400),
        ("narrow.html", "../../../programs/demo.capture", 600),
        ("flipper.html", "files/flipper.dff", 1400),
    ] {
        let page = written(&directory, name, "prof", &["--times", "2", capture]);
        assert!(std::fs::metadata(&page).expect("a page").len() < 400_000, "{name}");
        let result = opened(browser, &page, PROF, width, "");
        assert_eq!(result["failures"], serde_json::json!([]), "{name}");
        assert!(result["checks"].as_u64() > Some(40), "{name}: {result}");
    }
}

#[test]
fn a_page_of_a_comparison_can_be_used() {
    let Some(browser) = browser() else {
        eprintln!("no Chromium: no page was opened");
        return;
    };
    let directory = directory("diff");
    for (name, before, after, width) in [
        ("same.html", "../../../programs/demo.capture", "../../../programs/demo.capture", 1400),
        ("other.html", "files/stream.trace", "../../../programs/demo.capture", 600),
    ] {
        let page = written(&directory, name, "prof", &["--times", "2", "--diff", before, after]);
        let result = opened(browser, &page, DIFF, width, "");
        assert_eq!(result["failures"], serde_json::json!([]), "{name}");
        assert!(result["checks"].as_u64() > Some(20), "{name}: {result}");
    }
}

#[test]
fn an_address_says_what_is_shown() {
    let Some(browser) = browser() else {
        eprintln!("no Chromium: no page was opened");
        return;
    };
    let page = explored(&directory("address"), "lit.html", &["../../../programs/P2_lit.asm"]);
    let script = r#"addEventListener("load", () => {
        const seen = [...document.querySelectorAll("select")].map((select) => select.selectedOptions[0].textContent);
        seen.push(document.querySelector("tr.chosen").cells[0].textContent);
        const text = document.createElement("pre");
        text.id = "result";
        text.textContent = encodeURIComponent(JSON.stringify(seen));
        document.body.append(text);
    });"#;
    let seen = opened(browser, &page, script, 1400, "#at=8&left=host&right=aarch64");
    assert_eq!(seen, serde_json::json!(["Host operations", "aarch64: machine code", "8"]));
}

#[test]
fn a_page_is_what_the_json_says() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd"));
        let output = command.arg("explore").args(arguments).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let json: serde_json::Value =
        serde_json::from_str(&run(&["--format", "json", "../../../programs/P2_lit.asm"])).expect("JSON");
    let page = run(&["--out", "-", "../../../programs/P2_lit.asm"]);
    let data =
        page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("data");
    assert_eq!(serde_json::from_str::<serde_json::Value>(data.0).expect("JSON"), json);
    assert_eq!(json["schema"], "xfjit.explore.1");
    assert_eq!(json["places"].as_array().map(Vec::len), Some(19));
    // Nearly every slot has become host operations, and machine code wherever it is told apart: copies may be no instruction.
    for stage in json["stages"].as_array().expect("stages") {
        let lines = stage["lines"].as_array().expect("lines");
        let of = |place: u64| lines.iter().filter(|line| line[0].as_u64() == Some(place)).count();
        if lines.iter().all(|line| line[0] == -1) {
            assert!(stage["note"] != "", "{}", stage["name"]);
            continue;
        }
        let some = (0..19).filter(|&place| of(place) > 0).count();
        assert!(some > 15, "{some} slots in {}", stage["name"]);
    }
}
