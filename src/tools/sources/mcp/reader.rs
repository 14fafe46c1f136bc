//! Reads what a server sends tolerantly: repairs each message before the library reads it, and names every repair.
//!
//! Must not know: how messages are carried, who uses them.
//!
//! Whatever could be the answer to a request ends that request: an answer that cannot be read ends it with an error.

mod answer;
mod content;
mod members;
mod message;
mod open;
mod repairs;
mod tool;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overrule_base::canon::{Lexer, TokenKind, Tree};
use overrule_base::text::visible_head;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::time::Instant;

use super::log::ServerLog;
use super::told::Told;
use answer::Asked;
pub(super) use message::NO_CODE;
use message::Repaired;
use open::Open;
pub(super) use repairs::{Repair, Repairs};

/// Characters of a bad message that are logged.
const SHOWN: usize = 200;
/// Time limit for the answer to the probe for the newer protocol.
const PROBE: Duration = Duration::from_secs(1);

/// Code of the error that stands for an answer that cannot be read.
pub(super) const UNREADABLE: i32 = -32_099;
/// Code of the error that stands for an answer that is too long.
pub(super) const TOO_LONG: i32 = -32_098;

/// Something that a server sent.
#[derive(Debug)]
pub(super) enum Received {
    /// A message.
    Message(Box<RxJsonRpcMessage<RoleClient>>),
    /// An answer to a request that was never sent.
    NeverSent(i64),
}

/// Reads what one connection receives.
pub(super) struct Reader {
    log: Arc<ServerLog>,
    told: Arc<Told>,
    /// True if an unanswered `server/discover` is given up.
    probes: bool,
    requests: Mutex<Requests>,
}

#[derive(Default)]
struct Requests {
    open: Open,
    /// The highest id that was sent.
    last: Option<i64>,
    probe: Probe,
    /// True once anything was received.
    heard: bool,
}

/// The request that finds out whether a server speaks the newer protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Probe {
    #[default]
    None,
    /// It was sent, and is given up at this time.
    Waits(i64, Instant),
    /// It was not answered in time.
    GivenUp(i64),
}

impl Reader {
    /// Creates the reader of a connection; `probes` limits the time for the answer to `server/discover`.
    pub(super) fn new(log: Arc<ServerLog>, told: Arc<Told>, probes: bool) -> Self {
        Self {
            log,
            told,
            probes,
            requests: Mutex::default(),
        }
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a message that is being sent.
    pub(super) fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        let JsonRpcMessage::Request(request) = message else {
            return;
        };
        let RequestId::Number(id) = request.id else { return };
        let asked = Asked::of(&request.request);
        let mut requests = self.requests();
        requests.open.insert(id, asked);
        requests.last = requests.last.max(Some(id));
        if asked == Asked::Discover && self.probes {
            requests.probe = Probe::Waits(id, Instant::now() + PROBE);
        }
    }

    /// Returns when the probe is given up; `None` if there is none.
    pub(super) fn probe_ends(&self) -> Option<Instant> {
        match self.requests().probe {
            Probe::Waits(_, until) => Some(until),
            _ => None,
        }
    }

    /// Gives the probe up: returns an answer to it, which lets the library ask in the older way.
    pub(super) fn give_up_probe(&self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut requests = self.requests();
        let Probe::Waits(id, _) = requests.probe else {
            return None;
        };
        requests.probe = Probe::GivenUp(id);
        requests.open.give_up(id);
        drop(requests);
        self.log.note(&format!(
            "no answer to server/discover within {} s: asked in the older way",
            PROBE.as_secs()
        ));
        Some(error(id, ErrorCode::METHOD_NOT_FOUND.0, "no answer in time"))
    }

    /// True once the probe was given up, or could not be answered.
    pub(super) fn is_probe_costly(&self) -> bool {
        !matches!(self.requests().probe, Probe::None)
    }

    /// True once the server sent anything.
    pub(super) fn has_heard(&self) -> bool {
        self.requests().heard
    }

    /// Returns true for a text that consists of whole messages.
    pub(super) fn stands_alone(text: &str) -> bool {
        if !text.contains("\"jsonrpc\"") {
            return false;
        }
        let mut rest = text.trim_start();
        while rest.starts_with(['{', '[', '\u{feff}']) {
            let Ok(reading) = Tree::read_first(rest) else {
                return false;
            };
            rest = rest.get(reading.end..).unwrap_or_default();
        }
        rest.is_empty()
    }

    /// Reads the messages of a text, in order. What is no message is logged.
    pub(super) fn read(&self, bytes: &[u8]) -> Vec<Received> {
        let mut repairs = Repairs::default();
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            repairs.read("bytes that are not UTF-8: read as U+FFFD");
        }
        self.requests().heard = true;
        let received = self.values(&text, &mut repairs);
        self.told.note(repairs);
        received
    }

    /// Reads the values of a text, one after the other.
    fn values(&self, text: &str, repairs: &mut Repairs) -> Vec<Received> {
        let mut received = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            match Tree::read_first(rest) {
                Ok(reading) => {
                    if !matches!(reading.tree, Tree::Object(_) | Tree::List(_)) {
                        if skips_words(&mut rest, repairs) {
                            continue;
                        }
                        received.extend(self.unreadable(rest, "it is no object"));
                        break;
                    }
                    for slip in reading.slips {
                        repairs.read(slip.kind.describe());
                    }
                    self.tree(reading.tree, repairs, &mut received);
                    rest = rest.get(reading.end..).unwrap_or_default();
                }
                Err(_) if skips_words(&mut rest, repairs) => {}
                Err(fault) => {
                    received.extend(self.unreadable(rest, fault.what));
                    break;
                }
            }
        }
        received
    }

    fn tree(&self, tree: Tree, repairs: &mut Repairs, received: &mut Vec<Received>) {
        if let Tree::List(items) = tree {
            repairs.read("several messages in one list: read one by one");
            for item in items {
                self.one(item, repairs, received);
            }
        } else {
            self.one(tree, repairs, received);
        }
    }

    fn one(&self, tree: Tree, repairs: &mut Repairs, received: &mut Vec<Received>) {
        let mut requests = self.requests();
        let (asked, text) = match message::message(tree, &requests.open, repairs) {
            Repaired::Said(text) => (None, text),
            Repaired::Answer(id, text) => (requests.open.remove(id).map(|asked| (id, asked)), text),
            Repaired::Unreadable(id, why) => {
                let asked = requests.open.remove(id);
                drop(requests);
                received.extend(asked.map(|asked| self.failed((id, asked), &why)));
                return;
            }
            Repaired::NotOpen(id, result) => {
                if requests.probe == Probe::GivenUp(id) {
                    let asked = requests.open.of(Asked::Initialize);
                    let late = asked
                        .zip(result)
                        .and_then(|(id, result)| answer::late(id, result));
                    let Some((id, text)) = late else { return };
                    requests.open.remove(id);
                    drop(requests);
                    self.log
                        .note("server/discover was answered late: it speaks the newer protocol");
                    let message = serde_json::from_str::<RxJsonRpcMessage<RoleClient>>(&text).ok();
                    received.extend(message.map(|message| Received::Message(Box::new(message))));
                    return;
                } else if Some(id) <= requests.last && id >= 0 {
                    self.log.note(&format!("skipped a second answer to request {id}"));
                } else {
                    received.push(Received::NeverSent(id));
                }
                return;
            }
            Repaired::Stray => {
                self.told
                    .left("an answer was skipped: it names no request".to_owned());
                return;
            }
            Repaired::Nothing(why) => {
                self.log.note(&format!("skipped what is no message: {why}"));
                return;
            }
        };
        if let (Some((id, Asked::Discover)), Probe::Waits(probe, _)) = (asked, requests.probe)
            && id == probe
        {
            requests.probe = Probe::None;
        }
        drop(requests);
        match serde_json::from_str::<RxJsonRpcMessage<RoleClient>>(&text) {
            Ok(message) if fits(asked.map(|(_, asked)| asked), &message) => {
                received.push(Received::Message(Box::new(message)));
            }
            Ok(_) => {
                received.extend(asked.map(|asked| self.failed(asked, "it is the answer to another request")));
            }
            Err(fault) => match asked {
                Some(asked) => received.push(self.failed(asked, &fault.to_string())),
                None => self.told.left(format!("a message was skipped: {fault}")),
            },
        }
    }

    /// Ends a request whose answer cannot be read. A server whose answer to `server/discover` cannot be read is asked in the
    /// older way.
    fn failed(&self, (id, asked): (i64, Asked), why: &str) -> Received {
        let why = self.log.clean(why).into_owned();
        let (code, words) = if asked == Asked::Discover {
            self.log
                .note(&format!("the answer to server/discover cannot be read: {why}"));
            (ErrorCode::METHOD_NOT_FOUND.0, why)
        } else {
            self.told.left(format!("an answer cannot be read: {why}"));
            (UNREADABLE, format!("the server's answer cannot be read: {why}"))
        };
        Received::Message(Box::new(error(id, code, &words)))
    }

    /// A text that is no JSON. If it could be an answer, it ends its request.
    fn unreadable(&self, text: &str, why: &str) -> Option<Received> {
        let words = visible_head(&self.log.clean(text), SHOWN);
        self.log
            .note(&format!("skipped what is no message ({why}): {words}"));
        if !text.starts_with('{') {
            return None;
        }
        let mut requests = self.requests();
        let id = match outline(text) {
            Outline { id: Some(id), .. } => id,
            Outline { is_answer: true, .. } => requests.open.only()?,
            Outline { .. } => return None,
        };
        let asked = requests.open.remove(id)?;
        drop(requests);
        Some(self.failed((id, asked), why))
    }

    /// Notes something that the operator should know about the connection.
    pub(super) fn note(&self, words: String) {
        self.told.left(words);
    }

    /// Ends a request with an error of this program, if it is open.
    pub(super) fn end(&self, id: &RequestId, code: i32, words: &str) -> Option<RxJsonRpcMessage<RoleClient>> {
        let RequestId::Number(id) = *id else { return None };
        self.requests().open.give_up(id)?;
        Some(error(id, code, words))
    }
}

/// Skips words before a message on the same line. Returns false if there is no message behind words.
fn skips_words(rest: &mut &str, repairs: &mut Repairs) -> bool {
    let Some(at) = rest.find("{\"").filter(|at| *at > 0) else {
        return false;
    };
    let message = rest.get(at..).unwrap_or_default();
    if !message.contains("\"jsonrpc\"") || Tree::read_first(message).is_err() {
        return false;
    }
    repairs.read("words before a message on its line: skipped");
    *rest = message;
    true
}

fn error(id: i64, code: i32, words: &str) -> RxJsonRpcMessage<RoleClient> {
    let data = ErrorData::new(ErrorCode(code), words.to_owned(), None);
    JsonRpcMessage::error(data, Some(RequestId::Number(id)))
}

/// True if a message is of the kind that a request asked for: results of different kinds look alike to the library.
const fn fits(asked: Option<Asked>, message: &RxJsonRpcMessage<RoleClient>) -> bool {
    let JsonRpcMessage::Response(response) = message else {
        return true;
    };
    match asked {
        Some(Asked::Initialize) => matches!(response.result, ServerResult::InitializeResult(_)),
        Some(Asked::Discover) => matches!(response.result, ServerResult::DiscoverResult(_)),
        Some(Asked::ListTools) => matches!(response.result, ServerResult::ListToolsResult(_)),
        Some(Asked::CallTool) => matches!(
            response.result,
            ServerResult::CallToolResult(_)
                | ServerResult::InputRequiredResult(_)
                | ServerResult::CreateTaskResult(_)
        ),
        Some(Asked::Listen | Asked::Other) | None => true,
    }
}

/// What the tokens of a text that is no JSON say about it.
#[derive(Debug, Default)]
struct Outline {
    id: Option<i64>,
    is_answer: bool,
}

/// Returns the id of a broken message, and whether it looks like an answer.
fn outline(text: &str) -> Outline {
    let mut found = Outline::default();
    let mut is_request = false;
    let (mut depth, mut before) = (0_usize, [""; 2]);
    for token in Lexer::new(text).filter(|token| !token.is_blank()) {
        let [name, colon] = before;
        if depth == 1 && colon == ":" {
            match name {
                "\"id\"" => found.id = token.text.trim_matches('"').parse().ok(),
                "\"method\"" => is_request = true,
                "\"result\"" | "\"error\"" => found.is_answer = true,
                _ => {}
            }
        }
        match token.kind {
            TokenKind::Punct(b'{' | b'[') => depth += 1,
            TokenKind::Punct(b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = [colon, token.text];
    }
    // A request of the server has ids of its own.
    if is_request && !found.is_answer {
        return Outline::default();
    }
    found
}

#[cfg(test)]
mod tests;
