//! The table of options by which programs run a command, or code that can run one.
//!
//! Must not know: how a line is read.
//!
//! The source of a row is the manual that it names. A row is tested in each spelling of each of its options.

mod builds;

use self::builds::BUILDS;

/// What the value of an option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A line, or a program that gets further words.
    Line,
    /// Text in a language in which commands can stand.
    Code,
    /// Text of Python.
    Script,
    /// A program and its words, with commas between them.
    Commas,
    /// A setting `NAME=LINE` or `NAME LINE` of an OpenSSH client.
    SshSetting,
    /// A setting `NAME=VALUE` of git.
    GitSetting,
    /// A variable `NAME=VALUE`.
    Variable,
    /// A setting `NAME=VALUE` in which `VALUE` may be a line, by its name.
    Setting,
    /// Text for a data base, in which a mark of [`super::code_marks::MARKS`] begins a command.
    Query,
}

/// Options of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The names of the program, each with the subcommand that must follow (`git/grep`).
    pub(super) programs: &'static str,
    /// The options. One letter is a short option, a name that begins with `-` has one dash, others have two. A `?` at the
    /// end: the value is in the same word. A `~` at the end: a name with one dash that may be cut.
    pub(super) options: &'static str,
    /// Other short options that take a value, and long options that begin like one of the row but are others.
    pub(super) others: &'static str,
    /// What the value is.
    pub(super) holds: Holds,
    /// The manual.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for people, and for the test that none is missing")
    )]
    pub(super) source: &'static str,
}

const fn row(
    programs: &'static str,
    options: &'static str,
    others: &'static str,
    holds: Holds,
    source: &'static str,
) -> Row {
    Row {
        programs,
        options,
        others,
        holds,
        source,
    }
}

use Holds::{Code, GitSetting, Line, Setting, SshSetting};

/// The rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TOOLS.iter().chain(BUILDS)
}

/// Those of version control, files, editors and networks.
const TOOLS: &[Row] = &[
    // Version control.
    row(
        "git/grep",
        "O? open-files-in-pager?",
        "ABCefm",
        Line,
        "git-grep(1)",
    ),
    row("git/difftool", "x extcmd", "t", Line, "git-difftool(1)"),
    row(
        "git/filter-branch",
        "setup env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter",
        "d",
        Line,
        "git-filter-branch(1)",
    ),
    row("git/rebase", "x exec", "sXCS", Line, "git-rebase(1)"),
    row("git/clone", "u upload-pack", "bocj", Line, "git-clone(1)"),
    row("git/clone", "c config", "bouj", GitSetting, "git-clone(1)"),
    row(
        "git/clone git/init",
        "template",
        "",
        Code,
        "git-clone(1), git-init(1)",
    ),
    row(
        "git/fetch git/pull git/fetch-pack git/ls-remote",
        "upload-pack exec",
        "",
        Line,
        "git-fetch(1)",
    ),
    row(
        "git/push git/send-pack",
        "receive-pack exec",
        "",
        Line,
        "git-push(1)",
    ),
    row("git/archive", "exec", "", Line, "git-archive(1)"),
    row("git/daemon", "access-hook", "", Line, "git-daemon(1)"),
    row("git/instaweb", "d httpd b browser", "", Line, "git-instaweb(1)"),
    row(
        "git/web--browse",
        "b browser t tool",
        "",
        Line,
        "git-web--browse(1)",
    ),
    row(
        "git/send-email",
        "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd",
        "smtp-server-port smtp-server-option",
        Line,
        "git-send-email(1)",
    ),
    row("git", "exec-path?", "", Code, "git(1)"),
    row(
        "svn",
        "editor-cmd diff-cmd diff3-cmd",
        "",
        Line,
        "svn help commit",
    ),
    row("svn svnadmin svnsync", "config-option", "", Code, "svn help"),
    row("hg chg", "config", "Rb", Code, "hg(1)"),
    row("hg chg", "e ssh remotecmd", "RbrutU", Line, "hg(1)"),
    row("hg/bisect", "c command", "", Line, "hg(1)"),
    row("hg/extdiff", "p program o option", "", Line, "hg(1)"),
    row(
        "jj",
        "config config-toml config-file",
        "",
        Code,
        "jj help -k config",
    ),
    row("cvs", "e", "dsTz", Line, "cvs(1)"),
    row(
        "gh/alias/set glab/alias/set",
        "s shell",
        "",
        Code,
        "gh-alias-set(1)",
    ),
    // Builtins of bash.
    row("complete compgen", "C", "AFGPSWX", Line, "bash(1)"),
    row("fc", "e", "", Line, "bash(1)"),
    row("bind", "x", "fmqru", Code, "bash(1)"),
    // Archives and files.
    row(
        "tar gtar bsdtar",
        "I F use-compress-program info-script new-volume-script to-command rsh-command rmt-command",
        "bCfgHKLNTVX",
        Line,
        "tar(1)",
    ),
    row(
        "tar gtar",
        "checkpoint-action",
        "bCfgHKLNTVX checkpoint",
        Setting,
        "tar(1)",
    ),
    row("cpio", "rsh-command", "CEFHIMOR", Line, "cpio(1)"),
    row(
        "zip",
        "-TT -unzip-command unzip-command",
        "bntOPstixUZ",
        Line,
        "zip(1)",
    ),
    row("rsync", "e rsh rsync-path", "BfMT", Line, "rsync(1)"),
    row("split gsplit", "filter", "abCln", Line, "split(1)"),
    row("sort gsort", "compress-program", "koSTt", Line, "sort(1)"),
    row("install ginstall", "strip-program", "gmotS", Line, "install(1)"),
    row("rg", "pre hostname-bin", "pre-glob", Line, "rg(1)"),
    row("ag", "pager", "", Line, "ag(1)"),
    row("ack", "pager", "", Line, "ack(1)"),
    row("bat batcat delta", "pager", "pager-opts", Line, "bat(1)"),
    row("man", "P H? pager html?", "CRLmMsSerEprTZ", Line, "man(1)"),
    row("man", "C config-file", "PRLmMsSerEprTZ", Code, "man(1)"),
    row(
        "less",
        "k lesskey-file lesskey-src lesskey-content",
        "bDhjoOpPtTxyz",
        Code,
        "less(1)",
    ),
    row(
        "fzf",
        "preview with-shell",
        "preview-window preview-label preview-label-pos preview-border preview-wrap-sign",
        Line,
        "fzf(1)",
    ),
    row("fzf", "bind", "", Code, "fzf(1)"),
    row("fd fdfind", "exec? exec-batch?", "", Line, "fd(1)"),
    row("mutt neomutt", "e", "AaFfHibcsm", Code, "mutt(1)"),
    row("nano rnano pico", "s speller", "CoQrTY", Line, "nano(1)"),
    row("lynx", "-editor", "", Line, "lynx(1)"),
    // Editors.
    row(
        "vim vi nvim ex view gvim vimdiff rvim evim nvi elvis",
        "c cmd S",
        "TuUiwW",
        Code,
        "vim(1)",
    ),
    row("nvim", "l", "TuUiwW", Code, "nvim(1)"),
    row(
        "vim vi nvim ex view gvim vimdiff rvim evim",
        "u U",
        "TiwWcS",
        Code,
        "vim(1)",
    ),
    // Files with settings that may name a command.
    row("tmux", "f", "cLST", Code, "tmux(1)"),
    row("screen", "c", "ehprSstTX", Code, "screen(1)"),
    row("nano rnano pico", "f rcfile", "CoQrTYs", Code, "nano(1)"),
    row("mutt neomutt", "F", "AaefHibcsm", Code, "mutt(1)"),
    row("wget", "config", "", Code, "wget(1)"),
    row(
        "mysql mariadb",
        "defaults-file defaults-extra-file",
        "",
        Code,
        "mysql(1)",
    ),
    row("sqlite3 sqlite duckdb", "-init init", "", Code, "sqlite3(1)"),
    row("svn", "config-dir", "", Code, "svn help"),
    row(
        "npm pnpm npx",
        "userconfig globalconfig",
        "",
        Code,
        "npm-config(7)",
    ),
    row("kubectl oc helm", "kubeconfig", "", Code, "kubectl options"),
    row("docker docker-compose", "config", "", Code, "docker(1)"),
    row("gpg gpg2", "homedir options", "", Code, "gpg(1)"),
    row("openssl", "-config", "", Code, "openssl(1)"),
    row(
        "ansible ansible-playbook",
        "ssh-common-args ssh-extra-args scp-extra-args sftp-extra-args",
        "",
        Code,
        "ansible(1)",
    ),
    row(
        "emacs emacs-nox xemacs",
        "eval execute -eval~ -execute~ f funcall -funcall~",
        "lLudt",
        Code,
        "emacs(1)",
    ),
    row("emacsclient", "e eval", "sfdac", Code, "emacsclient(1)"),
    row("emacsclient", "a alternate-editor", "sfd", Line, "emacsclient(1)"),
    row("kak", "e E", "", Code, "kak(1)"),
    row("jed", "-eval", "", Code, "jed(1)"),
    // Networks.
    row(
        "ssh autossh slogin scp sftp ssh-copy-id sshfs",
        "o",
        "BbcDEeFIiJLlmOpQRSWwXP",
        SshSetting,
        "ssh_config(5)",
    ),
    row("scp sftp", "S D", "BbcFiJloPRX", Line, "scp(1), sftp(1)"),
    row("ssh autossh slogin", "I F", "BbcDEeiJLlmOopQRSWw", Code, "ssh(1)"),
    row("scp sftp", "F", "BbcDiJloPRSX", Code, "scp(1), sftp(1)"),
    row("ssh-copy-id sshfs", "F", "iopl", Code, "ssh-copy-id(1), sshfs(1)"),
    row(
        "ssh-keygen",
        "D w",
        "abCEFfGIJjKLMmNnOPRrSsTtVWYZz",
        Code,
        "ssh-keygen(1)",
    ),
    row("ssh-add", "s e S", "EhHtT", Code, "ssh-add(1)"),
    row("mosh", "ssh server client", "", Line, "mosh(1)"),
    row(
        "nc ncat netcat nc.traditional",
        "e c exec sh-exec",
        "GgIiMmOoPpqsTVWwXx",
        Line,
        "ncat(1)",
    ),
    row("ncat", "lua-exec", "", Code, "ncat(1)"),
    row("wget", "use-askpass", "", Line, "wget(1)"),
    row("wget", "e execute", "aBDIiloOPQRTtUwXA", Setting, "wget(1)"),
    row(
        "aria2c",
        "on-download-complete on-download-error on-download-pause on-download-start on-download-stop \
         on-bt-download-complete",
        "",
        Line,
        "aria2c(1)",
    ),
    row(
        "yt-dlp youtube-dl",
        "exec exec-before-download netrc-cmd downloader external-downloader",
        "",
        Line,
        "yt-dlp(1)",
    ),
    row("lftp", "c e", "upo", Code, "lftp(1)"),
    row("tcpdump windump", "z", "BCEFGijMmrsTVwWyQ", Line, "tcpdump(1)"),
    row(
        "openvpn",
        "up down route-up ipchange client-connect client-disconnect learn-address tls-verify auth-user-pass-verify",
        "",
        Line,
        "openvpn(8)",
    ),
    row(
        "iptables ip6tables iptables-restore ip6tables-restore",
        "modprobe M",
        "",
        Line,
        "iptables(8)",
    ),
    row("ansible", "a args", "BcefiklmMPtTu", Line, "ansible(1)"),
    row("gcloud/ssh", "command", "", Line, "gcloud compute ssh"),
    row("vagrant/ssh", "c command", "", Line, "vagrant ssh --help"),
    row(
        "fly/console flyctl/console",
        "C command",
        "ars",
        Line,
        "fly ssh console --help",
    ),
];
