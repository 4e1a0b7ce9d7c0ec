//! Faults that nothing finds, and why nothing can.

/// A mutant by its text, and why its code does what it should.
pub(crate) const ALL: &[(&str, &str)] = &[
    ("Kandw: the last two registers change places", "a conjunction commutes"),
    ("Korw: the last two registers change places", "a disjunction commutes"),
    (
        "Korw: it is Kxorw",
        "of the masks that recipes join one is true at most: a magnitude below a range, and one above it",
    ),
    ("Vpmuldq: the last two registers change places", "a product commutes"),
    ("Vextracti128: it is Vextractf128", "both move the same bits, and nothing computes with them"),
];

/// Why nothing finds a mutant.
pub(crate) fn of(mutant: &str) -> Option<&'static str> {
    ALL.iter().find(|(text, _)| *text == mutant).map(|(_, reason)| *reason)
}
