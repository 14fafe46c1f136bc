//! The page on what went round: incidents, steps, what the operator can do. Must not know: how a
//! repetition is found.

use super::Maker;
use crate::console::doc::Styled;
use crate::console::keymap::Keymap;
use crate::console::loops::paragraphs;
use crate::console::theme::Role;
use crate::domain::decide::escape::waits_for_operator;
use crate::domain::escape::{Incident, StepOutcome};
use crate::domain::id::NodeId;
use crate::domain::node::Origin;

/// What can be done about a repetition: the name of the command, what it does here, and whether the run must wait for
/// it.
const CHOICES: [(&str, &str, bool); 7] = [
    ("edit", "give the selected call other arguments", false),
    ("replace", "let another tool make the selected call", false),
    ("answer", "say what the selected call gives", false),
    ("guide", "give the model guidance", false),
    ("allow-loop", "let it repeat", false),
    ("pause", "go on as it is", true),
    ("emergency-stop", "end the run", false),
];

/// Every incident, newest first; and what can be done, where keys do something about it.
pub fn loops(maker: &mut Maker<'_>, keymap: Option<&Keymap>) {
    let all = paragraphs(&maker.run.state);
    if all.is_empty() {
        maker.own(Role::Dim, "Nothing went round so far.");
        return;
    }
    for (at, words) in all.into_iter().enumerate() {
        if at > 0 {
            maker.doc.line(Styled::new());
        }
        for (row, line) in words.into_iter().enumerate() {
            let role = if row == 0 { Role::Title } else { Role::Text };
            maker.over(Styled::new().own(role, line), 2);
        }
    }
    let Some(keymap) = keymap else { return };
    let state = &maker.run.state;
    let open: Vec<&Incident> = state.escape.incidents.iter().filter(|one| !one.over).collect();
    // Of what is over nothing is left to be decided.
    if open.is_empty() {
        return;
    }
    let waits = open.iter().any(|one| waits_for_operator(state, one));
    maker.doc.line(Styled::new());
    for (name, what, _) in CHOICES.iter().filter(|(.., waiting)| waits || !waiting) {
        let keys: Vec<String> = keymap.keys_of(name).iter().map(ToString::to_string).collect();
        if keys.is_empty() {
            continue;
        }
        maker.doc.line(
            Styled::new()
                .own(Role::Key, format!("  {:<10} ", keys.join(" ")))
                .own(Role::Text, *what),
        );
    }
}

/// A step against a repetition: why it was taken, what came of it, what it refuses and says.
pub(super) fn step(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let Some((incident, step)) = run.state.escape.step(id) else {
        return;
    };
    maker.field(
        "against",
        &format!("loop {}: {}", incident.no, incident.finding.describe()),
    );
    if !step.why.is_empty() {
        maker.field("why", &step.why);
    }
    let source = step.outcome.map_or("not known yet", StepOutcome::label);
    maker.fact("came of it", Role::Text, source);
    for one in &step.forbidden {
        maker.field("refused", &one.to_string());
    }
    if let Some(message) = &step.notice {
        maker.own(Role::Title, "what the model was told");
        maker.quote(
            message,
            &run.state
                .nodes
                .get(&id)
                .map_or(Origin::Model, |node| node.now().origin.clone()),
        );
    }
}
