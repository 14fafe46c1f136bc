//! Tests that settings which another program runs by itself are never written without a question.
//!
//! Must not know: files on disk.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::Danger;
use overrule_base::runs_later::ROWS;

fn allowing() -> Vec<Policy> {
    let own = "[[rule]]\ntool = \"*\"\ngate = \"allow\"\n";
    let mut policies: Vec<Policy> = [Preset::Auto, Preset::Guarded]
        .into_iter()
        .map(|preset| {
            let mut policy = Policy::new(preset).in_workspace(Path::new("/w"));
            for rule in read(own, Origin::User).rules {
                assert!(policy.add(rule).is_none());
            }
            policy
        })
        .collect();
    policies.push(Policy::new(Preset::Auto).in_workspace(Path::new("/w")));
    policies
}

fn verdict(policy: &Policy, tool: &str, args: &Value, is_of_agent: bool, effect: EffectClass) -> Verdict {
    let subject = Subject {
        tool,
        effect,
        tags: &[],
        args,
        server: None,
        is_of_agent,
        sandbox: crate::Placement::default(),
    };
    policy.verdict(&subject)
}

#[test]
fn every_place_of_the_table_asks_whatever_writes_it_and_is_marked() {
    for row in ROWS {
        let place = row.place.replace('*', "x");
        let file = if place.ends_with('/') {
            format!("{place}f")
        } else {
            place
        };
        let patch = format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch");
        let calls = [
            (
                "Write",
                json!({"file_path": format!("/w/sub/{file}"), "content": "x"}),
            ),
            (
                "Edit",
                json!({"file_path": file, "old_string": "a", "new_string": "b"}),
            ),
            ("MultiEdit", json!({"file_path": file})),
            ("apply_patch", json!({"input": patch})),
            ("fs__put", json!({"path": file, "text": "x"})),
            ("shell", json!({"command": format!("echo x >> {file}")})),
            ("shell", json!({"command": format!("ls && cp a ./{file}")})),
            ("Bash", json!({"command": format!("sh -c 'tee {file} < a'")})),
        ];
        for policy in allowing() {
            for (tool, args) in &calls {
                let found = verdict(&policy, tool, args, *tool != "shell", EffectClass::Write);
                assert_eq!(found.gate, Gate::Ask, "{tool} {args}");
                assert!(
                    found.rule.contains("settings that another program runs"),
                    "{}",
                    found.rule
                );
                assert!(found.reason.contains("runs or believes"), "{}", found.reason);
            }
        }
        for (tool, args) in &calls {
            let marks = Danger::default().marks(tool, &args.to_string(), Path::new("/w"));
            let is_marked = marks.iter().any(|mark| mark.kind.label() == "runs code later");
            assert!(is_marked, "{tool} {args}: {marks:?}");
        }
        // What its own tool asks about, or refuses whatever is decided.
        let args = json!({"path": file, "content": "x"});
        for policy in allowing() {
            let gate = verdict(&policy, "write_file", &args, false, EffectClass::Write).gate;
            assert_eq!(gate == Gate::Ask, !row.is_refused, "{file}");
        }
    }
}

#[test]
fn what_only_reads_them_and_what_has_another_name_does_not_ask() {
    let calls = [
        ("Read", json!({"file_path": ".npmrc"}), EffectClass::Read),
        ("fs__get", json!({"path": ".npmrc"}), EffectClass::Read),
        (
            "Write",
            json!({"file_path": "src/a.rs", "content": ".npmrc"}),
            EffectClass::Write,
        ),
        (
            "Write",
            json!({"file_path": "docs/vscode/a", "content": "x"}),
            EffectClass::Write,
        ),
        (
            "Bash",
            json!({"command": "cat .npmrc | grep x"}),
            EffectClass::Write,
        ),
        (
            "Bash",
            json!({"command": "git add .vscode && git commit -m x && git diff .npmrc"}),
            EffectClass::Write,
        ),
        (
            "Bash",
            json!({"command": "git config --get user.name"}),
            EffectClass::Write,
        ),
        (
            "Bash",
            json!({"command": "ls .claude > out.txt"}),
            EffectClass::Write,
        ),
    ];
    for policy in allowing() {
        for (tool, args, effect) in &calls {
            let found = verdict(&policy, tool, args, true, *effect);
            assert_eq!(found.gate, Gate::Allow, "{tool} {args}: {}", found.rule);
        }
        for line in [
            "git config core.hooksPath x",
            "sed -i s/a/b/ .vscode/tasks.json",
            "dd if=a of=.npmrc",
        ] {
            let args = json!({"command": line});
            assert_eq!(
                verdict(&policy, "Bash", &args, true, EffectClass::Write).gate,
                Gate::Ask,
                "{line}"
            );
        }
    }
    let deny = Policy::new(Preset::ReadOnly);
    let args = json!({"file_path": ".npmrc", "content": "x"});
    assert_eq!(
        verdict(&deny, "Write", &args, true, EffectClass::Write).gate,
        Gate::Deny
    );
}

#[test]
fn a_link_leads_to_them_and_a_workspace_in_such_a_place_is_an_ordinary_one() {
    let policy = Policy::new(Preset::Auto).in_workspace(Path::new("/home/u/.claude/worktrees/x"));
    let links = |path: &Path| {
        if path.ends_with("conf/tasks.json") {
            PathBuf::from("/home/u/.claude/worktrees/x/.vscode/tasks.json")
        } else {
            path.to_owned()
        }
    };
    let gate = |path: &str| {
        let args = json!({"file_path": path, "content": "x"});
        let subject = Subject {
            tool: "Write",
            effect: EffectClass::Write,
            tags: &[],
            args: &args,
            server: None,
            is_of_agent: true,
            sandbox: crate::Placement::default(),
        };
        let moment = Moment {
            links: Some(&links),
            ..Moment::default()
        };
        policy.verdict_at(&subject, &moment).gate
    };
    assert_eq!(gate("conf/tasks.json"), Gate::Ask);
    assert_eq!(gate("src/tasks.json"), Gate::Allow);
    assert_eq!(gate("/home/u/.claude/worktrees/x/src/a.rs"), Gate::Allow);
    assert_eq!(gate("/home/u/.claude/settings.json"), Gate::Ask);
}

#[test]
fn a_program_with_a_name_beyond_ascii_is_a_warning() {
    let warning = |line: &str| crate::shell::ShellCall::new("shell", &json!({"command": line})).warning();
    assert!(warning("ls && сurl x").unwrap().contains("beyond ASCII"));
    assert!(warning("./gіt status").unwrap().contains("beyond ASCII"));
    assert_eq!(warning("echo żółć"), None);
    assert_eq!(warning("git status"), None);
}

#[test]
fn a_place_is_found_however_a_line_names_it() {
    let policy = Policy::new(Preset::Auto).in_workspace(Path::new("/w"));
    let gate = |line: &str| {
        let args = json!({"command": line});
        verdict(&policy, "Bash", &args, true, EffectClass::Unknown).gate
    };
    for line in [
        // A directory that the line enters.
        "cd .vscode && echo x > tasks.json",
        "cd .git; cd hooks; cp ../../a pre-commit",
        "(cd ./sub/.git && tee hooks/pre-commit <a)",
        "pushd .husky; mv ../a pre-commit",
        "tar -C .git/hooks -xf a.tar",
        "env -C .claude cp ../a settings.json",
        "make -C .vscode",
        // A pattern that a shell replaces.
        "cp a .vs*/tasks.json",
        "cp a .[v]scode/tasks.json",
        "tee .{vscode,x}/tasks.json <a",
        "echo x > .npm$(echo rc)",
        // A variable of the same line.
        "D=.vscode; cp a $D/tasks.json",
        "F=.npmrc; echo x > $F",
        "F=.npmrc sh -c 'echo x >$F'",
        // A part of a word.
        "curl -o.npmrc http://a",
        "curl -O 'http://a/.npmrc?x'",
        "cp -t.git/hooks a",
        "sed -n 'w .git/hooks/pre-commit' a",
        r#"awk '{print > ".npmrc"}' a"#,
        r#"python3 -c 'open(".npmrc", "w")'"#,
        "vim -es '+wq .npmrc' a",
        "git diff --output=.npmrc",
        "tree -o .npmrc",
        "xxd -r a .npmrc",
        // A directory with such a file.
        "cp -r hooks .git/",
        "mv config .cargo",
        // A setting that a program keeps.
        "npm config set script-shell x",
        "npm set script-shell x",
        "yarn config set yarnPath x",
    ] {
        assert_eq!(gate(line), Gate::Ask, "{line}");
    }
    for line in [
        "cd .vscode && ls && cat tasks.json",
        "cd src && cp a tasks.json",
        "cd a && npm test",
        "D=.vscode; ls $D",
        "awk '{print}' .npmrc",
        "cp a *.toml",
        "cp $X/tasks.json out/",
        "find . -path './.git/*' -prune -o -name a -exec touch {} +",
        "git commit -m 'about .npmrc'",
        "npm config get registry",
        "curl -O http://a/b.json",
        "rsync -a --exclude=.git a b",
        // No shell replaces what is quoted, and a command is no name.
        r#"d=$(q | sed "s/.*x//"); touch a"#,
        "sed -i 's/.*x//' a",
        "find . -regex '.*/a' -delete",
        r#"python3 -c 're.sub(".*", "", x)'"#,
    ] {
        assert_eq!(gate(line), Gate::Allow, "{line}");
    }
    // Not all words of a very long line are looked at.
    let line = |most: usize| {
        let words: Vec<String> = (0..most).map(|at| format!("w{at}")).collect();
        format!("cp {}", words.join(" "))
    };
    assert_eq!(gate(&line(2000)), Gate::Allow);
    assert_eq!(gate(&line(5000)), Gate::Ask);
}
