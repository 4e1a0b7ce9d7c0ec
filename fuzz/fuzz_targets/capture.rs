//! Any bytes are a capture, one that is cut off, or none; what is read is written to the same, and plays.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_capture(bytes);
});
