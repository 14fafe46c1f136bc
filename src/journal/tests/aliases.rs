//! Records of format 1 with old names are read as the events of today.
//!
//! Must not know: how an event is applied.

use super::examples::every_event;
use crate::codec::{self, Parts};
use overrule_domain::event::Event;

/// A renamed event or member: the event today, its old name, and JSON text of its body, today and before.
const RENAMED: [(&str, &str, &str, &str); 19] = [
    ("call.invalid", "call.unfit", "", ""),
    ("call.retained", "call.kept", "\"pinned_args\":", "\"stands_on\":"),
    ("call.grace_ended", "call.grace_over", "", ""),
    ("call.decided", "call.decided", "\"abandon\"", "\"leave\""),
    ("turn.answer_invalid", "turn.answer_unfit", "", ""),
    ("turn.requested", "turn.requested", "\"notices\":", "\"told\":"),
    ("turn.partial", "turn.partial", "\"prefix_len\":", "\"kept\":"),
    ("turn.closed", "turn.closed", "\"accepted\"", "\"kept\""),
    (
        "turn.broken",
        "turn.broken",
        "\"kind\":\"invalid\"",
        "\"kind\":\"unfit\"",
    ),
    ("edit.marked_stale", "edit.suspected", "", ""),
    ("edit.suspended", "edit.held", "", ""),
    ("escape.proposed", "escape.proposed", "\"step\":", "\"rung\":"),
    ("escape.applied", "escape.applied", "\"notice\":", "\"told\":"),
    ("escape.step_ended", "escape.came", "\"outcome\":", "\"upshot\":"),
    ("escape.ended", "escape.over", "", ""),
    (
        "resilience.repair_answered",
        "resilience.repair_answered",
        "\"kind\":\"answered\"",
        "\"kind\":\"said\"",
    ),
    ("run.started", "run.started", "\"hide_edits\":", "\"silent\":"),
    ("weight.imported", "weight.imported", "\"step\":", "\"rung\":"),
    // A loop that was skipped for a milder step has the same member inside a list.
    (
        "escape.proposed",
        "escape.proposed",
        "\"skipped\":[{\"step\":",
        "\"skipped\":[{\"rung\":",
    ),
];

/// Returns true for the name that an event had in format 1 only.
pub(super) fn is_old(name: &str) -> bool {
    RENAMED.iter().any(|(now, old, ..)| *old == name && now != old)
}

/// The name and the body of an event as they are written.
fn written(event: &Event) -> (String, String) {
    let parts = Parts::of(event).unwrap();
    (
        format!("{}.{}", parts.family(), parts.name()),
        parts.body().to_owned(),
    )
}

#[test]
fn every_old_name_is_read_and_the_new_name_is_written() {
    let examples = every_event();
    for (name, old_name, text, old_text) in RENAMED {
        let mut found = 0;
        for event in &examples {
            let (kind, body) = written(event);
            assert!(
                name == old_name || kind != old_name,
                "{old_name} is still written"
            );
            if kind != name || !body.contains(text) {
                continue;
            }
            found += 1;
            let old_body = if text.is_empty() {
                body
            } else {
                body.replace(text, old_text)
            };
            let read = codec::event(old_name, &old_body);
            assert_eq!(read.as_ref().ok(), Some(event), "{old_name} {old_body}: {read:?}");
        }
        assert_ne!(found, 0, "no example of {name} has {text}");
    }
}

#[test]
fn every_alias_of_an_event_has_a_row() {
    let sources = ["domain/event", "domain"].map(|dir| format!("{}/../{dir}", env!("CARGO_MANIFEST_DIR")));
    let mut aliases = Vec::new();
    for entry in sources.iter().flat_map(|dir| std::fs::read_dir(dir).unwrap()) {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let named = text
                .split("alias = \"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            aliases.extend(named.map(|alias| (path.clone(), alias.to_owned())));
        }
    }
    assert!(aliases.len() > 10, "{aliases:?}");
    for (path, alias) in aliases {
        let has_row = RENAMED.iter().any(|(_, name, _, text)| {
            name.ends_with(&format!(".{alias}")) || text.contains(&format!("\"{alias}\""))
        });
        assert!(has_row, "{}: {alias}", path.display());
    }
}
