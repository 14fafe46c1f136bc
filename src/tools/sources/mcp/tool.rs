//! One tool of a server.
//!
//! Must not know: the protocol.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::call::{self, Target};
use super::definition::{Definition, SOURCE};
use super::server::Server;
use crate::tool::{Job, Spec, Tool};
use overrule_domain::advice::ToolFacts;
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::event::run::ToolCard;

/// A tool of a server, by the definition that was current when it was offered.
pub(super) struct McpTool {
    spec: Spec,
    server: Arc<Server>,
    target: Arc<Target>,
}

impl McpTool {
    pub(super) fn new(
        server: Arc<Server>,
        definition: &Definition,
        (offered, schema): (&str, &Value),
        drift: Option<Arc<str>>,
    ) -> Self {
        Self {
            spec: definition.spec((offered, schema), &server.config, drift.clone()),
            target: Arc::new(Target {
                tool: definition.name.clone(),
                pin: definition.pin(&server.config.identity()),
                drift,
            }),
            server,
        }
    }

    /// Returns the tool of a card that an earlier process recorded, for a server whose list was not read yet. `None` if
    /// it is not a tool of this server. The class that the settings give it is set again.
    pub(super) fn recorded(server: Arc<Server>, card: &ToolCard) -> Option<Self> {
        let origin = card.origin.as_deref()?;
        if *origin.source != *SOURCE || card.server() != Some(&server.config.name) {
            return None;
        }
        let target = Target {
            tool: origin.tool.to_string(),
            pin: origin.pin.to_string(),
            drift: origin.drift.clone(),
        };
        let card = ToolCard {
            effect: EffectClass::Unknown,
            effect_by: None,
            probe: None,
            compensate: None,
            ..card.clone()
        };
        Some(Self {
            spec: Spec {
                facts: ToolFacts::of(&card),
                card,
            },
            server,
            target: Arc::new(target),
        })
    }
}

impl Tool for McpTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A call limits itself, and waits as long as the operator thinks about a question of its server.
    fn longest(&self) -> Duration {
        Duration::MAX
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (server, target) = (Arc::clone(&self.server), Arc::clone(&self.target));
        Box::pin(async move { call::call(&server, &target, job).await })
    }
}
