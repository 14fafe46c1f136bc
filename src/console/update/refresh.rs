//! Updates everything that is drawn before a frame: rows, places, documents.
//!
//! Must not know: how anything is drawn.

mod overlay;

use crate::console::call_group;
use crate::console::doc::Finding;
use crate::console::hints::hints;
use crate::console::model::Model;
use crate::console::model::graph::{GraphPane, Pick, body};
use crate::console::model::inspector::{DocumentKey, Subject, Tab};
use crate::console::model::log::Line;
use crate::console::model::queue::QueueEntry;
use crate::console::model::run::{NOTICED_MS, RunPart};
use crate::console::model::screen::{Pane, inside};
use crate::console::rows::Chosen;
use crate::console::status_line;
use crate::console::tabs::{self, Maker, Older, Output};
use crate::console::work::Work;
use crate::domain::id::Seq;
use crate::domain::node::Node;
use crate::domain::pending_retry;
use crate::domain::turn::Turn;

/// Updates everything that is drawn.
pub fn prepare(model: &mut Model) {
    let _shown = model.settings.shown();
    let requested = waiting(&model.run);
    model.queue.sync(&requested);
    model.cached.renew_failed_calls(&model.run.state);
    compare(model, requested);
    let banner = model.run.halted.is_some()
        || model.run.left_broken().next().is_some()
        || model.run.state.limit_reached.is_some()
        || model.run.stuck().is_some()
        || model.again().is_some()
        || model.run.state.restricted.is_some()
        || model.idle_time().is_some();
    arrange(model, banner);
    let places = model.screen.places;
    let graph = places.graph.map(inside).unwrap_or_default();
    model.graph.map.room = (graph.width, graph.height);
    join(model);
    model.graph.sync(&model.run);
    if join(model) {
        model.graph.sync(&model.run);
    }
    let rows = |area: Option<ratatui::layout::Rect>| area.map_or(0, |area| usize::from(inside(area).height));
    let height = usize::from(graph.height).saturating_sub(model.graph.form.head());
    let state = &model.run.state;
    let tall = |pane: &GraphPane, row| body::tall(state, pane, row, graph.width);
    model.graph.scroll(height, tall);
    model.queue.scroll(rows(places.queue));
    mark(model, rows(places.queue));
    let room = rows(places.inspector);
    let width = places.inspector.map_or(model.screen.width, |area| area.width);
    inspect(model, width, room);
    model.inspector.scroll(room);
    lower(model);
    overlay::overlay(model);
}

/// Finds the marks of danger of the calls in the rows of the queue.
fn mark(model: &mut Model, rows: usize) {
    let items = model.queue.items.iter().skip(model.queue.top).take(rows);
    let calls = items.filter_map(|item| match item.entry {
        QueueEntry::Call { call, .. } if !item.gone => Some(call),
        _ => None,
    });
    let calls: Vec<_> = calls.collect();
    model.run.renew_marks(&calls);
}

/// Selects the same entry in the queue and the graph. True if the cursor of the graph moved.
fn join(model: &mut Model) -> bool {
    match (model.screen.lead, model.graph.selected) {
        (Pane::Queue, _) => match model.queue.selected {
            Some(QueueEntry::Call { call, .. }) => model.graph.join(Pick::Node(call)),
            Some(QueueEntry::Turn { turn, .. }) => model.graph.join(Pick::Live(turn, 0)),
            None => false,
        },
        (_, Some(Pick::Node(id))) => {
            if let Some(requested) = model.queue.entry_of(id.call()) {
                model.queue.selected = Some(requested);
            }
            false
        }
        (_, Some(Pick::Live(turn, _))) => {
            let mut items = model.queue.items.iter().filter(|item| !item.gone);
            let its =
                items.find(|item| matches!(item.entry, QueueEntry::Turn { turn: one, .. } if one == turn));
            if let Some(item) = its {
                model.queue.selected = Some(item.entry);
            }
            false
        }
        (_, None) => false,
    }
}

/// Lays out the screen. A status text that does not fit goes to the log too.
fn arrange(model: &mut Model, banner: bool) {
    let queued = model.queue.items.len();
    model.screen.bar = model.settings.is_replay() && model.run.at.is_some();
    model.screen.wordy = 1;
    if model.message.text.is_empty() {
        return model.screen.arrange(queued, banner);
    }
    let width = usize::from(model.screen.width.saturating_sub(1));
    let stored = status_line::pinned_columns(&hints(model));
    model.screen.wordy = status_line::rows_for(&model.message.text, width, stored);
    model.screen.arrange(queued, banner);
    let size = (width, usize::from(model.screen.places.status.height));
    let message = &mut model.message;
    if !message.is_logged && !status_line::layout(&message.text, size, stored).is_whole {
        message.is_logged = true;
        let text = message.text.clone();
        model.log.add(if message.bad {
            Line::Problem(text)
        } else {
            Line::Note(text)
        });
    }
}

/// Takes the pending background work. [`Msg::Found`](crate::console::msg::Msg) brings each result.
pub fn work(model: &mut Model) -> Vec<Work> {
    model.inspector.take_work()
}

/// Stores a result of background work.
pub fn found(model: &mut Model, finding: Finding) {
    model.inspector.cache.put(finding);
}

/// Brings everything up to date, including background work, for callers that can wait.
pub fn settle(model: &mut Model) {
    prepare(model);
    loop {
        let findings: Vec<_> = work(model).into_iter().filter_map(Work::run).collect();
        if findings.is_empty() {
            return;
        }
        for finding in findings {
            found(model, finding);
        }
        prepare(model);
    }
}

/// The rows of the pane at the bottom.
fn lower(model: &mut Model) {
    let (Some(area), Some(pane)) = (model.screen.places.lower, model.screen.lower) else {
        return;
    };
    let height = usize::from(inside(area).height);
    if pane == Pane::Log {
        model.log.scroll(height);
        return;
    }
    let now = model.now_of_run().filter(|_| pane == Pane::Budget);
    let lasts = now.filter(|_| model.run.is_busy()).map(|now| now / 1000);
    let (run, lower) = (&model.run, &mut model.lower);
    let key = Some((run.state.seq, area.width, lasts));
    if lower.of(pane).is_some_and(|rows| rows.made != key) {
        let branches = match pane {
            Pane::Branches => model.cached.branches(&run.state),
            _ => &[],
        };
        let chosen = Chosen {
            explained: &lower.explained,
            marked: lower.marked,
            branches,
        };
        let charset = model.settings.charset;
        let (title, made) = crate::console::rows::make((run, now), pane, chosen, area.width, charset);
        if let Some(rows) = lower.of_mut(pane) {
            rows.made = key;
            rows.take(title, made);
        }
    }
    let Some(rows) = lower.of_mut(pane) else {
        return;
    };
    rows.scroll(height);
}

/// Groups waiting calls of the same shape, if the queue changed.
fn compare(model: &mut Model, requested: Vec<QueueEntry>) {
    if requested == model.queue.compared {
        return;
    }
    let calls = requested.iter().filter_map(|requested| match requested {
        QueueEntry::Call { call, .. } => Some(*call),
        QueueEntry::Turn { .. } => None,
    });
    model.queue.call_groups = call_group::of(&model.run.state, calls);
    model.queue.compared = requested;
}

/// True if a broken stream stays long enough to be read.
fn stays(run: &RunPart, turn: &Turn) -> bool {
    pending_retry::of(&run.state, turn).is_none_or(|one| one.is_long(NOTICED_MS))
}

/// The entries that wait for the operator, in the order of arrival.
fn waiting(run: &RunPart) -> Vec<QueueEntry> {
    let mut all: Vec<(Seq, QueueEntry)> = run
        .state
        .agenda
        .waiting
        .iter()
        .filter_map(|(seq, id)| {
            let rev = run.state.node(*id)?.rev();
            let requested = QueueEntry::Call {
                call: *id,
                rev,
                ready: seq.0,
            };
            Some((*seq, requested))
        })
        .chain(run.broken().filter(|turn| stays(run, turn)).map(|turn| {
            let requested = QueueEntry::Turn {
                turn: turn.id,
                request: turn.asked,
            };
            (turn.asked_at, requested)
        }))
        .collect();
    all.sort_by_key(|(seq, _)| *seq);
    all.into_iter().map(|(_, requested)| requested).collect()
}

fn inspect(model: &mut Model, width: u16, height: usize) {
    let from_queue = (model.screen.lead == Pane::Queue)
        .then_some(model.queue.selected)
        .flatten()
        .map(|requested| match requested {
            QueueEntry::Call { call, .. } => Subject::Pick(Pick::Node(call)),
            QueueEntry::Turn { turn, .. } => Subject::Broken(turn),
        });
    let subject = from_queue.or(model.graph.selected.map(Subject::Pick));
    let tab = model.inspector.tab_for(subject, model.screen.lead);
    let follows = turn_to(model, subject, tab) || model.inspector.is_at_end(height);
    let streamed = match subject {
        Some(Subject::Pick(Pick::Live(turn, _))) => {
            model.run.live.get(&turn).map_or(0, |live| live.bytes.max(1))
        }
        _ => 0,
    };
    model.inspector.follows = (streamed > 0).then_some(follows);
    let since = match tab {
        // A sent request does not change. It is laid out again after it was loaded, after an edit,
        // and after another request. Neither of the two numbers ever decreases.
        Tab::Context | Tab::Wire => {
            Seq(u64::from(model.run.state.epoch.0) + u64::from(model.run.state.requests))
        }
        _ => model.run.state.seq,
    };
    let key = (subject, tab, since, width, streamed);
    if model.inspector.made == Some(key) && !model.inspector.doc.is_due() {
        return;
    }
    // Only the end of a stream is stored: the shown text stays until its last row is on screen.
    let stays = |made: &DocumentKey| (made.0, made.1, made.3) == (subject, tab, width);
    if streamed > 0 && !follows && model.inspector.made.as_ref().is_some_and(stays) {
        return;
    }
    model.inspector.made = Some(key);
    let inspector = &mut model.inspector;
    let looks = (width, model.settings.charset);
    let mut maker = Maker::new(&model.run, &mut inspector.cache, &model.queue.call_groups, looks);
    maker.output = (tab == Tab::Content).then(|| Output {
        colours: !inspector.bytes,
        key: model.settings.keymap.first("output-colours"),
    });
    let key = |name| model.settings.keymap.first(name);
    maker.older = Older {
        upto: inspector.upto,
        keys: ["older", "newer"].map(key),
    };
    maker.exact = [inspector.exact, inspector.exact_first];
    maker.exact_key = key("output-colours");
    tabs::make(&mut maker, subject, tab);
    let doc = maker.doc;
    model.inspector.doc = doc;
    model.inspector.cache.turn();
    if streamed > 0 && follows {
        // A stream is followed while its end is on screen.
        model.inspector.top = model.inspector.doc.rows();
    }
}

/// Switches the inspector to what it shows now. True if that differs from before.
fn turn_to(model: &mut Model, subject: Option<Subject>, tab: Tab) -> bool {
    let state = &model.run.state;
    let read = match subject {
        Some(node @ Subject::Pick(Pick::Node(id))) => Some((node, tab, state.node(id).map(Node::rev))),
        _ => None,
    };
    let inspector = &mut model.inspector;
    if (subject, tab) == (inspector.subject, inspector.tab) {
        // A new revision keeps the scroll position.
        inspector.read = read;
        return false;
    }
    // A stream that became a node keeps its scroll position.
    let became = match (inspector.subject, subject) {
        (Some(Subject::Pick(Pick::Live(live, _))), Some(Subject::Pick(Pick::Node(id)))) => {
            model.graph.pinned && state.turn_of(id).is_some_and(|turn| turn.id == live)
        }
        _ => false,
    };
    let top = inspector.top;
    let same = tab == inspector.tab;
    inspector.subject = subject;
    inspector.exact_first = inspector.exact;
    inspector.tab = tab;
    inspector.upto = None;
    inspector.turn_to(read);
    if became && same {
        inspector.top = top;
    }
    true
}
