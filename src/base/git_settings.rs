//! Reads settings of a repository of git (git-config(1)): whether they name a program, and the values of one.
//!
//! Must not know: files, who wrote them.
//!
//! They are held against a list of harmless ones: one that is not on it may name a program.

/// Settings that name no program and lose no commit: a section and its keys; `*` for all keys.
const HARMLESS: &[(&str, &str)] = &[
    ("advice", "*"),
    ("author", "*"),
    ("branch", "*"),
    ("color", "*"),
    ("committer", "*"),
    (
        "core",
        "abbrev autocrlf checkstat compression eol filemode ignorecase longpaths precomposeunicode preloadindex protecthfs \
         protectntfs quotepath repositoryformatversion safecrlf symlinks trustctime untrackedcache",
    ),
    (
        "diff",
        "algorithm colormoved context interhunkcontext mnemonicprefix noprefix renamelimit renames",
    ),
    ("extensions", "objectformat"),
    ("fetch", "fsckobjects parallel prune prunetags writecommitgraph"),
    ("gui", "*"),
    ("init", "defaultbranch"),
    ("lfs", "repositoryformatversion url"),
    ("log", "abbrevcommit date decorate follow"),
    ("maintenance", "*"),
    ("merge", "conflictstyle ff renames"),
    ("pull", "ff rebase"),
    ("push", "autosetupremote default followtags"),
    ("rebase", "*"),
    ("remote", "fetch prune pushurl tagopt url"),
    ("rerere", "*"),
    ("status", "*"),
    ("user", "email name"),
];
/// Settings that do so with one value only: another one keeps no record of what a branch was, or is about another place.
const WITH_VALUE: [(&str, &str, &str); 2] = [("core", "bare", "false"), ("core", "logallrefupdates", "true")];
/// Settings that name no program either, and that make git look elsewhere: `git init`, `git clone` and `git submodule` write
/// them.
const OF_NEW: &[(&str, &str)] = &[
    ("core", "bare worktree"),
    ("extensions", "refstorage worktreeconfig"),
    ("submodule", "active url"),
];
/// Sections of which the settings of one name are no driver.
const NAMED: [&str; 4] = ["branch", "remote", "color", "submodule"];

/// True if all settings of a file are harmless, and make git look at no other place. A line that is not understood is not.
pub fn name_no_program(text: &str) -> bool {
    all_harmless(text, &[])
}

/// True if all settings of a file are harmless, or such as git writes them for a new repository.
pub fn suit_new_repository(text: &str) -> bool {
    all_harmless(text, OF_NEW)
}

fn all_harmless(text: &str, more: &[(&str, &str)]) -> bool {
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.ends_with('\\') {
            return false;
        }
        if let Some(head) = line.strip_prefix('[') {
            // After the `]`, the line may hold a setting or another section.
            let Some((head, "")) = split_head(head) else {
                return false;
            };
            let name = head.split([' ', '.', '\t']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            // A setting of a named driver is one of a program.
            let is_named = name.len() < head.trim().len();
            if is_named && !NAMED.contains(&section.as_str()) {
                return false;
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        let has_value = WITH_VALUE
            .iter()
            .any(|(name, one, needed)| *name == section && *one == key && value.eq_ignore_ascii_case(needed));
        let is_listed = HARMLESS.iter().chain(more).any(|(name, keys)| {
            *name == section && (*keys == "*" || keys.split_whitespace().any(|one| one == key))
        });
        let is_name = key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_name || !(is_listed || has_value) {
            return false;
        }
    }
    true
}

/// Returns the values of a key in the sections of a name, whatever their subsection: of `include` and `path`, those of
/// `[include]`; of `includeif`, those of every `[includeIf "…"]`. Both are given in lower case.
///
/// More may be returned than git reads, and a value on several lines is not returned.
pub fn values(text: &str, section: &str, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_in = false;
    for line in text.lines() {
        let mut line = line.trim_start_matches('\u{feff}').trim();
        if let Some(head) = line.strip_prefix('[') {
            let Some((head, rest)) = split_head(head) else {
                continue;
            };
            let name = head.split([' ', '.', '\t', '"']).next().unwrap_or_default();
            is_in = name.eq_ignore_ascii_case(section);
            line = rest.trim();
        }
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        if is_in && name.trim().eq_ignore_ascii_case(key) {
            found.push(unquoted(value.trim()));
        }
    }
    found
}

/// Returns the directory that the text of a file `.git` names, as git reads it (gitrepository-layout(5)).
pub fn git_directory(text: &str) -> Option<&str> {
    let path = text.strip_prefix("gitdir: ")?.trim_end_matches(['\n', '\r']);
    (!path.is_empty()).then_some(path)
}

/// Splits a line after the `]` of its section, which may stand between quotation marks before. Returns nothing for signs
/// outside of them that no section has.
fn split_head(head: &str) -> Option<(&str, &str)> {
    let (mut is_quoted, mut chars) = (false, head.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => _ = chars.next(),
            _ if is_quoted => {}
            ']' => return Some((head.get(..at)?, head.get(at + 1..)?)),
            '[' | '=' | '#' | ';' | '\\' => return None,
            _ => {}
        }
    }
    None
}

/// The text of a value, without quotation marks and comment.
fn unquoted(value: &str) -> String {
    let mut text = String::new();
    let (mut is_quoted, mut chars) = (false, value.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' => text.extend(chars.next()),
            '#' | ';' if !is_quoted => break,
            c => text.push(c),
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_for_a_new_repository_is_harmless_and_a_program_is_not() {
        let plain = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";
        assert!(name_no_program(plain) && suit_new_repository(plain));
        let cloned = format!(
            "{plain}[remote \"origin\"]\n\turl = https://example.org/a\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
             [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
        );
        assert!(name_no_program(&cloned) && suit_new_repository(&cloned));
        for new in [
            "[core]\n\tworktree = ../../../lib\n",
            "[core]\n\tbare = true\n",
            "[submodule \"lib\"]\n\turl = ../lib\n\tactive = true\n",
        ] {
            assert!(!name_no_program(new) && suit_new_repository(new), "{new}");
        }
        for program in [
            "[core]\n\tfsmonitor = ./x\n",
            "[core]\n\thooksPath = hooks\n",
            "[core]\n\tsshCommand = x\n",
            "[core] fsmonitor = ./x\n",
            "[CORE]\n\tFSMonitor\n",
            "[include]\n\tpath = x\n",
            "[includeIf \"gitdir:x\"]\n\tpath = x\n",
            "[filter \"x\"]\n\tclean = x\n",
            "[submodule \"lib\"]\n\tupdate = !x\n",
            "[remote \"origin\"]\n\tuploadpack = x\n",
            "[core]\n\tautocrlf = \\\n[core]\nfsmonitor = x\n",
            "[branch \"a\"][core]fsmonitor=/w/evil;]\n",
            "[branch \"a\"] [core] fsmonitor = x #]\n",
            "[branch \"a\"]remote=b[core]\nfsmonitor = x #]\n",
            "[branch \"a\\\\\"][core]fsmonitor=x;\"]\n",
            "[branch \"a]\"][core]fsmonitor=x;]\n",
            "[branch.a][core]fsmonitor=x;]\n",
            "[user][core]fsmonitor=x;\"]\n",
            "[branch=][core]fsmonitor=x;]\n",
            "[branch #]\n",
            "[pull]\n\ttwohead = x\n",
            "[branch \"a\\\"]\n",
        ] {
            let text = format!("{plain}{program}");
            assert!(
                !name_no_program(&text) && !suit_new_repository(&text),
                "{program}"
            );
        }
    }

    #[test]
    fn a_section_may_have_any_sign_between_quotation_marks() {
        for head in ["a]b", "a[core]b", "a#;=", "a\\\\", "a\\\"]"] {
            let text = format!("[branch \"{head}\"]\n\tremote = origin\n");
            assert!(name_no_program(&text), "{text}");
        }
    }

    #[test]
    fn settings_that_lose_commits_are_not_harmless() {
        for lost in [
            "[gc]\n\tauto = 1\n",
            "[gc]\n\tpruneExpire = now\n",
            "[gc]\n\treflogExpire = now\n",
            "[gc \"refs/heads/*\"]\n\treflogExpire = now\n",
            "[core]\n\tlogAllRefUpdates = false\n",
            "[core]\n\tlogAllRefUpdates = always\n",
        ] {
            assert!(!name_no_program(lost) && !suit_new_repository(lost), "{lost}");
        }
        assert!(name_no_program("[core]\n\tlogAllRefUpdates\n"));
    }

    #[test]
    fn a_file_names_a_directory_as_git_reads_it() {
        assert_eq!(git_directory("gitdir: ../a b\r\n\n"), Some("../a b"));
        assert_eq!(git_directory("gitdir:  a "), Some(" a "));
        for text in ["", "gitdir:a", "gitdir: \n", " gitdir: a", "x\ngitdir: a"] {
            assert_eq!(git_directory(text), None, "{text}");
        }
    }

    #[test]
    fn values_are_found_however_they_are_written() {
        let text = "\u{feff}[core] hooksPath=a ; comment\n[CORE]\nHooksPath = \"b c\" # comment\nother = x\n[include]\n\tpath = d\n\
                    [includeIf \"gitdir:a]b\"] path = \"e\\\\f\"\n[alias]\npath = no\n";
        assert_eq!(values(text, "core", "hookspath"), ["a", "b c"]);
        assert_eq!(values(text, "include", "path"), ["d"]);
        assert_eq!(values(text, "includeif", "path"), ["e\\f"]);
    }
}
