//! Drives a recorded run.
//!
//! Must not know: how a recording is read.

use crate::kernel::context::REPLAY;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::verb::{Press, Rank, Verb, verbs};
use crate::run::link::ReplayControl;
use crate::run::refusal::Refusal;
use crate::run::replay::{self, MarkKind};
use overrule_domain::id::Seq;

/// Parts of a recording that one jump skips.
const PARTS: usize = 10;

/// The direction of a jump: to later events.
const ON: bool = false;
/// The direction of a jump: to earlier events.
const BACK: bool = true;

/// A verb whose hint comes first.
const LEADS: Verb = Verb {
    rank: |_| Rank::Leads,
    ..Verb::BASE
};

/// The verb `play`.
pub const PLAY: Verb = Verb {
    name: "play",
    keys: &["P"],
    contexts: REPLAY,
    doc: "play or pause a recorded run",
    hint: "play",
    label: |model| model.run.playing.then_some("pause"),
    rank: |_| Rank::Leads,
    run: |model, press| {
        let playing = model.run.playing;
        model.run.playing = !playing;
        let control = if playing {
            ReplayControl::Pause
        } else {
            ReplayControl::Play
        };
        press.out.push(Out::Replay(control));
        Ok(())
    },
    ..Verb::BASE
};

verbs! {
    run: go, ..LEADS;
    NEXT_EVENT "next-event" ["."] REPLAY hint "next" "go to the next event" ReplayControl::Step;
}

// Other places of the recording.
verbs! {
    run: go, ..Verb::BASE;
    PREVIOUS_EVENT "previous-event" [","] REPLAY hint "back" "go to the previous event" ReplayControl::Back;
    TO_START       "to-start"       ["0"] REPLAY "go to the first event"                ReplayControl::Seek(Seq(0));
    TO_END         "to-end"         ["$"] REPLAY "go to the last event"                 ReplayControl::End;
}

verbs! {
    run: pace, ..Verb::BASE;
    FASTER "faster" ["="]     REPLAY "play faster" ReplayControl::Faster;
    SLOWER "slower" ["minus"] REPLAY "play slower" ReplayControl::Slower;
}

verbs! {
    run: skip, ..Verb::BASE;
    TENTH_ON   "tenth-on"   ["ctrl-right"] REPLAY "skip a tenth of the recording"    ON;
    TENTH_BACK "tenth-back" ["ctrl-left"]  REPLAY "go back a tenth of the recording" BACK;
}

verbs! {
    run: to_mark, ..Verb::BASE;
    NEXT_TURN         "next-turn"                 ["alt-right"] REPLAY "go to the beginning of the next turn"                 (MarkKind::Turn, ON);
    PREVIOUS_TURN     "previous-turn"             ["alt-left"]  REPLAY "go to the beginning of the previous turn"             (MarkKind::Turn, BACK);
    NEXT_DECISION     "next-decision"             ["alt-down"]  REPLAY hint "next decision" "go to the next decision"         (MarkKind::Decision, ON);
    PREVIOUS_DECISION "previous-decision"         ["alt-up"]    REPLAY "go to the previous decision"                          (MarkKind::Decision, BACK);
    PREVIOUS_FAILURE  "previous-recorded-failure" ["alt-F"]     REPLAY "go to the previous moment of failure"                 (MarkKind::Failure, BACK);
    PREVIOUS_EDIT     "previous-recorded-edit"    ["alt-E"]     REPLAY "go to the previous moment of an edit"                 (MarkKind::Edit, BACK);
}

verbs! {
    run: to_mark, ..LEADS;
    NEXT_FAILURE "next-recorded-failure" ["alt-f"] REPLAY hint "next failure" "go to the next moment of failure" (MarkKind::Failure, ON);
    NEXT_EDIT    "next-recorded-edit"    ["alt-e"] REPLAY hint "next edit"    "go to the next moment of an edit" (MarkKind::Edit, ON);
}

/// Goes to another place of the recording, and stays there.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn go(model: &mut Model, press: &mut Press<'_>, control: ReplayControl) -> Result<(), Refusal> {
    model.run.playing = false;
    model.run.jump = None;
    press.out.push(Out::Replay(control));
    Ok(())
}

/// Changes how fast the recording plays.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn pace(_: &mut Model, press: &mut Press<'_>, control: ReplayControl) -> Result<(), Refusal> {
    press.out.push(Out::Replay(control));
    Ok(())
}

/// Goes to the next or previous event with a mark, and pauses there.
fn to_mark(model: &mut Model, press: &mut Press<'_>, (kind, back): (MarkKind, bool)) -> Result<(), Refusal> {
    let now = model.run.at.map_or(0, |at| at.event);
    let Some(event) = replay::neighbour(&model.run.marks, kind, now, back) else {
        let (side, mark) = (if back { "earlier" } else { "later" }, kind.label());
        return Err(Refusal::new(format!("No {side} {mark} in this recording")));
    };
    if model.run.playing {
        press.out.push(Out::Replay(ReplayControl::Pause));
    }
    go(model, press, ReplayControl::Seek(Seq(event as u64)))?;
    model.run.jump = Some(event);
    Ok(())
}

/// Skips a tenth of the recording.
fn skip(model: &mut Model, press: &mut Press<'_>, back: bool) -> Result<(), Refusal> {
    let Some(at) = model.run.at else { return Ok(()) };
    let part = (at.of / PARTS).max(1);
    let event = if back {
        at.event.saturating_sub(part).max(1)
    } else {
        (at.event + part).min(at.of)
    };
    go(model, press, ReplayControl::Seek(Seq(event as u64)))
}
