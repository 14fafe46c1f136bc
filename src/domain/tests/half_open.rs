//! Tests of many simultaneous calls before a half-open breaker, which allows one probe call.
//!
//! Must not know: engine, clocks.

use super::ladder::{elapse, error};
use super::world::*;
use overrule_domain::breaker::{Phase, Scope, Source};
use overrule_domain::call::{ErrorClass, Status};
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::NodeId;
use overrule_domain::input::Block;
use overrule_resilience::breaker::{Settings, WhenOpen};

/// Calls that wait for the breaker.
fn many() -> u32 {
    overrule_testing::times(100).min(1_000)
}

fn read(n: u32) -> Block {
    call("read", &format!(r#"{{"_as":"r{n}","n":{n}}}"#))
}

/// A breaker that two failures opened, and many calls of its tool that would all run together.
fn crowd() -> (World, Vec<NodeId>) {
    let rules = Rules {
        breakers: Some(Settings {
            consecutive: 2,
            when_open: WhenOpen::Wait,
            ..Settings::default()
        }),
        ..Rules::default()
    };
    let limits = Limits {
        parallel: 2 * many(),
        ..Limits::default()
    };
    let mut w = World::limited(rules, limits);
    // The state is compared with a fresh fold now and then, not after each of thousands of events.
    w.every = 997;
    w.reply(&[read(0), read(1)]);
    for label in ["r0", "r1"] {
        let id = w.id(label);
        w.finish_with(id, error(ErrorClass::Transient, true));
    }
    let calls: Vec<Block> = (2..2 + many()).map(read).collect();
    w.reply(&calls);
    let ids: Vec<NodeId> = (2..2 + many()).map(|n| w.id(&format!("r{n}"))).collect();
    (w, ids)
}

fn scope() -> Scope {
    Scope::Tool("read".into())
}

fn started(w: &World, since: usize) -> usize {
    let events = w.log.iter().skip(since);
    events
        .filter(|one| matches!(one.event, Event::Call(CallEvent::Started { .. })))
        .count()
}

#[test]
fn of_many_calls_exactly_one_is_let_through_to_see() {
    let (mut w, ids) = crowd();
    assert!(ids.iter().all(|id| w.status(*id) == Status::Queued));
    let since = w.log.len();
    assert_eq!(started(&w, since), 0);
    elapse(&mut w, 0);
    assert_eq!(w.state.learned.breakers[&scope()].phase, Phase::HalfOpen);
    assert_eq!((started(&w, since), w.running.len()), (1, 1));
    let Some(Source::Call(probe, _)) = w.state.learned.breakers[&scope()].probe else {
        panic!("nothing was let through");
    };
    // Whatever is decided meanwhile, nothing else passes.
    w.reject(*ids.last().unwrap()).unwrap();
    assert_eq!(started(&w, since), 1);
    w.finish_with(probe, error(ErrorClass::Transient, true));
    assert_eq!(w.state.learned.breakers[&scope()].phase, Phase::Open);
    assert_eq!((started(&w, since), w.running.len()), (1, 0));
    // The next look: one again, and with its success all that are left.
    elapse(&mut w, 0);
    assert_eq!((started(&w, since), w.running.len()), (2, 1));
    let seen = w.running[0].call;
    w.finish(seen);
    assert_eq!(w.state.learned.breakers[&scope()].phase, Phase::Closed);
    assert_eq!(started(&w, since), many() as usize - 1, "all but the refused one");
}

#[test]
fn a_breaker_that_is_reset_lets_all_of_them_through() {
    let (mut w, _) = crowd();
    let since = w.log.len();
    w.cmd(Command::Resilience(ResilienceCommand::ResetBreaker {
        scope: scope(),
    }))
    .unwrap();
    assert_eq!(started(&w, since), many() as usize);
}

#[test]
fn an_inconclusive_half_open_call_reopens_the_breaker() {
    for message in [ErrorClass::Unknown, ErrorClass::Cancelled] {
        let (mut w, _) = crowd();
        let since = w.log.len();
        elapse(&mut w, 0);
        let Some(Source::Call(probe, _)) = w.state.learned.breakers[&scope()].probe else {
            panic!("nothing was let through");
        };
        w.finish_with(probe, error(message, true));
        let breaker = &w.state.learned.breakers[&scope()];
        assert_eq!(breaker.phase, Phase::Open, "{message:?}: {}", breaker.why);
        assert_eq!((started(&w, since), w.running.len()), (1, 0), "{message:?}");
        assert_eq!(w.timers.last().unwrap().1, 10_000);
        elapse(&mut w, 0);
        assert_eq!(started(&w, since), 2, "one again, after the wait");
        let seen = w.running[0].call;
        w.finish(seen);
        assert_eq!(w.state.learned.breakers[&scope()].phase, Phase::Closed);
    }
}
