//! Where instructions come from: the slot of microcode, or the part of a configuration, that they were made for.
//!
//! Every instruction of a function has an [`Origin`], kept beside the function and without influence on what it computes. Front
//! ends set it, passes carry it along, legalisation adds the primitive that a recipe stands for. Of values that become one
//! the first keeps its own.

use super::ops::Op;
use super::value::Value;
use std::fmt;

macro_rules! define_topics { ($($name:ident $text:literal $doc:literal)*) => {
    /// What a part of a configuration computes.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
    #[repr(u8)]
    pub enum Topic { $(#[doc = $doc] $name),* }

    impl Topic {
        /// All of them.
        pub const ALL: &[Topic] = &[$(Topic::$name),*];

        /// Its name.
        pub const fn text(self) -> &'static str {
            match self { $(Topic::$name => $text),* }
        }

        /// Whether there are several, told apart by number.
        const fn is_numbered(self) -> bool {
            matches!(self, Topic::Texture | Topic::ClipPlane | Topic::Light | Topic::Channel)
        }
    }
} }
define_topics! {
    Position  "position"           "The position, in all spaces."
    Normal    "normal"             "The normal, and tangents."
    Eye       "eye"                "The vector from the eye."
    Texture   "texture coordinate" "A texture coordinate."
    ClipPlane "clip plane"         "The distance from a clip plane."
    ClipMask  "clip mask"          "On which sides of the view volume a vertex is."
    Fog       "fog"                "The fog coordinate."
    Viewport  "viewport"           "The viewport, behind a program."
    PointSize "point size"         "The point size."
    Light     "light"              "A light, for all colours."
    Colours   "colours"            "Materials, and sums of what lights give."
    Channel   "channel"            "A channel of colour."
    Bypass    "bypass"             "What is passed on."
}

/// A place in what was compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Place {
    /// A slot of microcode.
    Slot(u16),
    /// A part of a configuration, and which of them.
    Part(Topic, u8),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Slot(slot) => write!(f, "slot {slot}"),
            Place::Part(topic, number) if topic.is_numbered() => write!(f, "{} {number}", topic.text()),
            Place::Part(topic, _) => f.write_str(topic.text()),
        }
    }
}

/// Where an instruction comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin {
    /// A slot, or [`PART`], the number of the topic, and the number of the part; or [`NOWHERE`].
    place: u16,
    primitive: Option<Op>,
}

const PART: u16 = 0x8000;
const NOWHERE: u16 = u16::MAX;

impl Origin {
    /// Of what belongs to no place: what a program begins with, and what binds its blocks together.
    pub const NONE: Origin = Origin { place: NOWHERE, primitive: None };

    /// Of a slot.
    pub fn slot(slot: usize) -> Self {
        Origin { place: (slot as u16).min(PART - 1), primitive: None }
    }

    /// Of a part of a configuration.
    pub fn part(topic: Topic, number: usize) -> Self {
        Origin { place: PART | (topic as u16) << 8 | number as u16 & 0xff, primitive: None }
    }

    /// This origin, as part of what a primitive of the chip (or another operation of the XF level) expands to.
    #[must_use]
    pub fn of(self, primitive: Op) -> Self {
        Origin { primitive: Some(primitive), ..self }
    }

    /// The place.
    pub fn place(self) -> Option<Place> {
        match self.place {
            NOWHERE => None,
            place if place < PART => Some(Place::Slot(place)),
            place => {
                let topic = *Topic::ALL.get(usize::from(place >> 8 & 0x7f))?;
                Some(Place::Part(topic, place as u8))
            }
        }
    }

    /// The operation of the XF level that it was made for; only at the host level.
    pub fn primitive(self) -> Option<Op> {
        self.primitive
    }
}

/// `slot 5 rsq`, `light 2`, or nothing.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place().map(|place| place.to_string());
        let words = [place.as_deref(), self.primitive.map(Op::text)];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        f.pad(&words.join(" "))
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Origin({self})")
    }
}

/// The origin of each instruction of a function. Functions that differ in nothing else are equal.
#[derive(Clone, Default, Debug)]
pub struct Origins(Vec<Origin>);

impl Origins {
    /// Of the next instruction.
    #[inline]
    pub fn push(&mut self, origin: Origin) {
        self.0.push(origin);
    }

    /// Of an instruction; of one that somebody has put there without, none.
    #[inline]
    pub fn get(&self, value: Value) -> Origin {
        self.0.get(value.index()).copied().unwrap_or(Origin::NONE)
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Origin>()
    }
}

impl PartialEq for Origins {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origins {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_keep_their_places() {
        assert_eq!(Origin::NONE.place(), None);
        for slot in [0, 5, 543] {
            assert_eq!(Origin::slot(slot).place(), Some(Place::Slot(slot as u16)));
        }
        for &topic in Topic::ALL {
            for number in [0, 7, 255] {
                let origin = Origin::part(topic, number).of(Op::Rsq);
                assert_eq!(origin.place(), Some(Place::Part(topic, number as u8)));
                assert_eq!(origin.primitive(), Some(Op::Rsq));
            }
        }
        assert_eq!(size_of::<Origin>(), 4);
    }

    #[test]
    fn origins_have_a_text() {
        assert_eq!(Origin::slot(12).of(Op::Rsq).to_string(), "slot 12 rsq");
        assert_eq!(Origin::part(Topic::Light, 3).to_string(), "light 3");
        assert_eq!(Origin::part(Topic::Fog, 0).to_string(), "fog");
        assert_eq!(Origin::NONE.to_string(), "");
    }
}
