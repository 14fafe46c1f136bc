//! Tests of the commands of a line: by example, against a reading of another kind, and against shells.
//!
//! Must not know: rules.

use std::process::{Command as Process, Stdio};

use proptest::prelude::*;
use regex::Regex;

use super::*;

fn told(line: &str) -> Vec<(&'static str, String, String)> {
    let found = segments(line).into_iter();
    found
        .map(|one| {
            let program = one.program.unwrap_or_else(|| "?".to_owned());
            (one.after, program, line[one.bytes].to_owned())
        })
        .collect()
}

fn programs(line: &str) -> Vec<String> {
    told(line).into_iter().map(|(_, program, _)| program).collect()
}

#[test]
fn a_line_is_taken_apart_at_its_signs() {
    let one = |after, program: &str, text: &str| (after, program.to_owned(), text.to_owned());
    assert_eq!(told("ls -la"), [one("", "ls", "ls -la")]);
    assert_eq!(
        told("ls && rm -rf x|wc -l ; A=1 b=2 make all& "),
        [
            one("", "ls", "ls"),
            one("&&", "rm", "rm -rf x"),
            one("|", "wc", "wc -l"),
            one(";", "make", "A=1 b=2 make all"),
        ]
    );
    assert_eq!(
        told("a || b |& c\nd"),
        [
            one("", "a", "a"),
            one("||", "b", "b"),
            one("|&", "c", "c"),
            one("⏎", "d", "d")
        ]
    );
    assert_eq!(told(" ; ; "), []);
}

#[test]
fn what_is_quoted_is_no_sign_unless_quotes_may_mean_something_else() {
    assert_eq!(programs("echo 'a; b' \"c && d\" e\\;f >&2 &>x"), ["echo", "?"]);
    assert_eq!(programs("echo a # ; rm x\nls"), ["echo", "ls"]);
    assert_eq!(programs("echo \"$(date; rm -rf x)\""), ["echo", "date", "rm"]);
    assert_eq!(programs("echo `rm x`"), ["echo", "rm"]);
    assert_eq!(programs("cat <<E\nit's\nE\nrm -rf x"), ["cat", "?", "E", "rm"]);
    assert_eq!(
        programs("echo $'\\'' ; rm -rf x ; echo ''"),
        ["echo", "rm", "echo"]
    );
    assert_eq!(programs("(cd a; rm b)"), ["cd", "rm"]);
}

#[test]
fn a_program_is_named_only_where_it_can_be_told() {
    assert_eq!(programs("if true; then rm x; fi"), ["true", "rm", "fi"]);
    assert_eq!(
        programs("$X a; r''m b; \"rm\" c; ./run d; A=$(x) y"),
        ["?", "?", "?", "./run", "?", "x", "y"]
    );
    assert!(segments("cp a b")[0].program.is_some() && !segments("cp a b")[0].more);
    for line in ["cp $A b", "cp a > b", "cp a*", "{ cp; }"] {
        assert!(segments(line)[0].more, "{line}");
    }
}

#[test]
fn no_sign_is_hidden_by_what_stands_before_it() {
    assert_eq!(programs("sleep 1 &>/dev/null rm -rf x"), ["sleep", "rm"]);
    assert_eq!(programs("echo \\ #foo; rm x"), ["echo", "rm"]);
    assert_eq!(
        programs("echo \"a # b $(true)\"; rm -rf x"),
        ["echo", "true", "rm"]
    );
    assert_eq!(programs("echo date\\>|sh"), ["echo", "sh"]);
    assert_eq!(programs("echo \\>&rm -rf x"), ["echo", "rm"]);
    assert_eq!(programs("echo ''#; rm x"), ["echo", "rm"]);
    assert_eq!(programs("case x in x) rm y;; esac"), ["case", "rm", "esac"]);
    assert_eq!(programs("if (true) then rm x; fi"), ["?", "true", "rm", "fi"]);
    assert_eq!(programs("cat <\\\n<E\nit's\nE\nrm x").last().unwrap(), "rm");
    assert_eq!(programs("cat <<'\\'\nx\n\\\nrm x").last().unwrap(), "rm");
    assert_eq!(programs("echo ${x: # }; rm y").last().unwrap(), "rm");
    assert_eq!(programs("((x #)); rm y").last().unwrap(), "rm");
    assert_eq!(programs("a[0 #]=1; rm y").last().unwrap(), "rm");
    assert_eq!(programs("(a)#it's\nrm y").last().unwrap(), "rm");
    // What goes somewhere is one command still.
    assert_eq!(programs("a 2>&1 >|b <&- >>c <>d"), ["a"]);
}

#[test]
fn commands_beyond_those_that_are_told_are_said_to_be_there() {
    let line = vec!["ls"; MOST].join(";");
    let found = segments(&line);
    assert!(found.len() == MOST && !hides(&line, &found));
    let line = format!("{line};rm -rf x");
    let found = segments(&line);
    assert_eq!(found.len(), MOST);
    assert!(found[MOST - 1].program.is_none() && hides(&line, &found));
}

/// Places of the signs that end a command, and of what is no part of one, by a grammar of words.
fn by_grammar(line: &str) -> (Vec<usize>, Vec<usize>) {
    let token =
        "(?s)\\\\.?|'[^']*'?|\"(?:\\\\.|[^\"\\\\])*\"?|>>|>&|>\\||<&|<>|#[^\\n]*|[ \\t]+|[;&|()\\n]|.";
    let token = Regex::new(token).unwrap();
    let (mut signs, mut outside) = (Vec::new(), Vec::new());
    let (mut at, mut begins) = (0, true);
    while let Some(found) = token.find_at(line, at) {
        let text = found.as_str();
        let mut end = found.end();
        let is_sign = [";", "&", "|", "(", ")", "\n"].contains(&text);
        let is_blank = text.starts_with([' ', '\t']);
        if is_sign {
            signs.push(at);
        } else if text.starts_with('#') {
            if begins {
                outside.extend(at..end);
            } else {
                end = at + 1;
            }
        }
        begins = is_sign || is_blank || (begins && text.starts_with('#') && end > at + 1);
        at = end;
    }
    (signs, outside)
}

proptest! {
    #[test]
    fn signs_stand_between_commands_and_all_else_in_them(line in "([a-z ]|[;&|<>'\"\\\\#\n=]|[({})$`]{0,1}|é){0,50}") {
        let found = segments(&line);
        let inside = |at: usize| found.iter().any(|one| one.bytes.contains(&at));
        let unsure = ["$'", "${", "$(", "<<", "`", "((", "\\\n"].iter().any(|sign| line.contains(sign))
            || (line.contains('#') && line.contains('('));
        let (signs, outside) = by_grammar(&line);
        for (at, c) in line.char_indices() {
            if unsure {
                let redirects = line[..at].ends_with(['<', '>']) && "&|".contains(c);
                prop_assert!(redirects || !(";&|()`\n".contains(c) && inside(at)), "{at} of {line:?} in {found:?}");
            } else if signs.contains(&at) {
                prop_assert!(!inside(at), "{at} of {line:?} in {found:?}");
            }
            let no_command = c.is_whitespace() || ";&|()`'\"".contains(c) || (!unsure && outside.contains(&at));
            prop_assert!(no_command || inside(at), "{at} of {line:?} in {found:?}");
        }
    }
}

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

/// The numbers of the commands that are told: of each the first `p N` in it.
fn numbers(line: &str) -> Vec<String> {
    let number = Regex::new("p ([0-9]+)").unwrap();
    let texts = segments(line).into_iter().map(|one| line[one.bytes].to_owned());
    let found = texts.filter_map(|text| Some(number.captures(&text)?[1].to_owned()));
    found.collect()
}

#[test]
fn what_ran_is_seen() {
    let shell = "/bin/sh";
    let line = "p 1 &>x p 2; echo \\>&p 3\n# ; p 4\necho 'p 5'";
    let mut seen = ran(shell, line).unwrap();
    seen.sort();
    assert!(
        seen.contains(&"1".to_owned()) && seen.contains(&"3".to_owned()),
        "{seen:?}"
    );
    assert!(
        !seen.contains(&"4".to_owned()) && !seen.contains(&"5".to_owned()),
        "{seen:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]
    #[test]
    fn what_a_shell_runs_is_told(parts in proptest::collection::vec(prop_oneof![
        8 => Just("p N "),
        5 => prop::sample::select(vec!["; ", " ;", "&", "&&", "||", "|", "\n", " "]),
        3 => prop::sample::select(vec!["'", "\"", "\\", "#", " #", "\\ #", "\\\n", "\\>", "\\<"]),
        3 => prop::sample::select(vec!["&>x ", ">&2 ", ">x ", ">", "<", ">&", "&>", ">|", "<&", ">>", "2>&1 "]),
        1 => prop::sample::select(vec!["<<e ", "\ne\n", "<<'e'\n", "<<\\"]),
        1 => prop::sample::select(vec!["(p N )", "$(p N )", "`p N `", "<(p N )", "${x:-", "}", "$'", "[", "[["]),
        1 => prop::sample::select(vec!["a", "x=", "! ", "if ", " then ", " fi ", "case a in a) "]),
    ], 2..12)) {
        let mut line = String::new();
        for (at, part) in parts.iter().enumerate() {
            line += &part.replace('N', &(100 + at).to_string());
        }
        let told = numbers(&line);
        for shell in ["/bin/sh", "/usr/bin/dash", "/usr/bin/bash"] {
            for number in ran(shell, &line).unwrap_or_default() {
                prop_assert!(told.contains(&number), "{shell} ran p {number} of {line:?}, told were {told:?}");
            }
        }
    }
}
