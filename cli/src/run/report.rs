//! What `xfjit run` prints.

use super::Done;
use crate::args::Format;
use crate::fail::{Failure, remark};
use crate::streams::Vertices;
use crate::table::{self, Table};
use crate::{files, registers};
use serde::Serialize;
use std::io::Write;
use xfjit::Generation;
use xfjit::isa::Mask;

/// The result of a run.
pub(super) struct Report<'a> {
    pub(super) generation: Generation,
    pub(super) model: &'static str,
    pub(super) backend: &'static str,
    /// Attributes that the program reads.
    pub(super) reads: u16,
    /// Components that it writes.
    pub(super) masks: &'a [Mask; xfjit::runtime::state::OUTPUTS],
    /// Registers that it writes, in the order of the results.
    pub(super) registers: &'a [u8],
    pub(super) vertices: &'a Vertices,
    pub(super) done: &'a Done,
    /// Bits instead of numbers in tables.
    pub(super) hex: bool,
    /// Words that differ, where two backends ran.
    pub(super) mismatches: Option<usize>,
}

#[derive(Serialize)]
struct Input {
    register: usize,
    read: bool,
    /// What the file gives; what is missing up to four is 0, 0, 0, 1.
    components: usize,
}

#[derive(Serialize)]
struct Output {
    register: u8,
    name: String,
    /// Components that the program writes.
    mask: String,
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    generation: &'static str,
    model: &'static str,
    backend: &'static str,
    native: bool,
    code_bytes: usize,
    deopt_groups: u64,
    /// Vertices that were ended by the limit of slots: their outputs are what they had written until then.
    timeouts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatches: Option<usize>,
    count: usize,
    /// Of a mesh, the number of the `v` statement behind each vertex, from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<u32>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    /// By vertex, by output, x y z w; null where the value is no number.
    values: Vec<Vec<&'a [f32]>>,
    bits: Vec<Vec<Vec<String>>>,
}

impl Report<'_> {
    /// Words of one vertex.
    fn stride(&self) -> usize {
        4 * self.registers.len()
    }

    fn vertex(&self, index: usize) -> &[u32] {
        &self.done.words[index * self.stride()..(index + 1) * self.stride()]
    }

    pub(super) fn write(&self, format: Format) -> Result<(), Failure> {
        let mut out = files::stdout();
        match format {
            Format::Text => self.table().write(&mut out)?,
            Format::Csv => self.table().write_csv(&mut out)?,
            Format::Json => self.json(&mut out)?,
        }
        Ok(out.flush()?)
    }

    fn columns(&self) -> Vec<String> {
        let names = self.registers.iter().map(|&r| registers::output_name(self.generation, usize::from(r)));
        names.flat_map(|name| ["x", "y", "z", "w"].map(|letter| format!("{name}.{letter}"))).collect()
    }

    fn table(&self) -> Table {
        let columns: Vec<String> = self.columns().iter().map(|name| format!(">{name}")).collect();
        // The points of a mesh by the numbers that its file counts them with.
        let sources = &self.vertices.sources;
        let first = if sources.is_empty() { &[">vertex"][..] } else { &[">vertex", ">v"] };
        let mut table = Table::new(first.iter().copied().chain(columns.iter().map(String::as_str)));
        for index in 0..self.vertices.count {
            let words = self.vertex(index).iter();
            let cells = words.map(|&bits| match self.hex {
                true => format!("{bits:08x}"),
                false => table::number(f32::from_bits(bits)),
            });
            let source = sources.get(index).map(|source| (source + 1).to_string());
            table.row(std::iter::once(index.to_string()).chain(source).chain(cells));
        }
        table
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let values: Vec<f32> = self.done.words.iter().map(|&bits| f32::from_bits(bits)).collect();
        let stride = self.stride();
        let attributes = self.vertices.attributes.iter().enumerate();
        let json = Json {
            schema: "xfjit.run.1",
            generation: self.generation.name(),
            model: self.model,
            backend: self.backend,
            native: self.done.native.is_some_and(|cost| cost.code_bytes > 0),
            code_bytes: self.done.native.map_or(0, |cost| cost.code_bytes),
            deopt_groups: self.done.deopt_groups,
            timeouts: self.done.timeouts,
            mismatches: self.mismatches,
            count: self.vertices.count,
            sources: self.vertices.sources.iter().map(|source| source + 1).collect(),
            inputs: attributes
                .map(|(register, attribute)| Input {
                    register,
                    read: self.reads >> register & 1 != 0,
                    components: attribute.as_ref().map_or(0, |attribute| attribute.components),
                })
                .filter(|input| input.read || input.components > 0)
                .collect(),
            outputs: self
                .registers
                .iter()
                .map(|&register| Output {
                    register,
                    name: registers::output_name(self.generation, usize::from(register)),
                    mask: registers::letters(self.masks[usize::from(register)]),
                })
                .collect(),
            values: (0..self.vertices.count)
                .map(|i| values[i * stride..(i + 1) * stride].chunks(4).collect())
                .collect(),
            bits: (0..self.vertices.count)
                .map(|i| {
                    let rows = self.vertex(i).chunks(4);
                    rows.map(|row| row.iter().map(|word| format!("{word:08x}")).collect()).collect()
                })
                .collect(),
        };
        serde_json::to_writer(&mut *out, &json)
            .map_err(|error| Failure::from(std::io::Error::from(error)))?;
        Ok(writeln!(out)?)
    }

    /// Lists where the reference has other bits.
    pub(super) fn differences(&self, reference: &[u32], most: usize) {
        let columns = self.columns();
        let pairs = reference.iter().zip(&self.done.words).enumerate();
        for (i, (expected, got)) in pairs.filter(|(_, (a, b))| a != b).take(most) {
            let (vertex, column) = (i / self.stride(), &columns[i % self.stride()]);
            remark(format_args!(
                "vertex {vertex}: {column}: reference {expected:08x}, native code {got:08x}"
            ));
        }
        remark(format_args!("{} words differ", self.mismatches.unwrap_or(0)));
    }
}
