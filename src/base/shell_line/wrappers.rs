//! The table of programs that run the command, or the line, among their arguments.
//!
//! Must not know: how a line is read.

/// Shells that run a line given as a word (`sh -c LINE`).
pub(super) const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ash", "ksh", "mksh", "rbash"];
/// Shells with a different syntax.
const OTHER_SHELLS: [&str; 5] = ["csh", "tcsh", "fish", "xonsh", "nu"];
/// Shells of Windows, which run as programs here, too.
const WINDOWS_SHELLS: [&str; 3] = ["pwsh", "powershell", "cmd"];

/// Returns true for the name of a shell whose lines are read.
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// True for the name of a shell with lines of another language.
pub(super) fn is_other_shell(name: &str) -> bool {
    OTHER_SHELLS.contains(&name)
}

/// True for the name of a shell of Windows, in any spelling.
pub(super) fn is_windows_shell(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WINDOWS_SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(&name))
}

/// What a wrapper runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// The words after its options, as a command.
    Words,
    /// The words after its options, joined to a line.
    Line,
    /// The words after its options and further ones from its input.
    Input,
    /// The word after its option `-c` as a line, or else the words after its options.
    Given,
}

/// How the command stands in the arguments of a wrapper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper {
    /// The name, or two words (`uv run`).
    pub(super) name: &'static str,
    /// Its short options; those before a colon take a value, those before two an attached one.
    pub(super) short: &'static str,
    /// Its long options, with blanks between them; those that end in `=` take a value.
    pub(super) long: &'static str,
    /// Arguments of its own before the command.
    pub(super) operands: u8,
    /// True if it takes `NAME=VALUE` before the command.
    pub(super) sets: bool,
    /// What it runs.
    pub(super) runs: Runs,
}

const fn plain(name: &'static str, short: &'static str, long: &'static str, operands: u8) -> Wrapper {
    Wrapper {
        name,
        short,
        long,
        operands,
        sets: false,
        runs: Runs::Words,
    }
}

const fn runs(runs: Runs, wrapper: Wrapper) -> Wrapper {
    Wrapper { runs, ..wrapper }
}

const fn sets(wrapper: Wrapper) -> Wrapper {
    Wrapper {
        sets: true,
        ..wrapper
    }
}

/// The wrappers. An option that is not listed may or may not take a value: both are read.
const WRAPPERS: &[Wrapper] = &[
    // Of the shell itself.
    plain("builtin", "", "", 0),
    plain("command", "p", "", 0),
    plain("coproc", "", "", 0),
    plain("exec", "a:cl", "", 0),
    plain("nocorrect", "", "", 0),
    plain("noglob", "", "", 0),
    plain("-", "", "", 0),
    plain("repeat", "", "", 1),
    // Surroundings of a process.
    sets(plain(
        "env",
        "i0vu:C:P:a:L:U:",
        "unset= chdir= argv0= ignore-environment null debug ignore-signal default-signal \
             block-signal list-signal-handling",
        0,
    )),
    plain("nohup", "", "", 0),
    plain(
        "timeout",
        "fpvk:s:",
        "foreground preserve-status verbose kill-after= signal=",
        1,
    ),
    plain(
        "gtimeout",
        "fpvk:s:",
        "foreground preserve-status verbose kill-after= signal=",
        1,
    ),
    plain("nice", "n:0123456789", "adjustment=", 0),
    plain("ionice", "c:n:tp:P:u:", "class= classdata= ignore", 0),
    plain("chrt", "abdfimopRrvT:P:D:", "batch fifo idle other rr", 1),
    plain("taskset", "acp", "all-tasks cpu-list", 1),
    plain(
        "numactl",
        "N:m:C:p:i:l",
        "cpunodebind= membind= physcpubind= preferred= interleave= localalloc",
        0,
    ),
    plain("prlimit", "", "", 0),
    plain("choom", "n:p:", "adjust=", 0),
    plain("setsid", "cfw", "ctty fork wait", 0),
    plain("stdbuf", "i:o:e:", "input= output= error=", 0),
    plain("unbuffer", "p", "", 0),
    plain(
        "time",
        "apvqlhf:o:",
        "append portability verbose quiet format= output=",
        0,
    ),
    plain("setarch", "BFILRSTXZv3", "", 1),
    plain("linux32", "BFILRSTXZv3", "", 0),
    plain("linux64", "BFILRSTXZv3", "", 0),
    plain("caffeinate", "disumt:w:", "", 0),
    plain("busybox", "", "", 0),
    plain("toybox", "", "", 0),
    plain("catchsegv", "", "", 0),
    plain("chronic", "ve", "", 0),
    plain("eatmydata", "", "", 0),
    plain("ccache", "", "", 0),
    plain("sccache", "", "", 0),
    plain("tini", "sgvwp:e:", "", 0),
    plain("dumb-init", "cvr:", "", 0),
    plain("ssh-agent", "cskdDPa:E:O:t:", "", 0),
    // Another user, another root, another session.
    sets(plain(
        "sudo",
        "AbEHknKPSsilBNu:g:h:p:C:c:D:r:R:t:T:U:",
        "user= group= host= prompt= close-from= chdir= chroot= role= type= \
             command-timeout= other-user= askpass background bell preserve-env set-home login \
             shell non-interactive preserve-groups stdin no-update reset-timestamp",
        0,
    )),
    sets(plain("doas", "nLsu:C:a:", "", 0)),
    runs(
        Runs::Given,
        plain(
            "su",
            "lmpPfc:g:G:s:u:",
            "login preserve-environment pty fast command= group= supp-group= shell= user=",
            1,
        ),
    ),
    runs(
        Runs::Given,
        plain(
            "runuser",
            "lmpPfc:g:G:s:u:",
            "login preserve-environment pty fast command= group= supp-group= shell= user=",
            0,
        ),
    ),
    plain("pkexec", "", "user= disable-internal-agent keep-cwd", 0),
    plain(
        "setpriv",
        "",
        "nnp no-new-privs reuid= regid= groups= clear-groups init-groups keep-groups \
             reset-env",
        0,
    ),
    plain("gosu", "", "", 1),
    plain("su-exec", "", "", 1),
    plain("chroot", "", "userspec= groups= skip-chdir", 1),
    plain(
        "unshare",
        "muinpUCTrfcM:",
        "map-root-user fork mount net pid user ipc uts root= wd=",
        0,
    ),
    plain("nsenter", "t:maunipCTUFrwS:G:", "target= all", 0),
    plain(
        "systemd-run",
        "tdPqrSGM:H:u:p:E:",
        "user scope pty pipe wait quiet unit= property= setenv= slice= uid= gid=",
        0,
    ),
    plain("systemd-inhibit", "", "what= who= why= mode=", 0),
    plain("dbus-run-session", "", "config-file=", 0),
    plain(
        "xvfb-run",
        "ade:f:hln:p:s:w:",
        "auto-servernum server-args= server-num=",
        0,
    ),
    plain("fakeroot", "l:s:i:ub:", "", 0),
    plain("faketime", "mp:fs:", "", 1),
    plain("proxychains", "qf:", "", 0),
    plain("proxychains4", "qf:", "", 0),
    plain("torsocks", "", "", 0),
    runs(
        Runs::Given,
        plain(
            "flock",
            "senuoxFvw:E:c:",
            "shared exclusive nonblock nb unlock close no-fork verbose timeout= wait= \
             conflict-exit-code= command=",
            1,
        ),
    ),
    // Watching a process.
    plain(
        "strace",
        "fFcCdhiknqrtTvVwxyYzZo:e:p:s:u:E:a:b:I:O:S:P:X:U:",
        "",
        0,
    ),
    plain("ltrace", "fcChirSttLo:e:p:s:u:n:a:l:", "", 0),
    plain("valgrind", "", "", 0),
    plain("perf stat", "aeABcdDe:ghiIo:p:r:vx:", "", 0),
    plain("perf record", "aAbc:C:de:F:gho:p:v", "", 0),
    plain("rlwrap", "", "", 0),
    // Once for each item, or again and again.
    runs(
        Runs::Input,
        plain(
            "xargs",
            "0prtxoa:d:E:I:L:n:P:s:J:R:S:e::i::l::",
            "null interactive no-run-if-empty verbose exit open-tty arg-file= delimiter= \
             max-args= max-procs= max-chars= max-lines replace eof process-slot-var=",
            0,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "parallel",
            "0kmqtuvXj:a:I:N:n:L:P:S:d:",
            "jobs= arg-file= colsep= delay= dry-run eta bar keep-order null pipe will-cite \
             halt= max-args=",
            0,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "watch",
            "bcCdegpqrtvwxn:",
            "beep color differences errexit chgexit exec no-title no-wrap precise interval=",
            0,
        ),
    ),
    plain("entr", "acdnprsxz", "", 0),
    runs(
        Runs::Line,
        plain("hyperfine", "w:r:m:M:N", "warmup= runs= min-runs= max-runs=", 0),
    ),
    runs(
        Runs::Given,
        plain(
            "script",
            "aefqBc:E:I:O:T:m:o:",
            "append command= return flush force quiet log-in= log-out= log-io=",
            1,
        ),
    ),
    runs(
        Runs::Line,
        plain(
            "ssh",
            "46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:Q:R:S:W:w:",
            "",
            1,
        ),
    ),
    // Tools of languages.
    plain(
        "uv run",
        "qvnp:",
        "with= python= project= directory= isolated no-sync frozen locked",
        0,
    ),
    plain("poetry run", "", "", 0),
    plain("pipenv run", "", "", 0),
    plain("pdm run", "", "", 0),
    plain("hatch run", "", "", 0),
    plain(
        "conda run",
        "n:p:v",
        "name= prefix= cwd= no-capture-output live-stream",
        0,
    ),
    plain("bundle exec", "", "", 0),
    runs(
        Runs::Given,
        plain("npm exec", "c:yqw:", "call= package= yes workspace=", 0),
    ),
    plain("pnpm exec", "", "", 0),
    plain("yarn exec", "", "", 0),
    runs(Runs::Given, plain("npx", "c:yqp:", "call= yes package=", 0)),
    plain("rustup run", "", "install", 1),
    plain("pixi run", "e:", "environment= manifest-path=", 0),
    plain("rye run", "", "", 0),
    plain("asdf exec", "", "", 0),
    plain("pyenv exec", "", "", 0),
    plain("rbenv exec", "", "", 0),
    plain("bunx", "", "", 0),
    plain("direnv exec", "", "", 1),
    plain("mise exec", "", "", 0),
];

/// The wrapper that these words name.
pub(super) fn wrapper(name: &str, second: Option<&str>) -> Option<&'static Wrapper> {
    // Program loaders run the program among their arguments.
    if name.starts_with("ld-linux") || name.starts_with("ld-musl") {
        return wrapper("nohup", None);
    }
    WRAPPERS.iter().find(|one| match one.name.split_once(' ') {
        None => one.name == name,
        Some((first, then)) => first == name && second == Some(then),
    })
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// It takes none, or one in the same word.
    Here,
    /// It takes the next word.
    Next,
    /// It is not known.
    Unknown,
}

impl Wrapper {
    /// Returns whether this option, with its `-`, takes the next word, and the value of option `of`
    /// in the same word.
    pub(super) fn value<'o>(&self, option: &'o str, of: char) -> (Value, Option<&'o str>) {
        if let Some(long) = option.strip_prefix("--") {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value)));
            let mut known = self
                .long
                .split_ascii_whitespace()
                .filter(|one| !name.is_empty() && one.starts_with(name));
            let takes = match known.next() {
                _ if value.is_some() => Value::Here,
                Some(one) if one.ends_with('=') => Value::Next,
                Some(_) => Value::Here,
                None => Value::Unknown,
            };
            let is_of = name.starts_with(of)
                && self
                    .long
                    .split_ascii_whitespace()
                    .any(|one| ["command=", "call="].contains(&one) && one.starts_with(name));
            return (takes, value.filter(|_| is_of));
        }
        let letters = option.get(1..).unwrap_or_default();
        for (at, letter) in letters.char_indices() {
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let Some(found) = self.short.find(letter).filter(|_| letter != ':') else {
                return (Value::Unknown, None);
            };
            let kind = self.short.get(found + letter.len_utf8()..).unwrap_or_default();
            if kind.starts_with("::") {
                return (Value::Here, None);
            }
            if kind.starts_with(':') {
                let here = !rest.is_empty();
                return (
                    if here { Value::Here } else { Value::Next },
                    (here && letter == of).then_some(rest),
                );
            }
        }
        (Value::Here, None)
    }

    /// True if the option, with its `-`, ends in the letter, or is the long option `--command` or `--call`.
    pub(super) fn is_given(option: &str) -> bool {
        match option.strip_prefix("--") {
            Some(long) => !long.is_empty() && ["command", "call"].iter().any(|name| name.starts_with(long)),
            None => option.ends_with('c'),
        }
    }
}
