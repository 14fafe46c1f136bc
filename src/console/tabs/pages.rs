//! Documents of what is open on top: help, the list before several approvals.
//!
//! Must not know: how they are drawn.

use super::{Maker, WHOLE};
use crate::console::alike;
use crate::console::apart;
use crate::console::columns::Columns as _;
use crate::console::commands::{self, Context};
use crate::console::doc::{Styled, broken};
use crate::console::keymap::Keymap;
use crate::console::model::overlay::{Bulk, Left};
use crate::console::summary::{self, Summary};
use crate::console::theme::Role;
use crate::domain::id::NodeId;
use crate::domain::state::State;
use crate::domain::tags;
use crate::domain::thread;

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

/// Every key, by place; all that works where help was asked for comes first. Then what the signs mean.
pub fn help(maker: &mut Maker<'_>, keymap: &Keymap, replay: bool, here: Context) {
    let others = Context::ALL.into_iter().filter(|context| *context != here);
    for context in std::iter::once(here).chain(others) {
        if context == Context::Replay && !replay {
            continue;
        }
        let entries: Vec<_> = commands::entries()
            .filter(|entry| {
                entry.contexts.first() == Some(&context)
                    || (context == here && entry.contexts.contains(&here))
            })
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
    let stand = items.iter().filter(|item| item.left.is_none()).count();
    let run = if stand == 1 { "call runs" } else { "calls run" };
    maker.own(
        Role::Decision,
        format!(" {stand} {run} at once if you approve this list "),
    );
    let any_left = stand < items.len();
    let alike = alike::of(&maker.run.state, items.iter().map(|item| item.call));
    for item in items.iter_mut() {
        if let (true, Some(row)) = (any_left, &item.row) {
            for row in struck(row, item.left).over(usize::from(maker.width), INDENT) {
                maker.doc.line(row);
            }
            continue;
        }
        let state = &maker.run.state;
        let words = match alike.get(&item.call) {
            Some(alike) if alike.is_like() => alike.words(),
            // Its tool is no part of what differs.
            Some(alike) => tool_of(state, item.call).and(alike.words()),
            None => summary::ready_call(state, item.call),
        };
        let class = class(state, item.call);
        let shown = maker.run.shown_args(item.call);
        // What is not looked through yet is no row to read: the list is approved once it is.
        let places = match shown.map(|shown| maker.cache.survey(&shown)) {
            None => Some(0),
            Some(Ok(survey)) => Some(survey.total()),
            Some(Err(ticket)) => {
                maker.doc.wait(ticket);
                None
            }
        };
        let mut line = Styled::new()
            .own(Role::Accent, format!("{} {} ", item.call, item.rev))
            .own(
                Role::Dim,
                format!("{} ", crate::text::visible(item.digest.short())),
            )
            .summary_at_length(Role::Text, &words, WHOLE)
            .own(Role::Dim, format!("  {class}"));
        match places {
            Some(0) => {}
            Some(places) => {
                line = line.own(Role::Warning, format!("  look out: {}", count(places, "place")));
            }
            None => line = line.own(Role::Warning, "  being looked through: a moment"),
        }
        if item.unread > 0 {
            line = line.own(
                Role::Warning,
                format!("  {} unread", count(item.unread as usize, "byte")),
            );
        }
        if thread::is_held(state, item.call) {
            line = line.own(Role::Edited, "  then waits for an edit");
        }
        item.row = places.map(|_| line.clone());
        for row in struck(&line, item.left).over(usize::from(maker.width), INDENT) {
            maker.doc.line(row);
        }
    }
    let words = match apart::words(&bulk.apart) {
        words if words.is_empty() => "nothing that waited is left out".to_owned(),
        words => format!("left out: {words}"),
    };
    maker.own(Role::Dim, words);
}

/// A row of the list; of a call that left it with a word in the place of the digest, so that the rows below stay where
/// they are.
fn struck(row: &Styled, left: Option<Left>) -> Styled {
    let mut row = row.clone();
    let Some(left) = left else { return row };
    for piece in &mut row.0 {
        piece.role = Role::Superseded;
    }
    if let Some(digest) = row.0.get_mut(1) {
        let room = digest.text.trim_end().columns();
        (digest.role, digest.text) = (Role::Warning, format!("{:<room$} ", left.word()));
    }
    row
}

/// The tool of a call, before its arguments.
fn tool_of(state: &State, id: NodeId) -> Summary {
    let call = state.node(id).and_then(|node| node.as_call());
    call.map_or_else(Summary::default, |(tool, _)| {
        Summary::default().name(tool).own(" ")
    })
}

/// What a call can do to the world.
fn class(state: &State, id: NodeId) -> String {
    let effect = state.call(id).map(|call| call.effect.word());
    let tool = state
        .node(id)
        .and_then(|node| node.as_call())
        .map(|(tool, _)| tool);
    let tags = tool.map_or(&[][..], |tool| tags::of(state, tool));
    let words = effect.into_iter().chain(tags.iter().map(String::as_str));
    crate::text::visible(&words.collect::<Vec<_>>().join(" "))
}

/// So many of something.
fn count(many: usize, what: &str) -> String {
    match many {
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    }
}
