//! Assigns the pieces of calls to their parts.
//!
//! Must not know: frames of a stream, sockets.

use super::super::scan::Extent;
use super::call::{Call, Owner, Piece};
use super::{Kind, Part, Parts, announce};
use crate::Chunk;

impl Parts {
    pub(super) fn piece(&mut self, mut piece: Piece<'_>, raw: &str, out: &mut Vec<Chunk>) {
        self.end_text(out);
        let number = match self.owner(&piece) {
            Owner::Part(number) => number,
            Owner::Repeats(number) => {
                self.touch(number);
                out.push(Chunk::Unknown { raw: raw.to_owned() });
                return;
            }
            Owner::New => {
                let Some(number) = self.begin(Kind::Call(Call::default()), out) else {
                    return;
                };
                if let Some(index) = piece.index {
                    self.by_index.insert(index, number);
                }
                self.newest = Some(number);
                number
            }
        };
        if piece.name.is_some() {
            self.named.insert(number);
        }
        self.touch(number);
        let later = number + 1 < self.all.len();
        let Some(Part {
            kind: Kind::Call(call),
            sealed,
            joiner,
            ..
        }) = self.all.get_mut(number)
        else {
            return;
        };
        if *sealed {
            if !piece.args.is_blank() {
                out.push(Chunk::Unknown { raw: raw.to_owned() });
            }
            return;
        }
        if call.id.is_none()
            && let Some(id) = piece.id.take()
        {
            self.by_id.insert(id.clone(), number);
            call.id = Some(id);
        }
        if let Some(name) = piece.name.take().filter(|name| *name != call.name) {
            if call.announced {
                self.contradicts = true;
            } else {
                call.name.push_str(&name);
                self.held += name.len();
            }
        }
        let args = joiner.push(&piece.args);
        self.held += call.take(&mut piece, &args);
        if call.announced {
            if !args.is_empty() {
                out.push(Chunk::Args {
                    part: number as u32,
                    delta: args,
                });
            }
        } else {
            call.waiting.push_str(&args);
            self.held += args.len();
            if !call.name.is_empty() && !call.waiting.is_empty() {
                announce(number, call, out);
            }
        }
        if later && call.scanner.extent() == Extent::Object {
            announce(number, call, out);
            self.seal(number, out);
        }
    }

    /// Returns which call a piece belongs to.
    fn owner(&self, piece: &Piece<'_>) -> Owner {
        let number = if let Some(index) = piece.index {
            self.by_index.get(&index).copied()
        } else {
            let same_id = piece.id.as_ref().and_then(|id| self.by_id.get(id));
            same_id.copied().or(self.newest)
        };
        let Some((number, part)) = number.and_then(|number| Some((number, self.all.get(number)?))) else {
            return Owner::New;
        };
        let Kind::Call(call) = &part.kind else {
            return Owner::New;
        };
        if piece.name.is_some() && self.named.contains(&number) {
            return Owner::New;
        }
        if piece.id.is_some() && piece.id == call.id {
            return call.of_same_id(piece, number);
        }
        if call.is_left_by(piece) {
            Owner::New
        } else {
            Owner::Part(number)
        }
    }
}
