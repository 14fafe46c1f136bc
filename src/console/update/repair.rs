//! The operator's choice about a call in repair: one of the repairs, or none.
//!
//! Must not know: how a repair is found.

use super::decide::send;
use crate::model::Model;
use crate::msg::Out;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::id::{NodeId, Rev};

/// Sends the repair with the typed number; false if the text is no number from 1.
pub(crate) fn chosen(model: &mut Model, (call, rev): (NodeId, Rev), text: &str, out: &mut Vec<Out>) -> bool {
    let number = text.trim().trim_end_matches(')').parse::<usize>().ok();
    let Some(option) = number.and_then(|number| number.checked_sub(1)) else {
        model.complain("Type the number of a repair, from 1");
        return false;
    };
    let command = Command::Resilience(ResilienceCommand::ChooseRepair { call, rev, option });
    send(model, command, Some(call), out);
    true
}
