//! Examples of events about files.

use super::CALL;
use overrule_domain::call::Digest;
use overrule_domain::event::{Event, FilesEvent};
use overrule_domain::files::{
    Change, ChangeList, ChangeSet, Execution, FilePath, FileState, Head, HeadMove, RawText, RestoreCause,
    RestoreStarted, Skipped, Step, StepList,
};
use overrule_domain::id::{Attempt, NodeId, NodeKind, Seq};

const RESTORE: NodeId = NodeId::new(NodeKind::Intervention, 19);

fn path(bytes: &[u8]) -> FilePath {
    FilePath::new(bytes).unwrap()
}

fn file(hash: &str) -> FileState {
    FileState::File {
        hash: hash.repeat(32),
        size: 12,
        mode: 0o644,
    }
}

fn changes() -> Vec<Change> {
    let change = |name: &[u8], before, after| Change {
        path: path(name),
        before,
        after,
    };
    let large = FileState::Unsaved {
        why: "9.1 MiB, limit 8 MiB".to_owned(),
        size: 9_541_000,
        mtime: -1,
    };
    let link = FileState::Symlink {
        target: RawText(b"\xff/a"[..].into()),
    };
    vec![
        change(b"src/zo\xc3\xab.rs", file("ab"), file("cd")),
        change(b"new\xff", FileState::Missing {}, link),
        change(b"d", FileState::Dir { mode: 0o755 }, FileState::Missing {}),
        change(b"data.bin", large, FileState::Missing {}),
    ]
}

pub(super) fn files() -> Vec<Event> {
    let head = |branch: Option<&str>, commit: Option<&str>| Head {
        branch: branch.map(str::to_owned),
        commit: commit.map(str::to_owned),
    };
    let set = ChangeSet {
        changes: ChangeList(changes()),
        shared: vec![NodeId::new(NodeKind::Call, 7)],
        head: Some(HeadMove {
            before: head(Some("main"), Some("a1b2")),
            after: head(None, None),
        }),
        ignored: vec![path(b"target")],
        untracked: Some("the first scan had not finished".to_owned()),
    };
    let changed = |attempt, set| FilesEvent::Changed {
        call: CALL,
        attempt: Attempt(attempt),
        set: Box::new(set),
    };
    let execution = Execution {
        call: CALL,
        attempt: Attempt(1),
    };
    let step = |name: &[u8], from, to| Step {
        path: path(name),
        from,
        to,
    };
    let started = RestoreStarted {
        restore: RESTORE,
        cause: RestoreCause::Undo,
        digest: Digest("d1".into()),
        steps: StepList(vec![
            step(b"new\xff", file("cd"), FileState::Missing {}),
            step(b"a", file("cd"), file("ab")),
        ]),
        undone: vec![execution],
        redone: Vec::new(),
        of: None,
    };
    let again = RestoreStarted {
        cause: RestoreCause::Restore,
        undone: Vec::new(),
        redone: vec![execution],
        of: Some(RESTORE),
        ..started.clone()
    };
    let all = vec![
        changed(1, set),
        changed(2, ChangeSet::default()),
        FilesEvent::ChangedOutside {
            changes: ChangeList(changes()),
        },
        FilesEvent::RestoreStarted(Box::new(started)),
        FilesEvent::RestoreStarted(Box::new(again)),
        FilesEvent::RestoreContinued { restore: RESTORE },
        FilesEvent::Restored {
            restore: RESTORE,
            done: 1,
            skipped: vec![Skipped {
                path: path(b"a"),
                why: "changed since by something else".to_owned(),
            }],
        },
        FilesEvent::Restored {
            restore: RESTORE,
            done: 2,
            skipped: Vec::new(),
        },
        FilesEvent::Seen { through: Seq(40) },
    ];
    all.into_iter().map(Event::Files).collect()
}
