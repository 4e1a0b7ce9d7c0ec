//! The library itself: versions, what this host can do, messages.

use crate::export::functions;
use crate::status::{self, xfjit_status};
use crate::table::constants;
use std::ffi::c_char;
use std::panic::AssertUnwindSafe;

constants! {
    /// The version of this interface. It is raised when something changes so that callers of the old one would fail; what is
    /// only added leaves it as it is.
    VERSION: u32;
    /// What xfjit_abi_version of a library that fits this header returns.
    XFJIT_ABI = 1;
}

constants! {
    /// What xfjit_host_features tells, as bits.
    FEATURES: u32;
    /// The library was built with native code.
    XFJIT_FEATURE_BUILT_NATIVE = 1;
    /// This host runs it. Without this bit programs are interpreted: slower, with the same results.
    XFJIT_FEATURE_NATIVE = 2;
}

#[cfg(feature = "jit")]
fn host_features() -> u32 {
    XFJIT_FEATURE_BUILT_NATIVE | if xfjit::Jit::host().is_ok() { XFJIT_FEATURE_NATIVE } else { 0 }
}

#[cfg(not(feature = "jit"))]
fn host_features() -> u32 {
    0
}

functions! {
    FUNCTIONS;
    /// The version of the interface, XFJIT_ABI. Any thread.
    fn xfjit_abi_version() -> u32 {
        XFJIT_ABI
    }
    /// The version of the library, for people. Lives for ever. Any thread.
    fn xfjit_version_string() -> *const c_char {
        concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
    }
    /// What this library and this host have, XFJIT_FEATURE_* or-ed. Any thread.
    fn xfjit_host_features() -> u32 {
        let mut features = 0;
        let _ = status::call(|| {
            features = host_features();
            Ok(())
        });
        features
    }
    /// A few words about a status. Lives for ever. Any thread.
    fn xfjit_status_string(status: xfjit_status) -> *const c_char {
        status::name(status).as_ptr()
    }
    /// What was wrong with the last call of this thread that has failed: as much of it as fits, ended by a zero. Returns its
    /// whole length without the zero; with size 0 nothing is written. Any thread.
    fn xfjit_last_error(text: *mut c_char, size: usize) -> usize {
        // A failure of its own would be the message next time.
        let copied = std::panic::catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: `size` bytes are at `text`.
            status::message(|message| unsafe { text.write_text(size, message) })
        }));
        copied.ok().flatten().and_then(Result::ok).unwrap_or(0)
    }
}
