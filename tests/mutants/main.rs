//! Faults that are made on purpose, one at a time: each is found, or has a reason why nothing can find it.
//!
//! | what is made faulty | how | where |
//! |---|---|---|
//! | the emitter for wide vectors | it makes all instructions of one row wrong in one way | `emitter` |
//! | recipes | one machine operation of what a recipe has made is changed | `recipes` |
//! | decoders of microcode | a field is misread, or something that is decoded is mistaken | `decoders` |
//! | the lowering of microcode | what is made for an operation is changed in all slots that have it | `lowering` |
//! | forms of emulators | what is made for an operation under a preset is changed in all slots that have it | `forms` |
//! | the lowering of configurations | what is made for a part is changed in all configurations that have it | `configurations` |
//!
//! Nothing is compiled anew. The emitter has a hook; the other stages hand on data, so a faulty stage is the stage and a change of
//! what it has made ([`funcs`]). `XFJIT_MUTANTS=TEXT` keeps those whose text has this in it, `XFJIT_LONG=1` runs all of them. What
//! nothing finds has a reason in a file of the stage.

mod configurations;
mod decoders;
#[cfg(all(target_arch = "x86_64", feature = "wide"))]
mod emitter;
mod forms;
mod funcs;
#[path = "../readings/lines.rs"]
mod lines;
mod lowering;
mod pieces;
mod places;
#[path = "../readings/printed.rs"]
mod printed;
mod recipes;
mod tally;
