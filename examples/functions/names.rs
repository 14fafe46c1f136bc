//! The functions of the program in what callgrind wrote, and what their sections are called in another build of it.
//!
//! The formats: <https://valgrind.org/docs/manual/cl-format.html>, where names stand once and later their numbers; the
//! map of the linker `lld`, where the symbols of a section stand below it. Must not know: what was run.

use std::collections::{BTreeSet, HashMap};

/// The sections of the functions of several runs.
pub struct Sections {
    /// The section of each symbol: functions that do the same are one, which is called after one of them.
    of: HashMap<String, String>,
    /// In the order of their first runs, those of a run by name.
    all: Vec<String>,
    known: BTreeSet<String>,
}

impl Sections {
    /// None was run yet of the program of which the linker wrote this map.
    pub fn of(map: &str) -> Self {
        let mut of = HashMap::new();
        let mut section = None;
        for line in map.lines() {
            // Four numbers, then what it is about.
            let Some(what) = line.split_whitespace().nth(4) else {
                continue;
            };
            if let Some((_, name)) = line.split_once(":(") {
                section = name.strip_suffix(')').and_then(pattern);
            } else if let Some(section) = &section {
                of.insert(what.to_owned(), section.clone());
            }
        }
        Self {
            of,
            all: Vec::new(),
            known: BTreeSet::new(),
        }
    }

    /// Takes in what one run ran that none before it did.
    pub fn read(&mut self, text: &str) {
        let mut names = HashMap::new();
        let mut own = BTreeSet::new();
        for line in text.lines() {
            let Some((key, value)) = line.split_once("=(") else {
                continue;
            };
            let Some((number, name)) = value.split_once(')') else {
                continue;
            };
            if !matches!(key, "fn" | "cfn") {
                continue;
            }
            if !name.is_empty() {
                // Behind an apostrophe stands how deep a recursion is.
                let name = name.trim();
                names.insert(number, name.split_once('\'').map_or(name, |(name, _)| name));
            }
            // A function that is only called from here has its own lines elsewhere.
            if key == "fn" {
                own.extend(names.get(number).and_then(|name| self.of.get(*name)).cloned());
            }
        }
        let new = own.difference(&self.known).cloned().collect::<Vec<_>>();
        self.all.extend_from_slice(&new);
        self.known.extend(new);
    }

    /// What each is called, with `*` where another compiler writes something else.
    pub fn patterns(&self) -> &[String] {
        &self.all
    }
}

/// What the section of a function is called in every build; none where it is none of Rust's. The hash of a crate
/// (`Cs…_`) and what optimising at link time appends are left out, and whether the function is rarely called.
fn pattern(section: &str) -> Option<String> {
    let at = section.strip_prefix(".text.")?.find("_R")?;
    let name = section.get(".text.".len() + at..)?.split('.').next()?;
    let mut parts = name.split("Cs");
    let mut pattern = parts.next()?.to_owned();
    for part in parts {
        match part.split_once('_') {
            Some((hash, rest)) if hash.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                pattern.push_str("Cs*_");
                pattern.push_str(rest);
            }
            _ => {
                pattern.push_str("Cs");
                pattern.push_str(part);
            }
        }
    }
    Some(pattern)
}
