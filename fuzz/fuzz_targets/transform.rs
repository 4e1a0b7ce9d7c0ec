//! Every backend agrees on any configuration of Flipper's transform unit.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_transform(bytes);
});
