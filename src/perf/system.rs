//! What only the system can do. Only on Linux is there a `perf`; elsewhere no file is made.

use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(target_os = "linux")]
pub(super) use linux::{Mark, new_file, now, own_file, thread};

#[cfg(target_os = "linux")]
mod linux {
    #![expect(
        unsafe_code,
        reason = "a file is mapped so that perf sees it, and the clock is read that perf reads"
    )]

    use super::{File, Path, io};
    use std::fs::{self, OpenOptions};
    use std::mem::MaybeUninit;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::ptr;

    /// A file that is not there yet.
    pub(crate) fn new_file(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)
    }

    /// The file of this process at a path in a directory that others may write to. One that an earlier process of the same number
    /// has left is replaced; if it is `shared`, one of this process is gone on with.
    pub(crate) fn own_file(path: &Path, shared: bool) -> io::Result<File> {
        match new_file(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made,
        }
        // Of a link this is the link's.
        let found = fs::symlink_metadata(path)?;
        // SAFETY: the call has no conditions.
        let user = unsafe { libc::geteuid() };
        if !found.is_file() || found.uid() != user || found.nlink() != 1 {
            return Err(io::Error::other(format!("{} is not a file of this user's", path.display())));
        }
        if found.modified()? < started()? {
            fs::remove_file(path)?;
            return new_file(path);
        }
        if !shared {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{} is in use", path.display()),
            ));
        }
        let file = OpenOptions::new().append(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
        let opened = file.metadata()?;
        if (opened.ino(), opened.dev()) != (found.ino(), found.dev()) {
            return Err(io::Error::other(format!("{} changes while it is opened", path.display())));
        }
        Ok(file)
    }

    /// When this process began, or somewhat before.
    fn started() -> io::Result<std::time::SystemTime> {
        let odd = |what| io::Error::other(format!("/proc does not report {what}"));
        let stat = fs::read_to_string("/proc/self/stat")?;
        // The name, in parentheses, may hold anything.
        let fields = stat.rsplit_once(')').ok_or_else(|| odd("this process"))?.1;
        let ticks: u64 = fields
            .split_whitespace()
            .nth(19)
            .and_then(|field| field.parse().ok())
            .ok_or_else(|| odd("its start"))?;
        let system = fs::read_to_string("/proc/stat")?;
        let boot: u64 = system
            .lines()
            .find_map(|line| line.strip_prefix("btime "))
            .and_then(|seconds| seconds.trim().parse().ok())
            .ok_or_else(|| odd("the system's start"))?;
        // SAFETY: the call has no conditions.
        let rate = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        let rate = u64::try_from(rate).ok().filter(|&rate| rate > 0).ok_or_else(|| odd("its clock"))?;
        Ok(std::time::UNIX_EPOCH + std::time::Duration::from_secs(boot + ticks / rate))
    }

    /// A page of a file that is mapped as code, which is how perf learns of the file.
    #[derive(Debug)]
    pub(crate) struct Mark {
        address: usize,
        bytes: usize,
    }

    impl Mark {
        pub(crate) fn new(file: &File) -> io::Result<Mark> {
            let bytes = region::page::size();
            // SAFETY: a new mapping, which nothing reads, of a file that is open; the kernel chooses where.
            let address = unsafe {
                let protection = libc::PROT_READ | libc::PROT_EXEC;
                libc::mmap(ptr::null_mut(), bytes, protection, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
            };
            if address == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Ok(Mark { address: address.expose_provenance(), bytes })
        }
    }

    impl Drop for Mark {
        fn drop(&mut self) {
            // SAFETY: it is the mapping that `new` has made, of which there is no other handle.
            unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.address), self.bytes) };
        }
    }

    /// Nanoseconds of the monotonic clock.
    pub(crate) fn now() -> u64 {
        let mut time = MaybeUninit::<libc::timespec>::zeroed();
        // SAFETY: there is room for the result, and zeros are one.
        let time = unsafe {
            libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr());
            time.assume_init()
        };
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    /// The number of this thread.
    pub(crate) fn thread() -> u32 {
        // SAFETY: the call has no conditions.
        unsafe { libc::gettid() as u32 }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use other::{Mark, new_file, now, own_file, thread};

#[cfg(not(target_os = "linux"))]
mod other {
    use super::{File, Path, io};

    /// Nothing is mapped.
    #[derive(Debug)]
    pub(crate) struct Mark;

    impl Mark {
        pub(crate) fn new(_: &File) -> io::Result<Mark> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    pub(crate) fn new_file(_: &Path) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn own_file(_: &Path, _: bool) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn now() -> u64 {
        0
    }

    pub(crate) fn thread() -> u32 {
        0
    }
}
