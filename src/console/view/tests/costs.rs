//! Tests costs and limits: in the header, and in the pane of the budget.

use crate::kernel::files::KeptPrice;
use crate::kernel::msg::{Msg, Out};
use crate::testing::{Stage, id};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::{Attempt, Rev, ThreadId, TurnId};
use overrule_domain::price::Price;
use overrule_domain::turn::{Stop, Usage};

#[test]
fn the_budget_names_the_limit_as_the_command_does() {
    let mut stage = Stage::new(120, 40);
    stage.spent();
    stage.press("7");
    let text = stage.text();
    let area = stage.model.screen.places.lower.unwrap();
    let pane: Vec<&str> = text.lines().skip(usize::from(area.y)).collect();
    assert!(
        pane.iter().any(|row| row.trim_start().starts_with("minutes")),
        "{text}"
    );
    assert!(
        !pane.iter().any(|row| row.trim_start().starts_with("time ")),
        "{text}"
    );
}

/// The run of [`Stage::spent`] with a model of a server, and this price.
fn priced(stage: &mut Stage, price: Option<Price>) -> (String, String) {
    stage.begin();
    let mut started = (**stage.model.run.state.started.as_ref().unwrap()).clone();
    started.model = "m at http://h".into();
    started.wire = "anthropic".into();
    started.price = price;
    stage.engine(Event::Run(RunEvent::Refitted {
        started: Box::new(started),
    }));
    stage.thought("t2", "I will read.");
    stage.close();
    stage.press("7 z");
    let text = stage.text();
    let header = text.lines().next().unwrap().to_owned();
    (header, text)
}

#[test]
fn the_cost_is_in_the_header_and_in_the_budget_for_the_run_and_each_request() {
    // 120 tokens sent, 30 received.
    let price = Price {
        input: 1_000_000_000,
        cached: None,
        cache_write: None,
        cache_write_1h: None,
        output: 10_000_000_000,
        currency: "USD".into(),
    };
    let mut stage = Stage::new(120, 40);
    let (header, text) = priced(&mut stage, Some(price));
    assert!(header.contains("0.4200 USD"), "{header}");
    assert!(!text.contains("price unknown"), "{text}");
    let row = |start: &str| text.lines().find(|row| row.trim_start().starts_with(start));
    assert!(row("price").unwrap().contains("0.4200 USD"), "{text}");
    assert!(row("turn 2").unwrap().contains("0.4200 USD"), "{text}");
}

#[test]
fn each_thread_has_its_own_cost() {
    let price = Price {
        input: 1_000_000_000,
        cached: None,
        cache_write: None,
        cache_write_1h: None,
        output: 10_000_000_000,
        currency: "USD".into(),
    };
    let mut stage = Stage::new(120, 40);
    stage.begin();
    let mut started = (**stage.model.run.state.started.as_ref().unwrap()).clone();
    (started.wire, started.price) = ("anthropic".into(), Some(price));
    stage.engine(Event::Run(RunEvent::Refitted {
        started: Box::new(started),
    }));
    stage.running("c3", "launch", "{}");
    stage.turn(TurnEvent::Delegated {
        thread: ThreadId(1),
        call: id("c3"),
        rev: Rev(1),
        attempt: Attempt(1),
        tools: Vec::new(),
        max_turns: 5,
        turn: TurnId(3),
        node: id("p4"),
        text: "look".into(),
    });
    stage.turn(TurnEvent::Requested {
        turn: TurnId(4),
        thread: ThreadId(1),
        after: Some(TurnId(3)),
        request: 1,
        context: "c".into(),
        hash: "h".into(),
        last: false,
        new: Vec::new(),
        notices: Vec::new(),
    });
    stage.turn(TurnEvent::Closed {
        turn: TurnId(4),
        stop: Stop::End,
        usage: Usage {
            input: Some(2_000),
            output: Some(0),
            ..Usage::default()
        },
    });
    stage.close();
    stage.press("7 z");
    let text = stage.text();
    let row = |start: &str| text.lines().find(|row| row.trim_start().starts_with(start));
    for (start, cost) in [
        ("main", "0.4200 USD"),
        ("agent thread 1", "2.00 USD"),
        ("price", "2.42 USD"),
        ("turn 2", "0.4200 USD"),
        ("turn 4", "2.00 USD"),
    ] {
        let row = row(start).unwrap_or_else(|| panic!("no {start} in {text}"));
        assert!(row.contains(cost), "{row}");
    }
}

#[test]
fn a_cost_that_is_not_known_is_not_priced_and_never_zero() {
    let mut stage = Stage::new(120, 40);
    let (header, text) = priced(&mut stage, None);
    assert!(header.contains("price unknown"), "{header}");
    assert!(!text.contains("USD") && !text.contains("0.00"), "{text}");
    let row = |start: &str| text.lines().find(|row| row.trim_start().starts_with(start));
    let price = row("price").unwrap();
    assert!(price.contains("price unknown: :set-price sets it"), "{text}");
    assert!(row("turn 2").unwrap().contains("price unknown"), "{text}");
    // A script costs nothing, and needs no price.
    let mut stage = Stage::new(120, 40);
    stage.spent();
    stage.press("7 z");
    let text = stage.text();
    assert!(
        !text.contains("price unknown") && text.contains("a script answers"),
        "{text}"
    );
}

#[test]
fn the_price_of_a_model_is_asked_for_where_it_is_unknown_and_kept_in_the_settings() {
    let mut stage = Stage::new(120, 40);
    let (header, pane) = priced(&mut stage, None);
    assert!(header.contains("price unknown"), "{header}");
    assert!(pane.contains("price unknown: :set-price sets it"), "{pane}");
    stage.press(":");
    stage.type_text("set-price");
    stage.press("enter");
    assert!(
        stage.text().contains("price of m for a million tokens"),
        "{}",
        stage.text()
    );
    for (typed, why) in [
        ("2", "Two numbers"),
        ("2 x", "`x` is no price"),
        ("-1 2", "`-1` is no price"),
    ] {
        stage.press("ctrl-u");
        stage.type_text(typed);
        stage.press("enter");
        assert!(stage.status().contains(why), "{typed}: {}", stage.status());
        assert!(!stage.out.iter().any(|out| matches!(out, Out::KeepPrice(_))));
    }
    stage.press("ctrl-u");
    stage.type_text("0.25 2 EUR");
    stage.press("enter");
    let price = KeptPrice {
        model: "m".into(),
        amounts: ["0.25".into(), "2".into()],
        currency: Some("EUR".into()),
    };
    assert!(stage.out.contains(&Out::KeepPrice(price)), "{:?}", stage.out);
    stage.send(Msg::Saved(Err("the disk is full".into())));
    assert_eq!(stage.status(), "the disk is full");
    assert_eq!(stage.model.stack.len(), 1, "what was typed stays");
    stage.send(Msg::Saved(Ok("Kept in config.toml".into())));
    assert!(stage.model.stack.is_empty());

    let mut stage = Stage::new(120, 40);
    let free = Price {
        input: 0,
        cached: None,
        cache_write: None,
        cache_write_1h: None,
        output: 0,
        currency: "USD".into(),
    };
    priced(&mut stage, Some(free));
    stage.press(":");
    stage.type_text("set-price");
    stage.press("enter");
    assert!(
        !stage.text().contains("price of m"),
        "a known price is no question"
    );
}
