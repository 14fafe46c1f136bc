//! The command line read with no more of the command than it names.
//!
//! Every flag of every subcommand is a copy of its own in the library's model of a command line: fifty subcommands with
//! eighteen flags that each of them takes are most of what a start costs. Must not know: what a subcommand does.

use std::ffi::OsString;

use clap::{Args as _, Command, FromArgMatches as _, Parser as _, Subcommand as _};

use super::{Args, Common, What};

/// Reads a command line, the name of the program first.
///
/// # Errors
///
/// What is wrong with it, or the help that it asks for.
pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Args, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    // What is not read that way may be a mistake, and help and suggestions are about all that there is.
    named(&words).map_or_else(|| Args::try_parse_from(&words), Ok)
}

/// Reads it with the one subcommand whose name is among the words; none where that does not work out.
fn named(words: &[OsString]) -> Option<Args> {
    let names = words.iter().skip(1).filter_map(|word| word.to_str());
    let name = names.into_iter().find(|word| What::has_subcommand(word));
    let mut command = Common::augment_args(Command::new("overrule"));
    if let Some(name) = name {
        let all = What::augment_subcommands(Command::new("overrule"));
        command = command.subcommand(all.find_subcommand(name)?.clone());
    }
    let matches = command.try_get_matches_from(words).ok()?;
    Args::from_arg_matches(&matches).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        let words = std::iter::once("overrule").chain(line.split_whitespace());
        words.map(OsString::from).collect()
    }

    #[test]
    fn what_is_read_by_a_name_is_what_all_of_the_command_reads() {
        for line in [
            "",
            "--headless --json",
            "replay",
            "replay last --speed 2",
            "--json replay last",
            "replay --json last --sessions there",
            "--sessions there --theme dark queue last --control",
            "sessions",
            "sessions show last --json",
            "branches last name 2 good",
            "demo --list",
            "run --model scripted --playbook run --max-turns 3",
            "approve last c5 --digest abc --word delete",
            "add-rule last x --digest y",
            "decode - --summary",
            "graph --format dot --active",
        ] {
            let words = words(line);
            let named = named(&words).map(|args| format!("{args:?}"));
            let all = Args::try_parse_from(&words).map(|args| format!("{args:?}"));
            assert_eq!(named, Some(all.unwrap()), "{line}");
        }
    }

    #[test]
    fn what_is_no_plain_success_is_read_with_all_there_is() {
        for line in [
            "--help",
            "--version",
            "help replay",
            "replay --help",
            "replya last",
            "--theme run replay last",
            "replay one two",
            "run --max-turns many",
            "approve last c5",
            "-- replay",
        ] {
            let words = words(line);
            let told = |read: Result<Args, clap::Error>| match read {
                Ok(args) => format!("{args:?}"),
                Err(error) => format!("{:?} {error}", error.kind()),
            };
            assert!(named(&words).is_none(), "{line}");
            let all = told(Args::try_parse_from(&words));
            assert_eq!(told(read(words)), all, "{line}");
        }
    }
}
