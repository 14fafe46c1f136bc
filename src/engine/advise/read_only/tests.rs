//! Shell lines of class read, in real directories with links and repositories.
//!
//! Must not know: how a line is read.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::advise::tests::adviser;
use crate::advise::{FileTracking, Sandbox, TracksFiles};
use overrule_domain::advice::{Advice as _, RuleUses};
use overrule_domain::draft::Draft;
use overrule_domain::sandbox::{Level, Profile, Tracking, UNDOABLE};
use overrule_policy::{Origin, Policy};

/// A workspace with a repository, and a directory outside.
struct Place {
    _root: tempfile::TempDir,
    workspace: PathBuf,
    outside: PathBuf,
}

fn place() -> Place {
    let root = tempfile::tempdir().unwrap();
    let base = root.path().canonicalize().unwrap();
    let (workspace, outside) = (base.join("work"), base.join("outside"));
    for one in [
        &workspace,
        &outside,
        &workspace.join("src"),
        &workspace.join("bin"),
    ] {
        fs::create_dir(one).unwrap();
    }
    for one in ["a", "src/a.rs", "src/b.rs"] {
        fs::write(workspace.join(one), "text\n").unwrap();
    }
    fs::write(outside.join("secret"), "x").unwrap();
    symlink(&outside, workspace.join("away")).unwrap();
    symlink(outside.join("secret"), workspace.join("link")).unwrap();
    symlink("src", workspace.join("near")).unwrap();
    Place {
        _root: root,
        workspace,
        outside,
    }
}

impl Place {
    fn git(&self, words: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(&self.workspace)
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(words);
        assert!(git.output().unwrap().status.success(), "{words:?}");
    }

    fn adviser(&self, rules: &str) -> Adviser {
        let mut policy = Policy::new(Preset::Guarded).in_workspace(&self.workspace);
        let read = overrule_policy::parse::file("rules.toml", rules, Origin::User).unwrap();
        for rule in read.rules {
            assert!(policy.add(rule).is_none());
        }
        Adviser {
            workspace: Arc::new(self.workspace.clone()),
            policy: Arc::new(policy),
            ..adviser()
        }
    }

    /// The class of a line under rules, which decides under `guarded` whether it asks.
    fn reads_under(&self, rules: &str, line: &str) -> bool {
        let adviser = self.adviser(rules);
        let state = State::default();
        let args = json!({ "command": line }).to_string();
        let effect = adviser.effect(&state, "shell", &args);
        let gate = adviser
            .verdict("shell", &args, &RuleUses::by(&Draft::new(&state)))
            .gate;
        let reads = effect == EffectClass::Read;
        assert_eq!(gate == Gate::Allow, reads, "{line}");
        reads
    }

    fn reads(&self, line: &str) -> bool {
        self.reads_under("", line)
    }
}

#[test]
fn a_line_reads_only_inside_of_the_workspace() {
    let place = place();
    let absolute = place.workspace.join("a");
    for line in [
        "ls -la",
        "cat a",
        "cat src/a.rs | head -5",
        "cat near/a.rs",
        "cd src && cat a.rs",
        "cd src && cat ../a",
        "cd src; ls",
        "wc -l src/*.rs",
        "find . -name '*.rs'",
        "grep -rn text src",
        "cat missing",
        &format!("cat {}", absolute.display()),
        &format!("cd {} && ls", place.workspace.display()),
    ] {
        assert!(place.reads(line), "{line}");
    }
    for line in [
        "cat /etc/passwd",
        "cat ../outside/secret",
        "cat src/../../outside/secret",
        "cat link",
        "cat away/secret",
        "ls away",
        "cd away && ls",
        "cd .. && ls",
        "cd src && cat ../../outside/secret",
        "cd src; cat ../a",
        "(cd src); cat ../a",
        "cd src | cat ../a",
        "wc -l l*",
        "ls away/s*",
        "ls /",
        "find /",
        "cat a link",
        "rm a",
        "ls > b",
    ] {
        assert!(!place.reads(line), "{line}");
    }
    assert_eq!(fs::read_to_string(place.outside.join("secret")).unwrap(), "x");
}

#[test]
fn commands_that_a_rule_names_run_in_the_workspace_beside_what_reads() {
    let place = place();
    let rule = "[[rule]]\ntool = [\"shell\", \"Bash\"]\nwords = [\"make\", \"test\"]\ngate = \"allow\"";
    let adviser = place.adviser(rule);
    let state = State::default();
    let gate = |line: &str| {
        let args = json!({ "command": line }).to_string();
        let draft = Draft::new(&state);
        adviser.verdict("shell", &args, &RuleUses::by(&draft)).gate
    };
    let absolute = format!("cd {} && make test", place.workspace.display());
    for line in [
        "make test",
        "make test -j4 2>&1 | tail -5",
        "cd src && make test && cat a.rs",
        "cd near; make test",
        &absolute,
    ] {
        assert_eq!(gate(line), Gate::Allow, "{line}");
    }
    for line in [
        "make all",
        "cd away && make test",
        "cd .. && make test",
        "make test; cat link",
        "make test && cat /etc/passwd",
        "make test && rm a",
        "make test > out",
        "cd $X && make test",
    ] {
        assert_ne!(gate(line), Gate::Allow, "{line}");
    }
    // Where it is not known where the shell is, it may be anywhere.
    let elsewhere = Adviser {
        shell: crate::advise::ShellStart {
            in_workspace: false,
            ..adviser.shell.clone()
        },
        ..adviser.clone()
    };
    let gate = |line: &str| {
        let args = json!({ "command": line }).to_string();
        let draft = Draft::new(&state);
        elsewhere.verdict("shell", &args, &RuleUses::by(&draft)).gate
    };
    assert_eq!(gate("make test"), Gate::Ask);
    assert_eq!(gate(&absolute), Gate::Allow);
}

#[test]
fn a_line_with_more_places_than_are_looked_at_is_not_known_to_read_only() {
    let place = place();
    assert!(place.reads(&format!("cat{}", " a".repeat(256))));
    assert!(!place.reads(&format!("cat{}", " a".repeat(257))));
}

#[test]
fn a_program_of_the_workspace_is_not_the_one_of_the_system() {
    let place = place();
    fs::write(place.workspace.join("bin/cat"), "").unwrap();
    let call = read_only_call("shell", &json!({ "command": "cat a" })).unwrap();
    let with = |programs: &str| {
        only_reads(
            &call,
            &Surroundings {
                workspace: place.workspace.clone(),
                directory: Some(place.workspace.clone()),
                private: &[],
                programs: OsStr::new(programs),
                is_withheld: &|_| false,
                withholds: false,
            },
        )
    };
    let own = place.workspace.join("bin");
    assert!(with("/usr/bin:/bin"));
    assert!(with(&format!("/usr/bin:/bin:{}", own.display())));
    assert!(!with(&format!("{}:/usr/bin:/bin", own.display())));
    assert!(!with("bin:/usr/bin:/bin"));
    assert!(!with(""), "no such program");
}

#[test]
fn what_a_rule_keeps_from_the_tools_that_read_is_asked_about() {
    let place = place();
    let of = |tool: &str, gate: &str| {
        format!(
            "[[rule]]\ntool = \"{tool}\"\nargs = [{{ at = \"/path\", under = \"src\" }}]\ngate = \"{gate}\""
        )
    };
    for rule in [
        of("read_file", "deny"),
        of("read_file", "ask"),
        of("search", "deny"),
        of("list_dir", "ask"),
    ] {
        assert!(place.reads_under(&rule, "cat a"), "{rule}");
        for line in [
            "cat src/a.rs",
            "cat near/a.rs",
            "ls src",
            "grep -r x",
            "find .",
            "ls -R",
            "cd src && ls",
            "wc -l src/*",
        ] {
            assert!(!place.reads_under(&rule, line), "{rule}: {line}");
        }
    }
    // Rules about other calls keep nothing.
    for rule in [of("write_file", "deny"), of("read_file", "allow")] {
        assert!(place.reads_under(&rule, "cat src/a.rs"), "{rule}");
        assert!(place.reads_under(&rule, "find ."), "{rule}");
    }
    let all = "[[rule]]\ntool = \"read_file\"\ngate = \"ask\"";
    assert!(!place.reads_under(all, "cat a"));
    // A rule about the shell decides as before.
    let shell = "[[rule]]\ntool = \"shell\"\ngate = \"ask\"";
    let adviser = place.adviser(shell);
    let state = State::default();
    let args = r#"{"command":"ls"}"#;
    assert_eq!(adviser.effect(&state, "shell", args), EffectClass::Read);
    assert_eq!(
        adviser
            .verdict("shell", args, &RuleUses::by(&Draft::new(&state)))
            .gate,
        Gate::Ask
    );
}

#[test]
fn private_places_are_not_read() {
    let place = place();
    let mut adviser = place.adviser("");
    let private = place.workspace.join("src");
    let registry = overrule_tools::registry::Registry::new(overrule_tools::builtin::all(
        &overrule_tools::builtin::Setup::default(),
    ));
    adviser.registry = Arc::new(registry.unwrap().keeping_out_of([private]));
    let state = State::default();
    let effect = |line: &str| adviser.effect(&state, "shell", &json!({ "command": line }).to_string());
    assert_eq!(effect("cat a"), EffectClass::Read);
    for line in ["cat src/a.rs", "ls src", "find .", "ls -R", "cat near/a.rs"] {
        assert_eq!(effect(line), EffectClass::Unknown, "{line}");
    }
}

#[test]
fn a_repository_that_names_a_program_is_asked_about() {
    let place = place();
    let lines = [
        "git status",
        "git log --oneline -5",
        "git diff",
        "git show HEAD",
        "cd src && git status",
    ];
    let all = |expected: bool, why: &str| {
        for line in lines {
            assert_eq!(place.reads(line), expected, "{why}: {line}");
        }
        assert!(place.reads("ls"), "{why}");
    };
    all(true, "no repository");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "a", "src"]);
    place.git(&["commit", "-qm", "first"]);
    place.git(&["config", "remote.origin.url", "https://example.org/a"]);
    place.git(&["config", "branch.main.remote", "origin"]);
    all(true, "a plain repository");
    let config = place.workspace.join(".git/config");
    let plain = fs::read_to_string(&config).unwrap();
    for (key, value) in [
        ("core.fsmonitor", "./x"),
        ("core.pager", "./x"),
        ("core.hooksPath", "hooks"),
        ("core.sshCommand", "./x"),
        ("core.worktree", "/"),
        ("core.attributesFile", "x"),
        ("diff.external", "./x"),
        ("diff.a.command", "./x"),
        ("diff.a.textconv", "./x"),
        ("filter.a.clean", "./x"),
        ("gpg.program", "./x"),
        ("gpg.ssh.program", "./x"),
        ("pager.log", "./x"),
        ("log.showSignature", "true"),
        ("format.pretty", "%G?"),
        ("include.path", "x"),
        ("includeIf.gitdir:/.path", "x"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", "./x"),
        ("alias.status", "!x"),
        ("extensions.partialClone", "origin"),
    ] {
        let (section, key) = key.rsplit_once('.').unwrap();
        let head = section
            .split_once('.')
            .map_or(section.to_owned(), |(name, of)| format!("{name} \"{of}\""));
        fs::write(&config, format!("{plain}[{head}]\n\t{key} = {value}\n")).unwrap();
        assert!(!place.reads("git status"), "{section}.{key}");
    }
    for odd in [
        "[core] fsmonitor = x",
        "[CORE]\n\tFsMonitor = x",
        "[core]\nfs\\\nmonitor = x",
        "[core",
        "[core \"a\"]\nx = y",
        "[diff.a]\ncommand = x",
    ] {
        fs::write(&config, format!("{plain}{odd}\n")).unwrap();
        assert!(!place.reads("git status"), "{odd}");
    }
    fs::write(&config, &plain).unwrap();
    all(true, "mended");
    let files = [
        ".git/hooks/post-index-change",
        ".gitmodules",
        ".git/sharedindex.1",
    ];
    for file in files {
        fs::write(place.workspace.join(file), "x").unwrap();
        all(false, file);
        fs::remove_file(place.workspace.join(file)).unwrap();
    }
    all(true, "removed");
}

#[test]
fn another_repository_inside_or_around_is_asked_about() {
    let place = place();
    place.git(&["init", "-q"]);
    assert!(place.reads("git status"));
    // A repository in the index, whose settings would count.
    let inner = place.workspace.join("inner");
    fs::create_dir(&inner).unwrap();
    place.git(&["-C", "inner", "init", "-q"]);
    place.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "x"]);
    place.git(&["add", "inner"]);
    assert!(!place.reads("git status"));
    assert!(
        place.reads("cd inner && git status"),
        "it has settings of its own"
    );
    fs::remove_file(place.workspace.join(".git/index")).unwrap();
    assert!(place.reads("git status"));
    // A directory that git takes for a repository.
    for one in ["objects", "refs"] {
        fs::create_dir_all(place.workspace.join("src").join(one)).unwrap();
    }
    fs::write(place.workspace.join("src/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert!(!place.reads("cd src && git status"));
    // The settings of a repository that a file names.
    let elsewhere = place.workspace.join("elsewhere");
    fs::rename(place.workspace.join(".git"), &elsewhere).unwrap();
    fs::write(place.workspace.join(".git"), "gitdir: elsewhere\n").unwrap();
    assert!(place.reads("git status"));
    // Git takes every sign after the first space for the name.
    let spaced = place.workspace.join(" elsewhere");
    fs::create_dir(&spaced).unwrap();
    fs::write(spaced.join("config"), "[core]\nfsmonitor = x\n").unwrap();
    fs::write(place.workspace.join(".git"), "gitdir:  elsewhere\n").unwrap();
    assert!(!place.reads("git status"));
    fs::write(place.workspace.join(".git"), "gitdir: elsewhere\n").unwrap();
    assert!(place.reads("git status"));
    fs::write(elsewhere.join("config"), "[core]\nfsmonitor = x\n").unwrap();
    assert!(!place.reads("git status"));
    // A repository around the workspace.
    fs::remove_file(place.workspace.join(".git")).unwrap();
    assert!(place.reads("git status"));
    fs::create_dir(place.workspace.parent().unwrap().join(".git")).unwrap();
    assert!(!place.reads("git status"));
}

#[test]
fn what_the_shell_of_an_agent_may_have_moved_is_not_known() {
    let place = place();
    let mut adviser = place.adviser("");
    let state = State::default();
    let effect = |adviser: &Adviser, line: &str| {
        adviser.effect(&state, "shell", &json!({ "command": line }).to_string())
    };
    adviser.shell.in_workspace = false;
    let absolute = format!("cat {}/a", place.workspace.display());
    let entered = format!("cd {} && cat a && git status", place.workspace.display());
    for line in [&absolute, &entered] {
        assert_eq!(effect(&adviser, line), EffectClass::Read, "{line}");
    }
    let unsure = format!("cd {}; cat a", place.workspace.display());
    for line in ["ls", "cat a", "pwd; ls", "git status", "rg x", &unsure] {
        assert_eq!(effect(&adviser, line), EffectClass::Unknown, "{line}");
    }
    assert_eq!(effect(&adviser, "pwd"), EffectClass::Read, "it reads no place");
}

impl Place {
    /// Whether the repositories are read-only for a line that the preset `reversible` allows.
    fn locks(&self, line: &str) -> bool {
        let mut registry = (*self.adviser("").registry).clone();
        registry.confine("shell");
        let policy = Policy::new(Preset::Reversible).in_workspace(&self.workspace);
        let profile = Profile {
            level: Level::Workspace,
            write: vec![self.workspace.to_str().unwrap().to_owned()],
            ..Profile::default()
        };
        let adviser = Adviser {
            registry: Arc::new(registry),
            policy: Arc::new(policy),
            sandbox: Sandbox::new(profile),
            files: FileTracking::by(Arc::new(Tracked)),
            ..self.adviser("")
        };
        let state = State::default();
        let args = json!({ "command": line }).to_string();
        let verdict = adviser.verdict("shell", &args, &RuleUses::by(&Draft::new(&state)));
        assert_eq!(
            (verdict.gate, verdict.rule.as_str()),
            (Gate::Allow, UNDOABLE),
            "{line}"
        );
        adviser.read_only(UNDOABLE, "shell", &args).unwrap().repositories
    }
}

struct Tracked;

impl TracksFiles for Tracked {
    fn tracking(&self) -> Tracking {
        Tracking::ready()
    }
}

#[test]
fn a_repository_is_written_only_by_git_and_only_if_it_names_no_program() {
    let place = place();
    if Command::new("git").arg("--version").output().is_err() {
        println!("SKIPPED: git is not installed");
        return;
    }
    place.git(&["init", "-q"]);
    let commit = "git add -A && git commit -m x";
    assert!(!place.locks(commit));
    assert!(!place.locks("cd src && git add ."));
    assert!(place.locks("make"));
    assert!(place.locks("git add a && make"));
    assert!(
        place.locks("cd away && git add ."),
        "it leads out of the workspace"
    );
    assert!(place.locks("bin/git add ."));
    // Hooks run when it is written; those that git puts there as examples do not.
    let hooks = place.workspace.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::write(hooks.join("pre-commit.sample"), "exit 0").unwrap();
    assert!(!place.locks(commit));
    fs::write(hooks.join("pre-commit"), "exit 0").unwrap();
    assert!(place.locks(commit));
    assert!(place.reads("git status"), "it runs no such hook");
    fs::remove_file(hooks.join("pre-commit")).unwrap();
    for setting in [
        ["core.hooksPath", ".githooks"],
        ["core.fsmonitor", "./watch"],
        ["filter.x.clean", "./clean"],
        ["merge.x.driver", "./merge"],
        ["commit.gpgSign", "true"],
        ["core.editor", "./edit"],
    ] {
        place.git(&["config", setting[0], setting[1]]);
        assert!(place.locks(commit), "{setting:?}");
        place.git(&["config", "--unset", setting[0]]);
        // What is left of a section of a driver still counts.
        if setting[0].matches('.').count() == 1 {
            assert!(!place.locks(commit), "{setting:?}");
        } else {
            let config = place.workspace.join(".git/config");
            let text = fs::read_to_string(&config).unwrap();
            let start = text.find(&format!("[{}", setting[0].split('.').next().unwrap()));
            fs::write(&config, start.map_or(&*text, |start| &text[..start])).unwrap();
        }
    }
}
