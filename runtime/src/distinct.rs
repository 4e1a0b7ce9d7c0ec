//! Each vertex of an index list once: draws of meshes and strips name most vertices several times.
//!
//! ```
//! use xfjit_runtime::distinct::Distinct;
//!
//! let mut distinct = Distinct::new();
//! distinct.find(&(&[7_u16, 5, 9, 0xffff, 9, 5, 2]).into(), Some(0xffff)).unwrap();
//! assert_eq!(distinct.vertices(), [7, 5, 9, 2]);
//! let of_restart = Distinct::RESTART;
//! assert_eq!(distinct.places(), [0, 1, 2, of_restart, 2, 1, 3]);
//! let mut outputs = ['-'; 7];
//! distinct.spread(&['a', 'b', 'c', 'd'], &mut outputs);
//! assert_eq!(outputs, ['a', 'b', 'c', '-', 'c', 'b', 'd']);
//! ```
//!
//! The batch that runs has the vertices in the order in which the list first names them ([`Distinct::inputs`]), as a list of 32 bits
//! whatever the width of the draw's list. It has one output for each distinct vertex. A renderer draws through the places, which are an
//! index list for the outputs, or spreads the outputs to the positions of the draw. The places of a list that stays the same can be kept.

use crate::batch::{Attribute, Inputs};
use crate::bound::Needs;
use crate::error::StreamError;
use crate::indices::{Indices, Numbering, Numbers};
use crate::outputs::Outputs;
use crate::registers::registers;

/// The vertices that an index list names, and their positions in the list. Memory is reused from list to list.
#[derive(Clone, Default, Debug)]
pub struct Distinct {
    vertices: Vec<u32>,
    places: Vec<u32>,
    base: i64,
    /// The place of each number between the least and the greatest.
    of_number: Vec<u32>,
    /// Numbers and positions, where the numbers lie too far apart for that.
    sorted: Vec<u64>,
}

impl Distinct {
    /// The value in [`Distinct::places`] for a restart index, which is not a vertex.
    pub const RESTART: u32 = u32::MAX;

    /// Creates one without a list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Examines a list, in time that is at most proportional to its length times its logarithm, whatever it contains. Numbers that are the
    /// restart index (before the base is added) are not vertices.
    ///
    /// # Errors
    /// A list of more than 2^32 - 1 numbers, or [`StreamError::OutOfMemory`].
    pub fn find(&mut self, indices: &Indices<'_>, restart: Option<u32>) -> Result<(), StreamError> {
        let (count, limit) = (indices.len(), Self::RESTART as usize);
        if count > limit {
            return Err(StreamError::TooManyVertices { count, limit });
        }
        self.base = indices.base();
        self.vertices.clear();
        self.places.clear();
        match indices.numbers() {
            Numbers::Halves(halves) => self.look_through(halves, restart),
            Numbers::Words(words) => self.look_through(words, restart),
        }
    }

    fn look_through<T: Copy + Into<u32>>(
        &mut self,
        list: &[T],
        restart: Option<u32>,
    ) -> Result<(), StreamError> {
        self.places.try_reserve(list.len())?;
        let numbers = || list.iter().map(|&number| number.into());
        let is_vertex = |number: &u32| Some(*number) != restart;
        let (least, most) = match restart {
            None => numbers().fold((u32::MAX, 0), |(least, most), n: u32| (least.min(n), most.max(n))),
            Some(_) => numbers()
                .filter(is_vertex)
                .fold((u32::MAX, 0), |(least, most), n| (least.min(n), most.max(n))),
        };
        if least > most {
            self.places.resize(list.len(), Self::RESTART);
            return Ok(());
        }
        // At most so many, of which few are mostly there: what is not used takes no page. Numbers of 32 bits may lack one for all of them.
        let range = ((most - least) as usize).saturating_add(1);
        self.vertices.try_reserve(range.min(list.len()))?;
        if range <= list.len().saturating_mul(4).saturating_add(1024) {
            self.of_number.clear();
            self.of_number.try_reserve(range)?;
            self.number_all(numbers(), restart, least, range);
        } else {
            self.sorted.clear();
            self.sorted.try_reserve(list.len())?;
            self.sort_all(numbers(), restart);
        }
        Ok(())
    }

    /// Through a table of all numbers in a range.
    fn number_all(
        &mut self,
        numbers: impl Iterator<Item = u32>,
        restart: Option<u32>,
        least: u32,
        range: usize,
    ) {
        self.of_number.resize(range, Self::RESTART);
        let (vertices, of_number) = (&mut self.vertices, &mut self.of_number);
        self.places.extend(numbers.map(|number| {
            if Some(number) == restart {
                return Self::RESTART;
            }
            let place = &mut of_number[(number - least) as usize];
            if *place == Self::RESTART {
                *place = vertices.len() as u32;
                vertices.push(number);
            }
            *place
        }));
    }

    /// By sorting, in no more memory than the list has.
    fn sort_all(&mut self, numbers: impl Iterator<Item = u32> + Clone, restart: Option<u32>) {
        let keys = (0..).zip(numbers.clone());
        self.sorted.extend(keys.map(|(position, number): (u64, u32)| u64::from(number) << 32 | position));
        self.sorted.sort_unstable();
        // First the position at which each number occurs first, then its place.
        self.places.resize(self.sorted.len(), Self::RESTART);
        let (mut number, mut first) = (None, 0);
        for &key in &self.sorted {
            let (of_key, position) = ((key >> 32) as u32, key as u32);
            if number != Some(of_key) {
                (number, first) = (Some(of_key), position);
            }
            if Some(of_key) != restart {
                self.places[position as usize] = first;
            }
        }
        for (position, number) in (0..).zip(numbers) {
            match self.places[position] {
                Self::RESTART => {}
                first if first as usize == position => {
                    self.places[position] = self.vertices.len() as u32;
                    self.vertices.push(number);
                }
                first => self.places[position] = self.places[first as usize],
            }
        }
    }

    /// The numbers in the list, in the order in which they first appear, without the base.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// For each number of the list, its position in [`Distinct::vertices`]: an index list of outputs.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// Turns a draw through the list into a batch of these vertices; it uses only the attributes of the draw. Code for it has the layout
    /// [`IndexLayout::shared`](crate::indices::IndexLayout::shared)`(`[`IndexWidth::Word`](crate::indices::IndexWidth::Word)`)`.
    ///
    /// # Errors
    /// A program that writes constants, since each vertex may see what those before it wrote; an attribute that the program reads and that
    /// may differ between positions with the same number.
    pub fn inputs<'a>(&'a self, draw: &Inputs<'a>, needs: &Needs) -> Result<Inputs<'a>, StreamError> {
        if needs.writes_constants {
            return Err(StreamError::OrderIsVisible);
        }
        for register in registers(needs.inputs) {
            let is_constant = matches!(draw.attributes[register], Attribute::Constant(_));
            match draw.own_numbering(register) {
                None | Some(Numbering::Instance(_)) => {}
                Some(_) if is_constant => {}
                Some(Numbering::Position | Numbering::List(_)) => {
                    return Err(StreamError::NotOfTheIndex { register });
                }
            }
        }
        Ok(draw.indexed(Indices::from(&self.vertices).with_base(self.base)))
    }

    /// Spreads outputs in place: the outputs of the distinct vertices, which are at the first positions, go to every one of the first
    /// `positions` positions that names the vertex. Rows of consecutive vertices must not overlap.
    ///
    /// # Panics
    /// If the outputs do not hold this many vertices, or the list has fewer.
    pub fn spread_outputs(&self, outputs: &Outputs<'_>, needs: &Needs, positions: usize) {
        for register in registers(needs.outputs) {
            let mask = if outputs.keeps() { needs.mask(register) } else { 15 };
            if let Some(output) = outputs.register(register) {
                output.spread(outputs.layout(), &self.places[..positions], mask);
            }
        }
    }

    /// Copies the item of each vertex to every position of the list that names it. Items at restart indices stay unchanged.
    ///
    /// # Panics
    /// If `from` is shorter than the vertices, or `to` than the list.
    pub fn spread<T: Copy>(&self, from: &[T], to: &mut [T]) {
        let from = &from[..self.vertices.len()];
        for (to, &place) in to[..self.places.len()].iter_mut().zip(&self.places) {
            if let Some(&vertex) = from.get(place as usize) {
                *to = vertex;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn check(list: &[u32], restart: Option<u32>, distinct: &mut Distinct) {
        distinct.find(&list.into(), restart).expect("it is short");
        let mut places = HashMap::new();
        let mut vertices = Vec::new();
        let want: Vec<u32> = list
            .iter()
            .map(|&number| match Some(number) == restart {
                true => Distinct::RESTART,
                false => *places.entry(number).or_insert_with(|| {
                    vertices.push(number);
                    vertices.len() as u32 - 1
                }),
            })
            .collect();
        assert_eq!((distinct.vertices(), distinct.places()), (&vertices[..], &want[..]), "{list:?}");
    }

    /// Numbers near to each other, which have a table, and far apart, which are sorted.
    #[test]
    fn every_vertex_is_there_once_in_the_order_of_the_list() {
        let mut distinct = Distinct::new();
        let mut state = 1_u32;
        for round in 0..300 {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 8
            };
            let count = next() as usize % 200;
            let spread = [1, 40, 5_000, 1 << 24][round % 4];
            let far = [0, 3_000_000_000][round / 4 % 2];
            let mut list: Vec<u32> = (0..count).map(|_| far + next() % spread).collect();
            if count > 3 && round % 3 == 0 {
                (list[1], list[3]) = (u32::MAX, 0);
            }
            for restart in [None, Some(u32::MAX), list.first().copied()] {
                check(&list, restart, &mut distinct);
            }
        }
        check(&[7; 4], Some(7), &mut distinct);
        check(&[], None, &mut distinct);
    }
}
