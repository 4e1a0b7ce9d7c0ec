//! The time that this thread has had of a processor.

use std::time::Duration;

/// That time; none where a system does not tell.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "only the system knows")]
pub(super) fn now() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the system writes the structure that it is given, which is live.
    let is_known = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } == 0;
    is_known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// That time; the system counts it by ticks of some milliseconds.
#[cfg(all(windows, target_arch = "x86_64"))]
#[expect(unsafe_code, reason = "only the system knows")]
pub(super) fn now() -> Option<Duration> {
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [created, ended, kernel, user] = &mut times;
    // SAFETY: the system writes the structures that it is given, which are live.
    let is_known = unsafe { GetThreadTimes(GetCurrentThread(), created, ended, kernel, user) } != 0;
    let ticks = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    // Of 100 nanoseconds.
    is_known.then(|| Duration::from_nanos((ticks(times[2]) + ticks(times[3])) * 100))
}

/// Nothing is known.
#[cfg(not(any(target_os = "linux", all(windows, target_arch = "x86_64"))))]
pub(super) fn now() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::time::Duration;

    #[test]
    fn it_goes_on_while_the_thread_works() {
        let Some(before) = super::now() else { return };
        let worked = || super::now().expect("it was known before") - before;
        let mut rounds = 0u64;
        while worked() < Duration::from_millis(1) {
            rounds = black_box(rounds + 1);
        }
        assert!(rounds > 0);
    }
}
