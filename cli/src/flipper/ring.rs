//! What the processor would read of the command processor's ring.

use std::fmt;
use xfjit::chip::flipper::fifo::{Pointer, Status};
use xfjit::flipper::Fifo;

/// The names of status bits.
const STATUS: [(u16, &str); 5] = [
    (Status::OVERFLOW, "overflow"),
    (Status::UNDERFLOW, "underflow"),
    (Status::READ_IDLE, "read idle"),
    (Status::COMMAND_IDLE, "command idle"),
    (Status::BREAK, "break"),
];

/// A ring as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ring {
    /// Bytes that wait.
    pub count: u32,
    /// Where they begin.
    pub read: u32,
    /// What is behind them.
    pub write: u32,
    /// Bits of the status, by their names.
    pub status: Vec<&'static str>,
    /// Whether it interrupts.
    pub interrupts: bool,
}

impl Ring {
    fn of(fifo: &Fifo) -> Ring {
        let status = fifo.read_cp(0);
        Ring {
            count: fifo.pointer(Pointer::Count),
            read: fifo.pointer(Pointer::Read),
            write: fifo.pointer(Pointer::Write),
            status: STATUS
                .into_iter()
                .filter_map(|(bit, name)| (status & bit != 0).then_some(name))
                .collect(),
            interrupts: fifo.interrupt(),
        }
    }
}

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ring { count, read, write, status, interrupts } = self;
        write!(f, "{count} bytes wait, read {read:07x}, write {write:07x}")?;
        if !status.is_empty() {
            write!(f, ": {}", status.join(", "))?;
        }
        if *interrupts { f.write_str(", interrupts") } else { Ok(()) }
    }
}

/// Who looks at a ring again and again, and sees when its status or its interrupt is another.
#[derive(Debug)]
pub struct Watched(Ring);

impl Watched {
    /// From now on.
    pub fn new(fifo: &Fifo) -> Watched {
        Watched(Ring::of(fifo))
    }

    /// The ring, if there is something new.
    pub fn look(&mut self, fifo: &Fifo) -> Option<&Ring> {
        let now = Ring::of(fifo);
        let is_new = (&now.status, now.interrupts) != (&self.0.status, self.0.interrupts);
        is_new.then(|| {
            self.0 = now;
            &self.0
        })
    }
}
