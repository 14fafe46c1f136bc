//! Assigns the pieces of a streamed message to its parts, and decides when a part is complete. Must not know:
//! frames of a stream, sockets.

use std::borrow::Cow;
use std::collections::HashMap;

use super::frame::{Object, string};
use super::scan::{Extent, Scanner};
use crate::model::{Chunk, MAX_PARTS};

/// All parts so far; a part's number is its place here. Only the newest part can be a text that is not sealed, a call
/// that was not announced, or an unsealed call whose arguments are whole: every other was dealt with when the next
/// began. So nothing here looks at all parts for one piece.
#[derive(Debug, Default)]
pub struct Parts {
    all: Vec<Part>,
    /// The newest call under each index of the server.
    by_index: HashMap<u64, usize>,
    /// The newest call under each id of the server.
    by_id: HashMap<String, usize>,
    /// The newest call.
    newest: Option<usize>,
    /// More parts were begun than there may be.
    too_many: bool,
    /// Bytes that were not passed on as they came.
    held: usize,
}

#[derive(Debug)]
struct Part {
    kind: Kind,
    sealed: bool,
}

#[derive(Debug)]
enum Kind {
    Text,
    /// Reasoning with the provider's opaque blocks as JSON texts.
    Reasoning(Vec<String>),
    Call(Call),
}

#[derive(Debug, Default)]
struct Call {
    id: Option<String>,
    name: String,
    /// Argument text held back until the name is known to be complete.
    waiting: String,
    announced: bool,
    scanner: Scanner,
}

/// Which open parts are complete when nothing more will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// All: the model meant to stop here.
    Meant,
    /// Texts, and calls whose arguments are a whole object: it ran into its limit.
    Whole,
    /// Texts alone: a call of such a message is not to run.
    Texts,
}

/// What one delta says of a call.
struct Piece {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    args: String,
}

impl Parts {
    /// Returns true if nothing has begun.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of bytes that were not passed on as they came, though perhaps later: names, what
    /// preceded them, opaque blocks.
    pub fn held(&self) -> usize {
        self.held
    }

    /// True where more parts were begun than there may be: nothing more is taken.
    pub fn too_many(&self) -> bool {
        self.too_many
    }

    /// True where the newest part is a call and no call still lacks a part of its arguments.
    pub fn ends_in_whole_calls(&self) -> bool {
        let whole = |part: &Part| match &part.kind {
            Kind::Call(call) => part.sealed || call.scanner.extent() == Extent::Object,
            Kind::Text | Kind::Reasoning(_) => true,
        };
        matches!(self.all.last().map(|part| &part.kind), Some(Kind::Call(_))) && self.all.iter().all(whole)
    }

    /// Adds text.
    pub fn text(&mut self, delta: &str, out: &mut Vec<Chunk>) {
        if delta.is_empty() {
            return;
        }
        let Some(part) = self.open(|kind| matches!(kind, Kind::Text), || Kind::Text, out) else {
            return;
        };
        out.push(Chunk::Text {
            part,
            delta: delta.to_owned(),
        });
    }

    /// Adds reasoning.
    pub fn reasoning(&mut self, delta: &str, out: &mut Vec<Chunk>) {
        if delta.is_empty() {
            return;
        }
        let Some(part) = self.open(
            |kind| matches!(kind, Kind::Reasoning(_)),
            || Kind::Reasoning(Vec::new()),
            out,
        ) else {
            return;
        };
        out.push(Chunk::Reasoning {
            part,
            delta: delta.to_owned(),
        });
    }

    /// Adds an opaque block to the newest reasoning; returns false if there is none that it could belong to.
    pub fn opaque(&mut self, raw: &str) -> bool {
        let open = self.all.last_mut().and_then(|part| match &mut part.kind {
            Kind::Reasoning(blocks) if !part.sealed => Some(blocks),
            _ => None,
        });
        let taken = open.map(|blocks| blocks.push(raw.to_owned())).is_some();
        self.held += if taken { raw.len() } else { 0 };
        taken
    }

    /// Adds an entry of `tool_calls`.
    pub fn call(&mut self, raw: &str, call: &Object<'_>, out: &mut Vec<Chunk>) {
        let function = call.object("function");
        let function = function.as_ref().unwrap_or(call);
        let piece = Piece {
            index: call.number("index"),
            id: call.filled("id").map(Cow::into_owned),
            name: function.filled("name").map(Cow::into_owned),
            args: argument_text(function),
        };
        self.piece(piece, raw, out);
    }

    /// Adds an old-style `function_call`, which has neither index nor id.
    pub fn function(&mut self, function: &Object<'_>, out: &mut Vec<Chunk>) {
        let name = function.filled("name").map(Cow::into_owned);
        let args = argument_text(function);
        let raw = args.clone();
        self.piece(
            Piece {
                index: None,
                id: None,
                name,
                args,
            },
            &raw,
            out,
        );
    }

    /// Nothing more will come. Texts are complete as they stand; which calls are sealed depends on why it ended.
    pub fn seal_rest(&mut self, rest: Rest, out: &mut Vec<Chunk>) {
        self.flush(out);
        for number in 0..self.all.len() {
            let sealable = self.all.get(number).is_some_and(|part| match (&part.kind, rest) {
                (Kind::Text | Kind::Reasoning(_), _) | (Kind::Call(_), Rest::Meant) => true,
                (Kind::Call(call), Rest::Whole) => call.scanner.extent() == Extent::Object,
                (Kind::Call(_), Rest::Texts) => false,
            });
            if sealable {
                self.seal(number, out);
            }
        }
    }

    /// Gives out the call whose name is still held back.
    pub fn flush(&mut self, out: &mut Vec<Chunk>) {
        let newest = self.all.len().saturating_sub(1);
        if let Some(Part {
            kind: Kind::Call(call),
            ..
        }) = self.all.last_mut()
        {
            announce(newest, call, out);
        }
    }

    /// The number of the newest part if it is of the kind wanted and open, else of a new one; none where there may be
    /// no more.
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

    /// Begins a part, which completes the text before it or the call whose arguments are whole. Gives its number; none
    /// where there are as many as there may be.
    fn begin(&mut self, kind: Kind, out: &mut Vec<Chunk>) -> Option<usize> {
        if self.all.len() >= MAX_PARTS {
            self.too_many = true;
            return None;
        }
        self.flush(out);
        let complete = self.all.last().is_some_and(|part| match &part.kind {
            Kind::Call(call) => call.scanner.extent() == Extent::Object,
            Kind::Text | Kind::Reasoning(_) => true,
        });
        if complete {
            self.seal(self.all.len() - 1, out);
        }
        self.all.push(Part { kind, sealed: false });
        Some(self.all.len() - 1)
    }

    fn seal(&mut self, number: usize, out: &mut Vec<Chunk>) {
        let Some(part) = self.all.get_mut(number).filter(|part| !part.sealed) else {
            return;
        };
        part.sealed = true;
        let opaque = match &mut part.kind {
            Kind::Reasoning(blocks) if !blocks.is_empty() => Some(format!("[{}]", blocks.join(","))),
            _ => None,
        };
        out.push(Chunk::Sealed {
            part: number as u32,
            opaque,
        });
    }

    fn piece(&mut self, piece: Piece, raw: &str, out: &mut Vec<Chunk>) {
        let number = if let Some(number) = self.owner(&piece) {
            number
        } else {
            let call = Call::default();
            let Some(number) = self.begin(Kind::Call(call), out) else {
                return;
            };
            if let Some(index) = piece.index {
                self.by_index.insert(index, number);
            }
            self.newest = Some(number);
            number
        };
        let later = number + 1 < self.all.len();
        let Some(Part {
            kind: Kind::Call(call),
            sealed,
        }) = self.all.get_mut(number)
        else {
            return;
        };
        if *sealed {
            if !piece.args.trim().is_empty() {
                out.push(Chunk::Unknown { raw: raw.to_owned() });
            }
            return;
        }
        if call.id.is_none()
            && let Some(id) = piece.id
        {
            self.by_id.insert(id.clone(), number);
            call.id = Some(id);
        }
        if let Some(name) = piece.name
            && !call.announced
            && name != call.name
        {
            call.name.push_str(&name);
            self.held += name.len();
        }
        call.scanner.feed(&piece.args);
        if call.announced {
            if !piece.args.is_empty() {
                out.push(Chunk::Args {
                    part: number as u32,
                    delta: piece.args,
                });
            }
        } else {
            call.waiting.push_str(&piece.args);
            self.held += piece.args.len();
            if !call.name.is_empty() && !call.waiting.is_empty() {
                announce(number, call, out);
            }
        }
        if later && call.scanner.extent() == Extent::Object {
            announce(number, call, out);
            self.seal(number, out);
        }
    }

    /// Returns the part that a piece continues, or `None` if it begins a new one.
    fn owner(&self, piece: &Piece) -> Option<usize> {
        let number = if let Some(index) = piece.index {
            *self.by_index.get(&index)?
        } else {
            let same_id = piece.id.as_ref().and_then(|id| self.by_id.get(id));
            same_id.copied().or(self.newest)?
        };
        let Kind::Call(call) = &self.all.get(number)?.kind else {
            return None;
        };
        let same_id = piece.id.is_some() && piece.id == call.id;
        (same_id || !call.is_left_by(piece)).then_some(number)
    }
}

impl Call {
    /// Returns true if a piece that seems to belong here must begin another call.
    fn is_left_by(&self, piece: &Piece) -> bool {
        let whole = self.scanner.extent() == Extent::Object;
        let other_id = piece.id.is_some() && self.id.is_some();
        let named = piece.name.is_some();
        let says_args = !piece.args.trim().is_empty();
        if other_id {
            // Some servers invent an id for every delta: it begins a call only with a name, or after a whole
            // object.
            return named || (whole && says_args);
        }
        if !named {
            return false;
        }
        let renamed = piece.name.as_deref() != Some(self.name.as_str());
        match piece.index {
            Some(_) => whole && (renamed || says_args),
            None => says_args && (whole || renamed) || renamed && !self.name.is_empty(),
        }
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

/// Returns the exact argument text: normally the content of a JSON string, from some servers the object
/// itself.
fn argument_text(function: &Object<'_>) -> String {
    match function.get("arguments") {
        None => String::new(),
        Some(raw) => string(raw).map_or_else(|| raw.to_owned(), Cow::into_owned),
    }
}
