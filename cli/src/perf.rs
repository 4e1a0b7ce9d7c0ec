//! `XFJIT_PERF`: whether Linux's `perf` is told of generated code, and how (docs/PROFILING.md).

use crate::fail::Failure;
use std::path::Path;
use std::sync::Arc;
use xfjit::Options;
use xfjit::backend::Backend;
use xfjit::perf::Perf;

/// Who is told, as the environment says: `map`, `jitdump` into this directory, or `jitdump:DIR`.
pub fn wanted() -> Result<Option<Perf>, Failure> {
    let Some(value) = std::env::var_os("XFJIT_PERF").filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let perf = match value.to_str().map(|value| value.split_once(':').unwrap_or((value, "."))) {
        Some(("map", ".")) => Perf::map(),
        Some(("jitdump", directory)) => Perf::jitdump(Path::new(directory)),
        _ => {
            let text = "the environment variable XFJIT_PERF must be map, jitdump or jitdump:DIR".to_owned();
            return Err(Failure::Usage(text));
        }
    };
    perf.map(Some).map_err(|error| Failure::Unwritable(format!("XFJIT_PERF: {error}")))
}

/// Options of an engine with a backend, of whose code somebody is told.
pub fn options(backend: Arc<dyn Backend>, perf: Option<&Perf>) -> Options {
    Options::default().with(|options| (options.backend, options.perf) = (backend, perf.cloned()))
}

/// A backend whose routines know what perf is told.
pub fn in_sight(perf: Option<&Perf>, backend: Arc<dyn Backend>) -> Arc<dyn Backend> {
    let wants_lines = perf.is_some_and(Perf::wants_lines);
    let with_lines = if wants_lines { backend.with_lines() } else { None };
    with_lines.unwrap_or(backend)
}
