//! Tests what a rule file may contain, and the errors of faulty ones.
//!
//! Must not know: what matching does.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::parse;
use crate::{Origin, Preset};
use overrule_domain::call::{Consequence, Gate};

use super::{fault, read};

#[test]
fn everything_that_can_be_written() {
    let written = read(
        r#"
preset = "auto"
deadline = "5m"
on_expiry = "escalate"

[[rule]]
tool = ["a*", "b"]
server = "s"
effect = "read"
tag = ["external", "irreversible"]
gate = "ask"
reason = "because"
deadline = "90s"
on_expiry = "halt"

  [[rule.args]]
  at = "/x/0"
  min = 1
  max = 2

  [[rule.args]]
  at = ""
  regex = '^\{'
  not = true

[[rule]]
tool = "c"
gate = "allow"
uses = 3
expires = 2030-01-01T00:00:00+01:00
"#,
        Origin::User,
    );
    assert_eq!(written.preset.unwrap().value, Preset::Auto);
    let deadline = written.deadline.unwrap().value;
    assert_eq!(
        (deadline.ms, deadline.on_expiry),
        (300_000, Consequence::Escalate)
    );
    let [first, second] = &written.rules[..] else {
        panic!("two rules")
    };
    assert_eq!((first.gate, first.deadline.unwrap().ms), (Gate::Ask, 90_000));
    assert_eq!(first.matcher.args.len(), 2);
    assert_eq!(first.place.as_ref().unwrap().line, 6);
    assert_eq!((second.uses, second.expires), (Some(3), Some(1_893_452_400_000)));
    assert_eq!(
        second.cite(),
        "user rules.toml:26: { tool = \"c\", gate = \"allow\", uses = 3, expires = 2030-01-01T00:00:00+01:00 }"
    );
}

#[test]
fn a_rule_is_cited_as_written() {
    let text = "rule = [\n  { gate = 'deny', args = [\n { at = \"/p\", glob = 'a*' } ], tool = \"t\" },\n]";
    let rule = read(text, Origin::Session).rules.remove(0);
    assert_eq!(
        rule.cite(),
        "session rules.toml:2: { gate = 'deny', args = [ { at = \"/p\", glob = 'a*' } ], tool = \"t\" }"
    );
}

#[test]
fn errors_name_place_key_and_cure() {
    let table = [
        (
            "[[rule]]\ntool = \"t\"\ngat = \"deny\"",
            "rules.toml:3:1: `rule[0].gat`: unknown key; did you mean `gate`?",
        ),
        (
            "presett = 1",
            "rules.toml:1:1: `presett`: unknown key; did you mean `preset`?",
        ),
        (
            "colour = 1",
            "rules.toml:1:1: `colour`: unknown key; known here: deadline, on_expiry, preset, rule",
        ),
        (
            "preset = \"open\"",
            "rules.toml:1:10: `preset`: unknown value `open`; use supervised, guarded, edits, reversible, auto or read-only",
        ),
        (
            "preset = 3",
            "rules.toml:1:10: `preset`: expected a string in quotes, found a whole number; write a string in quotes",
        ),
        (
            "rule = 1",
            "rules.toml:1:8: `rule`: expected a list, found a whole number; write a list",
        ),
        (
            "[[rule]]\ntool = \"t\"",
            "rules.toml:1:1: `rule[0].gate`: is missing; add gate = \"allow\", \"ask\" or \"deny\"",
        ),
        (
            "[[rule]]\ntool = \"t\"\ngate = \"no\"",
            "rules.toml:3:8: `rule[0].gate`: unknown value `no`; use allow, ask or deny",
        ),
        (
            "[[rule]]\ngate = \"deny\"",
            "rules.toml:1:1: `rule[0]`: names no tool, and nothing else says which calls the rule is about; add tool = \"*\" for all of them",
        ),
        (
            "[[rule]]\ntool = []\ngate = \"ask\"",
            "rules.toml:2:8: `rule[0].tool`: the list is empty; name at least one, or leave the key out",
        ),
        (
            "[[rule]]\neffect = \"writes\"\ngate = \"ask\"",
            "rules.toml:2:10: `rule[0].effect`: unknown effect class `writes`; use pure, read, idempotent, write or unknown",
        ),
        (
            "[[rule]]\ntool = \"t\"\ngate = \"ask\"\ndeadline = \"5\"",
            "rules.toml:4:12: `rule[0].deadline`: `5` is no duration; write a number and ms, s, m, h or d, such as \"30s\"",
        ),
        (
            "[[rule]]\ntool = \"t\"\ngate = \"deny\"\nuses = 1",
            "rules.toml:4:8: `rule[0].uses`: only goes with gate = \"allow\"; remove it",
        ),
        (
            "[[rule]]\ntool = \"t\"\ngate = \"allow\"\nuses = 0",
            "rules.toml:4:8: `rule[0].uses`: 0 is out of range; write a whole number from 1 to 4294967295",
        ),
        (
            "[[rule]]\ntool = \"t\"\ngate = \"deny\"\ndeadline = \"1s\"",
            "rules.toml:4:12: `rule[0].deadline`: only goes with gate = \"ask\"; remove it",
        ),
        (
            "[[rule]]\ntool = \"t\"\ngate = \"ask\"\non_expiry = \"deny\"",
            "rules.toml:4:13: `rule[0].on_expiry`: without a deadline; add deadline = \"5m\"",
        ),
        (
            "[[rule]]\ntool = \"t\"\ngate = \"ask\"\nexpires = 2030-01-01",
            "rules.toml:4:11: `rule[0].expires`: `2030-01-01` is no time with an offset from UTC; write it such as 2030-01-31T12:00:00Z",
        ),
        (
            "[[rule]]\ngate = \"ask\"\nargs = [{ at = \"x\", is = 1 }]",
            "rules.toml:3:16: `rule[0].args[0].at`: `x` is no JSON pointer; begin it with a slash, such as \"/path\"",
        ),
        (
            "[[rule]]\ngate = \"ask\"\nargs = [{ at = \"/x\" }]",
            "rules.toml:3:16: `rule[0].args[0].at`: nothing to compare with; add one of glob, regex, is, min and max, under",
        ),
        (
            "[[rule]]\ngate = \"ask\"\nargs = [{ at = \"/x\", is = 1, glob = \"a\" }]",
            "rules.toml:3:16: `rule[0].args[0].at`: more than one thing to compare with; write one table of args for each",
        ),
        (
            "[[rule]]\ngate = \"ask\"\nargs = [{ at = \"/x\", under = \"../y\" }]",
            "rules.toml:3:30: `rule[0].args[0].under`: `../y` does not stay in the workspace; write a directory relative to it, \".\" for all of it",
        ),
    ];
    for (text, message) in table {
        assert_eq!(fault(text).to_string(), message);
    }
}

#[test]
fn broken_patterns_and_broken_toml() {
    let glob = fault("[[rule]]\ntool = \"a[\"\ngate = \"ask\"");
    assert_eq!((glob.place.line, glob.key.as_str()), (2, "rule[0].tool"));
    let regex = fault("[[rule]]\ngate = \"ask\"\nargs = [{ at = \"/x\", regex = \"(\" }]");
    assert_eq!(
        (regex.place.line, regex.key.as_str()),
        (3, "rule[0].args[0].regex")
    );
    let doubled = fault("preset = \"auto\"\npreset = \"guarded\"");
    assert_eq!(doubled.place.line, 2);
    assert!(doubled.to_string().contains("duplicate key"), "{doubled}");
    let cut = fault("a = 1\n[[rule]\n");
    assert_eq!(cut.place.line, 2);
}

#[test]
fn columns_count_characters() {
    assert_eq!(fault("\"é\" = 1\nü = 2").place.line, 2);
    assert_eq!(fault("rule = [{ reason = \"éü\", gate = 1 }]").place.column, 33);
}

#[test]
fn nothing_of_a_file_reaches_a_message_raw() {
    let message = fault("preset = \"\\u001b[31m\"").to_string();
    assert!(!message.contains('\u{1b}'), "{message:?}");
    let message = fault("\"\\u001b]0;x\\u0007\" = 1").to_string();
    assert!(!message.contains('\u{1b}'), "{message:?}");
}

proptest! {
    #![proptest_config(overrule_testing::cases(32))]

    #[test]
    fn no_text_panics(text in ".{0,200}") {
        let _ = parse::file("f", &text, Origin::User);
    }

    #[test]
    fn no_rule_like_text_panics(
        keys in prop::collection::vec(
            (
                prop::sample::select(vec!["tool", "gate", "args", "uses", "deadline", "expires", "effect", "on_expiry"]),
                prop::sample::select(vec![
                    "1", "-1", "\"deny\"", "\"ask\"", "[]", "{}", "[{}]", "1.5", "inf", "true", "\"1s\"", "\"99999999999999999999d\"",
                    "2030-01-01", "[{ at = \"/\", min = nan }]", "0xffffffffffffffff", "\"[\"",
                ]),
            ),
            0..6,
        )
    ) {
        let mut text = String::from("[[rule]]\n");
        for (key, value) in keys {
            writeln!(text, "{key} = {value}").unwrap();
        }
        if let Err(error) = parse::file("f", &text, Origin::User) {
            prop_assert!(error.place.line >= 1);
        }
    }
}
