//! The headers in `include/` say what the library has, and `xfjit.def` what it exports on Windows: they are made of its table, and are as
//! this test makes them.
//!
//! `XFJIT_WRITE_HEADERS=1 cargo test -p xfjit-capi --test headers` writes them.

mod declare;
mod loader;
mod render;

use std::path::Path;
use xfjit_capi::INTERFACE;

fn check(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("XFJIT_WRITE_HEADERS").is_some() {
        std::fs::write(&path, made).expect("the file can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = there.lines().zip(made.lines()).position(|(there, made)| there != made);
    assert!(
        there == made,
        "{name} is not what the source says, from line {} on; XFJIT_WRITE_HEADERS=1 writes it again",
        1 + differs.unwrap_or(there.lines().count().min(made.lines().count()))
    );
}

#[test]
fn xfjit_h_is_what_the_source_says() {
    check("include/xfjit.h", &render::header(INTERFACE));
}

#[test]
fn xfjit_loader_h_is_what_the_source_says() {
    check("include/xfjit_loader.h", &loader::header(INTERFACE));
}

/// For linkers, which so name the library and not as cargo does; and for who makes an import library.
#[test]
fn xfjit_def_is_what_the_source_says() {
    let names = render::functions(INTERFACE).into_iter().map(|function| format!("    {}\n", function.name));
    let head = "; The functions of xfjit.dll. Made by tests/headers of what the source says; do not edit.\n";
    check("xfjit.def", &format!("{head}LIBRARY xfjit.dll\nEXPORTS\n{}", names.collect::<String>()));
}

/// Whoever reads a header knows who may call what.
#[test]
fn every_function_says_which_threads_may_call_it() {
    let functions = render::functions(INTERFACE);
    assert!(functions.len() > 15);
    for function in functions {
        let doc = function.doc.concat();
        let known = ["Any thread.", "One thread at a time", "One thread, while no other"];
        assert!(known.iter().any(|rule| doc.contains(rule)), "{} says nothing of threads", function.name);
        assert!(function.name.starts_with("xfjit_"));
    }
}

/// So that structures can grow.
#[test]
fn records_begin_with_their_size_or_their_array_has_one() {
    for record in render::records(INTERFACE) {
        let (_, first, kind) = record.members[0];
        let is_element = matches!(
            record.name,
            "xfjit_attribute"
                | "xfjit_output"
                | "xfjit_piece"
                | "xfjit_flipper_element"
                | "xfjit_flipper_triangle"
                | "xfjit_flipper_output"
        );
        assert!(is_element || (first, kind) == ("size", "u32"), "{}", record.name);
    }
}
