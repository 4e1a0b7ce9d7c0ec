//! Versions of the matrix of position and normal, as draws that wait have it, and what these look at beside it.

use std::ops::Range;
use xfjit_core::front::flipper::Setup;
use xfjit_isa::chip::flipper::transform::{Generator, Vertices};
use xfjit_isa::chip::flipper::{input, registers as xf, rows};
use xfjit_runtime::state::Row;

/// Rows of a matrix of positions, and of one of normals.
const MATRIX: usize = 3;

/// Registers that are normals.
pub(super) const NORMALS: u16 = 1 << input::NORMAL | 1 << input::TANGENT | 1 << input::BINORMAL;

/// The matrix of position and normal as some draws in a row have it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Version {
    position: [Row; MATRIX],
    normal: [Row; MATRIX],
    /// Its draws' vertices end here.
    end: usize,
}

/// What draws look at of the memories that may be loaded meanwhile.
#[derive(Clone, Copy, Default, Debug)]
struct Looks {
    /// The first row of the matrix of position and normal, as the last draw has it.
    first: usize,
    /// Its rows, and those of the normal's; none if nothing is made of normals.
    position: u64,
    normal: u32,
    /// Rows of texture coordinates' matrices.
    coordinates: u64,
    /// Whether vertices have indices of their own: then any row may be looked at.
    own: bool,
    /// Versions for which there is a place, and the first rows of their places.
    places: usize,
    free: [u8; rows::POSITION_MATRICES.end / MATRIX],
}

/// The versions of draws that wait.
#[derive(Clone, Default, Debug)]
pub(super) struct Versions {
    list: Vec<Version>,
    /// Whether the matrix, or its index, has been loaded since the last version was taken.
    is_stale: bool,
    looks: Looks,
}

/// The places of a matrix, of so many rows, from a row on.
fn places(first: usize, rows: usize) -> [usize; MATRIX] {
    std::array::from_fn(|row| (first + row) % rows)
}

fn mask(places: [usize; MATRIX]) -> u64 {
    places.into_iter().fold(0, |mask, row| mask | 1 << row)
}

/// Parts, of so many words each, of a range of memory that some words are in.
fn touched(words: &Range<u16>, range: Range<u16>, each: u16) -> u64 {
    let parts = (words.start - range.start) / each..(words.end - range.start).div_ceil(each);
    parts.fold(0, |mask, part| mask | 1 << part)
}

impl Looks {
    fn new(setup: &Setup, vertices: Vertices, live: u16, rows: &[Row]) -> Looks {
        let index = |number: usize| rows[rows::INDICES + number / 4][number % 4] as usize;
        let transform = &setup.transform;
        let coordinates = (0..transform.texgen_count())
            .filter(|&number| transform.texgen(number).generator == Generator::Regular)
            .fold(0, |all, number| all | mask(places(index(1 + number), rows::POSITION_MATRICES.len())));
        let own = vertices.matrices != 0;
        let mut looks = Looks { coordinates, own, ..Looks::default() };
        looks.turn(index(0), live & NORMALS != 0);
        looks.find_places();
        looks
    }

    /// Looks at another matrix of position, and of normal if that is looked at.
    fn turn(&mut self, first: usize, has_normals: bool) {
        self.first = first;
        self.position = mask(places(first, rows::POSITION_MATRICES.len()));
        self.normal = if has_normals { mask(places(first, rows::NORMAL_MATRICES.len())) as u32 } else { 0 };
    }

    /// Finds the first rows at which versions can lie, since nothing else there is looked at.
    fn find_places(&mut self) {
        // The normal's rows wrap sooner.
        let rows = if self.normal != 0 { rows::NORMAL_MATRICES.len() } else { rows::POSITION_MATRICES.len() };
        for first in (0..rows / MATRIX).map(|number| MATRIX * number) {
            if self.coordinates & (((1 << MATRIX) - 1) << first) == 0 {
                self.free[self.places] = first as u8;
                self.places += 1;
            }
        }
    }
}

impl Version {
    fn new(looks: &Looks, rows: &[Row], end: usize) -> Version {
        let mut version = Version { position: [[0; 4]; MATRIX], normal: [[0; 4]; MATRIX], end };
        let [position, normal] = Version::rows(looks.first);
        version.position = position.map(|row| rows[row]);
        if looks.normal != 0 {
            version.normal = normal.map(|row| rows[row]);
        }
        version
    }

    /// The rows of constants of a matrix of position and normal.
    fn rows(first: usize) -> [[usize; MATRIX]; 2] {
        [rows::POSITION_MATRICES, rows::NORMAL_MATRICES]
            .map(|range| places(first, range.len()).map(|row| range.start + row))
    }

    fn is_same(&self, other: &Version) -> bool {
        self.position == other.position && self.normal == other.normal
    }

    /// Exchanges it with what is at a place. Twice, all is as before.
    fn exchange(&mut self, first: usize, looks: &Looks, rows: &mut [Row]) {
        let [position, normal] = Version::rows(first);
        for (own, row) in self.position.iter_mut().zip(position) {
            std::mem::swap(own, &mut rows[row]);
        }
        if looks.normal != 0 {
            for (own, row) in self.normal.iter_mut().zip(normal) {
                std::mem::swap(own, &mut rows[row]);
            }
        }
    }
}

impl Versions {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.is_stale = false;
    }

    /// Begins with draws of a configuration. `live` are the inputs that are looked at.
    pub(super) fn begin(&mut self, setup: &Setup, vertices: Vertices, live: u16, rows: &[Row]) {
        self.clear();
        self.looks = Looks::new(setup, vertices, live, rows);
    }

    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether there is a place for that of a further draw.
    pub(super) fn has_room(&self) -> bool {
        !self.is_stale || self.list.len() < self.looks.places
    }

    /// Takes the version of a draw whose vertices end at a place among those that wait.
    pub(super) fn take(&mut self, rows: &[Row], end: usize) {
        if self.is_stale || self.list.is_empty() {
            let version = Version::new(&self.looks, rows, end);
            if !self.list.last().is_some_and(|last| last.is_same(&version)) {
                self.list.push(version);
            }
            self.is_stale = false;
        }
        if let Some(version) = self.list.last_mut() {
            version.end = end;
        }
    }

    /// Whether a load is of no account to what waits, or of versions alone: what words from an address on were, and will be.
    pub(super) fn admits(&mut self, address: u16, before: &[u32], after: &[u32]) -> bool {
        match (address, before, after) {
            (xf::MATRIX_INDEX_A, &[before], &[after]) => self.admits_index(before, after),
            _ => self.admits_words(&(address..address + after.len() as u16)),
        }
    }

    /// Whether a load of the first register of indices changes the matrix of position and normal alone. No version may then lie where a
    /// coordinate's matrix does.
    fn admits_index(&mut self, before: u32, after: u32) -> bool {
        let Looks { position, normal, coordinates, own, .. } = self.looks;
        let mut others =
            xf::MATRIX_INDICES[1..].iter().filter(|(register, _)| *register == xf::MATRIX_INDEX_A);
        if own || position & coordinates != 0 || others.any(|(_, field)| field.of(before) != field.of(after))
        {
            return false;
        }
        let mut looks = self.looks;
        looks.turn(xf::POSITION_INDEX.of(after) as usize, normal != 0);
        if looks.position & coordinates != 0 {
            return false;
        }
        self.is_stale |= looks.first != self.looks.first;
        self.looks = looks;
        true
    }

    fn admits_words(&mut self, words: &Range<u16>) -> bool {
        let Looks { position, normal, coordinates, own, .. } = self.looks;
        let (is_seen, is_version) = if words.end <= xf::POSITION_MATRICES.end {
            let rows = touched(words, xf::POSITION_MATRICES, 4);
            (rows & coordinates != 0, rows & position != 0)
        } else if words.start >= xf::NORMAL_MATRICES.start && words.end <= xf::NORMAL_MATRICES.end {
            let rows = touched(words, xf::NORMAL_MATRICES, 3);
            (false, rows & u64::from(normal) != 0)
        } else {
            return false;
        };
        let admits = !is_seen && !own;
        self.is_stale |= admits && is_version;
        admits
    }

    /// Writes which place each vertex's version goes to.
    pub(super) fn write_places(&self, indices: &mut [Row]) {
        let mut start = 0;
        for (Version { end, .. }, first) in self.list.iter().zip(self.looks.free) {
            indices[start..*end].fill([first.into(), 0, 0, 0]);
            start = *end;
        }
    }

    /// Does something while each version is at its place.
    pub(super) fn at_places(&mut self, rows: &mut [Row], run: impl FnOnce(&mut [Row])) {
        let Versions { list, looks, .. } = self;
        let mut exchange = |rows: &mut [Row]| {
            let places = looks.free[..looks.places].iter();
            list.iter_mut()
                .zip(places)
                .for_each(|(version, &first)| version.exchange(first.into(), looks, rows));
        };
        exchange(rows);
        run(rows);
        exchange(rows);
    }

    /// Does something for the vertices of each version while that is where the matrix is.
    pub(super) fn one_by_one(&mut self, rows: &mut [Row], mut run: impl FnMut(&mut [Row], Range<usize>)) {
        let is_there = self.list.len() == 1 && !self.is_stale;
        let mut start = 0;
        for version in &mut self.list {
            let part = start..version.end;
            start = version.end;
            if is_there {
                run(rows, part);
                continue;
            }
            version.exchange(self.looks.first, &self.looks, rows);
            run(rows, part);
            version.exchange(self.looks.first, &self.looks, rows);
        }
    }
}
