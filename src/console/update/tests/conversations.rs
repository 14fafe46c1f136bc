//! Tests the way to another conversation of the agent: its banner, its alert, its key.
//!
//! Must not know: how conversations begin.

use crate::kernel::msg::{Leave, Msg, Out};
use crate::run::link::{Conversation, Update};
use crate::testing::{Stage, id};
use overrule_domain::agent::{LinkRole, LinkedSession, Rewriting, SideRequest};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;
use overrule_domain::live::AgentStatus;
use overrule_domain::node::{Channel, Origin};
use overrule_domain::turn::Usage;

fn other(session: &str, waiting: usize) -> Conversation {
    Conversation {
        session: session.to_owned(),
        name: format!("task of {session} \u{1b}[2J"),
        waiting,
        is_open: waiting > 0,
        ..Conversation::default()
    }
}

fn stage() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage
}

fn set_others(stage: &mut Stage, others: &[Conversation]) -> Vec<Out> {
    stage.out.clear();
    stage.send(Msg::Run(Update::Conversations {
        agent: AgentStatus::Connected,
        others: others.into(),
    }));
    stage.draw();
    std::mem::take(&mut stage.out)
}

fn banner(stage: &mut Stage) -> String {
    stage.text().lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn a_conversation_that_waits_is_announced_with_its_key() {
    let mut stage = stage();
    assert_eq!(set_others(&mut stage, &[other("a", 0), other("b", 0)]), []);
    assert!(
        !banner(&mut stage).contains("another conversation"),
        "{}",
        banner(&mut stage)
    );
    let alert = [Out::Alert("another conversation waits for you".to_owned())];
    assert_eq!(set_others(&mut stage, &[other("a", 0), other("b", 1)]), alert);
    let line = banner(&mut stage);
    assert!(
        line.contains("1 decision waits in another conversation: task of b ⟨U+001B⟩[2J; alt-w: go there"),
        "{line}"
    );
    // Once for as long as one waits.
    assert_eq!(set_others(&mut stage, &[other("a", 2), other("b", 1)]), []);
    assert!(
        banner(&mut stage).contains("2 decisions wait"),
        "{}",
        banner(&mut stage)
    );
    assert_eq!(set_others(&mut stage, &[other("a", 0), other("b", 0)]), []);
    assert!(
        !banner(&mut stage).contains("another conversation"),
        "{}",
        banner(&mut stage)
    );
}

#[test]
fn the_key_goes_to_the_one_that_waits_else_to_the_next_one() {
    for (others, goes) in [
        (vec![other("a", 0), other("b", 3), other("c", 1)], Some("b")),
        (vec![other("a", 0), other("b", 0)], Some("a")),
        (Vec::new(), None),
    ] {
        let mut stage = stage();
        set_others(&mut stage, &others);
        stage.press("alt-w");
        let to = goes.map(|session| Out::Quit(Leave::Show(session.to_owned())));
        assert_eq!(stage.out, Vec::from_iter(to));
        if goes.is_none() {
            assert!(
                stage.status().contains("no other conversation"),
                "{}",
                stage.status()
            );
        }
    }
}

#[test]
fn staged_edits_are_not_lost() {
    let mut stage = stage();
    stage.thought("t2", "I read.");
    stage.close();
    stage.press("1 g j M");
    stage.type_text("be brief");
    stage.press("ctrl-g");
    assert_eq!(stage.model.staged_edits.len(), 1);
    set_others(&mut stage, &[other("a", 1)]);
    stage.press("alt-w");
    assert!(
        !stage.out.iter().any(|out| matches!(out, Out::Quit(_))),
        "{:?}",
        stage.out
    );
    assert!(
        stage.status().contains("staged edits first. E shows them"),
        "{}",
        stage.status()
    );
    assert_eq!(stage.model.staged_edits.len(), 1);
}

#[test]
fn leaving_asks_first_while_another_conversation_is_not_over() {
    let mut stage = stage();
    stage.close();
    assert!(!stage.model.run.is_busy());
    set_others(&mut stage, &[other("a", 1), other("b", 0)]);
    stage.press("q");
    assert_eq!(stage.out, [], "it asks");
    let text = stage.text();
    assert!(
        text.contains("Another conversation of the agent is not over"),
        "{text}"
    );
    stage.press("esc");
    set_others(&mut stage, &[other("a", 0), other("b", 0)]);
    stage.press("q");
    assert_eq!(stage.out, [Out::Quit(Leave::Quit)]);
}

#[test]
fn a_rewritten_history_is_one_line_with_the_edits_that_no_longer_apply() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    let rewriting = |lost| {
        let from = Some(id("c3"));
        Event::Run(RunEvent::HistoryRewritten(Rewriting { from, lost }))
    };
    let lost = vec![id("c3"), id("t2")];
    stage.engine(rewriting(lost.clone()));
    let words = "the agent rewrote its history from c3 on; edits that no longer apply: c3 t2";
    assert_eq!(stage.status(), words);
    assert!(stage.text().contains(words), "{}", stage.text());
    assert_eq!(
        stage.model.run.state.origin.agent.lost,
        lost.into_iter().collect()
    );
    assert!(stage.model.run.state.origin.agent.rewritten.is_some());
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.engine(rewriting(Vec::new()));
    assert_eq!(stage.status(), "the agent rewrote its history from c3 on");
}

#[test]
fn requests_without_tools_are_lines_of_the_log_and_one_row_of_the_budget() {
    let mut stage = Stage::new(120, 30);
    stage.begin();
    stage.press("7");
    assert!(!stage.text().contains("no tools"), "{}", stage.text());
    let requests = stage.model.run.state.tally.requests;
    let side = |words: &str, usage| {
        let words = words.into();
        Event::Run(RunEvent::SideRequest(SideRequest { words, usage }))
    };
    let usage = Usage {
        input: Some(12),
        output: Some(3),
        ..Usage::default()
    };
    stage.engine(side("Name this \u{1b}[2J task", usage));
    stage.engine(side("and this", Usage::default()));
    let text = stage.text();
    assert!(
        text.contains("no tools   2 requests, 15 tokens (12 sent, 3 received), in no limit"),
        "{text}"
    );
    assert_eq!(stage.model.run.state.tally.requests, requests);
    stage.press("4");
    let text = stage.text();
    assert!(
        text.contains("a request without tools passed (12 sent, 3 received tokens): Name this "),
        "{text}"
    );
    assert!(
        text.contains("a request without tools passed: and this"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text}");
}

fn linked(stage: &mut Stage, session: &str, role: LinkRole, call: &str) {
    stage.engine(Event::Run(RunEvent::Linked(LinkedSession {
        session: session.into(),
        role,
        call: Some(id(call)),
    })));
}

#[test]
fn the_row_of_a_call_shows_its_sub_agent_and_the_key_goes_there() {
    let mut stage = Stage::new(120, 30);
    stage.begin();
    stage.running("c3", "Task", r#"{"prompt":"count"}"#);
    stage.running("c5", "Task", r#"{"prompt":"read"}"#);
    linked(&mut stage, "01a2-first", LinkRole::SubAgent, "c3");
    linked(&mut stage, "01a2-again", LinkRole::SubAgent, "c3");
    linked(&mut stage, "01a1-above", LinkRole::Parent, "c5");
    let row = |stage: &mut Stage, call: &str| {
        let text = stage.text();
        let line = text.lines().find(|line| line.contains(&format!(" {call} ")));
        line.unwrap_or_default().to_owned()
    };
    // A recorded run knows that there is one.
    assert!(
        row(&mut stage, "c3").contains("(sub-agent)"),
        "{}",
        row(&mut stage, "c3")
    );
    assert!(
        !row(&mut stage, "c5").contains("sub-agent"),
        "{}",
        row(&mut stage, "c5")
    );
    for (waiting, is_open, words) in [
        (0, false, "(sub-agent)"),
        (0, true, "(sub-agent works)"),
        (1, true, "(sub-agent: 1 decision waits)"),
        (2, true, "(sub-agent: 2 decisions wait)"),
    ] {
        let of_call = Conversation {
            is_open,
            ..other("01a2-again", waiting)
        };
        set_others(&mut stage, &[other("b", 1), of_call, other("01a2-first", 0)]);
        assert!(
            row(&mut stage, "c3").contains(words),
            "{words}: {}",
            row(&mut stage, "c3")
        );
        // One that waits is first; on the row of the call, its newest sub-agent.
        let of_call = if waiting > 0 { "01a2-again" } else { "b" };
        for (key, goes) in [("1 g j", of_call), ("1 G", "b")] {
            stage.press(key);
            stage.out.clear();
            stage.press("alt-w");
            assert_eq!(stage.out, [Out::Quit(Leave::Show(goes.to_owned()))], "{key}");
        }
    }
    set_others(&mut stage, &[other("b", 0), other("01a2-again", 0)]);
    for (key, goes) in [("1 g j", "01a2-again"), ("1 G", "b")] {
        stage.press(key);
        stage.out.clear();
        stage.press("alt-w");
        assert_eq!(stage.out, [Out::Quit(Leave::Show(goes.to_owned()))], "{key}");
    }
    stage.press("1 g j 3");
    let text = stage.text();
    assert!(
        text.contains("A sub-agent of this call has a session of its own."),
        "{text}"
    );
    assert!(text.contains("Session of the sub-agent: 01a2-again"), "{text}");
}

#[test]
fn the_first_row_after_a_rewritten_history_is_marked() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "I read.");
    stage.close();
    stage.engine(Event::Run(RunEvent::HistoryRewritten(Rewriting::default())));
    assert!(!stage.text().contains("(history rewritten)"), "{}", stage.text());
    stage.request(3, 2);
    for (node, text) in [("t3", "A summary."), ("t4", "I write.")] {
        stage.turn(TurnEvent::Thought {
            turn: TurnId(3),
            node: id(node),
            text: text.into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
    }
    let text = stage.text();
    let line = |words: &str| text.lines().find(|line| line.contains(words)).unwrap_or_default();
    assert!(line("A summary.").contains("(history rewritten)"), "{text}");
    for other in ["I read.", "I write."] {
        assert!(!line(other).contains("rewritten"), "{text}");
    }
}

#[test]
fn the_header_says_what_an_agent_does_and_keeps_what_its_user_must_look_at() {
    for width in [80, 160] {
        for agent in AgentStatus::ALL {
            let mut stage = Stage::new(width, 30);
            stage.begin();
            let header = |stage: &mut Stage| stage.text().lines().next().unwrap_or_default().to_owned();
            assert!(!header(&mut stage).contains("agent"), "a run of its own has none");
            let others = [].into();
            stage.send(Msg::Run(Update::Conversations { agent, others }));
            stage.draw();
            let line = header(&mut stage);
            let is_dim = matches!(agent, AgentStatus::Connected | AgentStatus::Works);
            assert!(
                line.contains(agent.label()) || width == 80 && is_dim,
                "{agent:?}: {line}"
            );
        }
    }
}
