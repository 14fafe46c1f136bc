//! Draws the header line.
//!
//! Must not know: keys.

use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::paint::{Canvas, start};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::graph::Form;
use crate::kernel::model::Model;
use crate::kernel::model::staged_edits;
use crate::run::changes;
use crate::run::limits;
use crate::run::run_phase::RunPhase;
use crate::run::summary;
use overrule_base::text::{head, visible};
use overrule_domain::call::Status;
use overrule_domain::event::run::Confinement;
use overrule_domain::live::AgentStatus;
use overrule_domain::price::NOT_PRICED;
use overrule_domain::state::State;
use overrule_present::many;

/// Screens with fewer columns get the short labels.
pub(crate) const NARROW: u16 = 100;

/// The most characters of the name of the session.
pub(crate) const SESSION: usize = 40;

/// How long a part of the header stays: a narrow screen drops parts in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stay {
    Program,
    Tokens,
    Turn,
    Model,
    Price,
    Changes,
    Fork,
    Workspace,
    Context,
    Sandbox,
    Policy,
    /// Its end is cut.
    Title,
    /// Only a very narrow screen drops it.
    Rarely,
    Always,
}

/// A part of the header.
#[derive(Debug, Clone)]
struct Part {
    stay: Stay,
    role: Role,
    text: String,
    /// True for a part at the right end.
    is_right: bool,
}

impl Part {
    fn new(stay: Stay, role: Role, text: impl Into<String>) -> Self {
        Self {
            stay,
            role,
            text: text.into(),
            is_right: false,
        }
    }
}

/// Screens with fewer columns show the number of calls to decide without words.
const NARROWEST: u16 = 48;
/// Columns of the title that stay.
const TITLE: usize = 12;
/// Per cent of the model's window from which on its use is a warning.
const CONTEXT_WARNS: u64 = 85;
/// The most characters of the name of a branch.
const BRANCH: usize = 24;
/// Columns between two parts.
const GAP: usize = 2;

/// What the session is: its title, where it works, its model.
fn left(model: &Model) -> Vec<Part> {
    let state = &model.run.state;
    let mut parts = vec![Part::new(Stay::Program, Role::Title, "overrule")];
    let named = summary::session_name(state);
    let session = named.as_deref().unwrap_or(&model.settings.session);
    if !session.is_empty() {
        let (name, cut) = head(session, SESSION);
        let more = if cut { "…" } else { "" };
        let title = format!("{}{more}", visible(name.trim_end()));
        parts.push(Part::new(Stay::Title, Role::Title, title));
    }
    if let Some(fork) = state.origin.forks.last() {
        let of = overrule_present::fork::short(&fork.session);
        let words = format!("fork of {of} at {}", fork.at.0);
        let narrow = model.screen.width < NARROW;
        let words = if narrow { "fork".to_owned() } else { words };
        parts.push(Part::new(Stay::Fork, Role::Dim, words));
    }
    if let Some(started) = &state.started {
        let directory = started.workspace.trim_end_matches('/').rsplit('/').next();
        if let Some(directory) = directory.filter(|name| !name.is_empty()) {
            let name = visible(head(directory, 30).0);
            let words = format!("{name}{}", repository(model));
            parts.push(Part::new(Stay::Workspace, Role::Dim, words));
        }
        let name = visible(head(&started.model, 60).0);
        parts.push(Part::new(Stay::Model, Role::Dim, name));
    }
    parts
}

/// The branch of the workspace and its changed files, such as `:main ±2`; empty where they are not known.
fn repository(model: &Model) -> String {
    let Some(found) = &model.run.repository else {
        return String::new();
    };
    let (branch, cut) = head(&found.branch, BRANCH);
    let more = if cut { "…" } else { "" };
    let sign = match model.settings.charset {
        Charset::Unicode => "±",
        Charset::Ascii => "+-",
    };
    let changed = match found.changed {
        Some(0) => String::new(),
        Some(count) => format!(" {sign}{count}"),
        None => format!(" {sign}?"),
    };
    format!(":{}{more}{changed}", visible(branch))
}

/// What the run does: warnings, its confinement, its use of the model, its state.
fn right(model: &Model) -> Vec<Part> {
    let state = &model.run.state;
    let mut parts = alarms(model);
    let policy = &state.settings.policy;
    if !policy.is_empty() {
        let stay = if policy == USUAL_POLICY {
            Stay::Policy
        } else {
            Stay::Rarely
        };
        parts.push(Part::new(stay, Role::Dim, visible(head(policy, 30).0)));
    }
    if let Some(started) = &state.started {
        parts.extend(sandbox(&started.sandbox));
    }
    if state.tally.requests > 0 {
        let turn = match state.settings.limits.turns {
            Some(most) => format!("turn {} of {most}", state.tally.requests),
            None => format!("turn {}", state.tally.requests),
        };
        parts.push(Part::new(Stay::Turn, Role::Dim, turn));
    }
    if let Some(pace) = model.run.pace.describe(&model.run.live) {
        parts.push(Part::new(Stay::Tokens, Role::Running, pace));
    }
    if let Some(tokens) = tokens(model) {
        parts.push(Part::new(Stay::Tokens, Role::Dim, tokens));
    }
    if let Some(cost) = cost(state) {
        parts.push(Part::new(Stay::Price, Role::Dim, cost));
    }
    if let Some(share) = summary::context_share(state) {
        let role = if share >= CONTEXT_WARNS {
            Role::Warning
        } else {
            Role::Dim
        };
        parts.push(Part::new(Stay::Context, role, format!("ctx {share}%")));
    }
    parts.extend(unseen_changes(model));
    if let Some((role, words)) = staged_edits(model) {
        parts.push(Part::new(Stay::Rarely, role, words));
    }
    // Elsewhere the title of the graph says it.
    let is_elsewhere = model.screen.places.graph.is_some() && model.graph.form == Form::Lanes;
    if let Some(at) = model.run.at.filter(|_| !is_elsewhere) {
        parts.push(Part::new(Stay::Always, Role::Text, at.describe()));
    }
    parts.extend(phase(model));
    parts
}

/// The number of changes of files that the operator has not seen.
fn unseen_changes(model: &Model) -> Option<Part> {
    let words = match changes::unseen(&model.run.state) {
        0 => return None,
        count if model.screen.width < NARROW => many(count, "change"),
        count => format!("{} not seen", many(count, "change")),
    };
    Some(Part::new(Stay::Changes, Role::Dim, words))
}

/// The policy that a run has if nobody chose another one.
const USUAL_POLICY: &str = "guarded";

/// What needs an eye before anything else.
fn alarms(model: &Model) -> Vec<Part> {
    let state = &model.run.state;
    let mut parts = Vec::new();
    if let Some(agent) = model.run.agent {
        // What its own user must look at stays.
        let (stay, role) = match agent {
            AgentStatus::Connected | AgentStatus::Works => (Stay::Fork, Role::Dim),
            AgentStatus::Interrupted | AgentStatus::HungUp | AgentStatus::Ended => {
                (Stay::Always, Role::Warning)
            }
            AgentStatus::WaitsForUser => (Stay::Always, Role::Accent),
        };
        parts.push(Part::new(stay, role, agent.label()));
    }
    if let Some((share, role)) = budget(model) {
        let words = match share {
            0..=999 => format!("limit {share}%"),
            // The pane has room for the number.
            _ => "limit >999%".to_owned(),
        };
        parts.push(Part::new(Stay::Always, role, words));
    }
    if state.settings.restricted.is_some() {
        parts.push(Part::new(Stay::Always, Role::Warning, "reading only"));
    }
    let failed = model
        .cached
        .marked_calls()
        .map_or(&[][..], |marked| &marked.failed);
    let words = match failed {
        [] => return parts,
        [one] => format!("{one} has no result"),
        all => format!("{} calls have no result", all.len()),
    };
    parts.push(Part::new(Stay::Always, Role::Warning, words));
    parts
}

/// How commands are confined. Without a sandbox that is never dropped.
fn sandbox(recorded: &Confinement) -> Option<Part> {
    let is_partial = (recorded.profile.as_ref()).is_some_and(|profile| !profile.missing.is_empty());
    let shown = visible(head(&recorded.label, 30).0).replace("sandbox level", "sandbox");
    match shown.as_str() {
        "" => None,
        "sandbox 0" | "no sandbox" => Some(Part::new(Stay::Always, Role::Dim, "no sandbox")),
        _ if is_partial => Some(Part::new(Stay::Sandbox, Role::Warning, shown)),
        _ => Some(Part::new(Stay::Sandbox, Role::Dim, shown)),
    }
}

/// The state of the run: what waits for the operator, else what it does.
fn phase(model: &Model) -> Vec<Part> {
    let glyph = |symbol: Symbol| symbol.glyph(model.settings.charset);
    let always = |role: Role, text: String| Part::new(Stay::Always, role, text);
    let run_phase = model.run.phase(model.settings.is_recorded());
    let waiting = model.waiting();
    let mut parts = Vec::new();
    // A halted run allows no decisions.
    if waiting > 0 && !model.is_halted() {
        if matches!(
            run_phase,
            RunPhase::Paused | RunPhase::Stopped | RunPhase::Replay | RunPhase::Replaying
        ) {
            parts.push(always(role_of(run_phase), run_phase.label().to_owned()));
        }
        let more = if model.screen.width < NARROWEST {
            ""
        } else {
            " to decide"
        };
        let words = format!("{} {waiting}{more}", glyph(Symbol::Awaiting));
        parts.push(always(Role::Awaiting, words));
        return parts;
    }
    if model.run.stuck().is_some() && !model.is_halted() && run_phase != RunPhase::HeldByEdit {
        let key = model.settings.keymap.first("why-waiting");
        parts.push(always(
            Role::Awaiting,
            format!("{} needs you ({key})", glyph(Symbol::Awaiting)),
        ));
        return parts;
    }
    let calls = &model.run.state.calls;
    let running = || {
        calls
            .values()
            .filter(|call| matches!(call.status, Status::Running(_)))
            .count()
    };
    let words = match run_phase {
        RunPhase::Working => match running() {
            // What an agent has may wait for its user.
            _ if model.run.state.is_of_agent() => format!("{} working", glyph(Symbol::Running)),
            0 => format!("{} working", glyph(Symbol::Running)),
            count => format!("{} {count} running", glyph(Symbol::Running)),
        },
        RunPhase::Answered => format!("{} answered", glyph(Symbol::Answer)),
        other => other.label().to_owned(),
    };
    parts.push(always(role_of(run_phase), words));
    parts
}

const fn role_of(run_phase: RunPhase) -> Role {
    match run_phase {
        RunPhase::Halted => Role::Error,
        RunPhase::Working | RunPhase::Replaying => Role::Running,
        RunPhase::Answered => Role::Title,
        RunPhase::Waiting => Role::Awaiting,
        RunPhase::Starting
        | RunPhase::Replay
        | RunPhase::Stopped
        | RunPhase::Paused
        | RunPhase::HeldByEdit
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

/// The used share of the tightest limit, once it is near.
fn budget(model: &Model) -> Option<(u128, Role)> {
    // Records that are not read yet may have used more.
    if !model.run.arrived {
        return None;
    }
    let share = limits::used_share(&model.run, model.now_of_run())?;
    match share {
        0..80 => None,
        80..100 => Some((share, Role::Warning)),
        _ => Some((share, Role::Error)),
    }
}

fn tokens(model: &Model) -> Option<String> {
    let usage = model.run.state.tally.usage;
    let (total, about) = (usage.total(), usage.about());
    if usage.input.is_none() && usage.output.is_none() {
        return None;
    }
    Some(match total {
        0..=999 => format!("{about}{total} tokens"),
        1_000..=9_999 => format!("{about}{}.{}k tokens", total / 1000, total % 1000 / 100),
        _ => format!("{about}{}k tokens", total / 1000),
    })
}

/// Drops parts until they fit, in their order; the title is cut last.
fn fit(parts: &mut Vec<Part>, columns: usize, more: char) {
    let width = |parts: &[Part]| -> usize { parts.iter().map(|part| part.text.columns() + GAP).sum() };
    while width(parts) > columns && parts.len() > 1 {
        let first = parts.iter().map(|part| part.stay).min().unwrap_or(Stay::Always);
        let over = width(parts) - columns;
        match (first, parts.iter_mut().find(|part| part.stay == Stay::Title)) {
            (Stay::Title, Some(title)) if title.text.columns() > TITLE => {
                let room = title.text.columns().saturating_sub(over).max(TITLE);
                title.text = start(&title.text, room, more);
            }
            // The state is the last part.
            (Stay::Always, _) => drop(parts.remove(0)),
            (stay, _) => parts.retain(|part| part.stay != stay),
        }
    }
}

/// Draws the header.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.fill(area, Role::Header);
    let mut parts = left(model);
    parts.extend(right(model).into_iter().map(|part| Part {
        is_right: true,
        ..part
    }));
    fit(&mut parts, usize::from(area.width), model.more());
    let of_right: usize = parts
        .iter()
        .filter(|part| part.is_right)
        .map(|part| part.text.columns() + GAP)
        .sum();
    let of_right = u16::try_from((of_right + 1).saturating_sub(GAP)).unwrap_or(u16::MAX);
    let firsts = [
        area.x + 1.min(area.width),
        area.right().saturating_sub(of_right).max(area.x),
    ];
    for (first, is_right) in firsts.into_iter().zip([false, true]) {
        let mut x = first;
        for part in parts.iter().filter(|part| part.is_right == is_right) {
            let room = area.right().saturating_sub(x);
            x += canvas.put(x, area.y, room, &part.text, part.role) + GAP as u16;
        }
    }
}
