//! What is known of a run, and its words.
//!
//! Must not know: keys, surfaces.

pub mod approval_stats;
pub mod batch;
pub mod bulk_exclusion;
pub mod cached;
pub mod call_group;
pub mod changes;
pub mod danger;
pub mod edit_preview;
pub mod edit_result;
pub mod effects;
pub mod event_text;
pub mod file_look;
pub mod fold;
pub mod frames;
pub mod idle_time;
pub mod interrupted_restore;
pub mod limits;
pub mod link;
pub mod looked_at;
pub mod loops;
pub mod maker;
pub mod orphan_status;
pub mod pace;
pub mod part;
pub mod question;
pub mod readable;
pub mod refusal;
pub mod replay;
pub mod restore_preview;
pub mod run_phase;
pub mod scope;
pub(crate) mod source;
pub mod summary;
pub mod target;
pub mod too_long;
