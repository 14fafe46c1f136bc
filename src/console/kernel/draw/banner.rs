//! Draws the banner below the header, for halts, failures and limits.
//!
//! Must not know: what a key does.

use crate::run::too_long;
use ratatui::layout::Rect;

use super::header::{NARROW, SESSION};
use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::paint::Canvas;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::kernel::queue::QueueEntry;
use overrule_base::text::{head, visible};
use overrule_domain::id::TurnId;
use overrule_domain::ladder;
use overrule_domain::pending_retry;
use overrule_domain::reduction;
use overrule_domain::state::Mode;
use overrule_domain::turn::{Stream, Turn};
use overrule_resilience::attention::AttentionReason;

/// The fewest columns with room for a long label before a reason.
const WIDE: u16 = 140;

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

    /// With the key that leads on, unless a surface on top receives the keys.
    fn hint(self, model: &Model, hint: impl FnOnce() -> String) -> Self {
        let hint = if model.stack.is_empty() {
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
        let key = if model.stack.is_empty() {
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
        let is_too_long = too_long::is_about(&run.state, turn.id);
        let what = if is_too_long {
            "make it shorter, or stop"
        } else if pending_retry::has_arrived(&run.state, turn.id) {
            "ask again, keep what arrived, or stop"
        } else {
            "ask again, or stop"
        };
        // A surface on top does not receive these keys, so they are not shown.
        let next = if !model.stack.is_empty() {
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
        let other = model.run.waiting_conversation()?;
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
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
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
