//! Vertex arrays as a whole: what IDX would fetch and send attribute by attribute.

use super::XfUnit;
use super::command::{Command, Type};
use super::item::Item;
use super::register::Register;
use super::vab::Held;
use xfjit_isa::chip::Family;
use xfjit_runtime::batch::{Attribute, Inputs, StreamError, registers};

/// The most vertices of a draw: far more than anybody sends a chip at once, and few enough for the memory of their outputs.
pub const MOST_VERTICES: usize = 1 << 24;

impl XfUnit {
    /// Runs vertices from arrays. Attributes of `inputs` whose bits are set in `arrays` are fetched for every vertex. All others are what
    /// VAB holds, whatever `inputs` has for them.
    ///
    /// This has the effect of the commands that IDX sends, one vertex after the other: for each array, in the order of their slots, a VAB
    /// write of all its components, then the trigger. Afterwards VAB holds the last vertex. The arrays are read in place, by code that is
    /// compiled for their memory layout. The index list is copied before it is checked, so a guest that changes it meanwhile has no effect.
    ///
    /// # Errors
    /// Arrays that do not hold all vertices, more vertices than [`MOST_VERTICES`], or missing memory. On an error, nothing has happened.
    pub fn draw(&mut self, inputs: Inputs<'_>, arrays: u16) -> Result<(), StreamError> {
        let Some(indices) = inputs.indices else { return self.draw_arrays(inputs, arrays) };
        let mut list = std::mem::take(&mut self.list);
        let drawn = list.copy(&indices).and_then(|()| {
            let mut copied = inputs;
            copied.indices = Some(list.indices(0..list.len()).with_base(indices.base()));
            self.draw_arrays(copied, arrays)
        });
        self.list = list;
        drawn
    }

    /// The arrays that draws fetch, as a mask: those of attributes that the chip has, and of these, on Curie, those that its input mask names.
    #[doc(hidden)]
    pub fn arrays(&self) -> u16 {
        let all = ((1u32 << self.ram.sizes.attributes) - 1) as u16;
        match self.ram.chip.family() {
            Family::Curie => all & self.registers.get(Register::InputMask) as u16,
            Family::Celsius | Family::Kelvin | Family::Rankine => all,
        }
    }

    /// Draws through a list that nobody changes.
    fn draw_arrays(&mut self, mut inputs: Inputs<'_>, arrays: u16) -> Result<(), StreamError> {
        let arrays = arrays & self.arrays();
        inputs.check(arrays)?;
        if inputs.count > MOST_VERTICES {
            return Err(StreamError::TooManyVertices { count: inputs.count, limit: MOST_VERTICES });
        }
        if inputs.count == 0 {
            return Ok(());
        }
        // Two commands for each attribute, and the trigger.
        let items = (2 * arrays.count_ones() as usize + 1) * inputs.count;
        if self.ram.chip.family() == Family::Celsius {
            self.reserve(items, 0, inputs.count)?;
            self.draw_singly(&inputs, arrays);
            return Ok(());
        }
        self.flush();
        if let Some(recording) = &mut self.recording {
            recording.try_reserve(items)?;
            self.record_draw(&inputs, arrays);
        }
        let held = Held { rows: &self.vab.rows, mask: !arrays };
        let layout = inputs.layout(arrays);
        let batch = (&mut inputs, held, layout);
        self.executor.run(&mut self.ram, &self.registers, batch, &mut self.queue)?;
        for register in registers(arrays) {
            self.vab.rows[register] = inputs.fetch(register, inputs.count - 1);
        }
        Ok(())
    }

    /// Celsius fills missing components by slot, so its arrays go through VAB.
    fn draw_singly(&mut self, inputs: &Inputs<'_>, arrays: u16) {
        for position in 0..inputs.count {
            for register in registers(arrays) {
                for command in writes(inputs, register, position) {
                    self.command(command);
                }
            }
            self.vertex();
        }
    }

    fn record_draw(&mut self, inputs: &Inputs<'_>, arrays: u16) {
        let Some(items) = &mut self.recording else { return };
        for position in 0..inputs.count {
            for register in registers(arrays) {
                items.extend(writes(inputs, register, position).map(Item::Command));
            }
            items.push(Item::Vertex);
        }
    }
}

/// The commands that write one attribute of one vertex.
fn writes(inputs: &Inputs<'_>, register: usize, position: usize) -> impl Iterator<Item = Command> + use<> {
    let components = match inputs.attributes[register] {
        Attribute::Constant(_) => 4,
        // A colour without alpha has one of 255, where VAB would fill in 1.
        Attribute::Stream { components, .. } => inputs.format(register, components).floats(),
    };
    let [x, y, z, w] = inputs.fetch(register, position);
    let slot = register as u16;
    let first = match components {
        1 => Command::word(Type::Vab, slot, 0, x),
        _ => Command::pair(Type::Vab, slot, 0, [x, y]),
    };
    let second = match components {
        3 => Some(Command::word(Type::Vab, slot, 2, z)),
        4 => Some(Command::pair(Type::Vab, slot, 2, [z, w])),
        _ => None,
    };
    std::iter::once(first).chain(second)
}
