//! Tests what can be done about what the sandbox refused, and the page of the sandbox.

use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::surfaces::queue::view::texts;
use crate::surfaces::sandbox::{REASON, RefusedList, SandboxPage};
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, SandboxCommand};
use overrule_domain::event::run::ToolOrigin;
use overrule_domain::event::{Event, RunEvent, SandboxEvent};
use overrule_domain::id::{Attempt, Rev};
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::sandbox::{Guarantee, Profile, Refused, RefusedKind, Widening, outside};

const HOST: &str = "registry.example.org:443";

fn npm() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.npm_refused();
    stage
}

fn of(refused: Vec<Refused>) -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.installs(None, "make install", refused);
    stage
}

fn widen(by: Widening) -> Command {
    Command::Sandbox(SandboxCommand::Widen { by })
}

fn again() -> Command {
    Command::Call(CallCommand::Retry {
        call: id("c3"),
        rev: Rev(1),
    })
}

#[test]
fn a_row_says_what_was_refused_beside_the_exit_code() {
    let mut stage = npm();
    let row = stage
        .text()
        .lines()
        .find(|line| line.contains("npm ci"))
        .unwrap()
        .to_owned();
    assert!(
        row.contains("refused: network registry.example.org, protected .mcp.json") && row.contains("exit 1"),
        "{row}"
    );
    assert!(!row.contains(":443") && !row.contains("npm error"), "{row}");
    stage.press("3");
    assert!(stage.text().contains("refused: network registry.example.org"));
    stage.press("ctrl-t");
    let row = stage
        .text()
        .lines()
        .find(|line| line.contains("npm ci"))
        .unwrap()
        .to_owned();
    assert!(row.contains("refused: network registry.example.org"), "{row}");
    // A call that was refused nothing says nothing.
    let mut none = of(Vec::new());
    none.draw();
    assert!(!none.text().contains("refused:"), "{}", none.text());
}

#[test]
fn n_allows_the_host_for_the_session_and_runs_the_call_again() {
    let mut stage = npm();
    stage.press("@");
    stage.press("n");
    assert_eq!(stage.commands(), [], "not on screen for long enough");
    stage.wait(ARMING);
    stage.press("n");
    let allowed = widen(Widening::Host(HOST.into()));
    assert_eq!(stage.commands(), std::slice::from_ref(&allowed));
    stage.press("n");
    assert_eq!(stage.commands(), [], "sent once");
    stage.send(Msg::Run(Update::Taken(Box::new(allowed.clone()))));
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), [again()]);
    stage.send(Msg::Run(Update::Taken(Box::new(again()))));
    stage.send(Msg::Run(Update::Taken(Box::new(allowed))));
    assert_eq!(stage.commands(), [], "it runs again once");
}

#[test]
fn the_call_runs_again_whatever_was_sent_meanwhile() {
    let mut stage = npm();
    stage.press("@");
    stage.wait(ARMING);
    stage.press("n");
    let allowed = widen(Widening::Host(HOST.into()));
    stage.press("esc p");
    let sent = stage.commands();
    assert_eq!(sent.first(), Some(&allowed));
    assert_eq!(sent.len(), 2, "{sent:?}");
    stage.send(Msg::Run(Update::Taken(Box::new(allowed))));
    assert_eq!(stage.commands(), [again()]);
}

#[test]
fn a_call_is_not_run_again_if_the_widening_was_refused() {
    let mut stage = npm();
    stage.press("@");
    stage.wait(ARMING);
    stage.press("n");
    let allowed = widen(Widening::Host(HOST.into()));
    assert_eq!(stage.commands(), std::slice::from_ref(&allowed));
    let why = Refusal::new(RefusalKind::Denied, "cannot allow the host: no");
    stage.refuse(allowed.clone(), why);
    assert!(stage.model.run.then.is_empty());
    stage.wait(ARMING);
    stage.press("n");
    assert_eq!(
        stage.commands(),
        std::slice::from_ref(&allowed),
        "it can be sent again"
    );
    let why = Refusal::new(RefusalKind::Denied, "cannot allow the host: no");
    stage.refuse(allowed.clone(), why);
    stage.send(Msg::Run(Update::Taken(Box::new(allowed))));
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_host_that_is_allowed_already_only_runs_again() {
    let mut stage = npm();
    stage.engine(Event::Sandbox(SandboxEvent::Widened {
        by: Widening::Host(HOST.into()),
    }));
    stage.press("@");
    stage.wait(ARMING);
    stage.press("n");
    assert_eq!(stage.commands(), [again()]);
}

#[test]
fn a_file_that_was_to_be_written_gives_its_directory() {
    let mut stage = of(vec![Refused {
        exact: false,
        ..Refused::exact(RefusedKind::Write, "/opt/data/out.bin")
    }]);
    stage.press("@");
    stage.wait(ARMING);
    assert!(stage.text().contains("write /opt/data "), "{}", stage.text());
    assert!(
        stage.text().contains("seen in the output; allow"),
        "{}",
        stage.text()
    );
    stage.press("enter");
    let by = widen(Widening::Directory("/opt/data".into()));
    assert_eq!(stage.commands(), std::slice::from_ref(&by));
    stage.send(Msg::Run(Update::Taken(Box::new(by))));
    assert_eq!(stage.commands(), [again()]);
}

#[test]
fn hidden_and_protected_paths_have_no_key() {
    let mut stage = of(vec![
        Refused::exact(RefusedKind::Read, "/home/ada/.ssh/id"),
        Refused::exact(RefusedKind::Protected, ".git/hooks/pre-commit"),
        Refused::exact(RefusedKind::Write, "/home/ada/.ssh/known_hosts"),
    ]);
    stage.press("@");
    stage.wait(ARMING);
    let text = stage.text();
    for words in [
        "hidden; `show` of [sandbox]",
        "protected; it was not changed",
        "is hidden from commands",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let rows = &stage.model.stack.top::<RefusedList>().unwrap().rows;
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert!(!text.contains("seen in the output"), "{text}");
    for keys in ["n", "g enter", "j enter", "t"] {
        stage.press(keys);
        assert_eq!(stage.commands(), [], "{keys}");
    }
    assert!(stage.model.stack.is_top::<RefusedList>());
}

#[test]
fn of_several_hosts_the_key_goes_to_the_first_and_the_marked_one_counts() {
    let host = |name: &str| Refused::exact(RefusedKind::Network, name);
    let mut stage = of(vec![host("a.example:443"), host("b.example:443")]);
    stage.press("@ G");
    stage.wait(ARMING);
    stage.press("n");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("Press n again"), "{}", stage.status());
    stage.press("j");
    stage.wait(ARMING);
    stage.press("n");
    assert_eq!(stage.commands()[0], widen(Widening::Host("b.example:443".into())));
}

#[test]
fn o_previews_the_same_call_outside_and_its_commit_approves_nothing() {
    let mut stage = npm();
    stage.press("@");
    stage.wait(ARMING);
    stage.press("o");
    assert_eq!(stage.commands(), [], "it is previewed first");
    stage.wait(ARMING);
    assert!(stage.text().contains(REASON), "{}", stage.text());
    assert!(!stage.text().contains("commit and run it"), "{}", stage.text());
    stage.press("enter");
    let commands = stage.commands();
    let [Command::Edit(EditCommand::Commit { edits, .. })] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    let [Edit::Call { node, tool, args, .. }] = edits.as_slice() else {
        panic!("{edits:?}");
    };
    assert_eq!((*node, &**tool), (id("c3"), "shell"));
    assert_eq!(outside(args).as_deref(), Some(REASON));
    assert!(args.starts_with(r#"{"command":"npm ci""#), "{args}");
}

#[test]
fn t_keeps_the_change_that_was_undone() {
    let mut stage = npm();
    stage.press("@");
    stage.wait(ARMING);
    assert!(stage.text().contains(".mcp.json was changed, restored"));
    stage.press("t");
    let keep = Command::Sandbox(SandboxCommand::Keep {
        call: id("c3"),
        path: ".mcp.json".into(),
    });
    assert_eq!(stage.commands(), [keep]);
    stage.engine(Event::Sandbox(SandboxEvent::Kept {
        call: id("c3"),
        path: ".mcp.json".into(),
        from: "/state/undone-1/.mcp.json".into(),
    }));
    stage.draw();
    assert!(
        !stage.text().contains("was changed, restored"),
        "{}",
        stage.text()
    );
}

#[test]
fn elsewhere_the_page_says_what_holds_and_what_was_allowed() {
    let mut stage = npm();
    stage.engine(Event::Sandbox(SandboxEvent::Widened {
        by: Widening::Host("a.example".into()),
    }));
    stage.on("t2");
    stage.press("@");
    let text = stage.text();
    for words in [
        "sandbox 1 partial",
        "no writes outside",
        "(G2): no user namespaces",
        "overrule doctor",
        "in this session: a.example",
        "c3 network registry.example.org:443",
        "2 paths",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    stage.press("G n o t enter");
    assert_eq!(stage.commands(), []);
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
}

#[test]
fn without_a_sandbox_the_page_says_what_that_means() {
    let mut stage = Stage::new(100, 40);
    stage.fixing();
    stage.confine(Profile::default());
    stage.press("@");
    let text = stage.text();
    assert!(stage.model.stack.is_top::<SandboxPage>());
    assert!(
        text.contains("no sandbox")
            && text.contains("--sandbox 1")
            && text.contains("can do all that you can"),
        "{text}"
    );
    assert!(!text.contains("writes"), "{text}");
}

#[test]
fn untrusted_names_are_shown_in_their_visible_form() {
    let mut stage = of(vec![Refused::exact(
        RefusedKind::Network,
        "a\u{202e}b.example:443",
    )]);
    assert!(stage.text().contains("a⟨U+202E⟩b.example"), "{}", stage.text());
    stage.press("@");
    assert!(!stage.text().contains('\u{202e}'), "{}", stage.text());
    stage.confine(Stage::profile(Some(Guarantee::Network)));
    stage.on("p1");
    stage.press("esc @");
    assert!(!stage.text().contains('\u{202e}'), "{}", stage.text());
}

#[test]
fn a_row_of_the_queue_says_what_was_refused() {
    let rows = |refused: &[Refused]| {
        let mut stage = Stage::new(140, 40);
        stage.fixing();
        stage.confine(Stage::profile(None));
        stage.request(2, 1);
        stage.thought("t2", "I install what the tests need.");
        stage.awaiting("c3", "shell", r#"{"command":"npm ci"}"#);
        stage.draw();
        stage.press("2");
        stage.approved("c3");
        stage.start("c3");
        if !refused.is_empty() {
            stage.engine(Event::Sandbox(SandboxEvent::Confined {
                call: id("c3"),
                attempt: Attempt(1),
                refused: refused.to_vec(),
            }));
        }
        let outcome = Outcome::Ok {
            value: "\"npm error\"".into(),
            meta: None,
            discarded: 0,
            exit: Some(1),
        };
        stage.finish("c3", outcome);
        stage.draw();
        texts(&stage.model).1.join("\n")
    };
    let refused = rows(&[Refused::exact(RefusedKind::Network, HOST)]);
    assert!(
        refused.contains("exit 1, refused: network registry.example.org"),
        "{refused}"
    );
    let none = rows(&[]);
    assert!(none.contains("exit 1") && !none.contains("refused"), "{none}");
}

/// A run whose tool has this origin was refused a host.
fn elsewhere(source: &str) -> Stage {
    let mut stage = npm();
    let mut started = (**stage.model.run.state.started.as_ref().unwrap()).clone();
    for card in started.tools.iter_mut().filter(|card| &*card.name == "shell") {
        card.confined = source == ToolOrigin::AGENT;
        card.origin = Some(Box::new(ToolOrigin {
            source: source.into(),
            server: None,
            tool: card.name.clone(),
            title: None,
            drift: None,
            pin: "p".into(),
        }));
    }
    stage.engine(Event::Run(RunEvent::Refitted {
        started: Box::new(started),
    }));
    stage
}

#[test]
fn a_process_with_a_sandbox_of_its_own_is_not_allowed_more_by_a_key() {
    for (source, words) in [
        (ToolOrigin::AGENT, "from the next start of the agent"),
        ("mcp", "from the next start of the server"),
    ] {
        let mut stage = elsewhere(source);
        stage.press("@");
        stage.wait(ARMING);
        assert!(stage.text().contains(words), "{}", stage.text());
        assert!(!stage.text().contains("run once outside"), "{}", stage.text());
        for key in ["n", "o", "enter"] {
            stage.press(key);
            assert_eq!(stage.commands(), [], "{source} {key}");
        }
    }
}

#[test]
fn what_is_read_only_in_the_workspace_is_not_allowed_by_a_directory() {
    let path = "/home/ada/stats/.git/index.lock";
    let mut stage = of(vec![Refused::exact(RefusedKind::Write, path)]);
    stage.press("@");
    let text = stage.text();
    assert!(text.contains("protected, or it could not be restored"), "{text}");
    assert!(text.contains("run once outside the sandbox"), "{text}");
    assert!(!text.contains("allow in this session"), "{text}");
    stage.wait(ARMING);
    stage.press("n");
    assert_eq!(stage.commands(), []);
}
