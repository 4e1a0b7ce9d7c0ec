//! What XF2VTX carries, in order: finished vertices and bundles passed through.
//!
//! ```text
//! queue   records [vertices: form, first word, count | bundle]   one behind the other
//!         words   [vertex 0: its registers, 4 words each][vertex 1] ...
//! ```
//! How vertices were cut into batches cannot be seen: neighbouring records of one form are one.

use xfjit_runtime::batch::{StreamError, registers};
use xfjit_runtime::state::{OUTPUTS, Row};

/// The meaning of a vertex's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// Registers of TBUF as a program outputs them, or those of Flipper's transform unit ([`xfjit_isa::chip::flipper::output`]), as a mask;
    /// four words each, the lowest register first.
    Registers(u32),
    /// Outputs of the fixed function of Kelvin and Rankine: see [`xfjit_isa::chip::Outputs`].
    Fixed(u32),
    /// The 16 words that Celsius sends (fixed_function.md 4.3): 0, 1, 3 texture 1 s, t, q; 2 point size and edge flag;
    /// 4, 5, 7 texture 0 s, t, q; 9 fog; 10 primary colour; 11 edge flag and secondary colour; 12 to 15 position.
    Celsius,
}

impl Form {
    /// The number of words of a vertex.
    pub const fn words(self) -> usize {
        match self {
            Form::Registers(mask) | Form::Fixed(mask) => 4 * mask.count_ones() as usize,
            Form::Celsius => 16,
        }
    }
}

/// Consecutive vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vertices<'a> {
    /// The meaning of the words.
    pub form: Form,
    /// The number of vertices; they may have no words.
    pub count: usize,
    /// Their words, vertex after vertex.
    pub words: &'a [u32],
}

impl<'a> Vertices<'a> {
    /// The words of one vertex; empty if the vertex does not exist.
    pub fn vertex(&self, index: usize) -> &'a [u32] {
        let words = self.form.words();
        let rest = index.checked_mul(words).and_then(|at| self.words.get(at..));
        rest.and_then(|rest| rest.get(..words)).unwrap_or(&[])
    }

    /// One register of a vertex, if it is among those sent.
    pub fn register(&self, index: usize, register: u8) -> Option<Row> {
        let at = self.place(register)?;
        self.vertex(index).get(at..at + 4)?.try_into().ok()
    }

    /// One register of all vertices, if it is among those sent.
    pub(crate) fn column(&self, register: u8) -> Option<impl ExactSizeIterator<Item = Row>> {
        let at = self.place(register)?;
        let vertices = self.words.chunks_exact(self.form.words());
        Some(vertices.map(move |words| [words[at], words[at + 1], words[at + 2], words[at + 3]]))
    }

    /// Where among a vertex's words a register is.
    fn place(&self, register: u8) -> Option<usize> {
        let (Form::Registers(mask) | Form::Fixed(mask)) = self.form else { return None };
        let bit = 1u32.checked_shl(register.into())?;
        (mask & bit != 0).then(|| 4 * (mask & (bit - 1)).count_ones() as usize)
    }
}

/// One piece of what XF2VTX carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<'a> {
    /// Finished vertices.
    Vertices(Vertices<'a>),
    /// Words 0 and 1 of a PASSTHRU command: a bundle's number, shifted left by two, and its value.
    Bundle([u32; 2]),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Record {
    Vertices { form: Form, first: usize, count: usize },
    Bundle([u32; 2]),
}

/// Words that a vertex of any form has at most.
pub(super) const MOST_WORDS: usize = 4 * OUTPUTS;

/// Makes memory as long as this, if there is so much.
pub(super) fn resize(words: &mut Vec<u32>, length: usize) -> Result<(), StreamError> {
    words.try_reserve(length.saturating_sub(words.len()))?;
    words.resize(length, 0);
    Ok(())
}

/// What has not been taken yet.
#[derive(Clone, Default, Debug)]
pub(super) struct Queue {
    records: Vec<Record>,
    /// Words of vertices. Those from `used` on are nobody's yet: memory that is kept, or room that is being filled.
    words: Vec<u32>,
    used: usize,
}

impl Queue {
    /// Takes memory for so many vertices of any form, each with a record of its own, and for so many bundles.
    pub(super) fn reserve(&mut self, vertices: usize, bundles: usize) -> Result<(), StreamError> {
        let words = vertices.checked_mul(MOST_WORDS).and_then(|words| words.checked_add(self.used));
        let words = words.ok_or(StreamError::OutOfMemory)?;
        self.words.try_reserve(words.saturating_sub(self.words.len()))?;
        self.records.try_reserve(vertices.saturating_add(bundles))?;
        Ok(())
    }

    pub(super) fn bundle(&mut self, words: [u32; 2]) -> Result<(), StreamError> {
        self.records.try_reserve(1)?;
        self.records.push(Record::Bundle(words));
        Ok(())
    }

    /// Room for `count` vertices, which the caller fills; they wait to be taken from [`Queue::publish`] on. Where there is none, nothing has
    /// changed.
    pub(super) fn room(&mut self, form: Form, count: usize) -> Result<&mut [u32], StreamError> {
        let first = self.used;
        let used = count.checked_mul(form.words()).and_then(|words| words.checked_add(first));
        let used = used.ok_or(StreamError::OutOfMemory)?;
        self.records.try_reserve(1)?;
        if self.words.len() < used {
            resize(&mut self.words, used)?;
        }
        Ok(&mut self.words[first..used])
    }

    /// Appends the vertices that the caller has filled the last room with, which was for this form and count.
    pub(super) fn publish(&mut self, form: Form, count: usize) {
        let first = self.used;
        self.used += count * form.words();
        match self.records.last_mut() {
            Some(Record::Vertices { form: same, count: already, .. }) if *same == form => *already += count,
            _ => self.records.push(Record::Vertices { form, first, count }),
        }
    }

    /// Words held.
    pub(super) fn len(&self) -> usize {
        self.used + 2 * self.records.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Output<'_>> {
        self.records.iter().map(|record| match *record {
            Record::Bundle(words) => Output::Bundle(words),
            Record::Vertices { form, first, count } => {
                let words = &self.words[first..first + count * form.words()];
                Output::Vertices(Vertices { form, count, words })
            }
        })
    }

    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.used = 0;
    }
}

/// The registers of a form's mask, as numbers; at most as many as there are.
pub(crate) fn register_list(mask: u32) -> ([u8; 32], usize) {
    let mut list = [0; 32];
    let mut count = 0;
    for register in registers(mask) {
        list[count] = register as u8;
        count += 1;
    }
    (list, count)
}
