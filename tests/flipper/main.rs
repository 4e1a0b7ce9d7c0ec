//! Flipper's command processor and transform unit as a device.

mod commands;
mod fifo;
mod formats;
mod plan;
mod reference;
mod states;
mod streams;
mod transform;
mod unit;
mod vectors;
