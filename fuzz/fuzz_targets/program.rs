//! Every backend agrees on any program.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_program(bytes);
});
