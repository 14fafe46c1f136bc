//! Makes one call of a tool at its server.
//!
//! Must not know: who allowed it, what follows from its outcome.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceError;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use rmcp::service::PeerRequestOptions;
use serde_json::Value;
use tokio::time::Instant;

use super::http;
use super::result::{failed, lost, outcome};
use super::server::{Live, Server};
use crate::domain::call::{ErrorClass, Outcome};
use crate::schema::RESERVED;
use crate::text::visible;
use crate::tools::errors::{refused, untouched};
use crate::tools::tool::Job;

/// How long a call waits for a server that is starting.
const READY: Duration = Duration::from_secs(10);

/// The tool that a call is of: its name at the server, and what was decided on.
pub(super) struct Target {
    pub(super) tool: String,
    /// Hash of its definition.
    pub(super) pin: String,
    /// How the definitions of its server differed from the accepted ones.
    pub(super) drift: Option<Arc<str>>,
}

/// Calls the tool once.
pub(super) async fn call(server: &Server, target: &Target, job: Job) -> Outcome {
    let name = visible(&server.config.name);
    let ready = tokio::select! {
        biased;
        () = job.cancel.cancelled() => return untouched(),
        ready = server.ready(READY) => ready,
    };
    let live = match ready {
        Ok(live) => live,
        Err(why) => {
            return Outcome::err(refused(
                ErrorClass::Transient,
                format!("the MCP server {name} takes no calls: {why}"),
                "state of the MCP server",
                "try again later, or use another tool",
            ));
        }
    };
    if !is_current(server, &live, target) {
        return Outcome::err(refused(
            ErrorClass::Conflict,
            format!("the MCP server {name} changed its tools after the call was decided: nothing was sent"),
            "hash of the server's definitions",
            "the operator sees the difference; call it again",
        ));
    }
    send(server, &live, target, job).await
}

fn is_current(server: &Server, live: &Live, target: &Target) -> bool {
    let identity = server.config.identity();
    let mut tools = live.tools.iter();
    live.drift() == target.drift
        && tools.any(|tool| tool.name == target.tool && tool.pin(&identity) == target.pin)
}

/// The end of a call that could not be sent or answered. A server that forgot the session is connected to again, and
/// its tools are read before anything else is sent.
fn unanswered(live: &Live, error: &ServiceError) -> Outcome {
    if let ServiceError::TransportSend(error) = error
        && http::is_session_expired(error)
    {
        live.closing.cancel();
    }
    Outcome::err(failed(error))
}

async fn send(server: &Server, live: &Live, target: &Target, job: Job) -> Outcome {
    let begun = Instant::now();
    let mut arguments = match job.args {
        Value::Object(arguments) => arguments,
        _ => serde_json::Map::new(),
    };
    for key in RESERVED {
        arguments.shift_remove(key);
    }
    let params = CallToolRequestParams::new(target.tool.clone()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let sent = live
        .peer
        .send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = tokio::select! {
        biased;
        () = job.cancel.cancelled() => return Outcome::Cancelled { executed: true },
        sent = tokio::time::timeout(server.config.limit, sent) => match sent {
            Ok(Ok(handle)) => handle,
            Ok(Err(error)) => return unanswered(live, &error),
            Err(_) => return Outcome::err(lost("the server does not read its input")),
        },
    };
    let token = handle.progress_token.clone();
    server.progress.follow(token.clone(), job.on_output);
    let limit = server.config.limit;
    let (ended, words) = tokio::select! {
        biased;
        answer = &mut handle.rx => {
            server.progress.forget(&token);
            let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            return match answer {
                Ok(Ok(result)) => outcome(result, ms),
                Ok(Err(error)) => unanswered(live, &error),
                Err(_) => Outcome::err(lost("the connection ended")),
            };
        }
        () = job.cancel.cancelled() => (Outcome::Cancelled { executed: true }, "cancelled by the operator"),
        () = tokio::time::sleep(limit) => {
            let why = format!("the server did not answer within {} s", limit.as_secs());
            (Outcome::err(lost(&why)), "time limit")
        }
    };
    server.progress.forget(&token);
    // The server is notified, so that it ends the call too; it may not read it.
    let told = handle.cancel(Some(words.to_owned()));
    let _ = tokio::time::timeout(Duration::from_secs(1), told).await;
    ended
}
