//! Tests what a notification says and how often it is sent.
//!
//! Must not know: how a notification is sent.

use serde_json::{Value, json};

use super::*;
use crate::address::{Address, Flags};
use overrule_console::testing::Stage;
use overrule_domain::event::{Event, ResilienceEvent, RunEvent};
use overrule_resilience::policy::Policy;
use overrule_tools::child::Environment;
use overrule_tools::operator_program::Program;

fn caller(command: &[&str]) -> Caller {
    let ways = Arc::new(Ways {
        program: Program {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            limit: Duration::from_secs(20),
            cwd: std::env::temp_dir(),
            environment: Environment::default(),
            mark: overrule_tools::child::unmarked,
        },
        webhook: None,
    });
    Caller {
        own: (Arc::clone(&ways), Duration::ZERO),
        version: 0,
        ways,
        after: Duration::ZERO,
        session: Address::new("0123", &Flags::default()),
        arguments: true,
        newest: VecDeque::new(),
        current: None,
        calls: JoinSet::new(),
    }
}

fn alert_json(caller: &Caller, state: &State) -> Value {
    let need = attention::need(state).unwrap();
    let attempts = attention::attempts(state, &need);
    serde_json::to_value(caller.view(state, need.cause.name(), (&need.reason, &attempts), &need)).unwrap()
}

/// A run with a waiting call and a secret in its arguments.
fn waiting() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    let args = serde_json::json!({
        "path": "a\u{1b}[31m", "content": format!("Authorization: Bearer {} {}", "s3cr3t".repeat(20), "x".repeat(900)),
    });
    stage.awaiting("c3", "write_file", &args.to_string());
    stage
}

#[test]
fn notification_is_short_visible_and_free_of_secrets() {
    let mut stage = waiting();
    let mut caller = caller(&[]);
    for no in 0..20 {
        let text = format!("token: abcdef{no}secret\u{202e}");
        stage.engine(Event::Run(RunEvent::Refused {
            command: "approve".into(),
            reason: text,
        }));
        if let Some(overrule_console::kernel::log::Line::Event(envelope)) =
            stage.model.log.shown().last().map(|(_, line)| line)
        {
            caller.note(envelope);
        }
    }
    let message = alert_json(&caller, &stage.model.run.state);
    assert_eq!(message["type"], "overrule.needed");
    assert_eq!(message["session"], "0123");
    assert_eq!(message["cause"], "calls");
    assert_eq!(
        message["reason"],
        "c3 write_file waits for your decision (awaiting approval)"
    );
    assert_eq!(message["state"], "running");
    assert_eq!(message["see"], "overrule queue 0123");
    assert_eq!(message["events"].as_array().unwrap().len(), 10);
    let call = &message["waiting"][0];
    assert_eq!(
        (&call["call"], &call["tool"]),
        (&json!("c3"), &json!("write_file"))
    );
    assert_eq!(call["status"], "awaiting approval");
    let args = call["arguments"].as_str().unwrap();
    assert!(args.chars().count() <= MOST + 1 && args.ends_with('…'), "{args}");
    let whole = message.to_string();
    assert!(!whole.contains("s3cr3t") && !whole.contains("abcdef"), "{whole}");
    assert!(whole.contains("[redacted "), "{whole}");
    assert!(
        !whole.chars().any(|c| c.is_control() || c == '\u{202e}'),
        "{whole}"
    );
}

#[test]
fn arguments_leave_the_machine_only_if_the_settings_say_so() {
    let mut stage = waiting();
    let mut caller = Caller {
        arguments: false,
        ..caller(&[])
    };
    stage.engine(Event::Run(RunEvent::Refused {
        command: "approve".into(),
        reason: "about xxxx".into(),
    }));
    if let Some(overrule_console::kernel::log::Line::Event(envelope)) =
        stage.model.log.shown().last().map(|(_, line)| line)
    {
        caller.note(envelope);
    }
    let message = alert_json(&caller, &stage.model.run.state);
    let call = message["waiting"][0].as_object().unwrap();
    let mut keys: Vec<&str> = call.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["call", "effect", "status", "tool"]);
    assert_eq!(
        message["reason"],
        "c3 write_file waits for your decision (awaiting approval)"
    );
    assert!(!message.to_string().contains("xxxx"), "{message}");
    caller.arguments = true;
    assert!(
        alert_json(&caller, &stage.model.run.state)
            .to_string()
            .contains("xxxx")
    );
}

#[tokio::test]
async fn an_active_reason_is_notified_only_once() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("cat >> {}/notified; echo >> {0}/notified", dir.path().display());
    let count = || {
        let text = std::fs::read_to_string(dir.path().join("notified")).unwrap_or_default();
        text.lines().count()
    };
    let mut stage = waiting();
    let mut caller = caller(&["sh", "-c", &line]);
    for _ in 0..3 {
        caller.look(&stage.model.run.state);
        if matches!(caller.current, Some((_, AlertState::Due(_)))) {
            assert!(matches!(caller.next().await, Next::Due));
            caller.call(&stage.model.run.state);
        }
    }
    // A second waiting call is the same reason: the operator was notified.
    stage.awaiting("c4", "write_file", "{}");
    caller.look(&stage.model.run.state);
    assert_eq!(caller.current, Some((AttentionReason::Calls, AlertState::Yes)));
    // The reason at the end of the run was notified before.
    let end = End::new(crate::exit::Code::Halted, "no operator");
    caller.call_at_end(&stage.model.run.state, &end);
    assert_eq!(caller.calls.len(), 1);
    // The operator paused the run: no notification. Then a call waits again, and the operator is notified again.
    stage.engine(Event::Run(RunEvent::Paused {
        reason: "mine".into(),
    }));
    caller.look(&stage.model.run.state);
    assert_eq!(caller.current, None);
    stage.engine(Event::Run(RunEvent::Resumed {}));
    caller.look(&stage.model.run.state);
    assert!(matches!(
        caller.current,
        Some((AttentionReason::Calls, AlertState::Due(_)))
    ));
    caller.call(&stage.model.run.state);
    assert_eq!(caller.finish().await, Vec::<String>::new());
    assert_eq!(count(), 2);
}

#[tokio::test]
async fn a_failed_notify_command_reports_only_the_failure() {
    let stage = waiting();
    let mut caller = caller(&["false"]);
    caller.look(&stage.model.run.state);
    caller.call(&stage.model.run.state);
    match caller.next().await {
        Next::Failed(failed) => assert!(
            failed[0].starts_with("notify.command failed: `false`"),
            "{failed:?}"
        ),
        Next::Due => panic!("it was already sent"),
    }
    caller.look(&stage.model.run.state);
    assert_eq!(caller.current, Some((AttentionReason::Calls, AlertState::Yes)));
}

#[test]
fn what_is_changed_in_a_run_counts_and_what_is_taken_back_is_as_in_the_files() {
    let mut stage = waiting();
    let mut caller = caller(&["own", "program"]);
    let mut version = 0;
    let mut set = |stage: &mut Stage, caller: &mut Caller, key: &str, value: serde_json::Value| {
        version += 1;
        let now = stage
            .model
            .run
            .state
            .settings
            .resilience
            .as_ref()
            .map(|one| Policy::parse(&one.policy).unwrap());
        let policy = now.unwrap_or_default().with(key, value).unwrap();
        stage.engine(Event::Resilience(ResilienceEvent::PolicySet {
            version,
            policy: policy.to_text().into(),
            live: true,
            changed: Vec::new(),
        }));
        caller.look(&stage.model.run.state);
    };
    set(&mut stage, &mut caller, "notify.after", json!("2m"));
    assert_eq!(caller.after, Duration::from_secs(120));
    assert_eq!(caller.ways.program.command, ["own", "program"]);
    set(&mut stage, &mut caller, "notify.command", json!("echo hello"));
    assert_eq!(caller.ways.program.command, ["sh", "-c", "echo hello"]);
    set(
        &mut stage,
        &mut caller,
        "notify.webhook",
        json!("https://a.example/s3cret"),
    );
    assert_eq!(caller.ways.webhook.as_deref(), Some("https://a.example/s3cret"));
    set(&mut stage, &mut caller, "notify.timeout", json!("3s"));
    assert_eq!(caller.ways.program.limit, Duration::from_secs(3));
    assert!(caller.current.is_some());
    set(&mut stage, &mut caller, "notify.webhook", json!(""));
    set(&mut stage, &mut caller, "notify.command", json!([]));
    assert!(
        caller.ways.is_empty() && caller.current.is_none(),
        "no one is notified any longer"
    );
    set(&mut stage, &mut caller, "notify.command", serde_json::Value::Null);
    set(&mut stage, &mut caller, "notify.after", serde_json::Value::Null);
    assert_eq!(caller.ways.program.command, ["own", "program"]);
    assert_eq!(caller.after, Duration::ZERO);
}
