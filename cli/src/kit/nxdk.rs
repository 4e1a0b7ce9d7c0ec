//! The C file for nxdk: the experiments as tables, and before and behind them text that never changes (`cli/kit/nxdk/kit.c`).

use super::push::Call;
use std::fmt::Write;

/// What runs the tables.
const RUNNER: &str = include_str!("../../kit/nxdk/kit.c");
/// Pairs of method and value in a line of a table.
const PAIRS: usize = 4;

/// An experiment as the file has it.
pub struct Table<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its methods.
    pub calls: Vec<Call>,
    /// The rows that are read behind them, or the points if it draws.
    pub read: Vec<u16>,
    /// Whether it draws.
    pub draws: bool,
}

/// The text of the file.
pub fn file(tables: &[Table<'_>]) -> String {
    let mut text = String::from(
        "/* Written by `xfjit kit build --console nv2a`. */\n#include <stdint.h>\n\n\
        struct experiment {\n    const char *name;\n    const uint32_t *methods;\n    unsigned words;\n    \
        const uint8_t *read;\n    unsigned reads;\n    int draws;\n};\n",
    );
    for (number, table) in tables.iter().enumerate() {
        let pair = |call: &Call| format!("{:#06x}, {:#010x},", call.method, call.value);
        let lines =
            table.calls.chunks(PAIRS).map(|calls| calls.iter().map(pair).collect::<Vec<_>>().join(" "));
        let lines: String = lines.map(|line| format!("    {line}\n")).collect();
        let rows: Vec<String> = table.read.iter().map(u16::to_string).collect();
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "\n/* {} */\nstatic const uint32_t methods_{number}[] = {{\n{lines}}};",
            table.name
        );
        let _ = writeln!(text, "static const uint8_t read_{number}[] = {{{}}};", rows.join(", "));
    }
    text += "\nstatic const struct experiment experiments[] = {\n";
    for (number, Table { name, calls, read, draws }) in tables.iter().enumerate() {
        let (words, reads, draws) = (2 * calls.len(), read.len(), u8::from(*draws));
        let _ =
            writeln!(text, "    {{\"{name}\", methods_{number}, {words}, read_{number}, {reads}, {draws}}},");
    }
    text + "};\n\n" + RUNNER
}
