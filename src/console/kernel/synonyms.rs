//! Other words for commands, by which the palette finds them.
//!
//! Must not know: keys, how a command is carried out, how the palette orders its entries.

/// Commands with words that operators may type for them, in small letters.
const SYNONYMS: &[(&str, &str)] = &[
    ("allow-loop", "repetition cycle"),
    ("always", "trust allowlist whitelist permanently"),
    ("answer", "fake mock stub simulate result"),
    ("approve", "allow accept permit yes ok"),
    ("approve-all", "batch bulk everything"),
    ("ask-turn-again", "regenerate resend retry"),
    ("branch-compare", "diff"),
    ("branch-pane", "history versions"),
    ("branches", "history versions compare diff"),
    ("budget", "cost price money spend spent tokens usage dollars"),
    ("cancel-call", "abort kill stop"),
    ("changes", "diff files modified git review seen"),
    ("child", "down dependents"),
    ("classify", "error permanent temporary"),
    ("copy", "clipboard yank"),
    ("correct", "fix result output observation"),
    ("delete", "remove drop"),
    ("detail", "level verbose collapse"),
    ("edit", "change modify arguments parameters fix"),
    ("effects", "ledger orphans"),
    ("emergency-stop", "abort kill panic all"),
    ("expand", "unfold open"),
    ("filter", "hide only grep"),
    ("follow", "tail newest"),
    ("fork", "session clone"),
    ("graph", "dag tree nodes"),
    ("guide", "steer instruct message prompt elsewhere"),
    ("health", "reliability breakers weights tools success"),
    ("help", "keys shortcuts bindings symbols legend"),
    ("impact", "preview consequences"),
    ("insert-prompt", "steer message"),
    ("inspector", "details content output"),
    ("limits", "maximum cap tokens turns minutes spend"),
    ("log", "events history journal audit"),
    ("loops", "repetition cycles"),
    ("map", "diagram boxes picture"),
    ("mouse", "click"),
    ("mute-loops", "repetition cycle"),
    ("newer", "version history"),
    ("next-edit", "changed"),
    ("next-failure", "error failed"),
    ("next-pending", "waiting approval"),
    ("older", "version history"),
    ("open-outside", "editor vim external"),
    ("output-colours", "raw bytes"),
    ("pane-compare", "diff"),
    ("parent", "up cause origin"),
    ("pause", "resume continue hold freeze"),
    ("play", "replay"),
    ("policy", "preset mode permissions supervised guarded auto"),
    ("quit", "exit leave"),
    ("redo", "forward"),
    ("redraw", "refresh repaint"),
    ("reject", "deny refuse no block decline"),
    ("replace", "swap tool"),
    ("resilience", "retries timeouts backoff breakers"),
    ("restore-files", "undo revert rollback checkout"),
    ("restrict", "read-only readonly safe"),
    ("retry", "rerun again repeat"),
    ("rules", "permissions policy"),
    ("sandbox", "confine refused network allow guarantees"),
    ("save", "write export file"),
    ("search", "find grep"),
    ("stage", "draft"),
    ("staged-edits", "drafts"),
    ("state", "variables values data"),
    ("step", "single"),
    ("stop-turn", "interrupt abort cancel"),
    ("theme", "color colors colour look dark light appearance"),
    ("timeline", "gantt duration slow times"),
    ("title", "rename name"),
    ("undo", "revert restore back"),
    ("why-waiting", "stuck blocked reason attention"),
    ("write-rule", "permission policy"),
    ("zoom", "maximize fullscreen"),
];

/// Other words for a command, separated by spaces; empty if there are none.
pub(crate) fn synonyms(name: &str) -> &'static str {
    let found = SYNONYMS.iter().find(|(command, _)| *command == name);
    found.map_or("", |(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::app::registry::verbs;

    #[test]
    fn each_entry_is_about_one_command_and_in_small_letters() {
        let names: BTreeSet<&str> = verbs().map(|verb| verb.name).collect();
        let listed: BTreeSet<&str> = SYNONYMS.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed.len(), SYNONYMS.len(), "a command is listed twice");
        for (name, words) in SYNONYMS {
            assert!(names.contains(name), "`{name}` is no command");
            assert_eq!(*words, words.to_lowercase());
            assert!(
                words
                    .split(' ')
                    .all(|word| !name.split('-').any(|part| part == word)),
                "{name}"
            );
        }
    }
}
