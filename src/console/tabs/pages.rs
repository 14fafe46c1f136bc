//! The documents of pages: help, a log line, the list of calls to approve.
//!
//! Must not know: how they are drawn.

use super::Maker;
use super::listed::{self, ListedCall};
use crate::console::bulk_exclusion;
use crate::console::call_group;
use crate::console::columns::Columns as _;
use crate::console::context::Context;
use crate::console::doc::{Styled, broken};
use crate::console::keymap::Keymap;
use crate::console::model::overlay::{Bulk, DropReason};
use crate::console::theme::Role;
use crate::console::verbs::{Verb, verbs};

/// Replaces a question that is no longer asked.
pub fn unasked(maker: &mut Maker<'_>, why: &str, close: &str) {
    maker.own(Role::Superseded, why);
    maker.own(
        Role::Dim,
        format!("no decision is needed here any more; {close} closes this"),
    );
}

/// Columns of keys and name before the doc of a command.
const BEFORE: usize = 34;
/// With fewer columns after them, the doc gets its own row.
const NARROW: usize = 24;
/// Indent of a doc on its own row.
const INDENT: usize = 4;

/// The kind of run that help is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpMode {
    /// A live run: everything works.
    Live,
    /// A run that is only read: changes are refused.
    Read,
    /// A run that is replayed.
    Replayed,
    /// A halted run: what must be recorded is refused.
    Halted {
        /// True if something is running, which can be ended.
        busy: bool,
    },
}

impl HelpMode {
    /// True if such a run refuses a verb.
    const fn refuses(self, verb: &Verb) -> bool {
        match self {
            Self::Live => false,
            Self::Read | Self::Replayed => verb.effect.acts(),
            Self::Halted { busy } => verb.effect.must_be_recorded() && !(busy && verb.effect.ends()),
        }
    }

    const fn is_recorded(self) -> bool {
        matches!(self, Self::Read | Self::Replayed)
    }

    /// The reason why keys are omitted; `None` if all are listed.
    const fn describe(self) -> Option<&'static str> {
        match self {
            Self::Live => None,
            Self::Read | Self::Replayed => Some(
                "This run is recorded: keys that would decide or change something do nothing, and are not listed.",
            ),
            Self::Halted { .. } => Some(
                "This run is halted, and nothing can be recorded: keys that would decide or change something are \
                 refused, and are not listed.",
            ),
        }
    }
}

/// Adds every key by context, the context of the help first, and then the legend. A recorded or halted run does not
/// list refused keys.
pub fn help(maker: &mut Maker<'_>, keymap: &Keymap, stored: HelpMode, here: Context) {
    // Replay keys come first in a replay.
    let first = (stored == HelpMode::Replayed && here.reaches(Context::Replay)).then_some(Context::Replay);
    let others = Context::all().filter(|context| *context != here && Some(*context) != first);
    if let Some(words) = stored.describe() {
        maker.own(Role::Dim, words);
    }
    for context in first.into_iter().chain(std::iter::once(here)).chain(others) {
        if context == Context::Replay && stored != HelpMode::Replayed {
            continue;
        }
        // A recorded run never opens these.
        let closed = matches!(
            context,
            Context::Editor
                | Context::Review
                | Context::StagedEdits
                | Context::Bulk
                | Context::Rule
                | Context::Confirm
        );
        if closed && stored.is_recorded() {
            continue;
        }
        let entries: Vec<&Verb> = verbs()
            .filter(|verb| {
                verb.contexts.first() == Some(&context) || (context == here && verb.contexts.contains(&here))
            })
            .filter(|verb| !stored.refuses(verb))
            .collect();
        if entries.is_empty() {
            continue;
        }
        maker.own(Role::Title, context.heading());
        for entry in entries {
            let keys: Vec<String> = keymap
                .keys_of(entry.name)
                .iter()
                .map(ToString::to_string)
                .collect();
            let keys = if keys.is_empty() {
                "palette".to_owned()
            } else {
                keys.join(" ")
            };
            let line = Styled::new()
                .own(Role::Key, format!("  {keys:<14} "))
                .own(Role::Accent, format!("{:<16} ", entry.name));
            let room = usize::from(maker.width).saturating_sub(BEFORE);
            if room < NARROW {
                maker.doc.line(line);
                maker.over(
                    Styled::new().own(Role::Text, format!("    {}", entry.doc)),
                    INDENT,
                );
            } else {
                maker.over(line.own(Role::Text, entry.doc), BEFORE);
            }
        }
    }
    super::legend::legend(maker);
}

/// Adds a whole line of the log. Unsafe characters in it are marked.
pub fn note(maker: &mut Maker<'_>, words: &str) {
    for row in broken(
        &crate::text::visible(words),
        usize::from(maker.width).saturating_sub(1),
    ) {
        maker.own(Role::Text, row);
    }
}

/// Adds the calls that would be approved together; no difference is cut. A call that left the list keeps its rows,
/// struck out: no row moves or changes while the operator reads.
pub fn bulk(maker: &mut Maker<'_>, bulk: &mut Bulk) {
    let items = &mut bulk.items;
    let status = items.iter().filter(|item| item.left.is_none()).count();
    let run = if status == 1 { "call runs" } else { "calls run" };
    maker.own(
        Role::Decision,
        format!(" {status} {run} immediately if you approve this list "),
    );
    let any_left = status < items.len();
    let similar = call_group::of(&maker.run.state, items.iter().map(|item| item.call));
    for item in items.iter_mut() {
        if any_left && !item.rows.is_empty() {
            struck(maker, &item.rows, item.left);
            continue;
        }
        let one = ListedCall {
            call: item.call,
            rev: item.rev,
            digest: &item.digest,
            unread: item.unread,
        };
        let (rows, whole) = listed::rows(maker, &one, similar.get(&item.call));
        struck(maker, &rows, item.left);
        item.rows = if whole { rows } else { Vec::new() };
    }
    let words = match bulk_exclusion::describe(&bulk.excluded) {
        words if words.is_empty() => "no waiting call is left out".to_owned(),
        words => format!("left out: {words}"),
    };
    maker.own(Role::Dim, words);
}

/// Adds the rows of a call in the list. For a call that left it, a label replaces the digest, so that no row moves.
fn struck(maker: &mut Maker<'_>, rows: &[Styled], left: Option<DropReason>) {
    for (at, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        if let Some(left) = left {
            for piece in &mut row.0 {
                piece.role = Role::Superseded;
            }
            if let (0, Some(digest)) = (at, row.0.get_mut(1)) {
                let room = digest.text.trim_end().columns();
                (digest.role, digest.text) = (Role::Warning, format!("{:<room$} ", left.label()));
            }
        }
        maker.over(row, listed::INDENT);
    }
}
