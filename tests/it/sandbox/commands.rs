//! Tests that the ordinary commands of a developer work in the sandbox.
//!
//! Must not know: how a command is confined.
//!
//! A program that is not installed is named and skipped.

use std::path::PathBuf;
use std::process::Command;

use overrule::domain::sandbox::{Level, Profile, ReadOnly, Refused, RefusedKind};
use overrule::sandbox::network::{Hosts, Serving, serve};
use overrule::sandbox::session::{Request, Sandbox};
use overrule::tools::child::{self, Environment, Start};
use tokio::io::AsyncReadExt as _;

use super::machine::helper;

/// The programs that a line needs, and the line. It must end with 0.
type Line = (&'static str, &'static str);

/// Makes what the lines work with, outside of a sandbox.
const PREPARED: &str = "\
git init -q . && git config user.name n && git config user.email n@example.org && echo one > file && git add file && git commit -qm one
mkdir -p src web py go
printf '[package]\\nname = \"one\"\\nversion = \"0.1.0\"\\nedition = \"2021\"\\n\\n[workspace]\\n' > Cargo.toml
printf '#[test]\\nfn loopback() {\\n    let l = std::net::TcpListener::bind(\"127.0.0.1:0\").unwrap();\\n    let c = std::net::TcpStream::connect(l.local_addr().unwrap());\\n    assert!(c.is_ok());\\n}\\n' > src/lib.rs
printf '{\"name\":\"one\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node test.js\"}}' > web/package.json
printf 'const http = require(\"http\");\\nconst { Worker } = require(\"worker_threads\");\\nconst s = http.createServer((q, r) => r.end(\"ok\")).listen(0, \"127.0.0.1\", () => http.get({ port: s.address().port, host: \"127.0.0.1\" }, r => { r.resume(); r.on(\"end\", () => new Worker(\"process.exit(0)\", { eval: true }).on(\"exit\", () => process.exit(0))); }));\\n' > web/test.js
printf 'all: a b c d\\n%%: ; @echo $@ > $@\\n' > Makefile
printf 'package one\\n\\nimport (\\n\\t\"net/http\"\\n\\t\"net/http/httptest\"\\n\\t\"testing\"\\n)\\n\\nfunc TestOne(t *testing.T) {\\n\\ts := httptest.NewServer(http.NotFoundHandler())\\n\\tdefer s.Close()\\n\\tif _, err := http.Get(s.URL); err != nil {\\n\\t\\tt.Fatal(err)\\n\\t}\\n}\\n' > go/one_test.go
printf 'module one\\n\\ngo 1.20\\n' > go/go.mod
";

const LINES: &[Line] = &[
    ("git", "git status && git diff && git log --oneline"),
    (
        "git",
        "echo two >> file && git commit -qam two && git log --oneline | grep two",
    ),
    (
        "git",
        "git branch b && git switch -q b && echo b > b && git add b && git commit -qm b && git switch -q - && git merge -q b",
    ),
    (
        "git",
        "echo dirty >> file && git stash && git stash pop && git checkout file",
    ),
    (
        "git",
        "git commit -q --allow-empty -m x && git rebase -q HEAD~1 && git gc -q && git tag t",
    ),
    (
        "git",
        "git worktree add -q ../project/linked && cd linked && echo l > l && git add l && git commit -qm linked",
    ),
    ("cargo", "cargo build --offline && cargo test --offline"),
    ("cargo", "cargo clippy --offline"),
    (
        "npm node",
        "cd web && npm test && npm install --offline --no-audit --no-fund",
    ),
    ("make", "make && rm a b c d && make -j8"),
    (
        "python3",
        "python3 -m venv --without-pip venv && ./venv/bin/python -c 'import json'",
    ),
    (
        "python3",
        "python3 -c 'import multiprocessing as m\nwith m.Pool(2) as p: assert p.map(abs, [-1, -2]) == [1, 2]'",
    ),
    (
        "python3",
        "python3 -c 'import pty, os\npid, fd = pty.fork()\nif pid == 0: os.execvp(\"true\", [\"true\"])\nassert os.waitpid(pid, 0)[1] == 0'",
    ),
    (
        "python3",
        "python3 -c 'import sqlite3; c = sqlite3.connect(\"db\"); c.execute(\"create table t(x)\"); c.commit()'",
    ),
    (
        "python3",
        "python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0)); socket.create_connection(s.getsockname())'",
    ),
    (
        "python3",
        "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); assert b.recv(1) == b\"x\"'",
    ),
    (
        "python3",
        "python3 -c 'import tempfile; f = tempfile.NamedTemporaryFile(); f.write(b\"x\"); f.flush()'",
    ),
    ("go", "cd go && go build ./... && go test ./..."),
    (
        "tar",
        "tar cf x.tar file && mkdir -p out && tar xf x.tar -C out && find . -name file -exec grep -c . {} +",
    ),
    ("sed", "echo a > s && sed -i s/a/b/ s && grep b s"),
    ("bash", "bash -c 'cat <(echo x) - <<< y && cat << E\nz\nE'"),
    (
        "mktemp",
        "d=$(mktemp -d) && echo x > $d/x && mv $d/x . && rm -r $d && mktemp -u > /dev/null",
    ),
    (
        "python3 curl",
        "python3 -m http.server 8731 --bind 127.0.0.1 > /dev/null 2>&1 & p=$!; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do curl -sf --noproxy '*' http://127.0.0.1:8731/file > /dev/null && break; sleep 0.2; done; curl -sf http://127.0.0.1:8731/file > /dev/null; r=$?; kill $p; exit $r",
    ),
    ("strace", "strace -o trace -f true && grep -q exit_group trace"),
    ("gdb", "gdb -q -batch -ex run -ex quit --args true"),
    ("ps df id", "ps > /dev/null && df . && id && whoami"),
    (
        "cp ln chmod",
        "cp -a file copy && ln -s copy link && ln copy hard && chmod +x copy && touch -d 2020-01-01 copy",
    ),
    (
        "sh",
        "echo x > /dev/null && echo y > /dev/stderr && head -c 10 /dev/urandom | wc -c && test -w /dev/shm",
    ),
    ("sh", "echo x > /tmp/x && mv /tmp/x moved && test -f moved"),
    ("seq xargs", "seq 100 | xargs -P 8 -n 10 echo > /dev/null"),
    ("flock", "flock lock true"),
    ("nice", "nice -n 5 true && nohup true > /dev/null"),
    (
        "date",
        "date && TZ=Europe/Berlin date && locale > /dev/null 2>&1 || true",
    ),
];

fn is_installed(program: &str, path: &std::ffi::OsStr) -> bool {
    std::env::split_paths(path).any(|dir| dir.join(program).is_file())
}

pub struct Place {
    _root: tempfile::TempDir,
    home: Option<PathBuf>,
    project: PathBuf,
    environment: Environment,
    sandbox: Sandbox,
    profile: Profile,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the tool chains of this machine are found by its variables"
)]
pub async fn place(namespaces: bool, hidden: &[&str]) -> Option<Place> {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = root.path().canonicalize().unwrap();
    let project = path.join("project");
    std::fs::create_dir(&project).unwrap();
    let made = Command::new("sh")
        .args(["-ec", PREPARED])
        .current_dir(&project)
        .output();
    if !made.as_ref().is_ok_and(|made| made.status.success()) {
        println!("SKIPPED: the files could not be made: {made:?}");
        return None;
    }
    // A home directory next to the workspace: that of this machine is its owner's.
    let real = std::env::var_os("HOME").map(PathBuf::from);
    let home = if hidden.is_empty() {
        real
    } else {
        Some(path.join("home"))
    };
    for name in hidden {
        std::fs::create_dir_all(path.join("home")).unwrap();
        std::fs::write(path.join("home").join(name), "secret").unwrap();
    }
    let of_home = home
        .iter()
        .map(|home| ("HOME".into(), home.clone().into_os_string()));
    let environment = Environment::allowed(std::env::vars_os()).with(of_home.collect::<Vec<_>>());
    let request = Request {
        level: Level::Workspace,
        workspace: project.clone(),
        write: Vec::new(),
        hide: hidden.iter().map(|name| path.join("home").join(name)).collect(),
        show: Vec::new(),
        network: Vec::new(),
        unix_sockets: false,
        home: home.clone(),
        own: vec![path.join("store")],
        store: path.join("store"),
        session: "commands".to_owned(),
        namespaces,
    };
    let (sandbox, profile) = Sandbox::prepare(helper(), &request).await.unwrap();
    if sandbox.machine().namespaces != namespaces {
        println!("SKIPPED: {:?}", profile.missing);
        return None;
    }
    Some(Place {
        _root: root,
        home,
        project,
        environment,
        sandbox,
        profile,
    })
}

impl Place {
    pub fn home(&self) -> PathBuf {
        self.home.clone().unwrap()
    }

    pub fn project(&self) -> PathBuf {
        self.project.clone()
    }

    /// Makes this read-only for its calls.
    pub fn limit(&mut self, read_only: ReadOnly) {
        self.profile.read_only = read_only;
    }

    /// Starts a line that cannot start, and returns why.
    pub async fn fails_to_start(&self, line: &str) -> String {
        let begun = self.sandbox.begin(&self.profile);
        let what = Start {
            program: "sh".as_ref(),
            args: &["-c", line],
            cwd: &self.project,
            environment: &self.environment,
            confinement: Some(&begun.confinement),
        };
        child::start(what).await.err().unwrap().to_string()
    }

    pub fn has(&self, program: &str) -> bool {
        let built_in = ["echo", "cd", "exit", "test"].contains(&program);
        built_in || is_installed(program, self.environment.search_path())
    }

    /// Runs a line in the sandbox. Returns its exit code, all that it printed, and what was refused.
    pub async fn run(&self, line: &str) -> (Option<i32>, String, Vec<Refused>) {
        let begun = self.sandbox.begin(&self.profile);
        let own = begun
            .variables
            .iter()
            .map(|(name, value)| ((*name).into(), value.clone().into_os_string()));
        let environment = self.environment.clone().with(own);
        let what = Start {
            program: "sh".as_ref(),
            args: &["-c", line],
            cwd: &self.project,
            environment: &environment,
            confinement: Some(&begun.confinement),
        };
        let mut started = child::start(what).await.unwrap();
        let hosts = started
            .proxy
            .take()
            .map(|proxy| serve(proxy, Hosts::default()).unwrap());
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let (mut out, mut err) = (
            started.child.stdout.take().unwrap(),
            started.child.stderr.take().unwrap(),
        );
        let (a, b) = tokio::join!(out.read_to_end(&mut output), err.read_to_end(&mut errors));
        a.unwrap();
        b.unwrap();
        let status = started.child.wait().await.unwrap();
        started.tree.end().await;
        let text = [output, errors].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut refused = begun.refused(&text, &self.project);
        refused.extend(hosts.iter().flat_map(Serving::refused).map(|what| Refused {
            kind: RefusedKind::Network,
            what,
            exact: true,
            kept: None,
        }));
        (status.code(), text, refused)
    }

    /// Runs all lines, and returns those that failed.
    async fn failures(&self) -> Vec<(&'static str, String)> {
        let mut failed = Vec::new();
        let mut ran = 0;
        for (programs, line) in LINES {
            let missing: Vec<&str> = programs
                .split(' ')
                .filter(|one| !is_installed(one, self.environment.search_path()))
                .collect();
            if !missing.is_empty() {
                println!("SKIPPED: {} is not installed", missing.join(", "));
                continue;
            }
            ran += 1;
            let (code, text, _) = self.run(line).await;
            if code != Some(0) {
                failed.push((*line, text));
            }
        }
        println!("{ran} lines ran, {} failed", failed.len());
        failed
    }
}

#[tokio::test]
async fn the_commands_of_a_developer_work() {
    let Some(place) = place(true, &[]).await else {
        return;
    };
    let failed = place.failures().await;
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Without namespaces there is no network of one's own, and so no server of a test; nor memory that is shared by a name,
/// terminals, or a `/tmp` of one's own.
#[tokio::test]
async fn without_namespaces_most_of_them_do() {
    let Some(place) = place(false, &[]).await else {
        return;
    };
    let failed = place.failures().await;
    for (line, text) in &failed {
        println!("failed: {line}: {}", text.lines().last().unwrap_or_default());
    }
    let is_about_servers = |line: &str| {
        [
            "cargo build",
            "npm test",
            "go test",
            "create_server",
            "http.server",
            "multiprocessing",
            "/tmp/x",
            "pty",
        ]
        .iter()
        .any(|one| line.contains(one))
    };
    let others: Vec<_> = failed
        .iter()
        .filter(|(line, _)| !is_about_servers(line))
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}

/// What is left outside: nothing of the caches was written, and nothing next to the workspace.
#[tokio::test]
async fn a_build_does_not_write_the_real_cache() {
    let Some(place) = place(true, &[]).await else {
        return;
    };
    let (code, text, _) = place
        .run("echo poison > ~/.cargo/registry/poison; cat ~/.cargo/registry/poison")
        .await;
    if text.contains("cannot create") {
        println!("SKIPPED: there is no such cache: {text}");
        return;
    }
    assert_eq!((code, text.as_str()), (Some(0), "poison\n"));
    let (_, again, _) = place.run("cat ~/.cargo/registry/poison").await;
    assert_eq!(again, "poison\n", "the next call of the session sees it");
    assert!(!place.home().join(".cargo/registry/poison").exists());
}
