//! Decides how soon a message needs a frame.
//!
//! Must not know: clocks, what a message does.
//!
//! Input and events need one immediately. More text of a visible stream needs one a little later,
//! and more text of a hidden stream needs none.

use std::mem::discriminant;

use crate::kernel::graph::Pick;
use crate::kernel::inspector::Subject;
use crate::kernel::model::Model;
use crate::kernel::msg::Msg;
use crate::run::frames::Soon;
use crate::run::link::Update;
use overrule_domain::live::{Live, LivePart};

/// How soon a message needs a frame. Call this before the message is applied.
pub fn soon(model: &Model, msg: &Msg) -> Soon {
    match msg {
        Msg::Term(_) => Soon::Typed,
        Msg::Run(Update::Live(live)) if !is_more(model, live) => Soon::Now,
        Msg::Run(Update::Live(live)) if is_seen(model, live) => Soon::Stream,
        Msg::Run(Update::Live(_)) => Soon::Never,
        Msg::Run(Update::Outputs(_)) => Soon::Stream,
        _ => Soon::Now,
    }
}

/// True if only more text arrived: no part started, and none became complete.
fn is_more(model: &Model, live: &Live) -> bool {
    let Some(known) = model.run.live.get(&live.turn) else {
        return false;
    };
    let kind = |part: &LivePart| match part {
        LivePart::Text { reasoning, .. } => (discriminant(part), *reasoning),
        LivePart::Call { .. } => (discriminant(part), false),
    };
    known.parts.iter().map(kind).eq(live.parts.iter().map(kind))
}

/// True if a part of the stream may be on screen.
fn is_seen(model: &Model, live: &Live) -> bool {
    let places = &model.screen.places;
    let inspected =
        matches!(model.inspector.subject, Some(Subject::Pick(Pick::Live(turn, _))) if turn == live.turn);
    if inspected && places.inspector.is_some() {
        return true;
    }
    let graph = &model.graph;
    let Some(area) = places.graph else {
        return false;
    };
    let rows = graph.live.iter().enumerate();
    rows.filter(|(_, (turn, _))| *turn == live.turn)
        .any(|(at, _)| graph.shows(graph.rows.len() + at, usize::from(area.height)))
}
