//! The figures of readings, line by line: what `tests/readings` and `tests/mutants` ask of them.

use xfjit::Generation;
use xfjit::runtime::state::Row;

/// The text of a packed file.
pub(crate) fn unpacked(mut packed: &[u8]) -> String {
    let mut text = Vec::new();
    lzma_rs::xz_decompress(&mut packed, &mut text).expect("the file is whole");
    String::from_utf8(text).expect("the file is text")
}

/// The two sides of a case.
pub(crate) fn case(line: &str) -> (&str, &str) {
    line.split_once(" | ").expect("a case has two sides")
}

/// Hexadecimal words.
pub(crate) fn words<const N: usize>(text: &str) -> [u32; N] {
    let words = text.split(' ').map(|word| u32::from_str_radix(word, 16).expect("a word"));
    words.collect::<Vec<_>>().try_into().expect("as many words as a case has")
}

/// The slots of a case of `slots.py`.
pub(crate) fn slots(text: &str) -> Vec<[u32; 4]> {
    text.split('/').map(words).collect()
}

fn row(numbers: [i32; 4]) -> Row {
    numbers.map(|number| (number as f32).to_bits())
}

/// v[number], as `slots.py` has it.
pub(crate) fn input(number: usize) -> Row {
    let number = number as i32;
    row([number + 1, 2 - number, 10 + number, number % 3 - 1])
}

/// The constants before a program of `slots.py`.
pub(crate) fn constants() -> Vec<Row> {
    let constant = |number: i32| row([number % 7 - 3, number % 5, 20 - number % 11, number % 4 - 1]);
    (0..Generation::Kelvin.constants() as i32).map(constant).collect()
}

/// What a program of `slots.py` leaves: the outputs that the reading names, and all constants.
pub(crate) struct Left {
    /// A component that nothing wrote is not known.
    pub(crate) outputs: Vec<(usize, [Option<u32>; 4])>,
    pub(crate) constants: Vec<Row>,
}

/// What a reading says. Constants that it does not name are as they were.
pub(crate) fn left(reading: &str) -> Left {
    let number = |text: &str| (text != "?").then(|| text.parse::<f32>().expect("a whole number").to_bits());
    let (mut outputs, mut constants) = (Vec::new(), constants());
    for part in reading.split(' ') {
        let (name, numbers) = part.split_once('=').expect("a register and its numbers");
        let numbers: Vec<Option<u32>> = numbers.split(',').map(number).collect();
        let numbers: [Option<u32>; 4] = numbers.try_into().expect("four components");
        let at: usize = name[1..].parse().expect("a number of a register");
        if name.starts_with('o') {
            outputs.push((at, numbers));
        } else {
            constants[at] = numbers.map(|number| number.expect("constants are known whole"));
        }
    }
    Left { outputs, constants }
}
