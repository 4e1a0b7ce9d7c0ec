//! Items of a trace, executed.

use super::command::Incomplete;
use super::fifo::Fifo;
use super::memory::{Memory, Ram};
use super::output::Output;
use super::processor::Budget;
use super::trace::Item;
use super::unit::FlipperUnit;
use xfjit_isa::chip::flipper::fifo::BLOCK;

impl FlipperUnit {
    /// Executes one item of a trace. The memory is that of the trace: items write it, and it grows to where they do.
    ///
    /// # Errors
    /// A draw with fewer bytes than its vertices. On an error, nothing has happened.
    pub fn play(
        &mut self,
        item: &Item,
        memory: &mut Ram,
        mut take: impl FnMut(Output<'_>),
    ) -> Result<(), Incomplete> {
        if self.fifo.play(item, memory) {
            return Ok(());
        }
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
            Item::Fifo(work) => _ = self.run_fifo(&*memory, Budget((*work).into()), take),
            Item::Gather(_) | Item::Pi(..) | Item::Port(..) | Item::Store(_) => {}
        }
        Ok(())
    }
}

impl Fifo {
    /// Executes an item of a trace if it supplies commands without running any. Returns whether it is such an
    /// item.
    pub fn play(&mut self, item: &Item, memory: &mut Ram) -> bool {
        match item {
            Item::Gather(address) => self.write_gather_address(*address),
            Item::Pi(offset, value) => self.write_pi(*offset, *value),
            Item::Port(offset, value) => self.write_cp(*offset, *value),
            Item::Store(bytes) => {
                for &byte in bytes {
                    // Where the next block goes there is memory; it may be behind all that there can be.
                    let end = self.next_block().saturating_add(BLOCK);
                    self.store(byte.into(), 1, memory.first_to(if end <= Memory::END { end } else { 0 }));
                }
            }
            _ => return false,
        }
        true
    }
}
