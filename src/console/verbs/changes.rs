//! Shows what changed files: by call, or all files that the run wrote against their state before it.
//!
//! Must not know: what is recorded of a file.

use crate::ground::theme::Role;
use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::verb::Verb;
use crate::run::changes;
use crate::run::maker::Maker;
use crate::surfaces::changes::ChangesPage;
use crate::surfaces::documents::diff_texts;
use crate::surfaces::page::Page;
use overrule_base::text::visible;
use overrule_domain::changes::changes as changed_files;

/// The verb `changes`.
pub const VERB: Verb = Verb {
    name: "changes",
    keys: &["ctrl-g"],
    contexts: PANES,
    doc: "show what changed files, by call and newest first; what you have not seen is marked",
    run: |model, _| {
        if changes::listed(&model.run.state).is_empty() {
            by_file(model);
        } else {
            model.stack.push(ChangesPage::default());
        }
        Ok(())
    },
    ..Verb::BASE
};

/// Shows all files that the run wrote.
pub(crate) fn by_file(model: &mut Model) {
    model.stack.push(Page::new("changed files", |maker, parts| {
        page(maker, &parts.settings.session);
    }));
}

fn page(maker: &mut Maker<'_>, session: &str) {
    let all = changed_files(&maker.run.state);
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
    if all.files.iter().any(|file| file.texts().is_none()) {
        let session = visible(session);
        let words = format!("`overrule changes {session}` shows the contents that are not in the record");
        maker.own(Role::Dim, words);
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
    use crate::testing::Stage;

    #[test]
    fn the_files_of_the_run_are_one_difference_against_their_state_before_it() {
        let mut stage = Stage::new(100, 40);
        stage.begin();
        let first = r#"{"path":"a.md","content":"two\n"}"#;
        stage.writes_file("c3", first, (Some("one\n"), "two\n"));
        let second = r#"{"path":"./a.md","content":"three\n"}"#;
        stage.writes_file("c4", second, (Some("two\n"), "three\n"));
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
        assert!(!text.contains("overrule changes"), "all texts are shown: {text}");
        assert!(
            !text.contains("two"),
            "a state between is no change of the run: {text}"
        );
        assert_eq!(stage.commands(), []);
    }

    #[test]
    fn what_commands_changed_is_named_with_the_verb_that_shows_it() {
        let mut stage = Stage::new(100, 40);
        stage.changed_by_command();
        stage.press("ctrl-g tab");
        let text = stage.text();
        for row in [
            "README.md",
            "changed by c3",
            "`overrule changes s1` shows the contents",
        ] {
            assert!(text.contains(row), "{row}: {text}");
        }
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
