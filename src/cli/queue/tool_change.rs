//! Shows how the definition of a waiting call's tool changed, old against new.
//!
//! Must not know: what else waits, who decides.
//!
//! It compares with the definition when the call was written, and when a call of the tool was last approved.

use crate::node_change;
use overrule_base::text::visible;
use overrule_console::surfaces::documents::definitions;
use overrule_present::call::ToolChangeView;

/// Returns the lines to print.
pub fn detail_lines(view: &ToolChangeView<'_>) -> Vec<String> {
    let mut changes = view.raised.clone();
    changes.extend(view.texts().map(|(name, _)| format!("another {name}")));
    let changes = visible(&changes.join("; "));
    let mut lines = vec![format!("redefined since {}: {changes}", view.since)];
    for (name, change) in view.texts() {
        lines.push(format!("the tool's {name}, before {} and now:", view.since));
        let marked = definitions(change.old, change.new)
            .into_iter()
            .map(node_change::marked);
        lines.extend(marked.map(|line| format!("  {line}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use overrule_console::testing::{Stage, id};
    use overrule_domain::call::EffectClass;
    use overrule_domain::event::run::ToolCard;
    use overrule_domain::event::{Event, RunEvent};

    /// A waiting write call whose tool gets another definition.
    fn redefined(change: impl FnOnce(&mut ToolCard)) -> Stage {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
        let mut started = stage.model.run.state.started.as_deref().unwrap().clone();
        change(&mut started.tools[1]);
        let started = Box::new(started);
        stage.engine(Event::Run(RunEvent::Refitted { started }));
        stage
    }

    fn both(stage: &Stage) -> (Vec<String>, Value) {
        let state = &stage.model.run.state;
        let view = ToolChangeView::of(state, id("c3"));
        let lines = view.as_ref().map(detail_lines).unwrap_or_default();
        (lines, serde_json::to_value(&view).unwrap())
    }

    #[test]
    fn tool_changes_are_shown_as_old_and_new_in_visible_form() {
        let stage = redefined(|card| {
            card.description = "writes\nand \u{1b}[2Jmails it".into();
            card.schema = card.schema.replace(r#","content"]"#, "]").into();
            card.effect = EffectClass::Unknown;
            card.tags = vec!["ex\u{202e}ternal".to_owned()];
        });
        let (lines, json) = both(&stage);
        let since = stage.model.run.state.seq;
        assert_eq!(
            lines[0],
            format!(
                "redefined since {since}: effect write became unknown; tags none became ex⟨U+202E⟩ternal; another \
                 description; another schema"
            )
        );
        assert_eq!(
            lines[1],
            format!("the tool's description, before {since} and now:")
        );
        assert_eq!(
            lines[2..5],
            [
                "  - write_file for tests",
                "  + writes",
                "  + and ⟨U+001B⟩[2Jmails it"
            ]
        );
        let schema = lines
            .iter()
            .position(|line| line.contains("the tool's schema"))
            .unwrap();
        assert!(
            lines[schema..]
                .iter()
                .any(|line| line.starts_with("  - ") && line.contains(r#""content""#)),
            "{lines:#?}"
        );
        assert_eq!(json["since"], since.0);
        assert_eq!(json["effect"], json!({"old": "write", "new": "unknown"}));
        assert_eq!(json["tags"], json!({"old": [], "new": ["ex⟨U+202E⟩ternal"]}));
        assert_eq!(json["description"]["old"], "write_file for tests");
        assert_eq!(json["description"]["new"], "writes\nand ⟨U+001B⟩[2Jmails it");
        assert_ne!(json["schema"]["old"], json["schema"]["new"]);
    }

    #[test]
    fn only_changed_fields_are_shown_and_nothing_for_an_unchanged_tool() {
        let (lines, json) = both(&redefined(|card| card.pause_ms = 5_000));
        assert_eq!((lines, json), (Vec::new(), Value::Null));
        let stage = redefined(|card| card.tags = vec!["external".to_owned()]);
        let (lines, json) = both(&stage);
        let since = stage.model.run.state.seq;
        assert_eq!(
            lines,
            [format!("redefined since {since}: tags none became external")]
        );
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["since", "tags"]);
    }
}
