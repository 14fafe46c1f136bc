//! Defines what is recorded of the files that calls change, and what a restore of them does.
//!
//! Must not know: how a file is read, written or saved.

mod change_set;
mod path;
mod raw_text;
mod state;

pub use change_set::{Change, ChangeList, ChangeSet, Head, HeadMove};
pub use path::{FilePath, InvalidPath};
pub use raw_text::RawText;
pub use state::FileState;
