//! Playbooks: what their conditions see, what their templates give, what their mistakes say, and how
//! they are streamed. Must not know: the engine.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::choose::{Block, NoScript, script};
use super::view::View;
use super::{Playbook, Scripted, builtin};
use crate::domain::id::{NodeId, NodeKind};
use crate::domain::transcript::{CalledAs, Message, NoteKind, Said};
use crate::domain::turn::{Stop, StreamFault, StreamFaultKind};
use crate::model::{Chunk, Model, Request};

fn node(kind: NodeKind, no: u32) -> NodeId {
    NodeId::new(kind, no)
}

fn user(text: &str) -> Message {
    Message::User {
        node: node(NodeKind::Prompt, 1),
        text: text.into(),
    }
}

fn assistant(words: &[(&str, bool)], calls: &[(u32, &str, &str)]) -> Message {
    let said = |(text, by_operator): &(&str, bool)| Said {
        node: node(NodeKind::Thought, 2),
        text: (*text).into(),
        reasoning: false,
        opaque: None,
        by_operator: *by_operator,
    };
    let called = |(no, tool, args): &(u32, &str, &str)| CalledAs {
        node: node(NodeKind::Call, *no),
        wire_id: format!("call_{no}").into(),
        tool: (*tool).into(),
        args: (*args).into(),
    };
    Message::Assistant {
        said: words.iter().map(said).collect(),
        calls: calls.iter().map(called).collect(),
    }
}

fn result(no: u32, tool: &str, text: &str, is_error: bool) -> Message {
    Message::Result {
        call: node(NodeKind::Call, no),
        wire_id: format!("call_{no}").into(),
        tool: tool.into(),
        text: text.into(),
        is_error,
    }
}

fn note(about: NoteKind, text: &str) -> Message {
    Message::Note {
        about,
        text: text.into(),
    }
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        system: "".into(),
        messages,
        tools: Vec::new(),
        turn: 3,
    }
}

fn playbook(rules: &str) -> Playbook {
    Playbook::parse("test.toml", &format!("[meta]\nname = \"test\"\n{rules}")).unwrap()
}

fn blocks(rules: &str, messages: Vec<Message>) -> Result<Vec<Block>, NoScript> {
    script(&playbook(rules), &View::of(&request(messages))).map(|script| script.blocks)
}

/// The text that a playbook answers with.
fn answer(rules: &str, messages: Vec<Message>) -> String {
    match blocks(rules, messages).unwrap().as_slice() {
        [Block::Text(text)] => text.clone(),
        other => panic!("not one text: {other:?}"),
    }
}

/// What one template gives after a call `notes` with this result.
fn show(template: &str, text: &str) -> String {
    let rule = format!("[[rule]]\nanswer = '''={template}='''");
    let told = format!("result of c3 (as notes):\n{text}");
    let said = answer(
        &rule,
        vec![
            user("go on"),
            assistant(
                &[("hm", false)],
                &[(3, "read_file", r#"{"_as":"notes","path":"a.txt","n":7}"#)],
            ),
            result(3, "read_file", &told, false),
        ],
    );
    said.trim_matches('=').to_owned()
}

#[test]
fn the_first_rule_that_holds_wins_and_none_is_an_error() {
    let rules = "[[rule]]\nwhen = { turn = [1, 2] }\nanswer = \"early\"\n\
        [[rule]]\nwhen = { prompt = \"^go\" }\nanswer = \"first\"\n\
        [[rule]]\nwhen = { turn = 3 }\nanswer = \"second\"";
    assert_eq!(answer(rules, vec![user("go on")]), "first");
    assert_eq!(answer(rules, vec![user("stop")]), "second");
    let narrow = "[[rule]]\nwhen = { turn = 9 }\nanswer = \"x\"";
    assert_eq!(blocks(narrow, vec![user("go")]), Err(NoScript::NoRule));
}

/// True where a rule with this condition holds.
fn holds(when: &str, messages: Vec<Message>) -> bool {
    blocks(
        &format!("[[rule]]\nwhen = {{ {when} }}\nanswer = \"yes\""),
        messages,
    )
    .is_ok()
}

#[test]
fn conditions_see_results_by_tool_label_and_status() {
    let told = vec![
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
        assert!(holds(yes, told.clone()), "{yes}");
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
        assert!(!holds(no, told.clone()), "{no}");
    }
    let mut later = told;
    later.push(user("and now?"));
    assert!(
        !holds("done = \"marks\"", later.clone()),
        "a new prompt begins anew"
    );
    assert!(holds("seen_call = \"marks\"", later.clone()));
    assert!(!holds("last_tool = \"search\"", later.clone()));
    assert!(holds("operator = \"now\"", later));
}

#[test]
fn the_operators_words_count_until_the_model_has_acted_on_them() {
    let mut told = vec![
        user("go"),
        assistant(&[("I look for a.", false), ("I look for b.", true)], &[]),
        note(NoteKind::ThoughtRewritten, "rewritten"),
    ];
    assert!(holds("operator = 'for b', thought = 'for b'", told.clone()));
    told[1] = assistant(&[("I look for b.", true), ("So I do.", false)], &[]);
    assert!(!holds("operator = '.'", told.clone()), "the model went on");
    told[1] = assistant(&[("I look for b.", true)], &[]);
    assert!(holds("operator = 'for b', thought = 'for b'", told.clone()));
    told.push(note(NoteKind::Notice, "One request is left."));
    assert!(
        holds("operator = 'for b'", told.clone()),
        "a notice of the program changes nothing"
    );
    told.push(assistant(&[("Fine.", false)], &[(5, "search", "{}")]));
    told.push(result(5, "search", "", false));
    assert!(!holds("operator = '.'", told.clone()));
    told.push(note(NoteKind::AnswerRejected, "not good enough"));
    assert!(holds("operator = 'good'", told));
}

#[test]
fn groups_of_a_condition_can_be_named_in_templates() {
    let rules = "[[rule]]\nwhen = { prompt = 'add (\\d+) and (?<second>\\d+)' }\nanswer = \"{{ prompt.1 }}+{{ prompt.second }}\"";
    assert_eq!(answer(rules, vec![user("add 2 and 3")]), "2+3");
}

#[test]
fn filters_do_what_they_say() {
    let text = "b.rs:3:x\na.rs:1:TODO y\nb.rs:9:z\n\nlast";
    for (template, wanted) in [
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
            "go on \\( on",
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
        assert_eq!(show(template, text), wanted, "{template}");
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
fn tags_alone_on_a_line_leave_no_line_behind() {
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
fn once_is_judged_by_the_context_alone() {
    let rules = "[[rule]]\nonce = true\n[[rule.call]]\ntool = \"search\"\nas = \"marks\"\n\
        [[rule]]\nonce = true\nthink = \"said\"\n[[rule]]\nanswer = \"done\"";
    let called = assistant(&[], &[(3, "search", r#"{"_as":"marks"}"#)]);
    let first = blocks(rules, vec![user("go")]).unwrap();
    assert!(matches!(first.as_slice(), [Block::Call { .. }]));
    assert_eq!(
        blocks(rules, vec![user("go"), called.clone()]).unwrap(),
        [Block::Text("said".into())]
    );
    let said = assistant(&[("said", false)], &[]);
    assert_eq!(answer(rules, vec![user("go"), called, said]), "done");
}

#[test]
fn mistakes_name_file_line_and_key() {
    for (text, wanted) in [
        (
            "[meta]\nname = \"x\"\nspeed = 3\n",
            "p.toml:3: unknown key `meta.speed`",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nwhenn = {}\n",
            "p.toml:5: unknown key `rule.whenn`",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nwhen = { turn = 1, prompts = \"a\" }\n",
            "p.toml:5: unknown key `rule.when.prompts`",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\n[[rule.call]]\ntool = \"a\"\nargz = {}\n",
            "p.toml:6: unknown key `rule.call.argz`",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = 3\n",
            "p.toml:4: `rule.answer`: must be a string",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nwhen = { prompt = \"(\" }\n",
            "p.toml:5: `rule.when.prompt`: `(` is not a regular expression",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ a | frist }}\"\n",
            "p.toml:4: `rule.answer`: `frist` is not a filter",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{#if a}}\"\n",
            "`{{#if}}` is not closed",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ a\"\n",
            "never closed",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ a | first b }}\"\n",
            "takes a number",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ a b }}\"\n",
            "is not a source",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"a\"\nthink = \"b\"\n",
            "p.toml:3: `rule.answer` stands alone",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nwhen = {}\n",
            "p.toml:3: the rule does nothing",
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nfail = \"maybe\"\n",
            "p.toml:4: `rule.fail`: must be hang",
        ),
        (
            "[meta]\nname = \"x\"\ntokens_per_s = 0\n[[rule]]\nanswer = \"a\"\n",
            "p.toml:3: `meta.tokens_per_s`: must be more than 0",
        ),
        ("[meta]\nname = \"x\"\n", "there is no `[[rule]]`"),
        ("[[rule]]\nanswer = \"a\"\n", "`[meta]` is missing"),
        ("[meta]\nname = \"x\"\n[[rule]]\nanswer = \n", "p.toml:4: "),
        ("\0\u{1b}", "p.toml:1: "),
    ] {
        let message = Playbook::parse("p.toml", text).unwrap_err().to_string();
        assert!(
            message.starts_with("p.toml:") && message.contains(wanted),
            "{text}\n{message}"
        );
        assert!(!message.contains('\u{1b}'), "{message:?}");
    }
}

async fn ask(model: &Scripted, messages: Vec<Message>) -> (Vec<Chunk>, Result<(), StreamFault>) {
    let (send, mut receive) = mpsc::channel(4);
    let collect = async {
        let mut chunks = Vec::new();
        while let Some(chunk) = receive.recv().await {
            chunks.push(chunk);
        }
        chunks
    };
    let (result, chunks) = tokio::join!(
        model.ask(request(messages), send, CancellationToken::new()),
        collect
    );
    (chunks, result)
}

fn hello(paced: bool) -> Scripted {
    Scripted::new(builtin::playbook("hello").unwrap().unwrap(), paced)
}

#[tokio::test(start_paused = true)]
async fn parts_are_streamed_in_small_pieces_and_sealed_in_order() {
    let (chunks, result) = ask(&hello(false), vec![user("hello")]).await;
    assert_eq!(result, Ok(()));
    let mut text = String::new();
    let mut args = String::new();
    let mut order = Vec::new();
    for chunk in &chunks {
        match chunk {
            Chunk::Text { part: 0, delta } => {
                assert!(delta.chars().count() <= 6);
                text.push_str(delta);
            }
            Chunk::Call { part: 1, name, .. } => order.push(name.clone()),
            Chunk::Args { part: 1, delta } => args.push_str(delta),
            Chunk::Sealed { part, .. } => order.push(part.to_string()),
            Chunk::Usage(usage) => assert!(usage.input.is_some() && usage.output.is_some()),
            Chunk::Finish(stop) => order.push(stop.word().to_owned()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(text, "I will look around before I say hello.");
    assert_eq!(args, r#"{"_as":"listing","path":"."}"#);
    assert_eq!(order, ["0", "list_dir", "1", "calls"]);
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
}

#[tokio::test(start_paused = true)]
async fn pacing_takes_time_only_where_somebody_watches() {
    let begin = tokio::time::Instant::now();
    ask(&hello(false), vec![user("hello")]).await.1.unwrap();
    assert_eq!(begin.elapsed(), Duration::ZERO);
    ask(&hello(true), vec![user("hello")]).await.1.unwrap();
    assert!(
        begin.elapsed() > Duration::from_millis(100),
        "{:?}",
        begin.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_playbook_does_not_foresee_is_a_fault_that_names_the_turn() {
    let model = Scripted::new(playbook("[[rule]]\nwhen = { turn = 1 }\nanswer = \"x\""), false);
    let (chunks, result) = ask(&model, vec![user("go \u{1b}[31m")]).await;
    let fault = result.unwrap_err();
    assert_eq!(fault.kind, StreamFaultKind::Script);
    assert!(
        fault.message.contains("`test`") && fault.message.contains("turn 3"),
        "{}",
        fault.message
    );
    assert!(!fault.message.contains('\u{1b}'));
    assert_eq!(chunks, []);
    assert_eq!(model.name(), "scripted: test");
}

#[tokio::test(start_paused = true)]
async fn a_rule_can_break_the_stream_or_leave_it_hanging_until_it_is_cancelled() {
    let broken = Scripted::new(
        playbook("[[rule]]\nthink = \"so far\"\nfail = \"rate_limit\""),
        false,
    );
    let (chunks, result) = ask(&broken, vec![user("go")]).await;
    assert_eq!(result.unwrap_err().kind, StreamFaultKind::RateLimit);
    assert!(!chunks.is_empty() && !chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish(_))));

    let hanging = Scripted::new(playbook("[[rule]]\nfail = \"hang\""), false);
    let cancel = CancellationToken::new();
    let (send, _receive) = mpsc::channel(4);
    let ask = hanging.ask(request(vec![user("go")]), send, cancel.clone());
    let stop = async {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(ask, stop);
    assert!(result.is_err());
}

#[test]
fn every_playbook_that_comes_with_the_program_can_be_read() {
    for name in builtin::names() {
        let playbook = builtin::playbook(name).unwrap().unwrap();
        assert_eq!(playbook.name, name);
        assert!(playbook.prompt.is_some());
    }
    assert!(builtin::playbook("nothing").is_none());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn no_playbook_panics(text in "[\\[\\]a-z{}|\"'#/ =.\n]{0,80}") {
        let _ = Playbook::parse("p", &text);
        let _ = Playbook::parse("p", &format!("[meta]\nname='x'\n[[rule]]\nanswer='''{text}'''"));
    }
}

#[test]
fn no_context_panics() {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    let playbooks: Vec<Playbook> = builtin::names()
        .map(|name| builtin::playbook(name).unwrap().unwrap())
        .collect();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..64 {
        let words = ".{0,60}".new_tree(&mut runner).unwrap().current();
        let told = vec![
            user(&words),
            assistant(
                &[(&words, true)],
                &[(3, "list_dir", r#"{"_as":"listing"}"#), (4, "search", &words)],
            ),
            result(3, "list_dir", &words, false),
        ];
        for playbook in &playbooks {
            let _ = script(playbook, &View::of(&request(told.clone())));
        }
    }
}
