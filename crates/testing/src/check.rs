//! The one check behind every differential test: all backends against the reference, on every bit.

pub use crate::repro::difference;

use super::case::{Case, Ran, Refusal};
use super::filetest::FileTest;
use crate::backend::{Backend, Eval, Interp, Runs, Worker};
#[cfg(feature = "jit")]
use crate::backend::{CompileError, Interpreted, Routine};
use crate::config::Config;
use crate::repro::Placement;
use crate::shader::Faults;
#[cfg(feature = "jit")]
use crate::shader::Shader;
use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;
use xfjit_runtime::num::Model;

/// The models that have recipes for the host: the others run in the interpreter and the evaluator of the XF level.
pub const fn native_models() -> &'static [Model] {
    &[Model::Hw, Model::Ieee]
}

/// Every backend of this build that can run programs under a model, the reference ([`Interp::Single`]) excepted.
pub fn backends(model: Model) -> Vec<Arc<dyn Backend>> {
    let mut backends: Vec<Arc<dyn Backend>> = vec![Arc::new(Interp::Batched), Arc::new(Eval::Xf)];
    if native_models().contains(&model) {
        backends.push(Arc::new(Eval::Host));
        backends.extend(native_wide());
        backends.extend(native());
        backends.extend(native_backed());
    }
    backends
}

/// All of [`backends`], and wide code of the widths that this machine lacks, evaluated, which takes about a thousand times as long as
/// running it.
pub fn backends_and_evaluated(model: Model) -> Vec<Arc<dyn Backend>> {
    let is_native = native_models().contains(&model);
    backends(model).into_iter().chain(evaluated_wide().into_iter().filter(|_| is_native)).collect()
}

/// Wide code of the widths that this machine lacks, evaluated.
fn evaluated_wide() -> Vec<Arc<dyn Backend>> {
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    return super::x86::evaluated_wide();
    #[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
    Vec::new()
}

/// Native code, if this build and this host have it; programs of any length are compiled.
pub fn native() -> Option<Arc<dyn Backend>> {
    #[cfg(feature = "jit")]
    {
        use std::sync::OnceLock;
        static JIT: OnceLock<Option<Arc<crate::native::Jit>>> = OnceLock::new();
        JIT.get_or_init(|| unlimited().map(Arc::new)).clone().map(|jit| jit as Arc<dyn Backend>)
    }
    #[cfg(not(feature = "jit"))]
    None
}

/// Native code with its slow path behind it from the start, as programs have that raise guards often.
pub fn native_backed() -> Option<Arc<dyn Backend>> {
    #[cfg(feature = "jit")]
    return unlimited().map(|jit| Arc::new(Backed(narrow(jit))) as Arc<dyn Backend>);
    #[cfg(not(feature = "jit"))]
    None
}

#[cfg(feature = "jit")]
#[derive(Debug)]
struct Backed(crate::native::Jit);

#[cfg(feature = "jit")]
impl Backend for Backed {
    fn name(&self) -> &'static str {
        "backed"
    }

    fn runs(&self) -> Runs {
        Runs::Native
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        let interpreted = Interpreted::new(shader, Interp::Batched);
        let routine = self.0.prepare_beside(shader, &interpreted)?;
        if let Some(slow) = self.0.prepare_slow(shader, &interpreted) {
            routine.back_with(slow);
        }
        Ok(routine)
    }
}

/// The slow path alone, in the code that this machine would have for it. It refuses what the lighting engine computes.
pub fn native_slow() -> Option<Arc<dyn Backend>> {
    #[cfg(feature = "jit")]
    {
        use std::sync::OnceLock;
        static SLOW: OnceLock<Option<Arc<crate::native::Jit>>> = OnceLock::new();
        let slow = || Some(Arc::new(narrow(unlimited()?).slowly()));
        SLOW.get_or_init(slow).clone().map(|jit| jit as Arc<dyn Backend>)
    }
    #[cfg(not(feature = "jit"))]
    None
}

/// In code of our own emitter, of the shortest vectors that it has for this machine, if it has any.
#[cfg(all(feature = "jit", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn narrow(jit: crate::native::Jit) -> crate::native::Jit {
    match widths().first() {
        Some(&width) => jit.wide(width).expect("this machine has it"),
        None => jit,
    }
}

#[cfg(all(feature = "jit", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn narrow(jit: crate::native::Jit) -> crate::native::Jit {
    jit
}

/// Native code of our own emitter for each of the widths that this machine has; what is refused there is Cranelift's.
pub fn native_wide() -> Vec<Arc<dyn Backend>> {
    #[cfg(all(feature = "jit", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        use crate::native::Jit;
        use std::sync::OnceLock;
        static WIDE: OnceLock<Vec<Arc<Jit>>> = OnceLock::new();
        let all =
            || widths().into_iter().filter_map(|width| unlimited()?.wide(width).ok()).map(Arc::new).collect();
        WIDE.get_or_init(all).iter().map(|jit| Arc::clone(jit) as Arc<dyn Backend>).collect()
    }
    #[cfg(not(all(feature = "jit", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    Vec::new()
}

/// The widths of our own emitter that this machine has.
#[cfg(all(feature = "jit", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn widths() -> Vec<crate::native::emitter::Width> {
    use crate::native::emitter::Width;
    Width::ALL.iter().copied().filter(|width| width.is_here()).collect()
}

#[cfg(feature = "jit")]
fn unlimited() -> Option<crate::native::Jit> {
    use crate::native::{Budget, Jit};
    Jit::cranelift().ok().map(|jit| jit.budget(Budget::UNLIMITED))
}

/// What checks have covered; a generator whose programs all fall back would be seen here.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Cases checked.
    pub cases: u64,
    /// Vertices in them.
    pub vertices: u64,
    /// Instructions of their programs.
    pub instructions: u64,
    /// Vertices that native code (or the evaluator in its place) ran.
    pub native_vertices: u64,
    /// Groups of them that were left to the interpreter.
    pub deopt_groups: u64,
    /// Cases that native code has refused.
    pub refused: u64,
    /// Vertices whose program did not end as it should.
    pub faults: Faults,
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.cases += other.cases;
        self.vertices += other.vertices;
        self.instructions += other.instructions;
        self.native_vertices += other.native_vertices;
        self.deopt_groups += other.deopt_groups;
        self.refused += other.refused;
        self.faults += other.faults;
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { cases, vertices, instructions, native_vertices, deopt_groups, refused, faults } = self;
        write!(f, "{cases} cases, {vertices} vertices, {instructions} instructions; ")?;
        write!(
            f,
            "{native_vertices} vertices natively, {deopt_groups} groups deoptimised, {refused} programs refused; "
        )?;
        write!(f, "{} timeouts, {} stack faults", faults.timeouts, faults.stack)
    }
}

/// A backend that did not do what the reference does. Its text is the case as a filetest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Name of the backend.
    pub backend: String,
    /// The first difference.
    pub what: String,
    /// Batch position of the first vertex that differs, if it is a vertex that does.
    pub position: Option<usize>,
    /// The case.
    pub case: Box<Case>,
}

impl Mismatch {
    fn new(case: &Case, backend: &str, what: impl Into<String>, position: Option<usize>) -> Self {
        Mismatch { backend: backend.to_owned(), what: what.into(), position, case: Box::new(case.clone()) }
    }

    /// A test file that shows the difference, of the one vertex that it is about where there is such a vertex. Where
    /// only the layout of memory matters, it may not show it.
    pub fn filetest(&self) -> Option<FileTest> {
        let positions = match self.position {
            Some(position) => position..position + 1,
            None => 0..self.case.count,
        };
        FileTest::of_case(&self.case, vec![format!("{}: {}", self.backend, self.what)], positions)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.backend, self.what)?;
        match self.filetest() {
            Some(test) => write!(f, "{test}"),
            None => write!(f, "{}", self.case),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Runs a case on the reference and on every backend that applies, and compares all bits: outputs, constants
/// afterwards, and the bytes that nobody may write.
///
/// # Errors
/// The first difference.
pub fn check(case: &Case) -> Result<Stats, Box<Mismatch>> {
    check_with(case, &mut Worker::new())
}

/// [`check`] with working memory that other cases have used before.
///
/// # Errors
/// The first difference.
pub fn check_with(case: &Case, worker: &mut Worker) -> Result<Stats, Box<Mismatch>> {
    let fail = |backend: &str, what: String, position| Box::new(Mismatch::new(case, backend, what, position));
    let reference = Interp::Single;
    let want =
        case.run(&reference, worker).map_err(|refusal| fail(reference.name(), refusal.to_string(), None))?;
    if let Some(at) = case.stray_write(&want.output) {
        return Err(fail(reference.name(), format!("wrote byte {at}, which is outside all outputs"), None));
    }
    let mut stats = Stats { cases: 1, vertices: case.count as u64, ..Stats::default() };
    stats.faults = want.outcome.faults;
    stats.instructions = case.program().map_or(0, |program| program.insns.len() as u64);
    let Config { model, .. } = case.config;
    let native = native_models().contains(&model);
    let backends = backends(model);
    let measured = measured(backends.iter().map(|backend| backend.runs()));
    for (i, backend) in backends.into_iter().enumerate() {
        let got = match case.run(&*backend, worker) {
            Ok(got) => got,
            Err(Refusal::Compile(error)) if error.is_limit() => {
                stats.refused += u64::from(Some(i) == measured);
                continue;
            }
            Err(refusal) => return Err(fail(backend.name(), refusal.to_string(), None)),
        };
        if let Some((what, position)) = difference(&case.placement(), &want, &got) {
            return Err(fail(backend.name(), what, position));
        }
        if native && Some(i) == measured {
            stats.native_vertices += case.count as u64;
            stats.deopt_groups += got.outcome.deopt_groups;
        }
    }
    Ok(stats)
}

/// Runs a case of `count` vertices on a reference and on every one of some backends, and compares all bits. Backends that cannot
/// prepare it are counted; figures of native code are of the one with most of the compiler behind it.
///
/// # Errors
/// The first difference: the name of the backend, what differs, and the vertex if it is one that does.
pub(super) fn agree(
    reference: &dyn Backend,
    backends: &[&dyn Backend],
    (placement, count): (&Placement, usize),
    mut run: impl FnMut(&dyn Backend) -> Result<Ran, Refusal>,
) -> Result<Stats, (String, String, Option<usize>)> {
    let refused =
        |backend: &dyn Backend, refusal: Refusal| (backend.name().to_owned(), refusal.to_string(), None);
    let want = run(reference).map_err(|refusal| refused(reference, refusal))?;
    let mut stats = Stats { cases: 1, vertices: count as u64, ..Stats::default() };
    let measured = measured(backends.iter().map(|backend| backend.runs()));
    for (i, &backend) in backends.iter().enumerate() {
        let got = match run(backend) {
            Ok(got) => got,
            Err(Refusal::Compile(error)) if error.is_limit() => {
                stats.refused += 1;
                continue;
            }
            Err(refusal) => return Err(refused(backend, refusal)),
        };
        if let Some((what, position)) = difference(placement, &want, &got) {
            return Err((backend.name().to_owned(), what, position));
        }
        if Some(i) == measured {
            stats.native_vertices += count as u64;
            stats.deopt_groups += got.outcome.deopt_groups;
        }
    }
    Ok(stats)
}

/// Which of some backends the figures of native code are of: the one with most of the compiler behind it.
fn measured(backends: impl Iterator<Item = Runs>) -> Option<usize> {
    backends.enumerate().max_by_key(|(_, runs)| *runs).map(|(i, _)| i)
}
