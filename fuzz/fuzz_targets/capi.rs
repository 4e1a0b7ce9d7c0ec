//! Random calls of the C interface end in statuses, and write nothing but what was lent.
#![no_main]

#[path = "../../capi/tests/random_calls/body/mod.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    body::random_calls(bytes);
});
