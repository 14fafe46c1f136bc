//! Drives a recorded run.
//!
//! Must not know: how a recording is read.

use super::{Press, Verb};
use crate::console::context::Context;
use crate::console::link::ReplayControl;
use crate::console::model::Model;
use crate::console::msg::Out;
use crate::console::refusal::Refusal;
use crate::domain::id::Seq;

/// The verb `play`.
pub const PLAY: Verb = Verb {
    name: "play",
    keys: &["P"],
    contexts: &[Context::Replay],
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
    contexts: &[Context::Replay],
    doc: "go to the next event",
    hint: "next",
    run: |model, press| go(model, ReplayControl::Step, press),
    ..Verb::BASE
};

/// The verb `previous-event`.
pub const PREVIOUS_EVENT: Verb = Verb {
    name: "previous-event",
    keys: &[","],
    contexts: &[Context::Replay],
    doc: "go to the previous event",
    hint: "back",
    run: |model, press| go(model, ReplayControl::Back, press),
    ..Verb::BASE
};

/// The verb `faster`.
pub const FASTER: Verb = Verb {
    name: "faster",
    keys: &["="],
    contexts: &[Context::Replay],
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
    contexts: &[Context::Replay],
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
    contexts: &[Context::Replay],
    doc: "go to the first event",
    run: |model, press| go(model, ReplayControl::Seek(Seq(0)), press),
    ..Verb::BASE
};

/// The verb `to-end`.
pub const TO_END: Verb = Verb {
    name: "to-end",
    keys: &["$"],
    contexts: &[Context::Replay],
    doc: "go to the last event",
    run: |model, press| go(model, ReplayControl::End, press),
    ..Verb::BASE
};

/// Goes to another place of the recording, and stays there.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn go(model: &mut Model, control: ReplayControl, press: &mut Press<'_>) -> Result<(), Refusal> {
    model.run.playing = false;
    press.out.push(Out::Replay(control));
    Ok(())
}
