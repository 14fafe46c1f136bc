//! Defines what is recorded of the files that calls change, and what a restore of them does.
//!
//! Must not know: how a file is read, written or saved.

mod change_set;
mod notice;
mod path;
pub(crate) mod path_history;
pub mod plan;
mod raw_text;
mod record;
mod restore;
pub(crate) mod selection;
pub(crate) mod sources;
mod state;
mod step;

pub use change_set::{Change, ChangeList, ChangeSet, Head, HeadMove};
pub use notice::notices_since;
pub use path::{FilePath, InvalidPath};
pub use path_history::Selection;
pub use raw_text::RawText;
pub use record::{FilesChange, FilesRecord, is_restoring};
pub use restore::{Execution, RestoreCause, RestoreChoice, RestoreEnd, RestoreRecord, RestoreStarted};
pub use state::{FileState, Looked};
pub use step::{Progress, Skipped, Step, StepList, WRITABLE};
