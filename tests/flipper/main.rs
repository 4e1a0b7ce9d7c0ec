//! Flipper's command processor.

mod commands;
mod fifo;
mod formats;
mod plan;
mod unit;
mod vectors;
