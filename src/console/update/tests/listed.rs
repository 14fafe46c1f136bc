//! Tests lists of several calls: each list and the inspector say the same about a call.

use crate::testing::{Stage, id};
use overrule_domain::call::{Digest, FileCheck, Operand};
use overrule_domain::event::{CallEvent, EditEvent, Event};
use overrule_domain::id::Rev;
use overrule_domain::node::{Content, Origin};

/// Two waiting calls. The first was repaired, and runs a file that changed since the call asked
/// before.
fn stage() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    let ready = |stage: &mut Stage, call: &str, rev: u32, hash: &str| {
        stage.call(CallEvent::Ready {
            call: id(call),
            rev: Rev(rev),
            bindings: Vec::new(),
            resolved: None,
            digest: Digest(format!("digest-of-{call}-r{rev}").into()),
            operands: vec![Operand {
                path: "bin/deploy.sh".into(),
                bytes: 812,
                seen: FileCheck::Whole,
                hash: hash.into(),
            }],
            verdict: Stage::verdict(),
        });
        stage.call(CallEvent::Asked {
            call: id(call),
            rev: Rev(rev),
            deadline_ms: None,
            approver: None,
        });
    };
    stage.proposed("c3", "write_file", r#"{"path":"bin/a"}"#);
    ready(&mut stage, "c3", 1, "0123456789abcdef");
    stage.engine(Event::Edit(EditEvent::Revised {
        node: id("c3"),
        rev: Rev(2),
        content: Content::Call {
            tool: "write_file".into(),
            args: r#"{"path":"bin/b"}"#.into(),
        },
        origin: Origin::Repair { attempt: 1 },
        approves: None,
    }));
    ready(&mut stage, "c3", 2, "fedcba9876543210");
    stage.awaiting("c4", "write_file", r#"{"path":"bin/x"}"#);
    stage.draw();
    stage.press("2 g");
    stage
}

/// Opens the preview of a rule about all calls of the tool.
fn with_rule(stage: &mut Stage) {
    stage.press("+ e ctrl-s");
}

#[test]
fn every_approval_list_shows_the_executed_files_and_who_changed_the_calls() {
    let mut shown: Vec<Vec<String>> = Vec::new();
    for open in [|stage: &mut Stage| stage.press("A"), with_rule] {
        let mut stage = stage();
        open(&mut stage);
        let text = stage.flat();
        for words in [
            "may run bin/deploy.sh 812 bytes, fedcba987654",
            "it holds something else than when this was asked before",
            "repaired",
            "16 bytes unread",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert_eq!(
            text.matches("repaired").count() - text.matches("(repaired").count(),
            1,
            "what the model wrote itself is not called so: {text}"
        );
        let doc = stage.model.stack.doc().unwrap();
        let rows: Vec<String> = doc
            .window(0, doc.rows(), None)
            .iter()
            .map(crate::ground::doc::Styled::plain)
            .collect();
        let from = rows
            .iter()
            .position(|row| row.starts_with("c3 revision 2"))
            .unwrap();
        let upto = rows.iter().position(|row| row.starts_with("c4 digest")).unwrap();
        shown.push(rows[from..=upto].to_vec());
    }
    assert_eq!(shown[0], shown[1], "the same facts, from the same place");
}

#[test]
fn the_queue_marks_calls_changed_since_the_model_wrote_them() {
    let mut stage = stage();
    assert!(stage.text().contains("(repaired)"), "{}", stage.text());
    let operator = Origin::Operator {
        user: "operator".into(),
    };
    stage.awaiting_revised("c4", ("read_file", r#"{"path":"a"}"#), operator);
    let text = stage.text();
    assert!(text.contains("(edited, another tool than write_file)"), "{text}");
    assert_eq!(text.matches("(repaired)").count(), 1, "{text}");
}
