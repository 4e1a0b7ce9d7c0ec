//! Words decode, encode and print without loss.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_decode(bytes);
});
