//! The page on loops: incidents, steps, the operator's choices.
//!
//! Must not know: how a repetition is found.

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::keymap::Keymap;
use crate::run::loops::paragraphs;
use crate::run::maker::Maker;
use overrule_domain::escape::pause::waits_for_operator;
use overrule_domain::escape::{Incident, StepOutcome};
use overrule_domain::id::NodeId;
use overrule_domain::node::Origin;

/// The choices for a loop: the name of the command, its action here, and whether the run must wait for the
/// operator.
const CHOICES: [(&str, &str, bool); 7] = [
    ("edit", "give the selected call other arguments", false),
    ("replace", "let another tool make the selected call", false),
    ("answer", "type the result of the selected call", false),
    ("guide", "give the model guidance", false),
    ("allow-loop", "allow the loop", false),
    ("pause", "resume without a change", true),
    ("emergency-stop", "end the run", false),
];

/// Adds every incident, newest first, and the choices where keys work.
pub fn loops(maker: &mut Maker<'_>, keymap: Option<&Keymap>) {
    let all = paragraphs(&maker.run.state);
    if all.is_empty() {
        maker.own(Role::Dim, "No loops so far.");
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
    let open: Vec<&Incident> = state
        .learned
        .escape
        .incidents
        .iter()
        .filter(|one| !one.over)
        .collect();
    // Incidents that are over have no choices.
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

/// Adds a step against a loop: its reason, its outcome, its denied calls and its message.
pub(crate) fn step(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let Some((incident, step)) = run.state.learned.escape.step(id) else {
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
    maker.fact("outcome", Role::Text, source);
    for one in &step.forbidden {
        maker.field("refused", &one.to_string());
    }
    if let Some(message) = &step.notice {
        maker.own(Role::Title, "message to the model");
        maker.quote(
            message,
            &run.state
                .nodes
                .get(&id)
                .map_or(Origin::Model, |node| node.now().origin.clone()),
        );
    }
}
