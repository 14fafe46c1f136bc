//! A tool that only stands in for another one: it has its name, its definition and its effect class, and gives what
//! was recorded. It runs nothing, reads nothing and writes nothing, whatever it is asked for.
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

/// What it says where nothing was recorded.
pub const NOTHING_RAN: &str = "this is a drill: nothing ran, and no result was recorded for this call";

/// Marks on a card that say what a tool is for, and that the program sets itself.
const MARKS: [&str; 3] = ["asks_operator", "answer", "delegates"];

/// A stand-in.
pub struct StandIn {
    spec: Spec,
    results: Arc<BTreeMap<String, Vec<Outcome>>>,
    /// How often each was asked for.
    given: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl StandIn {
    /// One for the tool of this card, with what its calls gave, in order, by their argument texts.
    pub fn new<'r>(mut card: ToolCard, recorded: impl IntoIterator<Item = (&'r str, &'r Outcome)>) -> Self {
        let tagged = |tag: &str| card.tags.iter().any(|one| one == tag);
        let facts = ToolFacts {
            effect: card.effect,
            takes_truncated: card.takes_truncated,
            show_difference: tagged("external"),
            is_answer: tagged("answer"),
            asks_operator: tagged("asks_operator"),
            // No sub-agent sets to work: its result is there.
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

/// Nothing happened this time, whatever happened then.
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

/// One spelling for equal arguments.
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
            // Who asks once more than was recorded gets the last again.
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
            key: "k".into(),
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
