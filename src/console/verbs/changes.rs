//! Shows all files that the run wrote, as one difference against their state before the run.
//!
//! Must not know: what is recorded of a file.

use crate::ground::theme::Role;
use crate::kernel::context::PANES;
use crate::kernel::verb::Verb;
use crate::run::maker::Maker;
use crate::surfaces::documents::diff_texts;
use crate::surfaces::page::Page;
use overrule_base::text::visible;
use overrule_domain::changes::changes;

/// The verb `changes`.
pub const VERB: Verb = Verb {
    name: "changes",
    keys: &["ctrl-g"],
    contexts: PANES,
    doc: "show all files that the run wrote, as one difference to how they were before",
    run: |model, _| {
        model
            .stack
            .push(Page::new("changed files", |maker, _| page(maker)));
        Ok(())
    },
    ..Verb::BASE
};

fn page(maker: &mut Maker<'_>) {
    let all = changes(&maker.run.state);
    if all.files.is_empty() {
        maker.own(Role::Dim, "No file tool has written a file.");
    }
    for file in &all.files {
        maker.own(Role::Title, visible(&file.path));
        maker.own(Role::Dim, file.describe());
        if let Some((before, after)) = file.texts().filter(|(before, after)| before != after) {
            diff_texts(maker, &[before.into(), after.into()]);
        }
    }
    for one in &all.unrecorded {
        let tool = visible(&one.tool);
        maker.own(
            Role::Warning,
            format!("{} {tool} may have changed files: not recorded", one.call),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::surfaces::page::Page;
    use crate::testing::{Stage, id};
    use overrule_domain::call::Decision;
    use overrule_domain::event::CallEvent;
    use overrule_domain::id::{Attempt, Rev};

    /// Starts a call of a tool that recorded the file before it.
    fn write(stage: &mut Stage, call: &str, args: &str, (before, after): (Option<&str>, &str)) {
        let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
        let recorded = serde_json::json!({
            "before": before.map(hash), "after": hash(after), "content": before,
        });
        stage.proposed(call, "write_file", args);
        stage.ready(call, 1);
        stage.call(CallEvent::Decided {
            call: id(call),
            rev: Rev(1),
            digest: None,
            decision: Decision::Auto { rule: "test".into() },
        });
        let effect = stage.model.run.state.call(id(call)).unwrap().effect;
        stage.call(CallEvent::Started {
            call: id(call),
            rev: Rev(1),
            attempt: Attempt(1),
            key: "k".into(),
            same: format!("same-{call}").into(),
            effect,
            task: None,
            before: Some(recorded.to_string().into()),
            thread: None,
            guards: Vec::new(),
        });
    }

    #[test]
    fn the_files_of_the_run_are_one_difference_against_their_state_before_it() {
        let mut stage = Stage::new(100, 40);
        stage.begin();
        let first = r#"{"path":"a.md","content":"two\n"}"#;
        write(&mut stage, "c3", first, (Some("one\n"), "two\n"));
        let second = r#"{"path":"./a.md","content":"three\n"}"#;
        write(&mut stage, "c4", second, (Some("two\n"), "three\n"));
        stage.running("c5", "write_file", r#"{"path":"b.md","content":"b"}"#);
        stage.press("ctrl-g");
        let text = stage.text();
        for row in [
            "a.md",
            "changed by c3, c4",
            "− one",
            "+ three",
            "c5 write_file may have changed files",
        ] {
            assert!(text.contains(row), "{row}: {text}");
        }
        assert!(
            !text.contains("two"),
            "a state between is no change of the run: {text}"
        );
        assert_eq!(stage.commands(), []);
    }

    #[test]
    fn a_run_that_wrote_nothing_says_so_and_sends_nothing() {
        let mut stage = Stage::new(100, 30);
        stage.begin();
        stage.press("ctrl-g");
        let text = stage.text();
        assert!(text.contains("No file tool has written a file."), "{text}");
        assert!(stage.model.stack.is_top::<Page>());
        assert_eq!(stage.commands(), []);
    }
}
