//! Tests that the panes at the bottom show true figures and values.
//!
//! Must not know: keys.

use crate::kernel::msg::Msg;
use crate::run::link::{Repository, Update};
use crate::surfaces;
use crate::testing::{Stage, id};
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::event::run::{ContextLimit, Limits, Reduction};
use overrule_domain::event::{Event, RunEvent};

#[test]
fn a_limit_that_stops_the_run_is_named_with_the_command_that_raises_it() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.spent();
        stage.engine(Event::Run(RunEvent::LimitReached {
            which: "turns".into(),
            message: "50 requests made, 50 allowed".into(),
        }));
        let text = stage.text();
        let banner = text.lines().nth(1).unwrap_or_default();
        assert!(
            banner.contains("limit of turns reached: 50 requests made, 50 allowed"),
            "{text}"
        );
        assert!(banner.contains(". :limits raises it"), "{text}");
    }
}

#[test]
fn an_exceeded_limit_is_shown_with_its_true_share() {
    let mut stage = Stage::new(160, 40);
    stage.spent();
    let limits = |tokens| Limits {
        tokens: Some(tokens),
        ..Limits::default()
    };
    // 150 tokens are used.
    stage.engine(Event::Run(RunEvent::LimitsRaised { limits: limits(10) }));
    stage.press("7");
    let text = stage.text();
    assert!(text.contains("1500%"), "{text}");
    assert!(text.contains("limit >999%"), "{text}");
    stage.engine(Event::Run(RunEvent::LimitsRaised { limits: limits(16) }));
    let text = stage.text();
    assert!(text.contains("limit 937%") && !text.contains(">999"), "{text}");
}

#[test]
fn the_header_shows_how_much_of_the_window_is_used() {
    for (window, words) in [(Some(1000), "ctx 15%"), (Some(160), "ctx 93%"), (None, "")] {
        let mut stage = Stage::new(160, 40);
        stage.spent();
        // The newest request and its reply have 150 tokens.
        let context = ContextLimit {
            tokens: None,
            window,
            auto: false,
            by: Reduction::default(),
        };
        let limits = Limits {
            context: Some(context),
            ..Limits::default()
        };
        stage.engine(Event::Run(RunEvent::LimitsRaised { limits }));
        let header = stage.text().lines().next().unwrap_or_default().to_owned();
        assert!(header.contains(words), "{words}: {header}");
        assert_eq!(
            header.contains("ctx"),
            window.is_some(),
            "unknown is not shown: {header}"
        );
    }
}

#[test]
fn a_write_that_failed_is_no_value_of_the_state() {
    let mut stage = Stage::new(130, 40);
    stage.spent();
    stage.press("5");
    let row = |stage: &Stage| {
        stage.model.lower.of(surfaces::state::PANE).unwrap().rows[0]
            .words
            .plain()
    };
    assert!(row(&stage).starts_with("plan = "), "{}", row(&stage));
    stage.finish(
        "c5",
        Outcome::err(ToolError {
            class: ErrorClass::NotFound,
            message: "cannot find the file".into(),
            evidence: "errno ENOENT".into(),
            hint: None,
            partial: None,
            executed: false,
            retry_after_ms: None,
        }),
    );
    stage.draw();
    let words = row(&stage);
    assert!(
        words.starts_with("plan failed (not found): cannot find the file  by c5"),
        "{words}"
    );
    assert_eq!(
        stage.model.run.state.call(id("c5")).unwrap().status.base_label(),
        "failed"
    );
}

#[test]
fn the_header_names_the_branch_and_the_changed_files() {
    let found = |branch: &str, changed| {
        let branch = branch.to_owned();
        Some(Repository { branch, changed })
    };
    for (repository, words) in [
        (found("main", Some(2)), "w:main ±2  "),
        (found("main", Some(0)), "w:main  "),
        (found("main", None), "w:main ±?  "),
        (found("fix/\u{1b}[31m", Some(1)), "w:fix/⟨U+001B⟩[31m ±1  "),
        (
            found(&"long".repeat(20), Some(1)),
            "w:longlonglonglonglonglong… ±1  ",
        ),
        (None, "w  "),
    ] {
        let mut stage = Stage::new(160, 40);
        stage.spent();
        stage.send(Msg::Run(Update::Repository(repository)));
        let header = stage.text().lines().next().unwrap_or_default().to_owned();
        assert!(header.contains(&format!(" {words}")), "{words}: {header}");
    }
}
