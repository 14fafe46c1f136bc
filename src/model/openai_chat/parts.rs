//! Assigns the pieces of a streamed message to its parts, and decides when a part is complete. Must not know:
//! frames of a stream, sockets.

use std::borrow::Cow;

use super::frame::{Object, string};
use super::scan::{Extent, Scanner};
use crate::model::Chunk;

/// All parts so far; a part's number is its index here.
#[derive(Debug, Default)]
pub struct Parts {
    all: Vec<Part>,
    /// Number of bytes that were not passed on as they came.
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
    index: Option<u64>,
    id: Option<String>,
    name: String,
    /// Argument text held back until the name is known to be complete.
    waiting: String,
    announced: bool,
    scanner: Scanner,
}

/// What one delta contains about a call.
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

    /// Returns true if there is a call.
    pub fn any_call(&self) -> bool {
        self.all.iter().any(|part| matches!(part.kind, Kind::Call(_)))
    }

    /// Adds text.
    pub fn text(&mut self, delta: &str, out: &mut Vec<Chunk>) {
        if delta.is_empty() {
            return;
        }
        let part = self.open(|kind| matches!(kind, Kind::Text), || Kind::Text, out);
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
        let part = self.open(
            |kind| matches!(kind, Kind::Reasoning(_)),
            || Kind::Reasoning(Vec::new()),
            out,
        );
        out.push(Chunk::Reasoning {
            part,
            delta: delta.to_owned(),
        });
    }

    /// Adds an opaque block to the newest reasoning; returns false if there is none that it could belong to.
    pub fn opaque(&mut self, raw: &str) -> bool {
        let open = self.all.iter_mut().rev().find_map(|part| match &mut part.kind {
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

    /// Completes the parts when nothing more will come. Text is complete as it is. A call is sealed if its
    /// arguments are a whole object, and otherwise only if the model meant to stop: a call cut by the token
    /// limit is never sealed.
    pub fn seal_rest(&mut self, meant: bool, out: &mut Vec<Chunk>) {
        self.flush(out);
        for number in 0..self.all.len() {
            let sealable = self.all.get(number).is_some_and(|part| match &part.kind {
                Kind::Call(call) => meant || call.scanner.extent() == Extent::Object,
                Kind::Text | Kind::Reasoning(_) => true,
            });
            if sealable {
                self.seal(number, out);
            }
        }
    }

    /// Passes on calls whose name was still held back.
    pub fn flush(&mut self, out: &mut Vec<Chunk>) {
        for (number, part) in self.all.iter_mut().enumerate() {
            if let Kind::Call(call) = &mut part.kind {
                announce(number, call, out);
            }
        }
    }

    /// Returns the number of the newest part if it is open and of the wanted kind, otherwise that of a new
    /// one.
    fn open(&mut self, same: impl Fn(&Kind) -> bool, new: impl Fn() -> Kind, out: &mut Vec<Chunk>) -> u32 {
        let fits = self
            .all
            .last()
            .is_some_and(|part| !part.sealed && same(&part.kind));
        if !fits {
            self.begin(new(), out);
        }
        self.all.len() as u32 - 1
    }

    /// Begins a part, which completes the texts before it and the calls with whole arguments.
    fn begin(&mut self, kind: Kind, out: &mut Vec<Chunk>) {
        self.flush(out);
        for number in 0..self.all.len() {
            let complete = self.all.get(number).is_some_and(|part| match &part.kind {
                Kind::Call(call) => call.scanner.extent() == Extent::Object,
                Kind::Text | Kind::Reasoning(_) => true,
            });
            if complete {
                self.seal(number, out);
            }
        }
        self.all.push(Part { kind, sealed: false });
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
            let call = Call {
                index: piece.index,
                ..Call::default()
            };
            self.begin(Kind::Call(call), out);
            self.all.len() - 1
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
        if call.id.is_none() {
            call.id = piece.id;
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
        let calls = || {
            self.all
                .iter()
                .enumerate()
                .rev()
                .filter_map(|(number, part)| match &part.kind {
                    Kind::Call(call) => Some((number, call)),
                    _ => None,
                })
        };
        let same_id = |call: &Call| piece.id.is_some() && piece.id == call.id;
        let (number, call) = match piece.index {
            Some(index) => calls().find(|(_, call)| call.index == Some(index))?,
            None => calls()
                .find(|(_, call)| same_id(call))
                .or_else(|| calls().next())?,
        };
        (same_id(call) || !call.is_left_by(piece)).then_some(number)
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
