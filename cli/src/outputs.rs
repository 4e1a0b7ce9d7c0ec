//! Where a command writes: each output has a file of its own, none that the command reads, and standard output has one of them.

use crate::fail::Failure;
use crate::files;
use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The files that options name as outputs.
pub struct Files<'a>(Vec<(&'static str, &'a Path)>);

impl<'a> Files<'a> {
    /// Those that are asked for. Refuses two of one name, of which one would be lost, one that is an input, and one that cannot be written:
    /// now, not after the work.
    pub fn apart<const N: usize>(
        options: [(&'static str, Option<&'a Path>); N],
        inputs: &[&Path],
    ) -> Result<Files<'a>, Failure> {
        let outputs: Vec<_> =
            options.into_iter().filter_map(|(option, path)| Some((option, path?))).collect();
        for (number, &(option, path)) in outputs.iter().enumerate() {
            for &(other, before) in &outputs[..number] {
                if files::is_dash(path) && files::is_dash(before) {
                    let message = format!("{other} - and {option} - both go to standard output");
                    return Err(Failure::Usage(message));
                }
                if is_same(path, before) {
                    let message = format!("{other} and {option} name one file, {}", path.display());
                    return Err(Failure::Usage(message));
                }
            }
            if inputs.iter().any(|input| is_same(path, input)) {
                return Err(Failure::Usage(format!("{option} names an input, {}", path.display())));
            }
            files::can_be_written(path)?;
        }
        Ok(Files(outputs))
    }

    /// Where the report goes: to standard output, or beside it if that has a file.
    pub fn report(&self) -> Box<dyn Write> {
        if self.0.iter().any(|(_, path)| files::is_dash(path)) {
            Box::new(BufWriter::new(io::stderr().lock()))
        } else {
            Box::new(files::stdout())
        }
    }
}

/// Whether two paths lead to one plain file, which need not exist. Devices take any number of outputs.
fn is_same(a: &Path, b: &Path) -> bool {
    let is_plain = |path: &Path| std::fs::metadata(path).map_or(true, |found| found.is_file());
    !files::is_dash(a) && !files::is_dash(b) && is_plain(a) && is_plain(b) && found(a) == found(b)
}

/// A path without links.
fn found(path: &Path) -> PathBuf {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let absent = || Some(directory.canonicalize().ok()?.join(path.file_name().unwrap_or(OsStr::new(""))));
    path.canonicalize().ok().or_else(absent).unwrap_or_else(|| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(options: [(&'static str, &str); 2], inputs: &[&str]) -> Option<String> {
        let options = options.map(|(option, path)| (option, Some(Path::new(path))));
        let inputs: Vec<&Path> = inputs.iter().map(Path::new).collect();
        match Files::apart(options, &inputs) {
            Err(Failure::Usage(message)) => Some(message),
            _ => None,
        }
    }

    #[test]
    fn each_output_has_a_file_of_its_own() {
        let [one, other] = ["absent.obj", "./absent.obj"];
        let message = refused([("--obj", one), ("--draw", other)], &[]);
        assert_eq!(message.as_deref(), Some("--obj and --draw name one file, ./absent.obj"));
        let message = refused([("--obj", "-"), ("--draw", "-")], &[]);
        assert_eq!(message.as_deref(), Some("--obj - and --draw - both go to standard output"));
        let message = refused([("--obj", "a"), ("--draw", "Cargo.toml")], &["../cli/Cargo.toml"]);
        assert_eq!(message.as_deref(), Some("--draw names an input, Cargo.toml"));
        assert_eq!(refused([("--obj", "a"), ("--draw", "-")], &["-", "b"]), None);
        #[cfg(unix)]
        assert_eq!(refused([("--obj", "/dev/null"), ("--draw", "/dev/null")], &["/dev/null"]), None);
    }
}
