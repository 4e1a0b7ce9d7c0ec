//! Whatever stream of commands: batches cannot be seen, recordings replay, states restore.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    xfjit_testing::fuzz_commands(bytes);
});
