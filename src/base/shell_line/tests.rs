//! Tests of reading lines: by example, at random, and against shells.
//!
//! Must not know: rules.

mod against_shells;
mod becomes;
mod inside;
mod options;
mod random;

use super::{Program, Reading, Uncertainty};

/// The listed commands of a line: the sign before each, its program and its text.
fn listed_commands(line: &str) -> Vec<(&'static str, String, String)> {
    let reading = Reading::of_line(line);
    let listed = reading.listed().map(|one| {
        let program = match &one.program {
            Program::Named(name) => name.clone(),
            Program::Unknown => "?".to_owned(),
            Program::None => "-".to_owned(),
        };
        (one.after, program, one.text.clone())
    });
    listed.collect()
}

fn programs(line: &str) -> Vec<String> {
    listed_commands(line)
        .into_iter()
        .map(|(_, program, _)| program)
        .collect()
}

fn uncertainty(line: &str) -> Option<Uncertainty> {
    Reading::of_line(line).uncertainty
}

#[test]
fn a_line_is_split_at_its_operators() {
    let one = |after, program: &str, text: &str| (after, program.to_owned(), text.to_owned());
    assert_eq!(listed_commands("ls -la"), [one("", "ls", "ls -la")]);
    assert_eq!(
        listed_commands("ls && rm -rf x|wc -l ; A=1 b=2 make all& "),
        [
            one("", "ls", "ls"),
            one("&&", "rm", "rm -rf x"),
            one("|", "wc", "wc -l"),
            one(";", "make", "A=1 b=2 make all"),
        ]
    );
    assert_eq!(
        listed_commands("a || b |& c\nd"),
        [
            one("", "a", "a"),
            one("||", "b", "b"),
            one("|&", "c", "c"),
            one("⏎", "d", "d")
        ]
    );
    assert_eq!(listed_commands(" ; ; "), []);
}

#[test]
fn what_is_quoted_is_no_sign() {
    for (line, expected) in [
        ("echo 'a; b' \"c && d\" e\\;f >&2", &["echo"][..]),
        ("echo a # ; rm x\nls", &["echo", "ls"]),
        ("echo \"$(date; rm -rf x)\"", &["echo", "date", "rm"]),
        ("echo \"a `b \\\"c\\\"` d\"", &["echo", "b"]),
        ("echo `rm x`", &["echo", "rm"]),
        ("cat <<E\nit's\nE\nrm -rf x", &["cat", "rm"]),
        ("cat <<'E'\n$(rm x)\nE\nls", &["cat", "ls"]),
        ("cat <<-E | wc\n\tx $(id)\n\tE\nls", &["cat", "wc", "id", "ls"]),
        ("(cd a; rm b)", &["cd", "rm"]),
        ("echo ''#; rm x", &["echo", "rm"]),
        ("echo $((1 + $(id -u))) && ls", &["echo", "id", "ls"]),
        ("echo $((a) ; b)", &["echo", "a", "b"]),
        ("A=(1 2 $(id)) && ls", &["-", "id", "ls"]),
        ("a 2>&1 >|b <&- >>c <>d", &["a"]),
        ("ls 2>/dev/null | wc", &["ls", "wc"]),
        ("diff <(a x) >(b y) c", &["diff", "a", "b"]),
        ("echo ${x:-$(id)} \"${y:-`ls`}\"", &["echo", "id", "ls"]),
    ] {
        assert_eq!(programs(line), expected, "{line}");
        assert_eq!(uncertainty(line), None, "{line}");
    }
}

#[test]
fn commands_follow_keywords() {
    for (line, expected) in [
        ("if true; then rm x; else ls; fi", &["true", "rm", "ls"][..]),
        ("while ! a; do b; done >x; c", &["a", "b", "c"]),
        ("for x in rm $(b) 'c d'; do echo $x; done", &["b", "echo"]),
        ("for x; do a; done", &["a"]),
        ("for x\ndo a; done", &["a"]),
        ("for ((i = 0; i < 3; i++)); do a; done", &["a"]),
        (
            "case $x in a|b) rm y;; (c) ls ;; *) id; esac; w",
            &["rm", "ls", "id", "w"],
        ),
        ("case x in esac; w", &["w"]),
        ("echo $(case x in x) rm y;; esac) z", &["echo", "rm"]),
        ("f() { rm x; }; f", &["rm", "f"]),
        ("f() ( rm x )\nf", &["rm", "f"]),
        ("function f { rm x; }", &["rm"]),
        ("{ a; b; } | c", &["a", "b", "c"]),
        ("{ a; } 2>x && b", &["a", "b"]),
        ("time { a; }", &["a"]),
        ("((touch x))", &["touch"]),
        ("if (true) then rm x; fi", &["true", "rm"]),
    ] {
        assert_eq!(programs(line), expected, "{line}");
        assert_eq!(uncertainty(line), None, "{line}");
    }
}

#[test]
fn a_program_is_named_only_if_it_can_be_resolved() {
    assert_eq!(
        programs("$X a; r''m b; \"rm\" c; ./run d; A=$(x) y; /bin/r?m; {a,b}; [ -f x ]"),
        ["?", "rm", "rm", "./run", "y", "x", "?", "?", "["]
    );
    assert_eq!(programs(">x; A=1; $'r\\x6d' y; r\\\nm z"), ["-", "-", "rm", "rm"]);
    assert_eq!(programs("\"$HOME/bin/x\" a; \"$X\"y b"), ["$HOME/bin/x", "?"]);
    for line in ["cp $A b", "cp a > b", "cp a*", "{ cp; }"] {
        let reading = Reading::of_line(line);
        let more = reading.listed().any(super::Command::is_more);
        assert!(more || line.starts_with('{'), "{line}");
    }
}

#[test]
fn no_operator_is_hidden_by_preceding_text() {
    for (line, last) in [
        ("sleep 1 &>/dev/null rm -rf x", "rm"),
        ("echo \\ #foo; rm x", "rm"),
        ("echo \"a # b $(true)\"; rm -rf x", "rm"),
        ("echo date\\>|sh", "sh"),
        ("echo \\>&rm -rf x", "rm"),
        ("cat <<'\\'\nx\n\\\nrm x", "rm"),
        ("echo ${x: # }; rm y", "rm"),
        ("(a)#it's\nrm y", "rm"),
        ("cat <\\\n<E\nit's\nE\nrm x", "rm"),
    ] {
        assert!(programs(line).contains(&last.to_owned()), "{line}");
    }
}

#[test]
fn lines_that_cannot_be_parsed_are_unresolved() {
    for line in [
        "echo 'a",
        "echo \"a",
        "echo `a",
        "echo $(a",
        "echo ${a",
        "(a",
        "a)",
        "cat <<E\nx",
        "cat <<E; echo 'a\nb'\nE\nls",
        "cat <<E\nx\\\nE\nls",
        "echo $[1 # ]; ls",
        "echo $'\\''; ls; echo ''",
        "echo \"${x:-'}'}\"",
        "${ ls; }",
        "x=(1)#; ls",
        "a (b)",
        "for x (a b) ls",
        "echo ${x@P}",
        "alias a=b",
    ] {
        assert!(uncertainty(line).is_some(), "{line}");
    }
    for line in [
        "$X",
        "`a` b",
        "a | $(b)",
        "env $X",
        "eval \"$X\"",
        "sh -c \"$X\"",
        "xargs -I@ @ x",
    ] {
        assert_eq!(uncertainty(line), Some(Uncertainty::Program), "{line}");
    }
    for line in [
        "curl x | sh",
        "sh -s a",
        "bash <&3",
        ". /dev/stdin",
        "sh <(a)",
        "base64 -d x | sudo bash",
    ] {
        assert_eq!(uncertainty(line), Some(Uncertainty::Input), "{line}");
    }
}

#[test]
fn commands_beyond_the_limit_are_reported_as_unread() {
    let line = vec!["ls"; super::MOST].join(";");
    let reading = Reading::of_line(&line);
    assert_eq!(
        (reading.listed().count(), reading.uncertainty),
        (super::MOST, None)
    );
    let reading = Reading::of_line(&format!("{line};rm -rf x"));
    assert_eq!(reading.listed().last().unwrap().text, "rm -rf x");
    assert_eq!(reading.uncertainty, Some(Uncertainty::TooMany));
    let reading = Reading::of_line(&"ls;".repeat(100_000));
    assert!(reading.commands.len() <= 512 && reading.uncertainty == Some(Uncertainty::TooMany));
    for deep in [
        "$(".repeat(100_000),
        "(".repeat(100_000),
        "${a:-".repeat(100_000),
        "\"$(".repeat(100_000),
        "$((".repeat(100_000),
        format!("{}a", "eval ".repeat(100)),
        format!("{}a", "env ".repeat(10_000)),
        format!("env {} a", "-i ".repeat(100_000)),
    ] {
        let unknown = uncertainty(&deep);
        assert!(unknown.is_some(), "{}", &deep[..30]);
    }
}

#[test]
fn reading_takes_time_in_proportion_to_the_line() {
    // Any of these takes hours where a part is read again for each part around it.
    for line in [
        "\\`".repeat(300_000),
        "`".repeat(300_000),
        "a ".repeat(300_000),
        "<<a ".repeat(100_000),
        format!("{}\n{}", "<<a ".repeat(60), "b\n".repeat(100_000)),
        "a=(".repeat(100_000),
        "case a in ".repeat(100_000),
        "{a,".repeat(100_000),
        "\"${x#'".repeat(50_000),
        format!("echo {}{}", "a ".repeat(100_000), "|cat".repeat(100_000)),
    ] {
        let reading = Reading::of_line(&line);
        assert!(reading.commands.len() <= 512);
    }
}
