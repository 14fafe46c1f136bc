//! Tests the outcome of an execution, whatever its tool does.
//!
//! Must not know: scheduling.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::tool::Spec;
use overrule_domain::advice::ToolFacts;
use overrule_domain::event::run::ToolCard;

type Body = fn(Job) -> BoxFuture<'static, Outcome>;

/// A tool for tests, without an effect unless a test gives it one.
struct Noop {
    spec: Spec,
    body: Body,
    ran: Arc<AtomicBool>,
}

impl Tool for Noop {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        self.ran.store(true, Ordering::SeqCst);
        (self.body)(job)
    }
}

fn noop(effect: EffectClass, body: Body) -> (Arc<dyn Tool>, Arc<AtomicBool>) {
    let ran = Arc::new(AtomicBool::new(false));
    let tool = Noop {
        spec: Spec {
            card: ToolCard {
                name: "noop".into(),
                description: "Does nothing.".into(),
                schema: "{}".into(),
                effect,
                effect_by: None,
                tags: Vec::new(),
                pause_ms: 0,
                takes_truncated: false,
                confined: false,
                probe: None,
                compensate: None,
                origin: None,
            },
            facts: ToolFacts {
                effect,
                takes_truncated: false,
                show_difference: false,
                special: None,
            },
        },
        body,
        ran: ran.clone(),
    };
    (Arc::new(tool), ran)
}

fn job(cancel: &CancellationToken) -> Job {
    Job {
        key: "key".into(),
        call: overrule_domain::id::NodeId::FIRST,
        args: json!({}),
        text: "{}".into(),
        workspace: Arc::new(std::env::temp_dir()),
        private: Arc::default(),
        withheld: crate::tool::nothing_withheld(),
        cancel: cancel.clone(),
        profile: None,
        on_refused: Arc::new(|_| {}),
        sandbox: None,
        on_spawn: Arc::new(|_, _| ()),
        on_output: Arc::new(|_| ()),
        ask: crate::tool::ask_nobody(),
    }
}

const LIMITS: Limits = Limits {
    time: Duration::from_secs(10),
    grace: Duration::from_secs(1),
};

async fn outcome(effect: EffectClass, body: Body) -> Outcome {
    run(noop(effect, body).0, job(&CancellationToken::new()), LIMITS).await
}

#[tokio::test(start_paused = true)]
async fn a_result_is_passed_on() {
    let ok = outcome(EffectClass::Pure, |_| Box::pin(async { Outcome::ok("1") })).await;
    assert_eq!(ok, Outcome::ok("1"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failure_of_the_tool() {
    for (effect, executed) in [(EffectClass::Read, false), (EffectClass::Unknown, true)] {
        let Outcome::Err(error) =
            outcome(effect, |_| Box::pin(async { panic!("no \u{1b}[31m {}", 7) })).await
        else {
            panic!("not an error");
        };
        assert_eq!((error.class, error.executed), (ErrorClass::Internal, executed));
        assert!(error.message.contains(" 7"), "{}", error.message);
        assert!(!error.message.contains('\u{1b}'));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_cancelled_before_never_runs() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (tool, ran) = noop(EffectClass::Write, |_| Box::pin(async { Outcome::ok("1") }));
    assert_eq!(
        run(tool, job(&cancel), LIMITS).await,
        Outcome::Cancelled { executed: false }
    );
    assert!(!ran.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn cancelling_asks_the_tool_first_and_then_ends_it() {
    let polite: Body = |job| {
        Box::pin(async move {
            job.cancel.cancelled().await;
            Outcome::Cancelled { executed: false }
        })
    };
    let deaf: Body = |_| Box::pin(std::future::pending());
    for (effect, body, executed) in [
        (EffectClass::Write, polite, false),
        (EffectClass::Write, deaf, true),
        (EffectClass::Read, deaf, false),
    ] {
        let cancel = CancellationToken::new();
        let (tool, _) = noop(effect, body);
        let running = tokio::spawn(run(tool, job(&cancel), LIMITS));
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert!(!running.is_finished());
        cancel.cancel();
        assert_eq!(running.await.unwrap(), Outcome::Cancelled { executed });
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_comes_in_the_grace_time_counts() {
    let cancel = CancellationToken::new();
    let (tool, _) = noop(EffectClass::Write, |job| {
        Box::pin(async move {
            job.cancel.cancelled().await;
            tokio::time::sleep(Duration::from_millis(500)).await;
            Outcome::ok("1")
        })
    });
    let running = tokio::spawn(run(tool, job(&cancel), LIMITS));
    tokio::time::sleep(Duration::from_millis(10)).await;
    cancel.cancel();
    assert_eq!(running.await.unwrap(), Outcome::ok("1"));
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_one_execution_only() {
    let cancel = CancellationToken::new();
    let (tool, _) = noop(EffectClass::Write, |_| Box::pin(std::future::pending()));
    let Outcome::Err(error) = run(tool, job(&cancel), LIMITS).await else {
        panic!("not an error");
    };
    assert_eq!((error.class, error.executed), (ErrorClass::Transient, true));
    assert!(error.message.contains("10 s"), "{}", error.message);
    assert!(!cancel.is_cancelled());
}
