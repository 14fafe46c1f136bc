//! Tests the tools as the engine runs them: real files, child processes and local requests.
//!
//! Must not know: how a run schedules tools.

mod edits;
mod files;
mod http;
mod ignored;
mod left_out;
mod private;
mod replaces;
mod shell;
mod writes;

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{Setup, all};
use crate::child::Environment;
use crate::registry::Registry;
use crate::run::{Limits, run};
use crate::tool::{Job, Withheld};
use overrule_domain::call::{ErrorClass, Outcome, ToolError};

/// A workspace with all tools.
struct Bench {
    dir: TempDir,
    tools: Registry,
    cancel: CancellationToken,
    spawned: Arc<Mutex<Vec<(u32, u64)>>>,
    printed: Arc<Mutex<Vec<u8>>>,
    withheld: Withheld,
}

impl Bench {
    fn new() -> Self {
        let vars = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("FAKE_API_KEY", "sk-secret"),
        ];
        let setup = Setup {
            environment: Environment::allowed(vars.map(|(name, value)| (name.into(), value.into()))),
            answer: None,
            proxy: false,
        };
        Self {
            dir: tempfile::tempdir().unwrap(),
            tools: Registry::new(all(&setup)).unwrap(),
            cancel: CancellationToken::new(),
            spawned: Arc::default(),
            printed: Arc::default(),
            withheld: crate::tool::nothing_withheld(),
        }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Creates files, with their parents.
    fn with(self, files: &[(&str, &str)]) -> Self {
        for (path, content) in files {
            let path = self.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        self
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }

    async fn call(&self, tool: &str, args: Value) -> Outcome {
        let text = args.to_string();
        let faults = self.tools.check(tool, &text, true).unwrap();
        assert_eq!(faults, [], "{text} does not pass the schema of {tool}");
        let spawned = self.spawned.clone();
        let printed = self.printed.clone();
        let job = Job {
            call: overrule_domain::id::NodeId::FIRST,
            key: "key".into(),
            text: text.into(),
            args,
            workspace: Arc::new(self.path().to_owned()),
            private: self.tools.private().clone(),
            withheld: self.withheld.clone(),
            cancel: self.cancel.clone(),
            profile: None,
            on_refused: Arc::new(|_| {}),
            sandbox: None,
            on_spawn: Arc::new(move |pid, ticks| spawned.lock().unwrap().push((pid, ticks))),
            on_output: Arc::new(move |bytes| printed.lock().unwrap().extend_from_slice(bytes)),
            ask: crate::tool::ask_nobody(),
        };
        run(self.tools.get(tool).unwrap().clone(), job, Limits::default()).await
    }

    async fn ok(&self, tool: &str, args: Value) -> (String, Value) {
        match self.call(tool, args).await {
            Outcome::Ok {
                value,
                meta,
                exit: None,
                ..
            } => (
                serde_json::from_str(&value).unwrap(),
                serde_json::from_str(&meta.unwrap()).unwrap(),
            ),
            other => panic!("{other:?}"),
        }
    }

    async fn err(&self, tool: &str, args: Value) -> ToolError {
        match self.call(tool, args).await {
            Outcome::Err(error) => *error,
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the partial result of a failure.
fn partial(error: &ToolError) -> String {
    serde_json::from_str(error.partial.as_deref().unwrap()).unwrap()
}

#[tokio::test]
async fn what_belongs_to_the_operator_or_the_engine_never_runs() {
    let bench = Bench::new();
    let asked = bench
        .err("ask_operator", serde_json::json!({"question": "why?"}))
        .await;
    let answered = bench
        .err("final_answer", serde_json::json!({"answer": "42"}))
        .await;
    let delegated = bench.err("delegate", serde_json::json!({"task": "look"})).await;
    for error in [asked, answered, delegated] {
        assert_eq!((error.class, error.executed), (ErrorClass::Internal, false));
    }
    assert!(bench.tools.facts("delegate").unwrap().delegates());
    assert!(bench.tools.facts("ask_operator").unwrap().asks_operator());
    assert!(bench.tools.facts("final_answer").unwrap().is_answer());
}

#[test]
fn a_delegated_task_is_checked_before_anybody_works_on_it() {
    let tools = Registry::new(all(&Setup::default())).unwrap();
    let faults = |text: &str| {
        let faults = tools.check("delegate", text, false).unwrap();
        faults.into_iter().map(|fault| fault.path).collect::<Vec<_>>()
    };
    assert_eq!(
        faults(r#"{"task":"look","scopes":["†call.c1"],"tools":["search"],"max_turns":3}"#),
        [""; 0]
    );
    assert_eq!(faults(r#"{"task":""}"#), ["/task"]);
    assert_eq!(faults(r#"{"task":"look","max_turns":0}"#), ["/max_turns"]);
    assert_eq!(faults(r#"{"task":"look","tools":["a","a"]}"#), ["/tools"]);
    assert_eq!(faults(r#"{"scopes":[]}"#).len(), 1);
}

#[test]
fn the_answer_follows_the_schema_of_the_session() {
    let setup = Setup {
        answer: Some(serde_json::json!({
            "type": "object",
            "properties": {"score": {"$ref": "#/$defs/score"}},
            "required": ["score"],
            "$defs": {"score": {"type": "integer"}}
        })),
        ..Setup::default()
    };
    let tools = Registry::new(all(&setup)).unwrap();
    let check = |text: &str| tools.check("final_answer", text, true).unwrap().len();
    assert_eq!(check(r#"{"answer":{"score":7}}"#), 0);
    assert_eq!(check(r#"{"answer":{"score":"7"}}"#), 1);
    assert_eq!(check(r#"{"answer":"seven"}"#), 1);
}
