//! Knows which settings name no command, which marks in a text begin one, and which programs read code.
//!
//! Must not know: how a line is read, which options hold settings and texts.

/// What a setting of an option has to begin with, so that it names no command. All other settings may. In lower case.
///
/// Sources: cargo(1) and the reference of its settings, apt.conf(5), systemd.exec(5), `rustc -C help`.
pub(super) const HARMLESS_SETTINGS: &[(&str, &[&str])] = &[
    (
        "cargo",
        &[
            "net.",
            "profile.",
            "build.jobs",
            "build.target-dir",
            "build.incremental",
            "build.target=",
            "term.",
            "http.",
            "future-",
        ],
    ),
    (
        "apt apt-get aptitude apt-cache apt-config",
        &[
            "acquire::retries",
            "acquire::http::timeout",
            "acquire::check",
            "apt::install-",
            "apt::get::",
            "debug::",
            "dpkg::lock",
            "dpkg::use-pty",
            "dpkg::options",
        ],
    ),
    (
        "rustc clippy-driver rustdoc",
        &[
            "opt-level",
            "debuginfo",
            "target-cpu",
            "target-feature",
            "codegen-units",
            "lto",
            "panic",
            "debug-assertions",
            "overflow-checks",
            "incremental",
            "metadata",
            "extra-filename",
            "embed-bitcode",
            "strip",
            "instrument-coverage",
        ],
    ),
    (
        "wget",
        &[
            "robots",
            "check_certificate",
            "timeout",
            "tries",
            "quiet",
            "user_agent",
            "http_proxy",
            "https_proxy",
            "use_proxy",
            "header",
        ],
    ),
    (
        "systemd-run",
        &[
            "memory",
            "cpu",
            "tasks",
            "io",
            "limit",
            "protect",
            "private",
            "user=",
            "group=",
            "dynamicuser",
            "workingdirectory",
            "type=",
            "environment=",
        ],
    ),
    (
        "mvn mvnw",
        &[
            "skip",
            "maven.",
            "test=",
            "it.test",
            "revision",
            "project.",
            "java.",
            "file.",
            "fork",
            "parallel",
            "dskip",
            "check",
            "spotless.",
            "checkstyle.",
            "style.",
        ],
    ),
    ("go", &["-s", "-w", "-x"]),
    (
        "tar gtar",
        &["dot", "echo", "bell", "sleep", "totals", "ttyout", "wait"],
    ),
];

/// Marks in the text of a program that begin a command, or lead to one. In lower case.
///
/// Sources: psql(1), mysql(1), sqlite3(1) and its page on the command line, sftp(1), ed(1), dc(1), ftp(1), m4(1).
pub(super) const MARKS: &[(&str, &[&str])] = &[
    (
        "psql",
        &["\\!", "|", "`", "program", "\\setenv", "\\i", "\\e", "\\o", "\\g"],
    ),
    (
        "mysql mariadb",
        &["\\!", "system", "\\p", "pager", "\\e", "edit", "source", "\\."],
    ),
    (
        "sqlite3 sqlite duckdb",
        &[
            ".sh",
            ".sy",
            "load_extension",
            "edit(",
            "edit (",
            ".lo",
            "|",
            ".read",
            ".ex",
            ".once",
            ".out",
            ".w",
            "fts3_tokenizer",
            "load ",
        ],
    ),
    ("sftp ftp lftp telnet ed red", &["!"]),
    ("dc", &["!"]),
    ("m4 gm4", &["syscmd"]),
];

/// Programs that run the code on their input if no file is named.
///
/// Sources: their manuals. The options that take a value are in the rows above.
pub(super) const READERS: &str = "python pypy ipython bpython node nodejs bun deno perl ruby jruby truffleruby php lua luajit \
    tclsh wish expect R Rscript julia octave octave-cli guile racket sbcl groovy scala ghci irb elixir iex jshell gnuplot \
    osascript";

/// Programs that run what is on their input, whatever files they work on.
pub(super) const EDITORS: &str = "ex vim vi nvim gdb lldb psql mysql mariadb sqlite3 sqlite duckdb sftp ftp lftp telnet ed red dc \
    m4 gm4 mongosh mongo sqlplus crontab radare2 r2";
