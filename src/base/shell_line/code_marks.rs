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
            "build.target",
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
            "dpkg::options::=--force-conf",
            "dpkg::options::=\"--force-conf",
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
        ],
    ),
    (
        "mvn mvnw",
        &[
            "skip",
            "maven.test.",
            "maven.repo.local",
            "maven.compiler.",
            "maven.javadoc.skip",
            "maven.source.skip",
            "maven.wagon.",
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
    (
        "php",
        &[
            "memory_limit",
            "display_",
            "error_reporting",
            "max_execution_time",
            "xdebug.",
            "pcov.",
            "opcache.enable",
            "zend.assertions",
            "date.timezone",
            "log_errors",
            "html_errors",
            "short_open_tag",
            "allow_url_fopen",
        ],
    ),
    (
        "tar gtar",
        &["dot", "echo", "bell", "sleep", "totals", "ttyout", "wait"],
    ),
];

/// Settings of OpenSSH clients that hold a command. In lower case. Source: ssh_config(5), sshfs(1).
pub(super) const SSH_COMMANDS: &str =
    "proxycommand localcommand remotecommand knownhostscommand xauthlocation ssh_command sftp_server";
/// Settings of OpenSSH clients that lead to no command. In lower case. Source: ssh_config(5), sshfs(1).
pub(super) const SSH_PLAIN: &str = "addkeystoagent addressfamily batchmode bindaddress bindinterface canonicaldomains \
    canonicalizefallbacklocal canonicalizehostname canonicalizemaxdots canonicalizepermittedcnames \
    casignaturealgorithms certificatefile checkhostip ciphers clearallforwardings compression connectionattempts \
    connecttimeout controlmaster controlpath controlpersist dynamicforward enableescapecommandline escapechar \
    exitonforwardfailure fingerprinthash forkafterauthentication forwardagent forwardx11 forwardx11timeout \
    forwardx11trusted gatewayports globalknownhostsfile gssapiauthentication gssapidelegatecredentials hashknownhosts \
    hostbasedauthentication hostkeyalgorithms hostkeyalias hostname identitiesonly identityagent identityfile ipqos \
    kbdinteractiveauthentication kexalgorithms localforward loglevel macs nohostauthenticationforlocalhost \
    numberofpasswordprompts passwordauthentication permitlocalcommand permitremoteopen port \
    preferredauthentications proxyjump proxyusefdpass pubkeyacceptedalgorithms pubkeyacceptedkeytypes \
    pubkeyauthentication rekeylimit remoteforward requesttty requiredrsasize revokedhostkeys sendenv \
    serveralivecountmax serveraliveinterval sessiontype setenv stdinnull streamlocalbindmask streamlocalbindunlink \
    stricthostkeychecking syslogfacility tcpkeepalive tunnel tunneldevice updatehostkeys user userknownhostsfile \
    verifyhostkeydns visualhostkey reconnect allow_other allow_root default_permissions follow_symlinks ro idmap \
    cache uid gid umask";

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
