//! Updates everything that is drawn before a frame: rows, places, documents.
//!
//! Must not know: how anything is drawn.

use crate::ground::doc::{Doc, Finding};
use crate::ground::work::Work;
use crate::kernel::first_decision;
use crate::kernel::graph::{Form, Pick};
use crate::kernel::kind::Kind;
use crate::kernel::log::Line;
use crate::kernel::model::Model;
use crate::kernel::model::screen::{Wants, inside};
use crate::kernel::pane::Pane;
use crate::kernel::prompts;
use crate::kernel::queue::{Item, QueueEntry};
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::status_line;
use crate::run::call_group;
use crate::run::part::{NOTICED_MS, RunPart};
use overrule_domain::id::Seq;
use overrule_domain::pending_retry;
use overrule_domain::turn::Turn;

/// Write conflicts that the queue wants rows for.
const CONFLICTS: usize = 3;

/// Updates everything that is drawn.
pub fn prepare(model: &mut Model) {
    let _shown = model.settings.shown();
    let requested = waiting(&model.run);
    let left = model.queue.sync(&requested);
    model.cached.renew_marked_calls(&model.run.state);
    model.cached.renew_conflicts(&model.run.state);
    compare(model, requested);
    room_of_map(model);
    follow_decision(model, left);
    join(model);
    model.graph.sync(&model.run);
    if join(model) {
        model.graph.sync(&model.run);
    }
    let frame = kind(Pane::INSPECTOR, model).and_then(|kind| kind.measure(model));
    let wants = Wants {
        queue: queue_rows(model, true),
        banner: has_banner(model),
        frame,
        dialog: None,
        reads: model.graph.is_transcript(),
        beside: columns_beside(model),
    };
    arrange(model, wants);
    if model.screen.places.queue.is_some() && model.screen.focus != Pane::QUEUE {
        prepare_pane(model, Pane::GRAPH);
        // The graph may have the rows of all that waits.
        let queue = queue_rows(model, false);
        if queue.is_none() {
            arrange(model, Wants { queue, ..wants });
        }
    }
    if room_of_map(model) {
        model.graph.sync(&model.run);
    }
    let panes: Vec<Pane> = model.screen.panes().collect();
    for pane in panes {
        prepare_pane(model, pane);
    }
    let top = model.stack.last();
    let broad = top.is_some_and(Surface::is_broad);
    let docks = !broad && top.is_some_and(|top| top.erases(model) == Erases::Frame);
    (model.screen.broad, model.screen.docks) = (broad, docks);
    if let Some(mut top) = model.stack.pop() {
        top.prepare(model);
        model.stack.put(top);
    }
    dock(model, wants);
}

/// Gives a dialog the place of the frame: the graph ends above it.
fn dock(model: &mut Model, wants: Wants) {
    let rows = model.stack.last().and_then(|top| {
        let framed = |doc: &Doc| usize::from(doc.title().is_some());
        let of_sheet = top.sheet().map(|sheet| sheet.doc.rows() + framed(&sheet.doc));
        let screen = &model.screen;
        let of_list = || {
            let list = top.listing()?;
            Some(screen.listing_rows(list.rows.count(), list.doc.rows()))
        };
        of_sheet.or_else(of_list)
    });
    let own = model.stack.last().and_then(|top| top.rows(model));
    let own = own.filter(|rows| model.screen.has_room_above(*rows));
    let docked = || rows.and_then(|rows| model.screen.docked(rows));
    let Some(dialog) = own.or_else(docked) else {
        return;
    };
    model.screen.docks = true;
    let wants = Wants {
        queue: None,
        frame: None,
        dialog: Some(dialog),
        ..wants
    };
    arrange(model, wants);
    prepare_pane(model, Pane::GRAPH);
}

/// Columns of the pane at the right of the graph.
fn columns_beside(model: &mut Model) -> Option<u16> {
    let (room, pane) = (model.screen.room_beside()?, model.screen.lower?);
    kind(pane, model).map(|kind| kind.columns(model, room))
}

fn kind(pane: Pane, model: &Model) -> Option<&'static dyn Kind> {
    model.settings.keymap.registry().kind(pane)
}

fn prepare_pane(model: &mut Model, pane: Pane) {
    let area = model.screen.places.of(pane).unwrap_or_default();
    if let Some(kind) = kind(pane, model) {
        kind.prepare(model, area);
    }
}

/// True if there is something to say below the header.
fn has_banner(model: &Model) -> bool {
    model.run.halted.is_some()
        || model.run.unseen_alarms().next().is_some()
        || model.run.left_broken().next().is_some()
        || model.run.state.tally.limit_reached.is_some()
        || model.run.stuck().is_some()
        || model.run.waiting_conversation().is_some()
        || model.again().is_some()
        || model.run.state.settings.restricted.is_some()
        || model.idle_time().is_some()
}

/// Tells the map how large the pane is. True if a map is shown and the pane has another size than before.
fn room_of_map(model: &mut Model) -> bool {
    let area = model.screen.places.graph.map(inside).unwrap_or_default();
    let room = (area.width, area.height);
    let is_other = model.graph.map.room != room;
    model.graph.map.room = room;
    is_other && model.graph.form == Form::Map
}

/// The rows of the queue; none if each entry has a row in the graph. Before the graph is laid out, none of them may be
/// on screen.
fn queue_rows(model: &Model, before: bool) -> Option<usize> {
    let conflicts = model.cached.conflicts().len().min(CONFLICTS);
    let entries = model.queue.items.len();
    let is_beyond = |item: &Item| !item.gone && (before || !is_on_graph(model, item.entry));
    let is_needed = conflicts > 0 || model.queue.items.iter().any(is_beyond);
    let is_focused = model.screen.focus == Pane::QUEUE;
    (is_needed || is_focused).then(|| entries.max(usize::from(conflicts > 0)) + conflicts)
}

/// True if the graph shows the row of an entry.
fn is_on_graph(model: &Model, entry: QueueEntry) -> bool {
    let (graph, area) = (&model.graph, model.screen.places.graph.map(inside));
    let row = match entry {
        QueueEntry::Call { call, .. } => graph
            .rows
            .of(call)
            .filter(|row| row.key == call)
            .and(graph.rows.find(call)),
        QueueEntry::Turn { turn, .. } => {
            let live = graph.live.iter().position(|row| *row == (turn, 0));
            live.map(|at| graph.rows.len() + at)
        }
    };
    let height = usize::from(area.unwrap_or_default().height);
    row.is_some_and(|row| graph.shows(row, height))
}

/// After a decision in the graph, its cursor moves to the next entry that waits.
fn follow_decision(model: &mut Model, left: Option<QueueEntry>) {
    let Some(QueueEntry::Call { call, .. }) = left else {
        return;
    };
    let is_there = model.screen.lead == Pane::GRAPH && model.graph.selected == Some(Pick::Node(call));
    if let (true, Some(QueueEntry::Call { call: next, .. })) = (is_there, model.queue.selected) {
        model.graph.join(Pick::Node(next));
    }
}

/// The entry under the cursor of the open list, and the text of each entry.
pub fn list_entries(model: &mut Model) -> (usize, Vec<String>) {
    let Some(mut top) = model.stack.pop() else {
        return Default::default();
    };
    let texts = top.entries(model);
    let at = top.listing().map_or(0, |list| list.at);
    model.stack.put(top);
    (at, texts)
}

/// Selects the same entry in the queue and the graph. True if the cursor of the graph moved.
fn join(model: &mut Model) -> bool {
    if model.screen.lead == Pane::QUEUE {
        return match model.queue.selected {
            Some(QueueEntry::Call { call, .. }) => model.graph.join(Pick::Node(call)),
            Some(QueueEntry::Turn { turn, .. }) => model.graph.join(Pick::Live(turn, 0)),
            None => false,
        };
    }
    match model.graph.selected {
        Some(Pick::Node(id)) => {
            if let Some(requested) = model.queue.entry_of(id.call()) {
                model.queue.selected = Some(requested);
            }
            false
        }
        Some(Pick::Live(turn, _)) => {
            let mut items = model.queue.items.iter().filter(|item| !item.gone);
            let its =
                items.find(|item| matches!(item.entry, QueueEntry::Turn { turn: one, .. } if one == turn));
            if let Some(item) = its {
                model.queue.selected = Some(item.entry);
            }
            false
        }
        None => false,
    }
}

/// Lays out the screen. A status text that does not fit goes to the log too.
fn arrange(model: &mut Model, wants: Wants) {
    model.screen.bar = model.settings.is_replay() && model.run.at.is_some();
    let confirms = u16::from(prompts::confirms(model));
    model.screen.wordy = 1 + confirms;
    let first = first_decision::rows(model).len();
    if first > 0 {
        let notice = usize::from(!model.message.text.is_empty());
        model.screen.wordy = (notice + first + first_decision::AROUND) as u16;
        return model.screen.arrange(wants);
    }
    if model.message.text.is_empty() {
        return model.screen.arrange(wants);
    }
    let width = usize::from(model.screen.width.saturating_sub(1));
    model.screen.wordy = status_line::rows_for(&model.message.text, width) + 2 * confirms;
    model.screen.arrange(wants);
    let size = (
        width,
        usize::from(model.screen.places.status.height.saturating_sub(confirms)),
    );
    let message = &mut model.message;
    if !message.is_logged && !status_line::layout(&message.text, size).is_whole {
        message.is_logged = true;
        let text = message.text.clone();
        model.log.add(if message.bad {
            Line::Problem(text)
        } else {
            Line::Note(text)
        });
    }
}

/// Takes the pending background work. [`Msg::Found`](crate::kernel::msg::Msg) brings each result.
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
