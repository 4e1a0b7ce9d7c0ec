//! The byte that a command begins with (flipper.md 1.1).

/// What a command does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Opcode {
    /// Nothing.
    Nop,
    /// Loads a register of the command processor.
    LoadCp,
    /// Loads words of the transform unit.
    LoadXf,
    /// Loads words of the transform unit from one of its four arrays.
    LoadIndexed(u8),
    /// Calls a display list.
    Call,
    /// UNKNOWN: a command for measurements. Here it is one byte that does nothing.
    Metrics,
    /// Forgets what the vertex cache holds.
    InvalidateVertices,
    /// Loads a register of a unit after the transform unit.
    LoadBp,
    /// Draws vertices.
    Draw,
    /// No known command. UNKNOWN: on a console 01 to 07 and 3f do nothing, and others, such as 18, make it hang. Here the
    /// byte does nothing.
    Unknown,
}

/// How bytes are decoded as commands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decoding {
    /// Only bytes that software sends on purpose begin a command. Games send others by mistake, and 3f, for
    /// example, does nothing.
    Exact,
    /// The upper five bits decide, and the lower three are ignored. For loads of units after the transform
    /// unit, the upper four bits decide.
    UpperBits,
}

/// The primitive of a drawing command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Primitive {
    /// Four vertices each.
    Quads,
    /// Four vertices each, by another code.
    Quads2,
    /// Three vertices each.
    Triangles,
    /// Each vertex from the third on with the two before it.
    TriangleStrip,
    /// Each vertex from the third on with the one before it and the first.
    TriangleFan,
    /// Two vertices each.
    Lines,
    /// Each vertex from the second on with the one before it.
    LineStrip,
    /// One vertex each.
    Points,
}

impl Primitive {
    /// By code.
    pub const ALL: [Primitive; 8] = [
        Primitive::Quads,
        Primitive::Quads2,
        Primitive::Triangles,
        Primitive::TriangleStrip,
        Primitive::TriangleFan,
        Primitive::Lines,
        Primitive::LineStrip,
        Primitive::Points,
    ];

    /// The primitive of a drawing command's byte.
    pub const fn of(byte: u8) -> Primitive {
        Primitive::ALL[(byte >> 3 & 7) as usize]
    }

    /// The name in texts.
    pub const fn name(self) -> &'static str {
        ["quads", "quads2", "triangles", "strip", "fan", "lines", "line strip", "points"][self as usize]
    }
}

/// The table: name, the byte that software sends, bits of it that the command processor is said to look at.
const OPCODES: [(Opcode, u8, u8); 12] = [
    (Opcode::Nop, 0x00, 0xf8),
    (Opcode::LoadCp, 0x08, 0xf8),
    (Opcode::LoadXf, 0x10, 0xf8),
    (Opcode::LoadIndexed(0), 0x20, 0xf8),
    (Opcode::LoadIndexed(1), 0x28, 0xf8),
    (Opcode::LoadIndexed(2), 0x30, 0xf8),
    (Opcode::LoadIndexed(3), 0x38, 0xf8),
    (Opcode::Call, 0x40, 0xf8),
    (Opcode::Metrics, 0x44, 0xff),
    (Opcode::InvalidateVertices, 0x48, 0xf8),
    (Opcode::LoadBp, 0x61, 0xf0),
    (Opcode::Draw, 0x80, 0xc0),
];

impl Opcode {
    /// The command that a byte begins.
    pub const fn of(byte: u8, decoding: Decoding) -> Opcode {
        let mut index = 0;
        while index < OPCODES.len() {
            let (opcode, sent, looked_at) = OPCODES[index];
            let mask = match (opcode, decoding) {
                (Opcode::Draw, _) | (_, Decoding::UpperBits) => looked_at,
                (_, Decoding::Exact) => 0xff,
            };
            if (byte ^ sent) & mask == 0 {
                return opcode;
            }
            index += 1;
        }
        Opcode::Unknown
    }

    /// How many bytes the command has before its payload: the words of a load, or the vertices.
    pub const fn bytes(self) -> usize {
        match self {
            Opcode::Nop | Opcode::Metrics | Opcode::InvalidateVertices | Opcode::Unknown => 1,
            Opcode::Draw => 3,
            Opcode::LoadXf | Opcode::LoadIndexed(_) | Opcode::LoadBp => 5,
            Opcode::LoadCp => 6,
            Opcode::Call => 9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_commands_of_either_reading() {
        for byte in 0..=255_u8 {
            let exact = Opcode::of(byte, Decoding::Exact);
            let upper = Opcode::of(byte, Decoding::UpperBits);
            let want = match byte {
                0x00 => Opcode::Nop,
                0x08 => Opcode::LoadCp,
                0x10 => Opcode::LoadXf,
                0x20 | 0x28 | 0x30 | 0x38 => Opcode::LoadIndexed(byte >> 3 & 3),
                0x40 => Opcode::Call,
                0x44 => Opcode::Metrics,
                0x48 => Opcode::InvalidateVertices,
                0x61 => Opcode::LoadBp,
                0x80..=0xbf => Opcode::Draw,
                _ => Opcode::Unknown,
            };
            assert_eq!(exact, want, "{byte:x}");
            let want = match byte & 0xf8 {
                0x60 | 0x68 => Opcode::LoadBp,
                row => Opcode::of(row, Decoding::Exact),
            };
            assert_eq!(upper, want, "{byte:x}");
        }
        assert_eq!(Primitive::of(0x9f), Primitive::TriangleStrip);
    }

    /// The upper five bits of each drawing command; the lower three are a number of a table.
    #[test]
    fn primitives_have_the_codes_of_the_documents() {
        for (code, primitive) in [
            (0b10000, Primitive::Quads),
            (0b10010, Primitive::Triangles),
            (0b10011, Primitive::TriangleStrip),
            (0b10100, Primitive::TriangleFan),
            (0b10101, Primitive::Lines),
            (0b10110, Primitive::LineStrip),
            (0b10111, Primitive::Points),
        ] {
            for vat in 0..8 {
                assert_eq!(Opcode::of(code << 3 | vat, Decoding::Exact), Opcode::Draw, "{code:b}");
                assert_eq!(Primitive::of(code << 3 | vat), primitive, "{code:b}");
            }
        }
    }
}
