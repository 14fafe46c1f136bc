//! Brings everything that is drawn up to date with the model, before a frame and nothing else.
//!
//! Queue rows, graph rows, places, documents. Must not know: how anything is drawn.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{bulk, listings};
use crate::console::alike;
use crate::console::doc::Doc;
use crate::console::hints::hints;
use crate::console::model::arming::{Arming, Question};
use crate::console::model::graph::{GraphPane, Pick, body};
use crate::console::model::inspector::{Made, Subject, Tab};
use crate::console::model::listing::Kind;
use crate::console::model::log::{Line, LogPane};
use crate::console::model::overlay::{DialogKind, Overlay, PageContent, Review, RuleView};
use crate::console::model::queue::Wanted;
use crate::console::model::run::{NOTICED_MS, RunPart};
use crate::console::model::screen::{Pane, inside};
use crate::console::model::{Model, Settings};
use crate::console::rows::Chosen;
use crate::console::said;
use crate::console::tabs::{self, Maker, Older, Output};
use crate::console::work::{Finding, Work};
use crate::domain::advice::Cards;
use crate::domain::again;
use crate::domain::command::Command;
use crate::domain::id::Seq;
use crate::domain::lineage::{self, Plan};
use crate::domain::node::Node;
use crate::domain::refusal::Refusal;
use crate::domain::state::State;
use crate::domain::turn::Turn;
use crate::policy::backtest::would;

/// Brings everything that is drawn up to date.
pub fn prepare(model: &mut Model) {
    let _shown = model.settings.shown();
    let wanted = waiting(&model.run);
    model.queue.sync(&wanted);
    model.collected.look(&model.run.state);
    compare(model, wanted);
    let banner = model.run.halted.is_some()
        || model.run.left_broken().next().is_some()
        || model.run.state.limit_reached.is_some()
        || model.run.stuck().is_some()
        || model.again().is_some()
        || model.silent().is_some();
    arrange(model, banner);
    let places = model.screen.places;
    let graph = places.graph.map(inside).unwrap_or_default();
    model.graph.map.room = (graph.width, graph.height);
    model.graph.sync(&model.run);
    let rows = |area: Option<ratatui::layout::Rect>| area.map_or(0, |area| usize::from(inside(area).height));
    let height = usize::from(graph.height).saturating_sub(model.graph.form.head());
    let state = &model.run.state;
    let tall = |pane: &GraphPane, row| body::tall(state, pane, row, graph.width);
    model.graph.scroll(height, tall);
    model.queue.scroll(rows(places.queue));
    let room = rows(places.inspector);
    let width = places.inspector.map_or(model.screen.width, |area| area.width);
    inspect(model, width, room);
    model.inspector.scroll(room);
    lower(model);
    overlay(model);
}

/// Puts everything into its place. What of the newest word has no place there is read in the log.
fn arrange(model: &mut Model, banner: bool) {
    let queued = model.queue.items.len();
    model.screen.wordy = 1;
    if model.message.text.is_empty() {
        return model.screen.arrange(queued, banner);
    }
    let width = usize::from(model.screen.width.saturating_sub(1));
    let kept = said::kept(&hints(model));
    model.screen.wordy = said::rows_for(&model.message.text, width, kept);
    model.screen.arrange(queued, banner);
    let size = (width, usize::from(model.screen.places.status.height));
    let message = &mut model.message;
    if !message.is_logged && !said::told(&message.text, size, kept).is_whole {
        message.is_logged = true;
        let text = message.text.clone();
        model.log.add(if message.bad {
            Line::Trouble(text)
        } else {
            Line::Note(text)
        });
    }
}

/// What is to be worked out since this was asked last; [`Msg::Found`](crate::console::msg::Msg) brings what came of it.
pub fn work(model: &mut Model) -> Vec<Work> {
    let mut work = model.inspector.cache.take_work();
    work.extend(model.graph.take_work());
    work
}

/// Takes in what was worked out.
pub fn found(model: &mut Model, finding: Finding) {
    match finding {
        Finding::Text(found) => model.inspector.cache.put(found),
        Finding::Rows(made) => {
            model.graph.take(*made);
            super::graph::count_on(model);
        }
    }
}

/// Brings everything up to date, however long it takes: for who has nothing else to do meanwhile.
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
    let explained = model.lower.explained.clone();
    let chosen = Chosen {
        explained: &explained,
        marked: model.lower.marked,
    };
    let now = model.now_of_run().filter(|_| pane == Pane::Budget);
    let Some(rows) = model.lower.of_mut(pane) else {
        return;
    };
    let lasts = now.filter(|_| model.run.is_busy()).map(|now| now / 1000);
    let key = Some((model.run.state.seq, area.width, lasts));
    if rows.made != key {
        rows.made = key;
        let (title, made) = crate::console::rows::make(
            (&model.run, now),
            pane,
            chosen,
            area.width,
            model.settings.charset,
        );
        rows.take(title, made);
    }
    rows.scroll(height);
}

/// Finds out which waiting calls are of one shape, where others wait than before.
fn compare(model: &mut Model, wanted: Vec<Wanted>) {
    if wanted == model.queue.compared {
        return;
    }
    let calls = wanted.iter().filter_map(|wanted| match wanted {
        Wanted::Call { call, .. } => Some(*call),
        Wanted::Turn { .. } => None,
    });
    model.queue.alike = alike::of(&model.run.state, calls);
    model.queue.compared = wanted;
}

/// Whether a broken stream stays for as long as it takes to read of it.
fn stays(run: &RunPart, turn: &Turn) -> bool {
    again::of(&run.state, turn).is_none_or(|one| one.is_long(NOTICED_MS))
}

/// What waits for the operator, in the order of arrival.
fn waiting(run: &RunPart) -> Vec<Wanted> {
    let mut all: Vec<(Seq, Wanted)> = run
        .state
        .agenda
        .waiting
        .iter()
        .filter_map(|(seq, id)| {
            let rev = run.state.node(*id)?.rev();
            let wanted = Wanted::Call {
                call: *id,
                rev,
                ready: seq.0,
            };
            Some((*seq, wanted))
        })
        .chain(run.broken().filter(|turn| stays(run, turn)).map(|turn| {
            let wanted = Wanted::Turn {
                turn: turn.id,
                request: turn.asked,
            };
            (turn.asked_at, wanted)
        }))
        .collect();
    all.sort_by_key(|(seq, _)| *seq);
    all.into_iter().map(|(_, wanted)| wanted).collect()
}

fn inspect(model: &mut Model, width: u16, height: usize) {
    let from_queue = (model.screen.lead == Pane::Queue)
        .then_some(model.queue.selected)
        .flatten()
        .map(|wanted| match wanted {
            Wanted::Call { call, .. } => Subject::Pick(Pick::Node(call)),
            Wanted::Turn { turn, .. } => Subject::Broken(turn),
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
        // What was sent stays as it was: it is made anew when it has come, where an edit makes it another thing than
        // what would be sent now, and where it is sent again. Neither of the two numbers ever becomes less.
        Tab::Context | Tab::Wire => {
            Seq(u64::from(model.run.state.epoch.0) + u64::from(model.run.state.requests))
        }
        _ => model.run.state.seq,
    };
    let key = (subject, tab, since, width, streamed);
    if model.inspector.made == Some(key) && !model.inspector.doc.is_due() {
        return;
    }
    // Of a stream only the end is there: what is read of it stays until its last row is on screen again.
    let stays = |made: &Made| (made.0, made.1, made.3) == (subject, tab, width);
    if streamed > 0 && !follows && model.inspector.made.as_ref().is_some_and(stays) {
        return;
    }
    model.inspector.made = Some(key);
    let inspector = &mut model.inspector;
    let looks = (width, model.settings.charset);
    let mut maker = Maker::new(&model.run, &mut inspector.cache, &model.queue.alike, looks);
    maker.output = (tab == Tab::Content).then(|| Output {
        colours: !inspector.bytes,
        key: model.settings.keymap.first("output-colours"),
    });
    let key = |name| model.settings.keymap.first(name);
    maker.older = Older {
        upto: inspector.upto,
        keys: ["older", "newer"].map(key),
    };
    tabs::make(&mut maker, subject, tab);
    let doc = maker.doc;
    model.inspector.doc = doc;
    model.inspector.cache.turn();
    if streamed > 0 && follows {
        // What is streaming is followed while its end is on screen.
        model.inspector.top = model.inspector.doc.rows();
    }
}

/// Goes over to what the inspector shows now. True where that is something else than before.
fn turn_to(model: &mut Model, subject: Option<Subject>, tab: Tab) -> bool {
    let state = &model.run.state;
    let read = match subject {
        Some(node @ Subject::Pick(Pick::Node(id))) => Some((node, tab, state.node(id).map(Node::rev))),
        _ => None,
    };
    let inspector = &mut model.inspector;
    if (subject, tab) == (inspector.subject, inspector.tab) {
        // A new revision goes on where the one before was read.
        inspector.read = read;
        return false;
    }
    // What was read of a stream is read on where it has become a node.
    let became = match (inspector.subject, subject) {
        (Some(Subject::Pick(Pick::Live(live, _))), Some(Subject::Pick(Pick::Node(id)))) => {
            model.graph.pinned && state.turn_of(id).is_some_and(|turn| turn.id == live)
        }
        _ => false,
    };
    let top = inspector.top;
    let same = tab == inspector.tab;
    inspector.subject = subject;
    inspector.tab = tab;
    inspector.upto = None;
    inspector.turn_to(read);
    if became && same {
        inspector.top = top;
    }
    true
}

/// Makes what is on a page.
fn content(maker: &mut Maker<'_>, content: &mut PageContent, log: &LogPane, settings: &Settings) {
    // Nothing is offered that a halted run refuses.
    let offered = settings.offered().filter(|_| maker.run.halted.is_none());
    match content {
        PageContent::Loops => tabs::loops(maker, offered),
        PageContent::Needed => tabs::needed(maker, log, offered),
        PageContent::Help(here) => {
            let kept = match (settings.is_replay(), settings.is_recorded()) {
                (true, _) => tabs::Kept::Replayed,
                (false, true) => tabs::Kept::Read,
                (false, false) if maker.run.halted.is_some() => tabs::Kept::Halted {
                    busy: maker.run.is_busy(),
                },
                (false, false) => tabs::Kept::Live,
            };
            tabs::help(maker, &settings.keymap, kept, *here);
        }
        PageContent::Note(words) => tabs::note(maker, words),
        PageContent::Difference(texts) => tabs::apart(maker, texts),
        PageContent::Impact { edit, plan } => {
            *plan = tabs::impact(maker, edit).map(Box::new);
        }
    }
}

/// What became of the node of the editor below a preview.
fn meanwhile(model: &Model) -> Option<String> {
    let meanwhile = match model.overlays.as_slice() {
        [.., Overlay::Editor(editor), Overlay::Review(_)] => editor.stood.since(&model.run.state),
        _ => None,
    };
    meanwhile.map(|meanwhile| meanwhile.what)
}

fn overlay(model: &mut Model) {
    model.screen.broad = matches!(
        model.overlays.last(),
        Some(Overlay::Listing(list)) if matches!(list.kind, Kind::Compare { .. } | Kind::Branches { .. })
    );
    let key = Some((model.run.state.seq, model.screen.overlay_width()));
    let stale = |made: Option<(Seq, u16)>, doc: &Doc| made != key || doc.is_due();
    let listed = matches!(model.overlays.last(), Some(Overlay::Bulk(bulk)) if stale(bulk.made, &bulk.doc))
        .then(|| bulk::items(model));
    let meanwhile = meanwhile(model);
    let Model {
        run,
        overlays,
        inspector,
        screen,
        settings,
        collected,
        log,
        queue,
        arming,
        ..
    } = model;
    let looks = (screen.overlay_width(), settings.charset);
    let mut maker = Maker::new(run, &mut inspector.cache, &queue.alike, looks);
    let Some(overlay) = overlays.last_mut() else {
        return;
    };
    let (doc, top) = match overlay {
        Overlay::Page(page) => {
            if stale(page.made, &page.doc) {
                page.made = key;
                content(&mut maker, &mut page.content, log, settings);
                page.doc = maker.doc;
            }
            (&page.doc, &mut page.top)
        }
        Overlay::Review(review) => {
            if stale(review.made, &review.doc) {
                review.made = key;
                review.plan = plan_of(&run.state, &review.command);
                review.meanwhile = meanwhile.unwrap_or_default();
                tabs::review(&mut maker, review);
                review.doc = maker.doc;
                review.stamp = stamp(review);
            }
            (&review.doc, &mut review.top)
        }
        Overlay::Listing(list) => {
            listings::make(&mut maker, list, collected, &settings.keymap);
            let (_, rows, more) = screen.listing(list.lines.len(), list.doc.rows());
            list.scroll(usize::from(rows.height), usize::from(more.height));
            return;
        }
        Overlay::Bulk(bulk) => {
            if let Some(now) = listed {
                bulk.made = key;
                bulk::compare(bulk, &run.state, &now);
                tabs::bulk(&mut maker, bulk);
                bulk.doc = maker.doc;
            }
            (&bulk.doc, &mut bulk.top)
        }
        Overlay::Rule(view) => {
            if stale(view.made, &view.doc) {
                view.made = key;
                count(view, run, arming);
                tabs::rule_preview(&mut maker, view);
                view.doc = maker.doc;
            }
            (&view.doc, &mut view.top)
        }
        Overlay::Fork(view) => {
            if stale(view.made, &view.doc) {
                view.made = key;
                tabs::fork(&mut maker, view.foreseen.as_ref());
                view.doc = maker.doc;
            }
            (&view.doc, &mut view.top)
        }
        Overlay::Dialog(dialog) => {
            if stale(dialog.made, &dialog.doc) {
                dialog.made = key;
                let stands = run.still_asks(&dialog.question);
                match (&dialog.kind, &dialog.question) {
                    _ if stands.is_err() => {
                        let why = stands.err().unwrap_or_default();
                        tabs::unasked(&mut maker, &why, &settings.keymap.first("close"));
                    }
                    (DialogKind::Broken(turn), _) => tabs::broken(&mut maker, *turn),
                    (_, Question::Call { call, .. }) => tabs::decision(&mut maker, *call),
                    _ => {}
                }
                dialog.doc = maker.doc;
            }
            (&dialog.doc, &mut dialog.top)
        }
        _ => return,
    };
    let height = usize::from(inside(screen.overlay(doc.rows())).height);
    *top = (*top).min(doc.last_top(height));
}

/// What a previewed command would do.
fn plan_of(state: &State, command: &Command) -> Result<Plan, Refusal> {
    match command {
        Command::Edit(command) => lineage::plan_of(state, command),
        command => crate::domain::decide::command(state, &Cards(state), command)
            .map(|events| lineage::of_events(state, &events)),
    }
}

/// Changes when what is committed or its plan does.
fn stamp(review: &Review) -> u64 {
    let mut hasher = DefaultHasher::new();
    (review.keeps_later(), &review.meanwhile).hash(&mut hasher);
    match &review.plan {
        Ok(plan) => {
            (&plan.effects, &plan.superseded, &plan.possible, &plan.cancelled).hash(&mut hasher);
            (&plan.certain, &plan.approves, &plan.turns, plan.asks).hash(&mut hasher);
            (&plan.recalled, &plan.drifted, &plan.held, &plan.perhaps).hash(&mut hasher);
        }
        Err(refusal) => refusal.message.hash(&mut hasher),
    }
    hasher.finish()
}

/// Counts what a rule would mean, and what of it nobody has read.
fn count(view: &mut RuleView, run: &RunPart, arming: &Arming) {
    view.would = would(&run.state, &view.wanted);
    let waiting = view.would.iter().flat_map(|would| &would.waiting);
    view.unread = waiting.map(|one| bulk::not_read(run, arming, one)).collect();
    view.stamp = rule_stamp(view);
}

/// Changes when the rule does, or what it decides at once.
fn rule_stamp(view: &RuleView) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{:?}", view.wanted).hash(&mut hasher);
    match &view.would {
        Ok(would) => would.seen().hash(&mut hasher),
        Err(why) => why.hash(&mut hasher),
    }
    hasher.finish()
}
