//! Tests of the environment of a run: its own directories, system limits, orphan processes.
//!
//! Must not know: what else a run does.

use std::process::{Command, Stdio};

use overrule::domain::orphan_process::OrphanProcess;
use overrule::tools::child;
use rustix::process::Signal;

use crate::cli::playbooks::{command, rule};
use crate::cli::world::{World, finish, signal, until, wait};

#[test]
fn tools_leave_sessions_alone_that_lie_in_the_workspace() {
    let world = World::new();
    let write = rule(
        "when = { turn = 1 }\n[[rule.call]]\ntool = \"write_file\"\nas = \"it\"\n\
         args = { path = \"own/evil.txt\", content = \"evil\" }\n[[rule]]\nanswer = \"{{ failed | join(',') }}\"",
    );
    let output = world
        .play(&write, &["--policy", "auto", "--sessions", "own"])
        .ends(0);
    assert_eq!(output.out, "it\n");
    output.tells("belongs to this program");
    assert!(!world.ws().join("own/evil.txt").exists());
}

#[test]
fn a_limit_on_the_size_of_files_is_told_and_nothing_goes_on() {
    let world = World::new();
    let run = world.playing(&command("echo ran > ran.txt"), &["--policy", "auto"]);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -f 1; exec \"$@\"", "sh"])
        .arg(run.get_program())
        .args(run.get_args())
        .current_dir(world.ws())
        .env_clear()
        .envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = finish(limited).ends(7);
    assert_eq!(output.out, "");
    output.tells("cannot be written");
    assert!(!world.ws().join("ran.txt").exists());
}

#[test]
fn the_log_is_for_its_owner_alone_and_what_tools_write_is_for_whom_the_umask_says() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let state = world.path("home/.local/state/overrule");
    std::fs::create_dir_all(&state).unwrap();
    // The one file of a program before.
    std::fs::write(state.join("overrule.log"), "from before\n").unwrap();
    let mut run = world.playing(&command("echo ran | tee ran.txt"), &["--policy", "auto"]);
    run.env("OVERRULE_LOG", "debug");
    let mut open = Command::new("sh");
    open.args(["-c", "umask 000; exec \"$@\"", "sh"])
        .arg(run.get_program())
        .args(run.get_args())
        .current_dir(world.ws())
        .env_clear()
        .envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = finish(open).ends(0);
    assert!(!output.err.contains("DEBUG"), "{}", output.err);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let mut logged = String::new();
    for entry in std::fs::read_dir(&state).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("overrule.log.") {
            assert_eq!(mode(&entry.path()), 0o600, "{name}");
            logged += &std::fs::read_to_string(entry.path()).unwrap();
        }
    }
    assert!(logged.contains("DEBUG"), "{logged}");
    let before = std::fs::read_to_string(state.join("overrule.log")).unwrap();
    assert_eq!(before, "from before\n");
    assert_eq!(mode(&world.ws().join("ran.txt")), 0o666);
}

#[test]
fn a_second_signal_still_says_how_to_go_on() {
    let world = World::new();
    let mut run = world.playing(
        &command("trap \"\" TERM; touch begun; sleep 30; sleep 30"),
        &["--policy", "auto"],
    );
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("the command runs", || world.ws().join("begun").exists());
    signal(&child, Signal::INT);
    std::thread::sleep(std::time::Duration::from_millis(100));
    signal(&child, Signal::INT);
    let output = wait(child).ends(130);
    output.tells(&format!("overrule resume {}", world.id()));
}

/// Only where the tests run as root can another user be tried; elsewhere the child is the same user.
#[cfg(target_os = "linux")]
#[test]
fn a_command_does_not_find_the_keys_of_the_program() {
    let world = World::new();
    let look = command("tr \"\\\\0\" \"\\\\n\" < /proc/$PPID/environ || echo closed");
    let mut run = world.playing(&look, &["--policy", "auto"]);
    run.env("OPENAI_API_KEY", "sk-canary-of-the-test");
    if rustix::process::geteuid().is_root() {
        use std::os::unix::fs::{PermissionsExt as _, chown};
        use std::os::unix::process::CommandExt as _;
        for dir in [world.path("."), world.ws(), world.path("home")] {
            chown(&dir, Some(65_534), Some(65_534)).unwrap();
            std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let program = world.path("program");
        // A file that this process has open for writing, or a child that another test forks meanwhile, cannot be run.
        let copied = Command::new("cp").arg(run.get_program()).arg(&program).status();
        assert!(copied.unwrap().success());
        let mut as_nobody = Command::new(&program);
        as_nobody
            .args(run.get_args())
            .current_dir(world.ws())
            .env_clear()
            .envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .uid(65_534)
            .gid(65_534);
        run = as_nobody;
    }
    let output = finish(run).ends(0);
    assert!(
        output.out.starts_with("closed\n"),
        "{}\n{}",
        output.out,
        output.err
    );
    assert!(!output.out.contains("canary"));
}

#[test]
fn what_outlived_the_program_and_its_own_process_is_told_as_that_until_it_ends() {
    let world = World::new();
    let mut run = world.playing(&command("sleep 600 & echo $$ > pid; wait"), &["--policy", "auto"]);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("the command runs", || world.read("pid").ends_with('\n'));
    let id = world.id();
    let pid = world.read("pid").trim().to_owned();
    until("it is recorded", || world.has_recorded(&id, "call.spawned"));
    child.kill().unwrap();
    child.wait().unwrap();
    let group = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    // Linux has ended the shell with the program already; elsewhere it continues until it is killed.
    let _ = rustix::process::kill_process(group, Signal::KILL);
    let state = world.state(&id);
    let mut attempts = state.calls.values().flat_map(|call| &call.attempts);
    let (of, ticks) = attempts.find_map(|one| one.launch.process).unwrap();
    until("the shell has ended", || {
        child::orphan_process(of, ticks) == Some(OrphanProcess::Group)
    });
    for _ in 0..2 {
        let output = world.run(&["resume", &id, "--headless"]).ends(4);
        let output = output
            .tells(&format!("process {pid} of c"))
            .tells("has ended, but what it started still runs as process group")
            .tells(&format!("end that with `kill -- -{pid}`"));
        assert!(
            !output.err.contains(&format!("still runs as process {pid}")),
            "{}",
            output.err
        );
    }
    rustix::process::kill_process_group(group, Signal::KILL).unwrap();
    until("it is gone", || {
        let output = world.run(&["resume", &id, "--headless"]).ends(4);
        !output.err.contains("still runs")
    });
}

#[test]
fn a_call_that_cannot_run_is_told_while_no_screen_shows_it() {
    let world = World::new();
    let wrong = rule(
        "when = { turn = 1 }\n[[rule.call]]\ntool = \"nosuch\"\nargs = {}\n[[rule.call]]\n\
         tool = \"read_file\"\nargs = { wrong = 1 }\n[[rule]]\nanswer = \"fine\"",
    );
    let output = world.play(&wrong, &["--policy", "auto"]).ends(0);
    assert_eq!(output.out, "fine\n");
    output.tells("nosuch").tells("read_file").tells("cannot run");
}

#[test]
fn a_strange_name_is_made_visible_once() {
    let world = World::new();
    let output = world.run(&["queue", "a\u{1b}[31m"]).ends(7);
    let output = output.tells("`a⟨U+001B⟩[31m`");
    assert!(!output.err.contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_was_told_to_outlive_its_terminal_does() {
    let world = World::new();
    let run = world.playing(
        &command("touch begun; until test -e go; do sleep 0.05; done; echo went"),
        &["--policy", "auto"],
    );
    let mut nohup = Command::new("nohup");
    nohup
        .arg(run.get_program())
        .args(run.get_args())
        .current_dir(world.ws())
        .env_clear()
        .envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null());
    let child = nohup
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the command runs", || world.ws().join("begun").exists());
    signal(&child, Signal::HUP);
    std::thread::sleep(std::time::Duration::from_millis(100));
    world.file("go", "");
    assert_eq!(wait(child).ends(0).out, "went\n");
}

#[test]
fn a_run_that_cannot_go_on_lets_end_what_runs() {
    let world = World::new();
    // The stream breaks immediately, while the command takes its time.
    let breaks = "[meta]\nname = \"breaks\"\n[[rule]]\nwhen = { seen_call = \"it\" }\nanswer = \"{{ result.it }}\"\n\
                  [[rule]]\nthink = \"I run it.\"\nfail = \"garbage\"\n\
                  [[rule.call]]\ntool = \"shell\"\nas = \"it\"\nargs = { command = \"sleep 0.5; echo once >> log.txt; echo ran\" }\n";
    world.play(breaks, &["--policy", "auto"]).ends(6);
    assert_eq!(world.read("log.txt"), "once\n");
    let id = world.id();
    let state = world.state(&id);
    assert!(state.queue().next().is_none(), "nothing is in doubt");
    let turn = state.turns.keys().last().unwrap().0.to_string();
    let output = world.run(&["keep", &id, &turn, "--resume"]).ends(0);
    assert_eq!(output.out, "ran\n");
    assert_eq!(world.read("log.txt"), "once\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_workspace_whose_path_is_no_text_is_refused_before_anything_is_written() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let odd = world.ws().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&odd).unwrap();
    let mut run = world.playing(&command("true"), &[]);
    let output = {
        run.current_dir(&odd);
        finish(run)
    }
    .ends(3);
    output.tells("its path is not UTF-8").tells("--workspace");
    assert_eq!(world.ids(), Vec::<String>::new());
}
