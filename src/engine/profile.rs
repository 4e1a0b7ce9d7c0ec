//! What an engine has done, program by program, as a value and as JSON.

use super::cache::CacheStats;
use super::counters::TierTime;
use super::guards::Found;
use super::stats::ProgramStats;
use std::fmt::{self, Write};
use std::time::Duration;

/// The version of the JSON form.
const SCHEMA: &str = "xfjit.profile.1";

/// What an engine has done ([`Engine::profile`](super::Engine::profile)). It does not include programs that the cache has evicted.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Profile {
    /// The target of code.
    pub target: String,
    /// Counters of the cache, the compiler and all programs.
    pub cache: CacheStats,
    /// The programs in the cache, the most recently used first.
    pub programs: Vec<ProgramProfile>,
}

/// What runs a program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Tier {
    /// The interpreter, until the program is compiled.
    Waiting,
    /// Native code, or whatever else the engine's back end makes.
    Native,
    /// The interpreter, because the back end has refused the program, for this reason.
    Refused(String),
    /// The interpreter, since native code was given up or barred.
    Retired,
}

impl Tier {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Tier::Waiting => "waiting",
            Tier::Native => "native",
            Tier::Refused(_) => "refused",
            Tier::Retired => "retired",
        }
    }
}

/// What a program has done ([`Program::profile`](super::Program::profile)).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProgramProfile {
    /// The kind of the program, and a hash of everything that decides its code.
    pub name: String,
    /// The host's label ([`Program::set_label`](super::Program::set_label)).
    pub label: Option<String>,
    /// What runs it now.
    pub tier: Tier,
    /// The number of vertices in a group of native code; 1 without native code.
    pub lanes: usize,
    /// The totals, and the cost of the code.
    pub stats: ProgramStats,
    /// What it has run in the interpreter. (Vertices that native code left to it are not among these.)
    pub interpreted: TierTime,
    /// What it has run in native code, including what that left to its slow path or to the interpreter.
    pub native: TierTime,
    /// The part of `native` that ran in routines with constants as literals ([`Options::fold_after`](super::Options::fold_after)).
    pub folded: TierTime,
    /// Look-ups that found it in the cache.
    pub hits: u64,
    /// Batches in which native code left a group.
    pub guarded_batches: u64,
    /// Vertices of such groups that had to run again: those in which a guard was raised.
    pub guarded_vertices: u64,
    /// The guards that were raised in some of these groups.
    pub found: Found,
}

impl ProgramProfile {
    /// The time that all its batches took, estimated from those that were timed.
    pub fn time(&self) -> Option<Duration> {
        Some(self.interpreted.estimated? + self.native.estimated?)
    }
}

impl Profile {
    /// The profile as JSON, on one line. Times are whole nanoseconds; `null` where nothing was timed. The field `schema` is
    /// `xfjit.profile.1`: later versions may add fields; existing fields keep their meaning.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, f: &mut String) -> fmt::Result {
        write!(f, "{{\"schema\":\"{SCHEMA}\",\"target\":{},\"cache\":", Text(&self.target))?;
        write_cache(f, &self.cache)?;
        f.push_str(",\"programs\":[");
        for (number, program) in self.programs.iter().enumerate() {
            f.push_str(if number == 0 { "" } else { "," });
            write_program(f, program)?;
        }
        f.push_str("]}");
        Ok(())
    }
}

fn write_cache(f: &mut String, cache: &CacheStats) -> fmt::Result {
    let &CacheStats { hits, misses, evictions, programs, bytes, compiled, refused, .. } = cache;
    let &CacheStats { timeouts, given_up, verified, barred, folded, .. } = cache;
    write!(
        f,
        "{{\"hits\":{hits},\"misses\":{misses},\"evictions\":{evictions},\"programs\":{programs},\"bytes\":{bytes},\
         \"compiled\":{compiled},\"refused\":{refused},\"compile_ns\":{},\"timeouts\":{timeouts},\"given_up\":{given_up},\
         \"verified\":{verified},\"barred\":{barred},\"folded\":{folded}}}",
        cache.compile_time.as_nanos()
    )
}

fn write_program(f: &mut String, program: &ProgramProfile) -> fmt::Result {
    let ProgramProfile { name, label, tier, lanes, stats, hits, .. } = program;
    let refusal = if let Tier::Refused(why) = tier { Some(why) } else { None };
    write!(f, "{{\"name\":{},\"label\":", Text(name))?;
    write_text(f, label.as_ref())?;
    write!(f, ",\"tier\":\"{}\",\"refusal\":", tier.name())?;
    write_text(f, refusal)?;
    write!(f, ",\"lanes\":{lanes},\"batches\":{},\"vertices\":{},\"ns\":", stats.batches, stats.vertices)?;
    write_time(f, program.time())?;
    for (name, tier) in
        [("interpreted", &program.interpreted), ("native", &program.native), ("folded", &program.folded)]
    {
        let &TierTime { batches, vertices, timed_batches, timed_vertices, timed, estimated, .. } = tier;
        write!(
            f,
            ",\"{name}\":{{\"batches\":{batches},\"vertices\":{vertices},\"timed_batches\":{timed_batches},\
             \"timed_vertices\":{timed_vertices},\"timed_ns\":{},\"ns\":",
            timed.as_nanos()
        )?;
        write_time(f, estimated)?;
        f.push('}');
    }
    write_guards(f, program)?;
    let (faults, cost) = (stats.faults, stats.cost);
    write!(
        f,
        ",\"folded_routines\":{},\"timeouts\":{},\"stack_faults\":{},\"given_up\":{},\"barred\":{},\"cache_hits\":{hits},\
         \"code_bytes\":{},\"memory_bytes\":{},\"stack_bytes\":{},\"compile\":{{\"ns\":{}",
        stats.folded_routines,
        faults.timeouts,
        faults.stack,
        stats.given_up,
        stats.barred,
        cost.code_bytes,
        cost.memory_bytes,
        cost.stack_bytes,
        cost.compile_time.as_nanos()
    )?;
    let stages = cost.stages;
    for (name, time) in [
        ("lower", stages.lower),
        ("simplify", stages.simplify),
        ("legalize", stages.legalize),
        ("optimize", stages.optimize),
        ("generate", stages.generate),
    ] {
        write!(f, ",\"{name}_ns\":{}", time.as_nanos())?;
    }
    f.push_str("}}");
    Ok(())
}

fn write_guards(f: &mut String, program: &ProgramProfile) -> fmt::Result {
    let ProgramProfile { stats, guarded_batches, guarded_vertices, found, .. } = program;
    let groups = stats.deopt_groups;
    write!(
        f,
        ",\"guards\":{{\"batches\":{guarded_batches},\"groups\":{groups},\"vertices\":{guarded_vertices},\"slow\":{},\"ns\":",
        stats.slow_vertices
    )?;
    write_time(f, program.native.fallback)?;
    write!(f, ",\"looked_at\":{},\"raised\":{},\"by\":[", found.groups, found.vertices)?;
    for (number, guard) in found.guards.iter().enumerate() {
        f.push_str(if number == 0 { "" } else { "," });
        write!(f, "{{\"place\":{},\"slot\":", Text(&guard.place))?;
        match guard.slot {
            Some(slot) => write!(f, "{slot}")?,
            None => f.push_str("null"),
        }
        let why = guard.why.name();
        write!(
            f,
            ",\"operation\":\"{}\",\"why\":\"{why}\",\"vertices\":{},\"example\":{{\"vertex\":{},\"operand\":",
            guard.operation, guard.vertices, guard.example.vertex
        )?;
        match guard.example.operand {
            Some(operand) => write!(f, "\"{operand}\",\"bits\":{}}}}}", operand.bits)?,
            None => f.push_str("null,\"bits\":null}}"),
        }
    }
    f.push_str("]}");
    Ok(())
}

fn write_text(f: &mut String, text: Option<&String>) -> fmt::Result {
    match text {
        Some(text) => write!(f, "{}", Text(text)),
        None => {
            f.push_str("null");
            Ok(())
        }
    }
}

fn write_time(f: &mut String, time: Option<Duration>) -> fmt::Result {
    match time {
        Some(time) => write!(f, "{}", time.as_nanos()),
        None => f.write_str("null"),
    }
}

/// Text in quotation marks.
struct Text<'a>(&'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                letter if letter < ' ' => write!(f, "\\u{:04x}", u32::from(letter))?,
                letter => f.write_char(letter)?,
            }
        }
        f.write_char('"')
    }
}
