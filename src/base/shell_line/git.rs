//! Finds the commands in the words of git: settings, aliases, addresses, subcommands that run others.
//!
//! Must not know: the grammar of lines.

use super::options::lists;
use super::unwrap::{Parts, part};
use super::word::Word;

/// Settings whose value is a command, in lower case; a `*` stands for any name in the middle.
///
/// Source: git-config(1).
const COMMANDS: &[&str] = &[
    "core.sshcommand",
    "core.editor",
    "core.pager",
    "core.fsmonitor",
    "core.askpass",
    "core.gitproxy",
    "core.alternaterefscommand",
    "sequence.editor",
    "diff.external",
    "diff.*.command",
    "diff.*.textconv",
    "difftool.*.cmd",
    "difftool.*.path",
    "mergetool.*.cmd",
    "mergetool.*.path",
    "merge.*.driver",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "gpg.program",
    "gpg.*.program",
    "gpg.ssh.defaultkeycommand",
    "browser.*.cmd",
    "browser.*.path",
    "man.*.cmd",
    "man.*.path",
    "guitool.*.cmd",
    "interactive.difffilter",
    "sendemail.smtpserver",
    "sendemail.sendmailcmd",
    "sendemail.tocmd",
    "sendemail.cccmd",
    "sendemail.headercmd",
    "sendemail.*.sendmailcmd",
    "sendemail.*.smtpserver",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "uploadpack.packobjectshook",
    "trailer.*.command",
    "trailer.*.cmd",
    "tar.*.command",
    "imap.tunnel",
    "instaweb.httpd",
    "instaweb.browser",
    "lfs.customtransfer.*.path",
    "hook.*.command",
    "pager.*",
];
/// Settings whose value leads to a command that is somewhere else.
const LEADING: &[&str] = &[
    "core.hookspath",
    "include.path",
    "includeif.*.path",
    "init.templatedir",
    "remote.*.vcs",
    "protocol.allow",
    "protocol.*.allow",
    "core.attributesfile",
    "lfs.extension.*.clean",
    "lfs.extension.*.smudge",
];
/// Values that are no command.
const NO_COMMAND: &[&str] = &["", "true", "false", "yes", "no", "on", "off", "0", "1"];
/// Subcommands that change a setting for later commands.
const CONFIG: &str = "config";

/// Finds what git runs.
pub(super) fn git(parts: &mut Parts, words: &[Word]) {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let (command, rest) = subcommand(words);
    // The settings of another repository.
    let own = words.get(..subcommand_at(words).unwrap_or(words.len()));
    let is_elsewhere = |word: &Word| word.text.split('=').next() == Some("--git-dir");
    parts.hidden |= own.is_some_and(|own| own.iter().any(is_elsewhere));
    for (at, word) in words.iter().enumerate() {
        let given = match word.text.as_str() {
            "-c" => words.get(at + 1).map(|next| (next, next.text.as_str())),
            text => {
                let by_name = text.strip_prefix("--config-env=");
                by_name.map(|value| (word, value))
            }
        };
        if let Some((word, setting)) = given {
            if text(at).starts_with("--config-env") {
                let key = setting.split('=').next().unwrap_or_default();
                set(parts, word, key, "$");
            } else {
                git_setting(parts, &part(word, setting));
            }
        }
        if text(at) == "--config-env" {
            let key = text(at + 1).split('=').next().unwrap_or_default();
            set(parts, word, key, "$");
        }
        address(parts, word);
    }
    match command {
        CONFIG => config(parts, rest),
        "bisect" => {
            if let Some(("run", command)) = first_named(rest, &["run"]) {
                parts.option_words(command);
            }
        }
        "submodule" => {
            if let Some((_, after)) = first_named(rest, &["foreach"]) {
                let options = after.iter().take_while(|word| word.text.starts_with('-')).count();
                parts.option_line(after.get(options..).unwrap_or_default());
            }
        }
        "for-each-repo" => {
            // Which words are values of its options is not known.
            for at in (0..rest.len()).filter(|at| !rest_text(rest, *at).starts_with('-')) {
                let mut command = vec![Word::literal("git")];
                command.extend(rest.iter().skip(at).cloned());
                parts.option_words(&command);
            }
        }
        "remote-ext" => parts.option_line(rest.get(1..).unwrap_or_default()),
        "shell" if rest.len() > 1 => parts.option_line(rest.get(1..).unwrap_or_default()),
        _ => {}
    }
}

/// The subcommand, and the words after it.
fn subcommand(words: &[Word]) -> (&str, &[Word]) {
    let found = subcommand_at(words).and_then(|at| Some((words.get(at)?, words.get(at + 1..)?)));
    found.map_or(("", &[]), |(word, rest)| (word.text.as_str(), rest))
}

/// The place of the subcommand.
pub(super) fn subcommand_at(words: &[Word]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.text.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env"
            | "--super-prefix" | "--attr-source" => at += 2,
            text if text.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// The first word that is no option, if it is one of these, and the words after it.
fn first_named<'w>(words: &'w [Word], names: &[&str]) -> Option<(&'w str, &'w [Word])> {
    let at = words.iter().position(|word| !word.text.starts_with('-'))?;
    let text = words.get(at)?.text.as_str();
    names.contains(&text).then_some((text, words.get(at + 1..)?))
}

/// `git config KEY VALUE`, which later commands obey. Which words are values of its options is not known: each pair of
/// words may be a key and its value.
fn config(parts: &mut Parts, words: &[Word]) {
    let operands: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
    for pair in operands.windows(2) {
        if let [key, value] = pair {
            set(parts, value, &key.text, &value.text);
        }
    }
}

fn rest_text(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

/// Notes what a setting `NAME=VALUE` runs.
pub(super) fn git_setting(parts: &mut Parts, word: &Word) {
    let (key, value) = word.text.split_once('=').unwrap_or((&word.text, "true"));
    set(parts, word, key, value);
}

/// Notes what a setting runs.
fn set(parts: &mut Parts, word: &Word, key: &str, value: &str) {
    let key = key.to_ascii_lowercase();
    let is = |patterns: &[&str]| patterns.iter().any(|pattern| is_key(&key, pattern));
    let line = |parts: &mut Parts, value: &str| {
        let word = if value == "$" {
            Word {
                unknown: true,
                ..part(word, value)
            }
        } else {
            part(word, value)
        };
        parts.option_line(&[word]);
    };
    if key.contains(['$', '`']) || key.contains("ext::") {
        parts.hidden = true;
    } else if is(LEADING) {
        parts.hidden |= !["", "/dev/null", "never"].contains(&value);
    } else if value == "$" && (key.starts_with("alias.") || is(&["submodule.*.update"])) {
        // A variable has it: it may begin with `!`.
        line(parts, value);
    } else if key.starts_with("alias.") {
        match value.strip_prefix('!') {
            Some(value) => line(parts, value),
            None => line(parts, &format!("git {value}")),
        }
    } else if is(&["submodule.*.update"]) {
        if let Some(value) = value.strip_prefix('!') {
            line(parts, value);
        }
    } else if key.starts_with("credential.") && key.ends_with(".helper") {
        match value.strip_prefix('!') {
            Some(value) => line(parts, value),
            None if value.contains('/') || value == "$" => line(parts, value),
            None => {}
        }
    } else if is(COMMANDS) && !NO_COMMAND.contains(&value) {
        line(parts, value);
    }
}

/// True if a key is that of a pattern.
fn is_key(key: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => key == pattern,
        Some((begin, end)) => {
            key.len() > begin.len() + end.len() && key.starts_with(begin) && key.ends_with(end)
        }
    }
}

/// Notes the command in an address: `ext::COMMAND`, in which `% ` is a blank. Source: git-remote-ext(1).
fn address(parts: &mut Parts, word: &Word) {
    let Some(at) = word.text.find("ext::") else {
        return;
    };
    let command = word.text.get(at + "ext::".len()..).unwrap_or_default();
    parts.hidden = true;
    parts.option_line(&[part(word, &command.replace("% ", " "))]);
}

/// Returns true for a name under which git is called.
pub(super) fn is_git(name: &str) -> bool {
    lists("git", name)
}
