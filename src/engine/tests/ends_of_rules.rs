//! Tests rules that allow a number of calls, or allow calls up to a point in time.

use super::kit::{Plan, Stage};
use overrule_domain::call::{Decision, Outcome, Status};
use overrule_domain::turn::Stop;
use overrule_policy::{Origin, Policy, Preset, parse};

fn policy(rule: &str) -> Policy {
    let text = format!("[[rule]]\ntool = \"act\"\ngate = \"allow\"\n{rule}");
    let mut policy = Policy::new(Preset::Guarded);
    for rule in parse::file("rules.toml", &text, Origin::User).unwrap().rules {
        assert_eq!(policy.add(rule), None);
    }
    policy
}

fn stage(rule: &str) -> Stage {
    Stage::with(Plan {
        policy: policy(rule),
        ..Plan::default()
    })
}

fn by_rule(stage: &Stage, args: &str) -> bool {
    let decisions = &stage.state.calls[&stage.call(args)].decisions;
    decisions
        .iter()
        .any(|(_, _, one)| matches!(&**one, Decision::Auto { rule } if rule.contains("rules.toml")))
}

#[tokio::test(start_paused = true)]
async fn a_rule_with_two_uses_allows_two_calls_and_then_asks() {
    let mut stage = stage("uses = 2");
    let ask = stage.prompt("go").await;
    for n in 0..3 {
        ask.call(n, "act", &format!("{{\"n\":{n}}}")).await;
    }
    ask.end(Stop::Calls).await;
    let (first, second) = (stage.runs().await, stage.runs().await);
    assert_eq!((&*first.text, &*second.text), (r#"{"n":0}"#, r#"{"n":1}"#));
    first.ends(Outcome::ok("0"));
    second.ends(Outcome::ok("0"));
    stage
        .until("the third waits", |stage| stage.state.queue().next().is_some())
        .await;
    stage.quiet().await;
    assert!(by_rule(&stage, r#"{"n":0}"#) && by_rule(&stage, r#"{"n":1}"#));
    let third = stage.call(r#"{"n":2}"#);
    assert_eq!(stage.state.calls[&third].status, Status::AwaitingApproval);

    // The process that continues the run has not forgotten.
    let state = stage.written();
    stage.handle.shutdown().await;
    let mut stage = Stage::with(Plan {
        policy: policy("uses = 2"),
        first: Some(vec![overrule_domain::event::Event::Call(
            overrule_domain::event::CallEvent::Woken { call: third },
        )]),
        state,
        ..Plan::default()
    });
    stage
        .until("the third waits", |stage| stage.state.queue().next().is_some())
        .await;
    stage.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_rule_counts_up_to_its_end() {
    for (end, runs) in [("1970-01-02T00:00:00Z", false), ("9999-01-01T00:00:00Z", true)] {
        let mut stage = stage(&format!("expires = {end}"));
        let ask = stage.prompt("go").await;
        ask.call(0, "act", "{}").await;
        if runs {
            assert_eq!(&*stage.runs().await.text, "{}");
            assert!(stage.state.queue().next().is_none());
        } else {
            stage
                .until("the call waits", |stage| stage.state.queue().next().is_some())
                .await;
            stage.quiet().await;
        }
    }
}
