//! Items of a trace, executed.

use super::command::Incomplete;
use super::memory::Ram;
use super::output::Output;
use super::trace::Item;
use super::unit::FlipperUnit;

impl FlipperUnit {
    /// Executes one item of a trace. The memory is that of the trace: items write it, and it grows to where they do.
    ///
    /// # Errors
    /// A draw that has not as many bytes as its vertices; nothing has happened then.
    pub fn play(
        &mut self,
        item: &Item,
        memory: &mut Ram,
        mut take: impl FnMut(Output<'_>),
    ) -> Result<(), Incomplete> {
        let registers = &mut self.fifo.processor.registers;
        match item {
            Item::LoadCp(register, value) => registers.load(*register, *value),
            Item::LoadXf(address, words) => self.load(*address, words),
            Item::LoadBp(register, value) => self.hand_on_bp(*register, value & 0xff_ffff, take),
            Item::Normal(which, normal) => {
                if let Some(kept) = registers.normals.get_mut(usize::from(*which)) {
                    *kept = *normal;
                }
            }
            Item::Memory(address, bytes) => memory.write(*address, bytes),
            Item::Console(console) => registers.console = *console,
            Item::InvalidateVertices => self.hand_on_invalidation(&mut take),
            Item::Draw { opcode, count, bytes } => {
                return self.draw(*opcode, *count, bytes, &*memory, take);
            }
        }
        Ok(())
    }
}
