//! A stand-in for a tool: it has the tool's name, definition and effect class, and returns what was recorded.
//! It runs, reads and writes nothing, whatever it is asked for.
//!
//! Must not know: where the results come from, which of its calls are wanted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::tool::{Job, Spec, Tool};
use crate::canon;
use crate::domain::advice::ToolFacts;
use crate::domain::call::Outcome;
use crate::domain::event::run::ToolCard;
use crate::schema::RESERVED;

/// The answer to a call that was not recorded.
pub const NOTHING_RAN: &str = "this is a drill: nothing ran, and no result was recorded for this call";

/// Tags on a card that mark the purpose of a tool and that the program itself sets.
const MARKS: [&str; 3] = ["asks_operator", "answer", "delegates"];

/// A stand-in for one tool.
pub struct StandIn {
    spec: Spec,
    results: Arc<BTreeMap<String, Vec<Outcome>>>,
    /// How often each result was asked for.
    given: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl StandIn {
    /// Creates a stand-in for the tool of this card. `recorded` are the argument texts and outcomes of its
    /// calls, in order.
    pub fn new<'r>(mut card: ToolCard, recorded: impl IntoIterator<Item = (&'r str, &'r Outcome)>) -> Self {
        let tagged = |tag: &str| card.tags.iter().any(|one| one == tag);
        let facts = ToolFacts {
            effect: card.effect,
            takes_truncated: card.takes_truncated,
            show_difference: tagged("external"),
            is_answer: tagged("answer"),
            asks_operator: tagged("asks_operator"),
            // No sub-agent starts: its result is recorded.
            delegates: false,
        };
        card.tags.retain(|tag| !MARKS.contains(&tag.as_str()));
        let mut results: BTreeMap<String, Vec<Outcome>> = BTreeMap::new();
        for (args, outcome) in recorded {
            let args = serde_json::from_str(args).unwrap_or_default();
            results
                .entry(key(args))
                .or_default()
                .push(harmless(outcome.clone()));
        }
        Self {
            spec: Spec { card, facts },
            results: Arc::new(results),
            given: Arc::default(),
        }
    }
}

/// Marks an outcome as without effect: nothing happened this time, whatever happened then.
fn harmless(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Err(mut error) => {
            error.executed = false;
            Outcome::Err(error)
        }
        Outcome::Cancelled { .. } => Outcome::Cancelled { executed: false },
        ok @ Outcome::Ok { .. } => ok,
    }
}

/// Returns the same key for equal arguments.
fn key(mut args: Value) -> String {
    if let Value::Object(map) = &mut args {
        map.retain(|name, _| !RESERVED.contains(&name.as_str()));
    }
    canon::canonical(&args)
}

impl Tool for StandIn {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (results, given) = (self.results.clone(), self.given.clone());
        Box::pin(async move {
            let key = key(job.args);
            let Some(all) = results.get(&key) else {
                return Outcome::ok(Value::from(NOTHING_RAN).to_string());
            };
            let mut given = given.lock().unwrap_or_else(PoisonError::into_inner);
            let times = given.entry(key).or_insert(0);
            // A call beyond those recorded gets the last result again.
            let at = (*times).min(all.len().saturating_sub(1));
            *times = times.saturating_add(1);
            all.get(at)
                .cloned()
                .unwrap_or(Outcome::Cancelled { executed: false })
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::tools::builtin;

    fn job(workspace: &std::path::Path, args: &Value) -> Job {
        Job {
            args: args.clone(),
            text: args.to_string().into(),
            workspace: Arc::new(workspace.to_owned()),
            private: Arc::new([]),
            cancel: CancellationToken::new(),
            on_spawn: Arc::new(|_, _| panic!("a process was started")),
        }
    }

    #[tokio::test]
    async fn a_stand_in_of_any_tool_touches_nothing_and_says_that_nothing_ran() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("secret"), "alpha").unwrap();
        let args =
            json!({"command": "touch made", "path": "secret", "content": "b", "url": "http://127.0.0.1:1/"});
        for tool in builtin::all(&builtin::Setup::default()) {
            let stand_in = StandIn::new(tool.spec().card.clone(), []);
            assert_eq!(stand_in.spec().card.effect, tool.spec().card.effect);
            assert_eq!(stand_in.before(&args, dir.path(), &[]), None);
            let given = stand_in.run(job(dir.path(), &args)).await;
            assert_eq!(given, Outcome::ok(json!(NOTHING_RAN).to_string()));
        }
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1);
        assert_eq!(
            std::fs::read_to_string(dir.path().join("secret")).unwrap(),
            "alpha"
        );
    }

    #[tokio::test]
    async fn it_gives_what_was_recorded_in_order_whatever_the_spelling() {
        let card = builtin::all(&builtin::Setup::default())[0].spec().card.clone();
        let (first, second) = (Outcome::ok("1"), Outcome::ok("2"));
        let recorded = [
            (r#"{"path":"a","_as":"x"}"#, &first),
            (r#"{ "path": "a" }"#, &second),
        ];
        let stand_in = StandIn::new(card, recorded);
        let dir = tempfile::tempdir().unwrap();
        let args = json!({"path": "a", "_as": "y"});
        for wanted in [&first, &second, &second] {
            assert_eq!(stand_in.run(job(dir.path(), &args)).await, *wanted);
        }
    }

    #[test]
    fn a_recorded_failure_did_nothing_this_time() {
        let failed = Outcome::Cancelled { executed: true };
        assert_eq!(harmless(failed), Outcome::Cancelled { executed: false });
    }

    #[test]
    fn a_sub_agent_does_not_set_to_work() {
        let mut card = builtin::all(&builtin::Setup::default())[0].spec().card.clone();
        card.tags = ["delegates", "external", "asks_operator"]
            .map(str::to_owned)
            .to_vec();
        let stand_in = StandIn::new(card, []);
        let spec = stand_in.spec();
        assert!(!spec.facts.delegates && spec.facts.asks_operator);
        assert_eq!(spec.card.tags, ["external"]);
    }
}
