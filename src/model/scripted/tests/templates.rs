//! Tests the output of templates and calls.
//!
//! Must not know: the engine.

use super::*;

#[test]
fn groups_of_a_condition_can_be_named_in_templates() {
    let rules = "[[rule]]\nwhen = { prompt = 'add (\\d+) and (?<second>\\d+)' }\nanswer = \"{{ prompt.1 }}+{{ prompt.second }}\"";
    assert_eq!(answer(rules, vec![user("add 2 and 3")]), "2+3");
}

#[test]
fn filters_return_the_documented_values() {
    let text = "b.rs:3:x\na.rs:1:TODO y\nb.rs:9:z\n\nlast";
    for (template, expected) in [
        ("{{ result.notes | first }}", "b.rs:3:x"),
        (
            "{{ result.notes | first 2 | join \", \" }}",
            "b.rs:3:x, a.rs:1:TODO y",
        ),
        ("{{ result.notes | last }}", "last"),
        ("{{ result.notes | skip 3 }}", "last"),
        ("{{ result.notes | count }}", "4"),
        (
            "{{ result.notes | more_than 3 }}{{ result.notes | more_than 4 }}",
            "1",
        ),
        ("{{ result.notes | grep \"^b\" | count }}", "2"),
        ("{{ result.notes | reject \"^b\" | count }}", "2"),
        (
            "{{ result.notes | extract \"^(.+?):\\d+:\" | tally | join \" \" }}",
            "b.rs a.rs",
        ),
        (
            "{{ result.notes | extract \"^(.+?):\\d+:\" | tally \"{count}×{item}\" | join \" \" }}",
            "2×b.rs 1×a.rs",
        ),
        (
            "{{ result.notes | extract \"^(.+?):\" | unique | sort | join \" \" }}",
            "a.rs b.rs",
        ),
        ("{{ result.notes | match \"nothing\" \"TODO (.)\" }}", "y"),
        (
            "{{ result.notes | match \"nothing\" | default \"none\" }}",
            "none",
        ),
        ("{{ result.other | default \"none\" | code }}", "`none`"),
        ("{{ result.notes | plural \"line\" \"lines\" }}", "4 lines"),
        ("{{ result.notes | grep TODO | plural \"line\" \"lines\" }}", ""),
        (
            "{{ result.notes | grep \"TODO\" | plural \"line\" \"lines\" }}",
            "1 line",
        ),
        (
            "{{ result.notes | grep \"nothing\" | plural \"line\" \"lines\" }}",
            "no lines",
        ),
        (
            "{{ result.notes | last | replace \"a(.)\" \"$1-\" | prefix \"<\" | suffix \">\" }}",
            "<ls-t>",
        ),
        ("{{ result.notes | first | cap 4 | code }}", "`b.r…`"),
        (
            "{{ result.notes | first 1 | plus args.notes.path | join \"+\" }}",
            "b.rs:3:x+a.txt",
        ),
        ("{{ args.notes.n }} {{ call.notes }} {{ turn }}", "7 c3 3"),
        (
            "{{ prompt | regex }} {{ prompt | replace \"go\" \"(\" | regex }}",
            "go ahead \\( ahead",
        ),
        (
            "{{#if result.notes}}yes{{else}}no{{/if}} {{#if error.notes}}yes{{else}}no{{/if}}",
            "yes no",
        ),
        (
            "{{#each result.notes | first 2 }}{{ n }}:{{ item | cap 2 }} {{/each}}",
            "1:b… 2:a… ",
        ),
        ("{{#each done}}{{ args.@.path }}{{/each}}", "a.txt"),
        ("{{ result.read_file | count }}", "4"),
    ] {
        if template.contains("grep TODO") {
            assert!(
                Playbook::parse(
                    "t",
                    &format!("[meta]\nname='t'\n[[rule]]\nanswer='''{template}'''")
                )
                .is_err()
            );
            continue;
        }
        assert_eq!(show(template, text), expected, "{template}");
    }
    assert_eq!(
        show(
            "{{ result.notes.items.1.name }}",
            r#"{"items":[{},{"name":"x"}]}"#
        ),
        "x"
    );
}

#[test]
fn tags_alone_on_a_line_leave_no_blank_line() {
    let template = "a\n{{#if result.notes}}\nb\n{{else}}\nc\n{{/if}}\nd{{#if result.notes}}\n{{/if}}e";
    assert_eq!(show(template, "x"), "a\nb\nd\ne");
}

#[test]
fn a_value_that_is_not_there_names_itself_and_the_rule() {
    let rules = "\n[[rule]]\nanswer = \"{{ result.gone | first }}\"";
    let fault = blocks(rules, vec![user("go")]).unwrap_err();
    assert_eq!(
        fault,
        NoScript::NoValue {
            line: 4,
            source: "result.gone".into()
        }
    );
}

#[test]
fn named_values_take_the_first_candidate_that_gives_something_and_never_loop() {
    let rules = "[values]\na = [\"{{ result.gone }}\", \"{{ b }}!\"]\nb = \"x\"\nloop = \"{{ loop }}\"\n\
        [[rule]]\nanswer = \"{{ a }}{{ loop | default \\\"-\\\" }}\"";
    assert_eq!(answer(rules, vec![user("go")]), "x!-");
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
        each = "{{ prompt | replace \" \" \"\n\" | lines }}"
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
