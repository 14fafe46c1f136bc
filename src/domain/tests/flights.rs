//! A test tool that books flights: its rules and refusals, and repairs of its calls.
//!
//! Must not know: which repair is tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::rules::Rules;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{ErrorClass, Outcome, Status, ToolError};
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::id::NodeId;
use overrule_domain::input::Input;
use overrule_domain::ladder::Stage;
use overrule_domain::node::Origin;
use overrule_domain::repair::{Passing, Phase, Reply};
use overrule_domain::repair_trace;
use overrule_domain::state::State;
use overrule_domain::thread;
use overrule_domain::turn::Usage;
use overrule_resilience::ladder::Ladder;
use overrule_resilience::repair::{Exhausted, Guesses, Others, RepairContext, Rules as Repairs};
use overrule_schema::Checker;

/// `book_flight` under the name of a tool of this world.
fn flight(strict: bool) -> Checker {
    let text = |rest: Value| {
        let mut one = json!({"type": "string"});
        one.as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        one
    };
    let mut schema = json!({
        "type": "object",
        "properties": {
            "origin": text(json!({})),
            "departure_date": text(json!({"format": "date"})),
            "passengers": {"type": "integer", "minimum": 1, "maximum": 9},
            "class": {"enum": ["economy", "business", "first"]}
        },
        "required": ["origin"]
    });
    if !strict {
        schema["properties"]["departure_date"] = json!({"type": "string"});
        schema["properties"]["class"] = json!({"type": "string"});
    }
    Checker::new(&schema.to_string()).unwrap()
}

/// A run with one tool that books flights, by its schema or by its own words.
pub fn world(tool: &'static str, strict: bool, attended: bool) -> World {
    let (rules, limits) = (rules(tool, strict, attended), Limits::default());
    World::limited(rules, limits)
}

/// The same with its own settings for calls that no repair is left for.
pub fn exhausted_by(tool: &'static str, attended: bool, exhausted: Exhausted) -> World {
    let repairs = Repairs {
        exhausted,
        ..repairs()
    };
    World::limited(rules_with(tool, false, attended, repairs), Limits::default())
}

/// The rules of such a run.
pub fn rules(tool: &'static str, strict: bool, attended: bool) -> Rules {
    rules_with(tool, strict, attended, repairs())
}

/// Rules of repair that take every guess.
pub fn repairs() -> Repairs {
    Repairs {
        guesses: Guesses::Always,
        ask_for_call: true,
        ..Repairs::default()
    }
}

/// The rules of a run with these rules of repair.
pub fn rules_with(tool: &'static str, strict: bool, attended: bool, repairs: Repairs) -> Rules {
    rules_of((tool, strict, attended), repairs, None)
}

/// A run in which another call may be proposed for one of `read`: by these substitutes, or by the model. `unknown` is
/// denied by the policy, and no tool takes an argument `bad`.
pub fn proposing(substitutes: &[&str], attended: bool, repairs: Repairs) -> World {
    let substitutes = substitutes.iter().map(|name| Arc::from(*name)).collect();
    let rules = rules_of(("read", false, attended), repairs, Some(substitutes));
    World::limited(rules, Limits::default())
}

fn refuses(tool: &str, args: &str) -> Option<String> {
    let args: Value = serde_json::from_str(args).unwrap();
    if args.get("bad").is_some() {
        return Some("the arguments do not fit: /bad".into());
    }
    (tool == "unknown").then(|| "the policy denies it (test)".into())
}

fn rules_of(
    (tool, strict, attended): (&'static str, bool, bool),
    repairs: Repairs,
    substitutes: Option<Vec<Arc<str>>>,
) -> Rules {
    let checker = Arc::new(flight(strict));
    let known = checker.clone();
    let mut ladder = Ladder::default();
    ladder.repair = Arc::new(repairs);
    Rules {
        steps: Arc::new(move |state, call| {
            let offered = thread::tools(state, thread::of(state, call.id));
            let others = substitutes.as_ref().map(|substitutes| Others {
                substitutes,
                offered: &offered,
                refuses: &refuses,
            });
            let known = RepairContext {
                checker: &known,
                described: "books a flight",
                today: None,
                attended,
                others,
            };
            ladder.after(state, call, Some(&known))
        }),
        schemas: BTreeMap::from([(tool.to_owned(), checker)]),
        ..Rules::default()
    }
}

/// Ends the repair of a call that waits for the operator because no repair is left.
pub fn let_it_fail(w: &mut World, call: NodeId) {
    assert_eq!(w.status(call), Status::Repairing(Stage::Choosing));
    let life = &w.state.calls[&call];
    assert!(life.failure.repairs.last().unwrap().options.is_empty());
    let why = life.validation.because.as_deref().unwrap_or_default();
    assert!(why.starts_with("no repair is left: "), "{why}");
    let rev = w.rev(call);
    w.cmd(Command::Resilience(ResilienceCommand::SkipRepair { call, rev }))
        .unwrap();
}

/// Asks for a flight on a day that is written as the tool does not want it.
pub fn wrong_day(w: &mut World, tool: &str) -> NodeId {
    let args = r#"{"_as":"a","origin":"JFK","departure_date":"Oct 26, 2024"}"#;
    w.reply(&[call(tool, args)]);
    w.id("a")
}

/// A refusal in the words of a tool.
pub fn refused(message: &str) -> Outcome {
    error(ErrorClass::Param, "HTTP 400", message)
}

/// A failure of that kind.
pub fn error(class: ErrorClass, evidence: &str, message: &str) -> Outcome {
    Outcome::err(ToolError {
        class,
        message: message.into(),
        evidence: evidence.into(),
        hint: None,
        partial: None,
        executed: true,
        retry_after_ms: None,
    })
}

/// The model's answer to the oldest question.
pub fn answer_question(w: &mut World, text: &str) {
    let (call, rev, round) = w.questions.remove(0);
    w.input(Input::RepairAnswered {
        call,
        rev,
        round,
        reply: Reply::Answered { text: text.into() },
        passing: None,
        usage: Usage {
            input: Some(100),
            output: Some(5),
            ..Usage::default()
        },
    });
}

/// The request of the oldest question breaks, in a way that may pass or not.
pub fn broke(w: &mut World, passing: Option<Passing>) {
    let (call, rev, round) = w.questions.remove(0);
    w.input(Input::RepairAnswered {
        call,
        rev,
        round,
        reply: Reply::Failed {
            why: "HTTP 503".into(),
        },
        passing,
        usage: Usage {
            input: Some(10),
            ..Usage::default()
        },
    });
}

/// The current arguments of a call.
pub fn args(w: &World, id: NodeId) -> Value {
    let (_, args) = w.state.nodes[&id].as_call().unwrap();
    serde_json::from_str(args).unwrap()
}

/// True where its arguments were repaired.
pub fn repaired(w: &World, id: NodeId) -> bool {
    matches!(w.state.nodes[&id].now().origin, Origin::Repair { .. })
}

/// Every step of the call, read again after every event: earlier steps stay.
pub fn phases(w: &World, id: NodeId) -> Vec<Phase> {
    let mut state = State::default();
    let mut all = vec![Phase::Start];
    for envelope in &w.log {
        apply::apply(&mut state, envelope);
        let steps = repair_trace::of(&state, id).steps;
        let now: Vec<Phase> = steps.iter().map(|step| step.phase).collect();
        assert!(now.starts_with(&all), "{all:?} became {now:?}");
        all = now;
    }
    all
}

/// True where each step of a list is a way from the one before.
pub fn follows(steps: &[Phase]) -> bool {
    let ways = steps.windows(2).all(|pair| pair[0].next().contains(&pair[1]));
    ways && steps.first() == Some(&Phase::Start)
}
