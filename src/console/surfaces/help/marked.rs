//! Finds the terms that stand on the marked row and in the header.
//!
//! Must not know: what a term means, how it is drawn.

use crate::kernel::decide::subject;
use crate::kernel::model::Model;
use crate::run::summary;
use overrule_domain::badge;
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::result_source;
use overrule_policy::danger::DangerKind;
use overrule_present::terms::{self, Term};
use overrule_present::{danger, question};

/// The terms on the marked row, in its order.
pub fn on_row(model: &Model) -> Vec<&'static Term> {
    subject(model).map_or_else(Vec::new, |id| terms::within(&words(model, id).join("; ")))
}

/// The program's own words on the row of a node.
fn words(model: &Model, id: NodeId) -> Vec<String> {
    let state = &model.run.state;
    let mut words = Vec::new();
    if !matches!(id.kind, NodeKind::Call | NodeKind::Observation | NodeKind::Repair) {
        words.push(kind(id.kind).to_owned());
    } else if let Some(call) = state.calls.get(&id.call()) {
        words.push(model.status_words(call));
        words.extend(EffectiveStatus::of(state, call.id).map(EffectiveStatus::describe));
        if call.status.needs_operator() {
            words.push(question::cause(state, call));
            let kinds = danger::kinds(&model.run.danger_of(call.id));
            words.extend(kinds.into_iter().map(|kind| DangerKind::label(kind).to_owned()));
        }
        words.extend(result_source::now(state, call).map(|source| source.label().to_owned()));
    }
    words.extend(badge::of(state, id).iter().map(|badge| badge.label().to_owned()));
    words
}

const fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Prompt => "prompt",
        NodeKind::Thought => "thought",
        NodeKind::Answer => "answer",
        NodeKind::Intervention => "edit",
        NodeKind::Repair => "repair",
        NodeKind::Call | NodeKind::Observation => "call",
    }
}

/// The terms in the header that need an explanation, those that are always there last.
pub fn in_header(model: &Model) -> Vec<&'static Term> {
    let state = &model.run.state;
    let restricted = state.settings.restricted.as_ref().map(|_| "reading only");
    let phase = model.run.phase(model.settings.is_recorded()).label();
    let context = summary::context_share(state).map(|_| "ctx");
    let policy = preset(&state.settings.policy);
    let words = [
        Some(policy),
        restricted,
        Some(phase),
        context,
        Some("sandbox"),
        Some("turn"),
    ];
    terms::within(&words.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// The policy if it is a preset: files of rules have names of their own.
fn preset(policy: &str) -> &str {
    policy
        .parse::<overrule_policy::Preset>()
        .map_or("", |preset| preset.label())
}
