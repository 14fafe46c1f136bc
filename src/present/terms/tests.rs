//! Tests the table of terms: complete, short, unambiguous.

use std::collections::BTreeMap;

use super::*;
use overrule_domain::badge::Badge;
use overrule_domain::call::{ConsentCause, Consequence, EffectClass, ErrorClass, Status};
use overrule_domain::id::Attempt;
use overrule_domain::ladder::Stage;
use overrule_domain::live::AgentStatus;
use overrule_domain::result_source::ResultSource;
use overrule_policy::Preset;
use overrule_policy::danger::DangerKind;

fn assert_explained<'l>(labels: impl IntoIterator<Item = &'l str>) {
    let missing: Vec<&str> = labels
        .into_iter()
        .filter(|label| find(label).is_none() && within(label).is_empty())
        .collect();
    assert!(missing.is_empty(), "no term explains {missing:?}");
}

#[test]
fn no_entry_is_longer_than_two_lines() {
    for term in all() {
        let lines = term.lines();
        assert!(lines.len() <= 2, "{lines:?}");
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lines:?}");
        assert!(
            term.meaning.is_ascii() && term.meaning.ends_with(['.', ')']),
            "{term:?}"
        );
    }
}

#[test]
fn no_label_has_two_meanings() {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for term in all() {
        for label in term.labels() {
            let other = seen.insert(plain(label), term.word);
            assert!(other.is_none(), "`{label}` is {other:?} and {}", term.word);
        }
    }
}

#[test]
fn each_status_of_a_call_has_an_entry() {
    let stages = [
        Stage::Diagnosing,
        Stage::Selecting,
        Stage::Asking,
        Stage::Choosing,
        Stage::Applying,
    ];
    let statuses = [
        Status::Proposed,
        Status::Invalid,
        Status::Blocked,
        Status::Ready,
        Status::AwaitingApproval,
        Status::Consent(ConsentCause::SameCall),
        Status::Queued,
        Status::Scheduled,
        Status::Running(Attempt(1)),
        Status::OutcomeUnknown(Attempt(1)),
        Status::Succeeded,
        Status::Exited(1),
        Status::Failed(ErrorClass::Param),
        Status::Rejected,
        Status::Abandoned,
        Status::Expired,
        Status::Skipped,
        Status::Unsatisfiable,
    ];
    let statuses = statuses.into_iter().chain(stages.map(Status::Repairing));
    for status in statuses {
        assert!(find(status.base_label()).is_some(), "{status:?}");
        assert_explained([status.label().as_ref()]);
    }
    assert_explained(["superseded", "suspended", "with the agent", "denied", "cancelled"]);
}

#[test]
fn each_preset_effect_class_danger_and_error_has_an_entry() {
    assert_explained(Preset::ALL.map(Preset::label));
    assert_explained(EffectClass::ALL.map(EffectClass::label));
    assert_explained(EffectClass::ALL.into_iter().filter_map(crate::question::effect));
    assert_explained(
        ["external", "irreversible"]
            .iter()
            .filter_map(|tag| crate::question::tag("a", tag)),
    );
    assert_explained(DangerKind::ALL.map(DangerKind::label));
    assert_explained([DangerKind::Program, DangerKind::Unchecked].map(DangerKind::label));
    let errors = [
        ErrorClass::Structural,
        ErrorClass::Param,
        ErrorClass::Transient,
        ErrorClass::Auth,
        ErrorClass::NotFound,
        ErrorClass::Conflict,
        ErrorClass::Business,
        ErrorClass::Internal,
        ErrorClass::Cancelled,
        ErrorClass::Lost,
        ErrorClass::Unknown,
    ];
    assert_explained(errors.map(ErrorClass::label));
    assert_explained(errors.map(ErrorClass::ending));
}

#[test]
fn each_mark_result_and_agent_state_has_an_entry() {
    let badges = [
        Badge::Reused,
        Badge::WorldChanged,
        Badge::InputsChanged,
        Badge::ReplyOnRecord,
        Badge::ContextDrifted,
        Badge::WriteConflict,
        Badge::AfterFailedCalls,
        Badge::HistoryRewritten,
        Badge::SubAgent,
    ];
    assert_explained(badges.map(Badge::label));
    let sources = [
        ResultSource::Instead,
        ResultSource::Over,
        ResultSource::Reported,
        ResultSource::Corrected,
        ResultSource::Carried,
    ];
    assert_explained(sources.map(ResultSource::label));
    assert_explained(AgentStatus::ALL.map(AgentStatus::label));
    assert_explained([Consequence::Deny, Consequence::Escalate].map(Consequence::label));
}

#[test]
fn the_causes_of_questions_have_entries() {
    for cause in [
        "guarded asks about changes to files",
        "guarded asks about commands",
        "guarded asks about other machines",
        "supervised asks about every call",
        "reversible asks about commands: the sandbox is partial",
        "reversible asks about other machines: cannot be undone",
        "guarded asks about calls that may change something",
        "your rule asks: reads secrets",
        "a rule of the workspace (overrule.toml) asks",
        "always asks: cannot be undone",
        "its definition changed",
        "its arguments need a repair",
    ] {
        let begins = |term: &&Term| term.word.contains("ask") || find(cause) == Some(*term);
        let found = within(cause);
        let place = cause.contains("workspace");
        assert!(
            found.iter().any(|term| begins(term) || place),
            "{cause}: {found:?}"
        );
    }
}

#[test]
fn a_text_is_explained_by_its_longest_labels_in_its_order() {
    let words = |text: &str| within(text).iter().map(|term| term.word).collect::<Vec<_>>();
    assert_eq!(
        words("guarded asks about changes to files"),
        ["guarded", "asks about changes to files"]
    );
    assert_eq!(words("exit 1"), ["exit"]);
    assert_eq!(words("failed, superseded"), ["failed", "superseded"]);
    assert_eq!(words("Outcome Unknown. outcome unknown"), ["outcome unknown"]);
    assert_eq!(words("hello, world; blockedness"), Vec::<&str>::new());
}

#[test]
fn a_label_is_found_in_any_case_and_spelling() {
    assert_eq!(find("Read-Only").map(|term| term.word), Some("read-only"));
    assert_eq!(find("runs_later").map(|term| term.word), Some("runs code later"));
    assert_eq!(find("checkpoint").map(|term| term.word), Some("journal"));
    assert_eq!(find("guardedd"), None);
    assert_eq!(find(""), None);
}
