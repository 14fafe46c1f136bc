//! Finds the commands in variables that a line sets for programs.
//!
//! Must not know: the grammar of lines, what a program does with its words.

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
/// make(1), cargo's book, python(1), perlrun(1), ruby(1), node(1), go help environment, psql(1), systemctl(1).
const VARIABLES: &[(&str, Holds)] = &[
    (
        "GIT_EXTERNAL_DIFF GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_ASKPASS SSH_ASKPASS \
         GIT_PROXY_COMMAND GIT_DIFFTOOL_EXTCMD GIT_WEB_BROWSER SUDO_ASKPASS",
        Holds::Line,
    ),
    (
        "EDITOR VISUAL PAGER BROWSER MANPAGER SUDO_EDITOR SYSTEMD_EDITOR SYSTEMD_PAGER FCEDIT MERGE DIFF HGEDITOR \
         HGMERGE SVN_EDITOR SVN_MERGE SVN_SSH CVS_RSH CVSEDITOR RSYNC_RSH RSYNC_CONNECT_PROG KUBE_EDITOR GH_PAGER GH_EDITOR \
         GH_BROWSER GLAB_PAGER AWS_PAGER BAT_PAGER DELTA_PAGER PSQL_PAGER PSQL_EDITOR JJ_EDITOR JJ_PAGER CRONTAB_EDITOR \
         RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC CARGO_BUILD_* CC CXX CPP LD FZF_DEFAULT_COMMAND *_LINKER *_RUNNER \
         MANROFFSEQ PKEXEC_SHELL TAPE_RSH DPKG_PAGER DEBIAN_PAGER APT_PAGER PERLDOC_PAGER RI_PAGER XDG_OPEN BORG_RSH \
         RESTIC_PASSWORD_COMMAND BORG_PASSCOMMAND PROMPT_COMMAND LYNX_EDITOR LESSEDIT MOST_EDITOR MYSQL_PAGER PGPAGER",
        Holds::Line,
    ),
    (
        "GIT_CONFIG GIT_CONFIG_* GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_ALLOW_PROTOCOL GIT_PROTOCOL_FROM_USER \
         GIT_ATTR_SOURCE BASH_ENV BASH_FUNC_* LD_* DYLD_* GCONV_PATH LESSOPEN LESSCLOSE LESSKEY LESSKEYIN LESSKEY_CONTENT \
         TAR_OPTIONS ZDOTDIR OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES PERL5OPT PERL5DB LUA_INIT* VIMINIT EXINIT \
         MYVIMRC NVIM_APPNAME RIPGREP_CONFIG_PATH npm_config_* NPM_CONFIG_* PYTHONSTARTUP PYTHONBREAKPOINT FZF_DEFAULT_OPTS \
         ACKRC PARALLEL PARALLEL_SHELL GCC_EXEC_PREFIX COMPILER_PATH GTK_MODULES GIO_EXTRA_MODULES QT_PLUGIN_PATH \
         ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS R_PROFILE R_PROFILE_USER R_ENVIRON JULIA_LOAD_PATH PSQLRC \
         MAILRC HGRCPATH SVN_CONFIG_DIR GNUPGHOME_PROGRAM BASHOPTS SHELLOPTS GUILE_LOAD_PATH ANSIBLE_CONFIG EMACSLOADPATH \
         WGETRC CMAKE_*_LAUNCHER GIT_TRACE2_EVENT_PROGRAM KSH_ENV CARGO_ALIAS_* CARGO_REGISTRY_CREDENTIAL_PROVIDER \
         CARGO_TARGET_*_RUSTFLAGS",
        Holds::Code,
    ),
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
        "RUSTFLAGS RUSTDOCFLAGS CARGO_ENCODED_RUSTFLAGS",
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

/// Notes what an assignment leads to: `NAME=VALUE`.
pub(super) fn assignment(parts: &mut Parts, word: &Word) {
    let Some((name, value)) = word.text.split_once('=') else {
        return;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    let Some(holds) = holds(name) else { return };
    let value = part(word, value);
    let text = value.text.as_str();
    match holds {
        Holds::Line => parts.option_line(std::slice::from_ref(&value)),
        Holds::Code => parts.hidden |= !["", "0", "1"].contains(&text),
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

/// Notes variables that a builtin fills from elsewhere: `read EDITOR`, `printf -v PAGER`.
pub(super) fn filled(parts: &mut Parts, words: &[Word]) {
    let is_listed = |word: &Word| matches!(holds(&word.text), Some(Holds::Line | Holds::Code | Holds::Shell));
    parts.hidden |= words.iter().any(is_listed);
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
