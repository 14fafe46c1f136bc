//! Tests of invalid data on the socket, and of what a killed holder leaves on disk.
//!
//! Must not know: commands.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use super::holder::{Holder, sockets};
use crate::cli::decisions::call;
use crate::cli::playbooks::STEPS;
use crate::cli::world::{World, until};

fn connect(path: &Path) -> (UnixStream, BufReader<UnixStream>) {
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(59))).unwrap();
    let reader = BufReader::new(stream.try_clone().unwrap());
    (stream, reader)
}

/// Says something after the greeting and gives the answer.
fn say(path: &Path, bytes: &[u8]) -> String {
    let (mut to, mut from) = connect(path);
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    assert!(line.contains(r#""overrule_control":1"#), "{line}");
    // It may have had enough before all of it was written.
    let _ = to.write_all(bytes);
    let _ = to.shutdown(std::net::Shutdown::Write);
    let mut answer = String::new();
    let _ = from.read_to_string(&mut answer);
    answer
}

#[test]
fn garbage_is_answered_and_changes_nothing() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let (start, _) = holder.waiting("start");
    let before = world.journal(&holder.id);
    let path = sockets(&world).pop().unwrap();
    let command = r#"{"family":"run","command":{"type":"stop","reason":"x"}}"#;
    let with = |head: &str| format!("{{{head}\"actor\":\"a\",\"command\":{command}}}\n");
    let nested = format!("{}\n", "[".repeat(100_000));
    let hold = format!(
        r#"{{"v":1,"actor":"a","command":{{"family":"edit","command":{{"type":"hold","node":"{start}"}}}}}}"#
    );
    for bytes in [
        &b"\n"[..],
        b"hello\n",
        b"\xff\xfe\x00\x1b[2J\n",
        b"{}\n",
        b"null\n",
        b"no end of line",
        b"",
        nested.as_bytes(),
        with("").as_bytes(),
        with(r#""v":2,"#).as_bytes(),
        with(r#""v":1,"extra":true,"#).as_bytes(),
        format!("{hold}\n").as_bytes(),
    ] {
        let answer = say(&path, bytes);
        let shown = String::from_utf8_lossy(bytes)
            .chars()
            .take(80)
            .collect::<String>();
        assert!(answer.contains(r#""type":"error""#), "{shown}: {answer}");
        assert!(!answer.contains('\u{1b}'), "{answer}");
    }
    let long = vec![b' '; 5 * 1024 * 1024];
    let answer = say(&path, &long);
    assert!(!answer.contains("recorded"), "{answer}");
    assert!(world.journal(&holder.id) == before, "garbage left a trace");
    // The run continues undisturbed.
    world.run(&["reject", &holder.id, &start]).ends(0);
    assert_eq!(holder.end().ends(0).out, "without start\n");
}

#[test]
fn who_connects_and_keeps_silent_keeps_nobody_else_out_for_long() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let (start, _) = holder.waiting("start");
    let path = sockets(&world).pop().unwrap();
    let idle: Vec<_> = (0..40).map(|_| connect(&path)).collect();
    // Each is sent away after a while, whether it says something or not.
    until("there is room again", || {
        world.run(&["reject", &holder.id, &start]).code == Some(0)
    });
    for (_, mut reader) in idle {
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert!(rest.contains(r#""type":"error""#), "{rest}");
    }
    holder.end().ends(0);
}

#[test]
fn a_killed_holder_leaves_nothing_in_the_way() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let (start, seen) = holder.waiting("start");
    let id = holder.kill();
    let stale = sockets(&world);
    assert_eq!(stale.len(), 1, "nobody could remove it");
    // Decided by this process, since no process has the session.
    let output = world.run(&["approve", &id, &start, "--digest", &seen]).ends(0);
    assert!(
        !output.out.contains("by the process that runs it"),
        "{}",
        output.out
    );
    // The next holder takes the place of the socket.
    let mut resume = world.command(&["resume", &id, "--headless", "--control"]);
    let mut child = resume
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    until("the approved call runs", || world.read("log.txt") == "start\n");
    until("the next waits", || world.state(&id).queue().count() == 2);
    let output = world.run(&["stop", &id]).ends(0);
    assert!(
        output.out.contains("by the process that runs it"),
        "{}",
        output.out
    );
    child.wait().unwrap();
    assert_eq!(sockets(&world).len(), 0);
}

#[test]
fn sockets_of_killed_runs_are_swept_and_those_of_others_stay() {
    let world = World::new();
    let living = Holder::play(&world, STEPS, &[]);
    living.waiting("start");
    let other = sockets(&world);
    let killed = Holder::play(&world, STEPS, &[]);
    killed.waiting("start");
    killed.kill();
    assert_eq!(sockets(&world).len(), 2);
    let next = Holder::play(&world, STEPS, &[]);
    let left = sockets(&world);
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.contains(&other[0]));
    let start = call(&living.state(), "start");
    world.run(&["reject", &living.id, &start.to_string()]).ends(0);
    living.end().ends(0);
    drop(next);
}

#[test]
fn nothing_is_sent_to_whoever_sits_in_the_holders_place() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    holder.waiting("start");
    let path = sockets(&world).pop().unwrap();
    std::fs::remove_file(&path).unwrap();
    // The test itself is not the process that has the session open.
    let listener = UnixListener::bind(&path).unwrap();
    let output = world.run(&["pause", &holder.id]).ends(7);
    assert!(output.err.contains("nothing was sent"), "{}", output.err);
    let (mut received, _) = listener.accept().unwrap();
    let mut bytes = Vec::new();
    received.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, b"");
    // The holder's end leaves alone what is not its own.
    world.run(&["sessions", "verify", &holder.id]).ends(0);
    crate::cli::world::signal(holder.child(), rustix::process::Signal::TERM);
    holder.end().ends(143);
    assert!(path.exists());
}
