//! Drives a recorded run.
//!
//! Must not know: how a recording is read.

use crate::kernel::context::REPLAY;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::verb::{Press, Verb};
use crate::run::link::ReplayControl;
use crate::run::refusal::Refusal;
use crate::run::replay;
use crate::run::replay::MarkKind;
use overrule_domain::id::Seq;

/// Parts of a recording that one jump skips.
const PARTS: usize = 10;

/// The verb `play`.
pub const PLAY: Verb = Verb {
    name: "play",
    keys: &["P"],
    contexts: REPLAY,
    doc: "play or pause a recorded run",
    hint: "play/pause",
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

/// The verb `next-event`.
pub const NEXT_EVENT: Verb = Verb {
    name: "next-event",
    keys: &["."],
    contexts: REPLAY,
    doc: "go to the next event",
    hint: "next",
    run: |model, press| go(model, ReplayControl::Step, press),
    ..Verb::BASE
};

/// The verb `previous-event`.
pub const PREVIOUS_EVENT: Verb = Verb {
    name: "previous-event",
    keys: &[","],
    contexts: REPLAY,
    doc: "go to the previous event",
    hint: "back",
    run: |model, press| go(model, ReplayControl::Back, press),
    ..Verb::BASE
};

/// The verb `faster`.
pub const FASTER: Verb = Verb {
    name: "faster",
    keys: &["="],
    contexts: REPLAY,
    doc: "play faster",
    run: |_, press| {
        press.out.push(Out::Replay(ReplayControl::Faster));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `slower`.
pub const SLOWER: Verb = Verb {
    name: "slower",
    keys: &["minus"],
    contexts: REPLAY,
    doc: "play slower",
    run: |_, press| {
        press.out.push(Out::Replay(ReplayControl::Slower));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `to-start`.
pub const TO_START: Verb = Verb {
    name: "to-start",
    keys: &["0"],
    contexts: REPLAY,
    doc: "go to the first event",
    run: |model, press| go(model, ReplayControl::Seek(Seq(0)), press),
    ..Verb::BASE
};

/// The verb `to-end`.
pub const TO_END: Verb = Verb {
    name: "to-end",
    keys: &["$"],
    contexts: REPLAY,
    doc: "go to the last event",
    run: |model, press| go(model, ReplayControl::End, press),
    ..Verb::BASE
};

/// The verb `tenth-on`.
pub const TENTH_ON: Verb = Verb {
    name: "tenth-on",
    keys: &["ctrl-right"],
    contexts: REPLAY,
    doc: "skip a tenth of the recording",
    run: |model, press| skip(model, false, press),
    ..Verb::BASE
};

/// The verb `tenth-back`.
pub const TENTH_BACK: Verb = Verb {
    name: "tenth-back",
    keys: &["ctrl-left"],
    contexts: REPLAY,
    doc: "go back a tenth of the recording",
    run: |model, press| skip(model, true, press),
    ..Verb::BASE
};

/// The verb `next-turn`.
pub const NEXT_TURN: Verb = Verb {
    name: "next-turn",
    keys: &["alt-right"],
    contexts: REPLAY,
    doc: "go to the beginning of the next turn",
    run: |model, press| to_mark(model, MarkKind::Turn, false, press),
    ..Verb::BASE
};

/// The verb `previous-turn`.
pub const PREVIOUS_TURN: Verb = Verb {
    name: "previous-turn",
    keys: &["alt-left"],
    contexts: REPLAY,
    doc: "go to the beginning of the previous turn",
    run: |model, press| to_mark(model, MarkKind::Turn, true, press),
    ..Verb::BASE
};

/// The verb `next-decision`.
pub const NEXT_DECISION: Verb = Verb {
    name: "next-decision",
    keys: &["alt-down"],
    contexts: REPLAY,
    doc: "go to the next decision",
    hint: "next decision",
    run: |model, press| to_mark(model, MarkKind::Decision, false, press),
    ..Verb::BASE
};

/// The verb `previous-decision`.
pub const PREVIOUS_DECISION: Verb = Verb {
    name: "previous-decision",
    keys: &["alt-up"],
    contexts: REPLAY,
    doc: "go to the previous decision",
    run: |model, press| to_mark(model, MarkKind::Decision, true, press),
    ..Verb::BASE
};

/// The verb `next-recorded-failure`.
pub const NEXT_FAILURE: Verb = Verb {
    name: "next-recorded-failure",
    keys: &["alt-f"],
    contexts: REPLAY,
    doc: "go to the next moment of failure",
    hint: "next failure",
    run: |model, press| to_mark(model, MarkKind::Failure, false, press),
    ..Verb::BASE
};

/// The verb `previous-recorded-failure`.
pub const PREVIOUS_FAILURE: Verb = Verb {
    name: "previous-recorded-failure",
    keys: &["alt-F"],
    contexts: REPLAY,
    doc: "go to the previous moment of failure",
    run: |model, press| to_mark(model, MarkKind::Failure, true, press),
    ..Verb::BASE
};

/// The verb `next-recorded-edit`.
pub const NEXT_EDIT: Verb = Verb {
    name: "next-recorded-edit",
    keys: &["alt-e"],
    contexts: REPLAY,
    doc: "go to the next moment of an edit",
    run: |model, press| to_mark(model, MarkKind::Edit, false, press),
    ..Verb::BASE
};

/// The verb `previous-recorded-edit`.
pub const PREVIOUS_EDIT: Verb = Verb {
    name: "previous-recorded-edit",
    keys: &["alt-E"],
    contexts: REPLAY,
    doc: "go to the previous moment of an edit",
    run: |model, press| to_mark(model, MarkKind::Edit, true, press),
    ..Verb::BASE
};

/// Goes to another place of the recording, and stays there.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn go(model: &mut Model, control: ReplayControl, press: &mut Press<'_>) -> Result<(), Refusal> {
    model.run.playing = false;
    press.out.push(Out::Replay(control));
    Ok(())
}

/// Goes to the next or previous event with a mark, and pauses there.
fn to_mark(model: &mut Model, kind: MarkKind, back: bool, press: &mut Press<'_>) -> Result<(), Refusal> {
    let now = model.run.at.map_or(0, |at| at.event);
    let Some(event) = replay::neighbour(&model.run.marks, kind, now, back) else {
        let (side, mark) = (if back { "earlier" } else { "later" }, kind.label());
        return Err(Refusal::new(format!("No {side} {mark} in this recording")));
    };
    if model.run.playing {
        press.out.push(Out::Replay(ReplayControl::Pause));
    }
    go(model, ReplayControl::Seek(Seq(event as u64)), press)
}

/// Skips a tenth of the recording.
fn skip(model: &mut Model, back: bool, press: &mut Press<'_>) -> Result<(), Refusal> {
    let Some(at) = model.run.at else { return Ok(()) };
    let part = (at.of / PARTS).max(1);
    let event = if back {
        at.event.saturating_sub(part).max(1)
    } else {
        (at.event + part).min(at.of)
    };
    go(model, ReplayControl::Seek(Seq(event as u64)), press)
}
