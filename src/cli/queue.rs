//! `overrule queue`: prints the calls that wait for a decision. Must not know: who decides.

use super::args::{self, Common};
use super::build::Ground;
use super::exit::{Code, Failure};
use super::print;
use crate::domain::apply::fold;
use crate::domain::node::Node;
use crate::domain::ready;
use crate::journal;
use crate::text::visible;

/// Prints each waiting call with its digest and exact arguments, first come first.
pub fn queue(common: &Common, args: &args::Queue) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    let place = ground.store.find(&args.id)?;
    let state = fold(&journal::read(&place)?.envelopes);
    let mut any = false;
    for call in state.queue() {
        any = true;
        let node = state.nodes.get(&call.id);
        let tool = node
            .and_then(|node| node.as_call())
            .map(|(tool, _)| tool.to_string())
            .unwrap_or_default();
        let bytes = ready::resolved_args(&state, call).unwrap_or_default();
        let digest = call.digest.as_ref().map_or("-", |digest| &digest.0);
        let rule = call
            .verdict
            .as_ref()
            .map(|verdict| visible(&verdict.rule))
            .unwrap_or_default();
        if common.json {
            let line = serde_json::json!({
                "call": call.id, "rev": node.map(Node::rev), "status": call.status.word(), "tool": tool,
                "effect": call.effect, "digest": digest, "args": bytes, "rule": rule,
            });
            print::out(&line.to_string());
        } else {
            print::out(&format!(
                "{} {} · {} · {} · {rule}\n  digest {digest}\n  {}",
                call.id,
                visible(&tool),
                call.status.word(),
                call.effect.word(),
                visible(&bytes)
            ));
        }
    }
    if !any {
        print::err("nothing waits for a decision");
    }
    Ok(Code::Ok)
}
