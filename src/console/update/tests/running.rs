//! Tests what the screen shows of a call that runs, and that an idle console is not woken.

use std::sync::Arc;

use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::testing::{Stage, id};
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::event::run::ToolOrigin;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::Attempt;
use overrule_domain::live::LiveOutput;

fn stage(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.begin();
    stage.has_tool("shell", EffectClass::Write, &[]);
    stage.clock = 1_000;
    stage.running("c3", "shell", r#"{"command":"make"}"#);
    stage.draw();
    stage
}

fn prints(stage: &mut Stage, text: &str, bytes: u64) {
    let output = LiveOutput {
        attempt: Attempt(1),
        text: text.into(),
        bytes,
    };
    stage.send(Msg::Run(Update::Outputs(
        [(id("c3"), output)].into_iter().collect(),
    )));
    stage.draw();
}

#[test]
fn a_running_call_shows_its_time_and_its_newest_output() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = stage(width, height);
        stage.wait(7_000);
        let text = stage.text();
        assert!(text.contains("running 7 s"), "{text}");
        prints(&mut stage, "compiling a\ncompiling \u{1b}[2Jb\n", 28);
        stage.press("1 G");
        let text = stage.text();
        let row = text.lines().find(|line| line.contains("c3  shell")).unwrap();
        assert!(row.contains("compiling ⟨U+001B⟩[2Jb") || width < 100, "{row}");
        assert!(text.contains("printed 28 bytes; the last lines:"), "{text}");
        assert!(text.contains("  compiling a"), "{text}");
        // The output disappears when the call ends.
        stage.finish("c3", Outcome::ok(r#""done""#));
        let text = stage.text();
        assert!(!text.contains("compiling") && !text.contains("running"), "{text}");
    }
}

#[test]
fn the_newest_line_of_a_running_call_is_on_the_screen() {
    for (width, height, shown) in [(80, 24, 3..7), (160, 50, 8..9)] {
        let mut stage = stage(width, height);
        stage.press("1 G");
        let lines: Vec<String> = (1..=20).map(|no| format!("part {no} of 20")).collect();
        prints(&mut stage, &lines.join("\n"), 400);
        let text = stage.text();
        let rows = text
            .lines()
            .filter(|row| row.contains("  part ") && row.ends_with(" of 20"));
        let rows: Vec<&str> = rows.collect();
        assert!(
            rows.last().is_some_and(|row| row.ends_with("part 20 of 20")),
            "{text}"
        );
        assert!(shown.contains(&rows.len()), "{text}");
    }
}

#[test]
fn the_spinner_wakes_the_console_only_while_something_runs() {
    let mut stage = stage(120, 40);
    let wake = stage.model.wake_at();
    assert!(wake.is_some_and(|at| at <= stage.now + 250), "{wake:?}");
    stage.finish("c3", Outcome::ok(r#""done""#));
    stage.close();
    stage.wait(10_000);
    assert_eq!(stage.model.wake_at(), None);
}

#[test]
fn output_of_another_execution_is_not_shown() {
    let mut stage = stage(120, 40);
    let output = LiveOutput {
        attempt: Attempt(2),
        text: "not this".into(),
        bytes: 8,
    };
    stage.send(Msg::Run(Update::Outputs(
        [(id("c3"), output)].into_iter().collect(),
    )));
    assert!(!stage.text().contains("not this"));
}

#[test]
fn the_answer_is_announced_with_the_way_to_it() {
    for (pane, way) in [
        ("1 k", "G then enter"),
        ("2", "1 then enter"),
        ("3", "1 then G then enter"),
    ] {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.thought("a3", "done");
        stage.close();
        stage.draw();
        stage.press(pane);
        stage.engine(Event::Run(RunEvent::Finished {
            answer: id("a3"),
            failed: Vec::new(),
        }));
        stage.draw();
        assert_eq!(
            stage.status(),
            format!("The agent answered (a3). {way} shows the whole answer")
        );
        stage.press(&way.replace(" then", ""));
        assert_eq!(stage.selected(), Some(id("a3")), "{pane}");
        assert!(stage.model.graph.is_transcript(), "{pane}");
    }
}

#[test]
fn who_follows_the_run_reads_its_answer_until_it_goes_on() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("a3", "# Done\n\n- one\n- two");
    stage.close();
    stage.draw();
    stage.engine(Event::Run(RunEvent::Finished {
        answer: id("a3"),
        failed: Vec::new(),
    }));
    stage.draw();
    assert_eq!(stage.status(), "The agent answered (a3)");
    let text = stage.text();
    assert!(text.contains("transcript") && text.contains("★ answer"), "{text}");
    assert!(text.contains("   Done") && text.contains("   • one"), "{text}");
    stage.prompt_turn(3, "p4", "more");
    stage.draw();
    assert!(!stage.model.graph.is_transcript(), "the graph is back");
    // Who reads the transcript goes on reading it.
    stage.press("ctrl-t");
    stage.prompt_turn(4, "p5", "and more");
    stage.draw();
    assert!(stage.model.graph.is_transcript());
    stage.press("esc");
    assert!(!stage.model.graph.is_transcript());
}

#[test]
fn a_call_that_an_agent_has_is_with_the_agent_and_after_a_minute_its_user_may_be_asked() {
    for (width, height) in [(100, 30), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.has_tool("shell", EffectClass::Write, &[]);
        let started = stage.model.run.state.started.as_mut().unwrap();
        let tools = &mut Arc::make_mut(started).tools;
        tools[0].origin = Some(Box::new(ToolOrigin {
            source: ToolOrigin::AGENT.into(),
            server: None,
            tool: "shell".into(),
            title: None,
            pin: "pin".into(),
            drift: None,
        }));
        stage.clock = 1_000;
        stage.running("c3", "shell", r#"{"command":"make"}"#);
        stage.press("1 G");
        stage.wait(7_000);
        let text = stage.text();
        assert!(text.contains("with the agent 7 s"), "{text}");
        assert!(
            !text.contains("may be asking") && !text.contains("running"),
            "{text}"
        );
        stage.wait(60_000);
        let text = stage.text();
        assert!(text.contains("s; it may be asking its user"), "{text}");
        stage.finish("c3", Outcome::ok(r#""done""#));
        let text = stage.text();
        assert!(!text.contains("with the agent"), "{text}");
    }
}
