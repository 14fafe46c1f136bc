//! Parses numbers of the command line; an error names the expected form with an example.
//!
//! Must not know: what a number is for.

use std::str::FromStr;

use overrule_domain::sandbox::Level;

/// Parses a whole number; `requested` describes the expected form in the error.
pub fn whole<T: FromStr>(requested: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| text.parse().map_err(|_| format!("write {requested}"))
}

/// Parses the number of an event, with or without `#`.
pub fn event(text: &str) -> Result<u64, String> {
    whole("the number of an event, such as 40")(text.strip_prefix('#').unwrap_or(text))
}

/// Parses the level of a sandbox.
pub fn level(text: &str) -> Result<Level, String> {
    let level = Level::ALL
        .into_iter()
        .find(|level| level.number().to_string() == text);
    level.ok_or_else(|| "write the number of a level, 0, 1 or 2, such as 1".to_owned())
}

/// Parses a factor above 0.
pub fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("write a factor above 0, such as 4 or 0.5".into()),
    }
}

/// Parses a number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("write a number from 0 to 1, such as 0.8".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::super::Args;

    /// Every argument of the command line that is a number, as a command line that ends before it.
    const PLACES: &[&str] = &[
        "resume last --max-turns",
        "resume last --max-tokens",
        "resume last --parallel",
        "resume last --sandbox",
        "replay last --speed",
        "fork last --at",
        "branches last name",
        "compare last",
        "compare last 1",
        "drop-rule last",
        "guide last words --after",
        "insert-call last tool --args {} --after",
        "commit last --edits f --effects-seen",
        "undo last --epoch",
        "redo last --epoch",
        "switch last",
        "switch last 1 --epoch",
        "copy last o5 --from 1 --rev",
        "copy last o5 --from",
        "ask-again last",
        "ask-again last 4 --request",
        "keep last",
        "keep last 4 --request",
        "allow-loop last",
        "choose-repair last c5",
        "set-weight last tool",
        "reject last c5 --rev",
        "cancel last c5 --attempt",
    ];

    fn refused(words: &str, number: &str) -> String {
        let words = std::iter::once("overrule")
            .chain(words.split(' '))
            .chain([number])
            // `branches ID name N NAME`
            .chain(words.ends_with(" name").then_some("x"))
            .chain((words == "compare last").then_some("2"));
        Args::try_parse_from(words).unwrap_err().to_string()
    }

    #[test]
    fn invalid_number_is_refused_with_the_expected_form_and_an_example() {
        for words in PLACES {
            for odd in ["abc", "1e99999", "NaN", "4x", ""] {
                let output = refused(words, odd);
                assert!(output.contains("write "), "{words} {odd}: {output}");
                assert!(output.contains("such as "), "{words} {odd}: {output}");
                for bare in ["digit", "float", "literal", "empty string", "not in"] {
                    assert!(!output.contains(bare), "{words} {odd}: {output}");
                }
            }
        }
    }

    #[test]
    fn what_is_out_of_reach_is_no_number_either() {
        for (words, number) in [
            ("replay last --speed", "0"),
            ("resume last --sandbox", "3"),
            ("resume last --sandbox", "01"),
            ("resume last --sandbox", "1.5"),
            ("replay last --speed", "inf"),
            ("set-weight last tool", "1.5"),
            ("set-limits last --max-tokens", "99999999999999999999999"),
        ] {
            assert!(refused(words, number).contains("write "), "{words} {number}");
        }
    }

    /// Fails if a number has clap's own parser. Add each new number to `PLACES`.
    #[test]
    fn every_number_has_a_place_here() {
        fn numbers(command: &clap::Command, of: &str, found: &mut Vec<String>) {
            let bare = [
                std::any::TypeId::of::<u8>(),
                std::any::TypeId::of::<u32>(),
                std::any::TypeId::of::<u64>(),
                std::any::TypeId::of::<usize>(),
                std::any::TypeId::of::<f64>(),
            ];
            for arg in command.get_arguments() {
                if bare.iter().any(|one| arg.get_value_parser().type_id() == *one) {
                    found.push(format!("{of} {}", arg.get_id()));
                }
            }
            for one in command.get_subcommands() {
                numbers(one, one.get_name(), found);
            }
        }
        let mut found = Vec::new();
        numbers(&Args::command(), "", &mut found);
        let parts: std::collections::BTreeSet<&str> =
            found.iter().filter_map(|name| name.split(' ').nth(1)).collect();
        let known = [
            "a",
            "after",
            "at",
            "attempt",
            "b",
            "branch",
            "effects_seen",
            "epoch",
            "from",
            "incident",
            "max_tokens",
            "max_turns",
            "option",
            "parallel",
            "request",
            "rev",
            "row",
            "rule",
            "speed",
            "turn",
            "weight",
            "words",
        ];
        assert_eq!(parts.into_iter().collect::<Vec<_>>(), known);
    }
}
