//! Tests how pieces of a reply become blocks, and where a reply ends.

use super::*;
use overrule_domain::event::run::ToolCard;

fn text(part: u32, delta: &str) -> Chunk {
    Chunk::Text {
        part,
        delta: delta.into(),
    }
}

fn call(part: u32, name: &str) -> Chunk {
    Chunk::Call {
        part,
        id: None,
        name: name.into(),
    }
}

fn args(part: u32, delta: &str) -> Chunk {
    Chunk::Args {
        part,
        delta: delta.into(),
    }
}

fn sealed(part: u32) -> Chunk {
    Chunk::Sealed { part, opaque: None }
}

fn kinds(blocks: &[Block]) -> Vec<String> {
    blocks
        .iter()
        .map(|block| match block {
            Block::Thought { text, .. } => format!("thought {text}"),
            Block::Call { tool, args, .. } => format!("call {tool} {args}"),
            Block::Answer { text, .. } => format!("answer {text}"),
        })
        .collect()
}

fn run(chunks: Vec<Chunk>) -> (Vec<Vec<String>>, Vec<String>) {
    let mut assembler = Assembler::default();
    let during = chunks
        .into_iter()
        .map(|chunk| kinds(&assembler.push(chunk)))
        .collect();
    let at_end = kinds(&assembler.end());
    (during, at_end)
}

#[test]
fn what_is_shown_of_a_long_text_begins_where_it_began_before_most_words() {
    let mut text = String::new();
    let (mut begins, mut words) = (std::collections::BTreeSet::new(), 0);
    while text.len() < 10 * SHOWN {
        text.push_str("a 日本 ");
        words += 1;
        let (before, shown) = newest(&text);
        assert!(shown.len() <= SHOWN && text.ends_with(shown));
        assert!(text.len() <= SHOWN || shown.len() + STEP + 3 > SHOWN);
        assert_eq!(before as usize + shown.len(), text.len());
        begins.insert(before);
    }
    let most = text.len() / STEP + 1;
    assert!(begins.len() <= most, "{} places for {words} words", begins.len());
}

#[test]
fn text_alone_is_the_answer_and_only_at_the_end() {
    let (during, end) = run(vec![
        text(0, "for"),
        text(0, "ty"),
        sealed(0),
        Chunk::Finish(Stop::End),
    ]);
    assert!(during.iter().all(Vec::is_empty));
    assert_eq!(end, ["answer forty"]);
}

#[test]
fn text_before_a_call_is_a_thought_and_the_call_comes_before_the_end() {
    let (during, end) = run(vec![
        text(0, "look"),
        call(1, "read"),
        args(1, "{}"),
        call(2, "list"),
        sealed(1),
        args(2, "{\"a\":1}"),
        sealed(2),
        Chunk::Finish(Stop::Calls),
    ]);
    assert_eq!(during[1], ["thought look"]);
    assert_eq!(during[4], ["call read {}"]);
    assert_eq!(during[6], [r#"call list {"a":1}"#]);
    assert!(end.is_empty());
}

#[test]
fn a_call_that_was_cut_is_never_a_block() {
    let (during, end) = run(vec![
        call(0, "write"),
        args(0, "{\"path\":\"a"),
        Chunk::Finish(Stop::Length),
    ]);
    assert!(during.iter().all(Vec::is_empty));
    assert!(end.is_empty());
}

#[test]
fn text_that_was_cut_is_a_thought_and_never_an_answer() {
    let (_, end) = run(vec![text(0, "I thi"), Chunk::Finish(Stop::Length)]);
    assert_eq!(end, ["thought I thi"]);
}

#[test]
fn every_kind_of_part_has_a_size_limit_and_ignores_further_input() {
    let most = "x".repeat(PART);
    let begins: [fn(&str) -> Chunk; 3] = [
        |more| text(0, more),
        |more| Chunk::Reasoning {
            part: 0,
            delta: more.into(),
        },
        |more| args(0, more),
    ];
    for (number, more) in begins.into_iter().enumerate() {
        let mut assembler = Assembler::default();
        // The name counts too.
        let name = if number == 2 { "read" } else { "" };
        if number == 2 {
            assembler.push(call(0, name));
        }
        assembler.push(more(&most[name.len()..]));
        assert_eq!(assembler.too_long(), None, "as much as it may have");
        let before = assembler.open_bytes();
        assert!(assembler.push(more("y")).is_empty());
        let why = assembler.too_long().unwrap();
        assert!(why.contains("one block") && why.contains("16 MiB"), "{why}");
        assert!(assembler.push(call(1, "read")).is_empty());
        assert!(assembler.push(sealed(1)).is_empty());
        assert_eq!(assembler.open_bytes(), before);
    }
}

#[test]
fn what_is_open_can_always_be_written_down() {
    // Parts are joined by line breaks.
    const { assert!(ALL + MAX_PARTS < overrule_journal::MAX_PAYLOAD) };
}

#[test]
fn all_parts_of_a_stream_together_have_an_end() {
    let mut assembler = Assembler::default();
    let half = "x".repeat(PART / 2);
    for part in 0..4 {
        assembler.push(text(part, &half));
        assert_eq!(assembler.too_long(), None);
    }
    assert!(assembler.push(text(4, "y")).is_empty());
    assert!(assembler.too_long().unwrap().contains("more than 32 MiB"));

    let mut assembler = Assembler::default();
    for part in 0..MAX_PARTS as u32 {
        assembler.push(call(part, "read"));
    }
    assert_eq!(assembler.too_long(), None);
    assembler.push(call(MAX_PARTS as u32, "read"));
    assert!(assembler.too_long().unwrap().contains("16384 blocks"));

    let mut assembler = Assembler::default();
    assembler.push(call(0, "read"));
    let opaque = Some("x".repeat(PART));
    assert!(assembler.push(Chunk::Sealed { part: 0, opaque }).is_empty());
    assert!(assembler.too_long().is_some(), "unread items count too");
}

#[test]
fn text_after_calls_is_a_thought() {
    let (_, end) = run(vec![
        call(0, "read"),
        args(0, ""),
        text(1, "and then"),
        sealed(0),
        Chunk::Finish(Stop::Calls),
    ]);
    assert_eq!(end, ["thought and then"]);
}

#[test]
fn unknown_chunks_are_reported_up_to_a_limit_then_counted_then_rejected() {
    let unknown = |raw: &str| Chunk::Unknown { raw: raw.into() };
    let mut assembler = Assembler::default();
    let mut message = Vec::new();
    for number in 0..9 {
        assembler.push(unknown(&number.to_string()));
        message.append(&mut assembler.unknown);
    }
    assert_eq!(message, ["0", "1", "2", "3", "4"]);
    assert_eq!(assembler.untold(), Some((4, "8".to_owned())));
    assert_eq!(assembler.untold(), None, "reported once");
    assert_eq!(assembler.too_long(), None);

    let mut assembler = Assembler::default();
    for _ in 0..UNKNOWN {
        assembler.push(unknown("x"));
    }
    assert_eq!(assembler.too_long(), None);
    assembler.push(unknown("x"));
    assert!(assembler.too_long().unwrap().contains("16384 unknown items"));

    let mut assembler = Assembler::default();
    for _ in 0..2 {
        assembler.push(unknown(&"x".repeat(PART)));
    }
    assert_eq!(assembler.too_long(), None);
    assembler.push(unknown("x"));
    assert!(assembler.too_long().unwrap().contains("more than 32 MiB"));
}

#[test]
fn text_that_ended_for_an_unknown_reason_is_no_answer() {
    let (_, end) = run(vec![
        text(0, "half"),
        Chunk::Finish(Stop::Other("because".into())),
    ]);
    assert_eq!(end, ["thought half"]);
}

fn offering() -> Assembler {
    offering_in(&[])
}

fn offering_in(quirks: &[Quirk]) -> Assembler {
    let card = |name: &str, schema: &str| ToolCard {
        schema: schema.into(),
        ..ToolCard::bare(name, overrule_domain::call::EffectClass::Read, &[])
    };
    Assembler::new(&Request {
        system: "".into(),
        messages: Vec::new(),
        tools: vec![
            card("list_dir", r#"{"type":"object","properties":{"path":{}}}"#),
            card("read_file", r#"{"type":"object","required":["path"]}"#),
        ],
        quirks: quirks.iter().cloned().collect(),
        output_schema: None,
        id: TurnId::default(),
        turn: 1,
        tap: overrule_model::Tap::default(),
    })
}

#[test]
fn empty_arguments_become_an_empty_object_if_none_are_required() {
    for (tool, output, made) in [
        ("list_dir", "null", "{}"),
        ("list_dir", " null ", "{}"),
        ("list_dir", "\"\"", "{}"),
        ("list_dir", "", "{}"),
        ("list_dir", "{}", "{}"),
        ("list_dir", "[]", "[]"),
        ("read_file", "null", "null"),
        ("read_file", "\"\"", "\"\""),
        ("unknown", "null", "null"),
    ] {
        let mut assembler = offering();
        assembler.push(call(0, tool));
        assembler.push(args(0, output));
        let blocks = assembler.push(sealed(0));
        assert_eq!(kinds(&blocks), [format!("call {tool} {made}")]);
    }
}

#[test]
fn null_is_left_out_where_schemas_were_strict() {
    let learned = Chunk::Learned {
        quirk: "strict_schemas".into(),
        words: String::new(),
    };
    let output = r#"{"path":null,"_as":null,"n":1}"#;
    for (known, now, tool, made) in [
        (true, false, "list_dir", r#"{"n":1}"#),
        (false, true, "list_dir", r#"{"n":1}"#),
        (true, false, "read_file", r#"{"path":null,"n":1}"#),
        (false, false, "list_dir", output),
    ] {
        let quirks = [Quirk::StrictSchemas];
        let mut assembler = offering_in(if known { &quirks } else { &[] });
        if now {
            assembler.push(learned.clone());
        }
        assembler.push(call(0, tool));
        assembler.push(args(0, output));
        assert_eq!(kinds(&assembler.push(sealed(0))), [format!("call {tool} {made}")]);
    }
}

#[test]
fn members_that_the_provider_added_go_with_the_call() {
    let mut assembler = offering();
    assembler.push(call(0, "list_dir"));
    let blocks = assembler.push(Chunk::Sealed {
        part: 0,
        opaque: Some("{\"n\":1}".into()),
    });
    let [Block::Call { opaque, .. }] = &blocks[..] else {
        panic!("one call: {blocks:?}")
    };
    assert_eq!(opaque.as_deref(), Some("{\"n\":1}"));
}

#[test]
fn what_the_provider_added_to_an_answer_goes_with_it() {
    let mut assembler = Assembler::default();
    assembler.push(text(0, "forty"));
    assembler.push(Chunk::Sealed {
        part: 0,
        opaque: Some("[1]".into()),
    });
    assembler.push(Chunk::Finish(Stop::End));
    let blocks = assembler.end();
    let [Block::Answer { text, opaque }] = &blocks[..] else {
        panic!("an answer: {blocks:?}")
    };
    assert_eq!((&**text, opaque.as_deref()), ("forty", Some("[1]")));
}

#[test]
fn a_call_that_is_written_as_text_makes_no_answer_of_it() {
    let written = "<tool_call>{\"name\": \"read_file\"}</tool_call>";
    for (tools, output, answers) in [
        (true, written, false),
        (true, "It says alpha.", true),
        (true, "```json\n{\"name\": \"list_dir\"}\n```", false),
        // Without tools on offer JSON calls nothing.
        (false, "```json\n{\"name\": \"list_dir\"}\n```", true),
    ] {
        let mut assembler = if tools { offering() } else { Assembler::default() };
        assembler.push(text(0, output));
        assembler.push(sealed(0));
        assembler.push(Chunk::Finish(Stop::End));
        let blocks = assembler.end();
        let is_answer = matches!(&blocks[..], [Block::Answer { .. }]);
        assert_eq!(is_answer, answers, "{output}");
        let stop = assembler.finish.unwrap();
        assert_eq!(matches!(stop, Stop::BadCall(_)), !answers, "{output}: {stop:?}");
    }
    // Next to a real call it is only a thought.
    let mut assembler = offering();
    assembler.push(text(0, written));
    assembler.push(call(1, "list_dir"));
    assembler.push(sealed(1));
    assembler.push(Chunk::Finish(Stop::Calls));
    assembler.end();
    assert_eq!(assembler.finish, Some(Stop::Calls));
}

#[test]
fn text_that_was_reasoning_is_a_thought_and_not_the_answer() {
    let mut assembler = offering();
    assembler.push(text(0, "the plan"));
    assembler.push(Chunk::WasReasoning { part: 0 });
    assembler.push(text(1, "Done."));
    assembler.push(Chunk::Finish(Stop::End));
    assembler.push(sealed(1));
    let blocks = assembler.end();
    assert_eq!(kinds(&blocks), ["answer Done."]);
}

#[test]
fn what_only_the_provider_understands_is_kept_in_its_place_and_is_no_answer() {
    let own = |part| Chunk::Sealed {
        part,
        opaque: Some(format!("[{part}]")),
    };
    let opaque = |blocks: &[Block]| -> Vec<Option<String>> {
        let of = |block: &Block| match block {
            Block::Thought { opaque, .. } | Block::Answer { opaque, .. } | Block::Call { opaque, .. } => {
                opaque.as_deref().map(str::to_owned)
            }
        };
        blocks.iter().map(of).collect()
    };
    // A pause behind work of the provider.
    let mut assembler = Assembler::default();
    for chunk in [
        text(0, "I search."),
        sealed(0),
        own(1),
        Chunk::Finish(Stop::Pause),
    ] {
        assert!(assembler.push(chunk).is_empty());
    }
    let blocks = assembler.end();
    assert_eq!(kinds(&blocks), ["thought I search.", "thought "]);
    assert_eq!(opaque(&blocks), [None, Some("[1]".to_owned())]);
    // An answer before such a part, and one behind it.
    let (during, at_end) = run(vec![text(0, "Yes."), sealed(0), own(1), Chunk::Finish(Stop::End)]);
    assert_eq!(
        (during.concat(), at_end),
        (vec![], vec!["answer Yes.".to_owned(), "thought ".to_owned()])
    );
    let (during, at_end) = run(vec![own(0), text(1, "Yes."), sealed(1), Chunk::Finish(Stop::End)]);
    assert_eq!(
        (during.concat(), at_end),
        (vec!["thought ".to_owned()], vec!["answer Yes.".to_owned()])
    );
    // Alone it is no answer.
    let (during, at_end) = run(vec![own(0), Chunk::Finish(Stop::End)]);
    assert_eq!((during.concat(), at_end), (vec![], vec!["thought ".to_owned()]));
}
