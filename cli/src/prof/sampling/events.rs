//! Linux's performance events (`perf_event_open`): the processor's cycles, or where it does not tell of them, as on most virtual
//! machines, the time that the thread has had.

use super::Sampler;
use perf_event::data::Record;
use perf_event::events::{Hardware, Software};
use perf_event::{Builder, SampleFlag};
use std::io;
use std::time::Duration;

/// Bytes for samples that nobody has taken yet. More than half a mebibyte takes a privilege.
const BUFFER: usize = 1 << 18;

/// Samples that fit there: each is a header and an address, of eight bytes.
#[cfg(test)]
pub(super) const KEPT: usize = BUFFER / 16;

/// Events of this thread.
pub(super) struct Events {
    sampler: perf_event::Sampler,
    what: &'static str,
}

impl Events {
    /// Starts.
    pub(super) fn start(period: Duration) -> io::Result<Self> {
        let nanos = period.as_nanos() as u64;
        let mut cycles = Builder::new(Hardware::CPU_CYCLES);
        cycles.sample_frequency(1_000_000_000 / nanos);
        let mut clock = Builder::new(Software::CPU_CLOCK);
        clock.sample_period(nanos);
        let cycles = Events::of(cycles, "cycles");
        cycles.or_else(|_| Events::of(clock, "the thread's time"))
    }

    fn of(mut builder: Builder<'_>, what: &'static str) -> io::Result<Self> {
        // As the kernel's part of the time is nobody's code here, it may be out of bounds for the user as well.
        builder.observe_self().any_cpu().exclude_kernel(true).exclude_hv(true).sample(SampleFlag::IP);
        let mut sampler = builder.build()?.sampled(BUFFER)?;
        sampler.enable()?;
        Ok(Events { sampler, what })
    }
}

impl Sampler for Events {
    fn name(&self) -> String {
        format!("samples of {} (perf_event_open)", self.what)
    }

    fn take(&mut self, to: &mut Vec<usize>) -> u64 {
        let mut lost = 0;
        while let Some(record) = self.sampler.next_record() {
            match record.parse_record() {
                Ok(Record::Sample(sample)) => {
                    to.extend(sample.ip().and_then(|address| usize::try_from(address).ok()));
                }
                Ok(Record::Lost(some)) => lost += some.lost,
                _ => {}
            }
        }
        lost
    }
}
