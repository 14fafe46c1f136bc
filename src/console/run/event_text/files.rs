//! Describes the events about files of the workspace.
//!
//! Must not know: styles, who caused an event.

use overrule_base::text::visible;
use overrule_domain::event::FilesEvent;
use overrule_domain::files::{Change, FilePath};

/// Maximum number of paths that are named.
const MOST: usize = 3;

/// An event about files, without its number and its author.
pub(crate) fn describe(event: &FilesEvent) -> String {
    match event {
        FilesEvent::Changed { call, set, .. } => {
            let changed = changed(&set.changes.0);
            match &set.untracked {
                Some(why) => format!("{call} {changed}; not all is known: {}", visible(why)),
                None => format!("{call} {changed}"),
            }
        }
        FilesEvent::ChangedOutside { changes } => format!("something else {}", changed(&changes.0)),
        FilesEvent::RestoreStarted(started) => {
            let paths = started.steps.0.iter().map(|step| &step.path);
            format!("{} ({})", started.describe(), list(paths))
        }
        FilesEvent::RestoreContinued { restore } => format!("{restore} continues"),
        FilesEvent::Restored {
            restore,
            done,
            skipped,
        } if skipped.is_empty() => format!("{restore} restored {done}"),
        FilesEvent::Restored {
            restore,
            done,
            skipped,
        } => {
            let paths = skipped.iter().map(|one| &one.path);
            format!("{restore} restored {done}, not {}", list(paths))
        }
        FilesEvent::Seen { through } => format!("changes up to {through} were seen"),
    }
}

fn changed(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "changed no files".to_owned();
    }
    format!("changed {}", list(changes.iter().map(|change| &change.path)))
}

fn list<'p>(paths: impl ExactSizeIterator<Item = &'p FilePath>) -> String {
    let more = paths.len().saturating_sub(MOST);
    let mut words: Vec<String> = paths.take(MOST).map(|path| visible(&path.text())).collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::files::{ChangeList, ChangeSet, FileState, Skipped};
    use overrule_domain::id::{Attempt, NodeId, NodeKind};

    fn path(text: &str) -> FilePath {
        FilePath::new(text).unwrap()
    }

    #[test]
    fn what_changed_is_named_up_to_three_paths() {
        let change = |name: &str| Change {
            path: path(name),
            before: FileState::Missing {},
            after: FileState::Dir { mode: 0o755 },
        };
        let of = |names: &[&str], untracked: Option<&str>| {
            describe(&FilesEvent::Changed {
                call: NodeId::new(NodeKind::Call, 5),
                attempt: Attempt(1),
                set: Box::new(ChangeSet {
                    changes: ChangeList(names.iter().map(|name| change(name)).collect()),
                    untracked: untracked.map(str::to_owned),
                    ..ChangeSet::default()
                }),
            })
        };
        assert_eq!(of(&[], None), "c5 changed no files");
        assert_eq!(of(&["a\u{1b}"], None), "c5 changed a⟨U+001B⟩");
        assert_eq!(of(&["a", "b", "c", "d", "e"], None), "c5 changed a, b, c, 2 more");
        assert_eq!(
            of(&["a"], Some("store full")),
            "c5 changed a; not all is known: store full"
        );
    }

    #[test]
    fn what_was_not_restored_is_named() {
        let restore = NodeId::new(NodeKind::Intervention, 19);
        let of = |skipped| {
            describe(&FilesEvent::Restored {
                restore,
                done: 4,
                skipped,
            })
        };
        assert_eq!(of(Vec::new()), "i19 restored 4");
        let skipped = Skipped {
            path: path("a"),
            why: "x".into(),
        };
        assert_eq!(of(vec![skipped]), "i19 restored 4, not a");
    }
}
