//! Makes the shipped capture, `programs/demo.capture`: the fixed set of programs on the Xbox's unit, a draw each, as commands. And the
//! ones of calls that tests read.
//!
//! ```sh
//! cargo run --example make_capture > programs/demo.capture
//! cargo run --example make_capture calls > cli/tests/cmd/files/calls.capture
//! cargo run --example make_capture named > cli/tests/cmd/files/named.capture
//! ```

use std::io::{self, Write};
use xfjit::capture::{Call, CallWriter, Recorded, Stream, UnitWriter};
use xfjit::chip::Chip;
use xfjit::runtime::state::Row;
use xfjit::xf::trace::Item;
use xfjit::xf::{Command, Register, Type};
use xfjit::{Config, Generation, Model, asm, isa};
use xfjit_testing::captures;
use xfjit_testing::programs::{self, Fixed};

/// Vertices of each draw.
const VERTICES: usize = 48;

fn main() -> io::Result<()> {
    let bytes = match std::env::args().nth(1).as_deref() {
        None => demo()?,
        Some("calls") => captures::calls(),
        Some("named") => named()?,
        Some(other) => return Err(io::Error::other(format!("no capture `{other}`"))),
    };
    io::stdout().write_all(&bytes)
}

fn demo() -> io::Result<Vec<u8>> {
    let mut items = Vec::new();
    for fixed in programs::ALL.iter().filter(|fixed| fixed.generation == Generation::Kelvin) {
        draw(fixed, &mut items);
    }
    let mut writer = UnitWriter::new(Vec::new(), Chip::Nv2a)?;
    writer.note(
        "Five programs of transformation and light, a draw each; one vertex has a normal that is not a number.",
    )?;
    items.iter().try_for_each(|item| writer.item(item))?;
    writer.finish()
}

/// Calls of two programs that their host has labelled, and of one that it has not.
fn named() -> io::Result<Vec<u8>> {
    let mut writer = CallWriter::new(Vec::new())?;
    for (text, label) in [
        ("DP4 oPos.x, v0, c[96]\nMOV oD0, v3", Some("transform")),
        ("MUL oPos, v0, c[96]\nMOV oD0, c[97]", Some("scale and colour")),
        ("MOV oPos, v0", None),
    ] {
        let decoded = asm::parse(Generation::Kelvin, text).map_err(io::Error::other)?;
        let words = isa::encode(Generation::Kelvin, &decoded);
        let config = Config::new(Generation::Kelvin).live_outputs(9);
        let program = writer.program(&Recorded { words, start: 0, config })?;
        label.map_or(Ok(()), |label| writer.name(program, label))?;
        let row = [1.0f32.to_bits(); 4];
        let attributes = vec![(0, Stream::Each(vec![row, [0; 4]])), (3, Stream::One(row))];
        writer.call(&Call { program, count: 2, constants: vec![(96, row)], attributes })?;
    }
    writer.finish()
}

fn draw(fixed: &Fixed, items: &mut Vec<Item>) {
    let program = fixed.program();
    let code = isa::encode(fixed.generation, &program);
    for (slot, &words) in (program.first as u16..).zip(code.as_chunks::<4>().0) {
        vector(items, Type::Xfpr, slot, words);
    }
    for (slot, &row) in (0..).zip(fixed.context().rows()) {
        // All programs have the same constants, as far as they are not 0.
        if row != [0; 4] {
            vector(items, Type::Xfctx, slot, row);
        }
    }
    // Programs, with access to all constants.
    vector(items, Type::Mode, 0, [2 << 30 | 1 << 18, 0, 0, 0]);
    items.push(Item::Set(Register::Start, program.start as u32));
    items.push(Item::Set(Register::Outputs, fixed.config(Model::Hw).live_outputs));
    let words = fixed.vertices(VERTICES);
    for (number, vertex) in words.chunks_exact(fixed.input_words()).enumerate() {
        for (&register, words) in fixed.attributes.iter().zip(vertex.as_chunks::<4>().0) {
            let is_flaw = fixed.name == "P2" && register == 2 && number == 17;
            let words = if is_flaw { [0x7fc0_0000; 4] } else { *words };
            vector(items, Type::Vab, register.into(), words);
        }
        items.push(Item::Vertex);
    }
}

fn vector(items: &mut Vec<Item>, kind: Type, slot: u16, [x, y, z, w]: Row) {
    items.push(Item::Command(Command::pair(kind, slot, 0, [x, y])));
    items.push(Item::Command(Command::pair(kind, slot, 2, [z, w])));
}

#[cfg(test)]
mod tests {
    use xfjit::capture::{Part, Reader};
    use xfjit_testing::captures;

    /// All that a file holds: how it is compressed may differ.
    fn parts(mut file: &[u8]) -> Vec<Part> {
        let mut reader = Reader::new(&mut file).expect("it is a capture");
        let mut parts = Vec::new();
        while let Some(part) = reader.part().expect("it is good") {
            parts.push(part);
        }
        assert_eq!(reader.cut(), None);
        parts
    }

    #[test]
    fn the_shipped_captures_are_what_this_makes() {
        let shipped = include_bytes!("../../programs/demo.capture");
        let made = super::demo().expect("memory takes all");
        assert!(
            parts(&made) == parts(shipped),
            "run: cargo run --example make_capture > programs/demo.capture"
        );
        assert!(shipped.len() < 50_000);
        let shipped = include_bytes!("../tests/cmd/files/calls.capture");
        assert!(
            parts(&captures::calls()) == parts(shipped),
            "run: cargo run --example make_capture calls > cli/tests/cmd/files/calls.capture"
        );
        let shipped = include_bytes!("../tests/cmd/files/named.capture");
        assert!(
            parts(&super::named().expect("memory takes all")) == parts(shipped),
            "run: cargo run --example make_capture named > cli/tests/cmd/files/named.capture"
        );
    }
}
