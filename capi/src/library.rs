//! The library itself: versions, what this host can do, messages.

use crate::export::functions;
use crate::status::{self, xfjit_status};
use crate::table::constants;
use std::ffi::c_char;
use std::panic::AssertUnwindSafe;

constants! {
    /// The version of this interface. It is raised when a change would break callers of the old version. Additions do not raise it.
    VERSION: u32;
    /// xfjit_abi_version returns this if the library fits this header.
    XFJIT_ABI = 1;
}

constants! {
    /// The bits that xfjit_host_features returns.
    FEATURES: u32;
    /// The library was built with support for native code.
    XFJIT_FEATURE_BUILT_NATIVE = 1;
    /// This host runs native code. Without this bit, programs are interpreted: the results are the same, but slower.
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
    /// Returns the version of the interface, XFJIT_ABI. Any thread.
    fn xfjit_abi_version() -> u32 {
        XFJIT_ABI
    }
    /// Returns the version of the library as text. The text is never freed. Any thread.
    fn xfjit_version_string() -> *const c_char {
        concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
    }
    /// Returns what this library and this host support, XFJIT_FEATURE_* or-ed. Any thread.
    fn xfjit_host_features() -> u32 {
        let mut features = 0;
        let _ = status::call(|| {
            features = host_features();
            Ok(())
        });
        features
    }
    /// Returns a short description of a status. The text is never freed. Any thread.
    fn xfjit_status_string(status: xfjit_status) -> *const c_char {
        status::name(status).as_ptr()
    }
    /// Writes a description of the last error on this thread: as much of it as fits, ended by a zero. Returns the full length without the
    /// zero. With size 0 it writes nothing. Any thread.
    fn xfjit_last_error(text: *mut c_char, size: usize) -> usize {
        // A failure of its own would be the message next time.
        let copied = std::panic::catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: `size` bytes are at `text`.
            status::message(|message| unsafe { text.write_text(size, message) })
        }));
        copied.ok().flatten().and_then(Result::ok).unwrap_or(0)
    }
}
