//! Tests forking a live run from a recording: asked, previewed, written, resumed.
//!
//! Must not know: what is read and written for it.
use std::sync::Arc;

use crate::kernel::model::Source;
use crate::kernel::msg::{Leave, Msg, Out};
use crate::run::link::{At, Forking, NewSession, ReplayControl, Update};
use crate::surfaces::fork::ForkView;
use crate::testing::{Stage, id};
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::fork::{Elsewhere, ForkPreview, Reading};
use overrule_domain::id::Seq;

/// A recording in the middle of its run, and the preview of a fork from there.
fn recording(width: u16, height: u16) -> (Stage, ForkPreview) {
    let mut live = Stage::new(width, height);
    live.begin();
    live.thought("t2", "I write both.");
    live.running("c3", "write_file", r#"{"path":"a.txt","content":"one"}"#);
    let at = live.model.run.state.seq;
    live.running("c4", "shell", r#"{"command":"\u202e rm -r build"}"#);
    let mut reading = Reading::up_to(Some(at));
    for envelope in live.recorded() {
        reading.take((**envelope).clone());
    }
    let predicted = reading
        .finish("0199f3c2-1111-7aaa-8bbb-0123456789ab")
        .unwrap()
        .preview;
    let mut stage = Stage::with(width, height, |settings| settings.source = Source::Replay);
    let state = live.model.run.state.clone();
    stage.send(Msg::Run(Update::Snapshot(Box::new(state))));
    stage.send(Msg::Run(Update::At(At {
        event: at.0 as usize,
        of: 16,
        speed: None,
    })));
    stage.draw();
    (stage, predicted)
}

fn forks(stage: &Stage) -> Vec<&Out> {
    stage
        .out
        .iter()
        .filter(|out| matches!(out, Out::Fork(_) | Out::Quit(_) | Out::Replay(_)))
        .collect()
}

fn send_preview(stage: &mut Stage, found: Result<ForkPreview, &str>) {
    let found = found.map(Arc::new).map_err(str::to_owned);
    stage.send(Msg::Run(Update::ForkPreview(found)));
    stage.draw();
}

fn new_session() -> NewSession {
    NewSession {
        id: "new-id".to_owned(),
        resume: "overrule resume new-id --sessions /there".to_owned(),
    }
}

#[test]
fn a_fork_is_asked_about_and_written_where_it_was_shown() {
    let (mut stage, predicted) = recording(100, 30);
    let at = predicted.at;
    stage.press("|");
    assert_eq!(forks(&stage), [&Out::Fork(Forking::Foresee)]);
    assert!(stage.flat().contains("loading the recording"));
    stage.press("enter");
    assert_eq!(
        forks(&stage).len(),
        1,
        "nothing is written before it is known what it would be"
    );
    send_preview(&mut stage, Ok(predicted));
    let text = stage.flat();
    for words in [
        "c3 write_file was running",
        "1 effect happened there after this",
        "⟨U+202E⟩ rm -r build",
        "0199f3c2-1111",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    stage.press("enter enter r");
    let write = Out::Fork(Forking::Write { at, resume: false });
    assert_eq!(
        forks(&stage),
        [&Out::Fork(Forking::Foresee), &write],
        "once, however often it is pressed"
    );
    stage.send(Msg::Run(Update::Forked {
        session: Ok(new_session()),
        resume: false,
    }));
    assert!(stage.model.stack.is_empty());
    assert!(stage.text().contains("overrule resume new-id --sessions /there"));
    assert_eq!(forks(&stage).len(), 2, "the recording stays open");
}

#[test]
fn a_fork_can_be_gone_on_with_at_once() {
    let (mut stage, predicted) = recording(80, 24);
    stage.press("|");
    send_preview(&mut stage, Ok(predicted.clone()));
    stage.press("r");
    assert!(forks(&stage).contains(&&Out::Fork(Forking::Write {
        at: predicted.at,
        resume: true
    })));
    stage.send(Msg::Run(Update::Forked {
        session: Ok(new_session()),
        resume: true,
    }));
    assert!(stage.out.contains(&Out::Quit(Leave::Resume("new-id".to_owned()))));
}

#[test]
fn a_failed_fork_shows_why_and_writes_nothing() {
    let (mut stage, predicted) = recording(80, 24);
    stage.press("|");
    send_preview(&mut stage, Err("nothing is recorded there yet"));
    assert!(stage.text().contains("nothing is recorded there yet"));
    stage.press("enter r");
    assert_eq!(forks(&stage).len(), 1);
    stage.press("esc |");
    send_preview(&mut stage, Ok(predicted));
    stage.press("enter");
    let why = "failed to make the session: no space left";
    stage.send(Msg::Run(Update::Forked {
        session: Err(why.to_owned()),
        resume: false,
    }));
    assert!(stage.text().contains("no space left"));
    assert!(stage.model.stack.is_top::<ForkView>(), "it can be tried again");
    stage.press("enter");
    assert_eq!(forks(&stage).len(), 4);
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
}

#[test]
fn a_recording_that_plays_holds_still_for_it() {
    let (mut stage, _) = recording(80, 24);
    stage.press("P |");
    let held = [ReplayControl::Play, ReplayControl::Pause].map(Out::Replay);
    assert_eq!(forks(&stage), [&held[0], &held[1], &Out::Fork(Forking::Foresee)]);
    assert!(!stage.model.run.playing);
}

#[test]
fn the_palette_leads_there_too_and_a_live_run_has_no_fork() {
    let (mut stage, _) = recording(80, 24);
    stage.press(":");
    stage.type_text("fork");
    stage.press("enter");
    assert_eq!(forks(&stage), [&Out::Fork(Forking::Foresee)]);
    let mut live = Stage::new(80, 24);
    live.begin();
    live.press("|");
    assert!(forks(&live).is_empty() && live.model.stack.is_empty());
}

/// The question shows where a fork comes from, and so do the header, the state, the decision and
/// the list in it.
#[test]
fn a_fork_names_its_source() {
    let mut stage = Stage::new(160, 50);
    stage.begin();
    let session: Arc<str> = "0199f3c2-1111-7aaa-8bbb-0123456789ab".into();
    stage.engine(Event::Run(RunEvent::Forked {
        session: session.clone(),
        at: Seq(3),
    }));
    let args = r#"{"path":"a.txt","content":"one"}"#;
    let seq = stage.engine(Event::Run(RunEvent::HappenedElsewhere(Arc::new(Elsewhere {
        session,
        entry: Seq(9),
        call: id("c7"),
        tool: "write_file".into(),
        args: args.into(),
        same: "s".into(),
        effect: EffectClass::Write,
        at: 0,
        outcome: Some(Outcome::ok("1")),
    }))));
    stage.consent_elsewhere("c3", "write_file", args, seq);
    stage.press("2");
    let text = stage.flat();
    for words in [
        "fork of 0199f3c2-1111 at 3",
        "the session that this one was forked from did the same since",
        "c7 of session 0199f3c2-1111-7aaa-8bbb-0123456789ab happened after the fork point and is not undone",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    stage.press("O");
    let text = stage.flat();
    assert!(text.contains("c7 write_file a.txt"), "{text}");
    assert!(text.contains("to act on it, open the other session"), "{text}");
    stage.press("esc 5");
    assert!(
        stage
            .text()
            .contains("fork of session 0199f3c2-1111-7aaa-8bbb-0123456789ab at event 3")
    );
}

#[test]
fn the_question_at_80x24() {
    let (mut stage, predicted) = recording(80, 24);
    stage.press("|");
    send_preview(&mut stage, Ok(predicted));
    insta::assert_snapshot!(stage.text());
}
