//! Answers what a server asks of its client.
//!
//! Must not know: how a server is started, what its tools do.

#![expect(
    deprecated,
    reason = "a server may still ask for roots, and is told that there are none"
)]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ErrorCode, ErrorData,
    Implementation, ListRootsResult, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::Notify;

use super::log::ServerLog;
use super::progress::Progress;
use crate::text::visible_head;

/// Characters kept of a server's words.
const WORDS: usize = 300;

/// The client as a server sees it.
pub(super) struct Handler {
    pub(super) log: Arc<ServerLog>,
    /// Called immediately when the tools changed, so that no call is made under the old definitions.
    pub(super) outdated: Arc<dyn Fn() + Send + Sync>,
    pub(super) refresh: Arc<Notify>,
    pub(super) progress: Arc<Progress>,
}

fn unsupported(what: &str) -> ErrorData {
    let words = format!("{what} is not supported by this client");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None)
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let info = Implementation::new("overrule", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), info)
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.log.note("refused: the server asked for roots");
        Err(unsupported("roots/list"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = match &request {
            ElicitRequestParams::FormElicitationParams { message, .. }
            | ElicitRequestParams::UrlElicitationParams { message, .. } => visible_head(message, WORDS),
            _ => String::new(),
        };
        self.log
            .note(&format!("refused: the server asked for input: {asked}"));
        Err(unsupported("elicitation/create"))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.progress.note(&params);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        (self.outdated)();
        self.refresh.notify_one();
    }
}
