//! Assembles the chunks of a stream into complete blocks, and keeps the open parts for the screen.
//!
//! Text that ends a turn without calls is the answer; text beside calls is a thought. So a finished text is
//! held back until the next part begins or the stream ends. Must not know: providers, the graph.

use std::sync::Arc;

use crate::domain::id::TurnId;
use crate::domain::input::Block;
use crate::domain::live::{Live, LivePart};
use crate::domain::node::Channel;
use crate::domain::turn::{Stop, Usage};
use crate::model::{Chunk, MAX_PARTS};

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
/// Things that nobody knows which are told one by one, and how many of them there may be in one stream.
const TOLD: u64 = 5;
const UNKNOWN: u64 = 1 << 14;

/// Returns the shown end of a text and the number of bytes before it.
fn newest(text: &str) -> (u64, &str) {
    let mut from = text.len().saturating_sub(SHOWN).next_multiple_of(STEP);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    (from as u64, text.get(from..).unwrap_or_default())
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
    /// Returns the number of bytes that it holds: its names and the text that was not passed on yet.
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
    parts: Vec<Part>,
    /// Every part before this index was passed on; a turn may have thousands.
    from: usize,
    has_calls: bool,
    bytes: u64,
    /// Total bytes that it was given to keep.
    kept: usize,
    too_long: Option<String>,
    /// Token counts so far.
    pub usage: Usage,
    /// The end mark of the stream.
    pub finish: Option<Stop>,
    /// Things in the stream that nobody knows, as far as they are told one by one.
    pub unknown: Vec<String>,
    /// All of them.
    strange: u64,
    /// The last that was not told.
    untold: Option<String>,
}

impl Assembler {
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
            Chunk::Sealed { part, opaque } => {
                if let Some(found) = self.parts.get_mut(part as usize) {
                    found.sealed = true;
                    found.opaque = opaque;
                }
            }
            Chunk::Unknown { raw } if self.strange <= TOLD => self.unknown.push(raw),
            Chunk::Unknown { raw } => self.untold = Some(raw),
            Chunk::Usage(usage) => self.usage = usage,
            Chunk::Finish(stop) => self.finish = Some(stop),
        }
        self.ready(false)
    }

    /// Returns why nothing more is taken, if the stream became too long.
    pub fn too_long(&self) -> Option<String> {
        self.too_long.clone()
    }

    /// How many things that nobody knows were not told, and the last of them.
    pub fn untold(&mut self) -> Option<(u64, String)> {
        let last = self.untold.take()?;
        Some((self.strange.saturating_sub(TOLD), last))
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
            Chunk::Unknown { raw } => {
                self.strange += 1;
                (0, raw.len())
            }
            Chunk::Usage(_) | Chunk::Finish(_) => return,
        };
        let known = !matches!(chunk, Chunk::Unknown { .. });
        self.kept = self.kept.saturating_add(adds);
        let has = self.parts.get(part as usize).map_or(0, Part::len);
        if self.too_long.is_some() {
            return;
        }
        self.too_long = if known && has.saturating_add(adds) > PART {
            Some(format!("one block of the reply has more than {} MiB", PART >> 20))
        } else if self.kept > ALL {
            Some(format!("the reply has more than {} MiB", ALL >> 20))
        } else if part as usize >= MAX_PARTS {
            Some(format!("the reply has more than {MAX_PARTS} blocks"))
        } else if self.strange > UNKNOWN {
            Some(format!(
                "the reply has more than {UNKNOWN} things that nobody knows"
            ))
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

    /// Ends the stream by its own end mark: everything sealed is complete.
    pub fn end(&mut self) -> Vec<Block> {
        self.ready(true)
    }

    /// Returns complete blocks that were not passed on yet. A call may overtake open text: a sealed call
    /// waits for nothing but its place among the calls.
    fn ready(&mut self, ended: bool) -> Vec<Block> {
        let whole = self.finish.as_ref().is_some_and(Stop::is_meant);
        let last = self.parts.len().saturating_sub(1);
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
                Kind::Text if ended && index == last && !self.has_calls && whole => {
                    blocks.push(Block::Answer { text });
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
                    args: if text.trim().is_empty() {
                        Arc::from("{}")
                    } else {
                        text
                    },
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(part: u32, delta: &str) -> Chunk {
        Chunk::Text {
            part,
            delta: delta.into(),
        }
    }

    fn call(part: u32, name: &str) -> Chunk {
        Chunk::Call {
            part,
            id: None,
            name: name.into(),
        }
    }

    fn args(part: u32, delta: &str) -> Chunk {
        Chunk::Args {
            part,
            delta: delta.into(),
        }
    }

    fn sealed(part: u32) -> Chunk {
        Chunk::Sealed { part, opaque: None }
    }

    fn kinds(blocks: &[Block]) -> Vec<String> {
        blocks
            .iter()
            .map(|block| match block {
                Block::Thought { text, .. } => format!("thought {text}"),
                Block::Call { tool, args, .. } => format!("call {tool} {args}"),
                Block::Answer { text } => format!("answer {text}"),
            })
            .collect()
    }

    fn run(chunks: Vec<Chunk>) -> (Vec<Vec<String>>, Vec<String>) {
        let mut assembler = Assembler::default();
        let during = chunks
            .into_iter()
            .map(|chunk| kinds(&assembler.push(chunk)))
            .collect();
        let at_end = kinds(&assembler.end());
        (during, at_end)
    }

    #[test]
    fn what_is_shown_of_a_long_text_begins_where_it_began_before_most_words() {
        let mut text = String::new();
        let (mut begins, mut words) = (std::collections::BTreeSet::new(), 0);
        while text.len() < 10 * SHOWN {
            text.push_str("a 日本 ");
            words += 1;
            let (before, shown) = newest(&text);
            assert!(shown.len() <= SHOWN && text.ends_with(shown));
            assert!(text.len() <= SHOWN || shown.len() + STEP + 3 > SHOWN);
            assert_eq!(before as usize + shown.len(), text.len());
            begins.insert(before);
        }
        let most = text.len() / STEP + 1;
        assert!(begins.len() <= most, "{} places for {words} words", begins.len());
    }

    #[test]
    fn text_alone_is_the_answer_and_only_at_the_end() {
        let (during, end) = run(vec![
            text(0, "for"),
            text(0, "ty"),
            sealed(0),
            Chunk::Finish(Stop::End),
        ]);
        assert!(during.iter().all(Vec::is_empty));
        assert_eq!(end, ["answer forty"]);
    }

    #[test]
    fn text_before_a_call_is_a_thought_and_the_call_comes_before_the_end() {
        let (during, end) = run(vec![
            text(0, "look"),
            call(1, "read"),
            args(1, "{}"),
            call(2, "list"),
            sealed(1),
            args(2, "{\"a\":1}"),
            sealed(2),
            Chunk::Finish(Stop::Calls),
        ]);
        assert_eq!(during[1], ["thought look"]);
        assert_eq!(during[4], ["call read {}"]);
        assert_eq!(during[6], [r#"call list {"a":1}"#]);
        assert!(end.is_empty());
    }

    #[test]
    fn a_call_that_was_cut_is_never_a_block() {
        let (during, end) = run(vec![
            call(0, "write"),
            args(0, "{\"path\":\"a"),
            Chunk::Finish(Stop::Length),
        ]);
        assert!(during.iter().all(Vec::is_empty));
        assert!(end.is_empty());
    }

    #[test]
    fn text_that_was_cut_is_a_thought_and_never_an_answer() {
        let (_, end) = run(vec![text(0, "I thi"), Chunk::Finish(Stop::Length)]);
        assert_eq!(end, ["thought I thi"]);
    }

    #[test]
    fn a_part_has_an_end_whatever_it_is_and_nothing_is_taken_behind_it() {
        let most = "x".repeat(PART);
        let begins: [fn(&str) -> Chunk; 3] = [
            |more| text(0, more),
            |more| Chunk::Reasoning {
                part: 0,
                delta: more.into(),
            },
            |more| args(0, more),
        ];
        for (number, more) in begins.into_iter().enumerate() {
            let mut assembler = Assembler::default();
            // The name counts too.
            let name = if number == 2 { "read" } else { "" };
            if number == 2 {
                assembler.push(call(0, name));
            }
            assembler.push(more(&most[name.len()..]));
            assert_eq!(assembler.too_long(), None, "as much as it may have");
            let before = assembler.open_bytes();
            assert!(assembler.push(more("y")).is_empty());
            let why = assembler.too_long().unwrap();
            assert!(why.contains("one block") && why.contains("16 MiB"), "{why}");
            assert!(assembler.push(call(1, "read")).is_empty());
            assert!(assembler.push(sealed(1)).is_empty());
            assert_eq!(assembler.open_bytes(), before);
        }
    }

    #[test]
    fn what_is_open_can_always_be_written_down() {
        // Parts are joined by line breaks.
        const { assert!(ALL + MAX_PARTS < crate::journal::MAX_PAYLOAD) };
    }

    #[test]
    fn all_parts_of_a_stream_together_have_an_end() {
        let mut assembler = Assembler::default();
        let half = "x".repeat(PART / 2);
        for part in 0..4 {
            assembler.push(text(part, &half));
            assert_eq!(assembler.too_long(), None);
        }
        assert!(assembler.push(text(4, "y")).is_empty());
        assert!(assembler.too_long().unwrap().contains("more than 32 MiB"));

        let mut assembler = Assembler::default();
        for part in 0..MAX_PARTS as u32 {
            assembler.push(call(part, "read"));
        }
        assert_eq!(assembler.too_long(), None);
        assembler.push(call(MAX_PARTS as u32, "read"));
        assert!(assembler.too_long().unwrap().contains("16384 blocks"));

        let mut assembler = Assembler::default();
        assembler.push(call(0, "read"));
        let opaque = Some("x".repeat(PART));
        assert!(assembler.push(Chunk::Sealed { part: 0, opaque }).is_empty());
        assert!(assembler.too_long().is_some(), "what nobody reads counts too");
    }

    #[test]
    fn text_after_calls_is_a_thought() {
        let (_, end) = run(vec![
            call(0, "read"),
            args(0, ""),
            text(1, "and then"),
            sealed(0),
            Chunk::Finish(Stop::Calls),
        ]);
        assert_eq!(end, ["thought and then"]);
    }

    #[test]
    fn of_what_nobody_knows_the_first_are_told_the_rest_is_counted_and_all_of_it_has_an_end() {
        let unknown = |raw: &str| Chunk::Unknown { raw: raw.into() };
        let mut assembler = Assembler::default();
        let mut told = Vec::new();
        for number in 0..9 {
            assembler.push(unknown(&number.to_string()));
            told.append(&mut assembler.unknown);
        }
        assert_eq!(told, ["0", "1", "2", "3", "4"]);
        assert_eq!(assembler.untold(), Some((4, "8".to_owned())));
        assert_eq!(assembler.untold(), None, "told once");
        assert_eq!(assembler.too_long(), None);

        let mut assembler = Assembler::default();
        for _ in 0..UNKNOWN {
            assembler.push(unknown("x"));
        }
        assert_eq!(assembler.too_long(), None);
        assembler.push(unknown("x"));
        assert!(assembler.too_long().unwrap().contains("16384 things"));

        let mut assembler = Assembler::default();
        for _ in 0..2 {
            assembler.push(unknown(&"x".repeat(PART)));
        }
        assert_eq!(assembler.too_long(), None);
        assembler.push(unknown("x"));
        assert!(assembler.too_long().unwrap().contains("more than 32 MiB"));
    }

    #[test]
    fn text_that_ended_for_an_unknown_reason_is_no_answer() {
        let (_, end) = run(vec![
            text(0, "half"),
            Chunk::Finish(Stop::Other("because".into())),
        ]);
        assert_eq!(end, ["thought half"]);
    }
}
