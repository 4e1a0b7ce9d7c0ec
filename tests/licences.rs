//! What ships with the library and the command line has a permissive licence.
//!
//! Walks the dependency graph that cargo has resolved, over normal dependencies with all features on, and evaluates the
//! licence expression of every package against a list. Works offline: it asks for all platforms first, and for this one
//! alone if packages of others have not been downloaded (`cargo fetch` gets them). On Windows it is not run: tests for it are run where there
//! is no cargo, under wine, and packages are the same everywhere.
#![cfg(not(windows))]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Licences that ask for no more than attribution.
const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "0BSD",
    "Unlicense",
    "BSL-1.0",
    "CC0-1.0",
];

/// What we ship.
const ROOTS: &[&str] = &["xfjit", "xfjit-capi", "xfjit-cli", "xfjit-runtime"];

#[test]
fn dependencies_have_permissive_licences() {
    let (metadata, scope) = metadata();
    let shipped = shipped(&metadata);
    let mut bad = Vec::new();
    for (name, licence) in &shipped {
        match licence {
            None => bad.push(format!("{name} names no licence")),
            Some(licence) if !is_allowed(licence) => bad.push(format!("{name} is {licence}")),
            Some(_) => {}
        }
    }
    println!("{} packages, {scope}", shipped.len());
    assert!(bad.is_empty(), "packages that may not be shipped:\n{}", bad.join("\n"));
    assert!(shipped.len() > ROOTS.len() + 20, "the graph has been walked");
}

/// The page on installation and the design name what the library needs without features.
#[test]
fn documents_name_the_dependencies_that_there_are() {
    let (metadata, _) = metadata();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let ours = |package: &Value| {
        let shipped = ["xfjit", "xfjit-runtime", "xfjit-isa", "xfjit-ir", "xfjit-core"];
        package["name"].as_str().is_some_and(|name| shipped.contains(&name))
    };
    let needed: BTreeSet<String> = list(&metadata["packages"])
        .iter()
        .filter(|package| ours(package) && package["source"].is_null())
        .flat_map(|package| list(&package["dependencies"]))
        .filter(|needed| needed["kind"].is_null() && needed["optional"] == false && !ours(needed))
        .filter_map(|needed| needed["name"].as_str().map(str::to_owned))
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("a document");
    let page = read("docs/INSTALL.md");
    let row = page.lines().find(|line| line.starts_with("| none |")).expect("the page's table");
    let told = row.trim_end_matches([' ', '|']).rsplit('|').next().expect("a column");
    let told: BTreeSet<String> = told.split(',').map(|name| name.trim().to_owned()).collect();
    assert_eq!(told, needed);
    let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let sentence = format!("an interpreter with {} small dependencies", words[needed.len()]);
    assert!(read("docs/DESIGN.md").contains(&sentence), "{sentence}");
}

#[test]
fn licence_expressions_are_evaluated() {
    assert!(is_allowed("MIT"));
    assert!(is_allowed("GPL-3.0-only OR MIT"));
    assert!(is_allowed("MIT/Apache-2.0"));
    assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(is_allowed("Apache-2.0 WITH LLVM-exception"));
    assert!(!is_allowed("MIT AND GPL-3.0-only"));
    assert!(!is_allowed("MPL-2.0"));
    assert!(!is_allowed("GPL-2.0-only WITH Classpath-exception-2.0"));
    assert!(!is_allowed("nonsense"));
}

/// What cargo knows of the graph, and of which platforms.
fn metadata() -> (Value, &'static str) {
    let all = cargo(&[]);
    let (output, scope) = match &all {
        Ok(output) => (output.clone(), "all platforms"),
        Err(_) => {
            let triple = host_triple();
            let output = cargo(&["--filter-platform", &triple]);
            (output.unwrap_or_else(|messages| panic!("cargo metadata:\n{messages}")), "this platform only")
        }
    };
    (serde_json::from_slice(&output).expect("cargo prints JSON"), scope)
}

fn cargo(arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--offline", "--locked", "--all-features"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The platform that rustc compiles for by default.
fn host_triple() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host").to_owned()
}

/// Name and version, and licence, of every package that is reached over normal dependencies.
fn shipped(metadata: &Value) -> BTreeMap<String, Option<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .filter_map(|package| Some((text(&package["id"])?, package)))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .filter_map(|node| Some((text(&node["id"])?, node)))
        .collect();

    let is_root =
        |package: &Value| ROOTS.iter().any(|root| package["name"] == *root) && package["source"].is_null();
    let mut open: Vec<String> =
        packages.iter().filter(|(_, package)| is_root(package)).map(|(id, _)| id.clone()).collect();
    assert_eq!(open.len(), ROOTS.len(), "all roots exist");
    let mut seen: BTreeSet<String> = open.iter().cloned().collect();
    let mut shipped = BTreeMap::new();
    while let Some(id) = open.pop() {
        let package = &packages[&id];
        let name = format!(
            "{} {}",
            package["name"].as_str().unwrap_or("?"),
            package["version"].as_str().unwrap_or("?")
        );
        shipped.insert(name, text(&package["license"]));
        for dependency in list(&nodes[&id]["deps"]) {
            let normal = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let Some(id) = text(&dependency["pkg"]).filter(|_| normal) else { continue };
            if seen.insert(id.clone()) {
                open.push(id);
            }
        }
    }
    shipped
}

/// Whether the expression can be met with licences of the list alone.
fn is_allowed(licence: &str) -> bool {
    let Ok(expression) = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX) else { return false };
    expression.evaluate(|requirement| ALLOWED.contains(&requirement.to_string().as_str()))
}
