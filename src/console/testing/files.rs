//! Files of the workspace that calls of a run change, with their contents.
//!
//! Must not know: terminals, file systems.

use std::collections::{BTreeMap, BTreeSet};

use super::{Stage, id};
use crate::kernel::msg::Msg;
use crate::run::file_look::FileLook;
use crate::run::link::Update;
use crate::run::looked_at::LookedAt;
use overrule_domain::call::Outcome;
use overrule_domain::command::Command;
use overrule_domain::decide;
use overrule_domain::event::{Event, FilesEvent, TurnEvent};
use overrule_domain::files::{Change, ChangeList, ChangeSet, FilePath, FileState, Looked, Skipped};
use overrule_domain::id::{Attempt, Seq, TurnId};
use overrule_domain::refusal::Refusal;
use overrule_domain::state::State;

/// Files by path, and every content that was saved by its hash.
#[derive(Debug, Clone, Default)]
pub struct FakeFiles {
    now: BTreeMap<FilePath, FileState>,
    contents: BTreeMap<String, String>,
    /// The hashes of contents that are not saved any more.
    lost: BTreeSet<String>,
}

/// A path.
pub fn path(name: &str) -> FilePath {
    FilePath::new(name).unwrap()
}

impl FakeFiles {
    /// The state of a file with this content; missing for none. The content is saved.
    pub fn state(&mut self, content: Option<&str>) -> FileState {
        let Some(content) = content else {
            return FileState::Missing {};
        };
        let hash = overrule_base::canon::hash("test", &[content.as_bytes()]);
        self.contents.insert(hash.clone(), content.to_owned());
        FileState::File {
            hash,
            size: content.len() as u64,
            mode: 0o644,
        }
    }

    /// A file gets this content.
    pub fn put(&mut self, name: FilePath, content: Option<&str>) {
        let state = self.state(content);
        self.now.insert(name, state);
    }

    /// A content is not saved any more.
    pub fn lose(&mut self, content: &str) {
        let state = self.state(Some(content));
        let hash = state.hash().unwrap().to_owned();
        self.contents.remove(&hash);
        self.lost.insert(hash);
    }

    fn looked<'h>(&self, paths: &[FilePath], contents: impl Iterator<Item = &'h String>) -> Looked {
        Looked {
            states: paths.iter().map(|path| self.now(path)).collect(),
            lost: contents
                .filter(|hash| self.lost.contains(*hash))
                .cloned()
                .collect(),
        }
    }

    /// A path in which something was once is a directory.
    fn now(&self, path: &FilePath) -> FileState {
        let is_dir = || self.now.keys().any(|one| one.is_within(path));
        match self.now.get(path) {
            Some(state) => state.clone(),
            None if is_dir() => FileState::Dir { mode: 0o755 },
            None => FileState::Missing {},
        }
    }
}

impl Stage {
    /// Answers a question about files.
    pub(super) fn look_at_files(&mut self, look: FileLook) {
        let found = match &self.files {
            None => look.refuse("the files of this run cannot be looked at here"),
            Some(files) => look.answer(
                |needs| files.looked(&needs.paths, needs.contents.iter()),
                |_, state| {
                    let content = state.hash().and_then(|hash| files.contents.get(hash));
                    let content = content.ok_or_else(|| "no longer kept".to_owned())?;
                    Ok(content.clone().into_bytes())
                },
            ),
        };
        self.send(Msg::Run(Update::Files(found)));
    }

    /// Answers the questions about files that were held back, and each later one at once.
    pub fn answer_held_looks(&mut self) {
        for look in self.held_looks.take().unwrap_or_default() {
            self.look_at_files(look);
        }
        self.draw();
    }

    /// Decides a command as the run does: it looks at the files itself.
    pub(super) fn decide(&mut self, state: &State, command: &Command) -> Result<Vec<Event>, Refusal> {
        let files = self.files.clone().unwrap_or_default();
        let paths = FilePath::with_parents(files.now.keys().cloned());
        let found = files.looked(&paths, files.lost.iter());
        decide::command(state, &LookedAt::new(state, &paths, &found), command)
    }

    /// A file gets this content, by something else than a call.
    pub fn put_file(&mut self, name: &str, content: Option<&str>) {
        if let Some(files) = &mut self.files {
            files.put(path(name), content);
        }
    }

    /// What a call changed, in the order of the paths: each path with its content before and after.
    pub fn changed(&mut self, call: &str, changes: &[(&str, Option<&str>, Option<&str>)]) -> Seq {
        self.changed_with(call, changes, ChangeSet::default())
    }

    /// The same with what else is known of it.
    pub fn changed_with(
        &mut self,
        call: &str,
        changes: &[(&str, Option<&str>, Option<&str>)],
        rest: ChangeSet,
    ) -> Seq {
        let changes = changes
            .iter()
            .map(|(name, before, after)| (path(name), *before, *after))
            .collect();
        self.changed_paths(call, changes, rest)
    }

    /// The same for any path.
    pub fn changed_paths(
        &mut self,
        call: &str,
        mut changes: Vec<(FilePath, Option<&str>, Option<&str>)>,
        rest: ChangeSet,
    ) -> Seq {
        changes.sort_by(|one, other| one.0.cmp(&other.0));
        let files = self.files.get_or_insert_default();
        let changes = changes
            .into_iter()
            .map(|(path, before, after)| {
                let before = files.state(before);
                files.put(path.clone(), after);
                let after = files.now(&path);
                Change { path, before, after }
            })
            .collect();
        self.engine(Event::Files(FilesEvent::Changed {
            call: id(call),
            attempt: Attempt(1),
            set: Box::new(ChangeSet {
                changes: ChangeList(changes),
                ..rest
            }),
        }))
    }

    /// A command of a turn ran and changed these files.
    pub fn runs(
        &mut self,
        turn: u32,
        call: &str,
        line: &str,
        changes: &[(&str, Option<&str>, Option<&str>)],
    ) {
        let args = serde_json::json!({ "command": line }).to_string();
        let outcome = Outcome::Ok {
            value: r#""done""#.into(),
            meta: Some(r#"{"exit":0}"#.into()),
            discarded: 0,
            exit: None,
        };
        self.gave(turn, call, "shell", &args, outcome);
        self.changed(call, changes);
    }

    /// The operator restores the files of the call that changed three of them.
    pub fn restores_the_call(&mut self) {
        self.changed_by_command();
        self.on("c3");
        self.press("_");
        self.wait(1_500);
        self.press("enter");
    }

    /// Carries out the open restore, as the run would: its steps are done.
    pub fn restores(&mut self) {
        self.restores_without(&[]);
    }

    /// The same without these paths, each with the reason.
    pub fn restores_without(&mut self, skipped: &[(&str, &str)]) {
        let open = self.model.run.state.operator.files.open();
        let started = std::sync::Arc::clone(&open.unwrap().started);
        let skipped: Vec<Skipped> = skipped
            .iter()
            .map(|(name, why)| Skipped {
                path: path(name),
                why: (*why).to_owned(),
            })
            .collect();
        let steps = started.steps.0.iter();
        let done = steps.filter(|step| skipped.iter().all(|one| one.path != step.path));
        let files = self.files.get_or_insert_default();
        let mut count = 0;
        for step in done {
            files.now.insert(step.path.clone(), step.to.clone());
            count += 1;
        }
        self.engine(Event::Files(FilesEvent::Restored {
            restore: started.restore,
            done: count,
            skipped,
        }));
        self.draw();
    }

    /// A turn ends, with all its calls.
    pub fn settles(&mut self, turn: u32) {
        self.closes(turn);
        self.turn(TurnEvent::Settled {
            turn: TurnId(turn),
            errors: Vec::new(),
        });
        self.draw();
    }

    /// A run whose command `c3` changed three files, after the thought `t2`.
    pub fn changed_by_command(&mut self) {
        self.fixing();
        self.asked_for(2);
        self.thinks(2, "t2", "I change three files.");
        let (old, new) = ("one\ntwo\nthree\n", "one\n2\nthree\nfour\n");
        self.runs(
            2,
            "c3",
            "make all",
            &[
                ("README.md", Some("a\n"), Some("b\n")),
                ("src/lib.rs", Some(old), Some(new)),
                ("tests/new.rs", None, Some("x\n")),
            ],
        );
        self.settles(2);
    }
}
