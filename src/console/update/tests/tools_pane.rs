//! Tests the pane of tools and servers: what it shows, and the keys that accept or refuse definitions.
//!
//! Must not know: how a server is reached.

use crate::kernel::msg::{Msg, Out};
use crate::run::link::{ServerOrder, ServerState, ServerTool, Update};
use crate::surfaces;
use crate::testing::{ARMING, Stage};
use overrule_domain::breaker::{Phase, Scope};

fn server(name: &str, drift: &[&str]) -> ServerState {
    let tool = |name: &str, offered: Option<&str>| ServerTool {
        name: name.to_owned(),
        offered: offered.map(Into::into),
        pin: "0123456789abcdef".to_owned(),
        tokens: 120,
    };
    ServerState {
        name: name.to_owned(),
        state: "ready",
        why: None,
        confined: Some("not confined"),
        about: "protocol 2025-11-25, pid 77".to_owned(),
        hash: Some(format!("hash-of-{name}")),
        drift: drift.iter().map(|line| (*line).to_owned()).collect(),
        difference: (!drift.is_empty()).then(|| drift.join("\n").into()),
        tools: vec![tool("read", Some("read_file")), tool("hidden", None)],
        log: vec!["a word \u{1b}[2J on standard error".to_owned()],
        log_file: Some("/sessions/x/servers/docs.log".to_owned()),
    }
}

fn stage(servers: &[ServerState]) -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.send(Msg::Run(Update::Servers(servers.into())));
    stage.press("9 z");
    stage.wait(ARMING);
    stage.draw();
    stage
}

fn orders(stage: &mut Stage) -> Vec<ServerOrder> {
    let out = std::mem::take(&mut stage.out);
    out.into_iter()
        .filter_map(|out| match out {
            Out::Server(order) => Some(order),
            _ => None,
        })
        .collect()
}

#[test]
fn it_shows_state_class_pin_tokens_and_log_of_a_server_and_the_other_tools() {
    let mut down = server("gone", &[]);
    down.state = "restarting";
    down.why = Some("the connection ended".to_owned());
    let mut stage = stage(&[server("docs", &[]), down]);
    let text = stage.text();
    for words in [
        "docs  ready  2 tools, about 120 tokens",
        "protocol 2025-11-25, pid 77",
        "log: a word ⟨U+001B⟩[2J on standard error",
        "all of its log: /sessions/x/servers/docs.log",
        "gone  restarting: the connection ended",
        "own and declared tools",
        "irreversible",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    // The columns of the tools are aligned.
    let flat = stage.flat();
    for words in [
        "read read 120 tokens pin 01234567",
        "hidden not offered 120 tokens pin 01234567",
        "write_file write",
        "launch write",
    ] {
        assert!(flat.contains(words), "no `{words}` in {flat}");
    }
    let tools = text
        .lines()
        .filter(|row| row.starts_with("   ") && row.contains(" tokens"));
    let columns: std::collections::BTreeSet<_> = tools.map(|row| row.find(" tokens")).collect();
    assert_eq!(columns.len(), 1, "{text}");
    assert!(!text.contains("changed:"), "{text}");
    stage.press("alt-k");
    assert_eq!(orders(&mut stage), [], "nothing changed");
    stage.press("9");
    assert_ne!(stage.model.screen.focus, surfaces::tools::PANE);
}

#[test]
fn changed_definitions_are_accepted_only_after_all_of_them_were_shown() {
    let drift = ["changed: read", "  /description: \"reads\" → \"deletes\u{202e}\""];
    let mut stage = stage(&[server("docs", &drift)]);
    let text = stage.text();
    for words in [
        "its definitions changed",
        "| changed: read",
        "/description: \"reads\" → \"deletes⟨U+202E⟩\"",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    stage.press("g alt-k");
    stage.draw();
    assert!(
        stage.text().contains("for this run and all later ones"),
        "{}",
        stage.text()
    );
    stage.press("ctrl-a");
    assert_eq!(orders(&mut stage), [], "shown for less than the minimum time");
    stage.wait(2_000);
    stage.press("ctrl-a");
    assert_eq!(orders(&mut stage), [accept()]);
    // The answer of the run replaces what was shown.
    stage.send(Msg::Run(Update::Servers([server("docs", &[])].as_slice().into())));
    stage.draw();
    assert!(
        !stage.text().contains("its definitions changed"),
        "{}",
        stage.text()
    );
}

fn accept() -> ServerOrder {
    ServerOrder::Accept {
        server: "docs".to_owned(),
        hash: "hash-of-docs".to_owned(),
    }
}

#[test]
fn definitions_that_change_under_the_question_are_not_accepted() {
    let changes: [fn(&mut ServerState); 2] = [
        |server| server.hash = Some("another".to_owned()),
        |server| server.difference = Some("new: write".into()),
    ];
    for change in changes {
        let mut stage = stage(&[server("docs", &["new: x"])]);
        stage.press("g alt-k");
        stage.draw();
        stage.wait(ARMING);
        let mut other = server("docs", &["new: x"]);
        change(&mut other);
        stage.send(Msg::Run(Update::Servers([other].as_slice().into())));
        stage.press("ctrl-a");
        assert_eq!(orders(&mut stage), [], "changed just before the key");
        stage.draw();
        assert!(stage.text().contains("no longer asked"), "{}", stage.text());
        stage.wait(2_000);
        stage.press("ctrl-a");
        assert_eq!(orders(&mut stage), []);
        // What is there now is another question.
        stage.press("esc alt-k");
        stage.draw();
        stage.wait(ARMING);
        stage.press("ctrl-a");
        assert_eq!(orders(&mut stage).len(), 1);
    }
}

#[test]
fn a_difference_is_read_to_its_end_before_it_is_accepted() {
    let lines: Vec<String> = (0..200).map(|no| format!("new: tool-{no}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut stage = stage(&[server("docs", &lines)]);
    stage.press("g alt-k");
    stage.draw();
    stage.wait(ARMING);
    stage.press("ctrl-a");
    assert_eq!(orders(&mut stage), [], "its end was not on screen");
    for _ in 0..20 {
        stage.press("pgdn");
        stage.draw();
    }
    assert!(stage.text().contains("tool-199"), "{}", stage.text());
    stage.wait(ARMING);
    stage.press("ctrl-a");
    assert_eq!(orders(&mut stage), [accept()]);
}

#[test]
fn a_difference_that_is_too_long_for_a_page_is_not_accepted_here() {
    let mut long = server("docs", &["new: x"]);
    long.difference = None;
    let mut stage = stage(&[long]);
    stage.press("g alt-k");
    stage.draw();
    assert!(
        stage.text().contains("`overrule tools accept docs`"),
        "{}",
        stage.text()
    );
    stage.wait(ARMING);
    stage.press("ctrl-a alt-k");
    assert_eq!(orders(&mut stage), []);
}

#[test]
fn a_server_that_keeps_failing_shows_its_breaker() {
    let mut stage = stage(&[server("docs", &[]), server("other", &[])]);
    assert!(!stage.text().contains("breaker"), "{}", stage.text());
    stage.breaker_of(Scope::Server("docs".into()), Phase::Open);
    stage.draw();
    let text = stage.text();
    let at = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("no `{words}` in {text}"))
    };
    let breaker = at("breaker open, opened 1 time: 5 failures in a row");
    assert!(
        at("docs  ready") < breaker && breaker < at("other  ready"),
        "{text}"
    );
}

#[test]
fn a_server_is_ended_by_the_second_press() {
    let mut stage = stage(&[server("docs", &["new: x"])]);
    stage.press("g alt-x");
    assert_eq!(orders(&mut stage), [], "one press only asks");
    stage.wait(2_000);
    stage.press("alt-x");
    let refuse = ServerOrder::Refuse {
        server: "docs".to_owned(),
    };
    assert_eq!(orders(&mut stage), [refuse]);
}

#[test]
fn the_keys_belong_to_the_row_of_a_server() {
    let mut stage = stage(&[server("docs", &["new: x"])]);
    stage.press("G");
    stage.wait(ARMING);
    stage.press("alt-k alt-x");
    assert_eq!(orders(&mut stage), []);
}
