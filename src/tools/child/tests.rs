//! Tests what child processes can reach, and that none remains as an orphan process.
//!
//! Must not know: what a child runs for.
//!
//! None remains after its call or, on Linux, after the program.

use std::time::Duration;

use rustix::process::Signal;
use tokio::io::AsyncReadExt;

use super::*;
use overrule_domain::orphan_process::OrphanProcess;

fn given() -> Environment {
    let vars = [
        ("HOME", "/home/someone"),
        ("LC_ALL", "C"),
        ("FAKE_API_KEY", "sk-secret"),
        ("OPENAI_API_KEY", "sk-secret"),
        ("LD_PRELOAD", "/tmp/x.so"),
        ("BASH_ENV", "/tmp/x"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ];
    Environment::allowed(vars.map(|(name, value)| (name.into(), value.into())))
}

fn of<'a>(
    program: &'a str,
    args: &'a [&'a str],
    cwd: &'a Path,
    environment: &'a Environment,
) -> Start<'a, &'a str> {
    Start {
        program: program.as_ref(),
        args,
        cwd,
        environment,
        confinement: None,
    }
}

async fn sh(line: &str) -> Started {
    let cwd = std::env::temp_dir();
    start(of("sh", &["-c", line], &cwd, &given())).await.unwrap()
}

async fn read_output(started: &mut Started) -> String {
    let mut text = String::new();
    let mut pipe = started.child.stdout.take().unwrap();
    pipe.read_to_string(&mut text).await.unwrap();
    text
}

#[test]
fn only_known_harmless_variables_are_passed() {
    let names: Vec<String> = given()
        .names()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["HOME", "LC_ALL", "PATH"]);
    // Without a search path no program would be found.
    assert_eq!(Environment::default().names().count(), 1);
}

#[tokio::test]
async fn a_child_sees_no_secret() {
    let text = read_output(&mut sh("env").await).await;
    assert!(text.contains("HOME=/home/someone"), "{text}");
    assert!(
        !text.contains("KEY") && !text.contains("LD_") && !text.contains("secret"),
        "{text}"
    );
}

#[tokio::test]
async fn an_editor_fails_immediately_with_a_reason() {
    for name in ["EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"] {
        // As git and crontab run it; then as programs do that split it at blanks.
        for line in [
            "sh -c \"$NAME \\\"\\$@\\\"\" x /file; echo $?",
            "$NAME /file; echo $?",
        ] {
            let mut started = sh(&line.replace("NAME", name)).await;
            let (mut errors, mut pipe) = (String::new(), started.child.stderr.take().unwrap());
            let code = read_output(&mut started).await;
            pipe.read_to_string(&mut errors).await.unwrap();
            assert!(matches!(code.trim(), "1" | "2"), "{name}: {code:?} {errors}");
            assert!(
                line.starts_with('$') || errors.contains("no editor"),
                "{name}: {errors}"
            );
        }
    }
}

#[tokio::test]
async fn nothing_waits_for_a_person() {
    // The last two are what the environment of the program itself may say.
    let own = [("EDITOR", "vi"), ("GIT_TERMINAL_PROMPT", "1")];
    let own = Environment::of_operator(own.map(|(name, value)| (name.into(), value.into())));
    let line = "echo $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $SSH_ASKPASS_REQUIRE ${EDITOR%% *}; read -r line || echo end";
    let cwd = std::env::temp_dir();
    let mut started = start(of("sh", &["-c", line], &cwd, &own)).await.unwrap();
    assert_eq!(read_output(&mut started).await, "cat cat 0 never sh\nend\n");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_has_a_session_of_its_own_and_no_terminal() {
    let mut started = sh("read -r line < /proc/$$/stat; echo $line; : < /dev/tty; echo $?").await;
    let text = read_output(&mut started).await;
    let stat = text.lines().next().unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let pid = started.tree.pid().to_string();
    // Group, session, terminal.
    assert_eq!(fields[2..5], [pid.as_str(), pid.as_str(), "0"]);
    assert_ne!(text.lines().nth(1), Some("0"), "/dev/tty could be opened");
    let mut errors = String::new();
    let mut pipe = started.child.stderr.take().unwrap();
    pipe.read_to_string(&mut errors).await.unwrap();
    assert!(errors.contains("No such device or address"), "{errors}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_inherits_no_open_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    // As if the parent of this program had left it open.
    rustix::io::fcntl_setfd(file.as_file(), rustix::io::FdFlags::empty()).unwrap();
    let text = read_output(&mut sh("ls -l /proc/$$/fd").await).await;
    let name = file.path().file_name().unwrap().to_str().unwrap();
    assert!(text.contains("/dev/null"), "{text}");
    assert!(!text.contains(name), "{text}");
    // This program's own descriptor is unchanged.
    assert_eq!(
        rustix::io::fcntl_getfd(file.as_file()).unwrap(),
        rustix::io::FdFlags::empty()
    );
}

/// Returns true if the process with this id lives, without using the code under test.
#[cfg(target_os = "linux")]
pub(crate) fn lives(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit_once(')')
            .unwrap()
            .1
            .trim_start()
            .starts_with(['Z', 'X'])
    })
}

#[cfg(target_os = "linux")]
async fn soon(what: impl Fn() -> bool) -> bool {
    for _ in 0..500 {
        if what() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[cfg(target_os = "linux")]
async fn numbers(started: &mut Started, count: usize) -> Vec<u32> {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let mut lines = BufReader::new(started.child.stdout.take().unwrap()).lines();
    let mut found = Vec::new();
    while found.len() < count {
        found.push(lines.next_line().await.unwrap().unwrap().trim().parse().unwrap());
    }
    found
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_is_distinguished_by_start_time_and_ended_with_its_descendants() {
    let mut started = sh("sleep 300 & echo $!; setsid sleep 300 & echo $!; wait").await;
    let (pid, ticks) = (started.tree.pid(), started.tree.ticks());
    let below = numbers(&mut started, 2).await;
    assert!(ticks > 0);
    assert!(still_running(pid, ticks));
    // An unrelated process with the same id is not meant.
    assert!(!still_running(pid, ticks + 1));

    let (ended, _) = tokio::join!(started.tree.end(), started.child.wait());
    assert!(ended);
    assert!(!still_running(pid, ticks));
    assert!(!lives(pid) && below.iter().all(|pid| !lives(*pid)), "{below:?}");
    assert!(!started.tree.end().await);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_outlives_the_first_process_is_found_too() {
    let mut started = sh("sleep 300 & echo $!").await;
    let (pid, ticks) = (started.tree.pid(), started.tree.ticks());
    let below = numbers(&mut started, 1).await;
    started.child.wait().await.unwrap();
    assert!(!lives(pid) && lives(below[0]));
    assert!(still_running(pid, ticks));
    assert_eq!(orphan_process(pid, ticks), Some(OrphanProcess::Group));
    assert!(started.tree.end().await);
    assert!(!lives(below[0]));
    assert_eq!(orphan_process(pid, ticks), None);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_is_distinguished_from_its_orphans_in_group_and_session() {
    // `timeout` makes a process group of its own.
    let mut started = sh("timeout 300 sleep 300 & echo $!").await;
    let (pid, ticks) = (started.tree.pid(), started.tree.ticks());
    let below = numbers(&mut started, 1).await;
    let own_group = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", below[0])).unwrap();
        stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(2) == Some(&below[0].to_string())
    };
    assert!(soon(own_group).await);
    started.child.wait().await.unwrap();
    assert_eq!(orphan_process(pid, ticks), Some(OrphanProcess::Session));
    assert!(started.tree.end().await);
    assert_eq!(orphan_process(pid, ticks), None);

    let mut started = sh("sleep 300 & echo $!; wait").await;
    let (pid, ticks) = (started.tree.pid(), started.tree.ticks());
    numbers(&mut started, 1).await;
    assert_eq!(orphan_process(pid, ticks), Some(OrphanProcess::Process));
    assert_eq!(
        orphan_process(pid, ticks + 1),
        None,
        "a process that got the id later"
    );
    rustix::process::kill_process(pid_of(pid), Signal::KILL).unwrap();
    started.child.wait().await.unwrap();
    assert_eq!(orphan_process(pid, ticks), Some(OrphanProcess::Group));
    assert_eq!(
        orphan_process(pid, u64::MAX),
        None,
        "what began before the process is not its own"
    );
    started.tree.end().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_group_of_that_id_in_another_session_is_a_strangers() {
    use std::os::unix::process::CommandExt as _;

    let mut first = std::process::Command::new("/bin/sh");
    first
        .args(["-c", "sleep 300 >/dev/null & echo $!"])
        .process_group(0);
    let first = first.stdout(Stdio::piped()).spawn().unwrap();
    let pid = first.id();
    let ticks = 1;
    let output = first.wait_with_output().unwrap().stdout;
    let member: u32 = String::from_utf8(output).unwrap().trim().parse().unwrap();
    assert!(lives(member) && !lives(pid));
    let group = pid_of(pid);
    assert!(
        rustix::process::test_kill_process_group(group).is_ok(),
        "there is such a group"
    );
    assert_eq!(orphan_process(pid, ticks), None);
    assert!(!still_running(pid, ticks));
    rustix::process::kill_process_group(group, Signal::KILL).unwrap();
}

#[cfg(target_os = "linux")]
fn pid_of(pid: u32) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn who_does_not_listen_is_ended_by_force() {
    let mut started = sh("trap '' TERM; echo $$; while :; do sleep 1; done").await;
    let pid = numbers(&mut started, 1).await[0];
    let begun = tokio::time::Instant::now();
    let (any, status) = tokio::join!(started.tree.end(), started.child.wait());
    assert!(any && !lives(pid));
    assert!(!status.unwrap().success());
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_dropped_child_is_ended() {
    let mut started = sh("sleep 300 & echo $!; echo $$; wait").await;
    let pids = numbers(&mut started, 2).await;
    drop(started);
    assert!(soon(|| pids.iter().all(|pid| !lives(*pid))).await, "{pids:?}");
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error() {
    let cwd = std::env::temp_dir();
    let error = start(of("no-such-program-at-all", &[], &cwd, &given()))
        .await
        .unwrap_err();
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::NotFound);
}

/// Name of the variable by which the next test makes a process of this test binary its victim.
#[cfg(target_os = "linux")]
const VICTIM: &str = "OVERRULE_TEST_VICTIM";

#[cfg(target_os = "linux")]
#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "the only way to tell a process of this test binary its part"
)]
async fn children_die_with_the_program_however_it_dies() {
    if let Some((_, file)) = std::env::vars_os().find(|(name, _)| name == VICTIM) {
        let started = sh("exec sleep 300").await;
        std::fs::write(&file, started.tree.pid().to_string()).unwrap();
        std::future::pending::<()>().await;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "child::tests::children_die_with_the_program_however_it_dies",
        ])
        .env(VICTIM, &file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let read = || {
        std::fs::read_to_string(&file)
            .ok()
            .and_then(|text| text.parse::<u32>().ok())
    };
    assert!(soon(|| read().is_some()).await, "the victim started no child");
    let child = read().unwrap();
    assert!(lives(child));
    victim.kill().await.unwrap();
    assert!(soon(|| !lives(child)).await, "the child is an orphan process");
}
