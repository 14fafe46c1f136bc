//! Allows executions to replace a corrected observation again.
//!
//! Must not know: how an execution ends.

use crate::kernel::context::PANES;
use crate::kernel::decide::{send, subject};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::verb::{About, Effect, Verb};
use crate::run::refusal::Refusal;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::node::Node;

/// The verb `unpin`.
pub const VERB: Verb = Verb {
    name: "unpin",
    keys: &["U"],
    contexts: PANES,
    doc: "let executions replace a corrected observation again",
    hint: "unpin",
    about: About::Node,
    effect: Effect::Records,
    available: |model| command(model).map(drop).into(),
    command: |model| command(model).ok(),
    run: |model, press| unpin(model, press.out),
    ..Verb::BASE
};

/// The command for the selected call or observation.
fn command(model: &Model) -> Result<Command, Refusal> {
    let node = subject(model)
        .ok_or_else(|| Refusal::not_selected("node"))?
        .observation();
    let rev = model.run.state.node(node).map(Node::rev);
    Ok(Command::Call(CallCommand::Unpin { node, rev }))
}

fn unpin(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    send(model, command(model)?, None, out);
    Ok(())
}
