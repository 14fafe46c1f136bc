//! Checks whether the files of this workspace are tracked, and how much is saved.
//!
//! Must not know: how files are tracked.

use std::path::Path;

use super::{Check, Status};
use crate::build::AppContext;

/// Most entries of the store that are counted.
const MOST: usize = 1_000_000;
const MIB: u64 = 1 << 20;

/// The check.
pub(super) fn check(context: &AppContext) -> Check {
    let new = |status, detail: String| Check::new("files", status, detail);
    let set = &context.settings.files;
    if !set.track.value {
        let why = "what commands change is not recorded: `track` is false in [files]";
        return new(Status::Warning, why.to_owned());
    }
    let tracked = context.tracked(&context.workspace);
    if let Some(why) = tracked.notice {
        return new(Status::Warning, why);
    }
    let saved = context.contents().map_or(0, |dir| bytes_below(&dir)) / MIB;
    let limit = set.max_store.value / MIB;
    let detail =
        format!("what calls change is recorded; {saved} MiB of {limit} MiB are saved for all workspaces");
    new(Status::Ok, detail)
}

/// The bytes of all files below a directory.
fn bytes_below(dir: &Path) -> u64 {
    let (mut open, mut bytes, mut seen) = (vec![dir.to_owned()], 0_u64, 0_usize);
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            seen = seen.saturating_add(1);
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                open.push(entry.path());
            } else {
                bytes = bytes.saturating_add(about.len());
            }
        }
        if seen > MOST {
            break;
        }
    }
    bytes
}
