//! The command table: the name, doc, keys and contexts of each command.
//!
//! Must not know: how a command is carried out.
//!
//! Help, palette, status line, keymap and `docs/keys.md` are made from it, so they agree.

mod about;
mod acts;
mod context;
mod renamed;
pub mod table;
mod verbs;

pub use about::About;
pub use context::Context;
pub use renamed::current_name;
pub use verbs::{
    Classify, Decide, EditVerb, Fix, GraphVerb, Jump, Move, Reach, ReplayVerb, RunVerb, TextVerb, Verb, View,
};

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The verb of the command.
    pub verb: Verb,
    /// Its name in the palette and in keymap files; unique.
    pub name: &'static str,
    /// An imperative sentence.
    pub doc: &'static str,
    /// Default keys.
    pub keys: &'static [&'static str],
    /// Where the command works.
    pub contexts: &'static [Context],
    /// Label in the status line; empty for no hint there.
    pub hint: &'static str,
}

/// The whole table, in the order of help.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    table::TABLE.iter().flat_map(|part| part.iter())
}

/// The keys as a Markdown table.
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
