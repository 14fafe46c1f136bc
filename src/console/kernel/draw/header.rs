//! Draws the header line.
//!
//! Must not know: keys.

use std::collections::BTreeSet;
use std::ops::Range;

use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::paint::Canvas;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::staged_edits;
use crate::run::limits;
use crate::run::run_phase::RunPhase;
use crate::run::summary;
use overrule_base::text::{head, visible};
use overrule_domain::live::AgentStatus;
use overrule_domain::price::NOT_PRICED;
use overrule_domain::state::State;
use overrule_present::many;

/// Screens with fewer columns get the short labels.
pub(crate) const NARROW: u16 = 100;

/// The most characters of the name of the session.
pub(crate) const SESSION: usize = 40;

/// A part of the header. A narrow screen drops parts with a higher weight first.
type Part = (u8, Role, String);

/// What the session is: its name, its model, its policy.
fn left(model: &Model) -> Vec<Part> {
    let state = &model.run.state;
    let mut parts = vec![(6, Role::Title, "overrule".to_owned())];
    let named = summary::session_name(state);
    let session = named.as_deref().unwrap_or(&model.settings.session);
    if !session.is_empty() {
        let (name, cut) = head(session, SESSION);
        let more = if cut { "…" } else { "" };
        parts.push((5, Role::Title, format!("{}{more}", visible(name.trim_end()))));
    }
    if let Some(fork) = state.origin.forks.last() {
        let of = overrule_present::fork::short(&fork.session);
        let words = format!("fork of {of} at {}", fork.at.0);
        let narrow = model.screen.width < NARROW;
        parts.push((5, Role::Dim, if narrow { "fork".to_owned() } else { words }));
    }
    if let Some(started) = &state.started {
        let name = visible(head(&started.model, 60).0);
        parts.push((3, Role::Accent, name));
        // The sandbox level stays longest, after the waiting calls.
        let mut sandbox = visible(head(&started.sandbox, 30).0);
        if model.screen.width < NARROW {
            sandbox = sandbox.replace("sandbox level", "sandbox");
        }
        if !sandbox.is_empty() {
            parts.push((2, Role::Dim, sandbox));
        }
    }
    if !state.settings.policy.is_empty() {
        parts.push((4, Role::Dim, visible(head(&state.settings.policy, 30).0)));
    }
    parts
}

/// What the run does: its use of the model, its waiting entries, its phase.
fn right(model: &Model) -> Vec<Part> {
    let state = &model.run.state;
    let mut parts = Vec::new();
    if let Some(agent) = model.run.agent {
        // What its own user must look at stays longer.
        let (weight, role) = match agent {
            AgentStatus::Connected | AgentStatus::Works => (6, Role::Dim),
            AgentStatus::Interrupted | AgentStatus::HungUp | AgentStatus::Ended => (2, Role::Warning),
            AgentStatus::WaitsForUser => (2, Role::Accent),
        };
        parts.push((weight, role, agent.label().to_owned()));
    }
    // The limit counts requests. Turn numbers also count the prompt.
    match state.tally.requests {
        0 => {}
        count if model.screen.width < NARROW => parts.push((7, Role::Dim, format!("{count} req"))),
        1 => parts.push((7, Role::Dim, "1 request".to_owned())),
        count => parts.push((7, Role::Dim, format!("{count} requests"))),
    }
    if let Some(pace) = model.run.pace.describe(&model.run.live) {
        parts.push((7, Role::Running, pace));
    }
    if let Some(tokens) = tokens(model) {
        parts.push((8, Role::Dim, tokens));
    }
    if let Some(cost) = cost(state) {
        parts.push((9, Role::Dim, cost));
    }
    if let Some((share, role)) = budget(model) {
        let words = match share {
            0..=999 => format!("budget {share}%"),
            // The pane has room for the number.
            _ => "budget >999%".to_owned(),
        };
        // A limit that is near is more important than what the session is called.
        let weight = if role == Role::Dim { 10 } else { 2 };
        parts.push((weight, role, words));
    }
    if let Some((role, words)) = staged_edits(model) {
        parts.push((1, role, words));
    }
    if let Some(at) = &model.run.at {
        let narrow = model.screen.width < NARROW;
        parts.push((1, Role::Text, at.describe(narrow)));
    }
    if state.settings.restricted.is_some() {
        parts.push((1, Role::Warning, "reading only".to_owned()));
    }
    parts.extend(phase(model));
    let failed = model
        .cached
        .marked_calls()
        .map_or(0, |marked| marked.failed.len());
    if failed > 0 {
        let words = format!("{} missing", many(failed, "result"));
        parts.push((1, Role::Warning, words));
    }
    parts
}

/// The calls that wait, and the phase of the run.
fn phase(model: &Model) -> Vec<Part> {
    let waiting = model.waiting();
    // A halted run allows no decisions.
    let is_awaited = waiting > 0 && !model.is_halted();
    let run_phase = model.run.phase(model.settings.is_recorded());
    let label = run_phase.label();
    let part = |words| (0, role_of(run_phase), words);
    if is_awaited && run_phase == RunPhase::Waiting {
        vec![part(format!("{waiting} {label}"))]
    } else if is_awaited {
        let waits = (1, Role::Awaiting, format!("{waiting} waiting"));
        vec![waits, part(label.to_owned())]
    } else {
        vec![part(label.to_owned())]
    }
}

const fn role_of(run_phase: RunPhase) -> Role {
    match run_phase {
        RunPhase::Halted => Role::Error,
        RunPhase::Working | RunPhase::Replaying => Role::Running,
        RunPhase::Answered => Role::Ok,
        RunPhase::Waiting | RunPhase::HeldByEdit => Role::Awaiting,
        RunPhase::Starting
        | RunPhase::Replay
        | RunPhase::Stopped
        | RunPhase::Paused
        | RunPhase::Retrying
        | RunPhase::Ended => Role::Warning,
    }
}

/// What the requests cost, where a model was asked.
fn cost(state: &State) -> Option<String> {
    let is_scripted = state
        .started
        .as_ref()
        .is_none_or(|started| started.wire == "scripted");
    let unpriced = (state.tally.requests > 0 && !is_scripted).then(|| NOT_PRICED.to_owned());
    state.tally.spent.describe().or(unpriced)
}

/// The number of staged edits.
fn staged_edits(model: &Model) -> Option<(Role, String)> {
    let narrow = model.screen.width < 60;
    let words = match model.staged_edits.len() {
        0 => return None,
        count if narrow => many(count, "edit"),
        count => staged_edits::describe(count),
    };
    Some((Role::Edited, words))
}

/// The used share of the tightest limit.
fn budget(model: &Model) -> Option<(u128, Role)> {
    // Records that are not read yet may have used more.
    if !model.run.arrived {
        return None;
    }
    let share = limits::used_share(&model.run, model.now_of_run())?;
    let role = match share {
        0..80 => Role::Dim,
        80..100 => Role::Warning,
        _ => Role::Error,
    };
    Some((share, role))
}

fn tokens(model: &Model) -> Option<String> {
    let usage = model.run.state.tally.usage;
    let (total, about) = (usage.total(), usage.about());
    if usage.input.is_none() && usage.output.is_none() {
        return None;
    }
    Some(match total {
        0..=9_999 => format!("{about}{total} tokens"),
        _ => format!("{about}{}k tokens", total / 1000),
    })
}

/// Draws the header.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.fill(area, Role::Header);
    if area.is_empty() {
        return;
    }
    let (left, right) = (left(model), right(model));
    let all: Vec<&Part> = left.iter().chain(&right).collect();
    // The most important parts come first. A short, less important part may fit where a longer one does not.
    let mut by_weight: Vec<usize> = (0..all.len()).collect();
    by_weight.sort_by_key(|at| all.get(*at).map(|part| part.0));
    // Two blanks separate the left parts from the right ones.
    let mut room = usize::from(area.width.saturating_sub(1));
    let mut stored = BTreeSet::new();
    for at in by_weight {
        let need = all.get(at).map_or(0, |part| part.2.columns() + 2);
        if need <= room || stored.is_empty() {
            room = room.saturating_sub(need);
            stored.insert(at);
        }
    }
    let fits = |range: Range<usize>| {
        let stored = stored.range(range);
        stored.filter_map(|at| all.get(*at).copied())
    };
    let mut x = area.x + 1.min(area.width);
    for (_, role, text) in fits(0..left.len()) {
        x += canvas.put(x, area.y, area.right().saturating_sub(x), text, *role) + 2;
    }
    let right = left.len()..all.len();
    let width: usize = fits(right.clone()).map(|(_, _, text)| text.columns() + 2).sum();
    let mut x = area
        .right()
        .saturating_sub(u16::try_from(width).unwrap_or(u16::MAX))
        .max(area.x);
    for (_, role, text) in fits(right) {
        x += canvas.put(x, area.y, area.right().saturating_sub(x), text, *role) + 2;
    }
}
