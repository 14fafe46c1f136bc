//! Tests of warnings to the model: tools with an open breaker, and a budget near its end.
//!
//! Must not know: engine, when a breaker changes.

use super::ladder::error;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::ErrorClass;
use overrule_domain::event::run::Limits;
use overrule_domain::turn::{Stop, Usage};
use overrule_resilience::breaker::Settings;

fn notices(w: &World) -> Vec<String> {
    let newest = w.state.turns.values().next_back().unwrap();
    newest.more.notices.iter().map(ToString::to_string).collect()
}

#[test]
fn a_tool_with_an_open_breaker_is_reported_only_while_it_is_open() {
    let mut w = World::with(Rules {
        breakers: Some(Settings {
            consecutive: 2,
            ..Settings::default()
        }),
        ..Rules::default()
    });
    assert_eq!(notices(&w), [""; 0]);
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":2}"#),
    ]);
    for label in ["a", "b"] {
        let id = w.id(label);
        w.finish_with(id, error(ErrorClass::Transient, true));
    }
    let text = notices(&w);
    assert!(
        text.len() == 1 && text[0].starts_with("The tool read keeps failing (2 failures in a row)"),
        "{text:?}"
    );
    let words = "it can be tried again in 30 s. Use pure instead.";
    assert!(text[0].ends_with(words), "{text:?}");
    assert!(w.last_request().contains(words), "{}", w.last_request());
    // It is no part of what later requests repeat.
    w.reply(&[
        call("pure", r#"{"_as":"p","n":1}"#),
        call("read", r#"{"_as":"c","n":3}"#),
    ]);
    super::ladder::elapse(&mut w, 0);
    w.drain();
    assert_eq!(notices(&w), [""; 0]);
    assert!(!w.last_request().contains(words), "{}", w.last_request());
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn a_nearly_used_budget_is_reported() {
    let limits = Limits {
        tokens: Some(1_000),
        ..Limits::default()
    };
    let mut w = World::limited(Rules::default(), limits);
    let mut next = |label: &str, used: u64| {
        w.stream(call("read", &format!(r#"{{"_as":"{label}"}}"#)));
        let usage = Usage {
            input: Some(used),
            ..Usage::default()
        };
        w.end_with(Stop::Calls, usage);
        w.drain();
        notices(&w)
    };
    assert_eq!(next("a", 800), [""; 0]);
    assert_eq!(
        next("b", 100),
        ["900 of the 1000 tokens that this run may use are used. Finish your work soon."]
    );
    assert_eq!(next("c", 50).len(), 1);
}
