//! Documents of what is open on top: help, the list before several approvals.
//!
//! Must not know: how they are drawn.

use super::Maker;
use crate::console::alike;
use crate::console::commands::{self, Context};
use crate::console::doc::{Styled, broken};
use crate::console::keymap::Keymap;
use crate::console::model::overlay::BulkItem;
use crate::console::summary;
use crate::console::theme::Role;

/// Columns of keys and name before what a command does.
const BEFORE: usize = 34;
/// With fewer columns than this beside them, what it does stands below.
const NARROW: usize = 24;

/// Every key, by place; all that works where help was asked for comes first.
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
                for words in broken(entry.doc, usize::from(maker.width).saturating_sub(4)) {
                    maker
                        .doc
                        .line(Styled::new().own(Role::Text, format!("    {words}")));
                }
                continue;
            }
            let mut rows = broken(entry.doc, room).into_iter();
            maker
                .doc
                .line(line.own(Role::Text, rows.next().unwrap_or_default()));
            for words in rows {
                maker
                    .doc
                    .line(Styled::new().own(Role::Text, format!("{:BEFORE$}{words}", "")));
            }
        }
    }
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

/// The calls that would be approved together, one line each.
pub fn bulk(maker: &mut Maker<'_>, items: &[BulkItem]) {
    maker.own(
        Role::Decision,
        format!(" {} calls run at once if you approve this list ", items.len()),
    );
    let alike = alike::of(&maker.run.state, items.iter().map(|item| item.call));
    for item in items {
        let state = &maker.run.state;
        let words = match alike.get(&item.call) {
            Some(alike) => alike.words(),
            None => summary::call(state, item.call),
        };
        let line = Styled::new()
            .own(Role::Accent, format!("{} {} ", item.call, item.rev))
            .own(
                Role::Dim,
                format!("{} ", crate::text::visible(item.digest.short())),
            )
            .untrusted(Role::Text, &words, usize::from(maker.width) / 2)
            .own(Role::Warning, format!("  {} bytes unread", item.unread));
        maker.doc.line(line);
    }
    maker.own(
        Role::Dim,
        "left out: denied, irreversible, repeated effects, unknown outcomes, unknown tools",
    );
}
