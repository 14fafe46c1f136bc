//! Session rules: written from a call, previewed, accepted by a second key, listed, removed.
//!
//! Must not know: keys, the language of rules.

use super::decide::subject;
use super::open;
use crate::doc::Doc;
use crate::model::Model;
use crate::model::overlay::{Overlay, RuleView};
use crate::refusal::Refusal;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::rule::RuleRequest;
use overrule_policy::backtest::would;

/// The call that a rule is to be written from.
pub(crate) fn call(model: &Model) -> Option<NodeId> {
    subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call)
}

/// Finishes the rule of the editor: previews what it would have decided.
pub(crate) fn finish(model: &mut Model) -> Result<(), Refusal> {
    let Some(Overlay::Editor(editor)) = model.overlays.last() else {
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
        doc: Doc::default(),
        top: 0,
        seek: None,
        stamp: 0,
        made: None,
    };
    open(model, Overlay::Rule(Box::new(view)));
}
