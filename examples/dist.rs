//! Writes what an archive holds beside the program: man pages, and the licences of the libraries in it.
//!
//! Must not know: how the program is built, what an archive is.
//!
//! `cargo run --example dist -- DIRECTORY TARGET`; `.ci/dist` calls it.

#![allow(clippy::print_stderr, reason = "an example tells by printing")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory as _;
use overrule::cli::args::Args;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [directory, target] = words.as_slice() else {
        return Err("usage: dist DIRECTORY TARGET".into());
    };
    let directory = Path::new(directory);
    let pages = directory.join("man");
    std::fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(Args::command(), &pages)?;
    let libraries = libraries(target)?;
    std::fs::write(directory.join("LIBRARIES.txt"), licences(&libraries)?)?;
    eprintln!("{} libraries", libraries.len());
    Ok(())
}

/// A library that is linked into the program.
struct Library {
    /// Its name and version.
    name: String,
    /// Its licence as an expression; empty if it only has a file.
    licence: String,
    /// Its source.
    directory: PathBuf,
}

/// The libraries of the program for this target, by name.
fn libraries(target: &str) -> Result<Vec<Library>, Box<dyn Error>> {
    let output = Command::new("cargo")
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            target,
        ])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // What is only there for tests or while building is not linked.
    let mut links: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        let deps = list(&node["deps"]).into_iter();
        let linked = deps.filter(|dep| list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()));
        links.insert(text(&node["id"]), linked.map(|dep| text(&dep["pkg"])).collect());
    }
    let mut reached = BTreeSet::new();
    let mut next = vec![text(&metadata["resolve"]["root"])];
    while let Some(id) = next.pop() {
        if reached.insert(id.clone()) {
            next.extend(links.get(&id).cloned().unwrap_or_default());
        }
    }
    let packages = list(&metadata["packages"]).into_iter();
    let linked =
        packages.filter(|package| reached.contains(&text(&package["id"])) && package["source"].is_string());
    let mut libraries: Vec<Library> = linked
        .map(|package| Library {
            name: format!("{} {}", text(&package["name"]), text(&package["version"])),
            licence: text(&package["license"]),
            directory: Path::new(&text(&package["manifest_path"])).with_file_name(""),
        })
        .collect();
    libraries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(libraries)
}

/// A list of the libraries, and each text of a licence once, with the libraries that have it.
fn licences(libraries: &[Library]) -> Result<String, Box<dyn Error>> {
    let mut out = "Libraries in this program, with their licences.\n\n".to_owned();
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for library in libraries {
        writeln!(out, "{} ({})", library.name, library.licence)?;
        let mut files: Vec<PathBuf> = std::fs::read_dir(&library.directory)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_licence(path))
            .collect();
        files.sort();
        if files.is_empty() && library.licence.is_empty() {
            return Err(format!("{} names no licence", library.name).into());
        }
        for file in files {
            let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
            texts.entry(text).or_default().push(&library.name);
        }
    }
    for (text, names) in texts {
        writeln!(
            out,
            "\n{}\n{}\n\n{}",
            "=".repeat(80),
            names.join(", "),
            text.trim_end()
        )?;
    }
    Ok(out)
}

fn is_licence(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_uppercase();
    let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
    path.is_file() && starts.iter().any(|start| name.starts_with(start))
}
