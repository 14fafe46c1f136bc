//! Tests of the cost of a run, and of its cost limit.
//!
//! Must not know: where a price comes from.

use super::world::*;
use overrule_domain::command::{Edit, RunCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{Epoch, NodeKind, Rev};
use overrule_domain::lineage::{self, ModelRequest};
use overrule_domain::price::Price;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::Mode;
use overrule_domain::turn::{Stop, StreamFaultKind, Usage};

fn price() -> Price {
    Price {
        input: 2_000_000,
        cached: None,
        cache_write: None,
        cache_write_1h: None,
        output: 8_000_000,
        currency: "USD".into(),
    }
}

fn priced(limits: Limits, price: Option<Price>) -> World {
    let mut first = started(limits);
    first.price = price;
    let mut w = World::bare(Rules::default(), limits);
    w.record(vec![Event::Run(RunEvent::Started(Box::new(first)))]);
    w.guide("go").unwrap();
    w
}

fn used(input: u64, output: u64) -> Usage {
    Usage {
        input: Some(input),
        output: Some(output),
        ..Usage::default()
    }
}

fn spent(w: &World) -> Option<String> {
    w.state.tally.spent.describe()
}

#[test]
fn a_limit_of_price_pauses_until_it_is_raised() {
    let limits = Limits {
        price: Some(2_000_000_000_000),
        ..Limits::default()
    };
    let mut w = priced(limits, Some(price()));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end_with(Stop::Calls, used(500_000, 50_000));
    w.drain();
    assert_eq!(spent(&w).unwrap(), "1.40 USD");
    assert_eq!(w.asked.len(), 2, "it may be spent up to the limit");
    w.stream(call("read", r#"{"_as":"b"}"#));
    w.end_with(Stop::Calls, used(300_000, 0));
    w.drain();
    assert_eq!(w.asked.len(), 2);
    let (which, message) = w.state.tally.limit_reached.clone().unwrap();
    assert_eq!(
        (which.as_str(), message.as_str()),
        ("price", "2.00 USD spent, 2.00 USD allowed")
    );
    assert!(matches!(w.state.mode, Mode::Paused(_)));
    assert_eq!(kind(w.run(RunCommand::Resume {})), RefusalKind::Status);
    let limits = Limits {
        price: Some(2_000_000_000_001),
        ..Limits::default()
    };
    w.run(RunCommand::SetLimits { limits }).unwrap();
    assert_eq!(w.asked.len(), 3);
}

#[test]
fn a_nearly_reached_cost_limit_is_reported_with_the_request() {
    let limits = Limits {
        price: Some(1_500_000_000_000),
        ..Limits::default()
    };
    let mut w = priced(limits, Some(price()));
    let reported = |w: &World| {
        let newest = w.state.turns.values().next_back().unwrap();
        newest
            .more
            .notices
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(reported(&w), [""; 0]);
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end_with(Stop::Calls, used(500_000, 50_000));
    w.drain();
    let words = "1.40 USD of the 1.50 USD that this run may cost are spent. Finish your work soon.";
    assert_eq!(reported(&w), [words]);
    assert!(w.last_request().contains(words));
}

#[test]
fn a_limit_of_price_holds_nothing_where_no_price_is_known() {
    let limits = Limits {
        price: Some(1),
        ..Limits::default()
    };
    let mut w = priced(limits, None);
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end_with(Stop::Calls, used(500_000, 50_000));
    w.drain();
    assert_eq!(w.asked.len(), 2);
    assert_eq!(spent(&w), None);
}

#[test]
fn a_preview_gives_the_minimum_cost_of_asking_again() {
    for known in [Some(price()), None] {
        let mut w = priced(Limits::default(), known.clone());
        w.stream(call("read", r#"{"_as":"a","n":1}"#));
        w.end_with(Stop::Calls, used(1_000, 10));
        w.drain();
        w.reply(&[answer("done")]);
        let prompt = w.all(NodeKind::Prompt)[0];
        let edit = |node, text: &str| Edit::Text {
            node,
            base: Rev(1),
            text: text.into(),
        };
        let plan = lineage::plan(&w.state, &[edit(prompt, "continue")]).unwrap();
        assert!(plan.asks.perhaps() && plan.tokens > 0);
        let expected = known.map(|price| price.money(plan.tokens * 2_000_000));
        assert_eq!(plan.cost, expected);
        let answered = w.all(NodeKind::Answer)[0];
        let plan = lineage::plan(&w.state, &[edit(answered, "mine")]).unwrap();
        assert_eq!(plan.asks, ModelRequest::No);
        assert_eq!(plan.cost, None, "nothing is asked, and nothing said of money");
    }
}

#[test]
fn a_comparison_gives_the_cost_of_each_branch() {
    let mut w = priced(Limits::default(), Some(price()));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end_with(Stop::Calls, used(500_000, 0));
    w.drain();
    w.stream(answer("one"));
    w.end_with(Stop::End, used(250_000, 0));
    let observation = w.id("a").observation();
    w.correct(w.id("a"), "7").unwrap();
    w.stream(answer("two"));
    w.end_with(Stop::End, used(1_000_000, 0));
    assert!(w.state.node(observation).is_some());
    let found = overrule_domain::branch::compare::compare(&w.state, Epoch(0), w.state.epoch);
    let words = [&found.sum_a, &found.sum_b].map(|sum| sum.spent.describe().unwrap());
    assert_eq!(words, ["1.50 USD", "3.00 USD"], "what both share counts in both");
    assert_eq!(spent(&w).unwrap(), "3.50 USD", "what was paid was paid");
}

#[test]
fn what_was_cut_off_cost_something_that_nobody_knows() {
    let mut w = priced(Limits::default(), Some(price()));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end_with(Stop::Calls, used(500_000, 0));
    w.drain();
    assert_eq!(spent(&w).unwrap(), "1.00 USD");
    w.crash();
    assert_eq!(spent(&w).unwrap(), "at least 1.00 USD");

    // The end of a stream that broke before is no request of its own.
    let mut w = priced(Limits::default(), Some(price()));
    w.stream(call("read", r#"{"_as":"a"}"#));
    let (turn, request) = w.open.pop().unwrap();
    w.input(overrule_domain::input::Input::Broke {
        turn,
        request,
        fault: overrule_domain::turn::StreamFault {
            kind: StreamFaultKind::Network,
            message: "gone".into(),
            retry_after_ms: None,
        },
        usage: used(500_000, 0),
    });
    w.drain();
    w.run(RunCommand::KeepArrived { turn, request: None }).unwrap();
    assert_eq!(spent(&w).unwrap(), "1.00 USD");
}

#[test]
fn another_price_holds_for_what_comes_after_it() {
    let mut w = priced(Limits::default(), Some(price()));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end_with(Stop::Calls, used(500_000, 0));
    w.drain();
    let mut other = started(w.state.settings.limits);
    other.price = Some(Price {
        input: 1_000_000,
        ..price()
    });
    w.record(vec![Event::Run(RunEvent::Refitted {
        started: Box::new(other),
    })]);
    w.stream(answer("x"));
    w.end_with(Stop::End, used(500_000, 0));
    assert_eq!(spent(&w).unwrap(), "1.50 USD");
}
