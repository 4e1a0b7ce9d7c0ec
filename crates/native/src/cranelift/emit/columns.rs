//! Attributes that have fewer than four words, or of which few words are read: columns are put together of the words of the
//! vertices, which takes fewer instructions than rows and their transposition.

use super::super::super::budget::Allocator;
use super::super::clif::{Vector, caller_memory, literal, pick};
use super::Emitter;
use cranelift_codegen::ir::types::{I8, I8X16, I16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

impl Emitter<'_> {
    /// Whether words of an attribute are loaded so.
    pub(super) fn is_in_columns(&self, register: usize, wanted: [bool; 4]) -> bool {
        let is_row = self.func.inputs.format(register).bytes() == 16;
        let count = wanted.iter().filter(|wanted| **wanted).count();
        !is_row || count == 1 && !self.attributes.contains_key(&register)
    }

    /// The wanted words of an attribute.
    pub(super) fn columns(&mut self, register: usize, wanted: [bool; 4]) -> [Option<Vector>; 4] {
        let cursor = self.inputs[register].expect("a live input has a stream");
        let bytes = self.func.inputs.format(register).bytes();
        let mut columns = Column::of(bytes, wanted);
        for (lane, at) in self.vertices(register, cursor).into_iter().enumerate() {
            let at = self.found(register, cursor, at);
            for column in &mut columns {
                column.load(&mut self.b, at, lane);
            }
        }
        self.shield_columns(&mut columns);
        let mut words = [None; 4];
        for column in columns {
            column.split(&mut self.b, &mut words);
        }
        words
    }

    /// Continues in a new block, so that loads are folded although what they give has several readers.
    fn shield_columns(&mut self, columns: &mut [Column]) {
        if self.making.allocator == Allocator::Quick {
            return;
        }
        let next = self.b.create_block();
        let mut arguments = Vec::new();
        for vector in columns.iter_mut().flat_map(|column| &mut column.vectors).flatten() {
            arguments.push(vector.as_integer(&mut self.b));
            *vector = Vector::integer(self.b.append_block_param(next, I32X4));
        }
        self.jump(next, &arguments);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }
}

/// A word of an attribute at all vertices, or two that follow each other.
struct Column {
    /// The first word.
    word: usize,
    /// The bytes of it at one vertex: 1 to 4, or 8 of two words.
    bytes: usize,
    /// All vertices; of two words the first two, and the last two.
    vectors: [Option<Vector>; 2],
}

impl Column {
    /// The wanted words of an attribute with this many bytes.
    fn of(bytes: usize, wanted: [bool; 4]) -> Vec<Column> {
        let mut columns = Vec::new();
        let mut word = 0;
        while word < 4 {
            let is_pair = wanted[word] && word < 3 && wanted[word + 1] && bytes >= 4 * word + 8;
            let bytes = if is_pair { 8 } else { bytes.saturating_sub(4 * word).min(4) };
            if wanted[word] {
                columns.push(Column { word, bytes, vectors: [None; 2] });
            }
            word += if is_pair { 2 } else { 1 };
        }
        columns
    }

    /// Loads the words of the vertex at an address. No byte is read that is not theirs: in the stead of others are zeros.
    fn load(&mut self, b: &mut FunctionBuilder<'_>, at: Value, lane: usize) {
        let (half, flags, offset) = (lane / 2, caller_memory(), 4 * self.word as i32);
        let place = if self.bytes == 8 { &mut self.vectors[half] } else { &mut self.vectors[0] };
        let lane = if self.bytes == 8 { lane % 2 } else { lane };
        let parts: &[(usize, usize)] = if self.bytes == 3 { &[(0, 2), (2, 1)] } else { &[(0, self.bytes)] };
        for &(from, bytes) in parts {
            let (scalar, vector) = match bytes {
                8 => (I64, I64X2),
                4 => (I32, I32X4),
                2 => (I16, I16X8),
                _ => (I8, I8X16),
            };
            let value = b.ins().load(scalar, flags, at, offset + from as i32);
            let row = match *place {
                None if bytes >= 4 => b.ins().scalar_to_vector(vector, value),
                before => {
                    let before = before.unwrap_or_else(|| literal(b, 0)).cast(b, vector);
                    // Lanes of parts of a word are numbered by their size.
                    let number = if bytes >= 4 { lane } else { (4 * lane + from) / bytes };
                    b.ins().insertlane(before, value, number as u8)
                }
            };
            *place = Some(Vector::Register(row, vector));
        }
    }

    /// The words.
    fn split(self, b: &mut FunctionBuilder<'_>, words: &mut [Option<Vector>; 4]) {
        match self.vectors {
            [Some(first), Some(second)] => {
                let [first, second] = [first, second].map(|vector| vector.cast(b, I8X16));
                for (word, lanes) in [[0, 2, 4, 6], [1, 3, 5, 7]].into_iter().enumerate() {
                    words[self.word + word] = Some(Vector::Register(pick(b, first, second, lanes), I8X16));
                }
            }
            [all, _] => words[self.word] = all,
        }
    }
}
