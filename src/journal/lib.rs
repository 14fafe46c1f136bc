//! Stores events on disk: the durable order of envelopes and payloads, locks, and recovery.
//!
//! Must not know: what events mean, who runs, how anything is shown.
//!
//! A session is a directory with one append-only file of JSON lines or, read-only, such a file
//! alone. `docs/journal.md` describes the format. The parts guarantee:
//! - [`Writer`]: one per session. It appends in memory, and [`Writer::sync`] makes that durable.
//!   After the first failed write or sync every call fails with that error.
//! - [`read`]: every record up to the first that is not intact, and a description of the rest. It
//!   never panics and reads the file once.
//! - [`salvage`]: the intact records after damage.
//! - [`Records`]: the same records one at a time, decoded on demand.
//! - [`Store`]: creates, lists, finds and deletes sessions.
//! - [`LearnedFiles`]: what the sessions of a workspace learned, for the next one.

mod codec;
mod dirs;
mod error;
mod learned;
mod line;
mod lines;
mod lock;
mod lost_first;
mod payload;
mod reader;
mod records;
mod salvage;
mod store;
mod summary;
pub mod wire;
mod writer;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use learned::{LearnedFile, LearnedFiles};
pub use line::{Link, MAX_LINE, decode_line, encode_line};
pub use lock::{holder, is_held};
pub use lost_first::after_lost_first;
pub use payload::{BIG, MAX_PAYLOAD};
pub use reader::{Damage, Loaded, MAX_RECORDS, Report, Torn, each, first, read, verify};
pub use records::Records;
pub use salvage::{Salvaged, salvage};
pub use store::{LastSession, Place, Store};
pub use summary::{Last, SessionStatus, Summary};
pub use writer::Writer;
