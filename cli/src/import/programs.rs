//! Programs of other tools, as program files.

use super::Source;
use crate::args::{Form, Format, Import};
use crate::fail::{Failure, remark, warning};
use crate::files;
use crate::program_file::{self, Microcode};
use crate::table;
use crate::text::Flaw;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use xfjit::import::{ImportError, hex, raw, vpo};

/// A program.
struct Read {
    microcode: Microcode,
    /// What is known of it, as comments.
    comments: String,
    /// Whose it is.
    of: &'static str,
}

fn read(form: Form, source: &Source<'_>) -> Result<Read, Failure> {
    let wrong = |error: ImportError| source.wrong(&error);
    let mut comments = String::new();
    Ok(match form {
        Form::Vpo => {
            let vpo = vpo::read(source.bytes).map_err(wrong)?;
            for constant in &vpo.constants {
                // Writing to a string cannot fail.
                let _ = write!(comments, "# c[{}] {}", constant.row, constant.name);
                if let Some(value) = constant.value {
                    let _ = write!(
                        comments,
                        " = {}",
                        value.map(|word| f32::from_bits(word).to_string()).join(" ")
                    );
                }
                comments.push('\n');
            }
            let microcode = Microcode::new(&vpo.slots, vpo.first, Some(vpo.first));
            Read { microcode, comments, of: "curie" }
        }
        Form::Hex => {
            let slots = hex::read(&source.text()?).map_err(wrong)?;
            Read { microcode: Microcode::new(&slots, 0, None), comments, of: "unknown" }
        }
        _ => {
            let slots = raw::read(source.bytes).map_err(wrong)?;
            Read { microcode: Microcode::new(&slots, 0, None), comments, of: "curie" }
        }
    })
}

/// The text of a program file.
fn text(form: Form, source: &Source<'_>) -> Result<String, Failure> {
    let Read { microcode, comments, of } = read(form, source)?;
    let whose = match of {
        "unknown" => String::new(),
        of => format!("# microcode of {of}: --gen {of}\n"),
    };
    Ok(whose + &comments + &program_file::write(&microcode, Format::Text)?)
}

/// A file.
pub(super) fn file(form: Form, source: &Source<'_>) -> Result<(), Failure> {
    let text = text(form, source)?;
    files::write(source.to, text.as_bytes())
}

/// All raw programs of a directory, a file for each; what is none is told, and passed over.
pub(super) fn directory(args: &Import, quiet: bool) -> Result<(), Failure> {
    if args.from.is_some_and(|form| form != Form::Rpcs3) {
        return Err(Failure::Usage("--from: a directory can only hold raw programs; use rpcs3".to_owned()));
    }
    let name = files::name(&args.file);
    let unreadable = |error: std::io::Error| Failure::unreadable(&name, &error);
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&args.file).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if files::extension(&path) == "vp" {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(Failure::input(name, Flaw::new("holds no programs: files that end in .vp")));
    }
    files::writable(&args.output)?;
    let (mut done, mut wrong, mut unread) = (0, 0, 0);
    let mut names = BTreeSet::new();
    for path in &paths {
        let to = args.output.join(path.with_extension("hex").file_name().unwrap_or_default());
        let told = |failure: Failure| match failure {
            Failure::Input { file, flaws } => {
                let what = flaws.first().map_or("", |flaw| flaw.message.as_str());
                warning(format_args!("{file}: {what}"));
                Ok(())
            }
            failure => Err(failure),
        };
        let bytes = match files::read(path) {
            Ok(bytes) => bytes,
            Err(failure) => {
                told(failure)?;
                unread += 1;
                continue;
            }
        };
        let imported = (|| {
            let source = Source { name: files::name(path), bytes: &bytes, to: &to, quiet: true };
            let text = text(Form::Rpcs3, &source)?;
            if !names.insert(to.clone()) {
                let what = format!("would overwrite the file of another program, {}", files::name(&to));
                return Err(Failure::input(source.name, Flaw::new(what)));
            }
            files::write(&to, text.as_bytes())
        })();
        match imported {
            Ok(()) => done += 1,
            Err(failure) => {
                told(failure)?;
                wrong += 1;
            }
        }
    }
    if !quiet {
        let files = table::count(wrong, "file");
        let are = if wrong == 1 { "is not a program" } else { "are not programs" };
        remark(format_args!("{}; {files} {are}", table::count(done, "program")));
    }
    match (done, unread) {
        (_, 1..) => {
            let what = format!("holds {} that cannot be read", table::count(unread, "file"));
            Err(Failure::input(name, Flaw::new(what)))
        }
        (0, 0) => Err(Failure::input(name, Flaw::new("holds no program"))),
        _ => Ok(()),
    }
}
