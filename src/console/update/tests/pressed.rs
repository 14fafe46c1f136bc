//! Tests that a press is refused exactly where the answer at its moment refuses, and that nothing is sent then.
//!
//! Must not know: how a question is read.

use super::offered::{broke, nothing, paused, read, stopped, too_long, waiting};
use crate::app::registry::verbs;
use crate::kernel::availability::{carry_out, of_at};
use crate::kernel::hints::surface;
use crate::kernel::model::arming::VisibleQuestion;
use crate::kernel::model::{Model, Source};
use crate::kernel::msg::Out;
use crate::kernel::pane::Pane;
use crate::kernel::refresh::prepare;
use crate::kernel::surface::SurfaceId;
use crate::kernel::verb::{Availability, By, Care, Moment, Press, Verb};
use crate::run::refusal::{Refusal, RefusalKind};
use crate::surfaces;
use crate::testing::{ARMING, Stage};
use overrule_domain::command::Command;

const LONG: &str = r#"{"path":"a","content":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n25\n26\n27\n28\n29\n30"}"#;

/// A console with something on screen that can be decided, or not, and the context of its keys.
type Scene = (&'static str, SurfaceId, fn() -> Stage);

fn begun(scene: fn(&mut Stage)) -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    scene(&mut stage);
    stage
}

fn three_wait(keys: &str) -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.three_wait();
    stage.press(keys);
    stage
}

const SCENES: &[Scene] = &[
    ("nothing", Pane::GRAPH.id(), || begun(nothing)),
    ("paused", Pane::GRAPH.id(), || begun(paused)),
    ("read", Pane::INSPECTOR.id(), || begun(read)),
    ("stopped", Pane::QUEUE.id(), || begun(stopped)),
    ("waiting", Pane::QUEUE.id(), || begun(waiting)),
    ("waiting, in the graph", Pane::GRAPH.id(), || {
        let mut stage = begun(waiting);
        stage.press("1 G");
        stage
    }),
    ("waiting, another tab", Pane::QUEUE.id(), || {
        let mut stage = begun(waiting);
        stage.press(">");
        stage
    }),
    ("waiting, below a page", surfaces::page::ID, || {
        let mut stage = begun(waiting);
        stage.press("C");
        stage
    }),
    ("waiting, the palette was open", Pane::QUEUE.id(), || {
        let mut stage = begun(waiting);
        stage.press(":");
        stage.model.stack.pop();
        prepare(&mut stage.model);
        stage
    }),
    ("waiting, recorded", Pane::QUEUE.id(), || {
        let mut stage = begun(waiting);
        stage.model.settings.source = Source::Replay;
        stage
    }),
    ("waiting, halted", Pane::QUEUE.id(), || {
        let mut stage = begun(waiting);
        stage.model.run.halted = Some("the disk is full".to_owned());
        stage
    }),
    ("waiting, just after a paste", Pane::QUEUE.id(), || {
        let mut stage = begun(waiting);
        stage.model.keys.pasted = Some(stage.now);
        stage
    }),
    ("waiting, partly unread", Pane::QUEUE.id(), || {
        Stage::asked(100, 14, LONG)
    }),
    ("waiting, small", Pane::QUEUE.id(), || Stage::asked(39, 9, LONG)),
    ("waiting, in one pane", Pane::QUEUE.id(), || {
        Stage::asked(60, 14, LONG)
    }),
    ("three waiting", Pane::QUEUE.id(), || three_wait("2")),
    ("list of three", surfaces::bulk::ID, || three_wait("A")),
    ("ready rules", surfaces::ready_rules::ID, || {
        let mut stage = begun(waiting);
        stage.press("*");
        stage
    }),
    ("a written rule", surfaces::rule::ID, || {
        let mut stage = begun(waiting);
        stage.press("+ e ctrl-s");
        stage
    }),
    ("irreversible", Pane::QUEUE.id(), || {
        let mut stage = Stage::new(100, 30);
        stage.begin();
        stage.awaiting("c3", "launch", r#"{"to":"orbit"}"#);
        stage.draw();
        stage.press("2");
        stage
    }),
    ("running", Pane::GRAPH.id(), || {
        begun(|stage| {
            stage.running("c3", "write_file", "{}");
            stage.draw();
            stage.press("1 G");
        })
    }),
    ("leaving a running call", surfaces::leave::ID, || {
        begun(|stage| {
            stage.running("c3", "write_file", "{}");
            stage.draw();
            stage.press("q");
        })
    }),
    ("stopping a running call", surfaces::stop::ID, || {
        begun(|stage| {
            stage.running("c3", "write_file", "{}");
            stage.draw();
            stage.press("X");
        })
    }),
    ("repeated effect", Pane::QUEUE.id(), || {
        begun(|stage| {
            stage.consent("c3");
            stage.draw();
            stage.press("2");
        })
    }),
    ("question about a repeated effect", surfaces::consent::ID, || {
        begun(|stage| {
            stage.consent("c3");
            stage.draw();
            stage.press("2 enter");
        })
    }),
    (
        "question about a long repeated effect",
        surfaces::consent::ID,
        || {
            let mut stage = Stage::new(100, 14);
            stage.begin();
            stage.consent_of("c3", LONG);
            stage.draw();
            stage.press("2 enter");
            stage
        },
    ),
    ("unknown outcome", surfaces::outcome::ID, || {
        begun(|stage| {
            stage.close();
            stage.outcome_unknown("c3");
            stage.draw();
            stage.press("2 enter");
        })
    }),
    ("effects, one unknown", surfaces::effects::ID, || {
        begun(|stage| {
            stage.close();
            stage.outcome_unknown("c3");
            stage.draw();
            stage.press("O");
        })
    }),
    ("repairs", Pane::QUEUE.id(), || {
        let mut stage = Stage::new(100, 30);
        stage.two_repairs();
        stage.draw();
        stage.press("2");
        stage
    }),
    ("broken stream", surfaces::broken::ID, || begun(broke)),
    ("request too long", surfaces::broken::ID, || begun(too_long)),
    ("preview of an edit", surfaces::review::ID, || {
        let mut stage = Stage::new(100, 30);
        stage.written();
        stage.press("1 g j e");
        stage.type_text("!");
        stage.press("ctrl-s");
        stage
    }),
    ("preview with files", surfaces::review::ID, || {
        let mut stage = Stage::new(100, 30);
        stage.changed_by_command();
        stage.on("t2");
        stage.press("e x ctrl-s");
        stage
    }),
    ("preview of a restore", surfaces::restore::ID, || {
        let mut stage = Stage::new(100, 30);
        stage.changed_by_command();
        stage.put_file("README.md", Some("mine"));
        stage.on("c3");
        stage.press("_");
        stage
    }),
    ("changes", surfaces::changes::ID, || {
        let mut stage = Stage::new(100, 30);
        stage.changed_by_command();
        stage.press("ctrl-g");
        stage
    }),
    ("branches", surfaces::branches::ID, || {
        let mut stage = Stage::new(100, 40);
        stage.edited();
        stage.press("b k");
        stage
    }),
];

/// Presses around the time at which the question on screen can be decided.
fn moments(model: &Model) -> Vec<Moment> {
    let question = model.arming.top.as_ref().or(model.arming.frame.as_ref());
    let since = question.map_or(model.arming.now, |shown| shown.since);
    let times = [since, since + ARMING - 1, since + ARMING];
    let both = |at| [By::Key, By::Palette].map(|by| Moment { by, at });
    times.into_iter().flat_map(both).collect()
}

/// What a press does to a copy of the console.
fn pressed(model: &Model, verb: &Verb, moment: Moment) -> (Model, Result<(), Refusal>, Vec<Out>) {
    let mut model = model.clone();
    let mut out = Vec::new();
    let mut press = Press {
        moment,
        out: &mut out,
    };
    let done = carry_out(&mut model, verb, &mut press);
    (model, done, out)
}

#[test]
fn every_scene_has_the_keys_of_its_name() {
    for (scene, expected, make) in SCENES {
        let mut stage = make();
        stage.draw();
        assert_eq!(surface(&stage.model), *expected, "{scene}");
    }
}

#[test]
fn a_press_is_refused_exactly_where_the_answer_refuses_and_sends_nothing_then() {
    let (mut refused, mut carried_out) = (0, 0);
    for (scene, _, make) in SCENES {
        let mut stage = make();
        stage.draw();
        let moments = moments(&stage.model).into_iter();
        let presses = moments.flat_map(|moment| verbs().map(move |verb| (moment, verb)));
        for (moment, verb) in overrule_testing::sample(presses, 17) {
            let case = format!("{scene}: {} at {moment:?}", verb.name);
            let (model, done, out) = pressed(&stage.model, verb, moment);
            match of_at(&stage.model, verb, moment) {
                Availability::Refused(why) | Availability::NotYet(why) => {
                    refused += 1;
                    assert_eq!(done, Err(why), "{case}");
                    assert!(out.is_empty(), "{case}: {out:?}");
                    assert_eq!(model.stack.len(), stage.model.stack.len(), "{case}");
                    assert_eq!(model.queue.selected, stage.model.queue.selected, "{case}");
                }
                found => {
                    carried_out += usize::from(done.is_ok());
                    // An offered decision is carried out, asks for a second press, or says what the domain says.
                    let here = surface(&stage.model);
                    let works = verb.works_on(here);
                    if works && found == Availability::Offered && must_be_seen(verb) {
                        let is_answered = done.as_ref().err().is_none_or(|why| {
                            matches!(why.kind(), RefusalKind::Confirmation | RefusalKind::Outside)
                        });
                        assert!(is_answered, "{case}: {done:?}");
                    }
                    let unseen = done.as_ref().is_err_and(|why| why.kind() == RefusalKind::Unseen);
                    assert!(!unseen, "{case}: the verb checks it again: {done:?}");
                }
            }
        }
    }
    assert!(refused > 60 && carried_out > 60, "{refused} {carried_out}");
}

/// True for a key that needs a question on screen. A stop is never refused for that.
fn must_be_seen(verb: &Verb) -> bool {
    verb.care == Care::Alone && verb.decides && verb.effect.acts()
}

#[test]
fn no_decision_is_sent_before_its_question_was_on_screen_for_long_enough() {
    let mut decided = 0;
    for (scene, _, make) in SCENES {
        let mut stage = make();
        // Everything on screen is new: a decision about it comes too early.
        let arming = &mut stage.model.arming;
        for shown in [&mut arming.frame, &mut arming.top].into_iter().flatten() {
            shown.since = stage.now;
        }
        stage.draw();
        for verb in verbs().filter(|verb| must_be_seen(verb)) {
            for by in [By::Key, By::Palette] {
                let sends = |at| {
                    let (model, _, out) = pressed(&stage.model, verb, Moment { by, at });
                    let asks_more = model.stack.len() > stage.model.stack.len();
                    let commands = out.into_iter().filter(|out| matches!(out, Out::Command(_)));
                    (commands.count(), asks_more)
                };
                let early = sends(stage.now + ARMING - 1);
                assert_eq!(early.0, 0, "{scene}: {} by {by:?}", verb.name);
                let late = sends(stage.now + ARMING);
                decided += late.0 + usize::from(late.1);
            }
        }
    }
    assert!(decided > 30, "{decided}");
}

#[test]
fn a_call_is_approved_unread_only_by_the_key_for_that() {
    let mut stage = Stage::asked(100, 14, LONG);
    stage.wait(ARMING);
    let is_partly_read = |shown: &VisibleQuestion| !shown.is_read();
    assert!(stage.model.arming.frame.as_ref().is_some_and(is_partly_read));
    let moment = Moment::key_now(&stage.model);
    let answer = |name: &str| {
        let verb = verbs().find(|verb| verb.name == name).unwrap();
        (
            of_at(&stage.model, verb, moment),
            pressed(&stage.model, verb, moment).2,
        )
    };
    let (read, out) = answer("approve");
    assert!(
        matches!(&read, Availability::NotYet(why) if why.kind() == RefusalKind::Unseen),
        "{read:?}"
    );
    assert!(out.is_empty(), "{out:?}");
    let (unread, out) = answer("approve-unread");
    assert_eq!(unread, Availability::Offered);
    assert!(
        matches!(out.as_slice(), [Out::Command(Command::Call(_))]),
        "{out:?}"
    );
}
