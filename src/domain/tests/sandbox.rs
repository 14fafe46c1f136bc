//! Tests of the sandbox: what it refused, what the operator allows in addition, and calls that ask to run outside.
//!
//! Must not know: how a child is confined.

use super::world::*;
use overrule_domain::call::{Digest, Outcome, Status};
use overrule_domain::command::{CallCommand, Command, RunCommand, SandboxCommand};
use overrule_domain::event::run::{Confinement, ToolOrigin};
use overrule_domain::event::{CallEvent, Event, RunEvent, SandboxEvent};
use overrule_domain::id::{Attempt, NodeId};
use overrule_domain::input::Input;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::sandbox::{Level, Profile, Refused, RefusedKind, Widening};
use overrule_domain::{decide, ready};

fn profile() -> Profile {
    Profile {
        level: Level::Workspace,
        write: vec!["/w".into()],
        hidden: vec!["/home/ada/.ssh".into(), "/root".into()],
        network: vec!["a.example".into()],
        ..Profile::default()
    }
}

/// Sets the run up again with this profile and a confined shell.
fn confine(w: &mut World, profile: Profile) {
    let mut started = (**w.state.started.as_ref().unwrap()).clone();
    started.sandbox = Confinement::from(profile);
    for card in &mut started.tools {
        card.confined = &*card.name == "shell";
    }
    w.record(vec![Event::Run(RunEvent::Refitted {
        started: Box::new(started),
    })]);
}

fn asking_shell() -> World {
    let mut w = World::asking(&["shell"]);
    confine(&mut w, profile());
    w
}

fn widen(w: &mut World, by: Widening) -> Result<(), overrule_domain::refusal::Refusal> {
    w.cmd(Command::Sandbox(SandboxCommand::Widen { by }))
}

fn host(text: &str) -> Widening {
    Widening::Host(text.into())
}

fn directory(text: &str) -> Widening {
    Widening::Directory(text.into())
}

fn approve_as(w: &mut World, id: NodeId, digest: &Digest) -> Result<(), overrule_domain::refusal::Refusal> {
    w.cmd(Command::Call(CallCommand::Approve {
        call: id,
        rev: w.rev(id),
        digest: digest.clone(),
        unread: 0,
        shown: None,
        word: None,
    }))
}

fn sandbox_events(w: &World) -> usize {
    let is_one = |event: &Event| matches!(event, Event::Sandbox(_));
    w.log.iter().filter(|one| is_one(&one.event)).count()
}

fn refused(what: &str) -> Refused {
    Refused::exact(RefusedKind::Network, what)
}

#[test]
fn only_a_host_that_a_list_can_have_is_offered() {
    for odd in ["127.1:18999", "x:0", "0x7f.1:443", "a b:443", ""] {
        assert_eq!(refused(odd).widening(), None, "{odd}");
    }
    let offered = refused("b.example:8443").widening();
    assert_eq!(offered, Some(host("b.example:8443")));
}

#[test]
fn a_waiting_call_that_was_shown_with_the_old_profile_is_asked_about_again() {
    let mut w = asking_shell();
    w.reply(&[call("shell", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    let shown = w.digest(id);
    widen(&mut w, host("b.example:8443")).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval, "it is asked again");
    assert_ne!(w.digest(id), shown);
    let refusal = approve_as(&mut w, id, &shown).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Changed, "{refusal:?}");
    assert!(w.runs(id).is_empty(), "nothing ran with the wider profile");
    w.approve(id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
    assert_eq!(w.state.sandbox_profile().network, ["a.example", "b.example:8443"]);
}

#[test]
fn an_approved_call_that_has_not_started_is_asked_about_again() {
    let mut w = asking_shell();
    w.reply(&[call("shell", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.run(RunCommand::Pause {
        reason: "a look".into(),
    })
    .unwrap();
    w.approve(id).unwrap();
    assert_eq!(w.status(id), Status::Queued);
    widen(&mut w, directory("/data")).unwrap();
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert!(w.runs(id).is_empty());
}

#[test]
fn what_cannot_be_allowed_is_refused_and_nothing_is_recorded() {
    let mut w = asking_shell();
    for (by, kind) in [
        (host(""), RefusalKind::Invalid),
        (host("a b"), RefusalKind::Invalid),
        (host("https://a.example"), RefusalKind::Invalid),
        (host("user@a.example"), RefusalKind::Invalid),
        (host("a.example\n"), RefusalKind::Invalid),
        (host("all"), RefusalKind::Invalid),
        (host("ALL"), RefusalKind::Invalid),
        (host("*"), RefusalKind::Invalid),
        (host("127.1:18999"), RefusalKind::Invalid),
        (host("x:0"), RefusalKind::Invalid),
        (host("0x7f.1"), RefusalKind::Invalid),
        (host("10.0.0.0/8"), RefusalKind::Invalid),
        (host("::1"), RefusalKind::Invalid),
        (host("a.example"), RefusalKind::NoChange),
        (directory(""), RefusalKind::Invalid),
        (directory("data"), RefusalKind::Invalid),
        (directory("/data/../root"), RefusalKind::Invalid),
        (directory("/a\nb"), RefusalKind::Invalid),
        (directory("/home/ada/.ssh"), RefusalKind::Denied),
        (directory("/home/ada/.ssh/keys"), RefusalKind::Denied),
        (directory("/home/ada"), RefusalKind::Denied),
        (directory("/"), RefusalKind::Denied),
        (directory("/w"), RefusalKind::NoChange),
        (directory("/w/src/"), RefusalKind::NoChange),
    ] {
        let refusal = widen(&mut w, by.clone()).unwrap_err();
        assert_eq!(refusal.kind, kind, "{by:?}: {refusal:?}");
        assert!(!refusal.message.contains('\n'), "{refusal:?}");
    }
    assert_eq!(sandbox_events(&w), 0);
    assert_eq!(w.state.sandbox_profile(), profile());
    // Names that only begin alike are others.
    widen(&mut w, directory("/home/ada/.ssh2")).unwrap();
    widen(&mut w, directory("/w2")).unwrap();
    assert_eq!(
        widen(&mut w, directory("/w2/below")).unwrap_err().kind,
        RefusalKind::NoChange
    );
    assert_eq!(sandbox_events(&w), 2);
}

#[test]
fn nothing_is_widened_without_a_sandbox_or_after_the_end() {
    let mut w = World::new();
    let refusal = widen(&mut w, host("a.example")).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Status);
    assert!(refusal.message.contains("no sandbox"), "{refusal:?}");
    confine(&mut w, profile());
    w.run(RunCommand::Stop {
        reason: "enough".into(),
    })
    .unwrap();
    let refusal = widen(&mut w, host("b.example")).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Over);
    assert_eq!(sandbox_events(&w), 0);
}

#[test]
fn what_was_refused_is_recorded_with_its_execution_and_a_late_report_is_not() {
    let mut w = World::new();
    confine(&mut w, profile());
    w.reply(&[call("shell", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    let report = |refused: Vec<Refused>, attempt| Input::Confined {
        call: id,
        attempt: Attempt(attempt),
        refused,
    };
    w.input(report(Vec::new(), 1));
    w.input(report(vec![refused("x.example:443")], 2));
    assert_eq!(sandbox_events(&w), 0, "nothing was refused, or it did not run");
    w.input(report(vec![refused("b.example:443")], 1));
    let of = |w: &World| w.state.calls[&id].attempts[0].refused.clone();
    assert_eq!(of(&w), [refused("b.example:443")]);
    w.input(Input::Finished {
        call: id,
        rev: w.rev(id),
        attempt: Attempt(1),
        outcome: Outcome::ok("1"),
        ms: 1,
        files: None,
    });
    assert_eq!(
        w.status(id),
        Status::Succeeded,
        "what was refused does not fail a call"
    );
    let late = decide::input(&w.state, &report(vec![refused("late.example:443")], 1));
    assert_eq!(late, []);
    assert_eq!(of(&w), [refused("b.example:443")]);
}

#[test]
fn the_last_set_up_counts_and_what_was_allowed_stays() {
    let mut w = World::new();
    assert_eq!(w.state.sandbox_profile(), Profile::default());
    confine(&mut w, profile());
    widen(&mut w, host("b.example")).unwrap();
    let narrow = Profile {
        level: Level::Scratch,
        ..Profile::default()
    };
    confine(&mut w, narrow.clone());
    assert_eq!(w.state.sandbox_profile(), narrow.widened(&[host("b.example")]));
    confine(&mut w, Profile::default());
    assert!(!w.state.sandbox_profile().confines());
}

/// The bytes that would run.
fn bytes(w: &World, id: NodeId) -> String {
    ready::resolved_args(&w.state, &w.state.calls[&id])
        .unwrap()
        .to_string()
}

#[test]
fn the_reason_to_leave_the_sandbox_is_part_of_what_is_decided() {
    let mut w = asking_shell();
    w.reply(&[
        call(
            "shell",
            r#"{"_as":"a","_why":"to see","_outside":"†call.b","n":1}"#,
        ),
        call("shell", r#"{"_as":"b","_outside":"††x","n":2}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    assert_eq!(bytes(&w, a), r#"{"_outside":"†call.b","n":1}"#, "no reference");
    assert_eq!(bytes(&w, b), r#"{"_outside":"††x","n":2}"#);
    assert_eq!(
        w.status(a),
        Status::AwaitingApproval,
        "it waits for no other call"
    );
    // An edit that does not name it keeps it, one with null removes it.
    w.args(a, r#"{"n":3}"#).unwrap();
    assert_eq!(bytes(&w, a), r#"{"_outside":"†call.b","n":3}"#);
    w.args(a, r#"{"n":3,"_outside":null}"#).unwrap();
    assert_eq!(bytes(&w, a), r#"{"n":3}"#);
}

#[test]
fn a_reason_that_is_no_text_is_a_fault_of_a_confined_tool_only() {
    let mut w = asking_shell();
    w.reply(&[
        call("shell", r#"{"_as":"a","_outside":true,"n":1}"#),
        call("write", r#"{"_as":"b","_outside":true,"n":1}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    assert_eq!(w.status(a), Status::Invalid);
    assert_eq!(w.state.calls[&a].validation.faults[0].path, "/_outside");
    assert!(w.runs(a).is_empty());
    assert_eq!(w.runs(b).len(), 1, "it means nothing to another tool");
}

#[test]
fn a_widening_wakes_no_call_that_it_does_not_change() {
    let mut w = World::asking(&["shell", "write"]);
    confine(&mut w, profile());
    w.reply(&[
        call("shell", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":1}"#),
    ]);
    let other = w.digest(w.id("b"));
    widen(&mut w, host("b.example")).unwrap();
    assert_eq!(w.digest(w.id("b")), other);
    let widened = w
        .log
        .iter()
        .position(|one| matches!(&one.event, Event::Sandbox(SandboxEvent::Widened { .. })));
    let woken = |events: &[overrule_domain::envelope::Envelope]| {
        let is_woken = |event: &Event| matches!(event, Event::Call(CallEvent::Woken { .. }));
        events.iter().filter(|one| is_woken(&one.event)).count()
    };
    assert_eq!(woken(&w.log[widened.unwrap()..]), 1);
    // A second one with the same text changes nothing.
    assert!(widen(&mut w, host("b.example")).is_err());
    assert_eq!(woken(&w.log[widened.unwrap()..]), 1);
}

/// A finished call that was refused this.
fn refused_call(refused: Vec<Refused>) -> (World, NodeId) {
    let mut w = World::new();
    confine(&mut w, profile());
    w.reply(&[call("shell", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.input(Input::Confined {
        call: id,
        attempt: Attempt(1),
        refused,
    });
    w.input(Input::Finished {
        call: id,
        rev: w.rev(id),
        attempt: Attempt(1),
        outcome: Outcome::ok("1"),
        ms: 1,
        files: None,
    });
    (w, id)
}

#[test]
fn a_change_is_kept_only_where_it_was_moved_away() {
    let undone = |path: &str, kept: Option<&str>| Refused {
        kept: kept.map(str::to_owned),
        ..Refused::exact(RefusedKind::Protected, path)
    };
    let all = vec![
        undone(".envrc", None),
        undone(".mcp.json", Some("/s/undone-1/.mcp.json")),
    ];
    let (mut w, id) = refused_call(all);
    let keep = |path: &str| {
        Command::Sandbox(SandboxCommand::Keep {
            call: id,
            path: path.into(),
        })
    };
    for path in [".envrc", "other", ".mcp.json/"] {
        let refusal = w.cmd(keep(path)).unwrap_err();
        assert_eq!(refusal.kind, RefusalKind::Status, "{path}");
    }
    assert!(w.kept.is_empty());
    w.cmd(keep(".mcp.json")).unwrap();
    assert_eq!(w.kept, [".mcp.json"]);
    let of = |w: &World| w.state.calls[&id].refused().to_vec();
    assert_eq!(of(&w), [undone(".envrc", None)], "what is kept was not refused");
    assert!(w.cmd(keep(".mcp.json")).is_err(), "it is kept once");
    w.input(Input::NotKept {
        call: id,
        path: ".mcp.json".into(),
        from: "/s/undone-1/.mcp.json".into(),
        why: "it is gone".into(),
    });
    assert_eq!(of(&w).len(), 2, "it can be tried again");
    assert_eq!(w.kept.len(), 1);
}

#[test]
fn a_kept_change_is_restored_again_by_the_next_process_as_long_as_its_place_is_its_own() {
    let undone = |from: &str| Refused {
        kept: Some(from.to_owned()),
        ..Refused::exact(RefusedKind::Protected, ".mcp.json")
    };
    let place = "/s/undone-1/.mcp.json";
    let (mut w, id) = refused_call(vec![undone(place)]);
    w.cmd(Command::Sandbox(SandboxCommand::Keep {
        call: id,
        path: ".mcp.json".into(),
    }))
    .unwrap();
    let reopened = |w: &mut World| {
        w.kept.clear();
        w.crash();
        w.kept.clone()
    };
    assert_eq!(reopened(&mut w), [".mcp.json"]);
    assert_eq!(
        reopened(&mut w),
        [".mcp.json"],
        "whether it was restored is not recorded"
    );
    // Another change lies there now.
    let confined = Event::Sandbox(SandboxEvent::Confined {
        call: id,
        attempt: Attempt(1),
        refused: vec![undone(place)],
    });
    w.record(vec![confined]);
    assert!(reopened(&mut w).is_empty());
    w.cmd(Command::Sandbox(SandboxCommand::Keep {
        call: id,
        path: ".mcp.json".into(),
    }))
    .unwrap();
    w.input(Input::NotKept {
        call: id,
        path: ".mcp.json".into(),
        from: place.into(),
        why: "it is gone".into(),
    });
    assert!(reopened(&mut w).is_empty(), "the operator was told");
}

#[test]
fn what_is_hidden_or_protected_is_never_widened() {
    let of = |kind, what: &str| Refused::exact(kind, what).widening();
    assert_eq!(
        of(RefusedKind::Network, "a.example:443"),
        Some(host("a.example:443"))
    );
    assert_eq!(of(RefusedKind::Write, "/opt/x/y"), Some(directory("/opt/x")));
    assert_eq!(of(RefusedKind::Write, "/file"), None);
    assert_eq!(of(RefusedKind::Read, "/home/ada/.ssh/id"), None);
    assert_eq!(of(RefusedKind::Protected, ".mcp.json"), None);
}

#[test]
fn an_edit_that_asks_to_leave_the_sandbox_approves_nothing() {
    let outside = r#"{"n":1,"_outside":"why"}"#;
    let mut w = asking_shell();
    w.reply(&[call("shell", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.args(id, outside).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert!(w.runs(id).is_empty());
    // Another change of a call that asks already is approved as any other.
    w.args(id, r#"{"n":2,"_outside":"why"}"#).unwrap();
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn an_agent_that_runs_is_not_allowed_more() {
    let mut w = asking_shell();
    let mut started = (**w.state.started.as_ref().unwrap()).clone();
    for card in &mut started.tools {
        card.origin = Some(Box::new(ToolOrigin {
            source: ToolOrigin::AGENT.into(),
            server: None,
            tool: card.name.clone(),
            title: None,
            drift: None,
            pin: "p".into(),
        }));
    }
    w.record(vec![Event::Run(RunEvent::Refitted {
        started: Box::new(started),
    })]);
    let refusal = widen(&mut w, host("b.example")).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Status);
    assert!(
        refusal.message.contains("start the agent again"),
        "{}",
        refusal.message
    );
    assert_eq!(sandbox_events(&w), 0);
}
