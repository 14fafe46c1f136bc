//! Looks at git directories that a call made, and undoes what would run a program there.
//!
//! Must not know: how something is moved away.
//!
//! Git runs programs that the settings of a repository name, also where a person only asks for the state of the files around
//! it. What `git init` and `git clone` write stays: harmless settings, and hooks that end with `.sample`, which git does not run.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use overrule_base::git_settings;

use super::at::{Directory, is_directory, is_file, is_link};
use super::copy::Spot;
use super::git;
use super::list::Place;
use super::note::{Note, Stamp};
use super::undo::Undo;
use super::watch::How;

/// Settings of a git directory.
const SETTINGS: [&str; 2] = ["config", "config.worktree"];
/// The directory of its hooks.
const HOOKS: &str = "hooks";
/// The file that names another directory for settings and hooks.
const COMMON: &str = "commondir";
/// How the names of hooks end that git does not run.
const SAMPLE: &[u8] = b".sample";
/// Hooks that are moved one by one.
const MOST_HOOKS: usize = 64;

/// The git directories that existed before a call.
#[derive(Debug)]
pub(super) struct Known {
    /// Their paths.
    directories: BTreeSet<PathBuf>,
    /// The names `.git` that existed, as whole paths.
    entries: BTreeSet<PathBuf>,
    /// The git directories that the files among them named.
    named: BTreeSet<PathBuf>,
    /// Directories outside of the workspace that a call writes like it.
    linked: Vec<PathBuf>,
    /// Files and directories that were noted in them: what has the same stamp was only renamed.
    stamps: BTreeSet<Stamp>,
    /// What the operator approved since.
    approved: BTreeSet<PathBuf>,
}

impl Known {
    /// Returns those of repositories with these protected places. A call writes the directories of `linked` as well.
    pub(super) fn of(roots: &[PathBuf], places: &[(Place, Note)], linked: Vec<PathBuf>) -> Self {
        let entries: BTreeSet<PathBuf> = roots.iter().map(|root| root.join(git::ENTRY)).collect();
        let there = |path: &PathBuf| path.symlink_metadata().is_ok();
        let entries: BTreeSet<PathBuf> = entries.into_iter().filter(there).collect();
        let bases = places.iter().map(|(place, _)| &place.base);
        let others = bases.filter(|base| !roots.contains(base));
        let mut stamps = BTreeSet::new();
        for (_, note) in places {
            collect(note, &mut stamps);
        }
        let named = roots.iter().filter_map(|root| git::named(root));
        Self {
            named: named.flat_map(|found| [found.own, found.common]).collect(),
            linked,
            directories: others.chain(&entries).cloned().collect(),
            entries,
            stamps,
            approved: BTreeSet::new(),
        }
    }

    /// Notes that the operator approved a change of a path.
    pub(super) fn approve(&mut self, path: &Path) {
        self.approved.insert(path.to_owned());
    }

    /// True for a place of a git directory in a repository that had none.
    pub(super) fn is_without(&self, place: &Place) -> bool {
        place.relative.starts_with(git::ENTRY) && !self.entries.contains(&place.base.join(git::ENTRY))
    }
}

fn collect(note: &Note, stamps: &mut BTreeSet<Stamp>) {
    match note {
        Note::File(file) => _ = stamps.insert(file.stamp),
        Note::Directory(directory) => {
            stamps.insert(directory.stamp);
            for child in directory.children.values() {
                collect(child, stamps);
            }
        }
        Note::Absent | Note::Link(_) | Note::Special(_) | Note::Unknown(_) => {}
    }
}

/// Looks at the git directories of these repositories that were not known, and undoes what would run a program.
pub(super) fn check(workspace: &Path, roots: &[PathBuf], known: &Known, undo: &mut Undo<'_>) {
    let mut check = Check {
        known,
        undo,
        seen: BTreeSet::new(),
    };
    for root in roots {
        check.root(workspace, root);
    }
}

struct Check<'a, 'u> {
    known: &'a Known,
    undo: &'a mut Undo<'u>,
    /// The git directories that were looked at.
    seen: BTreeSet<PathBuf>,
}

impl Check<'_, '_> {
    fn root(&mut self, workspace: &Path, root: &Path) {
        let Ok(directory) = Directory::open(root) else {
            return;
        };
        let (name, entry) = (OsStr::new(git::ENTRY), root.join(git::ENTRY));
        let Ok(Some(stat)) = directory.look(name) else {
            return;
        };
        let spot = Spot {
            directory: &directory,
            name,
            path: &entry,
        };
        if is_directory(&stat) {
            return self.git(&entry, true);
        }
        let is_known = self.known.entries.contains(&entry);
        if is_known && !is_file(&stat) {
            // Compared as a place.
            return;
        }
        if is_link(&stat) || is_file(&stat) && !self.may_stay(workspace, root, is_known) {
            self.undo.replace(spot, &Note::Absent, How::Created);
        }
    }

    /// True for a file `.git` that names no directory in which a call may have put settings: one outside of the workspace,
    /// such as a temporary one. Looks at the directory that it names.
    fn may_stay(&mut self, workspace: &Path, root: &Path, is_known: bool) -> bool {
        let entry = root.join(git::ENTRY);
        let Some(text) = git::text(&entry) else {
            return is_known;
        };
        let is_none_of_git = git_settings::git_directory(&text).is_none();
        if is_none_of_git || self.known.approved.contains(&entry) {
            return true;
        }
        let Some(found) = git::named(root) else {
            // A later call may make the directory that a new file names.
            return is_known;
        };
        let all = [found.own, found.common];
        let linked = self.known.linked.iter().map(PathBuf::as_path);
        let writable: Vec<&Path> = linked.chain([workspace]).collect();
        let is_written = |git: &&PathBuf| writable.iter().any(|one| git.starts_with(one));
        for git in all.iter().filter(is_written) {
            self.git(git, false);
        }
        all.iter()
            .all(|git| is_written(&git) || self.known.named.contains(git))
    }

    /// Looks at a git directory and those of its submodules. `is_entry` is true where a work tree has it as its `.git`.
    fn git(&mut self, git: &Path, is_entry: bool) {
        if !self.seen.insert(git.to_owned()) {
            return;
        }
        for module in git::modules(git) {
            self.git(&module, true);
        }
        if self.known.directories.contains(git) {
            return;
        }
        let directory = match Directory::open(git) {
            Ok(directory) => directory,
            Err(error) => return self.undo.report(git, How::Created, Some(error.to_string())),
        };
        for name in SETTINGS {
            self.file(&directory, git, name, |text| {
                git_settings::suit_new_repository(text)
            });
        }
        if is_entry {
            self.file(&directory, git, COMMON, |_| false);
        }
        self.hooks(&directory, git);
    }

    /// Undoes a file that is not harmless.
    fn file(&mut self, directory: &Directory, git: &Path, name: &str, is_harmless: fn(&str) -> bool) {
        let path = git.join(name);
        let name = OsStr::new(name);
        let Ok(Some(stat)) = directory.look(name) else {
            return;
        };
        if self.known.stamps.contains(&Stamp::of(&stat)) || self.known.approved.contains(&path) {
            return;
        }
        let bytes = directory.read(name, git::CONFIG_BYTES).unwrap_or(vec![0xff]);
        if !String::from_utf8(bytes).is_ok_and(|text| is_harmless(&text)) {
            let spot = Spot {
                directory,
                name,
                path: &path,
            };
            self.undo.replace(spot, &Note::Absent, How::Created);
        }
    }

    /// Undoes hooks that git would run.
    fn hooks(&mut self, directory: &Directory, git: &Path) {
        let path = git.join(HOOKS);
        let name = OsStr::new(HOOKS);
        let Ok(Some(stat)) = directory.look(name) else {
            return;
        };
        let all = Spot {
            directory,
            name,
            path: &path,
        };
        let listed = directory
            .child(name)
            .and_then(|own| Ok((own.names(usize::MAX)?, own)));
        let Ok((names, own)) = listed else {
            // A link, or a file: nothing that git writes.
            if !is_directory(&stat) || !self.known.stamps.contains(&Stamp::of(&stat)) {
                self.undo.replace(all, &Note::Absent, How::Created);
            }
            return;
        };
        // Where no entry was added, only the content of files can differ.
        let is_renamed = self.known.stamps.contains(&Stamp::of(&stat));
        let is_new = |name: &OsString| match own.look(name) {
            Ok(Some(stat)) if is_file(&stat) || !is_renamed => !self.known.stamps.contains(&Stamp::of(&stat)),
            Ok(_) => false,
            Err(_) => true,
        };
        let run = names
            .into_iter()
            .filter(|name| !name.as_encoded_bytes().ends_with(SAMPLE));
        let mut new: Vec<OsString> = run
            .filter(is_new)
            .filter(|name| !self.known.approved.contains(&path.join(name)))
            .collect();
        new.sort();
        if new.len() > MOST_HOOKS {
            return self.undo.replace(all, &Note::Absent, How::Created);
        }
        for name in new {
            let path = path.join(&name);
            let spot = Spot {
                directory: &own,
                name: &name,
                path: &path,
            };
            self.undo.replace(spot, &Note::Absent, How::Created);
        }
    }
}
