//! Drives a recorded run: play, step, jump to a mark, to a tenth, to a place of the bar.
//!
//! Must not know: how a recording is read, how the bar is drawn.

use ratatui::layout::Position;

use crate::console::commands::ReplayVerb;
use crate::console::link::ReplayControl;
use crate::console::model::Model;
use crate::console::msg::Out;
use crate::console::replay::{self, MarkKind};
use crate::domain::id::Seq;

/// Parts of a recording that one jump skips.
const PARTS: usize = 10;

/// Carries out a verb about a recorded run.
pub(super) fn replay(model: &mut Model, verb: ReplayVerb, out: &mut Vec<Out>) {
    let playing = model.run.playing;
    let control = match verb {
        ReplayVerb::Play if playing => ReplayControl::Pause,
        ReplayVerb::Play => ReplayControl::Play,
        ReplayVerb::Step => ReplayControl::Step,
        ReplayVerb::Back => ReplayControl::Back,
        ReplayVerb::Faster => ReplayControl::Faster,
        ReplayVerb::Slower => ReplayControl::Slower,
        ReplayVerb::Start => ReplayControl::Seek(Seq(0)),
        ReplayVerb::End => ReplayControl::End,
        ReplayVerb::Next(kind) => return to_mark(model, kind, false, out),
        ReplayVerb::Previous(kind) => return to_mark(model, kind, true, out),
        ReplayVerb::TenthOn => return skip(model, false, out),
        ReplayVerb::TenthBack => return skip(model, true, out),
        ReplayVerb::Fork => return super::fork::ask(model, out),
        ReplayVerb::ForkWrite => return super::fork::write(model, false, out),
        ReplayVerb::ForkResume => return super::fork::write(model, true, out),
    };
    match control {
        ReplayControl::Play => model.run.playing = true,
        ReplayControl::Faster | ReplayControl::Slower => {}
        _ => model.run.playing = false,
    }
    out.push(Out::Replay(control));
}

/// Goes to the next or previous event with a mark, and pauses there.
fn to_mark(model: &mut Model, kind: MarkKind, back: bool, out: &mut Vec<Out>) {
    let now = model.run.at.map_or(0, |at| at.event);
    let Some(event) = replay::neighbour(&model.run.marks, kind, now, back) else {
        let side = if back { "earlier" } else { "later" };
        return model.complain(format!("No {side} {} in this recording", kind.label()));
    };
    pause(model, out);
    out.push(Out::Replay(ReplayControl::Seek(Seq(event as u64))));
}

/// Skips a tenth of the recording.
fn skip(model: &mut Model, back: bool, out: &mut Vec<Out>) {
    let Some(at) = model.run.at else { return };
    let part = (at.of / PARTS).max(1);
    let event = if back {
        at.event.saturating_sub(part).max(1)
    } else {
        (at.event + part).min(at.of)
    };
    out.push(Out::Replay(ReplayControl::Seek(Seq(event as u64))));
}

fn pause(model: &mut Model, out: &mut Vec<Out>) {
    if model.run.playing {
        model.run.playing = false;
        out.push(Out::Replay(ReplayControl::Pause));
    }
}

/// Goes to the event at a place of the bar; false if the place is not on it.
pub(super) fn point(model: &mut Model, x: u16, y: u16, out: &mut Vec<Out>) -> bool {
    let Some(bar) = model
        .screen
        .places
        .bar
        .filter(|bar| bar.contains(Position { x, y }))
    else {
        return false;
    };
    let line = model.screen.bar_line();
    if let Some(at) = model.run.at.filter(|_| y == bar.y) {
        let event = replay::event_at(x.saturating_sub(line.x), at.of, line.width);
        out.push(Out::Replay(ReplayControl::Seek(Seq(event as u64))));
    }
    true
}
