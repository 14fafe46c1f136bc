//! Tests that what the sandbox refused is reported with its kind and target, and nothing else is.
//!
//! Must not know: how it is found.

use overrule::domain::sandbox::RefusedKind::{self, Network, Protected, Read, Write};

use super::commands::place;

/// A line, and what is refused. `~` is the home directory, `.` the workspace.
const REFUSED: &[(&str, RefusedKind, &str)] = &[
    ("touch ~/refused", Write, "~/refused"),
    ("echo x > ~/refused", Write, "~/refused"),
    ("mkdir ~/refused", Write, "~/refused"),
    ("cp /etc/hostname ~/refused", Write, "~/refused"),
    ("tee ~/refused < /dev/null", Write, "~/refused"),
    (
        "python3 -c 'import os; open(os.path.expanduser(\"~/refused\"), \"w\")'",
        Write,
        "~/refused",
    ),
    ("touch /usr/refused", Write, "/usr/refused"),
    ("echo x >> .git/config", Write, "./.git/config"),
    ("git config user.name other", Write, "./.git/config"),
    (
        "echo x > .git/hooks/post-commit",
        Write,
        "./.git/hooks/post-commit",
    ),
    ("mv .git x", Protected, "./.git"),
    ("cat ~/.overrule-test-hidden", Read, "~/.overrule-test-hidden"),
    (
        "python3 -c 'import os; open(os.path.expanduser(\"~/.overrule-test-hidden\"))'",
        Read,
        "~/.overrule-test-hidden",
    ),
    (
        "curl -sS https://registry.example.org",
        Network,
        "registry.example.org:443",
    ),
    (
        "curl -sS http://files.example.org:8080/x",
        Network,
        "files.example.org:8080",
    ),
    (
        "git clone -q https://git.example.org/x.git",
        Network,
        "git.example.org:443",
    ),
];

/// Lines that fail, or print such words, for other reasons.
const ORDINARY: &[&str] = &[
    "false",
    "exit 3",
    "cat gone",
    "cat /gone/too",
    "ls ~/gone",
    "grep -q nothing file",
    "grep -rn 'Read-only file system' .",
    "echo 'Permission denied (publickey).' >&2; exit 255",
    "./file",
    "sh ./file",
    "mkdir src",
    "rmdir src",
    "cd gone",
    "git checkout gone",
    "git merge gone",
    "git push",
    "git commit -m nothing",
    "python3 -c 'import gone'",
    "python3 -c 'assert 1 == 2'",
    "python3 -c 'open(\"gone\")'",
    "python3 -c 'raise PermissionError(13, \"Permission denied\", \"sandbox\")'",
    "python3 -m unittest gone",
    "node -e 'process.exit(2)'",
    "node -e 'require(\"./gone\")'",
    "make gone-target-of-nothing -f /dev/null",
    "cargo gone",
    "curl -sS http://127.0.0.1:1/",
    "touch sandbox && cat sandbox/file",
    "test -f gone",
    "kill -9 $$",
    "sh -c 'exit 126'",
    "gone-program",
    "tar xf gone.tar",
    "sed -n gone",
    "find gone",
    "rm gone",
    "mv gone there",
    "chmod +x gone",
    "ln -s file file",
    "head -n x file",
    "sort gone",
    "diff file src",
    "awk 'BEGIN { exit 1 }'",
    "timeout 0.01 sleep 1",
    "echo x | xargs false",
    "env -i false",
    "printf '%d' x",
    "expr 1 + x",
    "date -d gone",
    "id gone",
    "touch file/below",
    "cat < gone",
    "echo 'EACCES: permission denied' && false",
    "echo 'HTTP/1.1 403 Forbidden'; false",
    "echo 'sandbox: refused' >&2; false",
    "chmod 000 locked 2>/dev/null; mkdir -p dir && chmod 000 dir && ls dir; chmod 700 dir",
    "touch a && chmod 444 a && cat a b",
    "git log gone..HEAD",
    "git rebase gone",
];

#[tokio::test]
async fn what_was_refused_is_reported() {
    let Some(place) = place(true, &[".overrule-test-hidden"]).await else {
        return;
    };
    let (home, project) = (place.home(), place.project());
    let mut wrong = Vec::new();
    for (line, kind, what) in REFUSED {
        let program = line.split(' ').next().unwrap();
        if !place.has(program) {
            println!("SKIPPED: {program} is not installed");
            continue;
        }
        let what = match what.split_once('/') {
            Some(("~", rest)) => home.join(rest).display().to_string(),
            Some((".", rest)) => project.join(rest).display().to_string(),
            _ => (*what).to_owned(),
        };
        let (_, text, refused) = place.run(line).await;
        let found = refused.iter().any(|one| one.kind == *kind && one.what == what);
        if !found || refused.len() != 1 {
            wrong.push(format!("{line}: {kind:?} {what} is not {refused:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn what_fails_by_itself_is_not() {
    let Some(place) = place(true, &[]).await else {
        return;
    };
    let mut wrong = Vec::new();
    for line in ORDINARY {
        let (_, text, refused) = place.run(line).await;
        if !refused.is_empty() {
            wrong.push(format!("{line}: {refused:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("{} lines", ORDINARY.len());
}
