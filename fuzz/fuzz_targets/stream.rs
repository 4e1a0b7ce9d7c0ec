//! Any stream of Flipper's commands: as the reference interpreters have it, in whatever pieces, saved, recorded.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_stream(bytes);
});
