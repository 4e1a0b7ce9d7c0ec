//! Hypotheses about Flipper's command processor. What each does stands in the library's `flipper/`.

/// When a ring's pointer returns to its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ring {
    /// Behind the block at the top, which is used: what the console's own library counts on.
    Inclusive,
    /// As it reaches the top, where no block is.
    Exclusive,
}

/// What holds an interrupt of the command processor up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Interrupt {
    /// That its cause lasts.
    Level,
    /// That it was raised while enabled: an overflow or underflow until it is cleared, a break until it is disabled.
    Latched,
}

/// What clears the flag that the write pointer of the processor's interface has come round.
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
    /// Never: what counts on them is software.
    Signal,
    /// While an interrupt of theirs is up.
    Stop,
}
