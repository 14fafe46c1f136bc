//! Lays out what the inspector shows of the selected node.
//!
//! Must not know: what is on a tab.

use crate::kernel::graph::Pick;
use crate::kernel::inspector::{DocumentKey, Subject, Tab};
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::kernel::queue::QueueEntry;
use crate::run::maker::{Maker, Older, Output};
use crate::surfaces::documents;
use overrule_domain::call::ShownForm;
use overrule_domain::id::Seq;
use overrule_domain::node::Node;

/// Fewest columns for the old and the new lines of a difference next to each other.
const BESIDE: u16 = 140;
/// Rows of a frame around its document.
const FRAME: usize = 2;

/// Lays out the text of the selected node in the whole width. Returns the rows of the frame of a decision; none where nothing
/// is decided.
pub(crate) fn measure(model: &mut Model) -> Option<usize> {
    let width = model.screen.width;
    let height = model.screen.places.inspector.unwrap_or_default().height;
    let height = usize::from(height.saturating_sub(1));
    if model.inspector.made.is_none() {
        model.inspector.roomy = None;
    }
    inspect(model, width, height);
    let is_difference = |model: &Model| {
        let form = model.inspector.doc.shown_form();
        form.is_some_and(|form| !form.exact && form.first.form == ShownForm::Difference)
    };
    if !is_difference(model) {
        return framed(model);
    }
    let roomy = |key: DocumentKey| (key.0, key.1, key.2, key.3, key.4, false);
    let made = model.inspector.made.map(roomy);
    if model.inspector.roomy.map(|(key, _)| key) != made {
        model.inspector.tight = false;
        inspect(model, width, height);
        model.inspector.roomy = made.map(|key| (key, model.inspector.doc.rows()));
    }
    let rows = model.inspector.roomy.map_or(0, |(_, rows)| rows) + FRAME;
    model.inspector.tight = rows > room_for_context(model);
    inspect(model, width, height);
    framed(model)
}

/// The most rows of a frame that shows all unchanged lines around a change: what the graph leaves free, or a third.
fn room_for_context(model: &Model) -> usize {
    let body = usize::from(model.screen.height.saturating_sub(3));
    let free = body.saturating_sub(model.graph.len() + 1);
    free.max(body / 3)
}

fn framed(model: &Model) -> Option<usize> {
    let doc = &model.inspector.doc;
    doc.title().map(|_| doc.rows() + FRAME)
}

/// Lays out the text of the selected node and tab, if something of it changed.
pub(crate) fn inspect(model: &mut Model, width: u16, height: usize) {
    let from_queue = (model.screen.lead == Pane::QUEUE)
        .then_some(model.queue.selected)
        .flatten()
        .map(|requested| match requested {
            QueueEntry::Call { call, .. } => Subject::Pick(Pick::Node(call)),
            QueueEntry::Turn { turn, .. } => Subject::Broken(turn),
        });
    let subject = from_queue.or(model.graph.selected.map(Subject::Pick));
    if model.inspector.subject != subject {
        model.inspector.ask();
    }
    let tab = model
        .inspector
        .tab_for(subject, model.screen.lead, &model.run.state);
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
            Seq(u64::from(model.run.state.epoch.0) + u64::from(model.run.state.tally.requests))
        }
        _ => model.run.state.seq,
    };
    let key = (subject, tab, since, width, streamed, model.inspector.tight);
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
    maker.height = Some(height);
    maker.tight = inspector.tight;
    maker.beside = model.settings.side_by_side && width >= BESIDE;
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
    documents::make(&mut maker, subject, tab);
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
