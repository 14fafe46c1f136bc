//! Draws the header line, and the banner below it for halts, failures and limits.
//!
//! Must not know: keys.

use std::collections::BTreeSet;

use ratatui::layout::Rect;

use super::paint::Canvas;
use crate::columns::Columns as _;
use crate::doc::Styled;
use crate::halted;
use crate::model::Model;
use crate::model::run_phase::RunPhase;
use crate::panes::Pane;
use crate::panes::queue::model::QueueEntry;
use crate::summary;
use crate::symbols::Symbol;
use crate::theme::Role;
use crate::verbs::{conversations, shorten};
use overrule_base::text::{head, visible};
use overrule_domain::id::TurnId;
use overrule_domain::ladder;
use overrule_domain::live::AgentStatus;
use overrule_domain::pending_retry;
use overrule_domain::price::NOT_PRICED;
use overrule_domain::reduction;
use overrule_domain::state::{Mode, State};
use overrule_domain::turn::{Stream, Turn};
use overrule_present::many;
use overrule_resilience::attention::AttentionReason;

/// Screens with fewer columns get the short labels.
const NARROW: u16 = 100;

/// The fewest columns with room for a long label before a reason.
const WIDE: u16 = 140;

/// The most characters of the name of the session.
const SESSION: usize = 40;

/// Parts of the header. A narrow screen drops parts with a higher number first.
fn parts(model: &Model) -> Vec<(u8, Role, String, bool)> {
    let state = &model.run.state;
    let mut parts = vec![(6, Role::Title, "overrule".to_owned(), false)];
    let named = summary::session_name(state);
    let session = named.as_deref().unwrap_or(&model.settings.session);
    if !session.is_empty() {
        let (name, cut) = head(session, SESSION);
        let more = if cut { "…" } else { "" };
        parts.push((
            5,
            Role::Title,
            format!("{}{more}", visible(name.trim_end())),
            false,
        ));
    }
    if let Some(fork) = state.origin.forks.last() {
        let of = overrule_present::fork::short(&fork.session);
        let words = format!("fork of {of} at {}", fork.at.0);
        let narrow = model.screen.width < NARROW;
        parts.push((
            5,
            Role::Dim,
            if narrow { "fork".to_owned() } else { words },
            false,
        ));
    }
    if let Some(started) = &state.started {
        let name = visible(head(&started.model, 60).0);
        parts.push((3, Role::Accent, name, false));
        // The sandbox level stays longest, after the waiting calls.
        let mut sandbox = visible(head(&started.sandbox, 30).0);
        if model.screen.width < NARROW {
            sandbox = sandbox.replace("sandbox level", "sandbox");
        }
        if !sandbox.is_empty() {
            parts.push((2, Role::Dim, sandbox, false));
        }
    }
    if let Some(agent) = model.run.agent {
        // What its own user must look at stays longer.
        let (weight, role) = match agent {
            AgentStatus::Connected | AgentStatus::Works => (6, Role::Dim),
            AgentStatus::Interrupted | AgentStatus::HungUp | AgentStatus::Ended => (2, Role::Warning),
            AgentStatus::WaitsForUser => (2, Role::Accent),
        };
        parts.push((weight, role, agent.label().to_owned(), true));
    }
    if !state.settings.policy.is_empty() {
        parts.push((4, Role::Dim, visible(head(&state.settings.policy, 30).0), false));
    }
    // The limit counts requests. Turn numbers also count the prompt.
    match state.tally.requests {
        0 => {}
        count if model.screen.width < NARROW => parts.push((7, Role::Dim, format!("{count} req"), true)),
        1 => parts.push((7, Role::Dim, "1 request".to_owned(), true)),
        count => parts.push((7, Role::Dim, format!("{count} requests"), true)),
    }
    if let Some(pace) = model.run.pace.describe(&model.run.live) {
        parts.push((7, Role::Running, pace, true));
    }
    if let Some(tokens) = tokens(model) {
        parts.push((8, Role::Dim, tokens, true));
    }
    if let Some(cost) = cost(state) {
        parts.push((9, Role::Dim, cost, true));
    }
    if let Some((share, role)) = budget(model) {
        let words = match share {
            0..=999 => format!("budget {share}%"),
            // The pane has room for the number.
            _ => "budget >999%".to_owned(),
        };
        // A limit that is near is more important than what the session is called.
        let weight = if role == Role::Dim { 10 } else { 2 };
        parts.push((weight, role, words, true));
    }
    if let Some((role, words)) = staged_edits(model) {
        parts.push((1, role, words, true));
    }
    if let Some(at) = &model.run.at {
        let narrow = model.screen.width < NARROW;
        parts.push((1, Role::Text, at.describe(narrow), true));
    }
    if state.settings.restricted.is_some() {
        parts.push((1, Role::Warning, "reading only".to_owned(), true));
    }
    let waiting = model.waiting();
    // A halted run allows no decisions.
    let is_awaited = waiting > 0 && !halted::is(model);
    let run_phase = model.run.phase(model.settings.is_recorded());
    let mut label = run_phase.label().to_owned();
    if is_awaited && run_phase == RunPhase::Waiting {
        label = format!("{waiting} {label}");
    } else if is_awaited {
        parts.push((1, Role::Awaiting, format!("{waiting} waiting"), true));
    }
    parts.push((0, role_of(run_phase), label, true));
    let failed = model.cached.failed_calls().len();
    if failed > 0 {
        parts.push((
            1,
            Role::Warning,
            format!("{} missing", many(failed, "result")),
            true,
        ));
    }
    parts
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
        count => crate::update::describe_staged(count),
    };
    Some((Role::Edited, words))
}

/// The used share of the tightest limit.
fn budget(model: &Model) -> Option<(u128, Role)> {
    // Records that are not read yet may have used more.
    if !model.run.arrived {
        return None;
    }
    let share = crate::panes::budget::used_share(&model.run, model.now_of_run())?;
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
pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.fill(area, Role::Header);
    if area.is_empty() {
        return;
    }
    let mut parts = parts(model);
    // The most important parts come first. A short, less important part may fit where a longer one does not.
    let mut by_weight: Vec<usize> = (0..parts.len()).collect();
    by_weight.sort_by_key(|at| parts.get(*at).map(|part| part.0));
    // Two blanks separate the left parts from the right ones.
    let mut room = usize::from(area.width.saturating_sub(1));
    let mut stored = BTreeSet::new();
    for at in by_weight {
        let need = parts.get(at).map_or(0, |part| part.2.columns() + 2);
        if need <= room || stored.is_empty() {
            room = room.saturating_sub(need);
            stored.insert(at);
        }
    }
    let mut at = 0..;
    parts.retain(|_| at.next().is_some_and(|at: usize| stored.contains(&at)));
    let mut x = area.x + 1.min(area.width);
    for (_, role, text, _) in parts.iter().filter(|part| !part.3) {
        x += canvas.put(x, area.y, area.right().saturating_sub(x), text, *role) + 2;
    }
    let right: usize = parts
        .iter()
        .filter(|part| part.3)
        .map(|(_, _, text, _)| text.columns() + 2)
        .sum();
    let mut x = area
        .right()
        .saturating_sub(u16::try_from(right).unwrap_or(u16::MAX))
        .max(area.x);
    for (_, role, text, _) in parts.iter().filter(|part| part.3) {
        x += canvas.put(x, area.y, area.right().saturating_sub(x), text, *role) + 2;
    }
}

fn is_broken(turn: &Turn) -> bool {
    matches!(turn.stream, Stream::Broken(_))
}

/// The keys that lead from the cursor to the choices of a broken stream.
fn way_to(model: &Model, broken: TurnId) -> String {
    let key = |name| model.settings.keymap.first(name);
    let selected = matches!(model.queue.selected, Some(QueueEntry::Turn { turn, .. }) if turn == broken);
    if !selected || model.screen.lead != Pane::QUEUE {
        return format!("{} then {}", key("next-pending"), key("decide"));
    }
    if model.screen.focus == Pane::QUEUE {
        return key("decide");
    }
    // `next-pending` would lead away from it.
    format!("{} then {}", key("queue"), key("decide"))
}

/// The consequences of a halt, and the key that shows details. Short, because a long reason with a path follows.
fn halt(width: u16, busy: bool, key: &str) -> String {
    let all = if key.is_empty() {
        "HALTED".to_owned()
    } else {
        format!("HALTED, {key} why")
    };
    // Calls that end after the halt are not recorded: a call shown as running may have ended.
    match (width, busy) {
        // The header shows it too.
        (0..60, _) => format!("{all}: "),
        (60..NARROW, true) => format!("{all}; nothing new, running work unrecorded: "),
        (NARROW..WIDE, true) => format!("{all}; nothing new starts, running work unrecorded: "),
        (_, true) => format!(
            "{all}; nothing new starts; calls shown as running may have ended unrecorded, and can be cancelled: "
        ),
        (_, false) => format!("{all}; nothing new starts: "),
    }
}

/// What the banner says: the words are cut to the room that the hint leaves.
struct Banner {
    role: Role,
    words: String,
    hint: String,
}

impl Banner {
    fn new(role: Role, words: String) -> Self {
        let hint = String::new();
        Self { role, words, hint }
    }

    /// With the key that leads on, unless an overlay receives the keys.
    fn hint(self, model: &Model, hint: impl FnOnce() -> String) -> Self {
        let hint = if model.overlays.is_empty() {
            hint()
        } else {
            String::new()
        };
        Self { hint, ..self }
    }

    /// The most important thing, if there is one.
    fn of(model: &Model, width: u16) -> Option<Self> {
        Self::halted(model, width)
            .or_else(|| Self::alarm(model))
            .or_else(|| Self::broken(model))
            .or_else(|| Self::limit(model))
            .or_else(|| Self::stuck(model))
            .or_else(|| Self::other_conversation(model))
            .or_else(|| Self::retry(model, width))
            .or_else(|| Self::restricted(model))
            .or_else(|| Self::idle(model))
    }

    fn halted(model: &Model, width: u16) -> Option<Self> {
        let why = model.run.halted.as_ref()?;
        let key = if model.overlays.is_empty() {
            model.settings.keymap.first("why-waiting")
        } else {
            String::new()
        };
        let means = halt(width, model.run.is_busy(), &key);
        Some(Self::new(Role::Error, format!("{means}{}", visible(why))))
    }

    fn alarm(model: &Model) -> Option<Self> {
        let count = model.run.unseen_alarms().count();
        let newest = model.run.unseen_alarms().last()?;
        let words = match count {
            1 => format!("ALARM: {}", visible(&newest.words)),
            _ => format!("{count} ALARMS: {}", visible(&newest.words)),
        };
        let hint = || format!("; {}: all of it", model.settings.keymap.first("why-waiting"));
        Some(Self::new(Role::Error, words).hint(model, hint))
    }

    fn broken(model: &Model) -> Option<Self> {
        let run = &model.run;
        let turn = run.left_broken().next()?;
        let kind = match &turn.stream {
            Stream::Broken(fault) => fault.kind.label(),
            _ => "broken",
        };
        let is_too_long = shorten::is_about(&run.state, turn.id);
        let what = if is_too_long {
            "make it shorter, or stop"
        } else if pending_retry::has_arrived(&run.state, turn.id) {
            "ask again, keep what arrived, or stop"
        } else {
            "ask again, or stop"
        };
        // An overlay does not receive these keys, so they are not shown.
        let next = if !model.overlays.is_empty() {
            format!("you can {what}")
        } else if is_too_long {
            let key = model.settings.keymap.first("shorten");
            format!("{key} shortens it, {} for all choices", way_to(model, turn.id))
        } else {
            format!("{} to {what}", way_to(model, turn.id))
        };
        Some(Self::new(
            Role::Error,
            format!("{} broke ({kind}): {next}", turn.id),
        ))
    }

    fn limit(model: &Model) -> Option<Self> {
        let (which, message) = model.run.state.tally.limit_reached.as_ref()?;
        let key = |verb| model.settings.keymap.first(verb);
        if **which == *reduction::LIMIT {
            let banner = Self::new(Role::Warning, visible(message));
            let hint = || format!("; {}: shorten, {}: why", key("shorten"), key("why-waiting"));
            return Some(banner.hint(model, hint));
        }
        let reached = format!("limit of {} reached: {}", visible(which), visible(message));
        let hint = || {
            let key = key("palette");
            let blank = if key.chars().count() > 1 { " " } else { "" };
            format!(". {key}{blank}limits raises it")
        };
        Some(Self::new(Role::Warning, reached).hint(model, hint))
    }

    fn stuck(model: &Model) -> Option<Self> {
        let need = model.run.stuck()?;
        let reason: String = need.reason.chars().take(200).collect();
        let key = |verb| model.settings.keymap.first(verb);
        let hint = || {
            if need.cause == AttentionReason::Edit && !model.staged_edits.is_empty() {
                format!("; {}: look at it", key("staged-edits"))
            } else {
                format!("; {}: why, what to do", key("why-waiting"))
            }
        };
        Some(Self::new(Role::Warning, visible(&reason)).hint(model, hint))
    }

    fn other_conversation(model: &Model) -> Option<Self> {
        let other = conversations::waiting(model)?;
        let name = visible(head(&other.name, SESSION).0);
        let waits = match other.waiting {
            1 => "1 decision waits".to_owned(),
            count => format!("{count} decisions wait"),
        };
        let words = format!("{waits} in another conversation: {name}");
        let hint = || format!("; {}: go there", model.settings.keymap.first("next-conversation"));
        Some(Self::new(Role::Warning, words).hint(model, hint))
    }

    fn retry(model: &Model, width: u16) -> Option<Self> {
        let again = model.again()?;
        let banner = Self::new(Role::Warning, visible(&again.describe(model.utc())));
        let broken = matches!(model.run.state.turns.get(&again.turn), Some(turn) if is_broken(turn));
        // On a narrow screen the time matters more than the key.
        if !broken || width < NARROW {
            return Some(banner);
        }
        Some(banner.hint(model, || format!("; {}: choose", way_to(model, again.turn))))
    }

    fn restricted(model: &Model) -> Option<Self> {
        let why = model.run.state.settings.restricted.as_ref()?;
        let words = format!("restricted to reading calls: {}", visible(why));
        let banner = Self::new(Role::Warning, words);
        if model.settings.is_recorded() {
            return Some(banner);
        }
        let hint = || format!("; {}: lift that", model.settings.keymap.first("restrict"));
        Some(banner.hint(model, hint))
    }

    fn idle(model: &Model) -> Option<Self> {
        let idle = model.idle_time()?;
        let words = format!("no output from {} for {}", idle.turn, ladder::span(idle.ms));
        let hint = || format!("; {}: end it", model.settings.keymap.first("stop-turn"));
        Some(Self::new(Role::Dim, words).hint(model, hint))
    }
}

/// Draws the banner: a journal that cannot be written, a broken stream, a limit.
pub(super) fn banner(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.fill(area, Role::Header);
    let Some(Banner { role, words, hint }) = Banner::of(model, area.width) else {
        return;
    };
    let paused = match &model.run.state.mode {
        Mode::Stopped(why) if !words.contains("was stopped") => format!("  (stopped: {})", visible(why)),
        _ => String::new(),
    };
    let line = Styled::new().own(role, format!("{words}{paused}"));
    let inner = Rect {
        x: area.x + 1.min(area.width),
        width: area.width.saturating_sub(1),
        ..area
    };
    let room = inner.width.saturating_sub(hint.columns() as u16);
    let used = line
        .0
        .iter()
        .map(|piece| piece.text.columns() as u16)
        .sum::<u16>();
    let reported = Rect { width: room, ..inner };
    canvas.row(reported, &line, Symbol::Ellipsis.glyph(model.settings.charset));
    canvas.put(inner.x + used.min(room), inner.y, inner.width, &hint, role);
}
