//! Tests that an agent cannot decide on its own calls, even if it hides its origin.
//!
//! Must not know: how descent is detected.

use overrule::domain::event::{Event, RunEvent};
use overrule::domain::state::Mode;

use super::holder::Holder;
use crate::cli::playbooks::command;
use crate::cli::world::{World, until};

/// The refused commands of a session.
pub(super) fn refused(world: &World, id: &str) -> Vec<(String, String)> {
    world
        .facts(id)
        .into_iter()
        .filter_map(|fact| match fact.event {
            Event::Run(RunEvent::Refused { command, reason }) => Some((command, reason)),
            _ => None,
        })
        .collect()
}

/// The program as a command of the agent would call it.
pub(super) fn program(world: &World) -> String {
    format!(
        "HOME={} OVERRULE_SESSIONS={} {}",
        world.path("home").display(),
        world.sessions().display(),
        crate::support::program()
    )
}

/// Two shell calls, one after the other, then an answer.
fn two(first: &str, second: &str) -> String {
    format!(
        "[meta]\nname = \"two\"\n\
         [[rule]]\nwhen = {{ seen_call = \"second\" }}\nanswer = \"done\"\n\
         [[rule]]\nwhen = {{ seen_call = \"first\" }}\n[[rule.call]]\ntool = \"shell\"\nas = \"second\"\n\
         args = {{ command = '{second}' }}\n\
         [[rule]]\n[[rule.call]]\ntool = \"shell\"\nas = \"first\"\nargs = {{ command = '{first}' }}\n"
    )
}

#[test]
fn a_confined_command_of_the_agent_finds_no_session_and_reaches_no_run() {
    let world = World::new();
    let sessions = world.sessions().display().to_string();
    let line = format!(
        "{} pause last --reason mine 2>&1; echo code $?; ls {sessions} 2>&1; ls {}/.local 2>&1",
        program(&world),
        world.path("home").display()
    );
    let holder = Holder::play(&world, &command(&line), &["--policy", "auto"]);
    let (id, world) = (holder.id.clone(), holder.world);
    let text = holder.end().ends(0);
    // Without namespaces, names of hidden files can be seen.
    if !world.state(&id).sandbox_profile().is_full() {
        println!("SKIPPED: this machine has no full sandbox");
        return;
    }
    assert!(text.out.contains("code 7"), "{}", text.out);
    assert!(!text.out.contains(&id), "{}", text.out);
    assert_eq!(refused(world, &id), []);
}

#[test]
fn a_command_of_the_agents_shell_is_refused_and_recorded() {
    let world = World::new();
    let line = format!("{} pause last --reason mine 2>&1; echo code $?", program(&world));
    let holder = Holder::play(&world, &command(&line), &["--policy", "auto", "--sandbox", "0"]);
    let (id, world) = (holder.id.clone(), holder.world);
    let text = holder.end().ends(0);
    assert!(text.out.contains("code 4"), "{}", text.out);
    assert!(text.out.contains("an agent does not decide"), "{}", text.out);
    assert!(text.err.contains("refused: run.pause"), "{}", text.err);
    let refused = refused(world, &id);
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].0, "run.pause");
    assert!(refused[0].1.contains("was started by this run"), "{refused:?}");
    let paused = |fact: &overrule::domain::envelope::Envelope| {
        matches!(fact.event, Event::Run(RunEvent::Paused { .. }))
    };
    assert!(!world.facts(&id).iter().any(paused));
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_lost_its_parents_is_still_the_agents() {
    let world = World::new();
    let program = program(&world);
    // Leaves the session, loses its parent, and only then tries to approve the second call.
    let hidden = format!(
        "touch away; until test -e go; do sleep 0.02; done; \
         d=$({program} queue last --json | sed \"s/.*\\\"digest\\\":\\\"//; s/\\\".*//\"); \
         c=$({program} queue last --json | sed \"s/.*\\\"call\\\":\\\"//; s/\\\".*//\"); \
         {program} approve last $c --digest $d > said 2>&1; echo $c $? > code"
    );
    world.file("hidden.sh", &hidden);
    // What is still in the session when the call ends is ended with it.
    let first = "setsid sh hidden.sh > /dev/null 2>&1 & \
                 until test -e away; do sleep 0.02; done; echo started";
    let holder = Holder::play(&world, &two(first, "echo ran >> log.txt"), &["--sandbox", "0"]);
    holder.approve("first");
    let (second, seen) = holder.waiting("second");
    world.file("go", "");
    until("it tried", || !world.read("code").is_empty());
    assert_eq!(
        world.read("code"),
        format!("{second} 4\n"),
        "{}",
        world.read("said")
    );
    assert!(world.read("said").contains("was started by this run"));
    // The refusal is answered before it is recorded.
    until("it is recorded", || !refused(&world, &holder.id).is_empty());
    let refused = refused(&world, &holder.id);
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].0, format!("call.approve {second}"));
    assert_eq!(world.read("log.txt"), "");
    assert_eq!(holder.executions(second.parse().unwrap()), 0);
    assert_eq!(holder.state().mode, Mode::Running);
    // The operator still decides.
    world
        .run(&["approve", &holder.id, &second, "--digest", &seen])
        .ends(0);
    holder.end().ends(0);
    assert_eq!(world.read("log.txt"), "ran\n");
}

#[test]
fn an_agent_that_insists_does_not_fill_the_journal() {
    let world = World::new();
    let line = format!(
        "i=0; while test $i -lt 110; do {} pause last > /dev/null 2>&1; echo $?; i=$((i+1)); done | sort -u",
        program(&world)
    );
    let holder = Holder::play(&world, &command(&line), &["--policy", "auto", "--sandbox", "0"]);
    let (id, world) = (holder.id.clone(), holder.world);
    assert_eq!(holder.end().ends(0).out, "4\n");
    assert_eq!(refused(world, &id).len(), 100);
}

#[test]
fn a_command_of_the_agents_shell_decides_in_no_stored_session_and_continues_none() {
    let world = World::new();
    let other = Holder::play(&world, &command("touch evil && echo did"), &[]);
    let (call, digest) = other.waiting("it");
    let id = other.kill();
    let before = world.journal(&id);
    let program = program(&world);
    for verb in [
        format!("approve {id} {call} --digest {digest} --resume --headless"),
        format!("allow {id} {call} --digest {digest}"),
        format!("edit {id} {call} --args \"{{}}\""),
        format!("set-policy {id} auto"),
        format!("guide {id} go"),
        format!("resume {id} --headless --policy auto"),
    ] {
        let line = format!("{program} {verb} 2>&1; echo code $?");
        let said = world
            .play(&command(&line), &["--policy", "auto", "--sandbox", "0"])
            .ends(0);
        assert!(said.out.contains("code 4"), "{verb}: {}", said.out);
        assert!(
            said.out.contains("did not begin below it"),
            "{verb}: {}",
            said.out
        );
    }
    assert_eq!(world.journal(&id), before);
    assert!(!world.path("evil").exists() && !world.ws().join("evil").exists());
    // The operator still decides.
    let verb = [
        "approve",
        &id,
        &call,
        "--digest",
        &digest,
        "--resume",
        "--headless",
    ];
    world.run(&verb).ends(0);
    assert!(world.ws().join("evil").exists());
}

#[test]
fn a_command_of_the_agents_shell_decides_in_no_other_run() {
    let world = World::new();
    let other = Holder::play(&world, &command("touch evil && echo did"), &[]);
    let (call, digest) = other.waiting("it");
    let line = format!(
        "{} approve {} {call} --digest {digest} 2>&1; echo code $?",
        program(&world),
        other.id
    );
    let said = world
        .play(&command(&line), &["--policy", "auto", "--sandbox", "0"])
        .ends(0);
    assert!(
        said.out.contains("code 4") && said.out.contains("is another run"),
        "{}",
        said.out
    );
    let refused = refused(&world, &other.id);
    assert_eq!(refused.len(), 1, "it is recorded where it was tried");
    assert!(!world.ws().join("evil").exists());
    other.approve("it");
    other.end().ends(0);
    assert!(world.ws().join("evil").exists());
}

#[test]
fn a_session_that_began_below_a_run_is_decided_below_it() {
    let world = World::new();
    let inner = world.aside("inner.toml", &command("touch inner && echo did"));
    let program = program(&world);
    // A run inside of the run waits, and another command of the same shell decides there.
    let line = format!(
        "{program} run --headless --control --model scripted --playbook {inner} go > out 2>&1 & \
         until {program} queue last --json 2> said | grep -q digest; do sleep 0.05; done; \
         d=$({program} queue last --json | sed \"s/.*\\\"digest\\\":\\\"//; s/\\\".*//\"); \
         c=$({program} queue last --json | sed \"s/.*\\\"call\\\":\\\"//; s/\\\".*//\"); \
         {program} approve last $c --digest $d; echo code $?; wait"
    );
    let said = world
        .play(&command(&line), &["--policy", "auto", "--sandbox", "0"])
        .ends(0);
    assert!(said.out.contains("code 0"), "{}", said.out);
    assert!(world.ws().join("inner").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_is_recognised_whatever_its_file_is_called() {
    let world = World::new();
    world.file(
        ".mcp.json",
        r#"{"mcpServers":{"x":{"command":"touch","args":["started"]}}}"#,
    );
    let renamed = world.path("another-name");
    std::os::unix::fs::symlink(crate::support::program(), &renamed).unwrap();
    let line = format!(
        "HOME={} {} trust --hash 0 2>&1; echo code $?",
        world.path("home").display(),
        renamed.display()
    );
    let playing = world.playing(&command(&line), &["--policy", "auto", "--sandbox", "0"]);
    let mut run = std::process::Command::new(&renamed);
    run.args(playing.get_args())
        .env_clear()
        .current_dir(world.ws())
        .stdin(std::process::Stdio::null());
    run.envs(
        playing
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let said = crate::cli::world::finish(run).ends(0);
    assert!(
        said.out.contains("code 4") && said.out.contains("is a run of this program"),
        "{}",
        said.out
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_lost_its_parents_trusts_nothing() {
    let world = World::new();
    world.file(
        ".mcp.json",
        r#"{"mcpServers":{"x":{"command":"touch","args":["started"]}}}"#,
    );
    let program = program(&world);
    let hidden = format!(
        "touch away; h=$({program} trust | sed -n \"s/.*--hash \\([0-9a-f]*\\).*/\\1/p\" | head -1); \
         {program} trust --hash $h > said 2>&1; echo $h $? > code"
    );
    world.file("hidden.sh", &hidden);
    let line = "setsid sh hidden.sh > /dev/null 2>&1 & until test -s code; do sleep 0.02; done; echo tried";
    // Without commands from outside, too.
    world
        .play(&command(line), &["--policy", "auto", "--sandbox", "0"])
        .ends(0);
    let code = world.read("code");
    assert!(
        code.len() > 10 && code.ends_with(" 4\n"),
        "{code}: {}",
        world.read("said")
    );
    assert!(!world.path("home/.local/state/overrule/trust.json").exists());
}
