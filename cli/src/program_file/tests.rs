use super::*;
use proptest::prelude::*;

const HOW: Raw = Raw { order: None, generation: Generation::Kelvin };

fn read(text: &str) -> Result<ProgramFile, Flaw> {
    recognise("f", text.as_bytes(), HOW)
}

fn words(text: &str) -> Microcode {
    match read(text) {
        Ok(ProgramFile::Words(words)) => words,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn the_content_tells_what_a_file_is() {
    let slot = [0, 0x00ec_001b, 0x0836_186c, 0x2070_0801];
    let expected = Microcode { words: vec![slot], ..Microcode::default() };
    for text in [
        "# one\n00000000 0x00ec001b, 0836186c 20700801 ; end\n",
        "\u{feff}00000000 0x00ec001b\n\n0836186c, 20700801,\n",
        "00000000\n00ec001b\n0836186c\n20700801",
        "d0,d1,d2,d3\n00000000,00ec001b,0836186c,20700801\n",
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
    let bytes: Vec<u8> = slot.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(recognise("f", &bytes, HOW), Ok(ProgramFile::Words(Microcode { is_raw: true, ..expected })));
    assert!(matches!(read(".start 1\nMOV oPos, v0\n"), Ok(ProgramFile::Assembler(_))));
    let latin1 = recognise("f", b"; caf\xe9\nMOV oPos, v0\n", HOW);
    assert_eq!(latin1, Ok(ProgramFile::Assembler("; caf\u{e9}\nMOV oPos, v0\n".to_string())));
    let text = "; comment\nMOV oPos, v0\n";
    assert_eq!(read(text), Ok(ProgramFile::Assembler(text.to_string())));
}

#[test]
fn every_form_that_can_holds_the_start() {
    let program = xfjit::asm::parse(Generation::Kelvin, ".start 2\nMOV oPos, v0").unwrap();
    let microcode = Microcode::of(Generation::Kelvin, isa::Reading::default(), &program);
    assert_eq!((microcode.words.len(), microcode.first, microcode.start), (3, 2, Some(2)));
    for format in [Format::Text, Format::Json] {
        assert_eq!(words(&write(&microcode, format).unwrap()), microcode);
    }
    for refused in [write(&microcode, Format::Csv).err(), write_raw(&microcode, ByteOrder::Little).err()] {
        let Some(Failure::Usage(message)) = refused else { panic!("{refused:?}") };
        assert!(message.contains(".start 2"), "{message}");
    }
    let listed = r#"{"start":3,"slots":[{"slot":3,"words":["00000000","0020001b","0836106c","2070f801"]}]}"#;
    assert_eq!((words(listed).first, words(listed).start), (3, Some(3)));
}

#[test]
fn errors_name_the_slot() {
    for (text, expected) in [
        ("", "holds no program"),
        ("; nothing\n", "holds no program"),
        (
            "00000000 00000000 00000000 00000000\n00000000 zebra\n",
            "line 2, column 10: slot 1: `zebra` is not a hexadecimal word",
        ),
        ("00000000 00000000 00000000\n", "line 1: slot 0 has 3 words, but a slot has 4"),
        (&"00000000 00000000 00000000\n".repeat(4), "line 1: slot 0 has 3 words, but a slot has 4"),
        ("00000000 00000000\n00000000\n", "line 2: slot 0 has 3 words, but a slot has 4"),
        ("00000000 00000000\n", "line 1: slot 0 has 2 words, but a slot has 4"),
        ("00000000,,00000000,00000000\n", "line 1, column 10: slot 0: `` is not a hexadecimal word"),
        (
            ".start 9\n.first 1\n00000000 00000000 00000000 00000000",
            "starts in slot 9, but holds slots 1 to 1",
        ),
        (".start x\n00000000 00000000 00000000 00000000", "line 1, column 8: `x` is not a slot below 544"),
        ("00000000 123456789\n", "line 1, column 10: slot 0: `123456789` is not a hexadecimal word"),
        (&"00000000 ".repeat(4 * 545), "line 1: slot 544 exceeds the limit of every chip"),
        (&"\0".repeat(16 * 545), "holds 545 slots, which exceeds the limit of every chip"),
        ("\0\0\0", "slot 0 has 3 bytes, but a slot has 16"),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), expected);
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = recognise("f", &bytes, HOW);
    }

    #[test]
    fn arbitrary_words_never_panic(text in "([0-9a-f]{7,9}[ ,\n;]){0,20}") {
        let _ = read(&text);
    }
}
