//! Tests the key that corrects the class of an error, and its page.
//!
//! Must not know: where settings are stored.

use std::sync::Arc;

use crate::kernel::msg::{Msg, Out};
use crate::testing::Stage;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::event::{Event, ResilienceEvent};
use overrule_resilience::correction::{Correction, Verdict};
use overrule_resilience::policy::Policy;

/// The page on the failed call of the sample.
fn shown(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.sample();
    stage.model.settings.files.path = Some("/home/ann/.config/overrule/config.toml".to_owned());
    stage.press("f %");
    stage
}

fn stored(stage: &mut Stage) -> Vec<Correction> {
    let out = std::mem::take(&mut stage.out);
    let stored = out.into_iter().filter_map(|out| match out {
        Out::Keep(correction) => Some(*correction),
        _ => None,
    });
    stored.collect()
}

#[test]
fn the_page_shows_the_error_the_rule_and_the_answers() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut stage = shown(width, height);
        let text = stage.text();
        for words in [
            "is this error permanent or temporary?",
            "c4 failed (not found)",
            "read_file",
            "pattern",
            "/home/ann/.config/overrule/config.toml",
            "permanent: do not retry errors like this",
            "temporary: retry errors like this",
            "stays as it is",
        ] {
            assert!(text.contains(words), "no `{words}` at {width}:\n{text}");
        }
        assert_eq!(stage.commands(), [], "nothing is said yet");
    }
}

#[test]
fn an_answer_requests_the_rule_and_the_run_uses_it_once_stored() {
    for (key, verdict) in [("p", Verdict::Permanent), ("t", Verdict::Temporary)] {
        let mut stage = shown(120, 40);
        stage.press(key);
        let asked = stored(&mut stage);
        assert_eq!(asked.len(), 1, "{}", stage.status());
        assert_eq!((&*asked[0].tool, asked[0].error), ("read_file", verdict));
        assert_eq!((&*asked[0].call, &*asked[0].session), ("c4", "s1"));
        assert_eq!(stage.commands(), [], "the run hears of it once it is kept");
        stage.send(Msg::CorrectionStored(Ok(Box::new(asked[0].clone()))));
        assert!(stage.model.stack.is_empty());
        let sent = stage.commands();
        let [Command::Resilience(ResilienceCommand::Configure { key, value })] = &sent[..] else {
            panic!("{sent:?}")
        };
        assert_eq!(&**key, "errors.corrections");
        let list: Vec<Correction> = serde_json::from_str(value).unwrap();
        assert_eq!(list, asked);
        assert!(
            stage
                .status()
                .contains("from the next failure on. c4 stays as it is"),
            "{}",
            stage.status()
        );
    }
}

#[test]
fn a_rule_that_cannot_be_stored_changes_nothing_and_the_page_stays() {
    let mut stage = shown(80, 24);
    stage.press("p");
    stage.out.clear();
    stage.send(Msg::CorrectionStored(Err(
        "failed to write config.toml: nothing was changed".to_owned(),
    )));
    assert_eq!(stage.commands(), []);
    assert!(
        stage.status().contains("nothing was changed"),
        "{}",
        stage.status()
    );
    assert_eq!(stage.model.stack.len(), 1);
}

#[test]
fn the_pattern_can_be_changed_and_a_wrong_one_is_refused_before_anything_is_written() {
    let mut stage = shown(120, 40);
    stage.press("e");
    stage.press("( enter");
    assert!(
        stage.text().contains("permanent: do not retry"),
        "the page is there again"
    );
    stage.press("p");
    assert!(stored(&mut stage).is_empty());
    assert!(stage.status().contains("unclosed group"), "{}", stage.status());
    stage.press("e");
    stage.press("n o enter");
    stage.press("p");
    let asked = stored(&mut stage);
    assert_eq!(asked.len(), 1, "{}", stage.status());
    assert_eq!(asked[0].matches, "no");
}

#[test]
fn a_rule_that_is_in_force_is_not_sent_again_when_its_file_is_read() {
    let mut stage = shown(120, 40);
    stage.press("p");
    let rule = stored(&mut stage).remove(0);
    let policy = |corrections: Vec<Correction>| {
        let mut policy = Policy::default();
        policy.errors.corrections = corrections;
        policy
    };
    let read = |policy: &Policy| {
        Msg::Files(crate::kernel::files::Read {
            policy: policy.values(),
            theme: "dark".to_owned(),
            ..Default::default()
        })
    };
    stage.send(read(&policy(Vec::new())));
    let with = policy(vec![rule]);
    stage.engine(Event::Resilience(ResilienceEvent::PolicySet {
        version: 1,
        policy: Arc::from(with.to_text()),
        live: true,
        changed: Vec::new(),
    }));
    stage.send(read(&with));
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_call_that_did_not_fail_is_refused_with_that_reason() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.press("t %");
    assert!(stage.model.stack.is_empty());
    assert!(stage.status().contains("was not executed"), "{}", stage.status());
}
