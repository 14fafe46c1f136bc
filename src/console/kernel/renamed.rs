//! Former names of commands, and commands that are gone: a keymap file may still hold them.
//!
//! Must not know: keys, how a command is carried out.

/// Former and current name of each renamed command.
const RENAMED: &[(&str, &str)] = &[
    ("branch-take", "branch-copy"),
    ("collect", "stage"),
    ("collect-previewed", "stage-previewed"),
    ("collected", "staged-edits"),
    ("collected-drop", "staged-drop"),
    ("collected-open", "staged-open"),
    ("collected-preview", "staged-preview"),
    ("collected-remove", "staged-remove"),
    ("commit-collected", "commit-staged"),
    ("event-back", "previous-event"),
    ("event-on", "next-event"),
    ("fix-go-on", "fix-resume"),
    ("give-up", "discard"),
    ("leave-cancel", "quit-cancel"),
    ("leave-unknown", "abandon-call"),
    ("leave-wait", "quit-wait"),
    ("orphaned-effects", "effects"),
    ("pane-take", "pane-copy"),
    ("put-back", "paste"),
    ("refuse-effect", "reject-repeat"),
    ("take-back", "revert-effect"),
    ("take-in", "refresh-list"),
];

/// Commands that are gone, and that no other command replaces.
const RETIRED: &[&str] = &["follow-branch"];

/// True for a command that is gone.
pub fn is_retired(name: &str) -> bool {
    RETIRED.contains(&name)
}

/// The current name of a command; other names are returned unchanged.
pub fn current_name(name: &str) -> &str {
    let found = RENAMED.iter().find(|(old, _)| *old == name);
    found.map_or(name, |(_, current)| *current)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::app::registry::verbs;

    #[test]
    fn each_old_name_leads_to_a_command_and_is_none() {
        let names: BTreeSet<&str> = verbs().map(|verb| verb.name).collect();
        for (old, current) in RENAMED {
            assert!(names.contains(current), "{old}: `{current}` is no command");
            assert!(!names.contains(old), "`{old}` is a command");
            assert_eq!(current_name(old), *current);
            assert_eq!(current_name(current), *current);
        }
        let old: BTreeSet<&str> = RENAMED.iter().map(|(old, _)| *old).collect();
        assert_eq!(old.len(), RENAMED.len(), "an old name is listed twice");
        assert_eq!(current_name("approve"), "approve");
        for name in RETIRED {
            assert!(
                is_retired(name) && !names.contains(name) && !old.contains(name),
                "{name}"
            );
        }
        assert!(!is_retired("approve") && !is_retired("collect") && !is_retired("never-was"));
    }
}
