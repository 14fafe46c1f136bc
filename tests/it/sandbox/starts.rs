//! Tests that a start that fails or is killed runs nothing, and that no start leaves anything behind.
//!
//! Must not know: what a sandbox forbids.

use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use overrule::sandbox::probe::examine;
use overrule::sandbox::{Confinement, Outside, StartError};
use overrule::tools::child::{self, Environment, Start};
use tokio::io::AsyncReadExt as _;

use super::machine::{World, helper};

/// What a plan breaks by a path that is not there.
type Breaks = fn(&mut Confinement, std::path::PathBuf);

async fn started(confinement: &Confinement, world: &World, line: &str) -> Result<child::Started, StartError> {
    child::start(Start {
        program: "sh".as_ref(),
        args: &["-c", line],
        cwd: &world.project(),
        environment: &Environment::default(),
        confinement: Some(confinement),
    })
    .await
}

/// The world and how its children are confined; none where the machine has no namespaces.
async fn confined() -> Option<(World, Confinement)> {
    let world = World::new();
    let machine = examine(&helper(), world.store(), true).await.unwrap();
    if !machine.namespaces {
        println!("SKIPPED: {:?}", machine.missing);
        return None;
    }
    let plan = world.plan(&machine);
    let helper = helper();
    Some((world, Confinement { plan, helper }))
}

#[tokio::test]
async fn a_command_is_what_an_unconfined_one_is() {
    let Some((world, confinement)) = confined().await else {
        return;
    };
    let line = "echo out; echo err >&2; pwd; echo made > file; cat; exit 7";
    let mut started = started(&confinement, &world, line).await.unwrap();
    let (mut output, mut errors) = (String::new(), String::new());
    started
        .child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut output)
        .await
        .unwrap();
    started
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .await
        .unwrap();
    let status = started.child.wait().await.unwrap();
    assert_eq!(status.code(), Some(7));
    assert_eq!(output, format!("out\n{}\n", world.project().display()));
    assert_eq!(errors, "err\n");
    assert_eq!(
        std::fs::read_to_string(world.project().join("file")).unwrap(),
        "made\n"
    );
}

#[tokio::test]
async fn a_program_that_is_not_there_is_reported_as_ever() {
    let Some((world, confinement)) = confined().await else {
        return;
    };
    let environment = Environment::default();
    let what = |program: &'static str| Start {
        program: program.as_ref(),
        args: &[""; 0],
        cwd: world.root(),
        environment: &environment,
        confinement: Some(&confinement),
    };
    for (program, kind) in [
        ("no-such-program", std::io::ErrorKind::NotFound),
        ("/etc/hostname-that-is-not-there", std::io::ErrorKind::NotFound),
        ("/etc/passwd", std::io::ErrorKind::PermissionDenied),
    ] {
        match child::start(what(program)).await {
            Err(StartError::Command(error)) => assert_eq!(error.kind(), kind, "{program}"),
            other => panic!("{program}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_step_that_fails_ends_before_the_command_runs() {
    let Some((world, confinement)) = confined().await else {
        return;
    };
    let gone = |name: &str| world.root().join(name);
    let broken: [(&str, Breaks); 5] = [
        ("writable directory", |one, path| {
            one.plan.profile.write.push(path.display().to_string());
        }),
        ("cover", |one, path| one.plan.scratch = path),
        ("repository", |one, path| one.plan.pinned = vec![path]),
        ("protected path", |one, path| one.plan.read_only = vec![path]),
        ("cache", |one, path| {
            one.plan.caches = vec![overrule::sandbox::Cache {
                lower: path.clone(),
                upper: path.clone(),
                work: path,
            }];
        }),
    ];
    for (step, breaks) in broken {
        let mut confinement = confinement.clone();
        breaks(&mut confinement, gone("gone"));
        match started(&confinement, &world, "echo ran > marker").await {
            Err(StartError::SetUp { step: failed, why }) => {
                assert_eq!(failed, step);
                assert!(why.contains("gone"), "{why}");
            }
            other => panic!("{step}: {other:?}"),
        }
        assert!(!world.project().join("marker").exists(), "{step}");
    }
}

#[tokio::test]
async fn an_order_that_is_too_long_is_refused() {
    let Some((world, mut confinement)) = confined().await else {
        return;
    };
    confinement.plan.profile.hidden = (0..10_000)
        .map(|no| format!("/nowhere/{no}/a/long/name"))
        .collect();
    let error = started(&confinement, &world, "echo ran > marker")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("too many paths"), "{error}");
    assert!(!world.project().join("marker").exists());
}

#[tokio::test]
async fn a_start_that_is_killed_runs_nothing() {
    let Some((world, confinement)) = confined().await else {
        return;
    };
    let rounds = overrule_testing::times(50);
    let (mut killed, mut ran) = (0, 0);
    for round in 0..rounds {
        let marker = format!("marker-{round}");
        let input = std::fs::File::open("/dev/null").unwrap();
        let (plan, helper) = (&confinement.plan, &confinement.helper);
        let (outside, inside) = Outside::order(plan, input.as_fd(), helper.program.clone()).unwrap();
        let mut command = helper.command(inside, "touch".as_ref(), [&marker]);
        command
            .current_dir(world.project())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(command);
        // A set-up takes about 5 ms; the rounds are spread over it.
        let after = Duration::from_micros(u64::from(round % 50) * 120);
        tokio::time::sleep(after).await;
        child.kill().unwrap();
        child.wait().unwrap();
        if outside.started().await.is_ok() {
            ran += 1;
        } else {
            killed += 1;
            assert!(!world.project().join(&marker).exists(), "killed after {after:?}");
        }
    }
    println!("{rounds} rounds: {killed} killed before the command, {ran} later");
    assert!(killed > 0);
}

#[tokio::test]
async fn starts_leave_nothing_behind() {
    let Some((world, confinement)) = confined().await else {
        return;
    };
    let rounds = overrule_testing::times(10);
    let mounts = mounted(world.root());
    for _ in 0..rounds {
        let mut started = started(&confinement, &world, "sleep 100 & echo x > /tmp/x; rm /tmp/x")
            .await
            .unwrap();
        started.child.wait().await.unwrap();
        assert!(
            started.tree.end().await,
            "the process in the background had to be ended"
        );
    }
    println!("{rounds} starts");
    assert_eq!(mounted(world.root()), mounts);
    let left: Vec<_> = std::fs::read_dir(confinement.plan.scratch.join("tmp"))
        .unwrap()
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(
        std::fs::read_dir(world.project())
            .unwrap()
            .flatten()
            .all(|entry| entry.file_name() == ".git")
    );
}

/// Processes that see a mount of this test.
fn mounted(root: &Path) -> Vec<String> {
    let root = root.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let seen = processes.filter(|entry| {
        std::fs::read_to_string(entry.path().join("mountinfo")).is_ok_and(|text| text.contains(root))
    });
    seen.map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// True for a process that runs.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.trim().chars().next());
    state.is_some_and(|state| state != 'Z')
}

#[tokio::test]
async fn what_left_its_session_and_its_parents_ends_with_the_call() {
    let Some((world, confinement)) = confined().await else {
        return;
    };
    // Its parents end, and it belongs to no session of the call.
    let line = "setsid sh -c 'sh -c \"echo \\$\\$ > pid; trap : TERM; while :; do sleep 600; done\" & \
                while ! test -s pid; do sleep 0.01; done' > /dev/null 2>&1 < /dev/null";
    for is_awaited in [true, false] {
        let mut other = std::process::Command::new("sleep")
            .arg("600")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut started = started(&confinement, &world, line).await.unwrap();
        assert!(started.child.wait().await.unwrap().success());
        let file = world.project().join("pid");
        let pid = std::fs::read_to_string(&file).unwrap().trim().to_owned();
        std::fs::remove_file(file).unwrap();
        assert!(lives(&pid), "it has outlived its parents");
        if is_awaited {
            assert!(started.tree.end().await);
        } else {
            drop(started);
        }
        assert!(!lives(&pid), "awaited: {is_awaited}");
        assert!(lives(&other.id().to_string()), "a process outside is not ended");
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
