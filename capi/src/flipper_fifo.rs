//! How commands come to Flipper: gathered stores, the ring of the processor's interface and that of the command processor.

use crate::export::functions;
use crate::flipper::{enter, xfjit_flipper};
use crate::flipper_run::{
    handing, memory, progress_of, xfjit_flipper_memory, xfjit_flipper_progress, xfjit_flipper_take,
};
use crate::status::{Failure, argument, call, xfjit_status};
use crate::table::constants;
use std::ffi::c_void;
use xfjit::chip::flipper::fifo::Pointer;
use xfjit::flipper::{Budget, Progress};

constants! {
    /// Registers of the processor's interface, of 32 bits: byte offsets from 0c003000 (xfjit_flipper_write_pi).
    PI: u32;
    /// Where the ring begins.
    XFJIT_FLIPPER_PI_BASE = 0x0c;
    /// Its last block.
    XFJIT_FLIPPER_PI_TOP = 0x10;
    /// Where the next block goes; bit 26 is set once that has come round.
    XFJIT_FLIPPER_PI_WRITE = 0x14;
    /// Bit 0 drops what waits.
    XFJIT_FLIPPER_PI_RESET = 0x18;
}

constants! {
    /// Registers of the command processor that the processor reaches, of 16 bits: byte offsets from 0c000000 (xfjit_flipper_write_port).
    /// Of pairs this is the lower half, bits 15 to 5; the upper one, bits 25 to 16, is 2 further on.
    PORTS: u32;
    /// Read only: XFJIT_FLIPPER_STATUS_*.
    XFJIT_FLIPPER_PORT_STATUS = 0;
    /// XFJIT_FLIPPER_ENABLE_*.
    XFJIT_FLIPPER_PORT_ENABLE = 2;
    /// Write only: XFJIT_FLIPPER_CLEAR_*.
    XFJIT_FLIPPER_PORT_CLEAR = 4;
    /// What is measured.
    XFJIT_FLIPPER_PORT_PERF = 6;
    /// The low mark of the streaming buffer; it has no effect.
    XFJIT_FLIPPER_PORT_STREAM_LOW = 0x0a;
    /// A pair: where the ring begins.
    XFJIT_FLIPPER_PORT_BASE = 0x20;
    /// A pair: its last block.
    XFJIT_FLIPPER_PORT_TOP = 0x24;
    /// A pair: bytes above which there is an overflow.
    XFJIT_FLIPPER_PORT_HIGH = 0x28;
    /// A pair: bytes below which there is an underflow.
    XFJIT_FLIPPER_PORT_LOW = 0x2c;
    /// A pair: bytes that wait.
    XFJIT_FLIPPER_PORT_COUNT = 0x30;
    /// A pair: behind the last block that waits.
    XFJIT_FLIPPER_PORT_WRITE = 0x34;
    /// A pair: the first block that waits.
    XFJIT_FLIPPER_PORT_READ = 0x38;
    /// A pair: the block before which the reader stops.
    XFJIT_FLIPPER_PORT_BREAK = 0x3c;
}

constants! {
    /// Bits of XFJIT_FLIPPER_PORT_STATUS.
    STATUS: u32;
    /// More bytes wait than the high mark.
    XFJIT_FLIPPER_STATUS_OVERFLOW = 1;
    /// Fewer than the low mark.
    XFJIT_FLIPPER_STATUS_UNDERFLOW = 2;
    /// There is nothing to read.
    XFJIT_FLIPPER_STATUS_READ_IDLE = 4;
    /// Nothing is read.
    XFJIT_FLIPPER_STATUS_COMMAND_IDLE = 8;
    /// The reader stands before the break point.
    XFJIT_FLIPPER_STATUS_BREAK = 16;
}

constants! {
    /// Bits of XFJIT_FLIPPER_PORT_ENABLE.
    ENABLE: u32;
    /// Blocks are read.
    XFJIT_FLIPPER_ENABLE_READ = 1;
    /// The break point counts.
    XFJIT_FLIPPER_ENABLE_BREAK = 2;
    /// An overflow interrupts.
    XFJIT_FLIPPER_ENABLE_OVERFLOW_INTERRUPT = 4;
    /// An underflow interrupts.
    XFJIT_FLIPPER_ENABLE_UNDERFLOW_INTERRUPT = 8;
    /// The write pointer moves with the blocks of the processor's interface.
    XFJIT_FLIPPER_ENABLE_LINK = 16;
    /// The break point interrupts.
    XFJIT_FLIPPER_ENABLE_BREAK_INTERRUPT = 32;
}

constants! {
    /// Bits of XFJIT_FLIPPER_PORT_CLEAR.
    CLEAR: u32;
    /// The overflow.
    XFJIT_FLIPPER_CLEAR_OVERFLOW = 1;
    /// The underflow.
    XFJIT_FLIPPER_CLEAR_UNDERFLOW = 2;
    /// Measurements.
    XFJIT_FLIPPER_CLEAR_METRICS = 4;
}

/// A value of a register of 16 bits.
fn half(value: u32) -> Result<u16, Failure> {
    u16::try_from(value).map_err(|_| argument(format_args!("{value:#x} is more than 16 bits")))
}

functions! {
    FUNCTIONS;
    /// A store of 1, 2, 4 or 8 bytes to the line whose stores are gathered, big-endian: the lowest `bytes` bytes of `value`. The 32nd byte
    /// sends a block to where gathered ones go, a ring in `memory`, whose `size` bytes begin at the guest's address 0; a block behind
    /// them is lost. One thread at a time.
    fn xfjit_flipper_store(flipper: *mut xfjit_flipper, value: u64, bytes: u32, memory: *mut c_void, size: usize) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            if !matches!(bytes, 1 | 2 | 4 | 8) {
                return Err(argument(format_args!("no store has {bytes} bytes; it has 1, 2, 4 or 8")));
            }
            // SAFETY: `size` bytes are at `memory`.
            let memory = unsafe { memory.bytes().slice(size, "memory") }?;
            state.unit.fifo.store(value, bytes as usize, memory);
            Ok(())
        })
    }
    /// A block of 32 bytes on its way to where gathered ones go, as for xfjit_flipper_store; it lies apart from `memory`. One thread at a
    /// time.
    fn xfjit_flipper_burst(flipper: *mut xfjit_flipper, block: *const c_void, memory: *mut c_void, size: usize) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let (mut copy, block) = ([0; 32], block.bytes());
            // SAFETY: 32 bytes are at `block`.
            copy.copy_from_slice(unsafe { block.slice(32, "block") }?);
            // SAFETY: `size` bytes are at `memory`.
            let memory = unsafe { memory.bytes().slice(size, "memory") }?;
            state.unit.fifo.burst(&copy, memory);
            Ok(())
        })
    }
    /// Writes the special register 921, WPAR: where gathered blocks go, the ring of the processor's interface if it is 0c008000. What has
    /// been gathered is lost. One thread at a time.
    fn xfjit_flipper_write_gather(flipper: *mut xfjit_flipper, address: u32) -> xfjit_status {
        call(|| {
            enter(&flipper)?.unit.fifo.write_gather_address(address);
            Ok(())
        })
    }
    /// Reads it, and how many bytes are held until there is a block of them; either may be null. One thread at a time.
    fn xfjit_flipper_read_gather(flipper: *mut xfjit_flipper, address: *mut u32, held: *mut u32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            let rooms = [
                (address, state.unit.fifo.gather_address(), "address"),
                (held, state.unit.fifo.held(), "held"),
            ];
            // Both before anything is written.
            for (room, _, name) in rooms.iter().filter(|(room, ..)| !room.is_null()) {
                room.check(name)?;
            }
            for (room, value, name) in rooms.into_iter().filter(|(room, ..)| !room.is_null()) {
                // SAFETY: there is room for one.
                unsafe { room.slice(1, name) }?.fill(value);
            }
            Ok(())
        })
    }
    /// Writes a register of the processor's interface (XFJIT_FLIPPER_PI_*); others are none of these, and nothing happens. One thread at
    /// a time.
    fn xfjit_flipper_write_pi(flipper: *mut xfjit_flipper, offset: u32, value: u32) -> xfjit_status {
        call(|| {
            enter(&flipper)?.unit.fifo.write_pi(offset, value);
            Ok(())
        })
    }
    /// Reads one; 0 where there is none of these. One thread at a time.
    fn xfjit_flipper_read_pi(flipper: *mut xfjit_flipper, offset: u32, value: *mut u32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            // SAFETY: there is room for one at `value`.
            unsafe { value.slice(1, "value") }?.fill(state.unit.fifo.read_pi(offset));
            Ok(())
        })
    }
    /// Writes a register of the command processor that the processor reaches (XFJIT_FLIPPER_PORT_*), 16 bits; others are none of these,
    /// and nothing happens. One thread at a time.
    fn xfjit_flipper_write_port(flipper: *mut xfjit_flipper, offset: u32, value: u32) -> xfjit_status {
        call(|| {
            let value = half(value)?;
            enter(&flipper)?.unit.fifo.write_cp(offset, value);
            Ok(())
        })
    }
    /// Reads one; 0 where there is none of these. One thread at a time.
    fn xfjit_flipper_read_port(flipper: *mut xfjit_flipper, offset: u32, value: *mut u32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            // SAFETY: there is room for one at `value`.
            unsafe { value.slice(1, "value") }?.fill(state.unit.fifo.read_cp(offset).into());
            Ok(())
        })
    }
    /// Tells whether the command processor interrupts: `raised` becomes 1 or 0. One thread at a time.
    fn xfjit_flipper_interrupt(flipper: *mut xfjit_flipper, raised: *mut i32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            // SAFETY: there is room for one at `raised`.
            unsafe { raised.slice(1, "raised") }?.fill(state.unit.fifo.interrupt().into());
            Ok(())
        })
    }
    /// Reads blocks of the command processor's ring and runs their commands, until there are none, or none may be read, or the budget is
    /// used up: then xfjit_flipper_progress.in_list is 1. The ring lies in `memory`; what is not there reads as zeros. The rest is as for
    /// xfjit_flipper_run. One thread at a time.
    fn xfjit_flipper_run_fifo(flipper: *mut xfjit_flipper, memory: *const xfjit_flipper_memory, budget: u64, take: xfjit_flipper_take, user: *mut c_void, progress: *mut xfjit_flipper_progress) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let progress = if progress.is_null() { None } else { Some(progress.room()?) };
            let mut other = None;
            let memory = self::memory(&memory, &mut other)?;
            let budget = if budget == 0 { Budget::NONE } else { Budget(budget) };
            let before = state.unit.fifo.pointer(Pointer::Count);
            let mut has_more = false;
            let ran = handing(&mut state, take, user.as_ptr(), |unit, take| {
                has_more = unit.run_fifo(memory, budget, take) == Progress::Budget;
            });
            if let Some(progress) = progress {
                let used = before.saturating_sub(state.unit.fifo.pointer(Pointer::Count));
                progress.fill(&progress_of(&state.unit, has_more, used.into()));
            }
            ran
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit::chip::flipper::fifo::{Clear, Enable, Pi, Status};

    #[test]
    fn numbers_are_those_of_the_chip() {
        let pi =
            [XFJIT_FLIPPER_PI_BASE, XFJIT_FLIPPER_PI_TOP, XFJIT_FLIPPER_PI_WRITE, XFJIT_FLIPPER_PI_RESET];
        assert_eq!(pi, Pi::ALL.map(|register| register as u32));
        let pairs = [
            XFJIT_FLIPPER_PORT_BASE,
            XFJIT_FLIPPER_PORT_TOP,
            XFJIT_FLIPPER_PORT_HIGH,
            XFJIT_FLIPPER_PORT_LOW,
            XFJIT_FLIPPER_PORT_COUNT,
            XFJIT_FLIPPER_PORT_WRITE,
            XFJIT_FLIPPER_PORT_READ,
            XFJIT_FLIPPER_PORT_BREAK,
        ];
        assert_eq!(pairs, Pointer::ALL.map(|pointer| pointer as u32));
        for (ours, theirs) in [
            (XFJIT_FLIPPER_STATUS_OVERFLOW, Status::OVERFLOW),
            (XFJIT_FLIPPER_STATUS_UNDERFLOW, Status::UNDERFLOW),
            (XFJIT_FLIPPER_STATUS_READ_IDLE, Status::READ_IDLE),
            (XFJIT_FLIPPER_STATUS_COMMAND_IDLE, Status::COMMAND_IDLE),
            (XFJIT_FLIPPER_STATUS_BREAK, Status::BREAK),
            (XFJIT_FLIPPER_ENABLE_READ, Enable::READ),
            (XFJIT_FLIPPER_ENABLE_BREAK, Enable::BREAK),
            (XFJIT_FLIPPER_ENABLE_OVERFLOW_INTERRUPT, Enable::OVERFLOW_INTERRUPT),
            (XFJIT_FLIPPER_ENABLE_UNDERFLOW_INTERRUPT, Enable::UNDERFLOW_INTERRUPT),
            (XFJIT_FLIPPER_ENABLE_LINK, Enable::LINK),
            (XFJIT_FLIPPER_ENABLE_BREAK_INTERRUPT, Enable::BREAK_INTERRUPT),
            (XFJIT_FLIPPER_CLEAR_OVERFLOW, Clear::OVERFLOW),
            (XFJIT_FLIPPER_CLEAR_UNDERFLOW, Clear::UNDERFLOW),
            (XFJIT_FLIPPER_CLEAR_METRICS, Clear::METRICS),
        ] {
            assert_eq!(ours, u32::from(theirs));
        }
    }
}
