//! The one table of what an operator can do: name, doc, keys, where it works.
//!
//! Help, palette, status line, keymap and the keys of the README are all made from it, so they
//! cannot disagree. Must not know: how anything is done.

mod about;
mod acts;
mod context;
pub mod table;
mod verbs;

pub use about::About;
pub use context::Context;
pub use verbs::{
    Classify, Decide, EditVerb, Fix, GraphVerb, Jump, Move, Reach, ReplayVerb, RunVerb, TextVerb, Verb, View,
};

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it does.
    pub verb: Verb,
    /// Its name in the palette and in keymap files; unique.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Default keys.
    pub keys: &'static [&'static str],
    /// Where they work.
    pub contexts: &'static [Context],
    /// A word for the status line; empty to leave it out there.
    pub hint: &'static str,
}

/// The whole table, in the order of help.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    table::TABLE.iter().flat_map(|part| part.iter())
}

/// The keys as a Markdown table, for the README.
pub fn markdown() -> String {
    use std::fmt::Write as _;

    let mut out = String::from("| keys | command | where | what |\n|---|---|---|---|\n");
    for entry in entries() {
        let keys: Vec<String> = entry
            .keys
            .iter()
            .map(|key| format!("`{}`", key.replace('|', "\\|")))
            .collect();
        let place: Vec<&str> = entry.contexts.iter().map(|context| context.heading()).collect();
        // Writing into a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | `{}` | {} | {} |",
            keys.join(" "),
            entry.name,
            place.join(", "),
            entry.doc
        );
    }
    out
}
