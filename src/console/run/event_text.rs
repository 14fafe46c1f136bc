//! Describes each event in one line of untrusted text, for the log.
//!
//! Must not know: styles.
//!
//! Pass the lines through `overrule_base::text` before you show them.

pub(crate) mod about;
pub(crate) mod call;
pub(crate) mod command;
pub(crate) mod edit;
pub(crate) mod escape;
pub(crate) mod files;
pub(crate) mod resilience;
pub(crate) mod run;
mod sandbox;
pub(crate) mod turn;
pub(crate) mod weight;

pub use about::about;
pub use command::command;
pub use edit::lost;
pub(crate) use files::describe as files;
pub use run::rewritten;

use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::Event;
use overrule_domain::id::NodeId;

/// An event in one line.
pub fn of(envelope: &Envelope) -> String {
    let who = match &envelope.actor {
        // `operator operator` would repeat the word.
        Actor::Operator(user) => {
            let name = match &*user.name {
                "operator" => "operator".to_owned(),
                name => format!("operator {name}"),
            };
            match user.via {
                Some(via) => format!("{name} ({})", via.label()),
                None => name,
            }
        }
        Actor::Engine => "engine".to_owned(),
        Actor::Model => "model".to_owned(),
        Actor::Tool => "tool".to_owned(),
    };
    let what = what(envelope);
    format!("{} {who}: {what}", envelope.seq)
}

/// The same without its actor, if that is the engine.
pub fn short(envelope: &Envelope) -> String {
    match envelope.actor {
        Actor::Engine => format!("{} {}", envelope.seq, what(envelope)),
        _ => of(envelope),
    }
}

fn what(envelope: &Envelope) -> String {
    match &envelope.event {
        Event::Run(event) => run::describe(event),
        Event::Turn(event) => turn::describe(event),
        Event::Call(event) => call::describe(event),
        Event::Edit(event) => edit::describe(event),
        Event::Escape(event) => escape::describe(event),
        Event::Resilience(event) => resilience::describe(event),
        Event::Weight(event) => weight::describe(event),
        Event::Sandbox(event) => sandbox::describe(event),
        Event::Files(event) => files::describe(event),
    }
}

fn list(ids: &[NodeId]) -> String {
    const MOST: usize = 12;
    let mut words: Vec<String> = ids.iter().take(MOST).map(NodeId::to_string).collect();
    if ids.len() > MOST {
        words.push(format!("and {} more", ids.len() - MOST));
    }
    words.join(" ")
}
