//! Questions about files of the workspace, which the side of the run answers, and what was answered.
//!
//! Must not know: how a file is read, who asks.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::link::Replaced;
use crate::ground::diff;
use overrule_domain::files::{FilePath, FileState, Looked};
use overrule_domain::id::Seq;

/// Maximum number of line counts that are remembered.
const MOST: usize = 2_000;

/// A path in two states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersions {
    /// The path.
    pub path: FilePath,
    /// The first state.
    pub before: FileState,
    /// The second state.
    pub after: FileState,
}

/// What a plan has to know of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanNeeds {
    /// The paths whose present states it needs.
    pub paths: Vec<FilePath>,
    /// The hashes of contents that would be written.
    pub contents: Vec<String>,
}

/// A question about files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileLook {
    /// What these paths are now, and which of these contents are not saved.
    States(PlanNeeds),
    /// How many lines differ between the two states of each path.
    Lines(Vec<FileVersions>),
    /// The difference between two states of a path.
    Difference(FileVersions),
}

/// An answer. Its texts are untrusted.
#[derive(Debug, Clone)]
pub enum FilesFound {
    /// What was looked for, and what was found; or why that is not known.
    States {
        /// What was looked for.
        needs: PlanNeeds,
        /// What was found.
        found: Result<Looked, String>,
    },
    /// The counted lines; none where they cannot be counted.
    Lines(Vec<(FileVersions, Option<LineCount>)>),
    /// The difference between two states of a path.
    Difference {
        /// The states.
        of: FileVersions,
        /// The lines, or why there are none.
        found: Replaced,
    },
}

/// The number of lines that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCount {
    /// Lines only in the first state.
    pub removed: usize,
    /// Lines only in the second state.
    pub added: usize,
}

impl FileLook {
    /// Answers with these functions: one that looks at paths and contents, and one for the content of a path in a state. Both
    /// may block.
    pub fn answer(
        self,
        look: impl FnOnce(&PlanNeeds) -> Looked,
        content: impl Fn(&FilePath, &FileState) -> Result<Vec<u8>, String>,
    ) -> FilesFound {
        match self {
            Self::States(needs) => FilesFound::States {
                found: Ok(look(&needs)),
                needs,
            },
            Self::Lines(all) => FilesFound::Lines(
                all.into_iter()
                    .map(|one| {
                        let count = texts(&one, &content)
                            .ok()
                            .and_then(|[old, new]| count(&old, &new));
                        (one, count)
                    })
                    .collect(),
            ),
            Self::Difference(of) => {
                let found = match texts(&of, &content) {
                    Ok([old, new]) => Replaced::Text(diff::lines(&old, &new).into()),
                    Err(why) => Replaced::Unreadable(why),
                };
                FilesFound::Difference { of, found }
            }
        }
    }

    /// Answers that no file can be looked at here, and why.
    pub fn refuse(self, why: &str) -> FilesFound {
        match self {
            Self::States(needs) => FilesFound::States {
                needs,
                found: Err(why.to_owned()),
            },
            Self::Lines(all) => FilesFound::Lines(all.into_iter().map(|one| (one, None)).collect()),
            Self::Difference(of) => FilesFound::Difference {
                of,
                found: Replaced::Unreadable(why.to_owned()),
            },
        }
    }
}

/// The texts of both states.
fn texts(
    of: &FileVersions,
    content: impl Fn(&FilePath, &FileState) -> Result<Vec<u8>, String>,
) -> Result<[String; 2], String> {
    let text = |state: &FileState| match state {
        FileState::Missing {} => Ok(String::new()),
        FileState::Dir { .. } => Ok("a directory\n".to_owned()),
        FileState::Symlink { target } => Ok(format!("a link to {}\n", String::from_utf8_lossy(&target.0))),
        FileState::Unsaved { why, .. } => Err(format!("its content is not saved: {why}")),
        FileState::File { size, .. } => {
            String::from_utf8(content(&of.path, state)?).map_err(|_| format!("it is no text ({size} bytes)"))
        }
    };
    Ok([text(&of.before)?, text(&of.after)?])
}

fn count(old: &str, new: &str) -> Option<LineCount> {
    (old.len().max(new.len()) <= diff::LIMIT).then(|| {
        let (removed, added) = diff::counts(old, new);
        LineCount { removed, added }
    })
}

/// A path with the hashes of its contents in two states.
type Contents = (FilePath, Option<String>, Option<String>);

fn contents(of: &FileVersions) -> Contents {
    let [before, after] = [&of.before, &of.after].map(|state| state.hash().map(str::to_owned));
    (of.path.clone(), before, after)
}

/// What was asked about files, with the answers.
#[derive(Debug, Clone, Default)]
pub struct KnownFiles {
    /// What was asked for, and the newest change of files at that time.
    asked: Option<(PlanNeeds, Option<Seq>)>,
    looked: Option<Result<Looked, String>>,
    /// None until it is answered, and where lines cannot be counted.
    lines: BTreeMap<Contents, Option<LineCount>>,
    difference: Option<(FileVersions, Option<Replaced>)>,
}

impl KnownFiles {
    /// What was found, after the newest change of files that is recorded; none while it is not known.
    pub fn looked(&self, needs: &PlanNeeds, newest: Option<Seq>) -> Option<&Result<Looked, String>> {
        let is_of = |(asked, at): &(PlanNeeds, Option<Seq>)| asked == needs && *at == newest;
        self.looked
            .as_ref()
            .filter(|_| self.asked.as_ref().is_some_and(is_of))
    }

    /// The question for what a plan needs, unless it was asked.
    pub fn ask_states(&mut self, needs: PlanNeeds, newest: Option<Seq>) -> Option<FileLook> {
        if needs.paths.is_empty() {
            return None;
        }
        let asked = Some((needs.clone(), newest));
        if self.asked == asked {
            return None;
        }
        (self.asked, self.looked) = (asked, None);
        Some(FileLook::States(needs))
    }

    /// Forgets the states: they may have changed.
    pub fn forget_states(&mut self) {
        (self.asked, self.looked) = (None, None);
    }

    /// The number of lines that differ; none while it is not known.
    pub fn lines(&self, of: &FileVersions) -> Option<LineCount> {
        self.lines.get(&contents(of)).copied().flatten()
    }

    /// The question for these line counts, without those that were asked for.
    pub fn ask_lines(&mut self, of: impl IntoIterator<Item = FileVersions>) -> Option<FileLook> {
        let is_text = |state: &FileState| matches!(state, FileState::File { .. } | FileState::Missing {});
        let texts = of
            .into_iter()
            .filter(|one| is_text(&one.before) && is_text(&one.after));
        let mut all: Vec<FileVersions> = texts.take(MOST).collect();
        let new = all.iter().filter(|one| !self.lines.contains_key(&contents(one)));
        if self.lines.len().saturating_add(new.count()) > MOST {
            // What is shown is asked for again.
            self.lines.clear();
        }
        all.retain(|one| match self.lines.entry(contents(one)) {
            Entry::Vacant(place) => {
                place.insert(None);
                true
            }
            Entry::Occupied(_) => false,
        });
        (!all.is_empty()).then_some(FileLook::Lines(all))
    }

    /// The difference of two states; none while it is not known.
    pub fn difference(&self, of: &FileVersions) -> Option<&Replaced> {
        let (known, found) = self.difference.as_ref()?;
        found.as_ref().filter(|_| known == of)
    }

    /// The question for a difference, unless it was asked.
    pub fn ask_difference(&mut self, of: &FileVersions) -> Option<FileLook> {
        if self.difference.as_ref().is_some_and(|(known, _)| known == of) {
            return None;
        }
        self.difference = Some((of.clone(), None));
        Some(FileLook::Difference(of.clone()))
    }

    /// Takes an answer. Returns false for one to an older question.
    pub fn take(&mut self, found: FilesFound) -> bool {
        match found {
            FilesFound::States { needs, found } => {
                let is_open = self.asked.as_ref().is_some_and(|(asked, _)| *asked == needs);
                let is_asked = is_open && self.looked.is_none();
                let is_whole = match &found {
                    Ok(found) => found.states.len() == needs.paths.len(),
                    Err(_) => true,
                };
                if is_asked && is_whole {
                    self.looked = Some(found);
                }
                is_asked
            }
            FilesFound::Lines(all) => {
                for (of, count) in all {
                    if let Some(known) = self.lines.get_mut(&contents(&of)) {
                        *known = count;
                    }
                }
                true
            }
            FilesFound::Difference { of, found } => match &mut self.difference {
                Some((known, place)) if *known == of => {
                    *place = Some(found);
                    true
                }
                _ => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> FilePath {
        FilePath::new(name).unwrap()
    }

    fn file(hash: &str) -> FileState {
        FileState::File {
            hash: hash.to_owned(),
            size: 3,
            mode: 0o644,
        }
    }

    fn versions(before: FileState, after: FileState) -> FileVersions {
        FileVersions {
            path: path("a"),
            before,
            after,
        }
    }

    fn content(_: &FilePath, state: &FileState) -> Result<Vec<u8>, String> {
        match state.hash() {
            Some("binary") => Ok(vec![0xff]),
            Some("gone") => Err("no longer kept".to_owned()),
            Some(hash) => Ok(format!("{hash}\n").into_bytes()),
            None => Err("no file".to_owned()),
        }
    }

    #[test]
    fn lines_are_counted_where_both_contents_are_texts() {
        let all = vec![
            versions(file("a"), file("b")),
            versions(FileState::Missing {}, file("b")),
            versions(file("a"), file("binary")),
            versions(file("gone"), file("b")),
        ];
        let FilesFound::Lines(found) = FileLook::Lines(all).answer(|_| Looked::default(), content) else {
            unreachable!("lines were asked for");
        };
        let counts: Vec<_> = found.into_iter().map(|(_, count)| count).collect();
        let count = |removed, added| Some(LineCount { removed, added });
        assert_eq!(counts, [count(1, 1), count(0, 1), None, None]);
    }

    #[test]
    fn an_answer_counts_only_for_the_question_that_is_open() {
        let mut known = KnownFiles::default();
        let needs = |name: &str, content: &str| PlanNeeds {
            paths: vec![path(name)],
            contents: vec![content.to_owned()],
        };
        let asked = known.ask_states(needs("a", "x"), Some(Seq(3)));
        assert_eq!(asked, Some(FileLook::States(needs("a", "x"))));
        assert_eq!(known.ask_states(needs("a", "x"), Some(Seq(3))), None, "once");
        let found = |name: &str, states: Vec<FileState>| FilesFound::States {
            needs: needs(name, "x"),
            found: Ok(Looked {
                states,
                ..Looked::default()
            }),
        };
        assert!(!known.take(found("b", vec![file("x")])));
        known.take(found("a", Vec::new()));
        assert_eq!(
            known.looked(&needs("a", "x"), Some(Seq(3))),
            None,
            "too few states"
        );
        assert!(known.take(found("a", vec![file("x")])));
        let looked = known.looked(&needs("a", "x"), Some(Seq(3))).unwrap();
        assert_eq!(looked.as_ref().unwrap().states, [file("x")]);
        assert_eq!(
            known.looked(&needs("a", "y"), Some(Seq(3))),
            None,
            "other contents"
        );
        assert_eq!(
            known.looked(&needs("a", "x"), Some(Seq(4))),
            None,
            "files changed since"
        );
        known.forget_states();
        assert!(known.ask_states(needs("a", "x"), Some(Seq(3))).is_some());
    }

    #[test]
    fn more_line_counts_than_are_remembered_replace_the_older_ones() {
        let one = |no: usize| FileVersions {
            path: path(&no.to_string()),
            ..versions(file("a"), file("b"))
        };
        let mut known = KnownFiles::default();
        let asked = |look: Option<FileLook>| match look {
            Some(FileLook::Lines(all)) => all.len(),
            _ => 0,
        };
        assert_eq!(asked(known.ask_lines((0..MOST).map(one))), MOST);
        let count = Some(LineCount { removed: 1, added: 1 });
        known.take(FilesFound::Lines((0..MOST).map(|no| (one(no), count)).collect()));
        assert_eq!(known.lines(&one(7)), count);
        assert_eq!(asked(known.ask_lines([one(7)])), 0, "it is known");
        assert_eq!(asked(known.ask_lines([one(7), one(MOST)])), 2);
        assert_eq!(known.lines.len(), 2, "the others are forgotten");
        known.take(FilesFound::Lines(vec![(one(MOST), count), (one(8), count)]));
        assert_eq!(known.lines(&one(MOST)), count);
        assert_eq!(known.lines(&one(8)), None, "nobody asks for it any more");
    }

    #[test]
    fn where_no_file_can_be_looked_at_the_answer_says_why() {
        let of = versions(file("a"), file("b"));
        let FilesFound::Difference { found, .. } = FileLook::Difference(of).refuse("recorded") else {
            unreachable!("a difference was asked for");
        };
        assert_eq!(found, Replaced::Unreadable("recorded".to_owned()));
    }
}
