//! Finds the commands in variables that a line sets for programs.
//!
//! Must not know: the grammar of lines, what a program does with its words.

use super::options::lists;
use super::unwrap::{Parts, part};
use super::word::Word;
use super::wrappers::is_shell;

/// What the value of a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// A line, or a program.
    Line,
    /// A file, a library or options that lead to code.
    Code,
    /// Code, unless it is a plain word: many programs use the same name for something else.
    CodeUnlessWord,
    /// Directories with code, which programs of the workspace may use: these run its code anyway.
    Library,
    /// Directories with programs.
    Places,
    /// Text that leads to no code.
    Text,
    /// Text that a shell expands.
    Expanded,
    /// A shell.
    Shell,
    /// Options: code, if they contain one of these texts.
    Options(&'static [&'static str]),
}

/// The variables. A `*` at the end stands for any rest, one at the beginning for any beginning.
///
/// Sources: git(1), bash(1), dash(1), ld.so(8), environ(7), less(1), man(1), tar(1), rsync(1), svn, hg(1), ssh(1),
/// make(1), cargo's book, python(1), perlrun(1), ruby(1), node(1), go help environment, psql(1), systemctl(1), php(1),
/// kubectl(1), dotnet's list of variables, the XDG Base Directory Specification.
const VARIABLES: &[(&str, Holds)] = &[
    (
        "GIT_EXTERNAL_DIFF GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_ASKPASS SSH_ASKPASS \
         GIT_PROXY_COMMAND SUDO_ASKPASS",
        Holds::Line,
    ),
    (
        "EDITOR VISUAL PAGER BROWSER MANPAGER SUDO_EDITOR SYSTEMD_EDITOR SYSTEMD_PAGER FCEDIT HGEDITOR \
         HGMERGE SVN_EDITOR SVN_MERGE SVN_SSH CVS_RSH CVSEDITOR RSYNC_RSH RSYNC_CONNECT_PROG KUBE_EDITOR GH_PAGER GH_EDITOR \
         GH_BROWSER GLAB_PAGER AWS_PAGER BAT_PAGER DELTA_PAGER PSQL_PAGER PSQL_EDITOR JJ_EDITOR JJ_PAGER \
         RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER \
         CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTDOC CC CXX CPP LD FZF_DEFAULT_COMMAND *_LINKER *_RUNNER \
         DPKG_PAGER APT_PAGER PKG_CONFIG GCCGO PERLDOC_PAGER RI_PAGER BORG_RSH \
         RESTIC_PASSWORD_COMMAND BORG_PASSCOMMAND PROMPT_COMMAND LYNX_EDITOR LESSEDIT MOST_EDITOR",
        Holds::Line,
    ),
    (
        "GIT_TERMINAL_PROMPT GIT_AUTHOR_* GIT_COMMITTER_* GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT GIT_LFS_SKIP_SMUDGE \
         GIT_CONFIG_NOSYSTEM GIT_SSL_NO_VERIFY GIT_INDEX_FILE GIT_CEILING_DIRECTORIES GIT_NO_LAZY_FETCH \
         GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_LITERAL_PATHSPECS GIT_PAGER_IN_USE GIT_REFLOG_ACTION GIT_ADVICE",
        Holds::Text,
    ),
    (
        "GIT_* BASH_ENV BASH_FUNC_* LD_* DYLD_* GCONV_PATH LESSOPEN LESSCLOSE LESSKEY LESSKEYIN LESSKEY_CONTENT \
         TAR_OPTIONS ZDOTDIR OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES PERL5OPT PERL5DB LUA_INIT* VIMINIT EXINIT \
         MYVIMRC NVIM_APPNAME RIPGREP_CONFIG_PATH npm_config_* NPM_CONFIG_* PYTHONSTARTUP PYTHONBREAKPOINT FZF_DEFAULT_OPTS \
         ACKRC PARALLEL PARALLEL_SHELL GCC_EXEC_PREFIX COMPILER_PATH GTK_MODULES GIO_EXTRA_MODULES QT_PLUGIN_PATH \
         ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS R_PROFILE R_PROFILE_USER R_ENVIRON JULIA_LOAD_PATH PSQLRC \
         MAILRC HGRCPATH SVN_CONFIG_DIR GNUPGHOME BASHOPTS SHELLOPTS GUILE_LOAD_PATH ANSIBLE_CONFIG EMACSLOADPATH \
         WGETRC CMAKE_*_LAUNCHER CARGO_ALIAS_* CARGO_REGISTRY_CREDENTIAL_PROVIDER CARGO_HOME \
         HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS MAKEFILES PYTHONHOME PYTHONINSPECT PHPRC PHP_INI_SCAN_DIR KUBECONFIG \
         AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE DOCKER_CONFIG DOTNET_STARTUP_HOOKS GOROOT GOTOOLDIR GOENV",
        Holds::Code,
    ),
    (
        "PYTHONPATH NODE_PATH RUBYLIB PERL5LIB PERLLIB CLASSPATH",
        Holds::Library,
    ),
    ("PATH", Holds::Places),
    ("ENV", Holds::CodeUnlessWord),
    ("PS0 PS1 PS2 PS3 PS4 RPS1 RPROMPT", Holds::Expanded),
    (
        "SHELL MAKESHELL CONFIG_SHELL npm_config_script_shell",
        Holds::Shell,
    ),
    (
        "NODE_OPTIONS",
        Holds::Options(&["require", "import", "loader", "-r", "eval", "inspect", "$", "`"]),
    ),
    ("RUBYOPT", Holds::Options(&["-r", "-I", "-e", "-C", "$", "`"])),
    (
        "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS SBT_OPTS",
        Holds::Options(&["agent", "OnError", "OnOutOfMemory", "@", "Dexec", "$", "`"]),
    ),
    (
        "GOFLAGS",
        Holds::Options(&["exec", "vettool", "ldflags", "overlay", "$", "`"]),
    ),
    (
        "RUSTFLAGS RUSTDOCFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_BUILD_RUSTDOCFLAGS \
         CARGO_TARGET_*_RUSTFLAGS",
        Holds::Options(&["linker", "link-arg", "runtool", "$", "`"]),
    ),
    ("LESS MORE MOST LV", Holds::Options(&["+", "$", "`"])),
    (
        "MAKEFLAGS MFLAGS GNUMAKEFLAGS",
        Holds::Options(&["eval", "-E", "=", "$", "`"]),
    ),
    (
        "CFLAGS CXXFLAGS LDFLAGS CPPFLAGS",
        Holds::Options(&["plugin", "-wrapper", "specs", "$(", "`"]),
    ),
    ("PYTHONWARNINGS", Holds::Options(&["::", "."])),
    ("MANOPT RSYNC_OPTIONS ZIPOPT ZIP", Holds::Options(&["-"])),
];

/// Directories in which the system and its package managers have programs.
const PROGRAMS: &[&str] = &["/usr", "/bin", "/sbin", "/opt", "$HOME", "${HOME}", "~"];
/// Programs that run the code of a workspace, so that the libraries in it add nothing.
const RUN_CODE: &str = "pytest py.test tox nox unittest python pypy node nodejs ts-node tsx jest mocha vitest npm npx yarn pnpm ruby \
    rspec rake bundle perl prove java javac mvn gradle uvicorn gunicorn flask celery coverage mypy pyright pylint";

/// Modules of Python itself that people run, which need no code of a workspace. Source: the list of modules of Python.
const STANDARD: &str = "json http venv pip site zipfile tarfile base64 gzip calendar ensurepip compileall py_compile ast dis \
    tokenize pydoc sysconfig platform uuid webbrowser timeit cProfile profile pdb code trace asyncio idlelib zipapp sqlite3 \
    inspect random ftplib poplib smtplib telnetlib imaplib mimetypes quopri encodings locale lib2to3 pickle pickletools \
    symtable tabnanny tkinter turtledemo this antigravity filecmp fileinput netrc";

/// Notes what an assignment in a command of its own, or by `export` and the like, leads to: `NAME=VALUE`.
pub(super) fn assignment(parts: &mut Parts, word: &Word) {
    assigned(parts, word, &[]);
}

/// Notes what an assignment leads to that holds for a command.
pub(super) fn assigned(parts: &mut Parts, word: &Word, command: &[Word]) {
    let Some((name, value)) = word.text.split_once('=') else {
        return;
    };
    let is_more = name.ends_with('+');
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    if name.contains(['$', '`']) {
        parts.hidden = true;
        return;
    }
    let Some(holds) = holds(name) else { return };
    let value = part(word, value);
    let text = value.text.as_str();
    match holds {
        Holds::Line => parts.option_line(std::slice::from_ref(&value)),
        Holds::Code => parts.hidden |= !["", "0", "1", "/dev/null", "$HOME", "~"].contains(&text),
        Holds::Library => parts.hidden |= !text.is_empty() && (value.unknown || !runs_code(command)),
        // What is appended comes after all others.
        Holds::Places => parts.hidden |= !is_more && !are_usual(text),
        Holds::Text => {}
        Holds::CodeUnlessWord => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            parts.hidden |= value.unknown || !text.chars().all(is_plain);
        }
        Holds::Expanded => parts.hidden |= text.contains(['$', '`']),
        Holds::Shell => {
            let (place, program) = text.rsplit_once('/').unwrap_or(("/bin", text));
            let is_known = ["/bin", "/usr/bin"].contains(&place) && is_shell(program);
            if !is_known && !text.is_empty() {
                parts.hidden = true;
                parts.option_line(&[value]);
            }
        }
        Holds::Options(marks) => parts.hidden |= marks.iter().any(|mark| text.contains(mark)),
    }
}

/// Returns true if a command runs code of the workspace anyway.
fn runs_code(command: &[Word]) -> bool {
    let Some((name, words)) = command
        .split_first()
        .and_then(|(first, words)| Some((first.program()?, words)))
    else {
        return false;
    };
    if lists("uv poetry pipenv pdm hatch rye", name) {
        let run = words.iter().position(|word| word.text == "run");
        return run.and_then(|at| words.get(at + 1..)).is_some_and(runs_code);
    }
    let first = words.first().map_or("", |word| word.text.as_str());
    let second = words.get(1).map_or("", |word| word.text.as_str());
    if !lists(RUN_CODE, name) {
        return false;
    }
    if !lists("python pypy node nodejs ruby perl java", name) {
        return true;
    }
    // A module of the workspace, or one that runs its code.
    let module = second.split('.').next().unwrap_or_default();
    let is_module =
        first == "-m" && !module.is_empty() && !STANDARD.split_ascii_whitespace().any(|one| one == module);
    is_module || (!first.is_empty() && !first.starts_with('-') && words.first().is_some_and(Word::is_sure))
}

/// Returns true if no directory of the workspace comes before those of the system in a value of `PATH`.
fn are_usual(text: &str) -> bool {
    for place in text.split(':') {
        if ["$PATH", "${PATH}"].contains(&place) {
            return true;
        }
        let begins = |known: &&str| {
            place
                .strip_prefix(*known)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !PROGRAMS.iter().any(begins) || place.contains("..") {
            return false;
        }
    }
    true
}

/// Notes the variables that an expansion sets: `${NAME:=VALUE}`.
pub(super) fn expanded(parts: &mut Parts, word: &Word) {
    for text in word.text.split("${").skip(1) {
        // The variable that another one names.
        parts.hidden |=
            text.starts_with('!') && text.split('}').next().is_some_and(|text| text.contains('='));
        let name: String = text
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let rest = text.get(name.len()..).unwrap_or_default();
        if let Some(value) = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('=')) {
            let value = value.split('}').next().unwrap_or_default();
            assignment(parts, &part(word, &format!("{name}={value}")));
        }
    }
}

/// Returns true if the value of a variable may lead to a command.
pub(super) fn is_listed(name: &str) -> bool {
    holds(name).is_some_and(|holds| holds != Holds::Text)
}

/// Notes variables that a builtin fills from elsewhere: `read EDITOR`, `printf -v PAGER`.
pub(super) fn filled(parts: &mut Parts, words: &[Word]) {
    parts.hidden |= words
        .iter()
        .any(|word| is_listed(&word.text) || word.text.contains(['$', '`']));
}

fn holds(name: &str) -> Option<Holds> {
    let is = |pattern: &str| match pattern.split_once('*') {
        Some((begin, end)) => {
            name.len() > begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
        None => name == pattern,
    };
    // The most precise entry counts.
    let find = |whole: bool| {
        VARIABLES.iter().find(|(names, _)| {
            names
                .split_ascii_whitespace()
                .any(|one| one.contains('*') != whole && is(one))
        })
    };
    find(true).or_else(|| find(false)).map(|(_, holds)| *holds)
}
