//! The page in Chromium, opened as a file: what it shows is what the library says that is compiled here. So a `wasm.js` that computes or
//! says something else than these sources fails; then run `.ci/playground`. Without Chromium the tests say that they did nothing,
//! unless XFJIT_REQUIRE_BROWSER is set.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use xfjit_playground::answer;

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];
const COMMON: &str = include_str!("../../cli/tests/browser/common.js");
const PAGE: &str = include_str!("page.js");
/// The beginning of the script's last message.
const RESULT: &str = "result of the test: ";
/// How long a test waits for a page that does not end.
const PATIENCE: Duration = Duration::from_secs(900);

fn browser() -> Option<&'static str> {
    let answers = |name: &&&str| {
        let mut command = Command::new(name);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|it| it.success())
    };
    let found = NAMES.iter().find(answers).copied();
    assert!(found.is_some() || std::env::var_os("XFJIT_REQUIRE_BROWSER").is_none(), "there is no Chromium");
    if found.is_none() {
        eprintln!("no Chromium: no page was opened");
    }
    found
}

/// A copy of the page, with a script behind its own.
fn copied(name: &str, script: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/playground");
    for file in ["page.css", "page.js", "wasm.js"] {
        std::fs::copy(built.join(file), directory.join(file))
            .unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let page = std::fs::read_to_string(built.join("index.html")).expect("the page");
    let (before, behind) = page.rsplit_once("</body>").expect("a body");
    let page = format!("{before}<script>{script}</script></body>{behind}");
    std::fs::write(directory.join("index.html"), page).expect("it is written");
    directory
}

/// Opens the page, and returns what the script leaves.
fn opened(browser: &str, name: &str, expected: &Value, width: u32, hash: &str) -> Value {
    // Of what pages' scripts have in common all but what begins them: this one waits.
    let common = COMMON.split("addEventListener(\"load\"").next().expect("a beginning");
    // Nothing in it may end the element.
    let expected = expected.to_string().replace('<', "\\u003c");
    let directory = copied(name, &format!("(() => {{ const expected = {expected};\n{common}\n{PAGE} }})();"));
    let mut command = Command::new(browser);
    // With a port for debuggers it stays open until it is stopped: the page takes as long as it takes.
    command.args(["--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"]);
    // As root, in a container, it has no sandbox of its own; what it opens is ours.
    command.args(["--no-sandbox", "--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0"]);
    command.args(["--disable-extensions", "--disable-quic", "--disable-background-networking"]);
    // Addresses change oftener here than anybody changes them.
    command.arg("--disable-ipc-flooding-protection");
    command.arg(format!("--window-size={width},900"));
    command.arg(format!("--user-data-dir={}", directory.join("profile").display()));
    command.arg(format!("file://{}/index.html{hash}", directory.display()));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let log = child.stderr.take().expect("its log");
    let (sender, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        // The other side stops listening once it has the result.
        let _ = BufReader::new(log).lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
    });
    let end = Instant::now() + PATIENCE;
    let (mut log, mut result) = (Vec::new(), None);
    while result.is_none() {
        let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) else { break };
        let message = line.split_once(RESULT).and_then(|(_, rest)| rest.split_once('"'));
        result = message.map(|(text, _)| unescaped(text));
        log.push(line);
    }
    let _ = child.kill();
    let _ = child.wait();
    drop(lines);
    let _ = reader.join();
    let Some(result) = result else { panic!("the page left nothing: {log:#?}") };
    let is_flaw = |line: &&String| line.contains("CONSOLE") && !line.contains(RESULT);
    let said: Vec<&String> = log.iter().filter(is_flaw).collect();
    assert!(said.is_empty(), "{said:#?}");
    serde_json::from_str(&result).expect("what the script leaves")
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

/// The library's answer, here.
fn asked(question: &Value) -> Value {
    serde_json::from_str(&answer(&question.to_string()).0).expect("an answer")
}

/// A program with what the page is to show of it.
fn program(state: Value) -> Value {
    let with = |ask: &str| {
        let mut question = json!({
            "ask": ask, "pair": false, "legacy": false, "beside": "ieee", "vertex": 0, "turn": 20, "constants": {}, "inputs": {},
            "width": 640, "height": 480,
        });
        question.as_object_mut().expect("an object").extend(state.as_object().expect("an object").clone());
        asked(&question)
    };
    json!({ "state": state, "program": with("program"), "run": with("run"), "draw": with("draw") })
}

fn programs() -> Value {
    let about = asked(&json!({ "ask": "about" }));
    let examples = about["examples"].as_array().expect("examples").iter();
    let mut all: Vec<Value> = examples
        .map(|one| program(json!({ "text": one["text"], "generation": one["generation"] })))
        .collect();
    let text = "MUL r0, v0, c[105]\nADD oPos, r0, v2\nRSQ oD0, v0.x\nMOV oD1.xy, -r0";
    let state = |y: &str| {
        json!({
            "text": text, "generation": "kelvin", "beside": "mame", "vertex": 1234, "turn": 111,
            "inputs": { "0": ["1.1", "0x80000001", "0x7f7fffff", "nan"] }, "constants": { "105": ["1.3", y, "inf", "3"] },
        })
    };
    all.push(program(state("0x3f800001")));
    // Bits have no sign.
    all.push(program(state("-0x0")));
    let bochs = "MUL R0, v0, c9\nEXP R1, R0.x\nLG2 R1.w, |R0.y|\nADD oPos, R0, R1\nDP4 oD0, R1, v2";
    all.push(program(json!({ "text": bochs, "generation": "curie", "beside": "bochs", "vertex": 9, "legacy": true, "pair": true })));
    all.push(program(json!({ "text": bochs, "generation": "curie", "beside": "rpcs3", "vertex": 9 })));
    all.push(program(json!({ "text": "RSQ oPos, v0.x", "generation": "rankine", "vertex": 3000 })));
    json!(all)
}

/// Questions of numbers, with the tables that the page is to show.
fn numbers() -> Value {
    let operands = [
        ("1.1", "-0.3000001", "16"),
        ("0x3f800001", "0x3f7fffff", "-1"),
        ("0x00400000", "0x00800000", "0x80000001"),
        ("nan", "0", "inf"),
        ("-0", "-inf", "1e-45"),
        ("1e38", "1e10", "-3"),
        ("0.7", "0.9", "20.5"),
        ("x<b>", "1", "1"),
    ];
    let about = asked(&json!({ "ask": "about" }));
    let arithmetics = about["rules"].as_array().expect("their names");
    let mut all = Vec::new();
    for (at, (a, b, c)) in operands.into_iter().enumerate() {
        for function in ["MUL", "ADD", "MAD", "DP3", "RCP", "RSQ", "EXP", "LOG", "LIT"] {
            let rules = &arithmetics[(5 * at + usize::from(function.as_bytes()[1])) % arithmetics.len()];
            let state = json!({ "a": a, "b": b, "c": c, "function": function, "rules": rules });
            let mut question = state.clone();
            question["ask"] = json!("numbers");
            all.push(json!({ "state": state, "numbers": asked(&question) }));
        }
    }
    json!(all)
}

#[test]
fn the_page_shows_what_the_library_says() {
    let Some(browser) = browser() else { return };
    let expected = json!({ "programs": programs(), "numbers": numbers() });
    for (name, width) in [("wide", 1280), ("narrow", 500)] {
        let result = opened(browser, name, &expected, width, "");
        assert_eq!(
            result["failures"],
            json!([]),
            "{name}: if wasm.js is older than the sources, run .ci/playground"
        );
        assert!(result["checks"].as_u64() > Some(1000), "{name}: {result}");
    }
}

#[test]
fn addresses_are_what_somebody_wrote() {
    let Some(browser) = browser() else { return };
    let hostile = [
        "#text=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&generation=%3Cscript%3E&tab=nowhere&view=%22",
        "#text=MOV%20oPos%2C%20v0&vertex=1e99&turn=-5&constants=%7B%22__proto__%22%3A%5B1%2C2%2C3%2C4%5D%7D&inputs=[[[",
        "#function=%3Cb%3E&a=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&rules=constructor&tab=numbers",
        "#__proto__=1&constructor=2&toString=3&text=again%3A%0ABRA%20again&generation=curie",
    ];
    for (at, hash) in hostile.into_iter().enumerate() {
        let result = opened(browser, &format!("hostile{at}"), &json!({ "hostile": true }), 800, hash);
        assert_eq!(result["failures"], json!([]), "{hash}");
        assert!(result["checks"].as_u64() > Some(5), "{hash}: {result}");
    }
}
