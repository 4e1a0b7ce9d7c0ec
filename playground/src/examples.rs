//! Programs to begin with, all of the project's own.

use serde_json::{Value, json};

/// Name, generation, and text.
const ALL: [(&str, &str, &str); 8] = [
    ("Three lights and bands of colour", "kelvin", include_str!("../../cli/assets/lit.vsh")),
    ("Normals as colours", "kelvin", include_str!("../programs/normals.vsh")),
    ("The last bits of a product", "kelvin", include_str!("../programs/last_bits.vsh")),
    ("One light, in OpenGL's language", "kelvin", include_str!("../programs/light.vp")),
    ("A picture of EXP and LOG", "kelvin", include_str!("../programs/tables.vsh")),
    ("A twist by SIN and COS", "rankine", include_str!("../programs/twist.vsh")),
    ("A loop over waves", "curie", include_str!("../programs/waves.vsh")),
    ("Words from program memory", "kelvin", include_str!("../programs/words.hex")),
];

/// All of them, as the page has them.
pub fn all() -> Value {
    ALL.iter()
        .map(|(name, generation, text)| json!({ "name": name, "generation": generation, "text": text }))
        .collect()
}
