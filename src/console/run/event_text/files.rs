//! Describes the events about files of the workspace.
//!
//! Must not know: styles, who caused an event.

use crate::run::changes::reason;
use overrule_base::text::visible;
use overrule_domain::event::FilesEvent;
use overrule_domain::files::{Change, ChangeSet, FilePath, Head};

/// Maximum number of paths that are named.
const MOST: usize = 3;
/// Maximum number of characters of a path.
const LONGEST: usize = 80;

/// An event about files, without its number and its author.
pub(crate) fn describe(event: &FilesEvent) -> String {
    match event {
        FilesEvent::Changed { call, set, .. } => format!("{call} {}", of_set(set)),
        FilesEvent::ChangedOutside { changes } => format!("something else {}", changed(&changes.0)),
        FilesEvent::RestoreStarted(started) => {
            let paths = started.steps.0.iter().map(|step| &step.path);
            format!("{}: {} ({})", started.restore, started.describe(), list(paths))
        }
        FilesEvent::RestoreContinued { restore } => format!("the restore {restore} continues"),
        FilesEvent::Restored {
            restore,
            done,
            skipped,
        } => {
            let done = match done {
                1 => "1 path".to_owned(),
                count => format!("{count} paths"),
            };
            if skipped.is_empty() {
                return format!("restored {done} ({restore})");
            }
            let why = skipped.first().map(|one| reason(&one.why)).unwrap_or_default();
            let all_same = skipped
                .iter()
                .all(|one| Some(&one.why) == skipped.first().map(|one| &one.why));
            let why = if all_same {
                format!(": {why}")
            } else {
                String::new()
            };
            let paths = skipped.iter().map(|one| &one.path);
            format!("restored {done}, not {}{why} ({restore})", list(paths))
        }
        FilesEvent::Seen { through } => format!("changes of files up to {through} are seen"),
    }
}

/// What an execution changed, and what is not known of it.
fn of_set(set: &ChangeSet) -> String {
    let mut words = vec![changed(&set.changes.0)];
    if !set.ignored.is_empty() {
        words.push(format!(
            "wrote in {} (ignored; not restorable)",
            list(set.ignored.iter())
        ));
    }
    if let Some(moved) = &set.head {
        words.push(format!(
            "moved HEAD from {} to {}",
            head(&moved.before),
            head(&moved.after)
        ));
    }
    if !set.shared.is_empty() {
        let calls: Vec<String> = set.shared.iter().map(ToString::to_string).collect();
        words.push(format!("{} ran at the same time", calls.join(", ")));
    }
    if let Some(why) = &set.untracked {
        words.push(format!("not all is known: {}", reason(why)));
    }
    words.join("; ")
}

/// What is checked out, such as `main a1b2c3d`.
fn head(head: &Head) -> String {
    let commit = head
        .commit
        .as_deref()
        .map(|commit| commit.get(..7).unwrap_or(commit));
    let words: Vec<String> = head
        .branch
        .as_deref()
        .into_iter()
        .chain(commit)
        .map(visible)
        .collect();
    if words.is_empty() {
        "nothing".to_owned()
    } else {
        words.join(" ")
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
    let mut words: Vec<String> = paths.take(MOST).map(named).collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join(", ")
}

/// A path; of a long one its end.
fn named(path: &FilePath) -> String {
    let text = path.text();
    let all = text.chars().count();
    if all <= LONGEST {
        return visible(&text);
    }
    let end: String = text.chars().skip(all - LONGEST).collect();
    format!("…{}", visible(&end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::files::{ChangeList, FileState, HeadMove, Skipped};
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
        assert_eq!(of(Vec::new()), "restored 4 paths (i19)");
        let skipped = Skipped {
            path: path("a"),
            why: "x".into(),
        };
        assert_eq!(of(vec![skipped]), "restored 4 paths, not a: x (i19)");
    }

    #[test]
    fn what_is_not_restorable_is_named_with_its_cause() {
        let commit = |branch: Option<&str>, commit: &str| Head {
            branch: branch.map(str::to_owned),
            commit: Some(commit.to_owned()),
        };
        let set = ChangeSet {
            ignored: vec![path("target")],
            head: Some(HeadMove {
                before: commit(Some("main"), "a1b2c3d4e5"),
                after: commit(None, "c3d4"),
            }),
            shared: vec![NodeId::new(NodeKind::Call, 7)],
            ..ChangeSet::default()
        };
        assert_eq!(
            of_set(&set),
            "changed no files; wrote in target (ignored; not restorable); moved HEAD from main a1b2c3d to c3d4; \
             c7 ran at the same time"
        );
    }

    #[test]
    fn hostile_paths_are_visible_and_bounded() {
        let hostile = [
            path("a\u{202e}b"),
            FilePath::new(vec![b'x', 0xff, 0x1b]).unwrap(),
            path("d/".repeat(150).trim_end_matches('/')),
        ];
        let words = list(hostile.iter());
        assert!(
            words.chars().all(|c| !c.is_control() && c != '\u{202e}'),
            "{words}"
        );
        assert!(words.chars().count() < 200, "{words}");
    }
}
