#![doc = "WIP"]
#![deny(unsafe_code)]
#![allow(unreachable_pub, reason = "nothing in a binary is reachable")]
#![allow(dead_code)]
mod fail;
mod files;
mod obj;
mod streams;
mod text;
mod vectors_file;
fn main() {}
