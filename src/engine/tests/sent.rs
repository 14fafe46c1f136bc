//! Tests that the content of a request can be derived from the record at any later time.

use std::sync::Arc;

use super::kit::{Ask, Stage};
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::id::{NodeKind, Rev};
use overrule_domain::state::Mode;
use overrule_domain::transcript::sent::{Finder, Lookup, SentRequest};
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind};

/// What the model was really asked.
fn sent_request(ask: &Ask) -> SentRequest {
    SentRequest {
        model: Arc::from("puppet"),
        system: ask.request.system.clone(),
        messages: ask.request.messages.clone(),
        tools: ask.request.tools.clone(),
    }
}

#[tokio::test(start_paused = true)]
async fn every_request_is_found_as_it_was_sent_after_an_edit_too() {
    let mut stage = Stage::new();
    let mut asked = Vec::new();
    let ask = stage.prompt("go").await;
    asked.push(sent_request(&ask));
    // A stream that breaks is requested again, as a second request of its turn.
    ask.fail(StreamFault {
        kind: StreamFaultKind::Network,
        message: "cut".into(),
        retry_after_ms: None,
    });
    let ask = stage.asked().await;
    asked.push(sent_request(&ask));
    ask.text(0, "an old thought").await;
    ask.call(1, "look", r#"{"n":1}"#).await;
    stage.runs().await.ends(Outcome::ok("1"));
    ask.end(Stop::Calls).await;
    let ask = stage.asked().await;
    asked.push(sent_request(&ask));
    ask.answer("the first answer").await;
    let answered = |stage: &Stage| matches!(stage.state.mode, Mode::Finished(_));
    stage.until("the answer", answered).await;
    let nodes = stage.state.nodes.keys().copied();
    let thoughts: Vec<_> = nodes.filter(|id| id.kind == NodeKind::Thought).collect();
    let thought = thoughts[0];
    let edit = Command::Edit(EditCommand::Commit {
        edits: vec![Edit::Text {
            node: thought,
            base: Rev(1),
            text: "a new thought".into(),
        }],
        effects_seen: None,
        reason: None,
        keep_later: false,
    });
    stage.send(edit).await.unwrap();
    let ask = stage.asked().await;
    asked.push(sent_request(&ask));
    ask.answer("the second answer").await;
    stage.until("the answer", answered).await;

    let log = stage.log.lock().unwrap().clone();
    let requests = log.iter().filter_map(|envelope| match &envelope.event {
        Event::Turn(TurnEvent::Requested { turn, request, .. }) => Some((*turn, *request)),
        _ => None,
    });
    let found: Vec<SentRequest> = requests
        .map(|(turn, request)| {
            let mut finder = Finder::new(turn, request);
            for envelope in &log {
                finder.take(envelope);
            }
            match finder.found() {
                Some(Lookup::Sent(sent)) => sent,
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(found, asked);
    let words = |sent: &SentRequest| format!("{:?}", sent.messages);
    assert!(words(&found[2]).contains("an old thought") && words(&found[3]).contains("a new thought"));
    let first = stage.state.turns.values().find(|turn| turn.asked > 0);
    assert_eq!(first.map(|turn| turn.asked), Some(2));
}
