//! Which instructions vertices run through.

use crate::args::Chip;
use crate::camera::Camera;
use crate::fail::{Failure, note, warning};
use crate::files;
use crate::load::Loaded;
use crate::rows::{self, UseCamera};
use crate::streams::{self, INPUTS, Vertices};
use crate::table;
use std::path::Path as File;
use xfjit::Config;
use xfjit::interp::{Stepper, VertexState};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::{DEFAULT_ROW, Row};
use xfjit::runtime::texture::Textures;
use xfjit_isa::timing::Path;

/// Vertices whose paths are followed, evenly chosen: more of them tell little more.
const MOST_VERTICES: usize = 64;

/// Steps of a path: those of a program that never ends are as many as its chip executes before it gives up.
const MOST_STEPS: usize = 1 << 16;

/// The paths of all vertices; one, if all go the same way.
pub fn paths(args: &Chip, program_file: &File, loaded: &Loaded) -> Result<Vec<Path>, Failure> {
    let Loaded { program, generation, reading, rows, .. } = loaded;
    if !program.insns.iter().any(|insn| insn.sca.is_branch()) {
        for (option, file) in [("--vertices", &args.vertices), ("--constants", &args.constants)] {
            if file.is_some() {
                let message =
                    "has no effect: the program has no branches, so all vertices take the same path";
                return Err(Failure::Usage(format!("{option} {message}")));
            }
        }
        return Ok(vec![Path::straight(*generation, *reading, program)]);
    }
    let vertices = match &args.vertices {
        Some(file) => streams::vertices(file, &streams::Options::default())?,
        None => {
            note("the clocks are for a vertex whose attributes are 0 0 0 1; --vertices sets others");
            Vertices { count: 1, ..Vertices::default() }
        }
    };
    let constants = match &args.constants {
        Some(file) => streams::constants(file, generation.constants())?,
        None => streams::Constants::none(generation.constants()),
    };
    let name = files::name(args.constants.as_deref().unwrap_or(program_file));
    let no_camera = || Camera::fitting(std::iter::empty(), 1.0);
    let context = rows::fill(rows, constants, &name, UseCamera::Never, no_camera)?.context;
    let config = Config::new(*generation).read_as(*reading);
    let mut paths: Vec<Path> = Vec::new();
    let followed = vertices.count.min(MOST_VERTICES);
    if followed < vertices.count {
        note(format_args!("{followed} of {} are followed", table::count(vertices.count, "vertex")));
    }
    let mut endless = 0;
    for number in 0..followed {
        let vertex = number * vertices.count / followed;
        let state = VertexState::new(program, &config, attributes(&vertices, vertex));
        let mut stepper = Stepper::new(program, &config, &state);
        let mut words = context.rows().to_vec();
        let mut constants = Constants::new(&mut words);
        let mut slots = Vec::new();
        let mut end = None;
        while slots.len() < MOST_STEPS && end.is_none() {
            slots.push(stepper.slot());
            end = stepper.step(&mut constants, &Textures::NONE);
        }
        endless += usize::from(end.is_none());
        paths.push(Path::new(*generation, *reading, program, slots));
    }
    if endless > 0 {
        let endless = table::count(endless, "vertex");
        warning(format_args!("{endless} ran {MOST_STEPS} slots without an end, and the clocks are of these"));
    }
    if paths.iter().all(|path| path == &paths[0]) {
        paths.truncate(1);
    }
    Ok(paths)
}

fn attributes(vertices: &Vertices, vertex: usize) -> [Row; INPUTS] {
    std::array::from_fn(|register| {
        let mut row = DEFAULT_ROW;
        if let Some(attribute) = &vertices.attributes[register] {
            let words = attribute.words.iter().skip(vertex * attribute.components).take(attribute.components);
            row.iter_mut().zip(words).for_each(|(to, &word)| *to = word);
        }
        row
    })
}
