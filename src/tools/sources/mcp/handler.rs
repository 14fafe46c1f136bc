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
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode,
    ErrorData, FormElicitationCapability, Implementation, ListRootsResult, ProgressNotificationParam,
    ProtocolVersion, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};

use super::log::ServerLog;
use super::progress::Progress;
use super::questions::Questions;

/// The client as a server sees it.
pub(super) struct Handler {
    pub(super) log: Arc<ServerLog>,
    pub(super) progress: Arc<Progress>,
    pub(super) questions: Arc<Questions>,
}

fn unsupported(what: &str) -> ErrorData {
    let words = format!("{what} is not supported by this client");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None)
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let info = Implementation::new("overrule", env!("CARGO_PKG_VERSION"));
        let asks = ElicitationCapability::new()
            .with_form(FormElicitationCapability::default())
            .with_url(UrlElicitationCapability::default());
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(asks);
        let mut config = ClientConfig::new(capabilities, info);
        // Only `initialize` says it; the newer protocol has no such request.
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.log.note("refused: the server asked for roots");
        Err(unsupported("roots/list"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = self.questions.ask(&request, &context.ct).await;
        asked.map_err(|why| {
            self.log.note(&format!("refused: {why}"));
            ErrorData::new(ErrorCode::INVALID_REQUEST, format!("not asked: {why}"), None)
        })
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.progress.note(&params);
    }
}
