//! Compares an entry of the danger table with a command.
//!
//! Must not know: settings, kinds of danger, rules.
//!
//! An entry is a program with words that must be there. Each of them may be several, with `|` between them. A word that
//! begins with `!` must not be there: it counts only as an option that is surely given and not taken back. In a word, `*` stands for any text. Words of capitals match in small letters too.

use overrule_base::shell_line::{Command, Word};

/// What is known about the options of a program.
struct Options {
    /// The program.
    name: &'static str,
    /// Options before a subcommand that take the next word.
    take: &'static str,
    /// Options before a subcommand that take none.
    flags: &'static str,
    /// Short options that take a value, which may be right after the letter, so that no further letters follow.
    values: &'static str,
    /// True if the plain words of an entry must be the first words that are no options.
    has_subcommands: bool,
}

const fn with(name: &'static str, take: &'static str, flags: &'static str, values: &'static str) -> Options {
    Options {
        name,
        take,
        flags,
        values,
        has_subcommands: true,
    }
}

const fn plain(name: &'static str, values: &'static str) -> Options {
    Options {
        name,
        take: "",
        flags: "",
        values,
        has_subcommands: false,
    }
}

/// Options of docker and its like.
const DOCKER_TAKE: &str = "-H --host -c --context --config -l --log-level --connection --url -f --file -p --project-name \
    --project-directory --profile --env-file --ansi --progress --parallel";
/// Options of docker and its like that take no value.
const DOCKER_FLAGS: &str =
    "-D --debug --tls --tlsverify --compatibility --dry-run --all-resources --remote -r";
/// Options of kubectl.
const KUBECTL_TAKE: &str = "-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group \
    --request-timeout --cache-dir --certificate-authority --client-certificate --client-key --tls-server-name -v --v \
    --profile --profile-output --log-file --password --username";

/// The programs. An option before a subcommand that is not listed may take a value or not: both are tried.
const OPTIONS: &[Options] = &[
    with(
        "git",
        "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source",
        "-p --paginate -P --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice \
         --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --version --help -v -h --html-path",
        "mCcFSo",
    ),
    with("gh", "-R --repo --hostname", "--help --version", "RbtFHfqX"),
    with("glab", "-R --repo -g --group", "--help", "RbtFHfqX"),
    with(
        "npm",
        "--prefix -w --workspace --loglevel --registry",
        "-g --global -s --silent --workspaces -ws --yes -y",
        "",
    ),
    with(
        "pnpm",
        "-C --dir --filter -F --loglevel",
        "-r --recursive -w --workspace-root -s --silent --yes",
        "",
    ),
    with("yarn", "--cwd", "-s --silent --verbose", ""),
    with("bun", "--cwd --filter -c --config", "-b --bun --silent", ""),
    with(
        "cargo",
        "--color --config -Z -C",
        "-v --verbose -q --quiet --locked --offline --frozen",
        "",
    ),
    with("docker", DOCKER_TAKE, DOCKER_FLAGS, "evpwuhlm"),
    with("docker-compose", DOCKER_TAKE, DOCKER_FLAGS, "fpevwu"),
    with("podman", DOCKER_TAKE, DOCKER_FLAGS, "evpwuhlm"),
    with("nerdctl", DOCKER_TAKE, DOCKER_FLAGS, "evpwuhlm"),
    with(
        "kubectl",
        KUBECTL_TAKE,
        "--insecure-skip-tls-verify --match-server-version --warnings-as-errors",
        "nlcfo",
    ),
    with(
        "oc",
        KUBECTL_TAKE,
        "--insecure-skip-tls-verify --match-server-version",
        "nlcfo",
    ),
    with(
        "helm",
        "-n --namespace --kube-context --kubeconfig --kube-token --kube-apiserver --kube-as-user --kube-as-group --kube-ca-file \
         --registry-config --repository-cache --repository-config --burst-limit --qps",
        "--debug --kube-insecure-skip-tls-verify",
        "nfo",
    ),
    with(
        "hg",
        "-R --repository --cwd --config --encoding --color --pager",
        "-y -q -v --debug --noninteractive",
        "RUrbm",
    ),
    with(
        "svn",
        "--username --password --config-dir --config-option",
        "--non-interactive -q -v",
        "mrF",
    ),
    with(
        "jj",
        "-R --repository --at-operation --at-op --config --color",
        "--no-pager --quiet --debug",
        "Rrm",
    ),
    with(
        "systemctl",
        "-t --type -p --property --state -H --host -M --machine -n --lines -o --output --root --job-mode -s --signal",
        "--user --system --global --now --no-pager -q --quiet -f --force --no-block --no-ask-password -l --full -a --all \
         --runtime --wait",
        "tpHMnos",
    ),
    with(
        "apt",
        "-o --option -c --config-file -t --target-release -a",
        APT_FLAGS,
        "octa",
    ),
    with(
        "apt-get",
        "-o --option -c --config-file -t --target-release -a",
        APT_FLAGS,
        "octa",
    ),
    with("terraform", "", "-version -help", ""),
    with("tofu", "", "-version -help", ""),
    with(
        "uv",
        "--directory --project --config-file --color --cache-dir",
        "-q --quiet -v --verbose --offline",
        "",
    ),
    with("go", "-C", "", ""),
    with("conda", "", "-v -h", "np"),
    with("brew", "", "-v -q -d", ""),
    plain("perl", "MmIeExFCDl"),
    plain("ruby", "eIrCFTWx"),
    plain("sed", "efl"),
    plain("gsed", "efl"),
    plain("awk", "vFf"),
    plain("gawk", "vFf"),
    plain("curl", "HdoXuAeFbcTxmwrKQ"),
    plain("tar", "fCXTIbg"),
    plain("zip", "xitbnP"),
    plain("sort", "kotST"),
    plain("pg_restore", "dhpUnftFLjIPSTW"),
];
/// Options of apt that take no value.
const APT_FLAGS: &str = "-f --fix-broken -y --yes --assume-yes -q -qq --quiet -s --simulate --dry-run -d --download-only -m \
    --no-install-recommends --purge --auto-remove --allow-downgrades -V -u";
/// Values of an option that switch it off.
const OFF: &[&str] = &["none", "false", "no", "0", "off"];
/// Maximum number of readings of the words before a subcommand.
const MOST: usize = 16;

/// Returns the words of the entry as the command has them, if the command is what the entry names.
pub(super) fn named(entry: &str, command: &Command) -> Option<String> {
    let whole = command.program_name()?;
    let program = whole.rsplit('/').next().unwrap_or(whole);
    let mut wanted = entry.split_whitespace();
    let first = wanted.next()?;
    let first = first
        .split('|')
        .find(|one| is_like(program, one) || is_like(whole, one))?;
    let wanted: Vec<&str> = wanted.collect();
    let given: Vec<&Word> = command.words.iter().skip(1).collect();
    let known = OPTIONS.iter().find(|one| one.name == program);
    let Some(known) = known.filter(|known| known.has_subcommands) else {
        let found = Words::new(known, &given, 0).find(&wanted, false)?;
        return Some(joined(first, &found));
    };
    // An entry without subcommands is about the program.
    let places = places(known, &given);
    let mut begins = places.iter().copied().chain(places.is_empty().then_some(0));
    let found = begins.find_map(|at| Words::new(Some(known), &given, at).find(&wanted, true))?;
    Some(joined(first, &found))
}

fn joined(first: &str, found: &[&str]) -> String {
    let mut words = vec![first];
    words.extend(found);
    words.join(" ")
}

/// The words of a command from its subcommand on.
struct Words<'c> {
    known: Option<&'static Options>,
    given: &'c [&'c Word],
    /// The place of the subcommand.
    begin: usize,
    /// The place of `--`, after which there are no options.
    end: usize,
}

impl<'c> Words<'c> {
    fn new(known: Option<&'static Options>, given: &'c [&'c Word], begin: usize) -> Self {
        let end = given
            .iter()
            .position(|word| word.text == "--")
            .unwrap_or(given.len());
        Self {
            known,
            given,
            begin,
            end,
        }
    }

    fn options(&self) -> &'c [&'c Word] {
        self.given.get(self.begin..self.end).unwrap_or_default()
    }

    fn values(&self) -> &'static str {
        self.known.map_or("", |known| known.values)
    }

    /// The words of an entry as they are given.
    fn find<'e>(&self, wanted: &[&'e str], has_subcommands: bool) -> Option<Vec<&'e str>> {
        let mut found = Vec::new();
        let mut at = self.begin;
        for word in wanted {
            if let Some(absent) = word.strip_prefix('!') {
                if absent.split('|').any(|one| self.is_sure(one)) {
                    return None;
                }
                continue;
            }
            let mut several = word.split('|');
            if word.starts_with('-') {
                let exact = several
                    .clone()
                    .find(|one| self.options().iter().any(|given| given.text == **one));
                found.push(exact.or_else(|| several.find(|one| self.is_there(one)))?);
                continue;
            }
            let is_anchored = has_subcommands && word.starts_with(|c: char| c.is_ascii_lowercase());
            let (next, one) = if is_anchored {
                let known = self.known?;
                let rest = self.given.get(at..).unwrap_or_default();
                let nexts = places(known, rest);
                several.find_map(|one| {
                    let is = |next: &&usize| rest.get(**next).is_some_and(|given| is_like(&given.text, one));
                    nexts.iter().find(is).map(|next| (at + next, one))
                })?
            } else {
                let option = several
                    .clone()
                    .find(|one| one.starts_with('-') && self.is_there(one));
                if let Some(option) = option {
                    found.push(option);
                    continue;
                }
                several.find_map(|one| Some((self.operand(one, at)?, one)))?
            };
            at = next + 1;
            found.push(one);
        }
        Some(found)
    }

    /// The place of a word that is no option of an entry.
    fn operand(&self, wanted: &str, from: usize) -> Option<usize> {
        let rest = self.given.get(from..)?;
        let is = |given: &Word| {
            let is_any = wanted == "*";
            // Any word, but no option.
            if is_any {
                return !given.text.starts_with('-');
            }
            is_like(&given.text, wanted)
        };
        Some(from + rest.iter().position(|given| is(given))?)
    }

    /// True if an option is given. What only looks like one counts, too.
    fn is_there(&self, wanted: &str) -> bool {
        if wanted == "--" {
            return self.end < self.given.len();
        }
        let mut options = self.options().iter();
        options.any(|given| has_option(self.values(), &given.text, wanted))
    }

    /// True if a word is surely given, and its effect is not taken back.
    fn is_sure(&self, wanted: &str) -> bool {
        if wanted == "--" {
            return self.is_there(wanted);
        }
        if !wanted.starts_with('-') {
            return self
                .given
                .iter()
                .any(|given| given.text == wanted && given.is_sure());
        }
        let mut is_on = false;
        for (at, given) in self.options().iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| self.options().get(at));
            let text = given.text.as_str();
            let off = wanted.strip_prefix("--").map(|long| format!("--no-{long}"));
            if off.is_some_and(|off| off.starts_with(text) && text.len() > "--no-".len()) {
                is_on = false;
                continue;
            }
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            // A shorter one may be another option.
            let is_cut = name.starts_with("--") && name.len() >= "--dele".len() && wanted.starts_with(name);
            if (is_cut || name == wanted) && value.is_some() {
                let is_off = value.is_some_and(|value| OFF.contains(&value.to_ascii_lowercase().as_str()));
                is_on = given.is_sure() && !is_off;
            } else if value.is_none() && (is_cut || text == wanted || self.is_letter(text, wanted)) {
                is_on |= given.is_sure() && !before.is_some_and(|before| self.takes_next(&before.text));
            }
        }
        is_on
    }

    fn is_letter(&self, given: &str, wanted: &str) -> bool {
        wanted.len() == 2 && !given.starts_with("--") && has_option(self.values(), given, wanted)
    }

    /// True if an option may take the word after it as its value.
    fn takes_next(&self, text: &str) -> bool {
        const TAKE: &[&str] = &[
            "--push-option",
            "--receive-pack",
            "--repo",
            "--exec",
            "--message",
            "--exclude",
        ];
        if text.starts_with("--") {
            return TAKE.iter().any(|take| text.len() > 2 && take.starts_with(text));
        }
        let last = text.chars().next_back().unwrap_or_default();
        text.starts_with('-') && self.values().contains(last)
    }
}

/// The places that the first word that is neither an option nor the value of one may have.
fn places(known: &Options, words: &[&Word]) -> Vec<usize> {
    let lists = |list: &str, text: &str| list.split_ascii_whitespace().any(|one| one == text);
    let mut found = Vec::new();
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        let Some(text) = words.get(at).map(|word| word.text.as_str()) else {
            continue;
        };
        if found.len() >= MOST {
            break;
        }
        if !text.starts_with(['-', '+']) {
            if !found.contains(&at) {
                found.push(at);
            }
            continue;
        }
        if lists(known.take, text) {
            open.push(at + 2);
        } else {
            // A value in the same word, or none.
            open.push(at + 1);
            let may_take = !text.contains('=') && !lists(known.flags, text);
            let next = words.get(at + 1);
            if may_take && next.is_some_and(|next| !next.text.starts_with('-')) {
                open.push(at + 2);
            }
        }
    }
    found.sort_unstable();
    found
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

/// True if a word is an option of an entry: itself, with a value, cut as getopt allows it, or one letter of several.
fn has_option(values: &str, given: &str, wanted: &str) -> bool {
    if is_like(given, wanted) {
        return true;
    }
    if let Some(long) = wanted.strip_prefix("--") {
        let Some(given) = given.strip_prefix("--").filter(|given| !given.is_empty()) else {
            return false;
        };
        let (name, value) = match given.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (given, None),
        };
        return match long.split_once('=') {
            Some((long, wanted)) => value == Some(wanted) && long.starts_with(name),
            None => long.trim_end_matches('*').starts_with(name),
        };
    }
    let Some(wanted) = wanted.strip_prefix('-').filter(|wanted| !wanted.is_empty()) else {
        return false;
    };
    let Some(letters) = given
        .strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'))
    else {
        return false;
    };
    // One letter, or one with a value in capitals.
    let (letter, value) = wanted.split_at_checked(1).unwrap_or((wanted, ""));
    if !value.is_empty() && !value.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return letters.split_once('=').is_some_and(|(name, _)| name == wanted);
    }
    let Some((before, after)) = letters.split_once(letter) else {
        return false;
    };
    let is_cluster = before
        .chars()
        .all(|c| c.is_ascii_alphanumeric() && !values.contains(c));
    is_cluster && (value.is_empty() || after.trim_start_matches('=') == value)
}
