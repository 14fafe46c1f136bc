//! Tests what an executor keeps of the streams that it opened.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::executor::Executor;
use crate::handle::{Handle, Message};
use crate::reader::Reader;
use overrule_domain::id::TurnId;
use overrule_domain::input::Input;
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind};
use overrule_model::{Chunk, Model, Request, Tap};
use overrule_tools::registry::Registry;

/// Answers, breaks, hangs, or has a defect, by the number of the turn.
struct Moody;

impl Model for Moody {
    fn name(&self) -> String {
        "moody".into()
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        assert_ne!(request.turn, 5, "a defect\u{7}before the request");
        Box::pin(async move {
            match request.turn {
                4 => panic!("a defect\u{7}in the middle"),
                1 => {
                    chunks.send(Chunk::Finish(Stop::End)).await.unwrap();
                    Ok(())
                }
                2 => Err(StreamFault {
                    kind: StreamFaultKind::Network,
                    message: "gone".into(),
                    retry_after_ms: None,
                }),
                _ => std::future::pending().await,
            }
        })
    }
}

fn request(turn: u32) -> Request {
    Request {
        system: "".into(),
        messages: Vec::new(),
        tools: Vec::new(),
        quirks: overrule_model::Quirks::new(),
        output_schema: None,
        id: TurnId(turn),
        turn,
        tap: Tap::default(),
    }
}

fn executor(inbox: mpsc::Sender<Message>) -> Executor {
    let (_live, live) = watch::channel(std::collections::BTreeMap::new());
    let (_reported, text) = watch::channel(overrule_domain::id::Seq(0));
    Executor::new(
        Arc::new(Moody),
        Arc::new(Registry::new(Vec::new()).unwrap()),
        (Arc::new("/".into()), Reader::default()),
        Handle::new(inbox, live, text),
        Clock::start(),
    )
}

#[tokio::test(start_paused = true)]
async fn a_defect_of_an_adapter_breaks_the_request_and_leaves_nothing_open() {
    let (inbox, mut reports) = mpsc::channel(64);
    let mut executor = executor(inbox);
    for turn in 4..=5 {
        executor.ask((TurnId(turn), 1), request(turn));
    }
    let mut over = Vec::new();
    while over.len() < 2 {
        let report = reports.recv().await.unwrap();
        if let Message::Input(Input::Broke { turn, fault, .. }) = report {
            assert!(!fault.kind.is_transient(), "it would come out the same again");
            assert!(fault.message.contains("a defect⟨U+0007⟩"), "{}", fault.message);
            over.push(turn);
        }
    }
    over.sort();
    assert_eq!(over, [TurnId(4), TurnId(5)]);
    tokio::task::yield_now().await;
    assert_eq!(executor.open_asks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_has_ended_or_broken_is_forgotten() {
    let (inbox, mut reports) = mpsc::channel(64);
    let mut executor = executor(inbox);
    for turn in 1..=3 {
        executor.ask((TurnId(turn), 1), request(turn));
    }
    assert_eq!(executor.open_asks(), 3);
    let mut over = Vec::new();
    while over.len() < 2 {
        let report = reports.recv().await.unwrap();
        if let Message::Input(Input::Ended { turn, .. } | Input::Broke { turn, .. }) = report {
            over.push(turn);
        }
    }
    over.sort();
    assert_eq!(over, [TurnId(1), TurnId(2)]);
    // The tasks end right after their last reports.
    tokio::task::yield_now().await;
    assert_eq!(executor.open_asks(), 1, "the one that hangs");
    executor.abort(TurnId(3));
    assert_eq!(executor.open_asks(), 0);
}
