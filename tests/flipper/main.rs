//! Flipper's command processor.

mod vectors;
