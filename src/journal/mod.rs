//! Events on disk: durable order of envelopes and payloads, locks, recovery. Must not know: what
//! events mean, who runs, how anything is shown.
//!
//! A session is a directory with one append-only file of JSON lines, or (read-only) such a file
//! alone. `docs/journal.md` describes the format. What the parts promise:
//! - [`Writer`]: one per session; appends in memory, [`Writer::sync`] makes it durable; after the
//!   first failed write or sync every call fails with that error.
//! - [`read`]: every record up to the first that is not intact, and a word on the rest; never a
//!   panic, never more than a pass over the file.
//! - [`tail`]: the newest of them, without the rest.
//! - [`Records`]: the same records one at a time, decoded where they are wanted.
//! - [`Store`]: makes, lists, finds and deletes sessions.

mod ahead;
mod codec;
mod error;
mod files;
mod line;
mod lines;
mod lock;
mod payload;
mod quick;
mod reader;
mod records;
mod store;
mod summary;
mod tail;
pub mod wire;
mod writer;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use line::{Link, MAX_LINE, decode_line, encode_line};
pub use lock::{holder, is_held};
pub use payload::{BIG, MAX_PAYLOAD};
pub use reader::{Damage, Loaded, MAX_RECORDS, Report, Torn, begins, each, read, verify};
pub use records::Records;
pub use store::{Place, Store};
pub use summary::{Last, Standing, Summary};
pub use tail::tail;
pub use writer::Writer;
