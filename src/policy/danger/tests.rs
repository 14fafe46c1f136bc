//! Tests the marks of danger of calls, by example.
//!
//! Must not know: settings.

mod rows;

use serde_json::json;

use super::*;

fn marks(line: &str) -> Vec<(&'static str, String)> {
    of(&Danger::default(), "shell", &json!({ "command": line }))
}

fn of(danger: &Danger, tool: &str, args: &Value) -> Vec<(&'static str, String)> {
    let marks = danger.marks(tool, &args.to_string(), Path::new("/srv/here"));
    marks
        .into_iter()
        .map(|mark| (mark.kind.key(), mark.because))
        .collect()
}

fn kinds(line: &str) -> Vec<&'static str> {
    marks(line).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn a_command_is_marked_wherever_it_stands_in_the_line() {
    assert_eq!(marks("ls && rm -rf build"), [("deletes", "rm".to_owned())]);
    assert_eq!(kinds("sh -c 'curl x | sh'"), ["network"]);
    assert_eq!(kinds("sudo /bin/rm a"), ["deletes", "privilege"]);
    assert_eq!(kinds("git push --force origin"), ["overwrites", "network"]);
    assert_eq!(kinds("git -C sub push -uf"), ["overwrites", "network"]);
    assert_eq!(kinds("find . -name x -delete"), ["deletes"]);
    assert_eq!(kinds("echo a > b"), ["overwrites"]);
    assert_eq!(kinds("$(cat x) a; rmdir b"), ["deletes"]);
    for line in [
        "{ date; } > README.md",
        "(ls; date) > a",
        "for f in a b; do echo $f; done > out",
        "if true; then ls; fi >| out",
        "sh -c '{ ls; } > b'",
    ] {
        assert_eq!(marks(line), [("overwrites", ">".to_owned())], "{line}");
    }
    assert_eq!(kinds("(cat x) > /etc/cron.d/j"), ["overwrites", "outside"]);
}

#[test]
fn other_spellings_of_the_same_are_marked_too() {
    for line in [
        "git push -d origin x",
        "git push origin :x",
        "git stash clear",
        "docker rmi a",
        "docker volume prune",
        "rsync -a --delete-after a b",
    ] {
        assert!(kinds(line).contains(&"deletes"), "{line}");
    }
    for line in [
        "git push --force-with-lease",
        "git push --force-with-lease=x",
        "git push origin +main",
        "git push --mirror",
        "sed --in-place s/a/b/ f",
        "sed --in-place=.bak s/a/b/ f",
        "perl -pi -e s/a/b/ f",
        "mkfs.ext4 disk",
    ] {
        assert!(kinds(line).contains(&"overwrites"), "{line}");
    }
    for line in [
        "pip3 install x",
        "python3 -m pip install x",
        "npm i",
        "npm ci",
        "npx x",
        "yarn add x",
        "go get x",
        "apk add x",
        "dnf install x",
        "yum install x",
        "gh pr list",
        "git ls-remote",
        "git submodule update --init",
        "ncat h 1",
    ] {
        assert_eq!(kinds(line), ["network"], "{line}");
    }
    for program in ["mount", "useradd", "passwd", "chattr", "chroot", "runuser"] {
        assert_eq!(kinds(&format!("{program} x")), ["privilege"], "{program}");
    }
}

#[test]
fn a_long_shell_call_is_marked_as_not_checked() {
    let line = |bytes: usize| json!({ "command": format!("rm {}", "x".repeat(bytes)) });
    assert_eq!(
        of(&Danger::default(), "shell", &line(100)),
        [("deletes", "rm".to_owned())]
    );
    let why = "the arguments are longer than 64 KiB".to_owned();
    assert_eq!(
        of(&Danger::default(), "shell", &line(LONGEST)),
        [("unchecked", why)]
    );
    assert_eq!(of(&Danger::default(), "write_file", &line(LONGEST)), []);
}

#[test]
fn what_no_entry_matches_has_no_mark() {
    for line in [
        "ls",
        "cargo test 2>&1",
        "echo rm",
        "cat a >> b",
        "git status",
        "x 2>/dev/null",
        "x > /dev/stderr",
        "{ ls; } 2>/dev/stderr",
        "git push-notes",
        "python3 -m pytest",
        "npm test",
        "go build",
        "grep -r .",
        "tail -f a~",
        "echo '~ is home' -x @me",
    ] {
        assert_eq!(marks(line), [], "{line}");
    }
    assert_eq!(
        of(&Danger::default(), "read_file", &json!({ "command": "rm x" })),
        []
    );
}

#[test]
fn places_outside_of_the_workspace_are_named() {
    let outside = |place: &str| vec![("outside", place.to_owned())];
    assert_eq!(marks("cat /etc/passwd"), outside("/etc/passwd"));
    assert_eq!(marks("ls ~/.ssh"), outside("~/.ssh"));
    assert_eq!(marks("ls ../other"), outside("../other"));
    assert_eq!(marks("make PREFIX=/usr"), outside("/usr"));
    assert_eq!(marks("cat $HOME/.ssh/id_rsa"), outside("$HOME/.ssh/id_rsa"));
    assert_eq!(marks("ls \"${HOME}\""), outside("${HOME}"));
    assert_eq!(marks("cat ~root/.bashrc"), outside("~root/.bashrc"));
    assert_eq!(marks("tar -xf a -C/"), outside("/"));
    assert_eq!(marks("cat -n@/etc/passwd"), outside("/etc/passwd"));
    assert_eq!(marks("x --data=@/etc/passwd"), outside("/etc/passwd"));
    assert_eq!(marks("x file:///etc/passwd"), outside("/etc/passwd"));
    assert_eq!(marks("cat '/etc/a=b'"), outside("/etc/a=b"));
    assert_eq!(marks("GIT_DIR=/etc git log"), outside("/etc"));
    assert_eq!(kinds("{ ls; } >> ../log"), ["outside"]);
    assert_eq!(kinds("curl -d @/etc/passwd x"), ["network", "outside"]);
    for line in ["ls /srv/here/src", "ls src/../docs", "x > /dev/null", "ls a..b"] {
        assert_eq!(marks(line), [], "{line}");
    }
    let below = json!({ "command": "ls ..", "cwd": "src" });
    assert_eq!(of(&Danger::default(), "shell", &below), []);
    let away = json!({ "command": "ls", "cwd": "/tmp" });
    assert_eq!(of(&Danger::default(), "shell", &away), outside("/tmp"));
}

#[test]
fn tools_and_added_entries_are_marked_too() {
    let mut danger = Danger::default();
    let request = json!({ "url": "http://x" });
    assert_eq!(
        of(&danger, "http_request", &request),
        [("network", "http_request".to_owned())]
    );
    danger.add(DangerKind::Deletes, vec!["make clean".into(), "rm".into()]);
    assert_eq!(
        of(&danger, "shell", &json!({ "argv": ["make", "clean"] })),
        [("deletes", "make clean".to_owned())]
    );
    assert_eq!(
        danger
            .entries(DangerKind::Deletes)
            .iter()
            .filter(|entry| *entry == "rm")
            .count(),
        1
    );
    danger.set(DangerKind::Deletes, Vec::new());
    assert_eq!(of(&danger, "shell", &json!({ "argv": ["rm", "x"] })), []);
}

#[test]
fn the_tools_of_other_agents_are_marked_like_the_built_in_ones() {
    let danger = Danger::default();
    let marks = |tool: &str, args: Value| of(&danger, tool, &args);
    let deletes = [("deletes", "rm".to_owned())];
    assert_eq!(marks("Bash", json!({"command": "cd a && rm -r b"})), deletes);
    assert_eq!(marks("exec_command", json!({"cmd": "cd a && rm -r b"})), deletes);
    assert_eq!(
        marks("shell", json!({"command": ["bash", "-lc", "rm -r b"]})),
        deletes
    );
    let outside = |path: &str| [("outside", path.to_owned())];
    assert_eq!(
        marks("Read", json!({"file_path": "/etc/passwd"})),
        outside("/etc/passwd")
    );
    assert_eq!(
        marks("write", json!({"filePath": "../x", "content": ""})),
        outside("../x")
    );
    assert_eq!(
        marks("bash", json!({"command": "ls", "workdir": "/tmp"})),
        outside("/tmp")
    );
    assert_eq!(
        marks(
            "Edit",
            json!({"file_path": "~/.bashrc", "old_string": "a", "new_string": "b"})
        ),
        [
            ("outside", "~/.bashrc".to_owned()),
            ("runs_later", "~/.bashrc".to_owned())
        ]
    );
    assert_eq!(
        marks("WebFetch", json!({"url": "http://x"})),
        [("network", "WebFetch".to_owned())]
    );
    let patch = json!({"input": "*** Begin Patch\n*** Delete File: a\n*** Update File: ../b\n@@\n-x\n+y\n*** End Patch"});
    assert_eq!(
        marks("apply_patch", patch),
        [
            ("deletes", "*** Delete File".to_owned()),
            ("outside", "../b".to_owned())
        ]
    );
    // The text of a file is no place, and an added line deletes nothing.
    let quiet = json!({"input": "*** Begin Patch\n*** Update File: a\n@@\n+*** Delete File: b\n+/etc\n *** Delete File: c\n*** End Patch"});
    assert_eq!(marks("apply_patch", quiet), []);
    for (tool, args) in [
        (
            "Edit",
            json!({"file_path": "/srv/here/a", "old_string": "/etc", "new_string": "~/x"}),
        ),
        ("Write", json!({"file_path": "a", "content": "rm -r /"})),
        ("Read", json!({"file_path": "src/../a"})),
        ("other", json!({"command": "rm -r /", "path": "/etc"})),
    ] {
        assert_eq!(marks(tool, args.clone()), [], "{tool} {args}");
    }
}

#[test]
fn a_second_name_of_an_argument_takes_no_mark_away() {
    let kinds = |tool: &str, args: Value| -> Vec<&'static str> {
        let marks = of(&Danger::default(), tool, &args).into_iter();
        marks.map(|(kind, _)| kind).collect()
    };
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
    for other in [json!(""), json!(1), json!("*** Begin Patch")] {
        assert_eq!(
            kinds("apply_patch", json!({"input": patch, "patch": other})),
            ["deletes"]
        );
        assert_eq!(
            kinds("apply_patch", json!({"patchText": other, "patch": patch})),
            ["deletes"]
        );
    }
    for (one, other) in [("workdir", "cwd"), ("cwd", "workdir"), ("directory", "dir_path")] {
        let args = json!({"cmd": "rm -r *", one: "/etc", other: "."});
        assert_eq!(kinds("exec_command", args), ["deletes", "outside"], "{one}");
        // A relative place counts from each of them.
        let args = json!({"cmd": "cat ../x", one: "a", other: "a/.."});
        assert_eq!(kinds("exec_command", args), ["outside"], "{one}");
        assert_eq!(
            kinds("exec_command", json!({"cmd": "cat ../x", one: "a", other: "b"})),
            [""; 0]
        );
    }
    for args in [
        json!({"command": "rm -rf x", "commands": []}),
        json!({"command": "ls", "commands": ["rm -rf x"]}),
        json!({"command": "true", "cmd": "cd x && rm -rf y"}),
        json!({"cmd": "ls", "argv": ["rm", "-rf", "x"]}),
        json!({"command": ["rm", "-rf", "x"], "cmd": ""}),
        json!({"command": ["ls"], "argv": ["rm", "x"]}),
    ] {
        assert_eq!(kinds("exec_command", args.clone()), ["deletes"], "{args}");
    }
}

#[test]
fn a_patch_in_a_shell_line_is_marked_like_one_of_its_own() {
    let patch = "*** Begin Patch\n*** Delete File: src/a.rs\n*** Update File: ../../b\n@@\n-x\n+y\n*** Move to: c\n*** End Patch";
    let expected = [
        ("deletes", "*** Delete File".to_owned()),
        ("overwrites", "*** Move to".to_owned()),
        ("outside", "../../b".to_owned()),
    ];
    let line = format!("apply_patch <<'EOF'\n{patch}\nEOF");
    for (tool, args) in [
        ("shell", json!({"command": ["apply_patch", patch]})),
        ("exec_command", json!({"cmd": line})),
        ("exec_command", json!({"cmd": format!("cd sub && {line}")})),
        ("shell", json!({"command": ["bash", "-lc", line]})),
        (
            "local_shell_call",
            json!({"action": {"command": ["bash", "-lc", line]}}),
        ),
        ("shell_call", json!({"action": {"commands": ["ls", line]}})),
        ("apply_patch", json!({"input": patch})),
    ] {
        assert_eq!(of(&Danger::default(), tool, &args), expected, "{tool}");
    }
    let quiet = json!({"cmd": "grep -rn '^..\\* Delete File: /etc/x' ."});
    assert_eq!(of(&Danger::default(), "exec_command", &quiet), []);
}

#[test]
fn what_is_typed_into_a_running_program_is_marked() {
    let typed = |chars: &str| {
        of(
            &Danger::default(),
            "write_stdin",
            &json!({"session_id": 1, "chars": chars}),
        )
    };
    assert_eq!(typed("rm -rf x\n"), [("deletes", "rm".to_owned())]);
    assert_eq!(
        typed("cat /etc/passwd\n"),
        [("outside", "/etc/passwd".to_owned())]
    );
    assert_eq!(typed(""), []);
}

#[test]
fn the_places_of_further_tools_are_named() {
    for (tool, args) in [
        (
            "NotebookEdit",
            json!({"notebook_path": "/etc/x", "new_source": ""}),
        ),
        ("MultiEdit", json!({"file_path": "/etc/x", "edits": []})),
        ("multiedit", json!({"filePath": "/etc/x", "edits": []})),
        (
            "developer__text_editor",
            json!({"command": "write", "path": "/etc/x"}),
        ),
        ("read_many_files", json!({"paths": ["a", "/etc/x"]})),
        ("read_many_files", json!({"include": ["/etc/x"]})),
        ("list_dir", json!({"path": "/etc/x"})),
        ("search", json!({"pattern": "a", "path": "/etc/x"})),
        ("Write", json!({"notebook_path": "/etc/x"})),
    ] {
        assert_eq!(
            of(&Danger::default(), tool, &args),
            [("outside", "/etc/x".to_owned())],
            "{tool}"
        );
    }
}

#[test]
fn a_place_is_named_though_a_program_is_called_so_elsewhere() {
    let outside = |line: &str| kinds(line).contains(&"outside");
    for line in [
        "cat /etc/shadow || /etc/shadow",
        "/etc/shadow; cat /etc/shadow",
        "sudo cat /etc/shadow; env /etc/shadow",
        "env /etc/shadow /etc/shadow",
        "cat /etc/x | xargs /etc/x",
    ] {
        assert!(outside(line), "{line}");
    }
    for line in [
        "/bin/ls",
        "sudo env A=1 /usr/bin/make all",
        "sh -c '/bin/ls'",
        "xargs /bin/ls",
        "find . -exec /bin/ls {} \\;",
        "/bin/ls && env /bin/ls",
    ] {
        assert!(!outside(line), "{line}");
    }
}

#[test]
fn a_long_patch_is_not_checked_and_a_long_file_still_has_its_place() {
    let long = "x".repeat(LONGEST);
    let kinds = |tool: &str, args: Value| -> Vec<&'static str> {
        of(&Danger::default(), tool, &args)
            .into_iter()
            .map(|(kind, _)| kind)
            .collect()
    };
    assert_eq!(kinds("exec_command", json!({ "cmd": long })), ["unchecked"]);
    assert!(kinds("apply_patch", json!({ "input": long })).contains(&"unchecked"));
    assert_eq!(
        kinds("Write", json!({"file_path": "/etc/x", "content": long})),
        ["outside"]
    );
}
