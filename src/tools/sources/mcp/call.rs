//! Makes one call of a tool at its server.
//!
//! Must not know: who allowed it, what follows from its outcome.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceError;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, InputRequest, InputRequiredResult, InputResponses,
    ServerResult,
};
use rmcp::service::PeerRequestOptions;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::current::Outdated;
use super::http;
use super::live::Live;
use super::questions::MayAsk;
use super::result::{Made, failed, lost, outcome};
use super::sending::ArgumentText;
use super::server::Server;
use crate::errors::{refused, untouched};
use crate::tool::Job;
use overrule_base::text::visible;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::sandbox::{Refused, RefusedKind};
use overrule_schema::RESERVED;

/// How long a call waits for a server that is starting.
const READY: Duration = Duration::from_secs(10);
/// How often a server may want input for one call.
const ROUNDS: usize = 10;
/// How long the end of a call waits to learn how its server ended.
const SOON: Duration = Duration::from_secs(1);

/// The tool that a call is of: its name at the server, and what was decided on.
pub(super) struct Target {
    pub(super) tool: String,
    /// Hash of its definition.
    pub(super) pin: String,
    /// How the definitions of its server differed from the accepted ones.
    pub(super) drift: Option<Arc<str>>,
}

/// Calls the tool once. Hosts that the sandbox of its server refused since the last result are reported with the call: only the
/// server knows for which of several calls it makes a connection.
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
        return Outcome::err(outdated(server));
    }
    let on_refused = Arc::clone(&job.on_refused);
    let outcome = send(server, &live, target, job).await;
    let hosts = server.take_refused_hosts().into_iter();
    let refused: Vec<Refused> = hosts
        .map(|host| Refused::exact(RefusedKind::Network, host))
        .collect();
    if !refused.is_empty() {
        on_refused(refused);
    }
    outcome
}

/// The failure of a call that is not sent, as it was decided under other definitions.
fn outdated(server: &Server) -> ToolError {
    let name = visible(&server.config.name);
    refused(
        ErrorClass::Conflict,
        format!("the MCP server {name} changed its tools after the call was decided: it is not sent"),
        "hash of the server's definitions",
        "the operator sees the difference; call it again",
    )
}

fn is_current(server: &Server, live: &Live, target: &Target) -> bool {
    let identity = server.config.identity();
    let mut tools = live.tools.iter();
    live.drift() == target.drift
        && tools.any(|tool| tool.name == target.tool && tool.pin(&identity) == target.pin)
}

/// The end of a call that could not be sent or answered. A server that forgot the session, or accepts no connection, is
/// connected to again, and its tools are read before anything else is sent.
async fn unanswered(server: &Server, live: &Live, error: &ServiceError) -> Outcome {
    if let ServiceError::TransportClosed | ServiceError::Cancelled { .. } = error {
        return ended(server).await;
    }
    if let ServiceError::TransportSend(error) = error {
        if http::cause::<Outdated>(error).is_some() {
            return Outcome::err(outdated(server));
        }
        if http::is_lost(error) {
            live.connection.closing.cancel();
        }
    }
    Outcome::err(failed(error, &server.redaction))
}

/// The end of a call whose server ended: says how it ended, where that is known soon.
async fn ended(server: &Server) -> Outcome {
    let why = server.why_down(SOON).await;
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    Outcome::err(lost(&format!(
        "the server ended while the call ran{why}; outcome unknown"
    )))
}

fn too_long(server: &Server) -> ToolError {
    let limit = server.config.limit.as_secs();
    lost(&format!("the server did not answer within {limit} s"))
}

/// Sends the call, and asks the operator what the server wants to know.
pub(super) async fn send(server: &Server, live: &Live, target: &Target, job: Job) -> Outcome {
    let begun = Instant::now();
    let may_ask = server.questions.begin(job.call, Arc::clone(&job.ask));
    let limit = server.questions.limit(server.config.limit);
    tokio::pin!(limit);
    let mut arguments = match &job.args {
        Value::Object(arguments) => arguments.clone(),
        _ => serde_json::Map::new(),
    };
    for key in RESERVED {
        arguments.shift_remove(key);
    }
    let mut params = CallToolRequestParams::new(target.tool.clone()).with_arguments(arguments);
    for round in 0..ROUNDS {
        let result = match request(server, live, params.clone(), &job, limit.as_mut()).await {
            Ok(result) => result,
            // The rounds before were sent.
            Err(Outcome::Err(error)) if round > 0 => {
                return Outcome::err(ToolError {
                    executed: true,
                    ..*error
                });
            }
            Err(outcome) => return outcome,
        };
        let ServerResult::InputRequiredResult(wanted) = result else {
            let made = Made {
                call: job.call,
                args: &job.args,
                ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                redaction: &server.redaction,
                whole: &server.whole,
            };
            return outcome(result, &made);
        };
        let state = wanted.request_state.clone();
        let responses = tokio::select! {
            biased;
            () = job.cancel.cancelled() => return Outcome::Cancelled { executed: true },
            responses = respond(server, &may_ask, wanted, &job.cancel) => responses,
            () = limit.as_mut() => return Outcome::err(too_long(server)),
        };
        match responses {
            Ok(responses) => params.input_responses = Some(responses),
            Err(error) => return Outcome::err(error),
        }
        params.request_state = state;
    }
    Outcome::err(ToolError {
        executed: true,
        ..refused(
            ErrorClass::Business,
            format!("the server wants input from a person more than {ROUNDS} times"),
            "input_required",
            "use another tool, or ask the operator",
        )
    })
}

/// Asks the operator everything that a server wants to know before it continues.
async fn respond(
    server: &Server,
    may_ask: &MayAsk<'_>,
    wanted: InputRequiredResult,
    cancel: &CancellationToken,
) -> Result<InputResponses, ToolError> {
    let not_asked = |why: &str| ToolError {
        executed: true,
        ..refused(
            ErrorClass::Business,
            why,
            "input_required",
            "use another tool, or ask the operator",
        )
    };
    let mut responses = InputResponses::new();
    for (name, wanted) in wanted.input_requests.unwrap_or_default() {
        let InputRequest::Elicitation(request) = &wanted else {
            return Err(not_asked(
                "the server wants more than an answer of the operator (sampling or roots), which is not supported",
            ));
        };
        let answer = may_ask.ask(&request.params, cancel).await.map_err(|why| {
            server.log.note(&format!("refused: {why}"));
            not_asked(&format!("the operator was not asked for the server: {why}"))
        })?;
        let answer = serde_json::to_value(answer).map_err(|error| not_asked(&error.to_string()))?;
        responses.insert(name, answer);
    }
    Ok(responses)
}

/// Sends one request of a call and waits for its answer. An error is the end of the call.
async fn request(
    server: &Server,
    live: &Live,
    params: CallToolRequestParams,
    job: &Job,
    limit: Pin<&mut impl Future<Output = ()>>,
) -> Result<ServerResult, Outcome> {
    let mut request = CallToolRequest::new(params);
    request.extensions.insert(live.changes);
    request.extensions.insert(ArgumentText(Arc::clone(&job.text)));
    let request = ClientRequest::CallToolRequest(request);
    let sent = live
        .connection
        .peer
        .send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = tokio::select! {
        biased;
        () = job.cancel.cancelled() => return Err(Outcome::Cancelled { executed: true }),
        sent = tokio::time::timeout(server.config.limit, sent) => match sent {
            Ok(Ok(handle)) => handle,
            Ok(Err(error)) => return Err(unanswered(server, live, &error).await),
            Err(_) => return Err(Outcome::err(lost("the server does not read its input"))),
        },
    };
    let token = handle.progress_token.clone();
    server.progress.follow(token.clone(), Arc::clone(&job.on_output));
    let (end, words) = tokio::select! {
        biased;
        answer = &mut handle.rx => {
            server.progress.forget(&token);
            return match answer {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(error)) => Err(unanswered(server, live, &error).await),
                Err(_) => Err(ended(server).await),
            };
        }
        () = job.cancel.cancelled() => (Outcome::Cancelled { executed: true }, "cancelled by the operator"),
        () = limit => (Outcome::err(too_long(server)), "time limit"),
    };
    server.progress.forget(&token);
    // The server is notified, so that it ends the call too; it may not read it.
    let told = handle.cancel(Some(words.to_owned()));
    let _ = tokio::time::timeout(Duration::from_secs(1), told).await;
    Err(end)
}
