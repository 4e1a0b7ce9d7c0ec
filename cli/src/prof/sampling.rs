//! Where the processor is while a capture is played: addresses in machine code, and the slots that these were made for.

mod clock;
#[cfg(target_os = "linux")]
mod events;
#[cfg(all(windows, target_arch = "x86_64"))]
mod thread;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod timer;

use crate::fail::Failure;
use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};
use xfjit::backend::Routine;
use xfjit_ir::ir::origin::Place;

/// How to sample the thread that plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Sampling {
    /// The first of these methods that works.
    Auto,
    /// The system's performance events.
    Events,
    /// A timer's signals. On Windows, a second thread that stops the one that plays.
    Timer,
    /// No sampling. The time of a program is divided by the number of operations that each slot became.
    None,
}

/// Between two samples. Not a round number, so that they do not come in step with what a system does regularly.
#[cfg(target_os = "linux")]
const PERIOD: Duration = Duration::from_nanos(19_997);

/// Something that interrupts this thread regularly, and notes where it was.
trait Sampler {
    /// In words.
    fn name(&self) -> String;

    /// Takes the addresses that have been noted since the last call. Tells how many were lost, since nobody had taken those before.
    fn take(&mut self, to: &mut Vec<usize>) -> u64;
}

/// Addresses of instructions that were about to be executed.
pub(super) struct Samples {
    /// How they came.
    by: String,
    /// In ascending order.
    addresses: Vec<usize>,
    /// Samples of which the address is not known.
    lost: u64,
    /// The thread's processor time meanwhile: what other threads took of the processor is nobody's here.
    time: Duration,
    /// Plays meanwhile.
    plays: u32,
}

/// Samples what some work does, which is repeated for so long, at least once. Work that takes long calls what it is given now and then.
/// Nothing if nobody is to sample, or can.
///
/// # Errors
/// The one that was asked for cannot; what the work says.
pub(super) fn sample(
    wanted: Sampling,
    time: Duration,
    mut work: impl FnMut(&mut dyn FnMut()) -> Result<(), Failure>,
) -> Result<Option<Samples>, Failure> {
    let Some(mut sampler) = sampler(wanted)? else { return Ok(None) };
    let (start, worked, mut plays, mut addresses, mut lost) =
        (Instant::now(), clock::now(), 0, Vec::new(), 0);
    loop {
        work(&mut || lost += sampler.take(&mut addresses))?;
        plays += 1;
        lost += sampler.take(&mut addresses);
        if start.elapsed() >= time {
            break;
        }
    }
    addresses.sort_unstable();
    let time =
        clock::now().zip(worked).map_or_else(|| start.elapsed(), |(now, before)| now.saturating_sub(before));
    Ok(Some(Samples { by: sampler.name(), addresses, lost, time, plays }))
}

fn sampler(wanted: Sampling) -> Result<Option<Box<dyn Sampler>>, Failure> {
    let cannot = |what: &str, error: io::Error| Failure::Unsupported(format!("sampling by {what}: {error}"));
    match wanted {
        Sampling::None => Ok(None),
        Sampling::Events => events().map(Some).map_err(|error| cannot("events", error)),
        Sampling::Timer => timer().map(Some).map_err(|error| cannot("timer", error)),
        Sampling::Auto => Ok(events().or_else(|_| timer()).ok()),
    }
}

#[cfg(target_os = "linux")]
fn events() -> io::Result<Box<dyn Sampler>> {
    Ok(Box::new(events::Events::start(PERIOD)?))
}

#[cfg(not(target_os = "linux"))]
fn events() -> io::Result<Box<dyn Sampler>> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "only Linux has them; --sampling auto uses what is available",
    ))
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn timer() -> io::Result<Box<dyn Sampler>> {
    Ok(Box::new(timer::Timer::start(PERIOD)?))
}

#[cfg(all(windows, target_arch = "x86_64"))]
fn timer() -> io::Result<Box<dyn Sampler>> {
    Ok(Box::new(thread::Watcher::start()?))
}

#[cfg(not(any(
    all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")),
    all(windows, target_arch = "x86_64")
)))]
fn timer() -> io::Result<Box<dyn Sampler>> {
    let text = "this system does not support it; --sampling auto divides time by operations";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// Samples in the code of a program.
pub(super) struct InCode {
    /// How they came.
    pub(super) by: String,
    /// By the part of the program that an instruction was made for; none for what begins and ends groups.
    pub(super) places: BTreeMap<Option<Place>, u64>,
    /// All of them.
    pub(super) all: u64,
    /// Nanoseconds of one play that a sample stands for.
    pub(super) ns_of_one: f64,
}

impl Samples {
    /// Those in the code of a routine.
    pub(super) fn of(&self, routine: &dyn Routine) -> InCode {
        let mut places = BTreeMap::new();
        for code in routine.machine_code() {
            let start = code.bytes.as_ptr().addr();
            let first = self.addresses.partition_point(|&address| address < start);
            let here = self.addresses[first..].iter().map(|&address| address - start);
            for offset in here.take_while(|&offset| offset < code.bytes.len()) {
                let behind = code.lines.partition_point(|&(at, _)| at as usize <= offset);
                let place = code.lines[..behind].last().and_then(|(_, origin)| origin.place());
                *places.entry(place).or_default() += 1;
            }
        }
        let all = (self.addresses.len() as u64 + self.lost).max(1);
        let ns_of_one = self.time.as_nanos() as f64 / f64::from(self.plays) / all as f64;
        InCode { by: self.by.clone(), all: places.values().sum(), places, ns_of_one }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use xfjit::engine::default_backend;
    use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
    use xfjit::runtime::constants::Constants;
    use xfjit::{Config, Engine, Generation, Options, Worker, asm};

    /// Some milliseconds on any processor of today: twenty million cycles.
    #[inline(never)]
    fn work() -> u64 {
        let (mut sum, mut number) = (0u64, 0u64);
        // It calls nothing, however it is compiled.
        while number < 2_000_000 {
            sum ^= sum >> 3 ^ number << 7;
            number += 1;
        }
        sum
    }

    /// So many of them are hundreds of samples where a system looks as often as it is asked to.
    const ROUNDS: usize = 60;

    /// Samples of some work, at least so many: with few it is done again, four times as often. How often a thread is met is the system's
    /// business, above all where another thread has to come to its turn for it. Nothing if it does not let a process look at itself.
    fn samples(
        wanted: Sampling,
        enough: usize,
        mut work: impl FnMut(usize, &mut dyn FnMut()),
    ) -> Option<Samples> {
        let (start, mut times) = (Instant::now(), 1);
        loop {
            let once = |take: &mut dyn FnMut()| {
                work(times, take);
                Ok(())
            };
            match sample(wanted, Duration::ZERO, once) {
                Err(Failure::Unsupported(text)) => {
                    eprintln!("not tested: {text}");
                    return None;
                }
                Err(_) => panic!("it failed otherwise"),
                Ok(samples) => {
                    let samples = samples.expect("somebody was asked for");
                    assert_eq!(samples.plays, 1);
                    if samples.addresses.len() >= enough {
                        return Some(samples);
                    }
                    let all = samples.addresses.len();
                    assert!(start.elapsed() < xfjit_testing::PATIENCE, "{all} samples by {}", samples.by);
                }
            }
            times *= 4;
        }
    }

    /// Time is not looked at: what is certain is that somebody who works for a while is met at work, and where.
    fn meets_who_works(wanted: Sampling) {
        let rounds = |times: usize, take: &mut dyn FnMut()| {
            for _ in 0..times * ROUNDS {
                black_box(work());
                take();
            }
        };
        let Some(samples) = samples(wanted, 20, rounds) else { return };
        let start = (work as fn() -> u64 as *const ()).addr();
        let inside = samples.addresses.iter().filter(|&&address| (start..start + 4096).contains(&address));
        let (inside, all) = (inside.count(), samples.addresses.len());
        assert!(2 * inside > all, "{inside} of {all} by {}", samples.by);
        assert!(samples.addresses.is_sorted());
    }

    /// Nor here: whoever runs a long program over and over is met in it, mostly, and in parts of it that there are.
    fn meets_machine_code(wanted: Sampling) {
        let backend = default_backend();
        let backend = backend.with_lines().unwrap_or(backend);
        let engine = Engine::new(Options::default().with(|options| options.backend = backend));
        let text = "MUL r0, v0, c[0]\nDP4 r1, r0, v1\nMAD r2, r1, v0, c[1]\nRSQ r3, r2.x\nMAX r4, r3, r1\nMAD oPos, r4, r0, r2";
        let parsed = asm::parse(Generation::Kelvin, text).expect("it is a program");
        let slots = parsed.insns.len();
        let program = engine.decoded(parsed, &Config::new(Generation::Kelvin).live_outputs(1));
        let Some(routine) = program.routine() else { return };
        let (mut worker, rows) = (Worker::new(), vec![[0x3f80_0000; 4]; 192]);
        let (vertices, mut words) = (vec![[0x3f80_0000; 4]; 1024], vec![0; 4096]);
        let all_batches = |times: usize, take: &mut dyn FnMut()| {
            let mut inputs = Inputs::new(1024);
            for register in 0..16 {
                inputs = inputs.with(register, Attribute::rows(&vertices));
            }
            let outputs = Outputs::interleaved(&mut words, &[0]);
            // A microsecond each, and more.
            for number in 0..times * 40_000 {
                if number % 64 == 0 {
                    take();
                }
                program
                    .run_on(&mut worker, &mut Constants::read_only(&rows), &inputs, &outputs)
                    .expect("it runs");
            }
        };
        let Some(samples) = samples(wanted, 100, all_batches) else { return };
        let (in_code, all) = (samples.of(routine), samples.addresses.len() as u64);
        assert!(2 * in_code.all > all, "{} of {all} by {}", in_code.all, samples.by);
        assert_eq!(in_code.all, in_code.places.values().sum::<u64>());
        let is_slot = |place: &Place| matches!(place, Place::Slot(slot) if usize::from(*slot) < slots);
        assert!(in_code.places.keys().flatten().all(is_slot), "{:?}", in_code.places);
        assert!(in_code.places.len() > 4, "{:?}", in_code.places);
    }

    #[test]
    fn events_meet_who_works() {
        meets_who_works(Sampling::Events);
        meets_machine_code(Sampling::Events);
    }

    #[test]
    fn a_timer_meets_who_works() {
        meets_who_works(Sampling::Timer);
        // A second one, when the first has gone.
        meets_machine_code(Sampling::Timer);
    }

    /// Work that is longer than what the system keeps is sampled to its end: more is taken than there is room for. How many samples
    /// are lost meanwhile is the system's business, which tells of them.
    #[test]
    #[cfg(target_os = "linux")]
    fn long_work_is_sampled_to_its_end() {
        let Ok(mut sampler) = events() else { return };
        let (mut addresses, mut lost, mut rounds) = (Vec::new(), 0, 0);
        while addresses.len() <= 2 * events::KEPT {
            black_box(work());
            lost += sampler.take(&mut addresses);
            rounds += 1;
            assert!(rounds < 100 * ROUNDS, "{} samples, {lost} lost", addresses.len());
        }
    }

    #[test]
    fn nobody_samples_if_nobody_is_asked() {
        let mut plays = 0;
        let sampled = sample(Sampling::None, Duration::ZERO, |_| {
            plays += 1;
            Ok(())
        });
        assert!(sampled.is_ok_and(|sampled| sampled.is_none()));
        assert_eq!(plays, 0);
    }
}
