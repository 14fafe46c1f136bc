//! Finds the commands in words that are no options: scripts of sed and awk, variables of make, addresses of socat.
//!
//! Must not know: the grammar of lines.

use super::becomes::only_plain;
use super::code::{awk_runs, sed};
use super::git::{git, is_git};
use super::grammar::Raw;
use super::lines::is_unseen;
use super::options::{lists, marked, options};
use super::unwrap::{Parts, part};
use super::variables::{assignment, filled};
use super::word::Word;

/// Variables of make that name a program. Source: the manual of GNU make, "Implicit Variables".
const MAKE_PROGRAMS: &str = "CC CXX CPP LD AR AS FC RM LEX YACC LINT M2C PC CO GET TEX WEAVE TANGLE CTANGLE CWEAVE MAKEINFO TEXI2DVI \
    INSTALL MAKE PYTHON PYTHON3 NODE NPM GO CARGO RUSTC DOCKER SHELLCMD RUN TEST RUNNER";
/// Addresses of socat that name a command. Source: socat(1).
const SOCAT: &[&str] = &["EXEC:", "SYSTEM:", "SHELL:"];
/// Commands of gdb and lldb that run no other program. Source: the manual of gdb.
const DEBUGGER: &[&str] = &[
    "run",
    "r",
    "bt",
    "bt full",
    "backtrace",
    "where",
    "quit",
    "q",
    "continue",
    "c",
    "info threads",
    "info registers",
    "thread apply all bt",
    "set pagination off",
    "set confirm off",
    "start",
    "process launch",
    "thread backtrace all",
];

/// Finds what a program runs by its options, its words, its input and the variables that are set for it.
pub(super) fn given(parts: &mut Parts, name: &str, words: &[Word], raw: &Raw) {
    if is_git(name) {
        git(parts, words);
    }
    let is_debugger = lists("gdb gdb-multiarch rust-gdb lldb rust-lldb", name);
    if !(is_debugger && !has_input(raw) && is_quiet(words)) {
        options(parts, name, words, raw);
    }
    match name {
        "export" | "declare" | "typeset" | "local" | "readonly" | "setenv" => {
            for word in words {
                assignment(parts, word);
                // It may be an assignment.
                parts.hidden |= word.unknown && word.text.starts_with(['$', '`']);
                // Another name for a variable.
                let letters = word.text.strip_prefix('-').unwrap_or_default();
                parts.hidden |= !["export", "readonly"].contains(&name) && letters.contains('n');
            }
        }
        "read" | "getopts" | "mapfile" | "readarray" => filled(parts, words),
        "printf" if words.first().is_some_and(|word| word.text.starts_with("-v")) => {
            filled(parts, words.get(1..2).unwrap_or_default());
            let attached = words.first().and_then(|word| word.text.strip_prefix("-v"));
            filled(parts, &[Word::literal(attached.unwrap_or_default())]);
        }
        _ if lists("sqlite3 sqlite duckdb", name) => {
            parts.hidden |= words.iter().any(|word| marked(name, &word.text));
        }
        _ if lists("sed gsed", name) => sed_words(parts, words),
        // Its last word is a line, also without `-c`.
        "sg" if words.len() > 1 => parts.option_line(words.get(words.len() - 1..).unwrap_or_default()),
        // Any program of a directory.
        "run-parts" => parts.hidden = true,
        // An expression of perl.
        "rename" | "prename" | "perl-rename" | "file-rename" => {
            parts.hidden |= words
                .iter()
                .any(|word| word.text.starts_with(['s', 'y', 't']) && word.text.contains('/'));
        }
        _ if lists("mlr miller chezmoi crystal gs bwk goawk", name) => {
            parts.hidden |= words.iter().any(|word| word.text.contains(['(', '|', '`', '%']));
        }
        _ if lists("awk gawk mawk nawk original-awk", name) => awk_words(parts, words),
        _ if lists("vim vi nvim ex view gvim vimdiff rvim evim", name) => plus(parts, words, true),
        _ if lists("less more most pg", name) => plus(parts, words, false),
        _ if lists("make gmake bmake remake", name) => make_words(parts, words),
        _ => named(parts, name, words),
    }
}

/// Finds what a program runs by words that only it understands.
fn named(parts: &mut Parts, name: &str, words: &[Word]) {
    match name {
        // The letters of a first word without a dash take the next words in their order.
        "tar" | "gtar" | "bsdtar" => {
            let bundle = words.first().map_or("", |word| word.text.as_str());
            parts.hidden |= !bundle.starts_with('-') && bundle.contains(['I', 'F']);
        }
        "socat" | "socat1" => {
            for word in words {
                let upper = word.text.to_ascii_uppercase();
                if let Some(begin) = SOCAT.iter().find(|begin| upper.starts_with(*begin)) {
                    let line = word.text.get(begin.len()..).unwrap_or_default();
                    let line = line.split(',').next().unwrap_or_default();
                    parts.option_line(&[part(word, line)]);
                }
            }
        }
        "cmake" => {
            for word in words {
                let setting = word.text.strip_prefix("-D").unwrap_or(&word.text);
                let Some((key, value)) = setting.split_once('=') else {
                    continue;
                };
                let key = key.split(':').next().unwrap_or_default();
                let ends = [
                    "_COMPILER",
                    "_LAUNCHER",
                    "_PROGRAM",
                    "_EMULATOR",
                    "_LINKER",
                    "_EXECUTABLE",
                ];
                if key.starts_with("CMAKE_") && ends.iter().any(|end| key.ends_with(end)) {
                    parts.option_line(&[part(word, &value.replace(';', " "))]);
                }
            }
        }
        "strace" | "ltrace" => {
            for (at, word) in words.iter().enumerate() {
                let next = words.get(at + 1).map(|word| word.text.as_str());
                let value = word
                    .text
                    .strip_prefix("-o")
                    .filter(|value| !value.is_empty())
                    .or(next);
                let value = value.filter(|_| word.text.starts_with("-o"));
                if let Some(line) = value.and_then(|value| value.strip_prefix(['|', '!'])) {
                    parts.option_line(&[part(word, line)]);
                }
            }
        }
        "salt" | "salt-call" | "salt-ssh" | "pdsh" | "pssh" | "parallel-ssh" | "clush" | "dsh" => {
            parts.hidden |= words.len() > 1;
        }
        "deno" => {
            parts.hidden |= words
                .iter()
                .any(|word| ["eval", "repl"].contains(&word.text.as_str()));
        }
        "bun" => {
            if let Some(at) = words.iter().position(|word| word.text == "exec") {
                parts.option_line(words.get(at + 1..).unwrap_or_default());
            }
        }
        "gh" | "glab" | "npm" | "pnpm" | "yarn" | "go" => stored(parts, name, words),
        _ if lists("python pypy", name) => parts.hidden |= module(words).is_some_and(|word| runs_text(&word)),
        // Files with options, and places of the programs that they run.
        _ if lists("gcc g++ cc c++ gfortran clang clang++ ld rustc", name) => {
            let is_place = |text: &str| text.starts_with("-B") && name != "ld";
            let mut texts = words.iter().map(|word| word.text.as_str());
            parts.hidden |= texts.any(|text| text.starts_with('@') || is_place(text));
        }
        _ if lists("ruby", name) => {
            parts.hidden |= words.iter().any(|word| word.text.trim().starts_with('|'));
        }
        _ if lists("perl", name) => {
            // `-MModule` takes code after the name, and a name of a file that ends in `|` is a command.
            let is_code = |text: &str| {
                let module = text.strip_prefix("-M").or_else(|| text.strip_prefix("-m"));
                module.is_some_and(|module| module.contains([';', '(', '{', '\'', '"', '`', '$']))
            };
            parts.hidden |= words.iter().any(|word| {
                let text = word.text.trim();
                is_code(text) || text.starts_with('|') || text.ends_with('|')
            });
        }
        _ => {}
    }
}

/// Modules of Python that run code, or the rest of the words, besides a file.
const MODULES: &[&str] = &[
    "timeit", "pdb", "code", "IPython", "ipython", "asyncio", "idlelib", "cProfile", "profile", "trace",
    "bpython", "ptpython", "sqlite3", "runpy", "this",
];

/// The module that Python is told to run.
fn module(words: &[Word]) -> Option<Word> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let letters = word.text.strip_prefix('-')?;
        if letters.starts_with('-') || letters.is_empty() {
            continue;
        }
        for (place, letter) in letters.char_indices() {
            let rest = letters.get(place + letter.len_utf8()..).unwrap_or_default();
            match letter {
                'c' => return None,
                'm' if rest.is_empty() => return words.get(at).cloned(),
                'm' => return Some(part(word, rest)),
                'W' | 'X' | 'Q' => {
                    at += usize::from(rest.is_empty());
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

/// Returns true if a module of Python runs text among its words, or is not known.
fn runs_text(module: &Word) -> bool {
    let first = module.text.trim().split('.').next().unwrap_or_default();
    module.unknown || MODULES.contains(&first)
}

/// Settings that name a program, by the program that keeps them.
///
/// Sources: gh-config(1), npm-config(7).
const STORED: &[(&str, &str)] = &[
    ("gh glab", "pager editor browser glab_pager glamour_style"),
    (
        "npm pnpm yarn",
        "script-shell scriptshell shell editor viewer browser git node-options globalconfig userconfig init-module \
         onload-script",
    ),
];
/// Variables of go that lead to no command. Source: go help environment.
const GO_PLAIN: &str = "GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE GO111MODULE CGO_ENABLED GOOS GOARCH \
    GOARM GOAMD64 GOTOOLCHAIN GOVCS GOTELEMETRY";

/// Notes what a program keeps for later commands: `gh alias set`, `npm config set`, `go env -w`.
fn stored(parts: &mut Parts, name: &str, words: &[Word]) {
    let has = |text: &str| words.iter().any(|word| word.text == text);
    if name == "go" {
        if !(has("env")
            && words
                .iter()
                .any(|word| word.text.trim_start_matches('-').split('=').next() == Some("w")))
        {
            return;
        }
        for word in words {
            let Some((key, value)) = word.text.split_once('=') else {
                parts.hidden |= word.unknown;
                continue;
            };
            if !GO_PLAIN.split_ascii_whitespace().any(|plain| plain == key) {
                parts.hidden = true;
                parts.option_line(&[part(word, value)]);
            }
        }
        return;
    }
    if has("alias") {
        for word in words {
            if let Some(line) = word.text.strip_prefix('!') {
                parts.option_line(&[part(word, line)]);
            }
        }
        parts.hidden |= has("import") || (has("set") && words.iter().any(|word| word.unknown));
    }
    if !has("set") && !has("config") && !has("c") {
        return;
    }
    let is_program = |key: &str| {
        let mut of_name = STORED.iter().filter(|(programs, _)| lists(programs, name));
        of_name.any(|(_, keys)| keys.split_ascii_whitespace().any(|one| one == key))
    };
    for (at, word) in words.iter().enumerate() {
        let (key, value) = match word.text.split_once('=') {
            Some((key, value)) => (key, Some(part(word, value))),
            None => (word.text.as_str(), words.get(at + 1).cloned()),
        };
        if let Some(value) = value.filter(|_| is_program(&key.trim_start_matches('-').to_ascii_lowercase())) {
            parts.hidden = true;
            parts.option_line(&[value]);
        }
    }
}

/// Returns true if every command of a debugger runs no other program.
fn is_quiet(words: &[Word]) -> bool {
    let options = [
        "-ex",
        "--ex",
        "-o",
        "--one-line",
        "-iex",
        "-eval-command",
        "--eval-command",
    ];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text.as_str();
        if options.contains(&text) {
            let is_known = words
                .get(at)
                .is_some_and(|next| DEBUGGER.contains(&next.text.as_str()));
            if !is_known {
                return false;
            }
            at += 1;
        } else if ![
            "-batch", "--batch", "-q", "-quiet", "--quiet", "-b", "--args", "--",
        ]
        .contains(&text)
            && text.starts_with('-')
        {
            return false;
        }
    }
    true
}

/// Notes the commands of a script, which is in the words or in a file.
fn sed_words(parts: &mut Parts, words: &[Word]) {
    let (scripts, files) = texts(words, &["expression"], &["file"], "e", "f", "lsi");
    parts.hidden |= files.iter().any(is_unseen);
    if scripts.iter().any(|word| word.unknown) {
        parts.hidden = true;
    }
    let whole: Vec<&str> = scripts.iter().map(|word| word.text.as_str()).collect();
    let found = sed(&whole.join("\n"));
    parts.hidden |= found.hides;
    for line in found.lines {
        parts.option_line(&[Word::literal(line)]);
    }
}

/// Notes whether a program of awk runs commands.
fn awk_words(parts: &mut Parts, words: &[Word]) {
    let (programs, files) = texts(words, &["source"], &["file", "exec", "include"], "e", "fEi", "Fv");
    parts.hidden |= files.iter().any(is_unseen);
    parts.hidden |= words.iter().any(|word| {
        let text = word.text.as_str();
        text.starts_with("--load") || (text.starts_with("-l") && !text.starts_with("--"))
    });
    parts.hidden |= programs.iter().any(|word| word.unknown || awk_runs(&word.text));
}

const fn has_input(raw: &Raw) -> bool {
    raw.input.text.is_some() || raw.input.from.is_some()
}

/// The texts and the files that options name, or else the first word that is no option as a text.
///
/// `text`, `file` and `others` are short options that take a value; one of `i` and `s` takes none or an attached one.
fn texts(
    words: &[Word],
    long_text: &[&str],
    long_file: &[&str],
    text: &str,
    file: &str,
    others: &str,
) -> (Vec<Word>, Vec<Word>) {
    let (mut texts, mut files) = (Vec::new(), Vec::new());
    let mut first = None;
    let mut at = 0;
    let mut options = true;
    while let Some(word) = words.get(at) {
        at += 1;
        if options && word.text == "--" {
            options = false;
            continue;
        }
        if !options || !word.text.starts_with('-') || word.text == "-" {
            if first.as_ref().is_none_or(|first: &Word| first.text.is_empty()) {
                first = Some(word.clone());
            }
            continue;
        }
        let mut take = |value: Option<&str>, list: &mut Vec<Word>| {
            if let Some(value) = value {
                list.push(part(word, value));
            } else {
                list.extend(words.get(at).cloned());
                at += 1;
            }
        };
        if let Some(long) = word.text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let is = |names: &[&str]| !name.is_empty() && names.iter().any(|one| one.starts_with(name));
            if is(long_text) {
                take(value, &mut texts);
            } else if is(long_file) {
                take(value, &mut files);
            } else if value.is_none() && is(&["field-separator", "assign", "line-length"]) {
                at += 1;
            }
            continue;
        }
        let letters = word.text.get(1..).unwrap_or_default();
        for (place, letter) in letters.char_indices() {
            let rest = letters.get(place + letter.len_utf8()..).unwrap_or_default();
            let value = (!rest.is_empty()).then_some(rest);
            if text.contains(letter) {
                take(value, &mut texts);
                break;
            }
            if file.contains(letter) {
                take(value, &mut files);
                break;
            }
            if letter == 'i' || letter == 's' {
                // A suffix may follow `-i`, and nothing follows `-s`.
                if letter == 'i' {
                    break;
                }
                continue;
            }
            if others.contains(letter) {
                take(value, &mut Vec::new());
                break;
            }
        }
    }
    if texts.is_empty() && files.is_empty() {
        texts.extend(first);
    }
    (texts, files)
}

/// Notes the commands after `+` of an editor or a pager.
fn plus(parts: &mut Parts, words: &[Word], is_editor: bool) {
    for word in words {
        let Some(command) = word.text.strip_prefix('+') else {
            continue;
        };
        let is_place = command.chars().all(|c| c.is_ascii_digit())
            || (command.starts_with('/') && !command.contains(['|', '!', '`', '$', '\n']))
            || (!is_editor && ["G", "F", "g", "+G", "+F"].contains(&command));
        parts.hidden |= !is_place;
    }
}

/// Notes variables and texts that make runs.
fn make_words(parts: &mut Parts, words: &[Word]) {
    let (_, files) = texts(words, &[], &["file", "makefile"], "", "f", "CIoW");
    parts.hidden |= files.iter().any(is_unseen);
    for word in words.iter().filter(|word| !word.text.starts_with('-')) {
        let Some((key, value)) = word.text.split_once('=') else {
            continue;
        };
        let value_word = part(word, value);
        if key.ends_with('!') {
            parts.option_line(&[value_word]);
            continue;
        }
        let key = key.trim_end_matches([':', '+', '?']);
        if ["SHELL", "MAKESHELL", "MAKEFLAGS", "MFLAGS", ".SHELLFLAGS"].contains(&key) {
            assignment(
                parts,
                &Word {
                    text: format!("{key}={value}"),
                    raw: None,
                    ..word.clone()
                },
            );
            parts.hidden |= key == ".SHELLFLAGS";
        } else if lists(MAKE_PROGRAMS, key) {
            parts.option_line(&[value_word]);
        } else {
            // Make expands what a shell made of it.
            parts.hidden |= if value_word.unknown {
                !only_plain(value)
            } else {
                value.contains("$(") || value.contains("${")
            };
        }
        // A rule runs a value as a part of its own line.
        parts.hidden |= value.contains([';', '`', '|', '&', '\n']);
    }
}
