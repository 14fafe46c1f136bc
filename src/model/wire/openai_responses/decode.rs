//! Converts the events of a Responses stream to chunks.
//!
//! Must not know: sockets, tools, when to ask again.
//!
//! An item is identified by its index; servers that have none, by its id. The events of the items count: the list at the
//! end may be empty. Only the end of the body ends a reply.

mod items;
#[cfg(test)]
mod tests;

use super::told::{Told, tool_of};
use crate::Chunk;
use crate::fault::Refusal;
use crate::frame::{self, Object};
use crate::torn::Piece;
use crate::wire::opaque::Members;
use crate::wire::stop::stop;
use crate::wire::{Decoder, Reply};
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind};

/// Types of items that ask the client for something. An agent may have offered it; a run does not.
const FOR_CLIENT: &[&str] = &[
    "local_shell_call",
    "shell_call",
    "computer_call",
    "custom_tool_call",
    "apply_patch_call",
    "tool_search_call",
    "mcp_approval_request",
];
/// Types of items that the provider executed, without those that end in `_call`.
const BY_SERVER: &[&str] = &[
    "mcp_list_tools",
    "compaction",
    "program",
    "program_output",
    TEXT_RESULT,
];
/// Members of a call that the program makes itself or does not send back.
const CALL: &[&str] = &["type", "id", "call_id", "name", "arguments", "status"];
/// Members of a call of one of the provider's types that are no arguments.
const TYPED: &[&str] = &["type", "id", "call_id", "status"];
/// The type of calls whose arguments are any text.
pub const TEXT_CALL: &str = "custom_tool_call";
/// The type of the results of these calls.
const TEXT_RESULT: &str = "custom_tool_call_output";
/// Where a call is not made.
const NOT_OFFERED: &str = "a form that was not offered";

/// Returns true for a type of items that the provider executed itself.
pub fn is_opaque(name: &str) -> bool {
    !FOR_CLIENT.contains(&name) && (BY_SERVER.contains(&name) || name.ends_with("_call"))
}

/// Returns true for an item that asks the client for something. Two types the provider executes as well, each with a
/// member of its own that says so: on every other type such a member means nothing.
pub fn asks_client(kind: &str, item: &Object<'_>) -> bool {
    let is_executed = match kind {
        "tool_search_call" => item.string("execution").as_deref() == Some("server"),
        "shell_call" => is_in_container(item),
        _ => false,
    };
    FOR_CLIENT.contains(&kind) && !is_executed
}

/// Returns true for a shell, or a call of one, in a container of the provider: the provider executes its calls.
pub fn is_in_container(item: &Object<'_>) -> bool {
    let place = item
        .object("environment")
        .and_then(|place| place.filled("type").map(String::from));
    place.is_some_and(|place| place.starts_with("container"))
}

/// Returns true for a type of calls that name their tool.
pub fn is_named(kind: &str) -> bool {
    kind == "function_call" || kind == TEXT_CALL
}

/// Returns the arguments of a call of one of the provider's types.
pub fn typed_args(item: &Object<'_>) -> String {
    Members::read(item).without(TYPED).text()
}

/// Decodes one stream.
#[derive(Debug, Default)]
pub struct ResponsesDecoder {
    reply: Reply,
    /// Whether the reply is for an agent, which may offer tools of every form.
    is_for_agent: bool,
    /// The items of the response, in the order in which they began.
    items: Vec<Item>,
    /// Reasoning for the provider alone that came after text: it belongs to what follows.
    waiting: Vec<String>,
    /// Calls with any text that a run did not offer, as JSON texts. What follows shows whether the provider executed them.
    text_calls: Vec<String>,
}

#[derive(Debug)]
struct Item {
    index: Option<u64>,
    id: Option<String>,
    kind: Kind,
    /// True once content of the item was passed on piece by piece.
    streamed: bool,
    /// The list and position of the newest piece of text or reasoning.
    section: Option<(bool, u64)>,
    done: bool,
    /// What was said of a call.
    told: Told,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    Reasoning,
    /// A call by the number of its part; none beyond the maximum number of parts.
    Call(Option<usize>),
    /// A call with any text, in a reply to a run.
    TextCall,
    Other,
}

impl ResponsesDecoder {
    /// A decoder of a reply to an agent, which may offer tools that take any text, and tools of the provider's types.
    pub fn of_agent() -> Self {
        Self {
            is_for_agent: true,
            ..Self::default()
        }
    }
}

impl Decoder for ResponsesDecoder {
    fn reply(&self) -> &Reply {
        &self.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }

    fn object(
        &mut self,
        name: &str,
        data: &str,
        frame: &Object<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), StreamFault> {
        let kind = frame.filled("type").unwrap_or(name.into());
        let response = frame.object("response");
        self.compare(response.as_ref());
        match kind.strip_prefix("response.").unwrap_or(&kind) {
            "created" => {
                self.reply.continue_reply();
                self.items.clear();
                self.text_calls.clear();
            }
            "output_item.added" => {
                if let Some(item) = frame.object("item") {
                    self.begin(frame.number("output_index"), &item, out);
                }
            }
            "output_item.done" => self.item_done(frame, out),
            "output_text.delta" => self.text(frame, "delta", out),
            "output_text.done" => self.text(frame, "text", out),
            "refusal.delta" => self.refusal(frame, "delta"),
            "refusal.done" => self.refusal(frame, "refusal"),
            "reasoning_summary_text.delta" | "reasoning_text.delta" => self.reasoning(frame, "delta", out),
            "reasoning_summary_text.done" | "reasoning_text.done" => self.reasoning(frame, "text", out),
            "function_call_arguments.delta" => self.args(frame, "delta", out),
            "function_call_arguments.done" => self.args(frame, "arguments", out),
            "custom_tool_call_input.delta" if self.is_for_agent => self.args(frame, "delta", out),
            "custom_tool_call_input.done" if self.is_for_agent => self.args(frame, "input", out),
            "completed" | "done" | "incomplete" => return self.finish(response.as_ref(), out),
            "failed" | "cancelled" => return Err(self.failed(response.as_ref(), data)),
            "error" => return Err(self.reply.refused(&Refusal::read(None, data))),
            known if is_progress(known) => {}
            _ if frame.string("object").as_deref() == Some("response") => {
                self.compare(Some(frame));
                return self.finish(Some(frame), out);
            }
            _ => self.reply.unknown(data, out),
        }
        Ok(())
    }
}

/// Returns true for an event that only tells what is under way.
fn is_progress(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "queued",
        "in_progress",
        "content_part.added",
        "content_part.done",
        "output_text.annotation.added",
        "reasoning_summary_part.added",
        "reasoning_summary_part.done",
        "ping",
        "keepalive",
    ];
    const PREFIXES: &[&str] = &[
        "mcp_",
        "code_interpreter_call",
        "shell_call",
        "custom_tool_call",
        "audio.",
    ];
    let is_call = name
        .split_once('.')
        .is_some_and(|(item, _)| item.ends_with("_call"));
    NAMES.contains(&name) || is_call || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

impl ResponsesDecoder {
    /// Returns the position of the item that an event is about: by its index, its id, else the newest of the kind.
    fn place(&self, frame: &Object<'_>, is_of_kind: impl Fn(Kind) -> bool) -> Option<usize> {
        let index = frame.number("output_index");
        let id = frame.filled("item_id");
        let open = || {
            self.items
                .iter()
                .enumerate()
                .rev()
                .filter(|(_, item)| is_of_kind(item.kind))
        };
        let by_index = open().find(|(_, item)| index.is_some() && item.index == index);
        let by_id = || open().find(|(_, item)| id.is_some() && item.id.as_deref() == id.as_deref());
        let newest = || open().find(|(_, item)| !item.done && (index.is_none() || item.index.is_none()));
        by_index.or_else(by_id).or_else(newest).map(|(place, _)| place)
    }

    /// Returns true for an item that is a call of an offered tool.
    fn is_call(&self, item: &Object<'_>) -> bool {
        let name = item.string("type").unwrap_or_default();
        name == "function_call" || (self.is_for_agent && asks_client(&name, item))
    }

    /// Begins an item; returns its position.
    fn begin(&mut self, index: Option<u64>, item: &Object<'_>, out: &mut Vec<Chunk>) -> usize {
        self.reply.continue_reply();
        let name = item.string("type").unwrap_or_default();
        if matches!(&*name, "message" | "reasoning") {
            // The model goes on only where the provider has the results.
            for raw in std::mem::take(&mut self.text_calls) {
                self.keep(&raw, out);
            }
        }
        let kind = match &*name {
            "message" => {
                self.flush(out);
                self.reply.parts.close(out);
                Kind::Message
            }
            "reasoning" => Kind::Reasoning,
            _ if self.is_call(item) => {
                self.flush(out);
                let id = item.filled("call_id").or_else(|| item.filled("id"));
                let id = id.map(String::from);
                Kind::Call(self.reply.parts.begin_call(id, tool_of(item), out))
            }
            TEXT_CALL => Kind::TextCall,
            _ => Kind::Other,
        };
        self.items.push(Item {
            index,
            id: item.filled("id").map(String::from),
            kind,
            streamed: false,
            section: None,
            done: false,
            told: Told::begun(item),
        });
        self.items.len() - 1
    }

    fn text(&mut self, frame: &Object<'_>, member: &str, out: &mut Vec<Chunk>) {
        let words = frame.piece(member);
        let item = self.place(frame, |kind| kind == Kind::Message);
        let item = item.and_then(|place| self.items.get_mut(place));
        let section = Some((false, frame.number("content_index").unwrap_or(0)));
        // The whole text repeats its pieces.
        let repeats = member != "delta" && item.as_ref().is_none_or(|item| item.section == section);
        if words.is_empty() || repeats {
            return;
        }
        if let Some(item) = item {
            item.section = section;
            item.streamed = true;
        }
        self.reply.parts.text(&words, out);
    }

    fn refusal(&mut self, frame: &Object<'_>, member: &str) {
        let words = frame.piece(member);
        let item = self.place(frame, |kind| kind == Kind::Message);
        let item = item.and_then(|place| self.items.get_mut(place));
        if member == "delta" || item.as_ref().is_some_and(|item| !item.streamed) {
            self.reply.refuse(&words);
        }
        if let Some(item) = item {
            item.streamed = true;
        }
    }

    fn reasoning(&mut self, frame: &Object<'_>, member: &str, out: &mut Vec<Chunk>) {
        let words = frame.piece(member);
        let item = self.place(frame, |kind| kind == Kind::Reasoning);
        let item = item.and_then(|place| self.items.get_mut(place));
        let summary = frame.number("summary_index");
        let section = (
            summary.is_some(),
            summary.or(frame.number("content_index")).unwrap_or(0),
        );
        let (mut repeats, mut is_next) = (member != "delta", false);
        if let Some(item) = item {
            is_next = item.section.is_some_and(|before| before != section);
            repeats &= item.section == Some(section);
            item.section = Some(section);
            item.streamed = true;
        }
        if !repeats && !words.is_empty() {
            self.flush(out);
            if is_next {
                self.reply.parts.reasoning(&"\n\n".into(), out);
            }
            self.reply.parts.reasoning(&words, out);
        }
    }

    fn args(&mut self, frame: &Object<'_>, member: &str, out: &mut Vec<Chunk>) {
        let Some(place) = self.place(frame, |kind| matches!(kind, Kind::Call(_))) else {
            out.extend(frame.filled(member).map(|text| Chunk::Unknown {
                raw: text.into_owned(),
            }));
            return;
        };
        let words = frame.get(member).and_then(frame::piece);
        let told = self
            .items
            .get(place)
            .filter(|_| member != "delta")
            .map(|item| &item.told);
        if let (Some(told), Some(name)) = (told, frame.filled("name"))
            && !told.calls(&name)
        {
            self.reply.parts.contradict();
        }
        if let Some(words) = words {
            self.add_args(place, &words, member == "delta", out);
        }
    }

    fn add_args(&mut self, place: usize, words: &Piece<'_>, is_piece: bool, out: &mut Vec<Chunk>) {
        let Some(item) = self.items.get_mut(place) else {
            return;
        };
        if item.streamed && !is_piece {
            if !item.told.has(&words.clone().whole()) {
                self.reply.parts.contradict();
            }
            return;
        }
        if words.is_empty() {
            return;
        }
        item.streamed = true;
        if let Kind::Call(Some(number)) = item.kind {
            item.told.add(&self.reply.parts.add_args(number, words, out));
        }
    }

    /// Takes the arguments of a finished item.
    fn whole_args(
        &mut self,
        place: usize,
        item: &Object<'_>,
        args: Option<&Piece<'_>>,
        out: &mut Vec<Chunk>,
    ) {
        if let Some(args) = args {
            self.add_args(place, args, false, out);
        }
        let known = self.items.get_mut(place);
        if known.is_some_and(|known| !known.told.end(item)) {
            self.reply.parts.contradict();
        }
    }

    /// Compares the calls in a list of all items with those that came before.
    fn compare(&mut self, response: Option<&Object<'_>>) {
        let Some(response) = response.filter(|_| !self.items.is_empty()) else {
            return;
        };
        for raw in response.array("output") {
            let Some(item) = Object::read(raw).filter(|item| self.is_call(item)) else {
                continue;
            };
            let mut newest = self.items.iter().rev();
            let known = newest.find(|one| matches!(one.kind, Kind::Call(_)) && one.told.is_of(&item));
            if known.is_none_or(|known| !known.told.repeats(&item)) {
                self.reply.parts.contradict();
            }
        }
    }

    /// The end of a response; another one may follow in the same body.
    fn finish(&mut self, response: Option<&Object<'_>>, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        let status = response.and_then(|response| response.string("status"));
        if matches!(status.as_deref(), Some("failed" | "cancelled")) {
            return Err(self.failed(response, ""));
        }
        if let Some(response) = response.filter(|_| self.items.is_empty()) {
            for raw in response.array("output") {
                if let Some(item) = Object::read(raw) {
                    let place = self.begin(None, &item, out);
                    self.end(place, raw, &item, out);
                }
            }
        }
        for raw in std::mem::take(&mut self.text_calls) {
            if let Some(call) = Object::read(&raw) {
                self.text_call(&call, out);
            }
        }
        // Nothing followed: it goes with the text before it.
        for item in std::mem::take(&mut self.waiting) {
            self.reply.parts.opaque(&item, out);
        }
        if let Some(response) = response {
            self.reply.usage(response.object("usage").as_ref(), out);
        }
        let details = response.and_then(|response| response.object("incomplete_details"));
        let reason = details.and_then(|details| details.filled("reason").map(String::from));
        let is_cut = status.as_deref() == Some("incomplete");
        let meant = match reason.as_deref() {
            Some("max_output_tokens") => Stop::Length,
            Some(reason) => stop(reason),
            None if is_cut => Stop::Other("incomplete".into()),
            None if self.reply.parts.has_calls() => Stop::Calls,
            None => Stop::End,
        };
        self.reply.stop_at_end(meant);
        Ok(())
    }

    fn failed(&mut self, response: Option<&Object<'_>>, data: &str) -> StreamFault {
        let error = response.and_then(|response| response.get("error"));
        match error.filter(|error| !frame::is_empty(error)) {
            Some(error) => self.reply.refused(&Refusal::read(None, error)),
            None if data.contains("cancelled") => StreamFault {
                kind: StreamFaultKind::Truncated,
                message: "the server cancelled the response".to_owned(),
                retry_after_ms: None,
            },
            None => self.reply.refused(&Refusal::read(None, "{}")),
        }
    }
}
