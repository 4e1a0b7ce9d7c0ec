//! Recording: not what commands were, but what has changed since the draw before, so that whatever has changed it is in the trace.

use super::command::Draw;
use super::fetch::Fetch;
use super::memory::Memory;
use super::registers::Registers;
use super::trace::{Item, MOST_WORDS_OF_ITEM, Trace};
use std::collections::BTreeMap;
use xfjit_isa::chip::flipper::cp::Register;
use xfjit_isa::chip::flipper::memory::Memory as Words;
use xfjit_isa::chip::flipper::vcd::{Attribute, Source};
use xfjit_isa::config::Dialect;

/// Bytes of memory that are recorded together.
const BLOCK: u32 = 32;
type Block = [u8; BLOCK as usize];

/// A recording, and what a replay of it has by now.
#[derive(Default, Debug)]
pub(super) struct Recorder {
    items: Vec<Item>,
    registers: Registers,
    words: Words,
    /// By number; others are zeros.
    memory: BTreeMap<u32, Block>,
}

impl Recorder {
    /// Brings the replay into a state.
    pub(super) fn note_state(&mut self, registers: &Registers, words: &Words) {
        let Recorder { items, registers: known, words: known_words, .. } = self;
        if known.console != registers.console {
            known.console = registers.console;
            items.push(Item::Console(registers.console));
        }
        for number in (0..=u8::MAX).filter(|&number| Register::of(number).number() == number) {
            let value = registers.read(number);
            if known.read(number) != value {
                known.load(number, value);
                items.push(Item::LoadCp(number, value));
            }
        }
        for (number, (known, &normal)) in (0..).zip(known.normals.iter_mut().zip(&registers.normals)) {
            if *known != normal {
                *known = normal;
                items.push(Item::Normal(number, normal));
            }
        }
        let (from, to) = (known_words.words(), words.words());
        let differs = |at: usize| from[at] != to[at];
        let mut loads = Vec::new();
        let mut at = 0;
        while at < to.len() {
            let rest = to.len() - at;
            let count = (0..rest.min(MOST_WORDS_OF_ITEM)).take_while(|&next| differs(at + next)).count();
            if count > 0 {
                loads.push((at as u16, to[at..at + count].to_vec()));
            }
            at += count.max(1);
        }
        for (address, words) in loads {
            known_words.write(address, &words);
            items.push(Item::LoadXf(address, words));
        }
    }

    /// A drawing command in the state that the replay has, and the memory that it reads.
    pub(super) fn note_draw(
        &mut self,
        registers: &Registers,
        draw: &Draw<'_>,
        memory: Memory<'_>,
        dialect: Dialect,
    ) {
        let fetch = Fetch::new(registers, draw.vat(), memory, dialect);
        let vertices = || (0..usize::from(draw.count)).map(|number| draw.vertex(number));
        let is_indexed = |attribute: &Attribute| {
            matches!(registers.vcd.source(*attribute), Source::Index8 | Source::Index16)
        };
        if Attribute::ALL.iter().any(is_indexed) {
            let mut changed = BTreeMap::new();
            for vertex in vertices() {
                fetch.vertex_from(vertex, &mut |address, bytes| {
                    for number in address / BLOCK..(address + bytes as u32).div_ceil(BLOCK) {
                        let block: Block = memory.read(number * BLOCK, BLOCK as usize);
                        if self.memory.get(&number).copied().unwrap_or_default() != block {
                            changed.insert(number, block);
                        }
                    }
                });
            }
            for (&number, &block) in &changed {
                self.memory.insert(number, block);
                self.items.push(Item::Memory(number * BLOCK, block.to_vec()));
            }
        }
        let (opcode, count, bytes) = (draw.opcode, draw.count, draw.bytes.to_vec());
        self.items.push(Item::Draw { opcode, count, bytes });
        self.registers.normals = fetch.kept(self.registers.normals, vertices().rev());
    }

    pub(super) fn note_bp(&mut self, register: u8, value: u32) {
        self.items.push(Item::LoadBp(register, value));
    }

    pub(super) fn note_invalidation(&mut self) {
        self.items.push(Item::InvalidateVertices);
    }

    pub(super) fn drain(&mut self, take: impl FnMut(&Item)) {
        self.items.iter().for_each(take);
        self.items.clear();
    }

    pub(super) fn into_trace(self) -> Trace {
        Trace { items: self.items }
    }
}
