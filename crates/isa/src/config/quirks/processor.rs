//! Hypotheses about Flipper's command processor. The library's `flipper/` implements them.

/// When a ring's pointer returns to its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ring {
    /// After the block at the top, which is used. The console's own library relies on this.
    Inclusive,
    /// When it reaches the top, where no block is.
    Exclusive,
}

/// How long an interrupt of the command processor stays raised.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Interrupt {
    /// As long as its cause lasts.
    Level,
    /// After it was raised while enabled: an overflow or underflow until it is cleared, a break until it is disabled.
    Latched,
}

/// What clears the flag that says that the write pointer of the processor's interface has wrapped around.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrap {
    /// The next block.
    NextBlock,
    /// A write of the pointer.
    PointerWrite,
}

/// Whether watermarks stop the reader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Watermarks {
    /// Never: only software reacts to them.
    Signal,
    /// While one of their interrupts is raised.
    Stop,
}
