//! Tests of filling templates: values, errors, and that data stays data.
//!
//! Must not know: how a template is offered.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::reference::rewrite;

fn sources() -> Sources {
    Sources {
        args: json!({"path": "a b.txt", "n": 3, "list": [1, "†call.c1"], "a/b": {"~": true}, "no": null}),
        result: Some(json!({"id": "x'y\n\"z"})),
        inside: None,
        meta: None,
        before: Some(json!({"content": "old"})),
    }
}

fn filled(args: &Value) -> Result<Value, NotOffered> {
    let template = Template::new(Purpose::Compensate, "t", args)?;
    let filled = fill(&template, &sources())?;
    assert_eq!(&*filled.tool, "t");
    Ok(serde_json::from_str(&filled.args).unwrap())
}

fn wrong(purpose: Purpose, tool: &str, args: &Value) -> String {
    Template::new(purpose, tool, args).unwrap_err().to_string()
}

#[test]
fn a_whole_placeholder_is_the_value_itself() {
    for (text, expected) in [
        ("{/path}", json!("a b.txt")),
        ("{/n}", json!(3)),
        ("{/a~1b/~0}", json!(true)),
        ("{/a~1b}", json!({"~": true})),
        ("{result}", json!({"id": "x'y\n\"z"})),
        ("{result/id}", json!("x'y\n\"z")),
        ("{before/content}", json!("old")),
    ] {
        assert_eq!(
            filled(&json!({"k": [text]})).unwrap(),
            json!({"k": [expected]}),
            "{text}"
        );
    }
}

#[test]
fn within_text_a_value_is_text() {
    for (text, expected) in [
        ("f {/path}!", "f a b.txt!"),
        ("{/n}{/n}", "33"),
        ("rm {/path|sh}", "rm 'a b.txt'"),
        ("{/path|sh}", "'a b.txt'"),
        ("x {result/id|sh}", "x 'x'\\''y\n\"z'"),
        ("{/a~1b} {result/id}", "{\"~\":true} x'y\n\"z"),
        // What is no placeholder stays as it is.
        (
            "awk '{print $1}' {} {a} {results} {",
            "awk '{print $1}' {} {a} {results} {",
        ),
        ("{{/path} {{result} {{x {{{/n}", "{/path} {result} {{x {{/n}"),
    ] {
        let out = filled(&json!({ "k": text }));
        assert_eq!(out.unwrap(), json!({ "k": expected }), "{text}");
    }
}

#[test]
fn a_value_stays_one_string_whatever_is_in_it() {
    let out = filled(&json!({"k": "<{result/id}>", "other": "stays"})).unwrap();
    assert_eq!(out, json!({"k": "<x'y\n\"z>", "other": "stays"}));
    assert_eq!(out.as_object().unwrap().len(), 2);
}

#[test]
fn what_was_recorded_is_never_read_as_a_reference() {
    let out = filled(&json!({"a": "{/list}", "own": "†call.c2.id"})).unwrap();
    assert_eq!(out, json!({"a": [1, "††call.c1"], "own": "†call.c2.id"}));
    let text = out.to_string();
    assert_eq!(rewrite::scan(&text).references.len(), 1, "the author's own");
    let run = rewrite::resolve(&text, |_| Some("9".into()));
    assert_eq!(*run, *json!({"a": [1, "†call.c1"], "own": 9}).to_string());
}

#[test]
fn missing_values_are_reported_and_nothing_is_offered() {
    for (text, output) in [
        ("{/gone}", "{/gone}: nothing was recorded there"),
        ("{/no}", "{/no}: nothing was recorded there"),
        ("a {result/nr} b", "{result/nr}: nothing was recorded there"),
        ("{meta/exit}", "{meta/exit}: nothing was recorded there"),
    ] {
        assert_eq!(
            filled(&json!({"k": [{"x": text}]})).unwrap_err().to_string(),
            output
        );
    }
    let mut sources = sources();
    sources.before = Some(json!({"not_kept": "it was larger than 64 KiB"}));
    let template = Template::new(Purpose::Compensate, "t", &json!({"c": "{before/content}"})).unwrap();
    assert_eq!(
        fill(&template, &sources).unwrap_err().to_string(),
        "{before/content}: nothing was recorded there (it was larger than 64 KiB)"
    );
}

#[test]
fn bad_templates_are_refused_with_the_cure() {
    use Purpose::{Compensate, Probe};
    for (purpose, tool, args, output) in [
        (Compensate, "t", json!("x"), "the arguments are no table"),
        (
            Compensate,
            "t",
            json!({"k": "a {/path"}),
            "`{/path` is not closed; end the placeholder with `}`, or write `{{` for a brace",
        ),
        (
            Compensate,
            "t",
            json!({"k": "{/a~2}"}),
            "`{/a~2}` holds no JSON pointer; write it such as {/path} or {result/id}",
        ),
        (
            Compensate,
            "t",
            json!({"k": "{/a|SH}"}),
            "`{/a|SH}` holds no JSON pointer; write it such as {/path} or {result/id}",
        ),
        (
            Probe,
            "t",
            json!({"k": "{result/id}"}),
            "`{result/id}` needs a result, and a probe has none",
        ),
        (
            Probe,
            "shell",
            json!({"command": "stat {/path}"}),
            "`{/path}` stands in a command line and could be read as more than one word; write {/path|sh}",
        ),
    ] {
        assert_eq!(wrong(purpose, tool, &args), output);
    }
    let shell = json!({"command": "stat {/path|sh}", "cwd": "x{/path}"});
    assert!(Template::new(Probe, "shell", &shell).is_ok());
    assert!(Template::new(Compensate, "shell", &json!({"command": "{/undo}"})).is_ok());
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn no_template_and_no_value_panics_or_breaks_out(
        text in "[{}/a-c~01|sh \"'\n†]{0,24}",
        word in any::<String>(),
    ) {
        let sources = Sources {
            args: json!({"a": word, "b": {"c": [word]}}),
            ..Sources::default()
        };
        if let Ok(template) = Template::new(Purpose::Probe, "t", &json!({"k": text, "z": 1}))
            && let Ok(filled) = fill(&template, &sources)
        {
            let back: Value = serde_json::from_str(&filled.args).unwrap();
            let keys: Vec<_> = back.as_object().unwrap().keys().collect();
            prop_assert_eq!(keys, ["k", "z"]);
        }
    }

    #[test]
    fn a_quoted_word_is_one_word(word in "[^\u{0}]{0,24}") {
        let sources = Sources { args: json!({"w": word}), ..Sources::default() };
        let template = Template::new(Purpose::Probe, "shell", &json!({"command": "x {/w|sh} y"})).unwrap();
        let filled = fill(&template, &sources).unwrap();
        let back: Value = serde_json::from_str(&filled.args).unwrap();
        let line = back["command"].as_str().unwrap();
        // Read by the rules of the shell: within single quotes nothing means anything but their end.
        let (mut words, mut quoted, mut signs) = (vec![String::new()], false, line.chars());
        while let Some(sign) = signs.next() {
            match sign {
                '\'' => quoted = !quoted,
                '\\' if !quoted => words.last_mut().unwrap().extend(signs.next()),
                ' ' if !quoted => words.push(String::new()),
                other => words.last_mut().unwrap().push(other),
            }
        }
        prop_assert_eq!(words, vec!["x".to_owned(), word, "y".to_owned()]);
    }
}
