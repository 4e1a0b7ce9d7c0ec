//! Flipper's command processor and transform unit as a device.

mod alone;
mod commands;
mod dff;
mod encodings;
mod fifo;
mod formats;
mod held;
mod plan;
mod states;
mod transform;
mod unit;
mod vectors;
