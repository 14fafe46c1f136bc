//! Measures what the sandbox adds to the start of a command, and what proving it costs.
//!
//! Must not know: how a child is confined.
//!
//! `cargo bench --bench sandbox`. The floor is the same command started without a sandbox, in turn with the others, so that
//! all meet the same machine. Where bubblewrap is installed, it is measured too, with the mounts and namespaces that are
//! nearest to ours. Prints the median (p50) and the 99th percentile (p99), in milliseconds.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement that went wrong is no measurement, and it is printed"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use overrule::domain::sandbox::{Level, Profile};
use overrule::sandbox::Helper;
use overrule::sandbox::session::{Request, Sandbox};
use overrule::tools::child::{self, Environment, Start};

/// Rounds, in which each way has its turn.
const ROUNDS: usize = 300;

/// One way to start a command.
enum Way<'a> {
    Plain,
    Confined(&'a Sandbox, &'a Profile),
    Bubblewrap(Vec<String>),
}

async fn once(way: &Way<'_>, workspace: &Path) -> Duration {
    let environment = Environment::default();
    let at = Instant::now();
    let begun = match way {
        Way::Confined(sandbox, profile) => Some(sandbox.begin(profile)),
        Way::Plain | Way::Bubblewrap(_) => None,
    };
    let (program, args) = match way {
        Way::Bubblewrap(args) => ("bwrap", args.as_slice()),
        _ => ("true", &[][..]),
    };
    let what = Start {
        program: program.as_ref(),
        args,
        cwd: workspace,
        environment: &environment,
        confinement: begun.as_ref().map(|begun| &begun.confinement),
    };
    let mut started = child::start(what).await.unwrap();
    let status = started.child.wait().await.unwrap();
    assert!(status.success(), "{status}");
    if let Some(mut begun) = begun {
        assert!(begun.end().is_empty());
    }
    let took = at.elapsed();
    drop(started);
    took
}

fn request(root: &Path, namespaces: bool) -> Request {
    Request {
        level: Level::Workspace,
        workspace: root.join("workspace"),
        write: Vec::new(),
        hide: Vec::new(),
        show: Vec::new(),
        network: Vec::new(),
        unix_sockets: false,
        home: std::env::var_os("HOME").map(PathBuf::from),
        own: vec![root.join("store")],
        store: root.join("store"),
        session: format!("bench-{namespaces}"),
        namespaces,
    }
}

fn bubblewrap(workspace: &Path) -> Option<Vec<String>> {
    let there = std::process::Command::new("bwrap")
        .arg("--version")
        .output()
        .is_ok();
    let workspace = workspace.to_str()?;
    let args = [
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/tmp",
        "--tmpfs",
        "/run",
        "--bind",
        workspace,
        workspace,
        "--unshare-user",
        "--unshare-ipc",
        "--unshare-net",
        "--die-with-parent",
        "--new-session",
        "true",
    ];
    there.then(|| args.map(str::to_owned).to_vec())
}

fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |share: f64| {
        let index = (times.len() as f64 * share) as usize;
        times.get(index.min(times.len() - 1)).unwrap().as_secs_f64() * 1e3
    };
    (at(0.5), at(0.99))
}

#[tokio::main]
async fn main() {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let root = root.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("workspace")).unwrap();
    let workspace = root.join("workspace");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_overrule"));
    let helper = Helper {
        start: program.clone(),
        program,
    };
    let mut prepared = Vec::new();
    let mut proofs = Vec::new();
    for namespaces in [true, false] {
        for _ in 0..20 {
            let at = Instant::now();
            let made = Sandbox::prepare(helper.clone(), &request(&root, namespaces))
                .await
                .unwrap();
            if namespaces {
                proofs.push(at.elapsed());
            }
            prepared.push((namespaces, made));
        }
    }
    prepared.dedup_by_key(|one| one.0);
    let (full, partial) = (&prepared.first().unwrap().1, &prepared.last().unwrap().1);
    println!(
        "guarantees missing: {:?}, without namespaces {:?}",
        full.1.missing, partial.1.missing
    );
    let mut ways = vec![
        ("plain", Way::Plain),
        ("without namespaces", Way::Confined(&partial.0, &partial.1)),
        ("level 1", Way::Confined(&full.0, &full.1)),
    ];
    match bubblewrap(&workspace) {
        Some(args) => ways.push(("bubblewrap", Way::Bubblewrap(args))),
        None => println!("bubblewrap is not installed"),
    }
    let mut times: Vec<Vec<Duration>> = ways.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (way, times) in ways.iter().zip(&mut times) {
            times.push(once(&way.1, &workspace).await);
        }
    }
    let (floor, _) = percentiles(times.first().unwrap().clone());
    for ((name, _), times) in ways.iter().zip(times) {
        let (p50, p99) = percentiles(times);
        println!(
            "{name:>20}: p50 {p50:6.2} ms, p99 {p99:6.2} ms, added {:6.2} ms",
            p50 - floor
        );
    }
    // What a workspace with many files adds: this project.
    let project = Request {
        workspace: PathBuf::from(env!("CARGO_MANIFEST_DIR")),
        ..request(&root, true)
    };
    let (sandbox, profile) = Sandbox::prepare(helper, &project).await.unwrap();
    let looks = (0..50).map(|_| {
        let at = Instant::now();
        drop(sandbox.begin(&profile));
        at.elapsed()
    });
    let (p50, p99) = percentiles(looks.collect());
    println!("{:>20}: p50 {p50:6.2} ms, p99 {p99:6.2} ms", "protected paths");
    let (p50, p99) = percentiles(proofs);
    println!("{:>20}: p50 {p50:6.2} ms, p99 {p99:6.2} ms", "proof at the start");
}
