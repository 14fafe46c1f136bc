//! Shows why the run needs the operator.
//!
//! Must not know: when a run needs attention.

use super::Verb;
use crate::context::PANES;
use crate::model::Model;
use crate::msg::Out;
use crate::surfaces::attention::AttentionPage;
use crate::update::open;

/// The verb `why-waiting`.
pub const VERB: Verb = Verb {
    name: "why-waiting",
    keys: &["W"],
    contexts: PANES,
    doc: "show why the run needs you: alarms, the reason, what was tried, the newest events, and what you can do",
    run: |model, press| {
        if model.run.unseen_alarms().next().is_some() {
            press.out.push(Out::AlarmsSeen);
        }
        show(model);
        Ok(())
    },
    ..Verb::BASE
};

/// Shows why the run waits.
fn show(model: &mut Model) {
    let title = if model.run.halted.is_some() {
        "why the run is halted"
    } else {
        "why the run waits"
    };
    open(model, AttentionPage::new(title));
}
