//! Tools as a session recorded them, for verbs that decide about calls and run none.
//!
//! Must not know: what a tool does, where it came from.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::errors::refused;
use crate::tool::{Job, Spec, Tool};
use overrule_domain::advice::{Special, ToolFacts};
use overrule_domain::call::{ErrorClass, Outcome};
use overrule_domain::event::run::ToolCard;

/// A tool that is known only by its card.
struct Recorded {
    spec: Spec,
}

/// Returns the tools of these cards that do not come with the program, in their order.
pub fn tools(cards: &[ToolCard]) -> Vec<Arc<dyn Tool>> {
    let foreign = cards.iter().filter(|card| card.origin.is_some());
    foreign
        .map(|card| {
            let facts = ToolFacts::of(card);
            let mut card = card.clone();
            // The run marks special tools itself.
            card.tags
                .retain(|tag| Special::ALL.iter().all(|one| one.tag() != tag));
            let spec = Spec { card, facts };
            Arc::new(Recorded { spec }) as Arc<dyn Tool>
        })
        .collect()
}

impl Tool for Recorded {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, _job: Job) -> BoxFuture<'static, Outcome> {
        Box::pin(async {
            Outcome::err(refused(
                ErrorClass::Internal,
                "a recorded tool cannot run",
                "declared by the tool",
                "resume the session",
            ))
        })
    }
}
