//! Words decode, encode and print without loss.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit::testing::fuzz_decode(bytes);
});
