//! `docs/XF.md` is what it says: its traces parse and play, its bits of XFMODE are those of the code.

use crate::{ONE, Seen, THREE, TWO, seen, unit};
use xfjit::chip::Pipeline;
use xfjit::chip::mode::Name;
use xfjit::xf::Trace;
use xfjit::xf::trace::Reply;

const DOCUMENT: &str = include_str!("../../docs/XF.md");

/// The blocks of a text between "```text" and "```".
fn blocks(text: &str) -> Vec<&str> {
    let parts = text.split("```text\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap_or(part)).collect()
}

fn traces(text: &str) -> Vec<Trace> {
    let named = |block: &&&str| block.lines().any(|line| line.starts_with("chip "));
    let blocks = blocks(text);
    let traces = blocks.iter().filter(named);
    traces
        .map(|text| Trace::parse(text).unwrap_or_else(|errors| panic!("{}", errors[0].render(text))))
        .collect()
}

/// What comes out of a trace, and what its reads answer.
fn play(trace: &Trace) -> (Vec<Seen>, Vec<u32>) {
    let mut unit = unit(trace.chip);
    let mut answers = Vec::new();
    for item in &trace.items {
        match unit.play(item) {
            Reply::None => {}
            Reply::Read(Ok(word)) | Reply::Rdi(Ok(word)) => answers.push(word),
            reply => panic!("{item}: {reply:?}"),
        }
    }
    (seen(&mut unit), answers)
}

#[test]
fn the_traces_of_the_document_do_what_their_comments_say() {
    let traces = traces(DOCUMENT);
    assert_eq!(traces.len(), 2);
    let half = 0x3f00_0000;
    let (rows, answers) = play(&traces[0]);
    // (1, 1, 0, 1) + (1, 2, 3, 0), then + (2, 0, 0, 0).
    let vertex = |x, y, z| [Seen::Row([x, y, z, ONE]), Seen::Row([half, 0, 0, ONE])];
    assert_eq!(rows, [vertex(TWO, THREE, THREE), vertex(THREE, ONE, 0)].concat());
    assert_eq!(answers, [ONE]);
    assert_eq!(play(&traces[1]), (vec![], vec![ONE]));
}

#[test]
fn the_trace_of_the_module_parses() {
    let module = include_str!("../../src/xf/trace.rs");
    let text: String = module
        .lines()
        .filter_map(|line| line.strip_prefix("//! "))
        .fold(String::new(), |text, line| text + line + "\n");
    assert_eq!(traces(&text)[0].items.len(), 12);
}

/// The fields of a word as the document lists them: the bits, the name, the bits, the name.
fn listed(pipeline: Pipeline, word: &str) -> String {
    let of_word = |index: usize| pipeline.word_names()[index] == word;
    let fields = pipeline.fields().into_iter().filter(|(_, place)| of_word(place.word));
    let texts = fields.map(|(name, place)| match place.width {
        1 => format!("{} {name}", place.low),
        width => format!("{}-{} {name}", place.low, place.low + width - 1),
    });
    texts.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_document_lists_the_bits_of_every_mode() {
    let section = DOCUMENT.split("## Bits of XFMODE\n").nth(1).expect("there is one");
    let table = blocks(section)[0];
    let mut lines = Vec::new();
    for (name, pipeline) in [Pipeline::NV15, Pipeline::Kelvin, Pipeline::Rankine]
        .map(|pipeline| (pipeline.family().name(), pipeline))
    {
        for word in
            pipeline.word_names().iter().rev().filter(|word| !word.starts_with("T[") || **word == "T[0]")
        {
            lines.push(format!("{name} {word}: {}", listed(pipeline, word)));
        }
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(table), lines.join(" "), "it should be:\n{}", lines.join("\n"));
    // And the other words T are as the document says: units 2 n and 2 n + 1 in the places of 0 and 1.
    for pipeline in [Pipeline::Kelvin, Pipeline::Rankine, Pipeline::Curie] {
        for (name, place) in pipeline.fields() {
            if pipeline == Pipeline::Curie {
                assert_eq!(Pipeline::Rankine.place(name), Some(place), "{name}");
            }
            let (first, unit) = match name {
                Name::TexEnable(unit) => (Name::TexEnable(unit % 2), unit),
                Name::TexMatrix(unit) => (Name::TexMatrix(unit % 2), unit),
                Name::TexR(unit) => (Name::TexR(unit % 2), unit),
                Name::TexGen(unit, component) => (Name::TexGen(unit % 2, component), unit),
                _ => continue,
            };
            let first = pipeline.place(first).expect("it has two units");
            assert_eq!((place.low, place.width), (first.low, first.width), "{name}");
            assert_eq!(pipeline.word_names()[place.word], format!("T[{}]", unit / 2), "{name}");
        }
    }
}
