//! Tests what the decision frame shows next to the arguments, and who says it.

use crate::ground::theme::Role;
use crate::kernel::inspector::Tab;
use crate::kernel::pane::Pane;
use crate::testing::{ARMING, Stage, flat, id};
use overrule_domain::call::{Consequence, Decision, Quoted, Verdict};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::Rev;
use overrule_domain::node::Origin;

/// A selected write with this verdict of the policy.
fn asked(width: u16, verdict: Verdict) -> Stage {
    let mut stage = Stage::exact(width, 40);
    stage.begin();
    let args = r#"{"path":"a.md","content":"b"}"#;
    stage.awaiting_by("c3", ("write_file", args), verdict);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

/// The rows of the inspector, with the role of each part.
pub(super) fn rows(stage: &mut Stage) -> Vec<Vec<(Role, String)>> {
    stage.draw();
    let doc = &stage.model.inspector.doc;
    let rows = doc.window(0, doc.rows(), None).into_iter();
    rows.map(|row| row.0.into_iter().map(|piece| (piece.role, piece.text)).collect())
        .collect()
}

#[test]
fn a_reason_from_the_workspace_is_quoted() {
    let evil = "approved by the administrator; press a\" \u{1b}[2J\u{202e}┃ may this call run? ".to_owned();
    let words = format!("{evil}{}", "x".repeat(5000));
    let verdict = Verdict {
        rule: format!("workspace overrule.toml:3: {{ reason = {words:?} }}"),
        reason: format!("the workspace's rule says \"{words}\""),
        quoted: Some(Quoted {
            place: "overrule.toml:3".into(),
            words: Some(words),
        }),
        ..Stage::verdict()
    };
    for width in [60, 100, 160] {
        let mut stage = asked(width, verdict.clone());
        let rows = rows(&mut stage);
        let plain: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(|(_, text)| text.as_str()).collect())
            .collect();
        let flat = flat(&plain.join(" "));
        assert!(
            flat.contains("a rule of the workspace (overrule.toml:3) asks"),
            "{flat}"
        );
        assert!(
            flat.contains("the workspace's rule says \"approved by the administrator; press a⟨U+0022⟩"),
            "{flat}"
        );
        // Only the quotation marks have the look of the console's own words, and only the last one ends
        // the quote.
        let output: Vec<&(Role, String)> = rows
            .iter()
            .flatten()
            .filter(|(_, text)| {
                "approved by the administrator; press a".contains(text.trim()) && text.len() > 6
            })
            .collect();
        assert!(!output.is_empty());
        assert!(output.iter().all(|(role, _)| *role == Role::Dim), "{output:?}");
        let many = flat.matches('x').count();
        assert!(many < 300, "cut: {many}");
        assert!(flat.contains("⟨U+202E⟩") && flat.contains("⟨U+2503⟩"), "{flat}");
    }
}

#[test]
fn in_the_log_and_the_attempts_it_is_a_quotation_too() {
    let words = "allowed\" by the operator \u{1b}[2J; press a";
    let rule = format!("workspace overrule.toml:3: {{ gate = \"deny\", reason = {words:?} }}");
    let reason = format!("the workspace's rule says \"{words}\"");
    let verdict = Verdict {
        rule: rule.clone(),
        reason: reason.clone(),
        ..Stage::verdict()
    };
    let mut stage = asked(240, verdict);
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Deny { rule, reason },
    });
    let output = r#"a rule of the workspace (overrule.toml:3), which says "allowed\" by the operator ⟨U+001B⟩[2J; press a""#;
    stage.press("L");
    let log = stage.text();
    assert!(
        log.contains("c3 awaits approval: a rule of the workspace (overrule.toml:3) asks"),
        "{log}"
    );
    assert!(log.contains(&format!("denied by {output}")), "{log}");
    assert!(!log.contains("gate ="), "{log}");
    stage.press("L 1 G ]");
    stage.model.inspector.choose(Tab::Attempts, Pane::GRAPH);
    let flat = stage.flat();
    assert!(flat.contains("denied by a rule of the workspace"), "{flat}");
    assert!(
        flat.contains("because    a rule") || flat.contains("because a rule"),
        "{flat}"
    );
    assert!(!flat.contains("gate ="), "{flat}");
}

#[test]
fn a_workspace_reason_from_an_older_journal_is_quoted_too() {
    let verdict = Verdict {
        rule: "workspace overrule.toml:3: { reason = \"press a\" }".into(),
        reason: "press a".into(),
        ..Stage::verdict()
    };
    let mut stage = asked(100, verdict);
    let text = stage.text();
    assert!(text.contains("a rule of the workspace asks"), "{text}");
    assert!(text.contains("the workspace's rule says \"press a\""), "{text}");
    assert!(!text.contains("reason ="), "{text}");
}

#[test]
fn the_whole_of_what_is_approved_is_looked_through() {
    let mut stage = Stage::exact(100, 40);
    stage.begin();
    let far = "x".repeat(300_000);
    let args = format!(
        r#"{{"path":"a.md","content":"{far} p\u0430ypal and pаypal \u202egnp.exe {} and \u200b"}}"#,
        "раypal ".repeat(7)
    );
    let at = args.find("p\\u0430ypal").unwrap();
    stage.awaiting("c3", "write_file", &args);
    stage.draw();
    stage.press("2");
    let text = stage.text();
    let flat = stage.flat();
    assert!(
        flat.contains(&format!(
            "byte {at}: letters of different scripts in one word: pаypal"
        )),
        "{text}"
    );
    assert!(
        flat.contains("turns the direction of the text: ⟨U+202E⟩"),
        "{text}"
    );
    assert!(
        flat.contains("characters that cannot be seen: ⟨U+200B⟩"),
        "{text}"
    );
    assert!(
        flat.contains("11 places in all: 9 words with letters of different scripts, 1 mark that turns"),
        "{text}"
    );
}

#[test]
fn a_deadline_counts_down_and_shows_its_consequence() {
    let with = |on_expiry| Verdict {
        deadline_ms: Some(90_000),
        on_expiry,
        ..Stage::verdict()
    };
    let mut stage = asked(120, with(Consequence::Deny));
    let text = stage.text();
    assert!(text.contains("deadline   90 s to answer, then: denied"), "{text}");
    assert!(text.contains("(denied in 88 s)"), "{text}");
    assert!(
        stage.model.wake_at().is_some_and(|at| at <= stage.now + 1000),
        "it counts"
    );
    stage.wait(30_000);
    assert!(stage.text().contains("(denied in 58 s)"), "{}", stage.text());
    // A paused run stops the deadline, which starts again after that.
    let reason = "wait".to_owned();
    stage.engine(Event::Run(RunEvent::Paused { reason }));
    assert!(
        stage.text().contains("(denied 90 s after the pause)"),
        "{}",
        stage.text()
    );
    stage.clock = i64::try_from(stage.now).unwrap();
    stage.engine(Event::Run(RunEvent::Resumed {}));
    assert!(stage.text().contains("(denied in 90 s)"), "{}", stage.text());

    let mut stage = asked(120, with(Consequence::Escalate));
    assert!(stage.text().contains("(escalated in 88 s)"), "{}", stage.text());
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Expire {
            consequence: Consequence::Escalate,
        },
    });
    let text = stage.text();
    assert!(text.contains("(overdue)"), "{text}");
    assert!(text.contains("overdue: no answer within 90 s"), "{text}");
}

#[test]
fn what_waits_for_ever_has_no_deadline() {
    let mut stage = asked(120, Stage::verdict());
    assert!(!stage.text().contains("deadline"), "{}", stage.text());
}

#[test]
fn the_reason_given_by_the_model_is_shown_outside_the_decision_as_a_quotation() {
    let evil = "approved by the administrator\\u001b[2J\\u202e┃ may this call run? end of the arguments";
    let args = format!(r#"{{"path":"a.md","_why":"{evil}","content":"b"}}"#);
    for width in [80, 120, 220] {
        let mut stage = Stage::exact(width, 40);
        stage.begin();
        stage.awaiting("c3", "write_file", &args);
        stage.draw();
        stage.press("2");
        stage.wait(ARMING);
        let plain = |rows: &[Vec<(Role, String)>]| -> Vec<String> {
            let of = |row: &Vec<(Role, String)>| row.iter().map(|(_, text)| text.as_str()).collect();
            rows.iter().map(of).collect()
        };
        let all = rows(&mut stage);
        let lines = plain(&all);
        let end = lines
            .iter()
            .rposition(|line| line.contains(r#"{"path""#) && !line.contains('▍'));
        let output = lines
            .iter()
            .position(|line| line.contains("the agent says: approved"));
        let (end, output) = (end.unwrap(), output.unwrap());
        assert!(output > end, "{lines:?}");
        assert_eq!(all[output][0].0, Role::ModelText, "{:?}", all[output]);
        assert!(lines[output].starts_with('▍'), "{}", lines[output]);
        for row in &all[..=end] {
            let text: String = row.iter().map(|(_, text)| text.as_str()).collect();
            assert!(
                !text.contains("administrator") && !text.contains("_why"),
                "{text}"
            );
        }
        assert!(
            !lines.concat().contains("_why"),
            "the screen shows the arguments that would run"
        );
        assert!(!lines.concat().contains(['\u{1b}', '\u{202e}']));
        // The tab with the content has all of it.
        stage.press("<");
        let lines = plain(&rows(&mut stage)).concat();
        assert!(lines.contains("▍ the agent says: approved"), "{lines}");
        if width == 120 {
            // A row has no room for it: it is below, with the text of each node.
            stage.press("esc Z Z Z");
            stage.draw();
            assert!(
                stage.text().contains("  the agent says: approved"),
                "{}",
                stage.text()
            );
        }
    }
}

#[test]
fn text_of_the_operator_is_never_shown_as_text_of_the_model() {
    let mut stage = Stage::exact(100, 40);
    stage.begin();
    stage.awaiting(
        "c3",
        "write_file",
        r#"{"path":"a.md","_why":"to see","content":"b"}"#,
    );
    let args = r#"{"path":"b.md","_why":"to see","content":"b"}"#;
    let user = Origin::Operator { user: "ann".into() };
    stage.awaiting_revised("c3", ("write_file", args), user);
    stage.draw();
    for tab in ["1", "2"] {
        stage.press(tab);
        stage.draw();
        assert!(!stage.text().contains("to see"), "{}", stage.text());
    }
}
