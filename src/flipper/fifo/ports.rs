//! Registers as the processor reads and writes them.

use super::Fifo;
use xfjit_isa::chip::flipper::fifo::{Clear, CpPort, Enable, POINTER, Pi, Pointer, Status};

impl Fifo {
    /// Reads a 32-bit register of the processor's interface, by its offset from 0c003000; 0 if there is no register.
    pub fn read_pi(&self, offset: u32) -> u32 {
        match Pi::at(offset) {
            Some(Pi::Base) => self.pi_base,
            Some(Pi::Top) => self.pi_top,
            Some(Pi::Write) => self.pi_write_word(),
            Some(Pi::Reset) => self.reset.into(),
            None => 0,
        }
    }

    /// Writes such a register.
    pub fn write_pi(&mut self, offset: u32, value: u32) {
        match Pi::at(offset) {
            Some(Pi::Base) => self.pi_base = value & POINTER,
            Some(Pi::Top) => self.pi_top = value & POINTER,
            Some(Pi::Write) => (self.pi_write, self.wrapped) = (value & POINTER, false),
            Some(Pi::Reset) => self.write_reset(value & 1 != 0),
            None => {}
        }
    }

    /// Drops what has been gathered, read and not run, and the rest of a list. UNKNOWN: what becomes of registers; here, as in one
    /// emulator, nothing is read, and marks are at their ends.
    fn write_reset(&mut self, reset: bool) {
        self.reset = reset;
        if reset {
            self.held = 0;
            (self.needed, self.latched) = (0, 0);
            self.waiting.clear();
            self.processor.leave_list();
            self.enable = Enable::LINK;
            self.set_pointer(Pointer::Low, 0);
            self.set_pointer(Pointer::High, POINTER);
        }
    }

    /// Reads a 16-bit register of the command processor, by its offset from 0c000000; 0 if there is no register.
    pub fn read_cp(&self, offset: u32) -> u16 {
        match CpPort::at(offset) {
            Some(CpPort::Status) => self.status(),
            Some(CpPort::Enable) => self.enable,
            Some(CpPort::Perf) => self.perf,
            Some(CpPort::StreamLow) => self.stream_low,
            Some(CpPort::Lower(pointer)) => self.pointer(pointer) as u16,
            Some(CpPort::Upper(pointer)) => (self.pointer(pointer) >> 16) as u16,
            Some(CpPort::Clear) | None => 0,
        }
    }

    /// Writes such a register.
    pub fn write_cp(&mut self, offset: u32, value: u16) {
        match CpPort::at(offset) {
            Some(CpPort::Enable) => {
                self.enable = value & Enable::ALL;
                if self.enable & Enable::BREAK == 0 || self.enable & Enable::BREAK_INTERRUPT == 0 {
                    self.latched &= !Status::BREAK;
                }
            }
            Some(CpPort::Clear) => {
                if value & Clear::OVERFLOW != 0 {
                    self.latched &= !Status::OVERFLOW;
                }
                if value & Clear::UNDERFLOW != 0 {
                    self.latched &= !Status::UNDERFLOW;
                }
                // What has been cleared stays so until its cause comes anew.
                return;
            }
            Some(CpPort::Perf) => self.perf = value & 7,
            Some(CpPort::StreamLow) => self.stream_low = value & 0xff,
            Some(CpPort::Lower(pointer)) => {
                self.set_pointer(pointer, self.pointer(pointer) & 0xffff_0000 | u32::from(value));
            }
            Some(CpPort::Upper(pointer)) => {
                self.set_pointer(pointer, self.pointer(pointer) & 0xffff | u32::from(value) << 16);
            }
            Some(CpPort::Status) | None => return,
        }
        self.latch();
    }

    /// Whether the reader stands before the block of the break point.
    pub(super) fn is_at_break(&self) -> bool {
        self.enable & Enable::BREAK != 0 && self.pointer(Pointer::Read) == self.pointer(Pointer::Break)
    }

    /// The status: all of it levels.
    fn status(&self) -> u16 {
        let count = self.pointer(Pointer::Count);
        let empty = count == 0;
        let stopped = self.is_at_break() || self.enable & Enable::READ == 0;
        let bits = [
            (Status::OVERFLOW, count > self.pointer(Pointer::High)),
            (Status::UNDERFLOW, count < self.pointer(Pointer::Low)),
            (Status::READ_IDLE, empty || self.pointer(Pointer::Read) == self.pointer(Pointer::Write)),
            (Status::COMMAND_IDLE, (empty || stopped) && !self.processor.is_in_list()),
            (Status::BREAK, self.is_at_break()),
        ];
        bits.into_iter().filter(|(_, is_set)| *is_set).fold(0, |status, (bit, _)| status | bit)
    }

    /// Causes that are there and enabled. Those of the marks are there in linked mode only (flipper.md 1.7, "Interrupt"); in the other
    /// the status alone has them.
    pub(super) fn raised(&self) -> u16 {
        let marks = if self.enable & Enable::LINK == 0 { Status::OVERFLOW | Status::UNDERFLOW } else { 0 };
        let status = self.status() & !marks;
        let causes = [
            (Status::BREAK, Enable::BREAK_INTERRUPT),
            (Status::OVERFLOW, Enable::OVERFLOW_INTERRUPT),
            (Status::UNDERFLOW, Enable::UNDERFLOW_INTERRUPT),
        ];
        let up = |(cause, enabled): &(u16, u16)| status & cause != 0 && self.enable & enabled != 0;
        causes.into_iter().filter(up).fold(0, |raised, (cause, _)| raised | cause)
    }

    /// Notes the causes that are there.
    pub(super) fn latch(&mut self) {
        self.latched |= self.raised();
    }
}
