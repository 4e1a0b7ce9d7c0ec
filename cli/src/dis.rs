//! `xfjit dis`

use crate::args::{Dis, Format, Global};
use crate::backends::Translation;
use crate::capture::{self, Known};
use crate::configuration::Configuration;
use crate::conflicts::Kind;
use crate::fail::{Failure, note};
use crate::flipper::Registers;
use crate::program_file::{self, Raw};
use crate::sort::{self, Wanted};
use crate::table::{self, Table};
use crate::text::{Flaw, clip};
use crate::{files, load};
use std::io::Write;
use std::path::Path;
use xfjit::Model;
use xfjit::asm;
use xfjit::asm::gl::Notation;
use xfjit::capture::Recorded;
use xfjit::isa::{Generation, Program, ProgramMode, Reading, convert, native as native_words};

/// Disassembles microcode; as text the result is what `asm` takes.
pub fn run(args: &Dis, global: &Global) -> Result<(), Failure> {
    if let Some(file) = &args.flipper {
        return flipper(&Registers::read(file)?, global);
    }
    let Some(file) = &args.file else { return mode(&args.fixed, global) };
    let name = files::name(file);
    let Input { mut generation, mut words, start, reading, known } = Input::read(args, file, global)?;
    let known = known.as_ref();
    if args.r#as == Some(Translation::Native) {
        return native(args, (&name, generation, reading), (&words, start), known, global);
    }
    if let Some(Translation::Words(other)) = args.r#as {
        if (generation, other) != (Generation::Kelvin, Generation::Rankine) {
            let (from, to) = (generation.name(), other.name());
            let message = format!("{to} does not translate {from}'s words; rankine translates kelvin's");
            return Err(Failure::Usage(message));
        }
        // The program has to be one of Kelvin first.
        load::decode(&name, &words, generation, start)?;
        generation = other;
        words.iter_mut().for_each(|slot| *slot = convert::kelvin_slot_to_rankine(*slot));
    }
    let mut reading = reading;
    if args.r#as.is_some() {
        if args.options.iter().any(|option| option.starts_with("mode=")) {
            let message =
                "--option mode has no effect with --as, which makes words of Kelvin's class (mode v1)";
            return Err(Failure::Usage(message.to_owned()));
        }
        reading.mode = ProgramMode::V1;
    }
    let program = load::decode_as(&name, &words, generation, reading, start)?;
    if let Some(notation) = args.dialect {
        return say(&name, generation, (&program, notation), known, global);
    }
    if args.glsl {
        let shader = asm::glsl::glsl(generation, reading, &program).shader();
        return text(&headed(&shader, "//", known), "--glsl", global);
    }
    let behind = words.len().saturating_sub(program.first + program.insns.len());
    if behind > 0 {
        let are = if behind == 1 { "is" } else { "are" };
        let slots = table::count(behind, "slot");
        note(format_args!("{name}: {slots} after the end of the program {are} left out"));
    }
    let slots = words.iter().skip(program.first).zip(&program.insns).enumerate();
    let slots = slots.map(|(i, (words, insn))| {
        let words = words.map(|word| format!("{word:08x}"));
        (program.first + i, words, asm::print_insn(generation, insn))
    });
    let mut out = files::stdout();
    head(known, global.format, &mut out)?;
    match global.format {
        Format::Text if !args.words => {
            out.write_all(asm::print_as(generation, reading, &program).as_bytes())?
        }
        Format::Text => {
            // The words are a comment, so that this too can be assembled.
            let asm::Listing { before, slots: texts, after } = asm::listing_as(generation, reading, &program);
            let width = texts.iter().map(|slot| slot.text.chars().count()).max().unwrap_or(0).min(60);
            for line in before {
                writeln!(out, "{line}")?;
            }
            for ((slot, words, _), asm::SlotText { label, text }) in slots.zip(texts) {
                if let Some(label) = label {
                    writeln!(out, "{label}:")?;
                }
                writeln!(out, "{text:width$}  ; {slot:3}: {}", words.join(" "))?;
            }
            for line in after {
                writeln!(out, "{line}")?;
            }
        }
        Format::Csv => {
            let mut table = Table::new(["slot", "d0", "d1", "d2", "d3", "text"]);
            for (slot, words, text) in slots {
                table.row([slot.to_string()].into_iter().chain(words).chain([text]));
            }
            table.write_csv(&mut out)?;
        }
        Format::Json => {
            let slots: Vec<serde_json::Value> = slots
                .map(|(slot, words, text)| serde_json::json!({ "slot": slot, "words": words, "text": text }))
                .collect();
            let mut value = serde_json::json!({
                "schema": "xfjit.disassembly.1", "generation": generation.name(), "start": program.start,
                "unterminated": program.unterminated, "slots": slots,
            });
            tell(known, &mut value);
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}

/// What is disassembled.
struct Input {
    generation: Generation,
    words: Vec<[u32; 4]>,
    start: usize,
    reading: Reading,
    /// Of a capture, which program it is.
    known: Option<Known>,
}

impl Input {
    /// Reads microcode, or a program of a capture.
    fn read(args: &Dis, file: &Path, global: &Global) -> Result<Input, Failure> {
        let name = files::name(file);
        let bytes = sort::read(file, Wanted::Words)?;
        let wish = (args.program.as_deref(), args.names.as_deref());
        let model = args.model.unwrap_or(Model::Hw);
        if let Some(known) = capture::program_of((&name, &bytes), wish, model, global)? {
            let Recorded { words, start, config } = &known.recorded;
            return Ok(Input {
                generation: config.generation,
                words: words.as_chunks().0.to_vec(),
                start: *start,
                reading: config.reading(),
                known: Some(known),
            });
        }
        let generation = args.r#gen;
        let microcode = program_file::read_words(&name, &bytes, Raw { order: args.byte_order, generation })?;
        global.given.input(if microcode.is_raw { Kind::RawMicrocode } else { Kind::Microcode })?;
        let start = load::start(&name, args.start, &microcode)?;
        // A translation has words of another chip.
        let words_of = match args.r#as {
            Some(Translation::Words(other)) => other,
            _ => generation,
        };
        let reading = reading(&args.options, words_of)?;
        Ok(Input { generation, words: microcode.words, start, reading, known: None })
    }
}

/// Writes which program of a capture it is, as a comment that assemblers pass over.
fn head(known: Option<&Known>, format: Format, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(known) = known.filter(|_| format == Format::Text) {
        writeln!(out, "; {}", known.shown())?;
    }
    Ok(())
}

/// A text with that comment behind its first line, which says what language it is in.
fn headed(text: &str, comment: &str, known: Option<&Known>) -> String {
    match (known, text.split_once('\n')) {
        (Some(known), Some((first, rest))) => format!("{first}\n{comment} {}\n{rest}", known.shown()),
        _ => text.to_owned(),
    }
}

/// Adds which program of a capture it is to an object.
fn tell(known: Option<&Known>, value: &mut serde_json::Value) {
    if let Some(Known { id, label, .. }) = known {
        (value["name"], value["label"]) = (id.as_str().into(), label.as_deref().into());
    }
}

/// Writes the words that NV40 keeps of a program's (docs/isa/native.md): five a slot, their meaning beside them.
fn native(
    args: &Dis,
    (name, generation, reading): (&str, Generation, Reading),
    (words, start): (&[[u32; 4]], usize),
    known: Option<&Known>,
    global: &Global,
) -> Result<(), Failure> {
    if args.words || args.dialect.is_some() {
        let option = if args.words { "--words" } else { "--dialect" };
        return Err(Failure::Usage(format!("{option} has no effect with --as native, which writes words")));
    }
    let program = load::decode_as(name, words, generation, reading, start)?;
    let slots = words.iter().zip(0..).skip(program.first).zip(&program.insns);
    let slots = slots.map(|((&words, slot), insn): ((_, usize), _)| {
        let native = native_words::from_words(generation, words)
            .map_err(|error| Failure::Usage(format!("--gen {}: {error}", generation.name())))?;
        Ok((slot, native.map(|word| format!("{word:08x}")), asm::print_insn(generation, insn)))
    });
    let slots: Vec<_> = slots.collect::<Result<_, Failure>>()?;
    let mut out = files::stdout();
    head(known, global.format, &mut out)?;
    match global.format {
        Format::Text => {
            for (slot, words, text) in slots {
                writeln!(out, "{}  ; {slot:3}: {text}", words.join(" "))?;
            }
        }
        Format::Csv => {
            let mut table = Table::new(["slot", "high", "d0", "d1", "d2", "d3", "text"]);
            for (slot, words, text) in slots {
                table.row([slot.to_string()].into_iter().chain(words).chain([text]));
            }
            table.write_csv(&mut out)?;
        }
        Format::Json => {
            let slots: Vec<serde_json::Value> = slots
                .into_iter()
                .map(|(slot, words, text)| serde_json::json!({ "slot": slot, "words": words, "text": text }))
                .collect();
            let mut value = serde_json::json!({
                "schema": "xfjit.native.1", "generation": generation.name(), "start": program.start, "slots": slots,
            });
            tell(known, &mut value);
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}

/// Writes a program in OpenGL's language for its chip.
fn say(
    name: &str,
    generation: Generation,
    (program, notation): (&Program, Notation),
    known: Option<&Known>,
    global: &Global,
) -> Result<(), Failure> {
    let said = asm::gl::say(generation, program, notation).map_err(|unsayable| {
        let all = Flaw::new("OpenGL's languages cannot express this program");
        let flaws = std::iter::once(all).chain(unsayable.iter().map(|one| Flaw::new(one.to_string())));
        Failure::Input { file: name.to_owned(), flaws: flaws.collect() }
    });
    text(&headed(&said?, "#", known), "--dialect", global)
}

/// Writes a program in another language, as an option asks for.
fn text(text: &str, option: &str, global: &Global) -> Result<(), Failure> {
    if global.format != Format::Text {
        return Err(Failure::Usage(format!("{option} writes text; it has no other --format")));
    }
    let mut out = files::stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// How words are read: the options that decide that, and no others.
fn reading(options: &[String], generation: Generation) -> Result<Reading, Failure> {
    for option in options {
        let name = option.split('=').next().unwrap_or_default();
        if !["mode", "paired", "branch_test"].contains(&name) {
            let name = clip(name);
            let message = "only the options mode, paired and branch_test decide how words are read";
            return Err(Failure::Usage(format!("--option {name}: {message}")));
        }
    }
    Configuration { options: options.to_vec(), ..Configuration::default() }.reading(generation)
}

/// XFMODE as named fields.
fn mode(words: &[String], global: &Global) -> Result<(), Failure> {
    let mode = load::mode(words)?;
    let fields = mode.pipeline().fields();
    let set = fields.into_iter().filter(|(name, _)| mode.has(*name));
    let mut out = files::stdout();
    match global.format {
        Format::Text => write!(out, "{mode}")?,
        Format::Csv => {
            let mut table = Table::new(["word", "field", "value"]);
            for (name, place) in set {
                let word = mode.pipeline().word_names()[place.word];
                table.row([word.to_owned(), name.to_string(), mode.get(name).to_string()]);
            }
            table.write_csv(&mut out)?;
        }
        Format::Json => {
            let fields: serde_json::Map<String, serde_json::Value> =
                set.map(|(name, _)| (name.to_string(), mode.get(name).into())).collect();
            let chip = mode.pipeline().name();
            let value = serde_json::json!({ "schema": "xfjit.mode.1", "chip": chip, "fields": fields });
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}

/// Flipper's registers as named fields.
fn flipper(registers: &Registers, global: &Global) -> Result<(), Failure> {
    let named = registers.named();
    let mut out = files::stdout();
    let hex = |words: &[u32]| words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>();
    match global.format {
        Format::Text => named.iter().try_for_each(|register| writeln!(out, "{register}"))?,
        Format::Csv => {
            let mut table = Table::new(["unit", "address", "register", "words", "field", "value"]);
            for register in &named {
                let first = [
                    register.unit.to_owned(),
                    format!("{:x}", register.address),
                    register.name.clone(),
                    hex(&register.words).join(" "),
                ];
                if register.fields.is_empty() {
                    table.row(first.iter().cloned().chain([String::new(), String::new()]));
                }
                for (name, value) in &register.fields {
                    table.row(first.iter().cloned().chain([name.clone(), value.text()]));
                }
            }
            table.write_csv(&mut out)?;
        }
        Format::Json => {
            let all: Vec<serde_json::Value> = named
                .iter()
                .map(|register| {
                    let fields: serde_json::Map<String, serde_json::Value> =
                        register.fields.iter().map(|(name, value)| (name.clone(), value.json())).collect();
                    serde_json::json!({
                        "unit": register.unit, "address": register.address, "name": register.name,
                        "words": hex(&register.words), "fields": fields,
                    })
                })
                .collect();
            let value =
                serde_json::json!({ "schema": "xfjit.registers.1", "chip": "flipper", "registers": all });
            writeln!(out, "{value}")?;
        }
    }
    Ok(out.flush()?)
}
