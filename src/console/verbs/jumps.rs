//! Goes to waiting calls, failures, edits, parents, children and matches in the graph.
//!
//! Must not know: how rows are drawn.

use std::fmt;

use crate::kernel::availability::offered;
use crate::kernel::context::{PANES, SEARCHED};
use crate::kernel::decide;
use crate::kernel::graph::Pick;
use crate::kernel::hints::surface;
use crate::kernel::model::{Model, idle};
use crate::kernel::pane::Pane;
use crate::kernel::queue::QueueEntry;
use crate::kernel::verb::{Press, Rank, Verb, verbs};
use crate::run::event_text;
use crate::run::refusal::Refusal;
use crate::run::replay::MarkKind;
use crate::verbs::search;
use overrule_domain::call::Status;
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::graph;
use overrule_domain::id::{NodeId, NodeKind, TurnId};

/// The verb `next-pending`.
pub const NEXT_PENDING: Verb = Verb {
    name: "next-pending",
    keys: &["t"],
    contexts: PANES,
    doc: "go to the first call that waits for you; stays on a waiting call (move down for the next)",
    hint: "next pending",
    available: |model| offered(model.queue.waiting() > 0 && !model.is_halted()),
    run: |model, _| pending(model),
    ..Verb::BASE
};

/// The verb `next-failure`.
pub const NEXT_FAILURE: Verb = Verb {
    name: "next-failure",
    keys: &["f"],
    contexts: PANES,
    doc: "go to the next failed call, exit code or broken stream",
    run: |model, _| {
        let broken = model.graph.broken.clone();
        let none = no_failure(model);
        next(model, none, &broken, |model, id| {
            let status = EffectiveStatus::of(&model.run.state, id);
            // A failed test is a result, and is looked for like a failure.
            let exited = |status: EffectiveStatus<'_>| matches!(status.status(), Some(Status::Exited(_)));
            status.is_some_and(|status| status.failed() || exited(status))
        })
    },
    ..Verb::BASE
};

/// Says that nothing failed, or only later in the recording.
fn no_failure(model: &Model) -> Refusal {
    let shown = model.run.at.map(|at| at.event);
    let is_later = |event: usize| {
        model
            .run
            .marks
            .iter()
            .any(|mark| mark.kind.is_like(MarkKind::Failure) && mark.event > event)
    };
    if shown.is_some_and(is_later) {
        let key = model.settings.keymap.first("next-recorded-failure");
        return Refusal::new(format!(
            "Nothing failed up to this event. {key} goes to the next failure"
        ));
    }
    Refusal::new("Nothing failed")
}

/// The verb `next-edit`.
pub const NEXT_EDIT: Verb = Verb {
    name: "next-edit",
    keys: &["d"],
    contexts: PANES,
    doc: "go to the next edited node",
    run: |model, _| {
        next(model, Refusal::new("Nothing edited"), &[], |model, id| {
            let node = model.run.state.node(id);
            id.kind == NodeKind::Intervention
                || node.is_some_and(|node| node.active && (node.is_edited() || node.pinned))
        })
    },
    ..Verb::BASE
};

/// The verb `parent`.
pub const PARENT: Verb = Verb {
    name: "parent",
    keys: &[],
    contexts: PANES,
    doc: "go to the parent of the selected node",
    run: |model, _| parent(model),
    ..Verb::BASE
};

/// The verb `child`.
pub const CHILD: Verb = Verb {
    name: "child",
    keys: &[],
    contexts: PANES,
    doc: "go to the first child of the selected node",
    run: |model, _| child(model),
    ..Verb::BASE
};

/// The verb `previous-thought`.
pub const PREVIOUS_THOUGHT: Verb = Verb {
    name: "previous-thought",
    keys: &["["],
    contexts: PANES,
    doc: "go to the thought of the selected call, or to the thought before the selected one",
    hint: "thoughts",
    rank: |model| {
        if model.graph.is_transcript() {
            Rank::Leads
        } else {
            Rank::Last
        }
    },
    available: |model| offered(cursor(model).is_some_and(|here| thought(model, here, true).is_some())),
    run: |model, press| to_thought(model, press, true),
    ..Verb::BASE
};

/// The verb `next-thought`.
pub const NEXT_THOUGHT: Verb = Verb {
    name: "next-thought",
    keys: &["]"],
    contexts: PANES,
    doc: "go to the next thought",
    run: |model, press| to_thought(model, press, false),
    ..Verb::BASE
};

// The next one, or with `true` the previous one.
verbs! {
    run: sibling, ..Verb::BASE;
    NEXT_SIBLING     "next-sibling"     ["}"] PANES "go to the next sibling"     false;
    PREVIOUS_SIBLING "previous-sibling" ["{"] PANES "go to the previous sibling" true;
}

verbs! {
    run: to_match, ..Verb::BASE;
    NEXT_MATCH     "next-match"     ["n"] SEARCHED "go to the next match"     false;
    PREVIOUS_MATCH "previous-match" ["N"] SEARCHED "go to the previous match" true;
}

/// The verb `search`.
pub const SEARCH: Verb = Verb {
    name: "search",
    keys: &["/"],
    contexts: SEARCHED,
    doc: "search the text of the graph, or by filter terms; elsewhere the shown text",
    hint: "search",
    // The keys that decide come before it.
    rank: |model| {
        let here = surface(model);
        if here.is_pane || here.reads {
            Rank::Usual
        } else {
            Rank::Last
        }
    },
    run: |model, _| {
        search::ask(model);
        Ok(())
    },
    ..Verb::BASE
};

/// Goes to the next match, or back to the previous one: of the page, the inspector or the graph.
fn to_match(model: &mut Model, _: &mut Press<'_>, back: bool) -> Result<(), Refusal> {
    if search::step(model, back) {
        return Ok(());
    }
    if let Some((pick, around)) = hit(model, back)? {
        search::report(model, pick, around);
    }
    Ok(())
}

/// Goes to a waiting call: the selected one if it still waits, else the next in the queue.
fn pending(model: &mut Model) -> Result<(), Refusal> {
    let in_queue = model.screen.lead == Pane::QUEUE;
    let stays = match cursor(model) {
        _ if in_queue => model.queue.current(),
        // In follow mode the operator did not place the cursor.
        Some(id) if model.graph.pinned => model.queue.entry_of(id.call()),
        _ => None,
    };
    model.queue.settle();
    let first = model.queue.items.first().map(|item| item.entry);
    let count = model.queue.items.len();
    // If the selected entry no longer waits, the next entry has taken its place.
    let next = if in_queue { model.queue.selected } else { first };
    let Some(requested) = stays.or(next) else {
        return Err(Refusal::new(idle(model)));
    };
    if stays.is_some() && count > 1 {
        let key = model.settings.keymap.first("down");
        model.set_status(format!("This one still waits. {key} goes to the next"));
    }
    model.queue.selected = Some(requested);
    match requested {
        QueueEntry::Call { call, .. } => {
            decide::go_to_waiting(model, call);
            // A graph in follow mode keeps following.
            if model.graph.pinned {
                model.graph.go_to(call, &model.run);
            }
        }
        QueueEntry::Turn { .. } => model.screen.focus(Pane::QUEUE),
    }
    Ok(())
}

fn cursor(model: &Model) -> Option<NodeId> {
    match model.graph.selected {
        Some(Pick::Node(id)) => Some(id),
        _ => None,
    }
}

/// The node under the cursor, or the first ID if there is none.
fn here(model: &Model) -> NodeId {
    cursor(model).unwrap_or(NodeId::FIRST)
}

fn no_row(shown: impl fmt::Display) -> Refusal {
    Refusal::new(format!("{shown} has no row"))
}

fn no_parent(node: NodeId) -> Refusal {
    Refusal::new(format!("{node} has no parent"))
}

/// Goes to a node in the graph.
pub(crate) fn go(model: &mut Model, id: NodeId) -> Result<(), Refusal> {
    let (graph, run) = (&mut model.graph, &model.run);
    if !graph.go_to(id, run) {
        return Err(no_row(id));
    }
    model.screen.focus(Pane::GRAPH);
    Ok(())
}

/// Goes to a node, or to the row of a broken stream, and shows the end of its output.
fn land(model: &mut Model, pick: Pick) -> Result<(), Refusal> {
    go_pick(model, pick)?;
    if let Pick::Node(id) = pick {
        model.graph.land_on(id, &model.run);
    }
    Ok(())
}

/// Goes to the node of the event that a jump in a recording went to.
pub(crate) fn land_on_event(model: &mut Model, event: &Event) {
    // The state is another one.
    model.graph.sync(&model.run);
    let pick = match event {
        Event::Turn(TurnEvent::Broken { turn, .. }) => Some(Pick::Live(*turn, 0)),
        other => event_text::about(&model.run.state, other).map(Pick::Node),
    };
    if let Some(pick) = pick {
        // What has no row is named below the bar.
        land(model, pick).unwrap_or_default();
    }
}

/// Goes to a match: a node, or the row of a broken stream.
fn go_pick(model: &mut Model, pick: Pick) -> Result<(), Refusal> {
    match pick {
        Pick::Node(id) => go(model, id),
        Pick::Live(turn, _) => {
            if !model.graph.go_to_broken(turn) {
                return Err(no_row(turn));
            }
            model.screen.focus(Pane::GRAPH);
            Ok(())
        }
    }
}

/// The number of these turns above the cursor, if it is on the row of a stream, below all nodes.
fn below(model: &Model, turns: &[TurnId]) -> Option<usize> {
    match model.graph.selected {
        Some(Pick::Live(here, _)) => Some(turns.partition_point(|turn| *turn < here)),
        _ => None,
    }
}

/// Goes to the next match below the cursor, then from the top: a node or one of these broken
/// streams.
fn next(
    model: &mut Model,
    none: Refusal,
    broken: &[TurnId],
    fits: impl Fn(&Model, NodeId) -> bool,
) -> Result<(), Refusal> {
    let below = below(model, broken);
    let here = here(model);
    let from = |first: NodeId| {
        let nodes = model.run.state.nodes.range(first..).map(|(id, _)| *id);
        nodes.filter(|id| fits(model, *id))
    };
    let following = || from(here).find(|id| id.call() != here.call());
    let from_top = || {
        let is_above = |id: &NodeId| below.is_some() || *id <= here;
        from(NodeId::FIRST).next().filter(is_above)
    };
    let is_other = |turn: &&TurnId| model.graph.selected != Some(Pick::Live(**turn, 0));
    let stream = |from: usize| {
        let rest = broken.iter().skip(from).find(is_other);
        rest.map(|turn| Pick::Live(*turn, 0))
    };
    let found = match below {
        None => following().map(Pick::Node).or_else(|| stream(0)),
        Some(at) => stream(at),
    };
    let found = found
        .or_else(|| from_top().map(Pick::Node))
        .or_else(|| broken.first().map(|turn| Pick::Live(*turn, 0)));
    match found {
        Some(pick) => land(model, pick),
        None => Err(none),
    }
}

/// The next thought after a node, or the one before it: for a call, the thought of its turn first.
fn thought(model: &Model, here: NodeId, back: bool) -> Option<NodeId> {
    let state = &model.run.state;
    let is_thought = |id: &NodeId| {
        let node = state.node(*id);
        id.kind == NodeKind::Thought && node.is_some_and(|node| node.active)
    };
    let nodes = state.nodes.keys().copied();
    if back {
        let mut before = nodes.rev().filter(|id| *id < here.call());
        return before.find(is_thought);
    }
    nodes.filter(|id| *id > here).find(is_thought)
}

/// Goes to the next or the previous thought.
fn to_thought(model: &mut Model, _: &mut Press<'_>, back: bool) -> Result<(), Refusal> {
    let here = cursor(model).ok_or_else(|| Refusal::not_selected("node"))?;
    match thought(model, here, back) {
        Some(id) => go(model, id),
        None if back => Err(Refusal::new(format!("No thought before {here}"))),
        None => Err(Refusal::new(format!("No thought after {here}"))),
    }
}

fn parent(model: &mut Model) -> Result<(), Refusal> {
    let here = cursor(model).ok_or_else(|| Refusal::not_selected("node"))?;
    let edges = graph::edges_into(&model.run.state, here);
    let data = edges.iter().find(|edge| edge.kind == graph::EdgeKind::Data);
    match data.or(edges.first()).map(|edge| edge.from) {
        Some(id) => go(model, id),
        None => Err(no_parent(here)),
    }
}

fn child(model: &mut Model) -> Result<(), Refusal> {
    let here = cursor(model).ok_or_else(|| Refusal::not_selected("node"))?;
    let state = &model.run.state;
    let mut into = graph::Edges::new(state);
    let found = state
        .nodes
        .range(here..)
        .map(|(id, _)| *id)
        .filter(|id| id.call() != here.call() && id.kind != NodeKind::Observation)
        .find(|id| {
            let edges = into.ending_in(*id);
            edges.iter().any(|edge| edge.from.call() == here.call())
        });
    match found {
        Some(id) => go(model, id),
        None => Err(Refusal::new(format!("Nothing depends on {here}"))),
    }
}

/// Goes to the next node with the same parent, and to the first after the last.
fn sibling(model: &mut Model, _: &mut Press<'_>, back: bool) -> Result<(), Refusal> {
    let here = cursor(model).ok_or_else(|| Refusal::not_selected("node"))?.call();
    let state = &model.run.state;
    let parent = graph::edges_into(state, here)
        .first()
        .map(|edge| edge.from)
        .ok_or_else(|| no_parent(here))?;
    // Siblings are in the same turn.
    let turn = state.turn_of(here).ok_or_else(|| Refusal::not_selected("node"))?;
    let mut into = graph::Edges::new(state);
    let depends = |id: &&NodeId| {
        let mut edges = into.ending_in(**id).into_iter();
        edges.any(|edge| edge.from == parent && edge.kind != graph::EdgeKind::Data)
    };
    let all: Vec<NodeId> = turn.nodes.iter().filter(depends).copied().collect();
    let at = all.iter().position(|id| *id == here);
    let count = all.len();
    match at.filter(|_| count > 1) {
        Some(at) => {
            let next = (at + if back { count - 1 } else { 1 }) % count;
            let id = all.get(next).copied().unwrap_or(here);
            go(model, id)
        }
        None => Err(Refusal::new(format!("Nothing else depends on {parent}"))),
    }
}

/// Goes to the next or previous match in the graph. Returns it, and whether it is at the other end.
pub(crate) fn hit(model: &mut Model, back: bool) -> Result<Option<(Pick, bool)>, Refusal> {
    search::look_again(model);
    let (graph, hits) = (&model.graph, &model.graph.search.hits);
    let is_shown = |turn: &TurnId| graph.broken.contains(turn);
    let broken: Vec<TurnId> = graph.search.broken.iter().copied().filter(is_shown).collect();
    if hits.is_empty() && broken.is_empty() {
        if !graph.search.text.is_empty() {
            let text = &graph.search.text;
            return Err(Refusal::new(format!("Not found in the graph: `{text}`")));
        }
        let key = model.settings.keymap.first("search");
        return Err(Refusal::new(format!("Nothing searched yet. {key} searches")));
    }
    let here = here(model);
    let search = &graph.search;
    let stream = |turn: Option<&TurnId>| turn.map(|turn| Pick::Live(*turn, 0));
    let node = |id: Option<&NodeId>| id.map(|id| Pick::Node(*id));
    let below = below(model, &broken);
    let found = match (below, back) {
        (None, true) => node(search.above(here).as_ref())
            .or_else(|| stream(broken.last()))
            .or_else(|| node(hits.last())),
        (None, false) => node(search.below(here).as_ref())
            .or_else(|| stream(broken.first()))
            .or_else(|| node(hits.first())),
        (Some(at), true) => stream(at.checked_sub(1).and_then(|at| broken.get(at)))
            .or_else(|| node(hits.last()))
            .or_else(|| stream(broken.last())),
        (Some(at), false) => {
            let rest = broken.get(at..).unwrap_or_default().iter();
            let mut rest = rest.filter(|turn| model.graph.selected != Some(Pick::Live(**turn, 0)));
            stream(rest.next())
                .or_else(|| node(hits.first()))
                .or_else(|| stream(broken.first()))
        }
    };
    let Some(pick) = found else { return Ok(None) };
    // Broken streams are below all nodes.
    let order = |pick: Pick| match pick {
        Pick::Node(id) => (None, Some(id.call())),
        Pick::Live(turn, _) => (Some(turn), None),
    };
    let before = model.graph.selected.map(order);
    let around = before.is_some_and(|before| {
        if back {
            order(pick) >= before
        } else {
            order(pick) <= before
        }
    });
    go_pick(model, pick)?;
    Ok(Some((pick, around)))
}
