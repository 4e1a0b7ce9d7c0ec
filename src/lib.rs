//! A JIT recompiler for the vertex programs of NVIDIA's XF unit. It computes the chip's own arithmetic, exact to the bit, at SIMD speed.
//!
//! Start with [`engine`]. `docs/DESIGN.md` explains the rest.
//!
//! The implementation is in separate packages, which may change in any version: `xfjit-runtime` (arithmetic, memory), `xfjit-isa`
//! (microcode and chips), `xfjit-ir` (representation, passes, recipes), `xfjit-core` (front ends, interpreter, the trait of back ends)
//! and `xfjit-native` (machine code).
//! This crate lists the names that users need. These names are stable. If you need more, depend on those packages directly.
#![deny(unsafe_code)]

#[cfg(feature = "jit")]
pub mod attach;
pub mod capture;
pub mod engine;
pub mod flipper;
pub mod import;
#[cfg(feature = "jit")]
pub mod perf;
#[doc(hidden)]
pub mod replace;
#[doc(hidden)]
pub mod repro;
pub mod xf;

pub use xfjit_isa::{config, emulators};

/// Vertex programs as text, in this project's own assembly language and in OpenGL's languages ([`asm::gl`]).
pub mod asm {
    pub use xfjit_isa::asm::{
        Listing, Paired, Passes, SlotText, gl, glsl, listing, listing_as, pair, parse, parse_as,
        parse_with_passes, parse_with_reading, print, print_as, print_insn, words,
    };
}

/// The back ends that run a shader: the interpreter, or native code ([`Jit`]).
pub mod backend {
    pub use xfjit_core::backend::{
        Backend, CompileError, Cost, Interp, Outcome, Repeated, Routine, Runs, Stages, Worker,
    };
}

/// Facts of the chips: generations, sizes, modes, memories, pipelines.
pub mod chip {
    pub use xfjit_isa::chip::{
        Chip, Family, Generation, Lights, Mode, Outputs, Pipeline, Revision, Sizes, flipper, memory,
        output_map,
    };

    /// The words of XFMODE, with names for what they select.
    pub mod mode {
        pub use xfjit_isa::chip::mode::{
            FogCoord, Gen, LIGHTS, LightMode, MAX_UNITS, Mode, Name, Place, Property, Side, Texture,
        };
    }
}

/// The sources of shaders: microcode, configurations of the fixed function, and Flipper's configurations.
pub mod front {
    pub use xfjit_core::front::{Microcode, flipper};

    /// Configurations of the fixed function.
    pub mod fixed {
        pub use xfjit_core::front::fixed::Setup;
    }
}

/// The reference interpreter: it runs microcode instruction by instruction.
pub mod interp {
    pub use xfjit_core::interp::{End, Interp, STACK, StackEntry, Stepper, TEMPS, VertexState};
    pub use xfjit_core::interp::{scalar_operation, vector_operation};
}

/// Microcode: instructions, and the words that encode them.
pub mod isa {
    pub use xfjit_isa::isa::decode::{DecodeError, decode, decode_as, decode_seen};
    pub use xfjit_isa::isa::{
        AddressComponent, Bank, Branch, BranchTest, CodeWrite, Condition, Generation, Insn, Mask, OutTarget,
        OutWrite, PairedScalar, Program, ProgramMode, Reading, ScaOp, Slot, Source, Swizzle, TempWrite, Test,
        Unit, VecOp, WORDS_PER_SLOT, convert, decode_insn, encode, encode_as, native, raw_fields,
    };
}

/// Programs that are ready to run, from any source.
pub mod shader {
    pub use xfjit_core::shader::{Cancel, Faults, ProgramInfo, Rows, Shader, Worker};
}

/// Errors in text input.
pub mod text {
    pub use xfjit_isa::text::{MAX_ERRORS, ParseError, ParseErrors};
}

pub use chip::Generation;
pub use config::Config;
pub use emulators::Emulator;
pub use engine::{Compile, Engine, Lockstep, Options, Program};
pub use shader::{Shader, Worker};
pub use xf::XfUnit;
#[cfg(feature = "jit")]
pub use xfjit_native::{Budget, InstructionSet, Jit};
pub use xfjit_runtime as runtime;
pub use xfjit_runtime::num::Model;
