//! Tests of the use of recorded replies: by the settings of the run and by the request.
//!
//! Must not know: how a record is found.

use super::world::*;
use overrule_domain::event::run::{Limits, Reuse, Started};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::Origin;
use overrule_domain::state::Mode;

/// A run with these settings that was asked something.
fn with(reuse: Reuse) -> World {
    let mut first = started(Limits::default());
    first.reuse = reuse;
    let mut w = World::bare(Rules::default(), Limits::default());
    w.record(vec![Event::Run(RunEvent::Started(Box::new(first)))]);
    w.guide("go").unwrap();
    w
}

const ALL: Reuse = Reuse {
    replies: true,
    pure: true,
    reads: true,
};

fn answered(w: &World) -> String {
    let Mode::Finished(answer) = w.state.mode else {
        panic!("{:?}", w.state.mode)
    };
    w.state.nodes[&answer].text().to_owned()
}

fn revived(w: &World) -> usize {
    let events = w.events();
    events
        .filter(|event| matches!(event, Event::Turn(TurnEvent::Revived { .. })))
        .count()
}

#[test]
fn an_equal_side_effect_free_call_reruns_if_configured() {
    let pure = Reuse { pure: false, ..ALL };
    let reads = Reuse { reads: false, ..ALL };
    for (reuse, tool, runs) in [
        (ALL, "pure", 0),
        (ALL, "read", 0),
        (pure, "pure", 1),
        (pure, "read", 0),
        (reads, "pure", 0),
        (reads, "read", 1),
        (
            Reuse {
                replies: false,
                ..ALL
            },
            "pure",
            0,
        ),
        (
            Reuse {
                replies: false,
                ..ALL
            },
            "read",
            0,
        ),
    ] {
        let mut w = with(reuse);
        w.reply(&[think("x"), call(tool, r#"{"_as":"a","n":1}"#)]);
        w.drain();
        w.text(w.all(NodeKind::Thought)[0], "y").unwrap();
        w.reply(&[call(tool, r#"{"_as":"b","n":1}"#)]);
        w.drain();
        let b = w.id("b");
        assert_eq!(w.starts(b), runs, "{tool} with {reuse:?}");
        assert_eq!(w.value(b), r#"{"v":2}"#);
        let origin = &w.state.observation(b).unwrap().now().origin;
        assert_eq!(matches!(origin, Origin::Reused { .. }), runs == 0, "{origin:?}");
    }
}

/// A call whose result was corrected to `one`, then to `two`: each was asked about and answered.
fn corrected(reuse: Reuse) -> (World, NodeId) {
    let mut w = with(reuse);
    w.reply(&[call("read", r#"{"_as":"s","n":50}"#)]);
    w.drain();
    w.reply(&[answer("at first")]);
    let s = w.id("s");
    for value in ["one", "two"] {
        w.correct(s, &format!("\"{value}\"")).unwrap();
        w.reply(&[answer(value)]);
    }
    (w, s)
}

#[test]
fn an_equal_request_is_sent_again_if_configured() {
    for replies in [true, false] {
        let (mut w, s) = corrected(Reuse { replies, ..ALL });
        let asked = w.asked.len();
        w.correct(s, "\"one\"").unwrap();
        if replies {
            assert_eq!((w.asked.len(), revived(&w)), (asked, 1));
            assert_eq!(answered(&w), "one");
        } else {
            assert_eq!((w.asked.len(), revived(&w)), (asked + 1, 0));
            w.reply(&[answer("one, but new")]);
            assert_eq!(answered(&w), "one, but new");
        }
        // An undo restores nodes without a request: the model is not asked in either case.
        let asked = w.asked.len();
        w.undo().unwrap();
        assert_eq!((answered(&w).as_str(), w.asked.len()), ("two", asked));
    }
}

#[test]
fn a_reply_is_not_taken_over_from_another_model_system_text_or_set_of_tools() {
    type Change = fn(&mut Started);
    let changes: [(&str, Change, bool); 9] = [
        ("nothing", |_| {}, true),
        (
            "what a request does not say",
            |s| s.setup = "another".into(),
            true,
        ),
        ("the model", |s| s.model = "another".into(), false),
        ("the wire", |s| s.wire = "another".into(), false),
        ("the system text", |s| s.system = "another".into(), false),
        ("a tool less", |s| drop(s.tools.pop()), false),
        ("the order of tools", |s| s.tools.swap(0, 1), false),
        (
            "a description",
            |s| s.tools[0].description = "another".into(),
            false,
        ),
        ("a schema", |s| s.tools[0].schema = "{\"a\":1}".into(), false),
    ];
    for (what, change, taken) in changes {
        let (mut w, s) = corrected(ALL);
        let mut other = (**w.state.started.as_ref().unwrap()).clone();
        change(&mut other);
        let started = Box::new(other);
        w.record(vec![Event::Run(RunEvent::Refitted { started })]);
        let asked = w.asked.len();
        w.correct(s, "\"one\"").unwrap();
        let expected = if taken { (asked, 1) } else { (asked + 1, 0) };
        assert_eq!((w.asked.len(), revived(&w)), expected, "{what}");
    }
}

#[test]
fn the_first_request_of_a_thread_is_always_made() {
    let mut w = with(ALL);
    w.reply(&[answer("at first")]);
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "go elsewhere").unwrap();
    w.reply(&[answer("elsewhere")]);
    let asked = w.asked.len();
    // The context is the first one again, and its reply is recorded.
    w.text(prompt, "go").unwrap();
    let contexts: Vec<_> = w.state.turns.values().map(|turn| &turn.request).collect();
    assert_eq!((w.asked.len(), revived(&w)), (asked + 1, 0), "{contexts:?}");
    w.reply(&[answer("again")]);
    assert_eq!(answered(&w), "again");
}
