//! Tests of the built-in demos: each plays to its end without a network and without set-up.
//!
//! Must not know: how a repair is found.

mod spares;

use overrule::domain::call::{ErrorClass, Outcome};
use overrule::domain::escape::{LoopStep, StepOutcome};
use overrule::domain::id::NodeKind;
use overrule::domain::node::Node;
use overrule::domain::repair::Strategy;
use overrule::domain::state::{Mode, State};
use serde_json::{Value, json};

use crate::cli::world::World;

/// Plays one with every call allowed; gives the answer and the state at the end.
fn play(name: &str) -> (String, State) {
    let world = World::new();
    let output = world
        .run(&["demo", name, "--policy", "auto", "--headless"])
        .ends(0);
    let state = world.state(&world.id());
    assert!(
        matches!(state.mode, Mode::Finished(_)),
        "{name}: {:?}",
        state.mode
    );
    // Nothing of the directory was touched.
    let files: Vec<_> = std::fs::read_dir(world.ws())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(files, ["notes.txt"], "{name}");
    (output.out, state)
}

/// Executions of a tool that failed in this way.
fn failures(state: &State, class: ErrorClass) -> usize {
    let attempts = state.calls.values().flat_map(|call| &call.attempts);
    attempts
        .filter(|one| matches!(&one.outcome, Some(Outcome::Err(error)) if error.class == class))
        .count()
}

/// The repairs in the calls of a tool: the round, the path, the new value and the strategy.
fn mended<'s>(state: &'s State, tool: &str) -> Vec<(u32, &'s str, &'s str, Strategy)> {
    let calls = state.calls.values().filter(|call| {
        state.nodes[&call.id]
            .as_call()
            .is_some_and(|(name, _)| &**name == tool)
    });
    let rounds = calls.flat_map(|call| &call.failure.repairs);
    rounds
        .flat_map(|round| round.changes.iter().map(|change| (round.no, change)))
        .map(|(no, change)| {
            let to = change.to.as_deref().unwrap_or_default();
            (no, &*change.path, to, change.strategy)
        })
        .collect()
}

/// Arguments with which a tool ran, in order, and whether it did what it was asked for.
fn ran(state: &State, tool: &str) -> Vec<(Value, bool)> {
    let entries = state.ledger.values().filter(|entry| &*entry.tool == tool);
    entries
        .map(|entry| {
            let mut attempts = state.calls[&entry.call].attempts.iter();
            let one = attempts.find(|one| one.no == entry.attempt).unwrap();
            let args = serde_json::from_str(&one.args).unwrap();
            (args, one.outcome.as_ref().is_some_and(Outcome::is_ok))
        })
        .collect()
}

#[test]
fn they_are_listed_with_a_line_each() {
    let world = World::new();
    let output = world.run(&["demo"]).ends(0);
    for name in [
        "audit", "flights", "office", "limits", "ring", "detour", "sealed", "stubborn", "mirrors", "spare",
        "weekend",
    ] {
        let mut lines = output.out.lines();
        let line = lines.find(|line| line.split_whitespace().next() == Some(name));
        assert!(
            line.is_some_and(|line| (40..=80).contains(&line.len())),
            "{name}: {}",
            output.out
        );
    }
    let systems: Vec<&str> = output.out.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(
        systems,
        [
            "agent loop",
            "edit and resume",
            "repair of arguments",
            "loops and the escape from them",
            "retries, breakers and routing"
        ]
    );
    assert_eq!(world.ids(), Vec::<String>::new(), "nothing was begun");
    world.run(&["demo", "fligths"]).ends(2).tells("flights, detour");
}

/// The line on which a text stands in the standard error of a run.
fn line_of(err: &str, text: &str) -> usize {
    let found = err.lines().position(|line| line.starts_with(text));
    found.unwrap_or_else(|| panic!("no `{text}` in {err}"))
}

#[test]
fn the_weekend_shows_the_loop_of_an_agent_whole() {
    let world = World::new();
    let output = world
        .run(&["demo", "weekend", "--policy", "auto", "--headless"])
        .ends(0);
    let answer: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(
        (&answer["trip"], &answer["price"]),
        (&json!("museum"), &json!(23))
    );
    // The plan refers to calls that run together, and begins when the last of them has ended.
    for before in ["c4: ok", "c6: ok", "c8: ok", "c9: ok"] {
        assert!(line_of(&output.err, before) < line_of(&output.err, "c11 write_plan"));
    }
    let id = world.id();
    let state = world.state(&id);
    // Two calls wrote one value: the slower one counts.
    assert!(answer["plan"].as_str().unwrap().contains("the harbour at noon"));
    let graph = world.run(&["graph", &id]).ends(0).out;
    assert_eq!(graph.matches("(write conflict)").count(), 2, "{graph}");
    // The first answer did not fit the schema, and went back.
    let answers = state
        .nodes
        .values()
        .filter(|node| node.id.kind == NodeKind::Answer);
    let answers: Vec<&str> = answers.map(Node::text).collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(answers[0].starts_with("Saturday: "), "{answers:?}");
    // Another sky, another branch: only what depended on it is redone.
    let sun = r#"{"day":"Saturday","sky":"sun","degrees":21}"#;
    let edit = [
        "edit",
        &id,
        "o4",
        "--value",
        sun,
        "--resume",
        "--headless",
        "--policy",
        "auto",
    ];
    let answer: Value = serde_json::from_str(&world.run(&edit).ends(0).out).unwrap();
    assert_eq!((&answer["trip"], &answer["price"]), (&json!("boat"), &json!(47)));
    let state = world.state(&id);
    let executions = |tool: &str| state.ledger.values().filter(|entry| &*entry.tool == tool).count();
    for (tool, times) in [
        ("get_forecast", 1),
        ("find_train", 1),
        ("ask_harbour_guide", 1),
        ("ask_museum_guide", 1),
        ("write_plan", 2),
        ("book_museum", 1),
        ("book_boat", 1),
    ] {
        assert_eq!(executions(tool), times, "{tool}");
    }
}

#[test]
fn without_anybody_to_ask_the_weekend_is_planned_and_nothing_is_booked() {
    let world = World::new();
    let output = world.run(&["demo", "weekend", "--headless"]).ends(0);
    assert!(output.out.contains(r#""trip": "none""#), "{}", output.out);
    let output = world
        .run(&["demo", "weekend", "--headless", "--policy", "supervised"])
        .ends(0);
    assert!(output.out.contains("no plan"), "{}", output.out);
    for id in world.ids() {
        let state = world.state(&id);
        assert!(
            state
                .ledger
                .values()
                .all(|entry| !entry.tool.starts_with("book_"))
        );
    }
}

#[test]
fn a_flight_is_booked_once_whatever_was_wrong_with_the_call() {
    let (answer, state) = play("flights");
    assert!(answer.starts_with("Booked. The reference is OV-"), "{answer}");
    // A class that the schema does not know, then a number that the tool misses: the model is asked for each in a
    // side request, and one call books.
    assert_eq!(
        mended(&state, "book_flight"),
        [
            (
                1,
                "/departure_date",
                "\"2026-12-04\"",
                Strategy::DateFormatCorrection
            ),
            (1, "/class", "\"business\"", Strategy::LlmSuggestEnum),
            (2, "/passengers", "1", Strategy::LlmInferMissingParam),
        ]
    );
    let without =
        json!({"origin": "OSL", "destination": "BCN", "departure_date": "2026-12-04", "class": "business"});
    let mut whole = without.clone();
    whole["passengers"] = json!(1);
    assert_eq!(ran(&state, "book_flight"), [(without, false), (whole, true)]);
    assert_eq!(state.calls.len(), 2, "the search and the booking");
    assert_eq!(
        failures(&state, ErrorClass::Param),
        1,
        "the number that the tool misses"
    );
}

#[test]
fn a_booking_that_nobody_approves_is_not_made() {
    let world = World::new();
    let output = world.run(&["demo", "flights", "--headless"]).ends(0);
    assert!(output.out.starts_with("I did not book"), "{}", output.out);
    let state = world.state(&world.id());
    let ran = |tool: &str| state.ledger.values().filter(|entry| &*entry.tool == tool).count();
    assert_eq!((ran("search_flights"), ran("book_flight")), (1, 0));
}

#[test]
fn the_office_does_what_can_be_mended_and_says_what_cannot() {
    let (answer, state) = play("office");
    for done in ["event", "chamber", "phone"] {
        assert!(answer.contains(done), "{answer}");
    }
    assert!(answer.contains("`invalid_id` does not exist"), "{answer}");
    // The number is the model's answer to a side request; each thing is done once, as repaired.
    assert_eq!(
        mended(&state, "set_phone_number"),
        [(
            1,
            "/phone",
            "\"+1 (123) 456-7890\"",
            Strategy::LlmBasedFormatCorrection
        )]
    );
    for (tool, args) in [
        (
            "set_phone_number",
            json!({"user_id": "zoe", "phone": "+1 (123) 456-7890"}),
        ),
        (
            "create_event",
            json!({"title": "Review", "date": "2026-10-26", "time": "10:00"}),
        ),
        ("set_temperature", json!({"room": "test chamber", "temp": 0})),
    ] {
        assert_eq!(ran(&state, tool), [(args, true)], "{tool}");
    }
    assert_eq!(
        failures(&state, ErrorClass::Business),
        1,
        "asked once: it cannot help"
    );
}

#[test]
fn the_server_refuses_what_is_too_much_and_all_pages_come_in_the_end() {
    let (answer, state) = play("limits");
    assert!(failures(&state, ErrorClass::Transient) >= 1, "{answer}");
    let pages = state.calls.values().filter(|call| {
        let value = state
            .observation(call.id)
            .and_then(overrule::domain::node::Node::outcome);
        matches!(value, Some(Outcome::Ok { value, .. }) if value.contains("This is page"))
    });
    assert_eq!(pages.count(), 4, "{answer}");
}

#[test]
fn the_ring_is_left_in_the_end() {
    let (answer, state) = play("ring");
    assert!(answer.starts_with("I am at E"), "{answer}");
    // Warned about the loop, the model leaves it long before it would by itself; the operator is not asked.
    let steps: Vec<(LoopStep, Option<StepOutcome>)> = state
        .learned
        .escape
        .incidents
        .iter()
        .flat_map(|incident| &incident.steps)
        .map(|step| (step.kind, step.outcome))
        .collect();
    assert_eq!(steps, [(LoopStep::Guidance, Some(StepOutcome::Helped))]);
    assert!(state.tally.requests < 16, "{answer}");
    assert!(failures(&state, ErrorClass::Transient) >= 2);
}

#[test]
fn a_sealed_record_is_not_forced() {
    let (answer, state) = play("sealed");
    assert!(answer.contains("Its total is 640"), "{answer}");
    let failed = failures(&state, ErrorClass::Auth);
    assert!((1..=3).contains(&failed), "{failed}");
}

#[test]
fn a_model_that_listens_to_nobody_but_the_operator_is_stopped_for_him_after_every_other_step() {
    let world = World::new();
    let output = world
        .run(&["demo", "stubborn", "--policy", "auto", "--headless"])
        .ends(4);
    let id = world.id();
    assert!(output.err.contains("read_record"), "{}", output.err);
    let state = world.state(&id);
    let steps: Vec<LoopStep> = state
        .learned
        .escape
        .incidents
        .iter()
        .flat_map(|incident| &incident.steps)
        .map(|step| step.kind)
        .collect();
    assert_eq!(steps.last(), Some(&LoopStep::Human), "{steps:?}");
    for level in [LoopStep::Guidance, LoopStep::Refuse, LoopStep::RollBack] {
        assert!(steps.contains(&level), "{steps:?}");
    }
    assert!(matches!(state.mode, Mode::Paused(_)), "{:?}", state.mode);
    // The proposed verb works: it names the active call, although the loop is superseded by now.
    let message = world.run(&["loops", &id]).ends(0).out;
    let proposed = message.lines().find(|line| line.contains("set the result"));
    let words: Vec<&str> = proposed.unwrap().split_whitespace().skip(4).collect();
    let verb = words
        .iter()
        .map(|word| if *word == "JSON" { "\"720\"" } else { word });
    let done: Vec<&str> = verb.chain(["--headless"]).collect();
    let output = world.run(&done).ends(0);
    assert!(
        output.out.contains("as it was given to me: 720"),
        "{}",
        output.out
    );
}

#[test]
fn a_word_of_the_operator_leads_a_model_out_that_listens_to_him_alone() {
    let world = World::new();
    world
        .run(&["demo", "stubborn", "--policy", "auto", "--headless"])
        .ends(4);
    let id = world.id();
    let output = world
        .run(&["guide", &id, "Try the minutes.", "--resume", "--headless"])
        .ends(0);
    assert!(output.out.contains("Its total is 640"), "{}", output.out);
}

#[test]
fn eight_pages_come_from_whichever_mirror_has_them() {
    let (answer, state) = play("mirrors");
    assert_eq!(answer.trim(), "Once there was an agent that asked first");
    assert!(failures(&state, ErrorClass::Auth) >= 4);
}
