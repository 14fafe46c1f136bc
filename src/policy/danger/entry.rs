//! Compares an entry of the danger table with a command.
//!
//! Must not know: settings, kinds of danger, rules.
//!
//! An entry is a program with words that must be there. Each of them may be several, with `|` between them. A word that
//! begins with `!` must not be there. In a word, `*` stands for any text. Words of capitals match in small letters too.

use overrule_base::shell_line::Command;

/// Programs with subcommands: the plain words of an entry must be the first words that are no options.
const SUBCOMMANDS: &[&str] = &[
    "git",
    "gh",
    "glab",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "cargo",
    "docker",
    "docker-compose",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "helm",
    "hg",
    "svn",
    "jj",
    "systemctl",
    "apt",
    "apt-get",
    "terraform",
    "tofu",
    "uv",
    "go",
    "conda",
    "brew",
];
/// Short options that take a value, which may be right after the letter, so that no further letters follow.
const VALUES: &[(&str, &str)] = &[
    ("git", "mCcFSo"),
    ("perl", "MmIeExFCDl"),
    ("ruby", "eIrCFTWx"),
    ("sed", "efl"),
    ("gsed", "efl"),
    ("awk", "vFf"),
    ("gawk", "vFf"),
    ("docker", "evpwuhlmf"),
    ("podman", "evpwuhlmf"),
    ("curl", "HdoXuAeFbcTxmwrKQ"),
    ("kubectl", "nlcfo"),
    ("gh", "RbtFHfqX"),
    ("tar", "fCXTIbg"),
    ("zip", "xitbnP"),
    ("sort", "kotST"),
    ("pg_restore", "dhpUnftFLjIPSTW"),
];

/// Returns the words of the entry as the command has them, if the command is what the entry names.
pub(super) fn named(entry: &str, command: &Command) -> Option<String> {
    let program = command.program_name()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let mut wanted = entry.split_whitespace();
    let first = wanted.next()?;
    let first = first.split('|').find(|one| {
        is_like(program, one) || command.program_name().is_some_and(|whole| is_like(whole, one))
    })?;
    let given: Vec<&str> = command
        .words
        .iter()
        .skip(1)
        .map(|word| word.text.as_str())
        .collect();
    // After `--` there are no options.
    let end = given.iter().position(|word| *word == "--").unwrap_or(given.len());
    // Options before a subcommand are others.
    let has_subcommands = SUBCOMMANDS.contains(&program);
    let begin = if has_subcommands {
        subcommand(&given).unwrap_or_default()
    } else {
        0
    };
    let options = given.get(begin..end).unwrap_or_default();
    let is_option = |wanted: &&str| options.iter().any(|one| has_option(program, one, wanted));
    let mut found = vec![first];
    let mut at = 0;
    for word in wanted {
        if let Some(absent) = word.strip_prefix('!') {
            let mut absent = absent.split('|');
            if absent.any(|one| is_option(&one) || (!one.starts_with('-') && given.contains(&one))) {
                return None;
            }
            continue;
        }
        let mut several = word.split('|');
        if word.starts_with('-') {
            found.push(several.find(is_option)?);
            continue;
        }
        let rest = given.get(at..).unwrap_or_default();
        let is_anchored = has_subcommands && word.starts_with(|c: char| c.is_ascii_lowercase());
        let place = if is_anchored { subcommand(rest) } else { None };
        let (next, one) = several.find_map(|one| {
            let next = match place {
                Some(next) => rest
                    .get(next..=next)?
                    .iter()
                    .position(|given| is_like(given, one))
                    .map(|_| next)?,
                None if is_anchored => return None,
                None => rest
                    .iter()
                    .position(|given| is_like(given, one) || is_attached(given, one))?,
            };
            Some((next, one))
        })?;
        at += next + 1;
        found.push(one);
    }
    Some(found.join(" "))
}

/// The place of the first word that is neither an option nor the value of one. The value is known for the options of git
/// and the like that stand before a subcommand.
fn subcommand(words: &[&str]) -> Option<usize> {
    const TAKE: &[&str] = &[
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "-n",
        "--context",
        "--kubeconfig",
        "-H",
        "--host",
        "--prefix",
        "--cwd",
        "-R",
        "--repo",
        "-f",
        "--file",
        "-p",
        "--project-name",
        "--project-directory",
        "--manifest-path",
        "--color",
        "-w",
        "--workspace",
        "--filter",
        "-l",
        "--profile",
        "--region",
        "--cluster",
        "-s",
        "--server",
        "--user",
        "--env-file",
        "--log-level",
        "--config-env",
        "--repository",
        "-r",
        "--directory",
    ];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.starts_with(['-', '+']) {
            return Some(at);
        }
        at += 1 + usize::from(TAKE.contains(word));
    }
    None
}

/// True if a text is the one of an entry, in which `*` stands for any text.
pub(super) fn is_like(given: &str, wanted: &str) -> bool {
    let is_loud = wanted.len() > 1 && wanted.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_loud {
        return given.eq_ignore_ascii_case(wanted);
    }
    let mut parts = wanted.split('*');
    let Some(mut rest) = given.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        // The part before was not the last one.
        if let Some(part) = last.replace(part) {
            let Some(at) = rest.find(part) else { return false };
            rest = rest.get(at + part.len()..).unwrap_or_default();
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => rest.is_empty(),
    }
}

/// True for `KEY=VALUE` of an entry that names the key.
fn is_attached(given: &str, wanted: &str) -> bool {
    wanted.starts_with('-')
        && given
            .strip_prefix(wanted)
            .is_some_and(|rest| rest.starts_with('='))
}

/// True if a word is an option of an entry: itself, with a value, cut as getopt allows it, or one letter of several.
fn has_option(program: &str, given: &str, wanted: &str) -> bool {
    let with_value = given
        .strip_prefix(wanted)
        .is_some_and(|rest| rest.starts_with('='));
    if is_like(given, wanted) || with_value {
        return true;
    }
    if let Some(long) = wanted.strip_prefix("--") {
        let name = given.strip_prefix("--").and_then(|given| given.split('=').next());
        // An option that is cut to fewer than five characters may be another one.
        return name.is_some_and(|name| name.len() > 4 && long.trim_end_matches('*').starts_with(name));
    }
    let Some(letter) = wanted.strip_prefix('-').filter(|letter| letter.len() == 1) else {
        return false;
    };
    let Some(letters) = given
        .strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'))
    else {
        return false;
    };
    let takes = VALUES
        .iter()
        .find(|(name, _)| *name == program)
        .map_or("", |(_, letters)| *letters);
    let Some((before, _)) = letters.split_once(letter) else {
        return false;
    };
    before
        .chars()
        .all(|c| c.is_ascii_alphanumeric() && !takes.contains(c))
}
