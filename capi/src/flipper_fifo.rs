//! How commands come to Flipper: gathered stores, the ring of the processor's interface and that of the command processor.

use crate::export::functions;
use crate::flipper::{enter, xfjit_flipper};
use crate::flipper_run::{
    handing, memory, needed, progress_of, xfjit_flipper_memory, xfjit_flipper_progress, xfjit_flipper_take,
};
use crate::status::{Failure, argument, call, xfjit_status};
use crate::table::constants;
use std::ffi::c_void;
use xfjit::chip::flipper::fifo::Pointer;
use xfjit::flipper::{Budget, Progress};

constants! {
    /// 32-bit registers of the processor interface, as byte offsets from 0c003000 (xfjit_flipper_write_pi).
    PI: u32;
    /// The start of the ring.
    XFJIT_FLIPPER_PI_BASE = 0x0c;
    /// The last block of the ring.
    XFJIT_FLIPPER_PI_TOP = 0x10;
    /// Where the next block goes. Bit 26 is set after the pointer has wrapped around.
    XFJIT_FLIPPER_PI_WRITE = 0x14;
    /// Bit 0 drops the waiting bytes.
    XFJIT_FLIPPER_PI_RESET = 0x18;
}

constants! {
    /// 16-bit registers of the command processor that the processor can access, as byte offsets from 0c000000 (xfjit_flipper_write_port).
    /// For a pair, the offset is that of the lower half, bits 15 to 5. The upper half, bits 25 to 16, is 2 bytes later.
    PORTS: u32;
    /// Read only: XFJIT_FLIPPER_STATUS_*.
    XFJIT_FLIPPER_PORT_STATUS = 0;
    /// XFJIT_FLIPPER_ENABLE_*.
    XFJIT_FLIPPER_PORT_ENABLE = 2;
    /// Write only: XFJIT_FLIPPER_CLEAR_*.
    XFJIT_FLIPPER_PORT_CLEAR = 4;
    /// The selection of the measurement.
    XFJIT_FLIPPER_PORT_PERF = 6;
    /// The low mark of the streaming buffer. It has no effect.
    XFJIT_FLIPPER_PORT_STREAM_LOW = 0x0a;
    /// A pair: the start of the ring.
    XFJIT_FLIPPER_PORT_BASE = 0x20;
    /// A pair: the last block of the ring.
    XFJIT_FLIPPER_PORT_TOP = 0x24;
    /// A pair: the high mark; more waiting bytes are an overflow.
    XFJIT_FLIPPER_PORT_HIGH = 0x28;
    /// A pair: the low mark; fewer waiting bytes are an underflow.
    XFJIT_FLIPPER_PORT_LOW = 0x2c;
    /// A pair: the number of waiting bytes.
    XFJIT_FLIPPER_PORT_COUNT = 0x30;
    /// A pair: the end of the last waiting block.
    XFJIT_FLIPPER_PORT_WRITE = 0x34;
    /// A pair: the first waiting block.
    XFJIT_FLIPPER_PORT_READ = 0x38;
    /// A pair: the block before which the reader stops.
    XFJIT_FLIPPER_PORT_BREAK = 0x3c;
}

constants! {
    /// The bits of XFJIT_FLIPPER_PORT_STATUS.
    STATUS: u32;
    /// More bytes wait than the high mark.
    XFJIT_FLIPPER_STATUS_OVERFLOW = 1;
    /// Fewer bytes wait than the low mark.
    XFJIT_FLIPPER_STATUS_UNDERFLOW = 2;
    /// The ring holds nothing to read.
    XFJIT_FLIPPER_STATUS_READ_IDLE = 4;
    /// The command processor reads nothing.
    XFJIT_FLIPPER_STATUS_COMMAND_IDLE = 8;
    /// The reader has stopped at the break point.
    XFJIT_FLIPPER_STATUS_BREAK = 16;
}

constants! {
    /// The bits of XFJIT_FLIPPER_PORT_ENABLE.
    ENABLE: u32;
    /// The command processor reads blocks.
    XFJIT_FLIPPER_ENABLE_READ = 1;
    /// The break point is active.
    XFJIT_FLIPPER_ENABLE_BREAK = 2;
    /// An overflow interrupts.
    XFJIT_FLIPPER_ENABLE_OVERFLOW_INTERRUPT = 4;
    /// An underflow interrupts.
    XFJIT_FLIPPER_ENABLE_UNDERFLOW_INTERRUPT = 8;
    /// The write pointer follows the blocks of the processor interface.
    XFJIT_FLIPPER_ENABLE_LINK = 16;
    /// The break point interrupts.
    XFJIT_FLIPPER_ENABLE_BREAK_INTERRUPT = 32;
}

constants! {
    /// The bits of XFJIT_FLIPPER_PORT_CLEAR.
    CLEAR: u32;
    /// Clears the overflow.
    XFJIT_FLIPPER_CLEAR_OVERFLOW = 1;
    /// Clears the underflow.
    XFJIT_FLIPPER_CLEAR_UNDERFLOW = 2;
    /// Clears the measurements.
    XFJIT_FLIPPER_CLEAR_METRICS = 4;
}

/// A value of a register of 16 bits.
fn half(value: u32) -> Result<u16, Failure> {
    u16::try_from(value).map_err(|_| argument(format_args!("{value:#x} is more than 16 bits")))
}

functions! {
    FUNCTIONS;
    /// Stores 1, 2, 4 or 8 bytes to the write-gather line, big-endian: the lowest `bytes` bytes of `value`. The 32nd byte sends a block to
    /// the gather address: a ring in `memory`. `memory` has `size` bytes and begins at the guest's address 0. Blocks beyond it are lost.
    /// One thread at a time.
    fn xfjit_flipper_store(flipper: *mut xfjit_flipper, value: u64, bytes: u32, memory: *mut c_void, size: usize) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            if !matches!(bytes, 1 | 2 | 4 | 8) {
                return Err(argument(format_args!("a store has 1, 2, 4 or 8 bytes, not {bytes}")));
            }
            // SAFETY: `size` bytes are at `memory`.
            let memory = unsafe { memory.bytes().slice(size, "memory") }?;
            state.unit.fifo.store(value, bytes as usize, memory);
            Ok(())
        })
    }
    /// Sends a block of 32 bytes to the gather address, as xfjit_flipper_store does. `block` must not overlap `memory`. One thread at a
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
    /// Writes the special register 921, WPAR. It holds the gather address; 0c008000 means the ring of the processor interface. Gathered
    /// bytes that have not been sent are lost. One thread at a time.
    fn xfjit_flipper_write_gather(flipper: *mut xfjit_flipper, address: u32) -> xfjit_status {
        call(|| {
            enter(&flipper)?.unit.fifo.write_gather_address(address);
            Ok(())
        })
    }
    /// Reads WPAR, and the number of bytes that wait for their block to fill. Either pointer may be null. One thread at a time.
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
    /// Writes a register of the processor interface (XFJIT_FLIPPER_PI_*). Other offsets have no effect. One thread at a time.
    fn xfjit_flipper_write_pi(flipper: *mut xfjit_flipper, offset: u32, value: u32) -> xfjit_status {
        call(|| {
            enter(&flipper)?.unit.fifo.write_pi(offset, value);
            Ok(())
        })
    }
    /// Reads such a register. Other offsets read as 0. One thread at a time.
    fn xfjit_flipper_read_pi(flipper: *mut xfjit_flipper, offset: u32, value: *mut u32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            // SAFETY: there is room for one at `value`.
            unsafe { value.slice(1, "value") }?.fill(state.unit.fifo.read_pi(offset));
            Ok(())
        })
    }
    /// Writes a 16-bit register of the command processor that the processor can access (XFJIT_FLIPPER_PORT_*). Other offsets have no
    /// effect. One thread at a time.
    fn xfjit_flipper_write_port(flipper: *mut xfjit_flipper, offset: u32, value: u32) -> xfjit_status {
        call(|| {
            let value = half(value)?;
            enter(&flipper)?.unit.fifo.write_cp(offset, value);
            Ok(())
        })
    }
    /// Reads such a register. Other offsets read as 0. One thread at a time.
    fn xfjit_flipper_read_port(flipper: *mut xfjit_flipper, offset: u32, value: *mut u32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            // SAFETY: there is room for one at `value`.
            unsafe { value.slice(1, "value") }?.fill(state.unit.fifo.read_cp(offset).into());
            Ok(())
        })
    }
    /// Says whether the command processor raises its interrupt: `raised` becomes 1 or 0. One thread at a time.
    fn xfjit_flipper_interrupt(flipper: *mut xfjit_flipper, raised: *mut i32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            // SAFETY: there is room for one at `raised`.
            unsafe { raised.slice(1, "raised") }?.fill(state.unit.fifo.interrupt().into());
            Ok(())
        })
    }
    /// Reads blocks of the command processor's ring and runs their commands. It stops when the ring is empty, when reading is not allowed,
    /// or when the budget is used up; xfjit_flipper_progress.in_list is 1 in the last case. The ring is in `memory`; addresses that do not
    /// exist read as zeros. Everything else is as for xfjit_flipper_run. One thread at a time.
    fn xfjit_flipper_run_fifo(flipper: *mut xfjit_flipper, memory: *const xfjit_flipper_memory, budget: u64, take: xfjit_flipper_take, user: *mut c_void, progress: *mut xfjit_flipper_progress) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let take = needed(take)?;
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
