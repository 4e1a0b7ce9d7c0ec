//! Files of the project, for tests that compare pages and sources.

use std::fs;
use std::path::{Path, PathBuf};

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file, by its path from the root.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below folders whose names end so, as paths from the root with `/` in them, sorted. What cargo builds is left out.
pub(crate) fn files(folders: &[&str], endings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| collect(&root().join(folder), endings, &mut found));
    found
}

fn collect(folder: &Path, endings: &[&str], found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(&path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            let from_root = path.strip_prefix(root()).expect("a path below the root");
            found.push(from_root.to_string_lossy().replace('\\', "/"));
        }
    }
}
