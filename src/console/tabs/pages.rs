//! Documents of what is open on top: help, the impact of an edit, the list before several approvals.
//!
//! Must not know: how they are drawn.

use super::Maker;
use crate::console::commands::{self, Context};
use crate::console::doc::Styled;
use crate::console::keymap::Keymap;
use crate::console::model::overlay::BulkItem;
use crate::console::summary;
use crate::console::theme::Role;
use crate::domain::id::NodeId;
use crate::domain::lineage::Plan;
use crate::domain::refusal::Refusal;

/// Nodes of a kind that are listed.
const MOST: usize = 12;

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

/// What an edit would do.
pub fn plan(maker: &mut Maker<'_>, plan: &Result<Plan, Refusal>) {
    let plan = match plan {
        Ok(plan) => plan,
        Err(refusal) => {
            maker.fact("refused", Role::Error, crate::text::visible(&refusal.message));
            maker.own(Role::Title, "the change");
            return;
        }
    };
    let again: Vec<NodeId> = plan
        .possible
        .iter()
        .filter(|id| !plan.certain.contains(id))
        .copied()
        .collect();
    let groups: [(&str, Role, &[NodeId]); 6] = [
        ("superseded", Role::Superseded, &plan.superseded),
        ("runs", Role::Running, &plan.certain),
        ("may run again", Role::Stale, &again),
        ("cancelled", Role::Failed, &plan.cancelled),
        ("must end first", Role::Blocked, &plan.drained),
        ("kept", Role::Ok, &plan.kept),
    ];
    if plan.superseded.is_empty() && again.is_empty() && plan.effects.is_empty() && plan.cancelled.is_empty()
    {
        maker.own(Role::Ok, "nothing that ran is touched");
    }
    for (name, role, ids) in groups {
        if ids.is_empty() {
            continue;
        }
        let mut words: Vec<String> = ids.iter().take(MOST).map(NodeId::to_string).collect();
        if ids.len() > MOST {
            words.push(format!("and {} more", ids.len() - MOST));
        }
        maker.doc.line(
            Styled::new()
                .own(Role::Dim, format!("{name:<15} "))
                .own(role, format!("{:>4}  ", ids.len()))
                .own(Role::Text, words.join(" ")),
        );
    }
    if !plan.turns.is_empty() {
        maker
            .doc
            .line(Styled::new().own(Role::Dim, format!("{:<15} ", "turns")).own(
                Role::Superseded,
                format!("{:>4}  become history", plan.turns.len()),
            ));
    }
    for seq in plan.effects.iter().take(MOST) {
        let state = &maker.run.state;
        let Some(entry) = state.ledger.get(seq) else {
            continue;
        };
        let line = Styled::new()
            .own(Role::Warning, "happened already ")
            .own(Role::Accent, format!("{} ", entry.call))
            .untrusted(Role::Text, &summary::call(state, entry.call), 120);
        maker.doc.line(line);
    }
    if plan.effects.len() > MOST {
        maker.own(
            Role::Warning,
            format!("and {} effects more", plan.effects.len() - MOST),
        );
    }
    let asks = if plan.asks {
        format!("the model is asked again, about {} tokens", plan.tokens)
    } else {
        "the model is not asked again".to_owned()
    };
    maker.own(Role::Text, asks);
    for id in &plan.certain {
        let word = if plan.approves.contains(id) {
            format!("the commit is also the approval: {id} runs with what is written below")
        } else {
            format!("{id} passes the gate once more before it runs")
        };
        maker.own(Role::Decision, word);
    }
    maker.own(Role::Title, "the change");
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
