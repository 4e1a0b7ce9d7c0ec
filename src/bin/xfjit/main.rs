#![doc = "WIP"]
#![deny(unsafe_code)]
#![allow(unreachable_pub, reason = "nothing in a binary is reachable")]
#![allow(dead_code)]
mod demo_scene;
mod fail;
mod files;
mod obj;
mod render;
mod streams;
mod text;
mod vectors_file;
fn main() {}
