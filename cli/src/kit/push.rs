//! Push buffers: methods as the words that a graphics unit fetches.

/// A method of the 3D object, and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number.
    pub method: u32,
    /// The word that it is sent.
    pub value: u32,
}

/// The words of methods: before each value a header, which has the method in bits 2 to 12, the subchannel (0) in bits 13 to 15 and the count of
/// values (1) from bit 18 on.
pub fn words(calls: &[Call]) -> Vec<u32> {
    calls.iter().flat_map(|call| [1 << 18 | call.method, call.value]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_a_header() {
        let calls = [Call { method: 0x1e90, value: 5 }, Call { method: 0x100, value: 0 }];
        assert_eq!(words(&calls), [0x0004_1e90, 5, 0x0004_0100, 0]);
    }
}
