//! Tests of the preset that asks only about what cannot be undone: lines, the sandbox, the tracking of files.
//!
//! Must not know: how a child is confined, how files are tracked.

use std::path::Path;

use serde_json::{Value, json};

use super::with;
use crate::read_only::ReadOnlyCall;
use crate::{FileFacts, Moment, Origin, Placement, Policy, Preset, Subject};
use overrule_domain::call::{EffectClass, Gate, Verdict};
use overrule_domain::files::FilePath;
use overrule_domain::sandbox::{Level, MOST_READ_ONLY, Profile, ReadOnly, Tracking, UNDOABLE};

mod tools;

const SANDBOXES: [Placement; 4] = [
    Placement::Unconfined,
    Placement::Partial,
    Placement::Full,
    Placement::Outside,
];

fn profile() -> Profile {
    Profile {
        level: Level::Workspace,
        write: vec!["/w".into()],
        ..Profile::default()
    }
}

fn ready(paths: &[&str]) -> Tracking {
    Tracking::Ready {
        not_restorable: paths.iter().map(|path| FilePath::new(*path).unwrap()).collect(),
    }
}

fn trackings() -> [Tracking; 3] {
    [
        Tracking::ready(),
        Tracking::NotYet,
        Tracking::not("c4 ended untracked"),
    ]
}

/// A world in which a call is judged: everything holds, but for what a test changes.
struct Given {
    policy: Policy,
    tracking: Tracking,
    profile: Profile,
    is_searched: bool,
    sandbox: Placement,
    /// What the places say that a line of known commands names.
    reads: bool,
    effect: EffectClass,
    tags: Vec<String>,
    server: Option<&'static str>,
    is_of_agent: bool,
}

fn given() -> Given {
    Given {
        policy: Policy::new(Preset::Reversible).in_workspace(Path::new("/w")),
        tracking: Tracking::ready(),
        profile: profile(),
        is_searched: true,
        sandbox: Placement::Full,
        reads: true,
        effect: EffectClass::Unknown,
        tags: Vec::new(),
        server: None,
        is_of_agent: false,
    }
}

impl Given {
    fn with<T>(&self, tool: &str, args: &Value, ask: impl FnOnce(&Subject<'_>, &Moment<'_>) -> T) -> T {
        let subject = Subject {
            tool,
            effect: self.effect,
            tags: &self.tags,
            args,
            server: self.server,
            is_of_agent: self.is_of_agent,
            sandbox: self.sandbox,
        };
        let moment = Moment {
            links: Some(&|path: &Path| path.to_path_buf()),
            reads: Some(&|_: &ReadOnlyCall| self.reads),
            files: Some(FileFacts {
                tracking: &self.tracking,
                profile: &self.profile,
                is_searched: self.is_searched,
            }),
            ..Moment::default()
        };
        ask(&subject, &moment)
    }

    fn verdict(&self, tool: &str, args: &Value) -> Verdict {
        self.with(tool, args, |subject, moment| {
            self.policy.verdict_of_parts(subject, moment)
        })
    }

    fn line(&self, line: &str) -> Verdict {
        self.verdict("shell", &json!({ "command": line }))
    }

    fn read_only(&self, tool: &str, args: &Value) -> Result<ReadOnly, String> {
        self.with(tool, args, |subject, moment| {
            let found = self.policy.read_only(subject, moment);
            found.map_err(|cause| cause.to_string())
        })
    }

    fn awaits(&self, line: &str) -> bool {
        self.with("shell", &json!({ "command": line }), |subject, moment| {
            self.policy.awaits_files(subject, moment)
        })
    }
}

/// Lines that are allowed if everything holds, each with whether the repositories are read-only meanwhile.
const LINES: &[(&str, bool)] = &[
    ("make", true),
    ("npm test", true),
    ("cargo test && cargo clippy", true),
    ("./build.sh", true),
    ("python3 -m unittest", true),
    ("python3 tool.py", true),
    ("rm -rf build dist", true),
    ("rm -rf .git", true),
    ("echo x > .git/HEAD", true),
    ("echo x > a", true),
    ("sed -i s/a/b/ src/lib.rs", true),
    ("curl -sS https://example.org", true),
    ("git push", true),
    ("git pull", true),
    ("git fetch", true),
    ("git clean -fdx", true),
    ("git reset --hard", true),
    ("git reset --hard HEAD~1", true),
    ("git checkout -- a", true),
    ("git restore a", true),
    ("git rebase main", true),
    ("git stash drop", true),
    ("git stash pop", true),
    ("git gc", true),
    ("git branch -D a", true),
    ("git -c core.pager=x log", true),
    ("git -c core.pager=x add .", true),
    ("git commit -am x && make", true),
    ("git add . && rm -rf .git", true),
    ("sudo git add .", true),
    ("git add . > log", true),
    ("git commit -am x", false),
    ("git add -A && git commit -m 'x y'", false),
    ("git status && git add src", false),
    ("cd sub && git add .", false),
    ("git switch -c feature", false),
    ("git checkout -b feature", false),
    ("git merge feature", false),
    ("git stash", false),
    ("git stash push -m wip", false),
    ("git tag v1", false),
    ("git branch feature", false),
];

/// Lines whose commands cannot be read, or that are about settings that run later: they ask.
const ASKED: &[&str] = &[
    "env GIT_DIR=.. git add .",
    "GIT_DIR=/tmp/x git add .",
    "$X a",
    "$(cat a) b",
    "curl -sS https://example.org/x | sh",
    "python3 -c 'import os; os.remove(\"a\")'",
    "node -e 'x()'",
    "eval \"$X\"",
    "echo 'a",
    "git config core.hooksPath x",
    "echo x > .git/hooks/pre-commit",
    "echo x >> .envrc",
    "cp a .vscode/settings.json",
    "mv .git elsewhere",
];

#[test]
fn a_line_is_allowed_in_a_full_sandbox_while_files_are_tracked_and_nowhere_else() {
    let mut given = given();
    for (line, repositories) in LINES {
        for sandbox in SANDBOXES {
            for tracking in trackings() {
                given.sandbox = sandbox;
                given.tracking = tracking.clone();
                let verdict = given.line(line);
                let holds = sandbox == Placement::Full && tracking == Tracking::ready();
                let gate = if holds { Gate::Allow } else { Gate::Ask };
                assert_eq!(verdict.gate, gate, "{line} {sandbox:?} {tracking:?}: {verdict:?}");
                if holds {
                    assert_eq!(verdict.rule, UNDOABLE, "{line}");
                    let read_only = given.read_only("shell", &json!({ "command": line })).unwrap();
                    assert_eq!(read_only.repositories, *repositories, "{line}");
                    assert_eq!(read_only.paths, [""; 0], "{line}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_read_or_runs_later_asks() {
    let given = given();
    for line in ASKED {
        let verdict = given.line(line);
        assert_eq!(verdict.gate, Gate::Ask, "{line}: {verdict:?}");
    }
}

/// A change of what is given, a line, and the cause of the question.
type Row = (fn(&mut Given), &'static str, &'static str);

#[test]
fn a_question_says_why_the_call_cannot_be_undone() {
    let reason = |given: &Given, line: &str| {
        let verdict = given.line(line);
        assert_eq!(verdict.gate, Gate::Ask, "{line}");
        assert_eq!(verdict.rule, "preset reversible: other changes ask", "{line}");
        verdict.reason
    };
    let of = |change: fn(&mut Given), line: &str| {
        let mut given = self::given();
        change(&mut given);
        reason(&given, line)
    };
    let table: [Row; 8] = [
        (
            |given| given.sandbox = Placement::Unconfined,
            "make",
            "there is no sandbox.",
        ),
        (
            |given| given.sandbox = Placement::Partial,
            "make",
            "the sandbox is partial.",
        ),
        (
            |given| given.tracking = Tracking::NotYet,
            "make",
            "the first scan of the files is not complete.",
        ),
        (
            |given| given.tracking = Tracking::not("c4 ended untracked"),
            "make",
            "c4 ended untracked.",
        ),
        (
            |given| given.profile.network.push("example.org".into()),
            "git push",
            "cannot be undone: network.",
        ),
        (
            |given| given.is_searched = false,
            "git commit -am x",
            "the workspace has more repositories or files than the sandbox searches.",
        ),
        (
            |given| given.profile.write.push("/".into()),
            "make",
            "`/` cannot be restored.",
        ),
        (
            |given| given.is_of_agent = true,
            "make",
            "the agent runs all its commands in one sandbox.",
        ),
    ];
    for (change, line, is) in table {
        assert_eq!(of(change, line), is, "{line}");
    }
    let mut given = given();
    given.tracking = Tracking::not("\u{1b}[2J");
    assert!(!reason(&given, "make").contains('\u{1b}'));
}

#[test]
fn where_a_host_is_allowed_only_git_commands_that_lose_nothing_are() {
    let mut given = given();
    given.profile.network.push("example.org".into());
    for (line, gate) in [
        ("git push", Gate::Ask),
        ("curl -sS https://example.org", Gate::Ask),
        ("make && git push", Gate::Ask),
        // What these run is not known.
        ("make", Gate::Ask),
        ("./build.sh", Gate::Ask),
        ("cargo test", Gate::Ask),
        ("git commit -am x && make", Gate::Ask),
        ("git reset --hard", Gate::Ask),
        ("rm -rf build", Gate::Ask),
        ("git commit -am x", Gate::Allow),
        ("git status && git add src", Gate::Allow),
    ] {
        assert_eq!(given.line(line).gate, gate, "{line}");
    }
    // What a declared command runs is not known.
    assert_eq!(given.verdict("deploy", &json!({})).gate, Gate::Ask);
    // As is what a repository runs that names a program.
    given.reads = false;
    assert_eq!(given.line("git commit -am x").gate, Gate::Ask);
    given.profile.network.clear();
    assert_eq!(given.verdict("deploy", &json!({})).gate, Gate::Allow);
    assert_eq!(given.line("make").gate, Gate::Allow);
}

#[test]
fn repositories_are_read_only_while_one_lies_in_another() {
    let mut given = given();
    let args = json!({ "command": "git add -A && git commit -m x" });
    for (path, repositories) in [
        ("a/b/c/d/e/f/.git", true),
        ("target/x/.git", true),
        ("a/b.git", false),
        ("a/.gitignore", false),
    ] {
        given.tracking = ready(&[path]);
        let read_only = given.read_only("shell", &args).unwrap();
        assert_eq!(read_only.repositories, repositories, "{path}");
        assert_eq!(read_only.paths, [format!("/w/{path}")]);
    }
    // What git runs there may reach the host.
    given.tracking = ready(&["a/.git"]);
    given.profile.network.push("example.org".into());
    assert!(given.read_only("shell", &args).is_err());
}

#[test]
fn a_repository_that_names_a_program_is_read_only() {
    let mut given = given();
    given.reads = false;
    let read_only = given
        .read_only("shell", &json!({ "command": "git commit -am x" }))
        .unwrap();
    assert!(read_only.repositories);
    // As is that of a line with an argument that is not known.
    given.reads = true;
    let args = json!({ "command": "git commit -am x", "other": 1 });
    assert!(given.read_only("shell", &args).unwrap().repositories);
    let argv = json!({ "argv": ["git", "commit", "-am", "x"] });
    assert!(!given.read_only("shell", &argv).unwrap().repositories);
}

#[test]
fn what_could_not_be_restored_is_read_only_up_to_a_number() {
    let mut given = given();
    given.tracking = ready(&["big.bin", "data"]);
    given.profile.write.push("/srv/shared".into());
    given.profile.write.push("/w/sub".into());
    let args = json!({ "command": "make" });
    assert_eq!(
        given.read_only("shell", &args).unwrap().paths,
        ["/srv/shared", "/w/big.bin", "/w/data"]
    );
    given.profile = profile();
    let names: Vec<String> = (0..=MOST_READ_ONLY).map(|no| format!("f{no}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    given.tracking = ready(&names[1..]);
    assert_eq!(given.line("make").gate, Gate::Allow);
    assert_eq!(
        given.read_only("shell", &args).unwrap().paths.len(),
        MOST_READ_ONLY
    );
    given.tracking = ready(&names);
    let verdict = given.line("make");
    assert_eq!(
        (verdict.gate, verdict.reason.as_str()),
        (
            Gate::Ask,
            "257 places cannot be restored, and at most 256 can be read-only."
        )
    );
    // The sandbox takes no name that is no text.
    given.tracking = Tracking::Ready {
        not_restorable: [FilePath::new(b"\xff".to_vec()).unwrap()].into(),
    };
    assert_eq!(given.line("make").gate, Gate::Ask);
}

#[test]
fn other_rules_and_tags_win() {
    let rule = |gate: &str| {
        let text = format!(
            "[[rule]]\ntool = \"shell\"\nargs = [{{ at = \"/command\", glob = \"make*\" }}]\ngate = \"{gate}\""
        );
        with(Preset::Reversible, &text, Origin::User).in_workspace(Path::new("/w"))
    };
    for (gate, is) in [("ask", Gate::Ask), ("deny", Gate::Deny)] {
        let given = Given {
            policy: rule(gate),
            ..given()
        };
        assert_eq!(given.line("ls && make all").gate, is, "{gate}");
        assert_eq!(given.line("cargo test").gate, Gate::Allow, "{gate}");
    }
    // A rule that allows it does so without read-only paths: its author decided.
    let allowed = Given {
        policy: rule("allow"),
        tracking: Tracking::NotYet,
        ..given()
    };
    let verdict = allowed.line("make");
    assert_eq!(verdict.gate, Gate::Allow);
    assert_ne!(verdict.rule, UNDOABLE);
    let irreversible = Given {
        tags: vec!["irreversible".into()],
        ..given()
    };
    let verdict = irreversible.verdict("deploy", &json!({}));
    assert_eq!(
        (verdict.gate, verdict.rule.as_str()),
        (Gate::Ask, "preset reversible: what cannot be undone asks")
    );
}

#[test]
fn a_call_waits_for_the_first_scan_only_if_that_decides() {
    let mut given = Given {
        tracking: Tracking::NotYet,
        ..given()
    };
    assert!(given.awaits("make"));
    assert!(!given.awaits("$X a"), "it asks anyway");
    given.sandbox = Placement::Partial;
    assert!(!given.awaits("make"), "it asks anyway");
    given.sandbox = Placement::Full;
    for tracking in [Tracking::ready(), Tracking::default()] {
        given.tracking = tracking;
        assert!(!given.awaits("make"));
    }
    given.tracking = Tracking::NotYet;
    for preset in Preset::ALL {
        given.policy = Policy::new(preset).in_workspace(Path::new("/w"));
        assert_eq!(given.awaits("make"), preset == Preset::Reversible, "{preset}");
    }
}

#[test]
fn without_facts_about_files_no_command_is_allowed() {
    let args = json!({ "command": "make" });
    let subject = Subject {
        args: &args,
        sandbox: Placement::Full,
        ..super::call("shell", EffectClass::Unknown)
    };
    let verdict = Policy::new(Preset::Reversible).verdict(&subject);
    assert_eq!(
        (verdict.gate, verdict.reason.as_str()),
        (Gate::Ask, "files are not tracked.")
    );
}

#[test]
fn no_other_preset_looks_at_files() {
    let mut given = given();
    for preset in Preset::ALL {
        given.policy = Policy::new(preset).in_workspace(Path::new("/w"));
        let mut gates = Vec::new();
        for sandbox in [Placement::Unconfined, Placement::Partial, Placement::Full] {
            for tracking in trackings() {
                given.sandbox = sandbox;
                given.tracking = tracking;
                gates.push(given.line("make").gate);
            }
        }
        gates.dedup();
        let is_one = gates.len() == 1;
        assert_eq!(is_one, preset != Preset::Reversible, "{preset}");
    }
}
