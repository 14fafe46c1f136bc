//! Goes to the event at a place of the bar of a recorded run.
//!
//! Must not know: how a recording is read, how the bar is drawn.

use ratatui::layout::Position;

use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::run::link::ReplayControl;
use crate::run::replay;
use overrule_domain::id::Seq;

/// Goes to the event at a place of the bar; false if the place is not on it.
pub(crate) fn point(model: &mut Model, x: u16, y: u16, out: &mut Vec<Out>) -> bool {
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
