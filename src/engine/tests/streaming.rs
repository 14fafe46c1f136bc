//! Tests streams: display while they run, retries, and the next request.

use std::time::Duration;

use super::kit::Stage;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::live::LivePart;
use overrule_domain::state::Mode;
use overrule_domain::transcript::Message;
use overrule_domain::turn::{Stop, Stream, StreamFault, StreamFaultKind};
use overrule_model::Chunk;

fn fault(kind: StreamFaultKind) -> StreamFault {
    StreamFault {
        kind,
        message: "as a test says".into(),
        retry_after_ms: None,
    }
}

#[tokio::test(start_paused = true)]
async fn of_a_long_partial_text_the_newest_part_is_shown_and_all_is_stored() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    let long = "日本 words ".repeat(10_000);
    ask.text(0, &long).await;
    ask.text(0, "the end").await;
    let all = long.len() + "the end".len();
    let shown = std::cell::Cell::new((0, 0));
    stage
        .live(|turns| {
            let mut parts = turns.values().flat_map(|live| &live.parts);
            let Some(LivePart::Text { text, before, .. }) = parts.next() else {
                return false;
            };
            shown.set((*before as usize, text.len()));
            text.ends_with("the end")
        })
        .await;
    let (before, shown) = shown.get();
    assert!((4_000..=8_192).contains(&shown), "{shown}");
    assert_eq!(before + shown, all, "nothing is left out of the count");
    ask.end(Stop::End).await;
    stage
        .until("an answer", |stage| matches!(stage.state.mode, Mode::Finished(_)))
        .await;
    let text = stage.state.nodes.values().last().unwrap().text().len();
    assert_eq!(text, all);
}

#[tokio::test(start_paused = true)]
async fn open_text_reaches_who_listens_and_goes_when_it_is_whole() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.text(0, "Let me ").await;
    ask.text(0, "see").await;
    let shows = |text: &'static str| {
        move |turns: &crate::handle::LiveTurns| {
            turns.values().flat_map(|live| &live.parts).any(
                |part| matches!(part, LivePart::Text { text: shown, reasoning: false, .. } if **shown == *text),
            )
        }
    };
    stage.live(shows("Let me see")).await;
    ask.send(Chunk::Call {
        part: 1,
        id: None,
        name: "look".into(),
    })
    .await;
    let delta = "{\"n\":".to_owned();
    ask.send(Chunk::Args { part: 1, delta }).await;
    stage
        .live(|turns| {
            let mut parts = turns.values().flat_map(|live| &live.parts);
            parts.any(|part| matches!(part, LivePart::Call { tool, args, .. } if **tool == *"look" && **args == *"{\"n\":"))
        })
        .await;
    let delta = "1}".to_owned();
    ask.send(Chunk::Args { part: 1, delta }).await;
    ask.send(Chunk::Sealed {
        part: 1,
        opaque: None,
    })
    .await;
    stage.runs().await.ends(Outcome::ok("1"));
    ask.end(Stop::Calls).await;
    stage.asked().await.answer("done").await;
    stage
        .until("the answer", |stage| {
            matches!(stage.state.mode, Mode::Finished(_))
        })
        .await;
    stage.live(std::collections::BTreeMap::is_empty).await;
}

#[tokio::test(start_paused = true)]
async fn long_open_text_is_written_down_before_it_is_whole() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.text(0, "begun").await;
    stage
        .until("after a while", |stage| {
            stage
                .state
                .turns
                .values()
                .any(|turn| turn.more.open_text() == "begun")
        })
        .await;
    ask.text(0, &"x".repeat(5000)).await;
    stage
        .until("after some bytes", |stage| {
            let mut turns = stage.state.turns.values();
            turns.any(|turn| turn.more.open_text().len() == 5005)
        })
        .await;
    drop(ask);
    let partials = stage
        .log
        .lock()
        .unwrap()
        .iter()
        .filter(|envelope| matches!(envelope.event, Event::Turn(TurnEvent::Partial { .. })))
        .count();
    assert_eq!(partials, 2);
}

#[tokio::test(start_paused = true)]
async fn a_text_that_becomes_very_long_is_written_down_once_and_not_for_every_piece_of_it() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    let piece = "x".repeat(4096);
    for _ in 0..256 {
        ask.text(0, &piece).await;
    }
    stage
        .until("most of it", |stage| {
            let mut turns = stage.state.turns.values();
            turns.any(|turn| turn.more.open_text().len() > 900_000)
        })
        .await;
    drop(ask);
    let log = stage.log.lock().unwrap();
    let written = log.iter().map(|envelope| match &envelope.event {
        Event::Turn(TurnEvent::Partial { text, .. }) => text.len(),
        _ => 0,
    });
    let written: usize = written.sum();
    let partial = stage.state.turns.values().find_map(|turn| turn.more.open.clone());
    assert_eq!(
        written,
        partial.unwrap().text.len(),
        "no byte of it is written twice"
    );
}

#[tokio::test(start_paused = true)]
async fn a_passing_fault_is_tried_again_with_growing_pauses_and_then_put_to_the_operator() {
    let mut stage = Stage::new();
    let mut ask = stage.prompt("go").await;
    let mut pauses = Vec::new();
    for _ in 0..4 {
        let began = tokio::time::Instant::now();
        ask.fail(fault(StreamFaultKind::Server));
        ask = stage.asked().await;
        pauses.push(began.elapsed());
    }
    for (before, after) in pauses.iter().zip(&pauses[1..]) {
        assert!(after > before, "{pauses:?}");
    }
    assert!(pauses[0] >= Duration::from_millis(800), "{pauses:?}");
    // Ten minutes in all and what the breaker adds (this clock does not count its waits), and then no more.
    let waited: Duration = pauses.iter().sum();
    let began = tokio::time::Instant::now();
    let mut requests = 0;
    loop {
        ask.fail(fault(StreamFaultKind::Server));
        let Ok(next) = tokio::time::timeout(Duration::from_secs(80), stage.asked()).await else {
            break;
        };
        ask = next;
        requests += 1;
    }
    let waited = (waited + began.elapsed())
        .checked_sub(Duration::from_secs(80))
        .unwrap();
    assert!((600..=640).contains(&waited.as_secs()), "{waited:?}");
    assert!((9..=12).contains(&requests), "{requests}");
    stage
        .until("broken", |stage| {
            stage
                .state
                .turns
                .values()
                .any(|turn| matches!(turn.stream, Stream::Broken(_)))
        })
        .await;
    // Asking again by hand allows one more attempt.
    let turn = *stage.state.turns.keys().last().unwrap();
    stage
        .send(Command::Run(RunCommand::AskAgain { turn, request: None }))
        .await
        .unwrap();
    stage.asked().await.answer("at last").await;
    stage
        .until("the answer", |stage| {
            matches!(stage.state.mode, Mode::Finished(_))
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_server_is_not_asked_before_it_wants_to_be() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    let began = tokio::time::Instant::now();
    ask.fail(StreamFault {
        retry_after_ms: Some(7_000),
        ..fault(StreamFaultKind::RateLimit)
    });
    let again = stage.asked().await;
    assert!(began.elapsed() >= Duration::from_secs(7));
    again.answer("now").await;
}

#[tokio::test(start_paused = true)]
async fn what_does_not_pass_is_not_tried_again() {
    for kind in [
        StreamFaultKind::Auth,
        StreamFaultKind::Request,
        StreamFaultKind::Garbage,
        StreamFaultKind::Script,
    ] {
        let mut stage = Stage::new();
        let ask = stage.prompt("go").await;
        ask.fail(fault(kind));
        stage.quiet().await;
        stage
            .until("broken", |stage| {
                stage
                    .state
                    .turns
                    .values()
                    .any(|turn| matches!(turn.stream, Stream::Broken(_)))
            })
            .await;
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_tried_again_once_a_call_was_whole() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "act", "{}").await;
    let run = stage.runs().await;
    ask.fail(fault(StreamFaultKind::Network));
    run.ends(Outcome::ok("1"));
    stage.quiet().await;
    stage
        .until("broken", |stage| {
            stage
                .state
                .turns
                .values()
                .any(|turn| matches!(turn.stream, Stream::Broken(_)))
        })
        .await;
    // If what arrived is kept, the run continues with the result.
    let turn = *stage.state.turns.keys().last().unwrap();
    stage
        .send(Command::Run(RunCommand::KeepArrived { turn, request: None }))
        .await
        .unwrap();
    let next = stage.asked().await;
    let results = next
        .request
        .messages
        .iter()
        .filter(|one| matches!(one, Message::Result { .. }));
    assert_eq!(results.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_an_end_mark_is_cut_and_never_an_answer() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.text(0, "The answer is").await;
    // The stream reports success, but the end mark never came.
    ask.done_without_a_mark();
    let again = stage.asked().await;
    stage
        .until("cut", |stage| {
            stage.log.lock().unwrap().iter().any(|envelope| {
                matches!(&envelope.event, Event::Turn(TurnEvent::Broken { fault, .. })
                    if fault.kind == StreamFaultKind::Truncated)
            })
        })
        .await;
    assert!(
        !stage
            .state
            .nodes
            .keys()
            .any(|id| id.kind == overrule_domain::id::NodeKind::Answer)
    );
    again.answer("whole").await;
}

#[tokio::test(start_paused = true)]
async fn errors_are_sent_to_the_model_with_the_next_request() {
    let mut stage = Stage::new();
    let ask = stage.prompt("go").await;
    ask.call(0, "look", r#"{"n":1}"#).await;
    ask.call(1, "no_such_tool", "{}").await;
    ask.end(Stop::Calls).await;
    stage.runs().await.ends(Outcome::err(ToolError {
        class: ErrorClass::NotFound,
        message: "there is no file `x`".into(),
        evidence: "looked".into(),
        hint: None,
        partial: None,
        executed: false,
        retry_after_ms: None,
    }));
    let next = stage.asked().await;
    let texts: Vec<&str> = next
        .request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Result { text, .. } => Some(&**text),
            _ => None,
        })
        .collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("there is no file `x`"), "{}", texts[0]);
    assert!(texts[1].contains("no_such_tool"), "{}", texts[1]);
}
