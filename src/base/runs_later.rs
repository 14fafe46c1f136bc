//! Knows the files that editors, agents, shells and build tools run or believe by themselves.
//!
//! Must not know: who writes them, rules, the disk.
//!
//! What is written there runs later, without a decision about it. A path is compared by its names alone, as a lenient
//! file system would: without case and without invisible characters.

/// A place that takes effect by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The last names of its path. With a `/` at the end it is a directory, with everything below it. `*` stands for the
    /// rest of a name.
    pub place: &'static str,
    /// Who runs or believes it: a program, and its manual.
    pub by: &'static str,
    /// True if the built-in tools for files never write it.
    pub is_refused: bool,
    /// True if a confined command cannot change it in its workspace. What is refused is protected as well.
    pub is_protected: bool,
}

/// A place that git, builds and package managers change in ordinary work, or that takes effect in a home directory only.
const fn asks(place: &'static str, by: &'static str) -> Row {
    Row {
        place,
        by,
        is_refused: false,
        is_protected: false,
    }
}

/// A place that takes effect where a person enters the workspace, opens it in an editor or debugger, starts an agent
/// there, commits, or builds. Ordinary work does not change it.
const fn protected(place: &'static str, by: &'static str) -> Row {
    Row {
        is_protected: true,
        ..asks(place, by)
    }
}

const fn refused(place: &'static str, by: &'static str) -> Row {
    Row {
        is_refused: true,
        ..protected(place, by)
    }
}

/// The places. The source of a row is the manual of its program.
pub const ROWS: &[Row] = &[
    refused(".git/hooks/", "git (githooks)"),
    refused(
        ".git/config",
        "git (git-config: core.fsmonitor, core.sshCommand, aliases)",
    ),
    refused(".git/config.worktree", "git (git-worktree)"),
    refused(
        ".git/commondir",
        "git (gitrepository-layout: another place for config and hooks)",
    ),
    refused(".gitconfig", "git (git-config)"),
    refused(".overrule*", "this program (policy)"),
    refused("overrule.toml", "this program (configuration)"),
    refused(".mcp.json", "this program and other agents (MCP servers)"),
    refused(".envrc", "direnv (direnv)"),
    refused(".netrc", "curl, git and others (credentials)"),
    refused(".profile", "shells (bash, dash)"),
    refused(".bashrc", "bash (Bash Startup Files)"),
    refused(".bash_profile", "bash (Bash Startup Files)"),
    refused(".bash_login", "bash (Bash Startup Files)"),
    refused(".bash_logout", "bash (Bash Startup Files)"),
    refused(".bash_aliases", "bash (Debian's .bashrc)"),
    refused(".zshrc", "zsh (zsh: STARTUP/SHUTDOWN FILES)"),
    refused(".zshenv", "zsh (zsh: STARTUP/SHUTDOWN FILES)"),
    refused(".zprofile", "zsh (zsh: STARTUP/SHUTDOWN FILES)"),
    refused(".zlogin", "zsh (zsh: STARTUP/SHUTDOWN FILES)"),
    refused(".zlogout", "zsh (zsh: STARTUP/SHUTDOWN FILES)"),
    refused(".kshrc", "ksh (ENV)"),
    refused(".mkshrc", "mksh"),
    refused(".cshrc", "csh"),
    refused(".tcshrc", "tcsh"),
    refused(".login", "csh"),
    refused(".inputrc", "readline"),
    refused("config.fish", "fish"),
    asks(".ssh/", "ssh (config: ProxyCommand; rc, authorized_keys)"),
    asks(".config/git/", "git (git-config)"),
    asks(".config/fish/", "fish (conf.d, functions)"),
    asks(".config/nushell/", "nushell (config.nu)"),
    asks(".config/autostart/", "desktops (Desktop Application Autostart)"),
    asks(".config/systemd/", "systemd (user units)"),
    asks(".local/bin/", "shells (search path)"),
    asks(".xprofile", "display managers"),
    asks(".xinitrc", "xinit"),
    asks(".xsession", "display managers"),
    asks(".pam_environment", "pam_env"),
    asks(".tmux.conf", "tmux"),
    asks(".screenrc", "screen"),
    asks(".curlrc", "curl (-o, --proxy)"),
    asks(".wgetrc", "wget (use_askpass)"),
    asks(".hgrc", "Mercurial (hooks)"),
    protected(".hg/hgrc", "Mercurial (hooks)"),
    asks(".docker/config.json", "docker (credHelpers, cliPlugins)"),
    asks(".kube/config", "kubectl (users: exec)"),
    asks(".aws/config", "the AWS CLI (credential_process)"),
    asks(".github/workflows/", "GitHub Actions"),
    asks(".gitlab-ci.yml", "GitLab CI"),
    asks(".bundle/config", "bundler"),
    asks(".gradle/", "Gradle (init.gradle, gradle.properties)"),
    asks(".config/nvim/", "Neovim (initialization)"),
    asks(".vim/", "vim (plugins)"),
    asks(".emacs", "Emacs (The Emacs Initialization File)"),
    asks(".emacs.d/", "Emacs (The Emacs Initialization File)"),
    asks(".irbrc", "irb"),
    asks(".pryrc", "pry"),
    asks(".rprofile", "R (Startup)"),
    asks(".ghci", "ghci (.ghci files)"),
    asks(".iex.exs", "iex (the .iex.exs file)"),
    asks(".psqlrc", "psql"),
    asks(".sqliterc", "sqlite3"),
    asks(".mongoshrc.js", "mongosh"),
    asks(".ipython/", "IPython (startup)"),
    asks("sitecustomize.py", "Python (site)"),
    asks("usercustomize.py", "Python (site)"),
    protected(".vscode/", "VS Code (tasks.json, settings.json)"),
    asks(".vscode-server/", "VS Code (remote)"),
    protected(".cursor/", "Cursor (mcp.json, rules, hooks.json)"),
    protected(".idea/", "JetBrains IDEs (run configurations)"),
    protected(".zed/", "Zed (tasks.json, settings.json)"),
    protected(".devcontainer/", "development containers (postCreateCommand)"),
    protected(".devcontainer.json", "development containers (postCreateCommand)"),
    protected(".claude/", "Claude Code (settings.json: hooks)"),
    protected(".claude.json", "Claude Code (MCP servers)"),
    protected(".codex/", "Codex (config.toml)"),
    protected(".gemini/", "Gemini CLI (settings.json)"),
    protected(".qwen/", "Qwen Code (settings.json)"),
    protected(".opencode/", "opencode (plugins)"),
    protected("opencode.json", "opencode (MCP servers, plugins)"),
    protected("opencode.jsonc", "opencode (MCP servers, plugins)"),
    protected(".husky/", "husky (git hooks)"),
    protected("lefthook.yml", "lefthook (git hooks)"),
    protected(".lefthook.yml", "lefthook (git hooks)"),
    protected("lefthook-local.yml", "lefthook (git hooks)"),
    asks(".yarn/", "yarn (plugins, releases)"),
    asks("bunfig.toml", "bun (preload)"),
    protected(".windsurf/", "Windsurf"),
    protected(".continue/", "Continue"),
    protected(".aider.conf.yml", "aider (lint-cmd, test-cmd)"),
    protected(".helix/", "Helix (languages.toml)"),
    protected(".pre-commit-config.yaml", "pre-commit (git hooks)"),
    protected(".cargo/config.toml", "cargo (build.rustc-wrapper, runners)"),
    protected(".cargo/config", "cargo (build.rustc-wrapper, runners)"),
    protected(".npmrc", "npm and pnpm (script-shell, node-options)"),
    protected(".yarnrc", "yarn (yarn-path)"),
    protected(".yarnrc.yml", "yarn (yarnPath, plugins)"),
    protected(".pnpmfile.cjs", "pnpm (hooks)"),
    asks(".bazelrc", "Bazel (options of every build)"),
    asks(".mvn/", "Maven (extensions.xml, jvm.config)"),
    protected("mise.toml", "mise (env, hooks, tasks)"),
    protected(".mise.toml", "mise (env, hooks, tasks)"),
    protected(".gdbinit", "gdb (Startup)"),
    protected(".lldbinit", "lldb"),
    protected(".vimrc", "vim (initialization)"),
    protected(".exrc", "vi and vim (exrc)"),
    protected(".nvim.lua", "Neovim (exrc)"),
    protected(".dir-locals.el", "Emacs (Directory Variables)"),
];

/// Returns the row of a path; nothing if it is none of these places. `..` is taken by its text. The path should be one
/// relative to the directory that an agent works in, which may itself lie in such a place.
pub fn row(path: &str) -> Option<&'static Row> {
    find(path, false)
}

/// The same for a pattern of a shell: one that begins like a name counts as that name (`.vs*`, `.[v]scode`, `.npm$X`).
pub fn row_of_pattern(pattern: &str) -> Option<&'static Row> {
    // What a command prints is not known, and the command is no name.
    let end = pattern.find("$(").map(|at| at + 1);
    let end = end.or_else(|| pattern.find('`').map(|at| at + 1));
    find(end.and_then(|end| pattern.get(..end)).unwrap_or(pattern), true)
}

fn find(path: &str, is_pattern: bool) -> Option<&'static Row> {
    let names = names(path);
    if let Some(git) = names.iter().position(|name| name == ".git")
        && let Some(rest) = names
            .get(git + 1..)
            .filter(|rest| rest.first().is_some_and(|name| name == "modules"))
    {
        // Those of a submodule, whose name may have several parts.
        let place = if rest.iter().any(|name| name == "hooks") {
            ".git/hooks/"
        } else if rest.last().is_some_and(|name| name == "config") {
            ".git/config"
        } else if rest.last().is_some_and(|name| name == "commondir") {
            ".git/commondir"
        } else {
            return None;
        };
        return ROWS.iter().find(|row| row.place == place);
    }
    ROWS.iter().find(|row| is_at(row.place, &names, is_pattern))
}

/// Returns true if a path is at a place that is written like those of the rows.
pub fn is_there(path: &str, place: &str) -> bool {
    is_at(place, &names(path), false)
}

fn is_at(place: &str, names: &[String], is_pattern: bool) -> bool {
    let (place, is_directory) = match place.strip_suffix('/') {
        Some(place) => (place, true),
        None => (place, false),
    };
    let parts: Vec<&str> = place.split('/').collect();
    let is_named = |given: &[String]| {
        given
            .iter()
            .zip(&parts)
            .all(|(name, part)| is_name(name, part) || is_pattern && may_be(name, part))
    };
    // The rest of a name makes it a directory or a file.
    if is_directory || place.ends_with('*') {
        names.windows(parts.len()).any(is_named)
    } else {
        names
            .len()
            .checked_sub(parts.len())
            .and_then(|from| names.get(from..))
            .is_some_and(is_named)
    }
}

fn is_name(name: &str, part: &str) -> bool {
    match part.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == part,
    }
}

/// True for a pattern that begins like a name and may stand for it. What `{`, `$` and a backquote stand for is not known.
fn may_be(pattern: &str, name: &str) -> bool {
    let is_begun = pattern.chars().next() == name.chars().next();
    is_begun
        && pattern.contains(['*', '?', '[', '{', '$', '`'])
        && stands_for(pattern.as_bytes(), name.as_bytes())
}

/// Compares in time in proportion to the pattern. A name has fewer than 63 bytes.
fn stands_for(pattern: &[u8], name: &[u8]) -> bool {
    let end = 1_u64 << name.len().min(62);
    let all = end | (end - 1);
    // Bit N: the pattern so far stands for the first N bytes of the name.
    let mut places = 1_u64;
    let mut rest = pattern;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        places = match byte {
            b'{' | b'$' | b'`' => return places != 0,
            b'*' => places | places.wrapping_neg(),
            b'?' => places << 1,
            b'[' => {
                let close = after.iter().skip(1).position(|byte| *byte == b']');
                rest = close.and_then(|at| after.get(at + 2..)).unwrap_or_default();
                places << 1
            }
            byte => {
                let is_next = |(at, one): (usize, &u8)| u64::from(one == byte) << at.min(62);
                (places & name.iter().enumerate().map(is_next).fold(0, |all, one| all | one)) << 1
            }
        } & all;
    }
    places & end != 0
}

/// The names of a path, folded, without `.` and `..`.
fn names(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    for name in path.split(['/', '\\']) {
        match name {
            "" | "." => {}
            ".." => _ = names.pop(),
            name => names.push(folded(name)),
        }
    }
    names
}

/// Folds a name as a lenient file system compares it: without case and invisible characters.
pub fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_at_its_place_and_below_any_directory() {
        for one in ROWS {
            let written = one.place.replace('*', "x");
            let file = if written.ends_with('/') {
                format!("{written}file")
            } else {
                written.clone()
            };
            for path in [
                file.clone(),
                format!("./a/b/{file}"),
                file.to_uppercase(),
                format!("x/../{file}"),
            ] {
                assert_eq!(row(&path).map(|row| row.place), Some(one.place), "{path}");
            }
            assert!(row(written.trim_end_matches('/')).is_some(), "{written}");
            // A name that only contains it is another one.
            for other in [
                format!("x{}", written.trim_start_matches('.')),
                format!("a{file}"),
            ] {
                assert!(row(&other).is_none(), "{other}");
            }
            assert!(!one.by.is_empty());
        }
    }

    #[test]
    fn what_takes_effect_by_itself_is_protected_and_what_ordinary_work_changes_is_not() {
        assert!(ROWS.iter().all(|row| row.is_protected || !row.is_refused));
        let is_protected = |path: &str| row(path).is_some_and(|row| row.is_protected);
        for path in [
            ".git/hooks/pre-commit",
            ".git/config",
            ".git/commondir",
            ".git/modules/a/config",
            ".git/modules/a/commondir",
            ".overrule/policy.toml",
            ".mcp.json",
            ".envrc",
            ".bashrc",
            ".vscode/tasks.json",
            ".idea/workspace.xml",
            ".claude/settings.json",
            ".codex/config.toml",
            ".cursor/mcp.json",
            ".husky/pre-commit",
            ".cargo/config.toml",
            ".npmrc",
            ".gdbinit",
            ".pre-commit-config.yaml",
        ] {
            assert!(is_protected(path), "{path}");
        }
        // A merge or a build changes them.
        for path in [
            ".git/index",
            ".git/worktrees/a/commondir",
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            ".gradle/caches/x",
            ".yarn/cache/x",
            ".mvn/jvm.config",
            ".bazelrc",
            ".bundle/config",
            "bunfig.toml",
            "sitecustomize.py",
        ] {
            assert!(!is_protected(path), "{path}");
        }
    }

    #[test]
    fn ordinary_places_and_the_rest_of_git_are_none() {
        for path in [
            "src/main.rs",
            ".git/index",
            ".git/refs/heads/main",
            ".git/modules/a/index",
            ".gitignore",
            "package.json",
            "docs/vscode/tasks.json",
            "config.toml",
            "cargo/config.toml",
            ".vscode/../src/a",
            "",
            "..",
        ] {
            assert_eq!(row(path), None, "{path}");
        }
        for path in [
            ".git/modules/a/b/hooks/post-checkout",
            ".git/modules/a/b/config",
            ".vs\u{200b}code/tasks.json",
            "a\\.vscode\\tasks.json",
            ".overrule/policy.toml",
            ".overrule.local.toml",
        ] {
            assert!(row(path).is_some(), "{path}");
        }
        assert!(is_there("a/.mine/x", ".mine/") && !is_there("a/mine", ".mine/"));
    }

    #[test]
    fn a_pattern_of_a_shell_counts_if_it_begins_like_a_name() {
        for pattern in [
            ".vs*/tasks.json",
            ".*s*o*e/x",
            ".v?code/tasks.json",
            ".[v]scode/tasks.json",
            ".[!x]scode/x",
            ".{vscode,x}/tasks.json",
            ".npm$(echo rc)",
            ".git/h*/pre-commit",
            ".*",
        ] {
            assert!(row_of_pattern(pattern).is_some(), "{pattern}");
            assert!(row(pattern).is_none(), "a file may have this name: {pattern}");
        }
        for pattern in [
            "*.toml",
            "*/tasks.json",
            "$X/tasks.json",
            "$(q | sed \"s/.*x//\")",
            "`sed s/.v*/x/`",
            ".x*/tasks.json",
            ".vs*y/tasks.json",
            ".git/*",
        ] {
            assert_eq!(row_of_pattern(pattern), None, "{pattern}");
        }
    }
}
