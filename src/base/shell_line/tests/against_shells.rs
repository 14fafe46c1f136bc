//! Tests that the reading of a line contains everything that real shells run.
//!
//! Must not know: rules.

use std::process::{Command as Process, Stdio};

use proptest::prelude::*;

use super::super::Reading;

/// What ran of a line, by its numbers: `p N` writes N into a file and does nothing else.
fn ran(shell: &str, line: &str) -> Option<Vec<String>> {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("log");
    let whole = format!(
        "p() {{ printf '%s\\n' \"$1\" >>'{}'; }}\ntrap wait EXIT\n{line}",
        log.display()
    );
    Process::new(shell)
        .args(["-c", &whole])
        .current_dir(&place)
        .env_clear()
        .env("PATH", "/nowhere")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    let log = std::fs::read_to_string(log).unwrap_or_default();
    Some(log.lines().map(str::to_owned).collect())
}

/// The numbers of the commands that are read, by the words that are run.
fn numbers(reading: &Reading) -> Vec<String> {
    let of = |one: &super::super::Command| match one.words.as_slice() {
        [program, number, ..] if program.text == "p" => Some(number.text.clone()),
        _ => None,
    };
    reading.commands.iter().filter_map(of).collect()
}

#[test]
fn what_ran_is_seen() {
    let line = "p 1 &>x p 2; echo \\>&p 3\n# ; p 4\necho 'p 5'";
    let seen = ran("/bin/sh", line).unwrap();
    for number in ["1", "3"] {
        assert!(seen.contains(&number.to_owned()), "{seen:?}");
    }
    for number in ["4", "5"] {
        assert!(!seen.contains(&number.to_owned()), "{seen:?}");
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(35))]

    #[test]
    fn what_a_shell_runs_is_read(parts in proptest::collection::vec(prop_oneof![
        9 => Just("p N "),
        5 => prop::sample::select(vec!["; ", " ;", "&", "&&", "||", "|", "\n", " "]),
        3 => prop::sample::select(vec!["'", "\"", "\\", "#", " #", "\\ #", "\\\n", "\\>", "\\<"]),
        3 => prop::sample::select(vec!["&>x ", ">&2 ", ">x ", ">", "<", ">&", "&>", ">|", "<&", ">>", "2>&1 "]),
        2 => prop::sample::select(vec!["<<e ", "\ne\n", "<<'e'\n", "<<\\", "<<-e\n", "<<<", "<<e\n$(p N )\ne\n"]),
        2 => prop::sample::select(vec!["(p N )", "$(p N )", "`p N `", "<(p N )", "${x:-", "}", "$'", "[", "[[", "$((", "))", "((", "$(", ")", "`"]),
        2 => prop::sample::select(vec!["a", "x=", "! ", "if ", " then ", " fi ", "case a in a) ", ";; ", " esac ", "{ ", " }", "f() ", "f; ", "do ", " done ", "for i in 1; do ", "eval ", "eval 'p N ' ", "time ", "function f ", "x=(", "command ", "while ", "coproc "]),
    ], 2..14)) {
        let mut line = String::new();
        for (at, part) in parts.iter().enumerate() {
            line += &part.replace('N', &(100 + at).to_string());
        }
        let reading = Reading::of_line(&line);
        let read = numbers(&reading);
        for shell in ["/bin/sh", "/usr/bin/dash", "/usr/bin/bash"] {
            for number in ran(shell, &line).unwrap_or_default() {
                prop_assert!(
                    reading.uncertainty.is_some() || read.contains(&number),
                    "{shell} ran p {number} of {line:?}, read were {read:?}"
                );
            }
        }
    }
}
