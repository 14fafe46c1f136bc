//! Assigns the pieces of a streamed message to its parts, and decides when a part is complete.
//!
//! Must not know: frames of a stream, sockets.

mod assign;
mod call;

use std::collections::{HashMap, HashSet};

pub use self::call::{CALL, FUNCTION, added_members};
use self::call::{Call, Piece};
use super::scan::Extent;
use crate::frame::Object;
use crate::think::{Piece as Split, Splitter};
use crate::torn::{self, Joiner};
use crate::{Chunk, MAX_PARTS};

/// All parts so far; a part's number is its index here. Only the newest part can be an unsealed
/// text, an unannounced call, or an unsealed call with complete arguments: every other was
/// completed when the next began. So no operation scans all parts for one piece.
#[derive(Debug, Default)]
pub struct Parts {
    all: Vec<Part>,
    /// The newest call under each index of the server.
    by_index: HashMap<u64, usize>,
    /// The newest call under each id of the server.
    by_id: HashMap<String, usize>,
    /// The newest call.
    newest: Option<usize>,
    /// The calls that the frames since the last look have a part of, by their numbers among the calls.
    touched: Vec<usize>,
    /// The parts that are calls, in order.
    calls: Vec<usize>,
    /// The calls that the frame being read has named.
    named: HashSet<usize>,
    /// Joins the pieces of the newest part, where that is text, and separates reasoning from it.
    think: Option<(Joiner, Splitter)>,
    /// Whether a text or a call began.
    spoke: bool,
    /// Whether the server separates reasoning itself: a closing mark without an opening one is text.
    needs_opening_mark: bool,
    /// True if more parts began than the maximum.
    too_many: bool,
    /// True once a call was sent in two versions.
    contradicts: bool,
    /// Number of bytes that were not passed on directly.
    held: usize,
}

#[derive(Debug)]
struct Part {
    kind: Kind,
    sealed: bool,
    /// Joins the pieces of reasoning and of arguments.
    joiner: Joiner,
    /// The provider's opaque blocks that belong to text or reasoning, as JSON texts.
    opaque: Vec<String>,
}

#[derive(Debug)]
enum Kind {
    Text,
    Reasoning,
    Call(Call),
}

/// Which open parts are complete when nothing more will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// All: the model meant to stop here.
    Meant,
    /// Texts, and calls whose arguments are a whole object: it ran into its limit.
    Whole,
    /// Texts alone: a call of such a message must not run.
    Texts,
}

impl Parts {
    /// Takes a closing mark of reasoning without an opening one as text.
    pub fn need_opening_mark(&mut self) {
        self.needs_opening_mark = true;
    }

    /// Returns true if nothing has begun.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of bytes that were not passed on directly, though perhaps later: names,
    /// the text before them, opaque blocks.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Returns true if more parts began than the maximum: nothing more is taken.
    pub fn too_many(&self) -> bool {
        self.too_many
    }

    /// Notes that the server sent a call in two versions: another client may take the other one.
    pub fn contradict(&mut self) {
        self.contradicts = true;
    }

    /// Returns true once the server sent a call in two versions.
    pub fn contradicts(&self) -> bool {
        self.contradicts
    }

    /// Returns the calls that the frames since the last look have a part of, in order, an entry of a list for itself.
    /// Calls are numbered from 0 in the order in which they began.
    pub fn take_touched(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.touched)
    }

    fn touch(&mut self, part: usize) {
        self.touched.extend(self.calls.binary_search(&part).ok());
    }

    /// Several pieces of one call in a frame that has no list of them are one.
    fn touch_once(&mut self, part: usize) {
        let newest = self.touched.last().and_then(|call| self.calls.get(*call));
        if newest != Some(&part) {
            self.touch(part);
        }
    }

    /// Returns true if there is a call.
    pub fn has_calls(&self) -> bool {
        self.newest.is_some()
    }

    /// True where no call still lacks a part of its arguments.
    pub fn calls_are_whole(&self) -> bool {
        self.all.iter().all(|part| match &part.kind {
            Kind::Call(call) => part.sealed || call.scanner.extent() == Extent::Object,
            Kind::Text | Kind::Reasoning => true,
        })
    }

    /// Adds text that may contain reasoning between marks.
    pub fn text(&mut self, piece: &torn::Piece<'_>, out: &mut Vec<Chunk>) {
        if piece.is_empty() {
            return;
        }
        let first = !self.spoke && !self.needs_opening_mark;
        let (joiner, splitter) = self
            .think
            .get_or_insert_with(|| (Joiner::default(), Splitter::new(first)));
        let pieces = splitter.push(&joiner.push(piece));
        self.split(pieces, out);
    }

    /// Ends the text: something else begins, or nothing more comes.
    fn end_text(&mut self, out: &mut Vec<Chunk>) {
        if let Some((mut joiner, mut splitter)) = self.think.take() {
            let half = joiner.end().map(String::from).unwrap_or_default();
            let mut rest = splitter.push(&half);
            rest.extend(splitter.end());
            self.split(rest, out);
        }
    }

    fn split(&mut self, pieces: Vec<Split>, out: &mut Vec<Chunk>) {
        for piece in pieces {
            match piece {
                Split::Text(delta) => {
                    if let Some(part) = self.open(|kind| matches!(kind, Kind::Text), || Kind::Text, out) {
                        out.push(Chunk::Text { part, delta });
                    }
                }
                Split::Reasoning(delta) => self.think(&delta.into(), out),
                Split::WasReasoning => {
                    let newest = self.all.len().saturating_sub(1) as u32;
                    let open = self.all.last_mut().filter(|part| !part.sealed);
                    if let Some(part) = open.filter(|part| matches!(part.kind, Kind::Text)) {
                        part.kind = Kind::Reasoning;
                        out.push(Chunk::WasReasoning { part: newest });
                    }
                }
            }
        }
    }

    /// Adds reasoning.
    pub fn reasoning(&mut self, piece: &torn::Piece<'_>, out: &mut Vec<Chunk>) {
        if piece.is_empty() {
            return;
        }
        self.end_text(out);
        self.think(piece, out);
    }

    fn think(&mut self, piece: &torn::Piece<'_>, out: &mut Vec<Chunk>) {
        let part = self.open(|kind| matches!(kind, Kind::Reasoning), || Kind::Reasoning, out);
        let open = part.and_then(|part| self.all.get_mut(part as usize));
        if let (Some(part), Some(open)) = (part, open) {
            let delta = open.joiner.push(piece);
            if !delta.is_empty() {
                out.push(Chunk::Reasoning { part, delta });
            }
        }
    }

    /// Adds an opaque block to the newest text or reasoning, or to reasoning without text.
    pub fn opaque(&mut self, raw: &str, out: &mut Vec<Chunk>) {
        self.end_text(out);
        let is_words = |kind: &Kind| matches!(kind, Kind::Text | Kind::Reasoning);
        let Some(part) = self.open(is_words, || Kind::Reasoning, out) else {
            return;
        };
        if let Some(part) = self.all.get_mut(part as usize) {
            part.opaque.push(raw.to_owned());
            self.held += raw.len();
        }
    }

    /// Begins a frame: two calls that it names are two, whatever their ids are.
    pub fn begin_frame(&mut self) {
        self.named.clear();
    }

    /// Adds an entry of `tool_calls`.
    pub fn call(&mut self, raw: &str, call: &Object<'_>, out: &mut Vec<Chunk>) {
        self.piece(Piece::read(call), raw, out);
    }

    /// Adds an old-style `function_call`.
    pub fn function(&mut self, function: &Object<'_>, out: &mut Vec<Chunk>) {
        let piece = Piece::of_function(function);
        let raw = piece.args.clone().whole();
        self.piece(piece, &raw, out);
    }

    /// Returns true where the newest part is a text that more can be added to.
    pub fn is_in_text(&self) -> bool {
        let newest = self.all.last().filter(|part| !part.sealed);
        newest.is_some_and(|part| matches!(part.kind, Kind::Text))
    }

    /// Completes the newest text or reasoning: the next piece begins another part.
    pub fn close(&mut self, out: &mut Vec<Chunk>) {
        self.end_text(out);
        let is_words = |part: &Part| !matches!(part.kind, Kind::Call(_));
        if self.all.last().is_some_and(is_words) {
            self.seal(self.all.len() - 1, out);
        }
    }

    /// Begins a call whose name is complete. Returns its number; none at the maximum number of parts.
    pub fn begin_call(&mut self, id: Option<String>, name: String, out: &mut Vec<Chunk>) -> Option<usize> {
        self.end_text(out);
        self.held += name.len();
        let number = self.begin(Kind::Call(Call::named(id, name)), out)?;
        self.newest = Some(number);
        self.touch_once(number);
        self.announce_newest(out);
        Some(number)
    }

    /// Adds argument text to a call of this number. Returns the text that the piece completed; a piece that comes after
    /// the end of the call, as a whole.
    pub fn add_args(&mut self, number: usize, piece: &torn::Piece<'_>, out: &mut Vec<Chunk>) -> String {
        self.touch_once(number);
        let Some(Part {
            kind: Kind::Call(call),
            sealed: false,
            joiner,
            ..
        }) = self.all.get_mut(number)
        else {
            return piece.clone().whole().into_owned();
        };
        let text = joiner.push(piece);
        if !text.is_empty() {
            call.scanner.feed(&text);
            let (part, delta) = (number as u32, text.clone());
            out.push(Chunk::Args { part, delta });
        }
        text
    }

    /// Adds a member that the provider added to a call.
    pub fn add_member(&mut self, number: usize, key: &str, value: String) {
        if let Some(Part {
            kind: Kind::Call(call),
            ..
        }) = self.all.get_mut(number)
        {
            self.held += value.len();
            call.add_member(key, value);
        }
    }

    /// Ends a call: it is complete if its arguments are a whole object.
    pub fn end_call(&mut self, number: usize, out: &mut Vec<Chunk>) {
        let is_whole = self.all.get(number).is_some_and(|part| match &part.kind {
            Kind::Call(call) => call.scanner.extent() == Extent::Object,
            Kind::Text | Kind::Reasoning => false,
        });
        if is_whole {
            self.seal(number, out);
        }
    }

    /// Ends a call whose arguments are any text.
    pub fn end_text_call(&mut self, number: usize, out: &mut Vec<Chunk>) {
        self.seal(number, out);
    }

    /// Nothing more will come. Texts are complete; which calls are sealed depends on the reason for
    /// the end.
    pub fn seal_rest(&mut self, rest: Rest, out: &mut Vec<Chunk>) {
        self.flush(out);
        for number in 0..self.all.len() {
            let sealable = self.all.get(number).is_some_and(|part| match (&part.kind, rest) {
                (Kind::Text | Kind::Reasoning, _) | (Kind::Call(_), Rest::Meant) => true,
                (Kind::Call(call), Rest::Whole) => call.scanner.extent() == Extent::Object,
                (Kind::Call(_), Rest::Texts) => false,
            });
            if sealable {
                self.seal(number, out);
            }
        }
    }

    /// Passes on the buffered rest: the end of a text, the name of a call.
    pub fn flush(&mut self, out: &mut Vec<Chunk>) {
        self.end_text(out);
        self.announce_newest(out);
    }

    fn announce_newest(&mut self, out: &mut Vec<Chunk>) {
        let newest = self.all.len().saturating_sub(1);
        if let Some(Part {
            kind: Kind::Call(call),
            ..
        }) = self.all.last_mut()
        {
            announce(newest, call, out);
        }
    }

    /// The number of the newest part if it is of the kind wanted and open, else of a new one; none
    /// beyond the maximum.
    fn open(
        &mut self,
        same: impl Fn(&Kind) -> bool,
        new: impl Fn() -> Kind,
        out: &mut Vec<Chunk>,
    ) -> Option<u32> {
        let fits = self
            .all
            .last()
            .is_some_and(|part| !part.sealed && same(&part.kind));
        if !fits {
            self.begin(new(), out)?;
        }
        Some(self.all.len() as u32 - 1)
    }

    /// Begins a part, which completes the text before it or the call whose arguments are complete.
    /// Returns its number; none at the maximum number of parts.
    fn begin(&mut self, kind: Kind, out: &mut Vec<Chunk>) -> Option<usize> {
        if self.all.len() >= MAX_PARTS {
            self.too_many = true;
            return None;
        }
        self.announce_newest(out);
        let complete = self.all.last().is_some_and(|part| match &part.kind {
            Kind::Call(call) => call.scanner.extent() == Extent::Object,
            Kind::Text | Kind::Reasoning => true,
        });
        if complete {
            self.seal(self.all.len() - 1, out);
        }
        self.spoke |= !matches!(kind, Kind::Reasoning);
        if matches!(kind, Kind::Call(_)) {
            self.calls.push(self.all.len());
        }
        self.all.push(Part {
            kind,
            sealed: false,
            joiner: Joiner::default(),
            opaque: Vec::new(),
        });
        Some(self.all.len() - 1)
    }

    fn seal(&mut self, number: usize, out: &mut Vec<Chunk>) {
        let Some(part) = self.all.get_mut(number).filter(|part| !part.sealed) else {
            return;
        };
        part.sealed = true;
        if let Some(half) = part.joiner.end() {
            let (part_number, delta) = (number as u32, String::from(half));
            out.push(match &part.kind {
                Kind::Text => Chunk::Text {
                    part: part_number,
                    delta,
                },
                Kind::Reasoning => Chunk::Reasoning {
                    part: part_number,
                    delta,
                },
                Kind::Call(_) => Chunk::Args {
                    part: part_number,
                    delta,
                },
            });
        }
        let opaque = match &part.kind {
            Kind::Text | Kind::Reasoning => {
                (!part.opaque.is_empty()).then(|| format!("[{}]", part.opaque.join(",")))
            }
            Kind::Call(call) => call.opaque(),
        };
        out.push(Chunk::Sealed {
            part: number as u32,
            opaque,
        });
    }
}

/// Announces a call with the text held back, unless that was done before.
fn announce(number: usize, call: &mut Call, out: &mut Vec<Chunk>) {
    if call.announced {
        return;
    }
    call.announced = true;
    let part = number as u32;
    out.push(Chunk::Call {
        part,
        id: call.id.clone(),
        name: call.name.clone(),
    });
    if !call.waiting.is_empty() {
        let delta = std::mem::take(&mut call.waiting);
        out.push(Chunk::Args { part, delta });
    }
}
