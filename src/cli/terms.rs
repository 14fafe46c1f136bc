//! Explains a term of the screens (`overrule help WORD`).
//!
//! Must not know: the meaning of terms.

use std::ffi::OsString;

use clap::CommandFactory as _;

use super::args::Args;
use super::exit::{Code, Failure};
use super::print;
use overrule_base::text::{excerpt, visible};
use overrule_present::terms;

/// The word that lists all terms.
const ALL: &str = "terms";
/// Longest part of an unknown word in a message, in characters.
const WORD: usize = 60;
/// Maximum number of terms that are named instead of an unknown one.
const NEAR: usize = 5;

/// The words after `help`, unless they begin with a subcommand.
pub fn asked(words: &[OsString]) -> Option<String> {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    let help = words.next()?;
    let rest: Vec<_> = words.collect();
    let first = rest.first()?;
    let is_command = Args::command().find_subcommand(first.as_ref()).is_some();
    (help == "help" && !is_command).then(|| rest.join(" "))
}

/// Prints the explanation of a term.
pub fn explain(word: &str) -> Result<Code, Failure> {
    let lines = match terms::find(word) {
        Some(term) => term.lines(),
        None if word == ALL => terms::all().map(|term| term.word.to_owned()).collect(),
        None => return Err(unknown(word)),
    };
    print::out(&lines.join("\n"));
    Ok(Code::Ok)
}

fn unknown(word: &str) -> Failure {
    let commands = Args::command();
    let mut known: Vec<&str> = terms::labels().collect();
    known.extend(commands.get_subcommands().map(clap::Command::get_name));
    let mut near = overrule_schema::near(word, known);
    let parts = || word.split_whitespace().filter(|part| part.len() > 2);
    let alike = terms::labels().filter(|label| parts().any(|part| label.contains(&part.to_lowercase())));
    near.extend(alike.map(str::to_owned));
    let mut named: Vec<String> = Vec::new();
    for label in near {
        let label = format!("`{label}`");
        if named.len() < NEAR && !named.contains(&label) {
            named.push(label);
        }
    }
    let near = if named.is_empty() {
        String::new()
    } else {
        format!("; near: {}", named.join(", "))
    };
    let shown = visible(word);
    Failure::new(
        Code::Usage,
        format!(
            "cannot explain `{}`: no such term or command{near}; hint: `overrule help {ALL}` lists the terms, `overrule \
             help` the commands",
            excerpt(&shown, WORD)
        ),
    )
}
