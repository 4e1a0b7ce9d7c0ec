//! `xfjit demo --flipper`: a stream of commands through the GameCube's command processor and transform unit, on every tier.

use super::flipper_scene::{self, Scene};
use super::{MEASURE, REPEATS, Tier, Title, print, title};
use crate::args::{Demo, Global};
use crate::backends;
use crate::demo_scene::LOOK;
use crate::fail::{Failure, note};
use crate::render::{self, Look};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit::backend::{Backend, Cost, Interp};
use xfjit::chip::flipper::output;
use xfjit::config::FlipperQuirks;
use xfjit::flipper::{Budget, Drawn, FlipperUnit, Output, Quirks};
use xfjit::{Engine, Model, Options};

/// What the picture is made of, beside clip positions.
const OUTPUTS: u32 = 3 << output::COLOUR | 3 << output::TEXCOORD;
const PICTURE: &str = "torus.png";

pub(super) fn run(args: &Demo, global: &Global) -> Result<(), Failure> {
    let scene = Scene::new();
    let mut backends = vec![backends::reference(), Arc::new(Interp::Batched) as Arc<dyn Backend>];
    match backends::native(None) {
        Ok(native) => backends.push(native),
        Err(why) => note(&why),
    }
    let mut tiers: Vec<Tier> = Vec::new();
    let mut drawn = None;
    for backend in backends {
        let (mut tier, mesh) = measure(&scene, &backend)?;
        if let Some(reference) = tiers.first() {
            let words = reference.words.iter().zip(&tier.words);
            tier.differing =
                words.filter(|(a, b)| a != b).count() + reference.words.len().abs_diff(tier.words.len());
            tier.ratio = reference.best.as_secs_f64() / tier.best.as_secs_f64().max(1e-9);
        }
        tiers.push(tier);
        drawn.get_or_insert(mesh);
    }
    let mesh = drawn.unwrap_or_default();
    let path = args.out.as_deref().unwrap_or(Path::new(PICTURE));
    if !args.no_picture {
        let look = Look { cull: false, ..LOOK };
        super::save(path, &render::draw(&mesh.scene(), &look))?;
    }
    let title = Title { name: "torus", vertices: mesh.positions.len(), triangles: mesh.count };
    print(&title, &tiers, (!args.no_picture).then_some(path), global)?;
    if tiers.iter().all(|tier| tier.differing == 0) { Ok(()) } else { Err(Failure::Mismatch) }
}

/// What a run has drawn.
#[derive(Default)]
struct Mesh {
    positions: Vec<[f32; 4]>,
    colors: Vec<[f32; 3]>,
    /// Those that are seen.
    triangles: Vec<[u32; 3]>,
    /// Of all.
    count: usize,
}

impl Mesh {
    fn take(&mut self, drawn: &Drawn<'_>) {
        let first = self.positions.len() as u32;
        for at in 0..drawn.vertices.count {
            let row = |register: usize| drawn.vertices.register(at, register as u8).unwrap_or_default();
            let [x, y, z, w] = row(output::CLIP).map(f32::from_bits);
            // The unit's depth is from -w to 0.
            self.positions.push([x, y, z + w, w]);
            let coordinate = |number: usize| {
                let [s, t, ..] = row(output::TEXCOORD + number).map(f32::from_bits);
                [s, t]
            };
            let channels = [row(output::COLOUR), row(output::COLOUR + 1)];
            self.colors.push(flipper_scene::shade(channels, coordinate(0), coordinate(1)));
        }
        let seen = drawn.triangles().filter(|triangle| !triangle.is_back && !triangle.is_rejected);
        self.triangles.extend(seen.map(|triangle| triangle.vertices.map(|vertex| first + vertex as u32)));
        self.count += drawn.triangles().len();
    }

    fn scene(&self) -> render::Scene<'_> {
        render::Scene { positions: &self.positions, colors: &self.colors, triangles: &self.triangles }
    }
}

/// Runs the stream once for what it draws, and then for the time.
fn measure(scene: &Scene, backend: &Arc<dyn Backend>) -> Result<(Tier, Mesh), Failure> {
    let options = Options::default().with(|options| options.backend = Arc::clone(backend));
    let engine = Arc::new(Engine::new(options));
    let mut unit = FlipperUnit::new(Arc::clone(&engine), Quirks::default(), FlipperQuirks::SPEC);
    unit.set_outputs(OUTPUTS);
    let (mut mesh, mut words, mut told) = (Mesh::default(), Vec::new(), false);
    let used = unit.run(&scene.stream, &scene.memory, Budget::NONE, |output| {
        if let Output::Drawn(drawn) = output {
            words.extend_from_slice(drawn.vertices.words);
            told |= drawn.disagreement.is_any();
            mesh.take(&drawn);
        }
    });
    if used != scene.stream.len() || told {
        return Err(Failure::Internal("the demo's command stream is damaged".to_owned()));
    }
    let (mut best, mut repeats, begin) = (Duration::MAX, 0, Instant::now());
    while repeats < REPEATS || begin.elapsed() < MEASURE {
        let start = Instant::now();
        unit.run(&scene.stream, &scene.memory, Budget::NONE, |_| ());
        best = best.min(start.elapsed());
        repeats += 1;
    }
    let mut cost = Cost::default();
    for own in engine.programs().iter().map(|program| program.stats().cost) {
        cost.code_bytes += own.code_bytes;
        cost.compile_time += own.compile_time;
    }
    let stats = unit.stats();
    let tier = Tier {
        model: Model::Ieee,
        name: title(backend.name()),
        words,
        differing: 0,
        best,
        ratio: 1.0,
        cost,
        deopt_groups: stats.deopt_groups / (repeats as u64 + 1),
        // A draw has groups of its own, by the lanes of its code.
        groups: 0,
    };
    Ok((tier, mesh))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_torus_is_in_view_lit_and_half_of_it_seen() {
        let (tier, mesh) = measure(&Scene::new(), &(Arc::new(Interp::Batched) as Arc<dyn Backend>)).unwrap();
        assert_eq!((mesh.positions.len(), mesh.count), (16_640, 16_384));
        assert_eq!(tier.words.len() % mesh.positions.len(), 0);
        for [x, y, z, w] in &mesh.positions {
            assert!(x.abs() < *w && y.abs() < *w && (0.0..*w).contains(z), "{x} {y} {z} {w}");
        }
        // Somewhat less than half of a torus faces who looks at it.
        let seen = mesh.triangles.len() * 100 / mesh.count;
        assert!((40..55).contains(&seen), "{seen}");
        // What is nearest is seen.
        let depth = |vertex: &usize| mesh.positions[*vertex][3];
        let nearest = (0..mesh.positions.len()).min_by(|a, b| depth(a).total_cmp(&depth(b))).unwrap();
        assert!(mesh.triangles.iter().flatten().any(|&vertex| depth(&(vertex as usize)) == depth(&nearest)));
        let brightness = |color: &[f32; 3]| color.iter().sum::<f32>();
        let bright = mesh.colors.iter().filter(|color| brightness(color) > 1.8).count();
        let dark = mesh.colors.iter().filter(|color| brightness(color) < 0.3).count();
        assert!(bright > 200 && dark > 200, "{bright} {dark}");
    }
}
