//! What the verifier accepts can be compiled, and touches only what it may.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_ir(bytes);
});
