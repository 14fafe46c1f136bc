//! Opens the page on why the run needs the operator.
//!
//! Must not know: when a run needs attention.

use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::verb::Verb;
use crate::surfaces::attention::AttentionPage;

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

/// Shows why the run waits, by what the files are now.
fn show(model: &mut Model) {
    model.run.files.forget_states();
    let title = if model.run.halted.is_some() {
        "why the run is halted"
    } else {
        "why the run waits"
    };
    model.stack.push(AttentionPage::new(title));
}
