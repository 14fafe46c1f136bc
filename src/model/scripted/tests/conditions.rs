//! Tests which rule matches a request.
//!
//! Must not know: the engine.

use super::*;

#[test]
fn the_first_rule_that_holds_wins_and_none_is_an_error() {
    let rules = "[[rule]]\nwhen = { turn = [1, 2] }\nanswer = \"early\"\n\
        [[rule]]\nwhen = { prompt = \"^go\" }\nanswer = \"first\"\n\
        [[rule]]\nwhen = { turn = 3 }\nanswer = \"second\"";
    assert_eq!(answer(rules, vec![user("go ahead")]), "first");
    assert_eq!(answer(rules, vec![user("stop")]), "second");
    let narrow = "[[rule]]\nwhen = { turn = 9 }\nanswer = \"x\"";
    assert_eq!(blocks(narrow, vec![user("go")]), Err(NoScript::NoRule));
}

/// Returns true if a rule with this condition matches.
fn holds(when: &str, messages: Vec<Message>) -> bool {
    blocks(
        &format!("[[rule]]\nwhen = {{ {when} }}\nanswer = \"yes\""),
        messages,
    )
    .is_ok()
}

#[test]
fn conditions_see_results_by_tool_label_and_status() {
    let reported = vec![
        user("go"),
        assistant(
            &[],
            &[(3, "search", r#"{"_as":"marks"}"#), (4, "read_file", "{}")],
        ),
        result(3, "search", "result of c3 (as marks):\na.rs:1:x", false),
        result(
            4,
            "read_file",
            r#"{"call":{},"error":{"class":"rejected","message":"no"}}"#,
            true,
        ),
    ];
    for yes in [
        "last_tool = \"search\"",
        "last_tool = [\"nothing\", \"read_.*\"]",
        "last_status = \"error\"",
        "seen_call = [\"marks\", \"c4\"]",
        "seen_call = \"search\", done = \"marks\", failed = \"c4\"",
        "observation = \"^a\\\\.rs\"",
        "tools = false",
        "given = \"{{ result.marks }}\", missing = \"{{ result.c4 }}\"",
        "given = \"{{ error.c4 }}\"",
    ] {
        assert!(holds(yes, reported.clone()), "{yes}");
    }
    for no in [
        "last_tool = \"sear\"",
        "last_status = \"ok\"",
        "seen_call = [\"marks\", \"c5\"]",
        "done = \"c4\"",
        "failed = \"marks\"",
        "observation = \"result of\"",
        "operator = \".\"",
        "tools = true",
        "missing = \"{{ result.marks }}\"",
    ] {
        assert!(!holds(no, reported.clone()), "{no}");
    }
    let mut later = reported;
    later.push(user("and now?"));
    assert!(
        !holds("done = \"marks\"", later.clone()),
        "a new prompt starts again"
    );
    assert!(holds("seen_call = \"marks\"", later.clone()));
    assert!(!holds("last_tool = \"search\"", later.clone()));
    assert!(holds("operator = \"now\"", later));
}

#[test]
fn the_operators_words_count_until_the_model_has_acted_on_them() {
    let mut reported = vec![
        user("go"),
        assistant(&[("I look for a.", false), ("I look for b.", true)], &[]),
        note(NoteKind::ThoughtRewritten, "rewritten"),
    ];
    assert!(holds("operator = 'for b', thought = 'for b'", reported.clone()));
    reported[1] = assistant(&[("I look for b.", true), ("So I do.", false)], &[]);
    assert!(!holds("operator = '.'", reported.clone()), "the model continued");
    reported[1] = assistant(&[("I look for b.", true)], &[]);
    assert!(holds("operator = 'for b', thought = 'for b'", reported.clone()));
    reported.push(note(NoteKind::Notice, "One request is left."));
    assert!(
        holds("operator = 'for b'", reported.clone()),
        "a notice of the program changes nothing"
    );
    reported.push(assistant(&[("Fine.", false)], &[(5, "search", "{}")]));
    reported.push(result(5, "search", "", false));
    assert!(!holds("operator = '.'", reported.clone()));
    reported.push(note(NoteKind::AnswerRejected, "not good enough"));
    assert!(holds("operator = 'good'", reported));
}

#[test]
fn mistakes_name_file_line_and_key() {
    for (text, expected) in [
        (
            "[meta]\nname = \"x\"\nspeed = 3\n",
            "p.toml:3:1: `meta.speed`: unknown key; known here: ",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nwhenn = {}\n",
            "p.toml:5:1: `rule[0].whenn`: unknown key; did you mean `when`?",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nwhen = { turn = 1, prompts = \"a\" }\n",
            "p.toml:5:20: `rule[0].when.prompts`: unknown key; did you mean `prompt`?",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\n[[rule.call]]\ntool = \"a\"\nargz = {}\n",
            "p.toml:6:1: `rule[0].call[0].argz`: unknown key; did you mean `args`?",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = 3\n",
            "p.toml:4:10: `rule[0].answer`: expected a string in quotes, found a whole number",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nwhen = { prompt = \"(\" }\n",
            "p.toml:5:19: `rule[0].when.prompt`: `(` is not a regular expression",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ turn | frist }}\"\n",
            "p.toml:4:10: `rule.answer`: `frist` is not a filter; hint: ",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = '''\nx | y\n{{ turn is nix }}'''\n",
            "p.toml:6:10: `rule.answer`: `nix` is not a test; hint: ",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = '''reslut\n{{ reslut.a }}'''\n",
            "p.toml:5:10: `rule.answer`: `reslut` is not a variable here; hint: use one of args, ",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{#if a}}\"\n",
            "p.toml:4:10: `rule.answer`: syntax error at `#`: unexpected character; hint: templates are Jinja",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ a\"\n",
            "p.toml:4:10: `rule.answer`: syntax error at ",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{% if turn %}\"\n",
            "unexpected end of input",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ a b }}\"\n",
            "unexpected identifier, expected end of variable block",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nthink = \"b\"\n",
            "p.toml:3:1: `rule[0]`: `answer` must be alone",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nwhen = {}\n",
            "p.toml:3:1: `rule[0]`: the rule does nothing",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nfail = \"maybe\"\n",
            "p.toml:4:8: `rule[0].fail`: unknown value `maybe`; use hang, ",
        ),
        (
            "[meta]\nname = \"x\"\ntokens_per_s = 0\n[[rule]]\nanswer = \"a\"\n",
            "p.toml:3:16: `meta.tokens_per_s`: must be more than 0",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nwhen = { turn = -1 }\n",
            "p.toml:5:17: `rule[0].when.turn`: -1 is out of range; write 0 or more",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\n[[rule.call]]\nas = \"a\"\n",
            "`rule[0].call[0].tool`: is missing; name the tool to call",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\n[[rule.call]]\ntool = \"a\"\nargs = { at = 2026-01-01 }\n",
            "p.toml:6:15: `rule[0].call[0].args.at`: expected a value that JSON has too, found a time",
        ),
        ("[meta]\nname = \"x\"\n", "there is no `[[rule]]`"),
        ("[[rule]]\nanswer = \"a\"\n", "`meta`: is missing; add `[meta]`"),
        ("[meta]\nname = \"x\"\n[[rule]]\nanswer = \n", "p.toml:4:"),
        ("\0\u{1b}", "p.toml:1:"),
    ] {
        let message = Playbook::parse("p.toml", text).unwrap_err().to_string();
        assert!(
            message.starts_with("p.toml:") && message.contains(expected),
            "{text}\n{message}"
        );
        assert!(!message.contains('\u{1b}'), "{message:?}");
    }
}

#[test]
fn the_documentation_shows_a_playbook_that_works_and_names_every_variable() {
    let text = include_str!("../../../../docs/playbook.md");
    let example = text
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let playbook = Playbook::parse("docs/playbook.md", example).unwrap();
    let reported = vec![
        user("greet `Ada`"),
        assistant(&[], &[(3, "list_dir", r#"{"_as":"listing"}"#)]),
        result(3, "list_dir", "a\nb", false),
    ];
    let output = script(&playbook, &Arc::new(View::of(&request(reported)))).unwrap();
    assert_eq!(output.blocks, [Block::Text("Hello Ada. I see 2 entries.".into())]);
    for name in crate::scripted::scope::NAMES {
        assert!(
            text.contains(&format!("`{name}")),
            "the variable {name} is not described"
        );
    }
}
