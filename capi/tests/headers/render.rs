//! `xfjit.h`.

use crate::declare::declaration;
use std::fmt::Write;
use xfjit_capi::table::{Constants, Function, Item, Record, Section};

/// The widest line.
const WIDTH: usize = 110;

/// All functions, in their order.
pub(crate) fn functions(interface: &[Section]) -> Vec<&'static Function> {
    let items = interface.iter().flat_map(|section| section.items);
    items
        .filter_map(|item| if let Item::Functions(functions) = item { Some(*functions) } else { None })
        .flatten()
        .collect()
}

/// All records, in their order.
pub(crate) fn records(interface: &[Section]) -> Vec<Record> {
    let items = interface.iter().flat_map(|section| section.items);
    items.filter_map(|item| if let Item::Record(record) = item { Some(*record) } else { None }).collect()
}

pub(crate) fn header(interface: &[Section]) -> String {
    let mut text = String::from(HEAD);
    text += &types(interface);
    text += "#if defined __cplusplus\nextern \"C\" {\n#endif\n";
    for section in interface {
        let functions: Vec<&Function> = functions(std::slice::from_ref(section));
        if functions.is_empty() {
            continue;
        }
        heading(&mut text, section.title);
        for function in functions {
            comment(&mut text, function.doc, "");
            let _ = writeln!(text, "XFJIT_API {};\n", prototype(function, function.name));
        }
    }
    text += "#if defined __cplusplus\n}\n#endif\n\n#endif\n";
    text
}

/// Everything but functions, in a form that C89 takes, too. Both headers have it, whoever comes first.
pub(crate) fn types(interface: &[Section]) -> String {
    let mut text = String::from("#ifndef XFJIT_TYPES\n#define XFJIT_TYPES\n\n");
    text += "#include <stddef.h>\n#include <stdint.h>\n\n#if defined __cplusplus\nextern \"C\" {\n#endif\n";
    for section in interface {
        if section.items.iter().all(|item| matches!(item, Item::Functions(_))) {
            continue;
        }
        heading(&mut text, section.title);
        for item in section.items {
            match item {
                Item::Opaque(opaque) => {
                    comment(&mut text, opaque.doc, "");
                    let _ = writeln!(text, "typedef struct {0} {0};\n", opaque.name);
                }
                Item::Constants(constants) => numbers(&mut text, constants),
                Item::Record(record) => structure(&mut text, record),
                Item::Callback(function) => {
                    comment(&mut text, function.doc, "");
                    let name = format!("(*{})", function.name);
                    let _ = writeln!(text, "typedef {};\n", prototype(function, &name));
                }
                Item::Macro(line) => {
                    let _ = writeln!(text, "{line}\n");
                }
                Item::Functions(_) => {}
            }
        }
    }
    text += "#if defined __cplusplus\n}\n#endif\n\n#endif\n\n";
    text
}

/// The prototype of a function of some name.
pub(crate) fn prototype(function: &Function, name: &str) -> String {
    let parameters: Vec<String> =
        function.parameters.iter().map(|(name, of)| declaration(of, name)).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    declaration(function.returns, &format!("{name}({parameters})"))
}

fn heading(text: &mut String, title: &str) {
    let _ = writeln!(text, "\n/* ---- {title} {} */\n", "-".repeat(WIDTH.saturating_sub(12 + title.len())));
}

/// Lines of a description as a comment.
fn comment(text: &mut String, doc: &[&str], indent: &str) {
    let lines = wrapped(doc, WIDTH - indent.len() - 6);
    for (at, line) in lines.iter().enumerate() {
        let (open, close) =
            (if at == 0 { "/*" } else { " *" }, if at + 1 == lines.len() { " */" } else { "" });
        let _ = writeln!(text, "{indent}{open} {line}{close}");
    }
}

fn wrapped(doc: &[&str], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in doc.iter().flat_map(|line| line.split_whitespace()) {
        let word = word.replace('`', "");
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            *line = word;
        } else if line.len() + 1 + word.len() <= width {
            *line += " ";
            *line += &word;
        } else {
            lines.push(word);
        }
    }
    lines
}

/// A line with its comment behind it, or above it if there is no room.
fn commented(text: &mut String, line: &str, doc: &[&str], column: usize) {
    let said = wrapped(doc, WIDTH);
    match &said[..] {
        [short] if column + short.len() + 7 <= WIDTH => {
            let _ = writeln!(text, "    {line:column$} /* {short} */", column = column - 4);
        }
        _ => {
            comment(text, doc, "    ");
            let _ = writeln!(text, "    {line}");
        }
    }
}

fn numbers(text: &mut String, constants: &Constants) {
    comment(text, constants.doc, "");
    text.push_str("enum {\n");
    let last = constants.entries.len() - 1;
    let lines: Vec<String> = constants
        .entries
        .iter()
        .enumerate()
        .map(|(at, (_, name, value))| format!("{name} = {value}{}", if at == last { "" } else { "," }))
        .collect();
    let column = 5 + lines.iter().map(String::len).max().unwrap_or(0);
    for (line, (doc, ..)) in lines.iter().zip(constants.entries) {
        commented(text, line, doc, column);
    }
    text.push_str("};\n");
    if constants.entries.iter().any(|(_, name, _)| *name == "XFJIT_OK") {
        text.push_str("typedef int32_t xfjit_status;\n");
    }
    text.push('\n');
}

fn structure(text: &mut String, record: &Record) {
    comment(text, record.doc, "");
    let _ = writeln!(text, "typedef struct {} {{", record.name);
    let lines: Vec<String> =
        record.members.iter().map(|(_, name, of)| format!("{};", declaration(of, name))).collect();
    let column = 5 + lines.iter().map(String::len).max().unwrap_or(0);
    for (line, (doc, ..)) in lines.iter().zip(record.members) {
        commented(text, line, doc, column);
    }
    let _ = writeln!(text, "}} {};\n", record.name);
}

const HEAD: &str = "\
/* xfjit.h: vertex programs of GeForce 3 to 7, the Xbox and the PlayStation 3, at the speed of native code.
 *
 * C99 and C++98. Generated from the library's source (capi/tests/headers); do not edit.
 *
 * Handles are opaque. Functions return a status: XFJIT_OK, or the kind of error; xfjit_last_error describes the last error of the
 * calling thread.
 *
 * In each structure, the caller sets `size` to its sizeof, so that later versions can add fields at the end. Fields that an old
 * caller lacks count as 0. An old library accepts a new caller's structure if the fields that it does not know are 0.
 *
 * The library has no state apart from the handles and, for each thread, its last error and the configuration that it gave xfjit_op
 * last. It writes only lists, files of xfjit_options.perf and .attach, and what xfjit_options.verify_directory receives. It starts
 * threads for XFJIT_COMPILE_THREAD and xfjit_engine_warm_list_with, one for each search for guards while somebody attaches, and one for
 * a compilation whose caller has less than 512 KiB of stack left. A pointer to memory that a call reads or writes needs to be valid only
 * during the call.
 *
 * The library reports misuse as a status where it can detect it: null pointers, alignment, sizes, handles of another kind. It
 * trusts the caller that memory exists, and that nobody else writes it during a call.
 *
 * If memory whose size depends on the call (lists, vertices, commands, recordings) cannot be allocated, the call returns
 * XFJIT_E_MEMORY. A compilation begins only if 96 MiB can be allocated, of which it uses a fraction; otherwise the program is
 * interpreted. If memory of a fixed size (handles, messages, a worker, a program) cannot be allocated, the process ends.
 *
 * After a fork, the child has the handles, but not the threads of its parent. In the child, programs without native code stay
 * interpreted. Destroying a handle does not wait. What a thread of the parent held is not freed, and a worker or unit
 * that was in a call stays busy. For everything else, the child creates its own engines.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_H
#define XFJIT_H

/* How functions are imported. Define it yourself if you need something else. Define XFJIT_SHARED to import from a DLL on Windows. */
#ifndef XFJIT_API
#if defined _WIN32 && defined XFJIT_SHARED
#define XFJIT_API __declspec(dllimport)
#else
#define XFJIT_API
#endif
#endif

";
