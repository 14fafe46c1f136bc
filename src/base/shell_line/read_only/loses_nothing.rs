//! The commands of git that change a repository and lose nothing: each commit, and each file that git knows, can be reached
//! afterwards.
//!
//! Must not know: how a line is read, what the settings of a repository name.
//!
//! Not on the list, for what they lose: `reset`, `restore`, `checkout` of files (changes, what is staged), `clean`,
//! `stash drop|pop|clear`, `branch -d|-D|-f|-M|-C`, `tag -d|-f`, `switch -f|-C` (a reference), `rebase`, `gc`, `prune`,
//! `reflog expire`, `filter-branch`, `update-ref`, `worktree remove`, `merge --abort`, `rm -f`, `mv -f`. `push` cannot be undone
//! here. `add -f` adds ignored directories, where repositories may be that were not searched for. `fetch` and `pull` may
//! overwrite branches, if the settings of the repository say so. `branch -m`, `remote` and `config` write the settings, which
//! are protected anyway. An option that is not in a row is not known to lose nothing.

use super::super::word::Word;
use super::table::Operands::Text;
use super::table::{Row, row};

/// The commands. Words that are no options name files, commits and branches.
pub(super) const ROWS: &[Row] = &[
    row(
        "git/add",
        "AnNuv",
        "",
        "all no-all update verbose dry-run intent-to-add refresh ignore-errors ignore-missing renormalize sparse \
        chmod= ignore-removal no-ignore-removal",
        Text,
        "git-add(1): it stages; the files stay",
    ),
    row(
        "git/commit",
        "aqsvn",
        "mF",
        "all quiet signoff no-signoff verbose no-verify allow-empty allow-empty-message amend no-edit reset-author message= \
        file= author= date= cleanup= fixup= dry-run status no-status no-gpg-sign only",
        Text,
        "git-commit(1): what it amends stays in the reflog",
    ),
    row(
        "git/mv",
        "nkv",
        "",
        "dry-run verbose sparse",
        Text,
        "git-mv(1): without -f it overwrites nothing",
    ),
    row(
        "git/rm",
        "rnq",
        "",
        "dry-run quiet cached ignore-unmatch sparse",
        Text,
        "git-rm(1): without -f it removes what the last commit has",
    ),
    row(
        "git/switch",
        "qdt",
        "c",
        "quiet detach track no-track guess no-guess create= progress no-progress",
        Text,
        "git-switch(1): without -f it refuses to overwrite changes",
    ),
    row(
        CHECKOUT,
        "q",
        "b",
        "quiet track no-track progress no-progress",
        Text,
        "git-checkout(1): with -b it makes a branch",
    ),
    row(
        "git/branch",
        "q",
        "",
        "quiet no-track create-reflog",
        Text,
        "git-branch(1): without -f it refuses an existing name",
    ),
    row(
        "git/tag",
        "a",
        "mF",
        "annotate message= file= cleanup= create-reflog no-sign",
        Text,
        "git-tag(1): without -f it refuses an existing name",
    ),
    row(
        "git/merge",
        "nq",
        "mX",
        "ff no-ff ff-only squash no-squash commit no-commit no-edit stat no-stat log no-log message= strategy-option= quiet \
        verbose signoff no-signoff allow-unrelated-histories progress no-progress no-verify continue cleanup= into-name= \
        no-gpg-sign no-autostash",
        Text,
        "git-merge(1): it refuses to overwrite changes",
    ),
    row(
        "git/cherry-pick",
        "x",
        "mX",
        "no-edit continue allow-empty keep-redundant-commits ff mainline= strategy-option= signoff no-gpg-sign",
        Text,
        "git-cherry-pick(1): it refuses to overwrite changes",
    ),
    row(
        "git/revert",
        "",
        "mX",
        "no-edit continue mainline= strategy-option= signoff no-gpg-sign",
        Text,
        "git-revert(1): it refuses to overwrite changes",
    ),
    row(
        STASH_PUSH,
        "kquS",
        "m",
        "keep-index no-keep-index quiet include-untracked staged message=",
        Text,
        "git-stash(1): the changes are in the stash",
    ),
    row(
        STASH_APPLY,
        "q",
        "",
        "index quiet",
        Text,
        "git-stash(1): without `pop` the stash stays",
    ),
];

const CHECKOUT: &str = "git/checkout";
const STASH_PUSH: &str = "git/stash push";
const STASH_APPLY: &str = "git/stash apply";

/// Returns the row of a command of git and the words that are left; none for one that may lose something.
pub(super) fn row_of<'w>(name: &str, words: &'w [Word]) -> Option<(&'static Row, &'w [Word])> {
    let is = |word: &Word, text: &str| word.text == text && word.is_sure();
    let (key, rest) = match (name, words.split_first()) {
        ("stash", None) => (STASH_PUSH.to_owned(), words),
        ("stash", Some((first, rest))) if is(first, "push") || is(first, "save") => {
            (STASH_PUSH.to_owned(), rest)
        }
        ("stash", Some((first, rest))) if is(first, "apply") => (STASH_APPLY.to_owned(), rest),
        ("stash", Some((first, _))) if first.text.starts_with('-') => (STASH_PUSH.to_owned(), words),
        ("stash", Some(_)) => return None,
        // Without it, a word may be a file, which it overwrites.
        ("checkout", _) if !words.iter().any(|word| is(word, "-b")) => return None,
        ("checkout", _) if words.iter().any(|word| word.text == "--") => return None,
        (name, _) => (format!("git/{name}"), words),
    };
    let row = ROWS.iter().find(|row| row.programs == key)?;
    Some((row, rest))
}

#[cfg(test)]
mod tests {
    use super::super::{loses_nothing, read_only};
    use super::*;
    use crate::shell_line::Reading;

    fn is_listed(line: &str) -> bool {
        let found = loses_nothing(&Reading::of_line(line));
        found.is_some_and(|all| all.iter().any(|one| one.changes_repository))
    }

    #[test]
    fn each_option_of_each_row_loses_nothing_and_no_other_one_is_known() {
        for row in ROWS {
            assert!(!row.source.is_empty());
            let name = row.programs.replace('/', " ");
            let start = if row.programs == CHECKOUT {
                format!("{name} -b new")
            } else {
                name.clone()
            };
            for flag in row.flags.chars() {
                assert!(is_listed(&format!("{start} -{flag} a")), "{start} -{flag}");
            }
            for flag in row.valued.chars() {
                assert!(is_listed(&format!("{start} -{flag} x a")), "{start} -{flag} x");
            }
            for option in row.long.split_whitespace() {
                let value = if option.ends_with('=') { "1" } else { "" };
                assert!(
                    is_listed(&format!("{start} --{option}{value} a")),
                    "{start} --{option}"
                );
            }
            for other in ('a'..='z').chain('A'..='Z') {
                if !row.flags.contains(other) && !row.valued.contains(other) {
                    assert!(!is_listed(&format!("{start} -{other} a")), "{start} -{other}");
                }
            }
            for other in [
                "force",
                "abort",
                "quit",
                "skip",
                "edit",
                "interactive",
                "patch",
                "forc",
                "hard",
            ] {
                let line = format!("{start} --{other} a");
                let has = row.long.split_whitespace().any(|one| one == other);
                assert_eq!(is_listed(&line), has, "{line}");
            }
        }
    }

    #[test]
    fn lines_that_lose_nothing() {
        for line in [
            "git add .",
            "git add -A && git commit -m 'a message'",
            "git commit -am x",
            "git --no-pager commit -m x --amend --no-edit",
            "git status && git add src && git diff --cached && git commit -qm x",
            "cd sub && git add .",
            "git add . ; echo done",
            "git switch -c feature",
            "git switch -",
            "git checkout -b feature main",
            "git merge --no-ff feature -m 'merge it'",
            "git stash",
            "git stash push -m wip",
            "git stash -u",
            "git stash apply",
            "git branch feature",
            "git tag -a v1 -m one",
            "git mv a b",
            "git rm --cached a",
            "git revert --no-edit HEAD",
            "git cherry-pick abc123",
            "/usr/bin/git add .",
        ] {
            assert!(is_listed(line), "{line}");
            assert_eq!(read_only(&Reading::of_line(line)), None, "{line}");
        }
    }

    #[test]
    fn lines_that_may_lose_something() {
        for line in [
            "git checkout -- a",
            "git checkout a",
            "git checkout -b x -- a",
            "git checkout -B x",
            "git checkout -fb x",
            "git restore a",
            "git restore --staged a",
            "git reset",
            "git reset --hard",
            "git reset --soft HEAD~1",
            "git clean -fdx",
            "git push",
            "git push --force origin main",
            "git pull",
            "git fetch",
            "git fetch origin +main:main",
            "git rebase main",
            "git rebase -i HEAD~2",
            "git stash drop",
            "git stash pop",
            "git stash clear",
            "git stash branch x",
            "git stash $X",
            "git gc",
            "git gc --prune=now",
            "git prune",
            "git reflog expire --all",
            "git branch -d a",
            "git branch -D a",
            "git branch -f a b",
            "git branch -M a b",
            "git branch --delete a",
            "git tag -d v1",
            "git tag -f v1",
            "git switch -f a",
            "git switch -C a",
            "git switch --discard-changes a",
            "git merge --abort",
            "git merge -s theirs a",
            "git cherry-pick --skip",
            "git rm -f a",
            "git mv -f a b",
            "git update-ref refs/heads/main abc",
            "git filter-branch -- --all",
            "git worktree remove x",
            "git submodule update",
            "git config user.name x",
            "git remote add a b",
            "git init",
            "git commit -S -m x",
            "git commit -p",
            "git add -e",
            "git add -f target/lib",
            "git add --force .",
            "git add -p",
            "git -c core.pager=x add .",
            "git -C sub add .",
            "git --git-dir=x add .",
            "env GIT_DIR=.. git add .",
            "GIT_DIR=.. git add .",
            "sudo git add .",
            "git add . && make",
            "git add . && rm -rf .git",
            "git add . > log",
            "git add . > .git/index",
            "git commit -m \"$(cat a)\"",
            "git commit -m $X",
            "$X add .",
            "./git add .",
            "sh -c 'git add . && rm a'",
            "git log",
            "ls",
            "",
        ] {
            assert!(!is_listed(line), "{line}");
        }
    }
}
