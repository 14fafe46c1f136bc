//! Tests the formats with a small run and a hostile one.
//!
//! Must not know: files.

mod run_builder;
mod steps;

use super::*;
use overrule_domain::apply::fold;
use overrule_domain::call::Outcome;
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{EditEvent, TurnEvent};
use overrule_domain::id::{Rev, TurnId};
use overrule_domain::node::{Channel, Content, Origin};
use overrule_domain::state::State;
use overrule_present::graph::{ActiveGraphView, GraphView, Times};
use run_builder::{RunBuilder, id};

/// The graph as JSON: the active nodes, or everything.
fn json(state: &State, active: bool, times: &Times) -> serde_json::Value {
    if active {
        serde_json::to_value(ActiveGraphView::of(state)).unwrap()
    } else {
        serde_json::to_value(GraphView::of(state, times)).unwrap()
    }
}

/// A prompt, a fan-out of three calls, and an answer. One call reads another. `shift` shifts the
/// numbers.
fn run(shift: u32) -> RunBuilder {
    let no = |letter: char, no: u32| format!("{letter}{}", no + shift);
    let mut tale = RunBuilder::default();
    tale.prompt(1, "p1", "Audit this directory");
    let turn = tale.turn(2);
    tale.thought(turn, &no('t', 2), "I look around\nfirst.");
    tale.call(turn, &no('c', 3), "list", "list_dir", r#"{"path":"."}"#, &[]);
    let label = no('c', 4);
    tale.call(turn, &no('c', 4), &label, "read_file", r#"{"path":"a"}"#, &[]);
    let args = format!("{{\"path\":\"†call.{label}.meta\"}}");
    tale.call(turn, &no('c', 5), &no('c', 5), "read_file", &args, &[&label]);
    tale.result(&no('c', 3), 1, Outcome::ok(r#""a b""#));
    tale.result(&no('c', 4), 1, Outcome::ok(r#""text""#));
    tale.close(turn);
    let turn = tale.turn(3);
    tale.push(TurnEvent::Answered {
        turn,
        node: id(&no('a', 6)),
        text: "All is well.".into(),
        opaque: None,
    });
    tale.close(turn);
    tale
}

#[test]
fn lanes() {
    let state = run(0).state();
    insta::assert_snapshot!(gutter(&state, false), @r###"
    ▶        p1    Audit this directory
    ◆─┬─╮    t2    I look around first.
    ● │ │    c3    list = list_dir {"path":"."}
    │ ●─│─╮  c4    read_file {"path":"a"}
    │ ◇─╯ │  c5    read_file {"path":"†call.c4.meta"}  (blocked)
    ★─┴───╯  a6    All is well.
    "###);
    insta::assert_snapshot!(gutter(&state, true), @r###"
    >        p1    Audit this directory
    o-+-.    t2    I look around first.
    * | |    c3    list = list_dir {"path":"."}
    | *-|-.  c4    read_file {"path":"a"}
    | b-' |  c5    read_file {"path":"<U+2020>call.c4.meta"}  (blocked)
    A-+---'  a6    All is well.
    "###);
    assert!(gutter(&state, true).is_ascii());
}

#[test]
fn what_an_edit_replaced_is_one_line() {
    let mut tale = run(0);
    tale.edit("i7", "t2", "rewrote the thought");
    tale.push(EditEvent::Revised {
        node: id("t2"),
        rev: Rev(2),
        content: Content::Text {
            text: "I look closer.".into(),
            channel: Channel::Spoken,
            opaque: None,
        },
        origin: Origin::Operator { user: "ada".into() },
        approves: None,
    });
    tale.push(TurnEvent::Superseded {
        turns: vec![TurnId(3)],
    });
    tale.last = Some(TurnId(2));
    let turn = tale.turn(4);
    tale.thought(turn, "t8", "Closer then.");
    let text = gutter(&tale.state(), false);
    insta::assert_snapshot!(text, @r###"
    ▶          p1    Audit this directory
    ◆─┬─╮      t2    I look closer.  (edited, r2)
    ● │ │      c3    list = list_dir {"path":"."}
    │ ●─│─╮    c4    read_file {"path":"a"}
    │ ◇─╯ │    c5    read_file {"path":"†call.c4.meta"}  (blocked)
    │ │   │    ┄ 1 superseded by i7 ┄
    │ │   │ ✎  i7    rewrote the thought
    ◆─┴───╯    t8    Closer then.
    "###);
    assert!(!text.contains("All is well"), "{text}");
    let active = json(&tale.state(), true, &Times::new()).to_string();
    assert!(
        !active.contains("All is well") && active.contains("rewrote the thought"),
        "{active}"
    );
    let full = json(&tale.state(), false, &Times::new()).to_string();
    assert!(full.contains("All is well"), "{full}");
}

#[test]
fn runs_with_equal_active_nodes_have_the_same_active_export() {
    let plain = run(0);
    let mut shifted = run(40);
    // The other run was interrupted, and ran a call twice.
    shifted.result("c43", 2, Outcome::ok(r#""a b""#));
    let (one, other) = (
        json(&plain.state(), true, &Times::new()),
        json(&shifted.state(), true, &Times::new()),
    );
    assert_eq!(one, other);
    assert_ne!(
        json(&plain.state(), false, &Times::new()),
        json(&shifted.state(), false, &Times::new())
    );
    let mut different = run(0);
    different.result("c5", 1, Outcome::ok("1"));
    assert_ne!(one, json(&different.state(), true, &Times::new()));
}

#[test]
fn the_active_form() {
    let value = json(&run(0).state(), true, &Times::new());
    let lines = |part: &str| {
        let list = value[part].as_array().unwrap();
        list.iter()
            .fold(String::new(), |text, one| format!("{text}{one}\n"))
    };
    insta::assert_snapshot!(format!("{}{}", lines("nodes"), lines("edges")), @r###"
    {"name":"prompt 1","kind":"prompt","text":"Audit this directory"}
    {"name":"thought 1","kind":"thought","text":"I look around\nfirst."}
    {"name":"call 1","kind":"call","tool":"list_dir","arguments":"{\"path\":\".\"}","label":"list","status":"succeeded"}
    {"name":"observation 1","kind":"observation","result":"\"a b\""}
    {"name":"call 2","kind":"call","tool":"read_file","arguments":"{\"path\":\"a\"}","status":"succeeded"}
    {"name":"observation 2","kind":"observation","result":"\"text\""}
    {"name":"call 3","kind":"call","tool":"read_file","arguments":"{\"path\":\"†call.call-2.meta\"}","status":"blocked"}
    {"name":"answer 1","kind":"answer","text":"All is well."}
    {"from":"prompt 1","to":"thought 1","kind":"context"}
    {"from":"thought 1","to":"call 1","kind":"produces"}
    {"from":"call 1","to":"observation 1","kind":"produces"}
    {"from":"thought 1","to":"call 2","kind":"produces"}
    {"from":"call 2","to":"observation 2","kind":"produces"}
    {"from":"thought 1","to":"call 3","kind":"produces"}
    {"from":"call 2","to":"call 3","kind":"data"}
    {"from":"call 1","to":"answer 1","kind":"context"}
    {"from":"call 2","to":"answer 1","kind":"context"}
    {"from":"call 3","to":"answer 1","kind":"context"}
    "###);
}

#[test]
fn each_call_is_given_with_its_steps() {
    let value = json(&run(0).state(), false, &Times::new());
    let trace = |id: &str| {
        let nodes = value["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|one| one["id"] == id).unwrap();
        node["journey"].to_string()
    };
    assert_eq!(
        trace("c3"),
        r#"{"state":"end","attempt":1,"of":3,"left":null,"steps":[{"state":"start","revision":1},{"state":"plan_tool_call","revision":1},{"state":"execute_tool","revision":1,"executions":1},{"state":"tool_call_success","revision":1},{"state":"end","revision":1}]}"#
    );
    assert_eq!(
        trace("c5"),
        r#"{"state":"plan_tool_call","attempt":0,"of":3,"left":null,"steps":[{"state":"start","revision":1},{"state":"plan_tool_call","revision":1}]}"#
    );
    let nodes = value["nodes"].as_array().unwrap();
    assert!(nodes[0]["journey"].is_null(), "only calls have steps");
}

const HOSTILE: &str = "\"]; evil -> x; a[label=\"\\\" \u{1b}[31m \u{202e}<b>`%%{init}%%`#quot; -->\n end\r\0";

fn hostile() -> State {
    let mut tale = RunBuilder::default();
    tale.prompt(1, "p1", HOSTILE);
    let turn = tale.turn(2);
    tale.thought(turn, "t2", HOSTILE);
    tale.call(turn, "c3", HOSTILE, HOSTILE, HOSTILE, &[]);
    tale.result("c3", 1, Outcome::ok(HOSTILE));
    tale.edit("i4", "t2", HOSTILE);
    tale.state()
}

#[test]
fn hostile_texts_stay_texts() {
    let state = hostile();
    for text in [
        gutter(&state, false),
        gutter(&state, true),
        dot(&state),
        mermaid(&state),
    ] {
        assert!(
            !text.chars().any(|char| char.is_control() && char != '\n'),
            "{text:?}"
        );
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
    assert_eq!(gutter(&state, false).lines().count(), 4);
    // JSON contains the exact text.
    let full = json(&state, false, &Times::new());
    assert_eq!(full["nodes"][0]["text"], HOSTILE);
}

#[test]
fn no_label_ends_early_in_dot() {
    let text = dot(&hostile());
    for line in text.lines().filter(|line| line.contains("label=")) {
        let (_, rest) = line.split_once("[label=\"").unwrap();
        let mut chars = rest.chars();
        let mut escaped = false;
        let end = chars.by_ref().find(|char| {
            let end = *char == '"' && !escaped;
            escaped = *char == '\\' && !escaped;
            end
        });
        assert_eq!(end, Some('"'));
        let tail = chars.as_str();
        assert!(tail.starts_with(", shape=") && !tail.contains("evil"), "{line}");
    }
    assert_eq!(
        text.matches("->").count() - text.matches("evil ->").count() - text.matches("-->").count(),
        4
    );
}

#[test]
fn no_label_ends_early_in_mermaid() {
    let text = mermaid(&hostile());
    for line in text.lines().filter(|line| line.contains('"')) {
        assert_eq!(line.matches('"').count(), 2, "{line}");
        let label = line.split('"').nth(1).unwrap();
        let safe = |char: char| char.is_alphanumeric() || " .,()…#;".contains(char);
        assert!(label.chars().all(safe), "{label}");
    }
    assert!(!text.contains("%%"), "{text}");
}

#[test]
fn graphviz_and_mermaid() {
    let state = run(0).state();
    insta::assert_snapshot!(dot(&state), @r###"
    digraph overrule {
      rankdir=TB;
      node [fontname="monospace", fontsize=10, shape=box];
      p1 [label="p1 Audit this directory", shape=house];
      t2 [label="t2 I look around first.", shape=diamond];
      c3 [label="c3 list = list_dir {\"path\":\".\"}", shape=box];
      o3 [label="o3 \"a b\"", shape=note];
      c4 [label="c4 read_file {\"path\":\"a\"}", shape=box];
      o4 [label="o4 \"text\"", shape=note];
      c5 [label="c5 read_file {\"path\":\"†call.c4.meta\"} (blocked)", shape=box];
      a6 [label="a6 All is well.", shape=doubleoctagon];
      p1 -> t2 [color=gray];
      t2 -> c3;
      c3 -> o3;
      t2 -> c4;
      c4 -> o4;
      t2 -> c5;
      c4 -> c5 [style=bold, label="data"];
      c3 -> a6 [color=gray];
      c4 -> a6 [color=gray];
      c5 -> a6 [color=gray];
    }
    "###);
    insta::assert_snapshot!(mermaid(&state), @r###"
    flowchart TD
      p1[/"p1 Audit this directory"\]
      t2{{"t2 I look around first."}}
      c3["c3 list #61; list#95;dir #123;#34;path#34;#58;#34;.#34;#125;"]
      o3("o3 #34;a b#34;")
      c4["c4 read#95;file #123;#34;path#34;#58;#34;a#34;#125;"]
      o4("o4 #34;text#34;")
      c5["c5 read#95;file #123;#34;path#34;#58;#34;#8224;call.c4.meta#34;#125; (blocked)"]
      a6(["a6 All is well."])
      p1 -.-> t2
      t2 --> c3
      c3 --> o3
      t2 --> c4
      c4 --> o4
      t2 --> c5
      c4 ==> c5
      c3 -.-> a6
      c4 -.-> a6
      c5 -.-> a6
      classDef old stroke-dasharray: 4 4,color:#888
      classDef edited stroke-width:3px
    "###);
}

#[test]
fn an_empty_run_has_an_empty_graph() {
    let state = State::default();
    assert_eq!(gutter(&state, false), "");
    assert_eq!(json(&state, true, &Times::new())["nodes"], serde_json::json!([]));
    assert!(dot(&state).ends_with("}\n"));
    assert!(mermaid(&state).starts_with("flowchart TD\n"));
}

#[test]
fn long_texts_are_cut_to_the_line() {
    let mut tale = RunBuilder::default();
    tale.prompt(1, "p1", &"日本".repeat(1_000_000));
    let text = gutter(&tale.state(), false);
    assert!(text.trim_end().ends_with('…'));
    assert!(text.chars().count() < 120);
}

#[test]
fn each_node_has_times_a_description_and_an_id_of_its_own() {
    let envelopes: Vec<Envelope> = run(0)
        .events
        .iter()
        .zip(1..)
        .map(|(event, no)| Envelope {
            at: 1_000 * no,
            ..Envelope::bare(u64::try_from(no).unwrap(), event.clone())
        })
        .collect();
    let times: Times = envelopes.iter().map(|one| (one.seq, one.at)).collect();
    let value = json(&fold(&envelopes), false, &times);
    let nodes = value["nodes"].as_array().unwrap();
    let mut uids: Vec<&str> = nodes.iter().map(|node| node["uid"].as_str().unwrap()).collect();
    uids.sort_unstable();
    uids.dedup();
    assert_eq!(uids.len(), nodes.len());
    for node in nodes {
        let created = node["created_at"].as_i64().unwrap();
        assert_eq!(created, node["seq"].as_i64().unwrap() * 1_000, "{node}");
        assert!(node["changed_at"].as_i64().unwrap() >= created);
        assert!(!node["description"].as_str().unwrap().is_empty(), "{node}");
    }
    let ran = nodes.iter().find(|node| node["id"] == "c3").unwrap();
    let started = ran["executions"][0]["started_at"].as_i64().unwrap();
    assert!(started > ran["created_at"].as_i64().unwrap());
    let active = json(&fold(&envelopes), true, &times).to_string();
    for no in ["uid", "_at\"", "description", "session"] {
        assert!(!active.contains(no), "`{no}` differs between equal runs");
    }
}
