//! Every backend agrees on any configuration of the fixed function.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_fixed(bytes);
});
