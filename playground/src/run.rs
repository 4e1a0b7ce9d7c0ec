//! The results of a program for vertices, under the chip's arithmetic and under another.

use crate::mesh::{Mesh, VERTICES};
use crate::picture::{self, Picture};
use crate::program::{self, Read, error};
use crate::{float, registers, scene};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xfjit::backend::{Backend, Interp};
use xfjit::emulators::Emulator;
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{ATTRIBUTES, Row};
use xfjit::{Config, Generation, Model, Worker};

/// Slots that all vertices together may execute, so that a page answers within a second.
const MOST_SLOTS: usize = 2 << 20;

/// A program, constants, and one vertex.
#[derive(Deserialize)]
pub struct Asked {
    /// The program.
    #[serde(flatten)]
    program: program::Asked,
    /// Constants.
    #[serde(flatten)]
    scene: scene::Asked,
    /// The arithmetic to compare the chip's with: `ieee`, or the name of an emulator.
    #[serde(default)]
    beside: String,
    /// Which vertex of the mesh.
    #[serde(default)]
    vertex: usize,
    /// Attributes that somebody has changed, by number.
    #[serde(default)]
    inputs: BTreeMap<String, [String; 4]>,
}

/// A program, constants, and a picture.
#[derive(Deserialize)]
pub struct Drawn {
    /// What is run.
    #[serde(flatten)]
    asked: Asked,
    /// Pixels.
    width: usize,
    /// Pixels.
    height: usize,
    /// Draws the results of that arithmetic instead of the chip's.
    #[serde(default)]
    other: bool,
}

/// The arithmetics to compare the chip's with, and the generations whose programs they run.
pub fn besides() -> Value {
    let ieee = json!({ "name": "ieee", "generations": Generation::ALL.iter().map(|one| one.name()).collect::<Vec<_>>() });
    let emulator = |emulator: Emulator| {
        let generations: Vec<&str> = emulator.generations().iter().map(|one| one.name()).collect();
        json!({ "name": emulator.name(), "generations": generations })
    };
    std::iter::once(ieee).chain(Emulator::ALL.into_iter().map(emulator)).collect()
}

impl Asked {
    /// The two configurations.
    fn configs(&self, read: &Read) -> Result<[Config; 2], Value> {
        let hw = read.under(Model::Hw);
        if matches!(self.beside.as_str(), "" | "ieee") {
            return Ok([hw, read.under(Model::Ieee)]);
        }
        let emulator: Emulator = self.beside.parse().map_err(|flaw| error(format!("{flaw}")))?;
        let mut other = Config::like(emulator, read.generation()).map_err(|flaw| error(flaw.to_string()))?;
        other.forms.library = emulator.library();
        other.live_outputs = hw.live_outputs;
        other.layout = hw.layout;
        other.constant_writes &= hw.constant_writes;
        Ok([hw, other])
    }

    /// The attributes of the vertex.
    fn attributes(&self, mesh: &Mesh) -> Result<[Row; ATTRIBUTES], Value> {
        if self.vertex >= VERTICES {
            return Err(error(format!("the mesh has the vertices 0 to {}", VERTICES - 1)));
        }
        let mut attributes = mesh.attributes(self.vertex);
        for (name, row) in &self.inputs {
            let wrong = |what: &str| error(format!("attribute {}: {what}", name.escape_debug()));
            let number: usize = name.parse().map_err(|_| wrong("it is no number"))?;
            let attribute = attributes.get_mut(number).ok_or_else(|| wrong("the chip has v0 to v15"))?;
            for (to, text) in attribute.iter_mut().zip(row) {
                *to = float::parse(text).map_err(|flaw| wrong(&flaw))?;
            }
        }
        Ok(attributes)
    }
}

/// What vertices become.
struct Run {
    /// By vertex, the registers that the program writes.
    rows: Vec<Row>,
    /// Vertices that did not end as they should.
    ended: u64,
}

/// Runs some vertices in the interpreter. Those of programs that loop have so many slots that the page does not hang.
fn run(
    read: &Read,
    config: &Config,
    constants: &scene::Constants,
    count: usize,
    inputs: &[(usize, &[Row])],
) -> Result<Run, Value> {
    let mut config = config.clone();
    let each = (MOST_SLOTS / count.max(1)).min(u16::MAX.into());
    config.timeout = config.timeout.min(each as u16);
    let registers = registers_of(&config);
    let routine = Interp::Batched
        .prepare(&Microcode::shader(&read.program, &config))
        .map_err(|flaw| error(flaw.to_string()))?;
    let mut streams = Inputs::new(count);
    for &(register, rows) in inputs {
        streams = streams.with(register, Attribute::rows(rows));
    }
    // An emulator may have more rows than the chip.
    let mut context = xfjit::runtime::state::Context::new(config.rows());
    for (number, row) in constants.context.rows().iter().enumerate() {
        context.set_row(number, *row);
    }
    let mut words = vec![0; 4 * count * registers.len()];
    let outcome = routine
        .run(&mut Worker::new(), &mut context, &streams, &mut Outputs::interleaved(&mut words, &registers))
        .map_err(|flaw| error(flaw.to_string()))?;
    let faults = outcome.faults;
    Ok(Run { rows: words.as_chunks().0.to_vec(), ended: faults.timeouts + faults.stack })
}

/// The registers that are wanted, lowest first.
fn registers_of(config: &Config) -> Vec<u8> {
    (0..config.generation.outputs() as u8)
        .filter(|register| config.live_outputs >> register & 1 != 0)
        .collect()
}

/// One vertex under both arithmetics.
pub fn answer(asked: &Asked) -> Value {
    one(asked).unwrap_or_else(|flaw| flaw)
}

fn one(asked: &Asked) -> Result<Value, Value> {
    let read = asked.program.read()?;
    let constants = asked.scene.constants(&read)?;
    let configs = asked.configs(&read)?;
    let attributes = asked.attributes(&Mesh::new())?;
    let inputs: Vec<(usize, &[Row])> = attributes.iter().map(std::slice::from_ref).enumerate().collect();
    let [hw, other] = &configs;
    let runs = [run(&read, hw, &constants, 1, &inputs)?, run(&read, other, &constants, 1, &inputs)?];
    let generation = read.generation();
    let outputs: Vec<Value> = registers_of(hw)
        .iter()
        .enumerate()
        .map(|(at, &register)| {
            let [hw, other] = [&runs[0], &runs[1]].map(|run| run.rows[at]);
            json!({
                "name": registers::output_name(generation, register.into()),
                "hw": hw.map(float::hex), "other": other.map(float::hex),
                "hw_text": hw.map(float::text), "other_text": other.map(float::text),
                "differs": std::array::from_fn::<String, 4, _>(|i| float::hex(hw[i] ^ other[i])),
            })
        })
        .collect();
    let read_inputs = registers::read(&read.program);
    let inputs: Vec<Value> = (0..ATTRIBUTES)
        .filter(|register| read_inputs >> register & 1 != 0)
        .map(|register| {
            let row = attributes[register];
            let name = xfjit_isa::asm::input_name(generation, register).unwrap_or("");
            json!({ "register": register, "name": name, "bits": row.map(float::hex), "text": row.map(float::text) })
        })
        .collect();
    let ended = runs[0].ended;
    Ok(json!({
        "beside": if asked.beside.is_empty() { "ieee" } else { &asked.beside },
        "outputs": outputs, "inputs": inputs, "constants": constants.shown(),
        "note": if ended == 0 { "" } else { "The program did not end by itself: it executed too many slots, or its stack was too deep." },
    }))
}

/// The names of the registers that have colours, and of the position.
fn colours(generation: Generation) -> [Option<u8>; 2] {
    ["oD0", "oD1"].map(|name| xfjit_isa::asm::output_number(generation, name).map(|number| number as u8))
}

/// The mesh, drawn with the results of the program.
///
/// # Errors
/// What is wrong with the program or the constants, as an answer.
pub fn draw(drawn: &Drawn) -> Result<(Value, Picture), Value> {
    let asked = &drawn.asked;
    let read = asked.program.read()?;
    let constants = asked.scene.constants(&read)?;
    let configs = asked.configs(&read)?;
    let mesh = Mesh::new();
    let inputs: Vec<(usize, &[Row])> =
        (0..ATTRIBUTES).filter_map(|register| Some((register, mesh.stream(register)?))).collect();
    let [hw, other] = &configs;
    let runs =
        [run(&read, hw, &constants, VERTICES, &inputs)?, run(&read, other, &constants, VERTICES, &inputs)?];
    let registers = registers_of(hw);
    let shown = &runs[usize::from(drawn.other)];
    let rows = |register: u8| {
        let at = registers.iter().position(|&one| one == register)?;
        Some(shown.rows.iter().skip(at).step_by(registers.len()).copied().collect::<Vec<Row>>())
    };
    let Some(positions) = rows(0) else {
        return Err(error("the program writes no position (oPos), so it draws nothing"));
    };
    let [diffuse, specular] = colours(read.generation()).map(|register| register.and_then(rows));
    let part = |bits: u32| {
        let value = f32::from_bits(bits);
        if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) }
    };
    let colors: Vec<[f32; 3]> = (0..VERTICES)
        .map(|vertex| {
            let [diffuse, specular] =
                [&diffuse, &specular].map(|rows| rows.as_ref().map(|rows| rows[vertex]));
            // Without a colour of the program's own the mesh has its attribute's.
            let diffuse = diffuse.unwrap_or(mesh.colors[vertex]);
            std::array::from_fn(|i| part(diffuse[i]) + specular.map_or(0.0, |row| part(row[i])))
        })
        .collect();
    let (picture, left_out) =
        picture::draw((drawn.width, drawn.height), &positions, &colors, &mesh.triangles);
    let words = runs[0].rows.as_flattened();
    let differing = words.iter().zip(runs[1].rows.as_flattened()).filter(|(a, b)| a != b).count();
    let value = json!({
        "width": picture.width, "height": picture.height, "vertices": VERTICES, "triangles": mesh.triangles.len(),
        "left_out": left_out, "words": words.len(), "differing": differing, "digests": runs.each_ref().map(digest),
        "ended": runs[0].ended, "constants": constants.shown(),
    });
    Ok((value, picture))
}

/// A number of all results, by which two runs are told apart (FNV-1a).
fn digest(run: &Run) -> String {
    let bytes = run.rows.iter().flatten().flat_map(|word| word.to_le_bytes());
    let digest = bytes.fold(0xcbf2_9ce4_8422_2325u64, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{digest:016x}")
}
