//! Turns the chunks of a stream into complete blocks, and keeps what is open for the screen.
//!
//! Text that ends a turn without calls is the answer; text beside calls is a thought. So a finished
//! text is held back until the next part begins or the stream ends. Must not know: providers, the
//! graph.

use std::sync::Arc;

use crate::domain::id::TurnId;
use crate::domain::input::Block;
use crate::domain::live::{Live, LivePart};
use crate::domain::node::Channel;
use crate::domain::turn::{Stop, Usage};
use crate::model::Chunk;

/// Bytes of an open part that the screen is given, the newest ones: it follows the end, and is given
/// them many times a second however long the part has become.
const SHOWN: usize = 8 * 1024;
/// It begins at a multiple of so many bytes: what is on the screen moves when a piece of it goes, not with
/// each word that comes.
const STEP: usize = 2 * 1024;

/// The end of a text that is shown, and the bytes before it.
fn newest(text: &str) -> (u64, &str) {
    let mut from = text.len().saturating_sub(SHOWN).next_multiple_of(STEP);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    (from as u64, text.get(from..).unwrap_or_default())
}

/// One part in the making.
#[derive(Debug)]
struct Part {
    kind: Kind,
    text: String,
    sealed: bool,
    opaque: Option<String>,
    /// Handed on already.
    done: bool,
}

#[derive(Debug)]
enum Kind {
    Text,
    Reasoning,
    Call { id: Option<String>, tool: String },
}

/// The parts of one stream.
#[derive(Debug, Default)]
pub struct Assembler {
    parts: Vec<Part>,
    /// Every part before this one was handed on: a turn may have thousands.
    from: usize,
    has_calls: bool,
    bytes: u64,
    /// Token counts so far.
    pub usage: Usage,
    /// The end mark.
    pub finish: Option<Stop>,
    /// Things in the stream that nobody knows.
    pub unknown: Vec<String>,
}

impl Assembler {
    /// Takes a chunk; gives the blocks that it completed.
    pub fn push(&mut self, chunk: Chunk) -> Vec<Block> {
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
            Chunk::Unknown { raw } => self.unknown.push(raw),
            Chunk::Usage(usage) => self.usage = usage,
            Chunk::Finish(stop) => self.finish = Some(stop),
        }
        self.ready(false)
    }

    fn extend(&mut self, part: u32, kind: Kind, delta: &str) {
        self.bytes += delta.len() as u64;
        let at = part as usize;
        // Parts are numbered as they begin; a gap would be a defect of the decoder and is filled with nothing.
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

    /// The stream ended by its own end mark: everything sealed is complete.
    pub fn end(&mut self) -> Vec<Block> {
        self.ready(true)
    }

    /// Complete blocks that were not handed on yet. Calls may overtake an open text: a sealed call
    /// must not wait for anything but its order among the calls.
    fn ready(&mut self, ended: bool) -> Vec<Block> {
        let whole = self.finish.as_ref().is_some_and(Stop::is_whole);
        let last = self.parts.len().saturating_sub(1);
        let mut blocks = Vec::new();
        for (index, part) in self.parts.iter_mut().enumerate().skip(self.from) {
            if part.done {
                continue;
            }
            let is_call = matches!(part.kind, Kind::Call { .. });
            // Text in front of another part is complete even if the provider does not say so.
            let complete = part.sealed || (!is_call && (index < last || ended));
            if !complete {
                if is_call || ended {
                    continue;
                }
                break;
            }
            // The last text waits: it is the answer if nothing follows it.
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

    /// Parts that were not handed on.
    fn open(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().skip(self.from).filter(|part| !part.done)
    }

    /// What is open, for the screen.
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

    /// All open text, for the partial record; none where nothing is open.
    pub fn open_text(&self) -> Option<String> {
        let open: Vec<&str> = self
            .open()
            .filter(|part| !part.text.is_empty())
            .map(|part| part.text.as_str())
            .collect();
        if open.is_empty() {
            None
        } else {
            Some(open.join("\n"))
        }
    }

    /// Bytes of all open text.
    pub fn open_bytes(&self) -> u64 {
        self.open().map(|part| part.text.len() as u64).sum()
    }

    /// Bytes received so far.
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
}
