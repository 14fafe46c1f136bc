//! Documents of what is open on top: help, the list before several approvals.
//!
//! Must not know: how they are drawn.

use super::Maker;
use super::listed::{self, ListedCall};
use crate::console::bulk_exclusion;
use crate::console::call_group;
use crate::console::columns::Columns as _;
use crate::console::commands::{self, Context, Verb};
use crate::console::doc::{Styled, broken};
use crate::console::keymap::Keymap;
use crate::console::model::overlay::{Bulk, DropReason};
use crate::console::theme::Role;

/// What stands in the place of a question that is asked no more.
pub fn unasked(maker: &mut Maker<'_>, why: &str, close: &str) {
    maker.own(Role::Superseded, why);
    maker.own(
        Role::Dim,
        format!("nothing is decided here any more; {close} closes this"),
    );
}

/// Columns of keys and name before what a command does.
const BEFORE: usize = 34;
/// With fewer columns than this beside them, what it does stands below.
const NARROW: usize = 24;
/// Where further rows begin that do not stand below a column of their own.
const INDENT: usize = 4;

/// Which runs help is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpMode {
    /// One that goes on: everything works.
    Live,
    /// One that is only read: what would change it is refused.
    Read,
    /// One that is played back.
    Replayed,
    /// One that is halted: what would have to be recorded is refused.
    Halted {
        /// True where something was under way, which can be ended.
        busy: bool,
    },
}

impl HelpMode {
    /// True where such a run refuses a verb.
    const fn refuses(self, verb: Verb) -> bool {
        match self {
            Self::Live => false,
            Self::Read | Self::Replayed => verb.acts(),
            Self::Halted { busy } => verb.must_be_recorded() && !(busy && verb.ends()),
        }
    }

    const fn is_recorded(self) -> bool {
        matches!(self, Self::Read | Self::Replayed)
    }

    /// Why keys are left out; none where all are there.
    const fn describe(self) -> Option<&'static str> {
        match self {
            Self::Live => None,
            Self::Read | Self::Replayed => Some(
                "This run is recorded: keys that would decide or change something in it do nothing, and are left out.",
            ),
            Self::Halted { .. } => Some(
                "This run is halted, and nothing can be recorded: keys that would decide or change something are \
                 refused, and are left out.",
            ),
        }
    }
}

/// Every key, by place; all that works where help was asked for comes first. Then what the signs mean. In a run that is
/// recorded or halted nothing is listed that it refuses.
pub fn help(maker: &mut Maker<'_>, keymap: &Keymap, stored: HelpMode, here: Context) {
    // What drives a recording is what there is to do in it.
    let first =
        (stored == HelpMode::Replayed && here.reach().contains(&Context::Replay)).then_some(Context::Replay);
    let others = Context::ALL
        .into_iter()
        .filter(|context| *context != here && Some(*context) != first);
    if let Some(words) = stored.describe() {
        maker.own(Role::Dim, words);
    }
    for context in first.into_iter().chain(std::iter::once(here)).chain(others) {
        if context == Context::Replay && stored != HelpMode::Replayed {
            continue;
        }
        // What a recorded run never opens.
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
        let entries: Vec<_> = commands::entries()
            .filter(|entry| {
                entry.contexts.first() == Some(&context)
                    || (context == here && entry.contexts.contains(&here))
            })
            .filter(|entry| !stored.refuses(entry.verb))
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

/// A line of the log, whole. What a model, a tool or a file may have put into it is made visible.
pub fn note(maker: &mut Maker<'_>, words: &str) {
    for row in broken(
        &crate::text::visible(words),
        usize::from(maker.width).saturating_sub(1),
    ) {
        maker.own(Role::Text, row);
    }
}

/// The calls that would be approved together, each over as many rows as it needs: nothing that differs
/// is cut. What left the list stays in its place, struck out, and every row as it was shown: none moves or says
/// something else under the eyes of a reader.
pub fn bulk(maker: &mut Maker<'_>, bulk: &mut Bulk) {
    let items = &mut bulk.items;
    let status = items.iter().filter(|item| item.left.is_none()).count();
    let run = if status == 1 { "call runs" } else { "calls run" };
    maker.own(
        Role::Decision,
        format!(" {status} {run} at once if you approve this list "),
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
        words if words.is_empty() => "nothing that waited is left out".to_owned(),
        words => format!("left out: {words}"),
    };
    maker.own(Role::Dim, words);
}

/// The rows of a call in the list; of one that left it with a word in the place of the digest, so that the rows below
/// stay where they are.
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
