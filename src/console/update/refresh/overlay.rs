//! Updates the topmost overlay (page, preview, list or dialog) if something changed.
//!
//! Must not know: keys, how anything is drawn.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::{bulk, listings};
use crate::doc::Doc;
use crate::model::arming::{Arming, Question};
use crate::model::cached::Caches;
use crate::model::edit_preview::Change;
use crate::model::listing::Kind;
use crate::model::overlay::{Dialog, DialogKind, Overlay, PageContent, Review, RuleView};
use crate::model::run::RunPart;
use crate::model::screen::inside;
use crate::model::{Model, Settings};
use crate::panes::log::model::LogPane;
use crate::tabs::{self, Maker};
use overrule_domain::id::Seq;
use overrule_policy::backtest::would;

/// Makes the content of a page.
fn content(
    maker: &mut Maker<'_>,
    content: &mut PageContent,
    (log, cached): (&LogPane, &mut Caches),
    settings: &Settings,
) {
    // Nothing is offered that a halted run refuses.
    let offered = settings.offered().filter(|_| maker.run.halted.is_none());
    match content {
        PageContent::Of(make) => make(maker, offered),
        PageContent::Attention => tabs::needed(maker, log, offered),
        PageContent::Help(here) => {
            let stored = match (settings.is_replay(), settings.is_recorded()) {
                (true, _) => tabs::HelpMode::Replayed,
                (false, true) => tabs::HelpMode::Read,
                (false, false) if maker.run.halted.is_some() => tabs::HelpMode::Halted {
                    busy: maker.run.is_busy(),
                },
                (false, false) => tabs::HelpMode::Live,
            };
            tabs::help(maker, &settings.keymap, stored, *here);
        }
        PageContent::Note(words) => tabs::note(maker, words),
        PageContent::Classify(shown) => tabs::classify(maker, shown, settings),
        PageContent::Difference(texts) => tabs::diff_texts(maker, texts),
        PageContent::Impact(edit) => {
            let change = Change::Any((**edit).clone());
            tabs::impact(maker, cached.edit_preview(&maker.run.state, change));
        }
    }
}

/// What happened meanwhile to the node of the editor below a preview.
fn meanwhile(model: &Model) -> Option<String> {
    let meanwhile = match model.overlays.as_slice() {
        [.., Overlay::Editor(editor), Overlay::Review(_)] => editor.edit_base.since(&model.run.state),
        _ => None,
    };
    meanwhile.map(|meanwhile| meanwhile.what)
}

/// Makes a preview.
fn preview(mut maker: Maker<'_>, review: &mut Review, cached: &mut Caches) {
    let change = Change::Command(review.command.clone());
    let preview_value = cached.edit_preview(&maker.run.state, change);
    review.plan = Some(preview_value.plan.clone());
    tabs::review(&mut maker, review, preview_value);
    review.doc = maker.doc;
    review.stamp = stamp(review);
}

/// Updates the topmost overlay.
pub(crate) fn overlay(model: &mut Model) {
    model.screen.broad = matches!(
        model.overlays.last(),
        Some(Overlay::Listing(list)) if matches!(list.kind, Kind::Compare { .. } | Kind::Branches { .. })
    );
    let key = Some((model.run.state.seq, model.screen.overlay_width()));
    let stale = |made: Option<(Seq, u16)>, doc: &Doc| made != key || doc.is_due();
    let waiting = matches!(model.overlays.last(), Some(Overlay::Bulk(bulk)) if stale(bulk.made, &bulk.doc))
        .then(|| bulk::items(model));
    let meanwhile = meanwhile(model);
    let Model {
        run,
        overlays,
        inspector,
        screen,
        settings,
        staged_edits: staged,
        log,
        queue,
        arming,
        cached,
        ..
    } = model;
    let looks = (screen.overlay_width(), settings.charset);
    let exact = inspector.exact;
    let mut maker = Maker::new(run, &mut inspector.cache, &queue.call_groups, looks);
    let Some(overlay) = overlays.last_mut() else {
        return;
    };
    let (doc, top) = match overlay {
        Overlay::Page(page) => {
            if stale(page.made, &page.doc) {
                page.made = key;
                content(&mut maker, &mut page.content, (log, cached), settings);
                page.doc = maker.doc;
            }
            (&page.doc, &mut page.top)
        }
        Overlay::Review(review) => {
            if stale(review.made, &review.doc) {
                review.made = key;
                review.meanwhile = meanwhile.unwrap_or_default();
                preview(maker, review, cached);
            }
            (&review.doc, &mut review.top)
        }
        Overlay::Listing(list) => {
            listings::make(&mut maker, list, (staged, cached), &settings.keymap);
            listings::scroll(list, screen);
            return listings::fill(&maker, list, screen, cached);
        }
        Overlay::Bulk(bulk) => {
            if let Some(now) = waiting {
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
                tabs::fork(&mut maker, view.preview.as_ref());
                view.doc = maker.doc;
            }
            (&view.doc, &mut view.top)
        }
        Overlay::Dialog(dialog) => {
            if stale(dialog.made, &dialog.doc) {
                dialog.made = key;
                maker.exact = [exact, dialog.exact_first];
                maker.exact_key = settings.keymap.first("output-colours");
                asks(&mut maker, dialog, settings);
                dialog.doc = maker.doc;
            }
            (&dialog.doc, &mut dialog.top)
        }
        _ => return,
    };
    let height = usize::from(inside(screen.overlay(doc.rows())).height);
    *top = (*top).min(doc.last_top(height));
}

/// The entry under the cursor of the open list, and the text of each entry.
pub fn list_entries(model: &mut Model) -> (usize, Vec<String>) {
    let looks = (model.screen.overlay_width(), model.settings.charset);
    let maker = Maker::new(
        &model.run,
        &mut model.inspector.cache,
        &model.queue.call_groups,
        looks,
    );
    match model.overlays.last() {
        Some(Overlay::Listing(list)) => (list.at, listings::entries(&maker, list, &mut model.cached)),
        _ => Default::default(),
    }
}

/// Makes the text of a dialog.
fn asks(maker: &mut Maker<'_>, dialog: &Dialog, settings: &Settings) {
    if let Err(why) = maker.run.still_asks(&dialog.question) {
        return tabs::unasked(maker, &why.to_string(), &settings.keymap.first("close"));
    }
    match (&dialog.kind, &dialog.question) {
        (DialogKind::Broken(turn), _) => tabs::broken(maker, *turn),
        (DialogKind::Definitions, Question::Definitions { difference, .. }) => {
            tabs::changed_definitions(maker, difference);
        }
        (_, Question::Call { call, .. }) => tabs::decision(maker, *call),
        _ => {}
    }
}

/// Hash of what is committed and of its plan.
fn stamp(review: &Review) -> u64 {
    let mut hasher = DefaultHasher::new();
    (review.keeps_later(), &review.meanwhile).hash(&mut hasher);
    match &review.plan {
        None => {}
        Some(Ok(plan)) => {
            (&plan.effects, &plan.superseded, &plan.possible, &plan.cancelled).hash(&mut hasher);
            (&plan.certain, &plan.approves, &plan.turns, plan.asks).hash(&mut hasher);
            (&plan.corrections, &plan.corrections_lost).hash(&mut hasher);
            plan.corrections_may_be_lost.hash(&mut hasher);
            (&plan.recalled, &plan.drifted, &plan.held, &plan.perhaps).hash(&mut hasher);
        }
        Some(Err(refusal)) => refusal.message.hash(&mut hasher),
    }
    hasher.finish()
}

/// Computes what a rule would decide, and the unread bytes of those calls.
fn count(view: &mut RuleView, run: &RunPart, arming: &Arming) {
    view.would = would(&run.state, &view.rule);
    let waiting = view.would.iter().flat_map(|would| &would.waiting);
    view.unread = waiting.map(|one| bulk::not_read(run, arming, one)).collect();
    view.stamp = rule_stamp(view);
}

/// Hash of a rule and of the calls that it decides immediately.
fn rule_stamp(view: &RuleView) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{:?}", view.rule).hash(&mut hasher);
    match &view.would {
        Ok(would) => would.seen().hash(&mut hasher),
        Err(why) => why.hash(&mut hasher),
    }
    hasher.finish()
}
