//! Session rules: written from a call, previewed, accepted by a second key, listed, removed.
//!
//! Must not know: keys, the language of rules.

use crate::kernel::model::Model;
use crate::kernel::sheet::Sheet;
use crate::run::refusal::Refusal;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::rule::RuleView;
use overrule_domain::rule::RuleRequest;
use overrule_policy::backtest::would;

/// Finishes the rule of the editor: previews what it would have decided.
pub(crate) fn finish(model: &mut Model) -> Result<(), Refusal> {
    let Some(editor) = model.overlays.top::<Editor>() else {
        return Ok(());
    };
    let text = editor.result().map_err(Refusal::outside)?;
    let requested = RuleRequest::Text { text };
    would(&model.run.state, &requested).map_err(Refusal::outside)?;
    show(model, requested);
    Ok(())
}

pub(crate) fn show(model: &mut Model, requested: RuleRequest) {
    let view = RuleView {
        would: would(&model.run.state, &requested),
        rule: requested,
        sent: None,
        unread: Vec::new(),
        stamp: 0,
        sheet: Sheet::default(),
    };
    model.overlays.push(view);
}
