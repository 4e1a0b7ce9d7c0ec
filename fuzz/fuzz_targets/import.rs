//! Any bytes are a file in each format of others, or an error that names a place in it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_import(bytes);
});
