//! Tests of another tool that replaces one that does not help.
//!
//! Must not know: which tools exist.

use super::*;
use crate::ladder;
use overrule_resilience::breaker::Settings;

#[test]
fn another_tool_makes_the_call_where_one_is_known() {
    let mut config = Config::default();
    config.substitutes.insert("read".into(), "pure".into());
    let mut w = World::with(rules(config));
    times(&mut w, 5, "read", r#"{"n":-1}"#);
    let call = newest(&w);
    assert_eq!(
        steps(&w)[1..],
        [
            (LoopStep::Refuse, Some(StepOutcome::Ignored)),
            (LoopStep::Substitute, None)
        ]
    );
    assert_eq!(w.state.nodes[&call].as_call().unwrap().0.as_ref(), "pure");
    assert!(matches!(w.state.nodes[&call].now().origin, Origin::Engine { .. }));
    w.drain();
    assert_eq!(w.status(call), Status::Succeeded);
    assert!(w.last_request().contains("console replaced read by pure"));
    turn(&mut w, "pure", r#"{"n":3}"#);
    assert_eq!(steps(&w)[2].1, Some(StepOutcome::Helped), "{:?}", steps(&w));
}

#[test]
fn the_most_reliable_substitute_is_called_and_the_reason_names_it() {
    let mut config = Config::default();
    let others = ["missing", "idem", "pure"].map(Into::into).to_vec();
    config.substitutes.insert("read".into(), Others(others));
    let reliable = [("idem".to_owned(), 0.31), ("pure".to_owned(), 0.72)];
    let mut w = World::with(Rules {
        reliable: reliable.into_iter().collect(),
        ..rules(config)
    });
    times(&mut w, 5, "read", r#"{"n":-1}"#);
    let call = newest(&w);
    assert_eq!(w.state.nodes[&call].as_call().unwrap().0.as_ref(), "pure");
    let why = incident(&w).steps[2].why.to_string();
    assert!(
        why.starts_with(
            "pure for read (weight 0.72, rather than idem 0.31, missing does not take these arguments)"
        ),
        "{why}"
    );
    // Not silently: it is a revision of the engine's, and the model is told.
    assert!(matches!(w.state.nodes[&call].now().origin, Origin::Engine { .. }));
    w.drain();
    assert!(w.last_request().contains("console replaced read by pure"));
}

#[test]
fn a_substitute_takes_its_way_through_the_gate() {
    let mut config = Config::default();
    config.substitutes.insert("read".into(), "idem".into());
    let mut w = World::with(Rules {
        gates: std::iter::once(("idem".to_owned(), overrule_domain::call::Gate::Ask)).collect(),
        ..rules(config)
    });
    times(&mut w, 5, "read", r#"{"n":-1}"#);
    assert_eq!(w.status(newest(&w)), Status::AwaitingApproval);
    assert_eq!(w.starts(newest(&w)), 0, "no approval is inherited");
}

#[test]
fn a_tool_whose_breaker_is_open_does_not_stand_in_for_another() {
    let mut config = Config::default();
    let others = ["idem", "pure"].map(Into::into).to_vec();
    config.substitutes.insert("read".into(), Others(others));
    let mut w = World::with(Rules {
        // The better one, if it were there.
        reliable: std::iter::once(("idem".to_owned(), 0.9)).collect(),
        breakers: Some(Settings {
            consecutive: 1,
            ..Settings::default()
        }),
        results: Arc::new(|tool, args| match tool {
            "idem" => ladder::error(ErrorClass::Transient, false),
            _ => results()(tool, args),
        }),
        ..rules(config)
    });
    turn(&mut w, "idem", r#"{"n":1}"#);
    times(&mut w, 5, "read", r#"{"n":-1}"#);
    let call = newest(&w);
    assert_eq!(w.state.nodes[&call].as_call().unwrap().0.as_ref(), "pure");
    let why = incident(&w).steps[2].why.to_string();
    assert!(why.contains("the breaker of idem is not closed"), "{why}");
    let idem = w.state.ledger.values().filter(|entry| &*entry.tool == "idem");
    assert_eq!(idem.count(), 1, "what is down is not asked in place of another");
}
