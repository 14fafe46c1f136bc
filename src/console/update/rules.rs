//! Session rules: written from a call, previewed, accepted by a second key, listed, removed.
//!
//! Must not know: keys, the language of rules.

use std::path::Path;
use std::sync::Arc;

use super::bulk::unread;
use super::decide::{armed, can_decide, go_to_queue, question, send, subject};
use super::open;
use crate::console::doc::Doc;
use crate::console::json;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::double_press::What;
use crate::console::model::editor::{Editor, Purpose};
use crate::console::model::inspector::Tab;
use crate::console::model::listing::{Item, Kind, Listing};
use crate::console::model::overlay::{Overlay, RuleView};
use crate::console::model::screen::Pane;
use crate::console::msg::Out;
use crate::console::verbs::By;
use crate::domain::call::Status;
use crate::domain::command::{Command, RunCommand};
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::id::{NodeId, NodeKind};
use crate::domain::rule::RuleRequest;
use crate::policy::backtest::{read, would};

pub(in crate::console) fn live(model: &Model) -> Result<(), String> {
    if model.settings.is_recorded() {
        return Err("Cannot decide: this run is recorded".to_owned());
    }
    Ok(())
}

/// The call that a rule is to be written from.
pub(in crate::console) fn call(model: &Model) -> Option<NodeId> {
    subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call)
}

/// Finishes the rule of the editor: previews what it would have decided.
pub(in crate::console) fn finish(model: &mut Model) -> Result<(), String> {
    let Some(Overlay::Editor(editor)) = model.overlays.last() else {
        return Ok(());
    };
    let text = editor.result()?;
    let requested = RuleRequest::Text { text };
    would(&model.run.state, &requested)?;
    show(model, requested);
    Ok(())
}

pub(in crate::console) fn show(model: &mut Model, requested: RuleRequest) {
    let view = RuleView {
        would: would(&model.run.state, &requested),
        rule: requested,
        sent: None,
        unread: Vec::new(),
        doc: Doc::default(),
        top: 0,
        stamp: 0,
        made: None,
    };
    open(model, Overlay::Rule(Box::new(view)));
}
