//! Documents of what is open on top: help, the list before several approvals.
//!
//! Must not know: how they are drawn.

use super::Maker;
use crate::console::commands::{self, Context};
use crate::console::doc::Styled;
use crate::console::keymap::Keymap;
use crate::console::model::overlay::BulkItem;
use crate::console::summary;
use crate::console::theme::Role;

/// Every key, by place.
pub fn help(maker: &mut Maker<'_>, keymap: &Keymap, replay: bool) {
    for context in Context::ALL {
        if context == Context::Replay && !replay {
            continue;
        }
        let entries: Vec<_> = commands::entries()
            .filter(|entry| entry.contexts.first() == Some(&context))
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
            maker.doc.line(
                Styled::new()
                    .own(Role::Key, format!("  {keys:<14} "))
                    .own(Role::Accent, format!("{:<16} ", entry.name))
                    .own(Role::Text, entry.doc),
            );
        }
    }
}

/// The calls that would be approved together, one line each.
pub fn bulk(maker: &mut Maker<'_>, items: &[BulkItem]) {
    maker.own(
        Role::Decision,
        format!(" {} calls run at once if you approve this list ", items.len()),
    );
    for item in items {
        let state = &maker.run.state;
        let line = Styled::new()
            .own(Role::Accent, format!("{} {} ", item.call, item.rev))
            .own(
                Role::Dim,
                format!("{} ", crate::text::visible(item.digest.short())),
            )
            .untrusted(
                Role::Text,
                &summary::call(state, item.call),
                usize::from(maker.width) / 2,
            )
            .own(Role::Warning, format!("  {} bytes unread", item.unread));
        maker.doc.line(line);
    }
    maker.own(
        Role::Dim,
        "left out: denied, irreversible, repeated effects, unknown outcomes, unknown tools",
    );
}
