//! Lists the themes beside it for the console: a built-in theme is one file here.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo names the directories in variables"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let variable = |name| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let dir = variable("CARGO_MANIFEST_DIR").join("../../themes");
    println!("cargo::rerun-if-changed={}", dir.display());
    let files = fs::read_dir(&dir)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = files.collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort_by_cached_key(|file| (order(file), file.clone()));
    fs::write(variable("OUT_DIR").join("themes.rs"), list(&files))
}

/// The place of a theme: the usual ones stand before the others.
fn order(file: &Path) -> usize {
    let usual = ["dark.toml", "light.toml", "high-contrast.toml"];
    usual
        .iter()
        .position(|name| file.ends_with(name))
        .unwrap_or(usual.len())
}

/// The list as an expression: the name and the text of each.
fn list(files: &[PathBuf]) -> String {
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let file = file.to_string_lossy();
        // Writing to a text does not fail.
        let _ = writeln!(list, "    ({name:?}, include_str!({file:?})),");
    }
    list + "]\n"
}
