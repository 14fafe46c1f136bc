//! Tests the output of templates and calls.
//!
//! Must not know: the engine.

use std::fmt::Write as _;

use super::*;

#[test]
fn groups_of_a_condition_can_be_named_in_templates() {
    let rules = "[[rule]]\nwhen = { prompt = 'add (\\d+) and (?<second>\\d+)' }\n\
        answer = \"{{ groups.prompt[1] }}+{{ groups.prompt.second }}\"";
    assert_eq!(answer(rules, vec![user("add 2 and 3")]), "2+3");
}

#[test]
fn variables_show_the_request() {
    for (template, expected) in [
        ("{{ result.notes }}", "a\nb"),
        ("{{ result.c3 | length }} {{ result.read_file | length }}", "3 3"),
        (
            "{{ args.notes.path }} {{ args.notes.n + 1 }} {{ call.notes }} {{ turn }}",
            "a.txt 8 c3 3",
        ),
        (
            "{{ done | join }} {{ failed | length }} {{ exit.notes }}",
            "notes 0 0",
        ),
        (
            "{{ prompt }}, {{ thought }}, {{ wishes | first }}",
            "go ahead, hm, go ahead",
        ),
        ("<{{ operator }}{{ notice }}>", "<>"),
        (
            "{% for label in done %}{{ args[label].path }}{% endfor %}",
            "a.txt",
        ),
        (
            "{{ 'yes' if result.notes is defined else 'no' }} {{ error.notes is defined }}",
            "yes False",
        ),
        ("{{ result.gone | default('none') }}", "none"),
    ] {
        assert_eq!(show(template, "a\nb"), expected, "{template}");
    }
    let json = r#"{"items":[{},{"name":"x"}],"ok":true}"#;
    assert_eq!(
        show(
            "{{ json.notes['items'][1].name }} {{ json.notes.ok | tojson }}",
            json
        ),
        "x true"
    );
    assert_eq!(
        show(
            "{{ json.notes is defined }} {{ json['notes'].a is defined }}",
            "{\"b\":1}"
        ),
        "True False"
    );
    assert_eq!(show("{{ json.notes is defined }}", "no json"), "False");
}

#[test]
fn filters_that_jinja_does_not_have_return_the_documented_values() {
    let text = "b.rs:3:x\na.rs:1:TODO y\nb.rs:9:z\n\nlast";
    let lines = "result.notes | lines";
    for (template, expected) in [
        ("LINES | select('search', '^b') | length", "2"),
        ("LINES | reject('search', '^b') | length", "3"),
        ("LINES | extract('^(.+?):\\\\d+:') | join(' ')", "b.rs a.rs b.rs"),
        ("result.notes | extract('nothing', 'TODO (.)')", "y"),
        ("result.notes | extract('nothing') | default('none')", "none"),
        ("LINES | last | regex_replace('a(.)', '$1-')", "ls-t"),
        ("prompt | regex_or_escaped", "go ahead"),
        ("'(' | regex_or_escaped", "\\("),
        (
            "LINES | extract('^(.+?):') | tally | map('join', '=') | join(' ')",
            "b.rs=2 a.rs=1",
        ),
        (
            "'line' ~ ([1] | pluralize) ~ (2 | pluralize) ~ ([] | pluralize('', 'en'))",
            "linesen",
        ),
        ("'Hello world, how are you' | truncate(15)", "Hello..."),
        (
            "'Hello world, how are you' | truncate(9, killwords=true, end='…', leeway=0)",
            "Hello wo…",
        ),
        ("'Hello' | truncate(4)", "Hello"),
        ("prompt | code", "`go ahead`"),
        ("'a`b' | code", "`` a`b ``"),
    ] {
        let template = format!("{{{{ {} }}}}", template.replace("LINES", lines));
        assert_eq!(show(&template, text), expected, "{template}");
    }
}

#[test]
fn tags_alone_on_a_line_leave_no_blank_line() {
    let template = "a\n{% if result.notes %}\nb\n{% else %}\nc\n{% endif %}\nd{% if turn %}x{% endif +%}\ne";
    assert_eq!(show(template, "x"), "a\nb\ndx\ne");
}

#[test]
fn a_fault_names_line_key_value_and_what_to_do() {
    for (template, line, what) in [
        (
            "{{ result.gone | first }}",
            4,
            "`result.gone` is undefined in this request; hint: use `is defined`",
        ),
        ("a\n\n{{ args.notes.nix }}", 6, "`args.notes.nix` is undefined"),
        (
            "{% if error.notes %}x{% endif %}",
            4,
            "`error.notes` is undefined",
        ),
        ("{{ done + 1 }}", 4, "+ operator"),
        (
            "{{ prompt | extract('(') }}",
            4,
            "`(` is not a regular expression",
        ),
        ("{{ prompt | truncate(b=1) }}", 4, "truncate(b=1)"),
        ("{{ done | map('frist') }}", 4, "frist"),
        ("{{ result.gone | code }}", 4, "undefined"),
        ("{{ result.gone | truncate(3) }}", 4, "undefined"),
        ("{{ result.gone | extract('a') }}", 4, "undefined"),
    ] {
        let fault = fault(template, "x");
        assert_eq!(
            (fault.line, &*fault.key),
            (line, "rule.answer"),
            "{template}: {fault}"
        );
        assert!(fault.what.contains(what), "{template}: {fault}");
    }
    let rules =
        "[[rule]]\n\n[[rule.call]]\ntool = 'x'\nargs = { deep = [1, { path = '{{ result.gone }}' }] }";
    let fault = blocks(rules, vec![user("go")]).unwrap_err();
    let NoScript::Fault(fault) = fault else {
        panic!("{fault:?}")
    };
    assert_eq!(
        (fault.line, &*fault.key),
        (7, "rule.call.args.deep.path"),
        "{fault}"
    );
}

#[test]
fn a_template_without_end_or_bound_is_a_fault() {
    let double = format!(
        "{{% set a = 'x' * 1000 %}}{}{{{{ a }}}}",
        "{% set a = a ~ a %}".repeat(60)
    );
    for template in [
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 100000000 }}",
        "{% for a in range(100000) %}{{ 'x' * 10000 }}{% endfor %}",
        "{% for a in range(100000) %}{{ 'x' | extract('a' ~ a) is defined }}{% endfor %}",
        "{{ ('x' * 1000000) | regex_replace('x', 'y' * 1000000) | length }}",
        "{{ ('x' * 1000000) | regex_replace('x+', '$0' * 1000000) | length }}",
        "{{ prompt | extract('a' * 20000000) }}",
        &double,
    ] {
        let fault = fault(template, "x");
        assert_eq!((fault.line, &*fault.key), (4, "rule.answer"));
        assert!(
            fault.what.contains("1000000 steps") && fault.what.contains("hint: "),
            "{fault}"
        );
    }
    // All templates of a request count together.
    let mut rules = "[values]\nv0 = \"{{ 'x' * 20000000 }}\"\n".to_owned();
    for no in 1..10 {
        writeln!(rules, "v{no} = '{{{{ v{} ~ \"y\" }}}}'", no - 1).unwrap();
    }
    rules.push_str("[[rule]]\nanswer = '{{ v9 | length }}'");
    let NoScript::Fault(fault) = blocks(&rules, vec![user("go")]).unwrap_err() else {
        panic!("no fault")
    };
    assert!(
        fault.key.starts_with("values.v") && fault.what.contains("steps"),
        "{fault}"
    );
    let rules = "[[rule]]\n[[rule.call]]\ntool = 'x'\neach = '{{ range(90000) }}'\nargs = { a = '{{ item * 2 }}', b = '{{ item }}', c = '{{ n }}', d = '{{ turn }}' }";
    let NoScript::Fault(fault) = blocks(rules, vec![user("go")]).unwrap_err() else {
        panic!("no fault")
    };
    assert!(fault.what.contains("steps"), "{fault}");
}

#[test]
fn named_values_take_the_first_candidate_that_gives_something_and_see_those_above_them() {
    let rules = "[values]\nb = \"x\"\na = [\"{{ result.gone }}\", \"{{ '' }}\", \"{{ b }}!\"]\n\
        empty = [\"{{ [] }}\", \"{{ result.gone }}\"]\nnothing = \"{{ result.gone }}\"\n\
        [[rule]]\nanswer = \"{{ a }}{{ empty | length }}{{ nothing | default('-') }}\"";
    assert_eq!(answer(rules, vec![user("go")]), "x!0-");
    let later = "[meta]\nname = 't'\n[values]\na = '{{ b }}'\nb = 'x'\n[[rule]]\nanswer = '{{ a }}'";
    let error = Playbook::parse("t.toml", later).unwrap_err().to_string();
    assert!(
        error.starts_with("t.toml:4:5: `values.a`: `b` is not a variable here; hint: "),
        "{error}"
    );
    let taken = "[meta]\nname = 't'\n[values]\nresult = 'x'\n[[rule]]\nanswer = 'a'";
    let error = Playbook::parse("t.toml", taken).unwrap_err().to_string();
    assert!(error.starts_with("t.toml:4:1: `values.result`: "), "{error}");
}

#[test]
fn a_value_keeps_its_type_and_a_text_with_values_is_text() {
    let rules = "[values]\nlist = '{{ [1, 2] }}'\nnumber = '{{ 3 }}'\ntext = '{{ [1] }} {{ [2] }}'\n\
        [[rule]]\nanswer = '{{ list | sum + number }} {{ text }}'";
    assert_eq!(answer(rules, vec![user("go")]), "6 [1] [2]");
    let rules = "[[rule]]\n[[rule.call]]\ntool = 'x'\neach = '{{ prompt }}'";
    let NoScript::Fault(fault) = blocks(rules, vec![user("go")]).unwrap_err() else {
        panic!("no fault")
    };
    assert!(fault.what.contains("must give a list, not a string"), "{fault}");
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let playbook = builtin::playbook("audit").unwrap().unwrap();
    let once = || {
        let listed = result(
            3,
            "list_dir",
            "result of c3 (as listing):\nsrc/\na.rs\nREADME.md",
            false,
        );
        let calls = [(3, "list_dir", r#"{"_as":"listing","z":1,"a":{"c":1,"b":2}}"#)];
        let view = View::of(&request(vec![user("go"), assistant(&[], &calls), listed]));
        script(&playbook, &Arc::new(view)).unwrap().blocks
    };
    assert_eq!(once(), once());
}

#[test]
fn calls_carry_label_output_and_typed_arguments_and_can_be_repeated_for_a_list() {
    let rules = r#"
        [[rule]]
        reasoning = "hidden"
        think = ["one", "  "]
        say = "after"
        [[rule.call]]
        think = "before {{ prompt }}"
        tool = "search"
        as = "marks"
        out = "†state.marks"
        args = { pattern = "{{ prompt }}", max = 5, ignore_case = true, list = ["{{ prompt }}", 1.5], deep = { a = "†call.x" } }
        [[rule.call]]
        each = "{{ prompt | split }}"
        tool = "read_file"
        as = "f{{ n }}"
        args = { path = "{{ item }}" }
    "#;
    let call = |tool: &str, args: &str| Block::Call {
        tool: tool.into(),
        args: args.into(),
    };
    let text = |text: &str| Block::Text(text.into());
    assert_eq!(
        blocks(rules, vec![user("a b")]).unwrap(),
        [
            Block::Reasoning("hidden".into()),
            text("one"),
            text("before a b"),
            call(
                "search",
                r#"{"_as":"marks","_out":"†state.marks","pattern":"a b","max":5,"ignore_case":true,"list":["a b",1.5],"deep":{"a":"†call.x"}}"#
            ),
            call("read_file", r#"{"_as":"f1","path":"a"}"#),
            call("read_file", r#"{"_as":"f2","path":"b"}"#),
            text("after"),
        ]
    );
}

#[test]
fn once_depends_only_on_the_context() {
    let rules = "[[rule]]\nonce = true\n[[rule.call]]\ntool = \"search\"\nas = \"marks\"\n\
        [[rule]]\nonce = true\nthink = \"said\"\n[[rule]]\nanswer = \"done\"";
    let called = assistant(&[], &[(3, "search", r#"{"_as":"marks"}"#)]);
    let first = blocks(rules, vec![user("go")]).unwrap();
    assert!(matches!(first.as_slice(), [Block::Call { .. }]));
    assert_eq!(
        blocks(rules, vec![user("go"), called.clone()]).unwrap(),
        [Block::Text("said".into())]
    );
    let output = assistant(&[("said", false)], &[]);
    assert_eq!(answer(rules, vec![user("go"), called, output]), "done");
}
