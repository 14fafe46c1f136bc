//! One tool of a server.
//!
//! Must not know: the protocol.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::call::{self, Target};
use super::definition::Definition;
use super::server::Server;
use crate::domain::call::Outcome;
use crate::tools::tool::{Job, Spec, Tool};

/// A tool of a server, by the definition that was current when it was offered.
pub(super) struct McpTool {
    spec: Spec,
    server: Arc<Server>,
    target: Arc<Target>,
    drift: Option<Arc<str>>,
}

impl McpTool {
    pub(super) fn new(
        server: Arc<Server>,
        definition: &Definition,
        offered: &str,
        drift: Option<Arc<str>>,
    ) -> Self {
        Self {
            spec: definition.spec(offered, &server.config),
            target: Arc::new(Target {
                tool: definition.name.clone(),
                pin: definition.pin(&server.config.identity()),
            }),
            server,
            drift,
        }
    }
}

impl Tool for McpTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn parked(&self) -> Option<&str> {
        self.drift.as_deref()
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (server, target) = (Arc::clone(&self.server), Arc::clone(&self.target));
        Box::pin(async move { call::call(&server, &target, job).await })
    }
}
