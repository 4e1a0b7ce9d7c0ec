//! Which units of the work a machine does.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;

/// Part `part` of `of` parts of the work: the units whose number divided by `of` leaves `part - 1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shard {
    /// Parts that there are.
    of: u32,
    /// From 1.
    part: u32,
}

impl Default for Shard {
    fn default() -> Self {
        Shard::WHOLE
    }
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Shard = Shard { of: 1, part: 1 };
    /// Parts at most.
    const MOST: u32 = 65_536;

    /// `2/3`.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| !text.starts_with('+'));
        let parts = text.split_once('/').and_then(|(part, of)| Some((number(part)?, number(of)?)));
        match parts {
            Some((part, of)) if (1..=of).contains(&part) && of <= Self::MOST => Ok(Shard { of, part }),
            _ => Err(format!("a part is I/N, such as 2/3, with I from 1 to N and N up to {}", Self::MOST)),
        }
    }

    /// Parts that there are.
    pub fn parts(self) -> u64 {
        self.of.into()
    }

    /// The number of this part's unit `index`, both from 0. None if there is no such number.
    pub fn unit(self, index: u64) -> Option<u64> {
        index.checked_mul(self.of.into())?.checked_add(u64::from(self.part - 1))
    }

    /// How many of the first `total` units of all the work are in this part.
    pub fn share(self, total: u64) -> u64 {
        total.saturating_sub(u64::from(self.part - 1)).div_ceil(self.of.into())
    }

    /// Which of this part's units has a number; both count from 0. None if the unit is of another part.
    pub fn index(self, unit: u64) -> Option<u64> {
        let behind = unit.checked_sub(u64::from(self.part - 1))?;
        behind.is_multiple_of(self.of.into()).then(|| behind / u64::from(self.of))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Shard::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn units(shard: Shard, count: u64) -> BTreeSet<u64> {
        (0..count).filter_map(|index| shard.unit(index)).collect()
    }

    #[test]
    fn parts_share_the_work() {
        for of in 1..6 {
            let shards = (1..=of).map(|part| Shard { of, part });
            for total in 0..20 {
                let all: Vec<u64> =
                    shards.clone().flat_map(|shard| units(shard, shard.share(total))).collect();
                assert_eq!(all.len() as u64, total, "no unit is in two parts");
                assert_eq!(BTreeSet::from_iter(all), (0..total).collect());
                for unit in 0..total {
                    let finds =
                        |shard: &Shard| shard.index(unit).and_then(|index| shard.unit(index)) == Some(unit);
                    assert_eq!(shards.clone().filter(finds).count(), 1);
                }
            }
        }
    }

    #[test]
    fn what_is_no_part_is_refused() {
        assert_eq!(Shard::parse("2/3").map(|shard| shard.to_string()), Ok("2/3".to_owned()));
        for text in ["", "1", "0/3", "4/3", "1/0", "-1/3", "+1/3", "1/65537", "1/3/5", "a/b", "1/ 3"] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
        assert_eq!(Shard { of: 3, part: 3 }.unit(u64::MAX / 3), None);
    }
}
