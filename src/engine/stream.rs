//! Assembles the chunks of a stream into complete blocks, and keeps the open parts for the screen.
//!
//! Must not know: providers, the graph.
//!
//! Text that ends a turn without calls is the answer; text in a turn with calls is a thought. So a
//! finished text is kept back until the next part begins or the stream ends.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use overrule_base::text::visible;
use overrule_domain::id::TurnId;
use overrule_domain::input::Block;
use overrule_domain::live::{Live, LivePart};
use overrule_domain::node::Channel;
use overrule_domain::reduction::request_bytes;
use overrule_domain::turn::{Stop, Usage};
use overrule_model::strict::without_nulls;
use overrule_model::{Chunk, MAX_PARTS, Quirk, Request, written_call};

/// Maximum bytes of an open part that the screen receives: the newest, because it follows the end. It
/// receives them many times a second, however long the part is.
const SHOWN: usize = 8 * 1024;
/// The shown text begins at a multiple of this many bytes, so it moves when a piece scrolls out and not with
/// each word.
const STEP: usize = 2 * 1024;

/// Maximum bytes of one part, with its names and opaque blocks. No longer part is worth waiting for, and the
/// limit is well below that of one text in the journal.
const PART: usize = 16 << 20;
/// Maximum bytes of all parts of one stream.
const ALL: usize = 2 * PART;
/// Maximum number of unknown items in one stream that are reported one by one.
const MAX_NOTICES: u64 = 5;
const UNKNOWN: u64 = 1 << 14;

/// Returns the shown end of a text and the number of bytes before it.
fn newest(text: &str) -> (u64, &str) {
    let mut from = text.len().saturating_sub(SHOWN).next_multiple_of(STEP);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    (from as u64, text.get(from..).unwrap_or_default())
}

/// The effective argument text of a call: models express missing arguments in different ways.
fn argument_text(text: Arc<str>, schema: Option<&str>, strict: bool) -> Arc<str> {
    let is_empty = matches!(text.trim(), "" | "null" | "\"\"");
    if !is_empty && !strict {
        return text;
    }
    let schema = schema.map(|schema| serde_json::from_str::<Value>(schema).unwrap_or_default());
    let schema = schema.as_ref();
    let required = schema.and_then(|schema| schema.get("required")?.as_array());
    let may_lack = schema.is_some() && required.is_none_or(Vec::is_empty);
    match (text.trim(), schema) {
        ("", _) => Arc::from("{}"),
        ("null" | "\"\"", _) if may_lack => Arc::from("{}"),
        (_, Some(schema)) if strict => Arc::from(without_nulls(&text, schema)),
        _ => text,
    }
}

/// A part that is being assembled.
#[derive(Debug)]
struct Part {
    kind: Kind,
    text: String,
    sealed: bool,
    opaque: Option<String>,
    /// True if the part was already passed on.
    done: bool,
}

impl Part {
    /// Returns the number of stored bytes: names and text that was not passed on yet.
    fn len(&self) -> usize {
        let named = match &self.kind {
            Kind::Text | Kind::Reasoning => 0,
            Kind::Call { id, tool } => tool.len() + id.as_ref().map_or(0, String::len),
        };
        named + self.text.len()
    }
}

#[derive(Debug)]
enum Kind {
    Text,
    Reasoning,
    Call { id: Option<String>, tool: String },
}

/// Assembles the parts of one stream.
#[derive(Debug, Default)]
pub struct Assembler {
    /// The tools on offer, with their schemas.
    tools: Vec<(Arc<str>, Arc<str>)>,
    /// True if schemas were offered in which null represents an omitted property.
    strict: bool,
    parts: Vec<Part>,
    /// Every part before this index was passed on; a turn may have thousands.
    from: usize,
    has_calls: bool,
    bytes: u64,
    /// Total bytes to store.
    stored: usize,
    too_long: Option<String>,
    /// Token counts so far, as the provider sent them.
    usage: Usage,
    /// Bytes of the request.
    sent: u64,
    /// The end mark of the stream.
    pub finish: Option<Stop>,
    /// Unknown items in the stream that are reported one by one.
    pub unknown: Vec<String>,
    /// All unknown items.
    strange: u64,
    /// The text of the model's refusal.
    pub refused: Option<String>,
    /// The last unknown item that was not reported.
    untold: Option<String>,
}

impl Assembler {
    /// Creates an assembler for a reply to a request.
    pub fn new(request: &Request) -> Self {
        let tools = request.tools.iter();
        Self {
            tools: tools
                .map(|card| (card.name.clone(), card.schema.clone()))
                .collect(),
            strict: request.quirks.contains(&Quirk::StrictSchemas),
            sent: request_bytes(&request.system, &request.messages, &request.tools),
            ..Self::default()
        }
    }

    /// Returns the tokens of the request and of what came, estimated where the provider did not count them. If nothing
    /// came, only its counts are known.
    pub fn usage(&self) -> Usage {
        if self.stored == 0 {
            return self.usage;
        }
        self.usage.or_estimated(self.sent, self.stored as u64)
    }

    /// Takes a chunk and returns the blocks that it completed. A chunk that makes the stream too long is
    /// dropped, and so is everything after it.
    pub fn push(&mut self, chunk: Chunk) -> Vec<Block> {
        self.weigh(&chunk);
        if self.too_long.is_some() {
            return Vec::new();
        }
        match chunk {
            Chunk::Text { part, delta } => self.extend(part, Kind::Text, &delta),
            Chunk::Reasoning { part, delta } => self.extend(part, Kind::Reasoning, &delta),
            Chunk::Call { part, id, name } => {
                self.has_calls = true;
                self.extend(part, Kind::Call { id, tool: name }, "");
            }
            Chunk::Args { part, delta } => {
                if let Some(found) = self.parts.get_mut(part as usize) {
                    self.bytes += delta.len() as u64;
                    found.text.push_str(&delta);
                }
            }
            Chunk::WasReasoning { part } => {
                if let Some(found) = self.parts.get_mut(part as usize) {
                    found.kind = Kind::Reasoning;
                }
            }
            Chunk::Sealed { part, opaque } => {
                // A part that only the provider understands has no text.
                if opaque.is_some() && self.parts.len() <= part as usize {
                    self.extend(part, Kind::Text, "");
                }
                if let Some(found) = self.parts.get_mut(part as usize) {
                    found.sealed = true;
                    found.opaque = opaque;
                }
            }
            // Not part of the reply, but it determines how the rest is read.
            Chunk::Learned { quirk, .. } => {
                self.strict |= Quirk::named(&quirk) == Some(Quirk::StrictSchemas);
            }
            Chunk::Refused { words } => self.refused = Some(words),
            Chunk::Unknown { raw } if self.strange <= MAX_NOTICES => self.unknown.push(raw),
            Chunk::Unknown { raw } => self.untold = Some(raw),
            Chunk::Sent { bytes } => self.sent = bytes,
            Chunk::Usage(usage) => self.usage = usage,
            Chunk::Finish(stop) => self.finish = Some(stop),
        }
        self.ready(false)
    }

    /// Returns why nothing more is taken, if the stream became too long.
    pub fn too_long(&self) -> Option<String> {
        self.too_long.clone()
    }

    /// Returns the number of unknown items that were not reported, and the last of them.
    pub fn untold(&mut self) -> Option<(u64, String)> {
        let last = self.untold.take()?;
        Some((self.strange.saturating_sub(MAX_NOTICES), last))
    }

    /// Counts what a chunk adds before it is taken.
    fn weigh(&mut self, chunk: &Chunk) {
        let len = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let (part, adds) = match chunk {
            Chunk::Text { part, delta } | Chunk::Reasoning { part, delta } | Chunk::Args { part, delta } => {
                (*part, delta.len())
            }
            Chunk::Call { part, id, name } => (*part, name.len() + len(id)),
            Chunk::Sealed { part, opaque } => (*part, len(opaque)),
            Chunk::Refused { words } => (0, words.len()),
            Chunk::Unknown { raw } => {
                self.strange += 1;
                (0, raw.len())
            }
            Chunk::Usage(_)
            | Chunk::Finish(_)
            | Chunk::WasReasoning { .. }
            | Chunk::Learned { .. }
            | Chunk::Sent { .. } => return,
        };
        let known = !matches!(chunk, Chunk::Unknown { .. } | Chunk::Refused { .. });
        self.stored = self.stored.saturating_add(adds);
        let has = self.parts.get(part as usize).map_or(0, Part::len);
        if self.too_long.is_some() {
            return;
        }
        self.too_long = if known && has.saturating_add(adds) > PART {
            Some(format!("one block of the reply has more than {} MiB", PART >> 20))
        } else if self.stored > ALL {
            Some(format!("the reply has more than {} MiB", ALL >> 20))
        } else if part as usize >= MAX_PARTS {
            Some(format!("the reply has more than {MAX_PARTS} blocks"))
        } else if self.strange > UNKNOWN {
            Some(format!("the reply has more than {UNKNOWN} unknown items"))
        } else {
            None
        }
        .map(|why| format!("{why}: it was cut off there"));
    }

    fn extend(&mut self, part: u32, kind: Kind, delta: &str) {
        self.bytes += delta.len() as u64;
        let at = part as usize;
        // Parts are numbered in the order in which they begin. A gap would be a defect of the decoder; it is
        // filled with empty parts.
        while self.parts.len() < at {
            self.parts.push(Part {
                kind: Kind::Text,
                text: String::new(),
                sealed: true,
                opaque: None,
                done: true,
            });
        }
        if let Some(found) = self.parts.get_mut(at) {
            found.text.push_str(delta);
        } else {
            self.parts.push(Part {
                kind,
                text: delta.to_owned(),
                sealed: false,
                opaque: None,
                done: false,
            });
        }
    }

    /// Ends the stream by its own end mark: everything sealed is complete. If the model wrote a
    /// call as text, there is no answer.
    pub fn end(&mut self) -> Vec<Block> {
        if let Some(tool) = self.written_call() {
            let of = if tool.is_empty() {
                String::new()
            } else {
                format!(" of `{}`", visible(&tool))
            };
            let why = format!("the model wrote a call{of} as text");
            self.finish = Some(Stop::BadCall(why.into()));
        }
        self.ready(true)
    }

    /// The tool of a call that stands in a text of a reply that made none.
    fn written_call(&self) -> Option<String> {
        if self.has_calls || !self.finish.as_ref().is_some_and(Stop::is_meant) {
            return None;
        }
        let names: Vec<&str> = self.tools.iter().map(|(name, _)| &**name).collect();
        let mut texts = self.parts.iter().filter(|part| matches!(part.kind, Kind::Text));
        texts.find_map(|part| written_call::find(&part.text, &names))
    }

    /// Returns complete blocks that were not passed on yet. A call may overtake open text: a sealed call
    /// waits for nothing but its place among the calls.
    fn ready(&mut self, ended: bool) -> Vec<Block> {
        let whole = self.finish.as_ref().is_some_and(Stop::is_meant);
        // What only the provider understands is no answer: the text before it may be one.
        let speaks = |part: &Part| !matches!(part.kind, Kind::Text) || !part.text.is_empty();
        let last = self.parts.iter().rposition(speaks).unwrap_or_default();
        let mut blocks = Vec::new();
        for (index, part) in self.parts.iter_mut().enumerate().skip(self.from) {
            if part.done {
                continue;
            }
            let is_call = matches!(part.kind, Kind::Call { .. });
            // Text followed by another part is complete even if the provider does not say so.
            let complete = part.sealed || (!is_call && (index < last || ended));
            if !complete {
                if is_call || ended {
                    continue;
                }
                break;
            }
            // The last text waits: it is the answer if nothing follows.
            if !is_call && index == last && !ended {
                break;
            }
            part.done = true;
            let text: Arc<str> = Arc::from(std::mem::take(&mut part.text));
            let opaque = part.opaque.take().map(Arc::from);
            match &part.kind {
                Kind::Text if text.trim().is_empty() && opaque.is_none() => {}
                Kind::Text
                    if ended && index == last && !self.has_calls && whole && !text.trim().is_empty() =>
                {
                    blocks.push(Block::Answer { text, opaque });
                }
                Kind::Text => blocks.push(Block::Thought {
                    text,
                    channel: Channel::Spoken,
                    opaque,
                }),
                Kind::Reasoning => blocks.push(Block::Thought {
                    text,
                    channel: Channel::Reasoning,
                    opaque,
                }),
                Kind::Call { id, tool } => blocks.push(Block::Call {
                    id: id.as_deref().map(Arc::from),
                    tool: Arc::from(tool.as_str()),
                    args: {
                        let schema = self.tools.iter().find(|(name, _)| **name == **tool);
                        argument_text(text, schema.map(|(_, schema)| &**schema), self.strict)
                    },
                    opaque,
                }),
            }
        }
        while self.parts.get(self.from).is_some_and(|part| part.done) {
            self.from += 1;
        }
        blocks
    }

    /// Iterates over the parts that were not passed on.
    fn open(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().skip(self.from).filter(|part| !part.done)
    }

    /// Returns the open parts, for the screen.
    pub fn live(&self, turn: TurnId) -> Live {
        let parts = self
            .open()
            .map(|part| {
                let (before, newest) = newest(&part.text);
                match &part.kind {
                    Kind::Text | Kind::Reasoning => LivePart::Text {
                        reasoning: matches!(part.kind, Kind::Reasoning),
                        text: Arc::from(newest),
                        before,
                    },
                    Kind::Call { tool, .. } => LivePart::Call {
                        tool: Arc::from(tool.as_str()),
                        args: Arc::from(newest),
                        before,
                    },
                }
            })
            .collect();
        Live {
            turn,
            parts,
            bytes: self.bytes,
        }
    }

    /// Returns all open text for the partial record, and how many bytes at its beginning are the model's
    /// text, which precedes what it calls or thinks. Returns `None` if nothing is open.
    pub fn open_text(&self) -> Option<(String, u64)> {
        let open = |spoken: bool| {
            let parts = self.open().filter(|part| !part.text.is_empty());
            parts.filter(move |part| matches!(part.kind, Kind::Text) == spoken)
        };
        let join = |texts: Vec<&Part>| -> String {
            let texts: Vec<&str> = texts.iter().map(|part| part.text.as_str()).collect();
            texts.join("\n")
        };
        let mut all = join(open(true).collect());
        let spoken = all.len() as u64;
        let rest = join(open(false).collect());
        if !all.is_empty() && !rest.is_empty() {
            all.push('\n');
        }
        all.push_str(&rest);
        (!all.is_empty()).then_some((all, spoken))
    }

    /// Returns the number of bytes of all open text.
    pub fn open_bytes(&self) -> u64 {
        self.open().map(|part| part.text.len() as u64).sum()
    }

    /// Returns the number of bytes received so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
