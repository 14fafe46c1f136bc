//! `overrule queue`: prints the calls that wait for a decision. Must not know: who decides.

use super::args::{self, Common};
use super::build::Ground;
use super::exit::{Code, Failure};
use super::{print, record};
use crate::domain::bulk;
use crate::domain::call::{Call, EffectClass, Status};
use crate::domain::node::Node;
use crate::domain::ready;
use crate::domain::state::State;
use crate::text::visible;

/// Prints each waiting call with its digest and exact arguments, first come first.
pub fn queue(common: &Common, args: &args::Queue) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    let place = ground.store.find(&args.id)?;
    let found = record::as_found(&place)?;
    let mut any = false;
    for call in found.state.queue().filter(|call| waits(call)) {
        any = true;
        print::out(&if common.json {
            as_json(&found.state, call).to_string()
        } else {
            as_words(&found.state, call)
        });
    }
    if !any {
        print::err("nothing waits for a decision");
    }
    let together = bulk::together(&found.state);
    if together.len() > 1 && !common.json {
        let ids: Vec<String> = together.iter().map(|item| item.call.to_string()).collect();
        print::out(&format!(
            "{} can be approved together\n  digest {}",
            ids.join(" "),
            bulk::digest(&together)
        ));
    }
    if found.held {
        print::err("another process has the session open: this is what it has recorded");
    }
    Ok(Code::Ok)
}

/// What was cut off and can be repeated without harm is run again by whoever goes on, unasked.
fn waits(call: &Call) -> bool {
    !matches!(call.status, Status::InDoubt(_)) || call.effect > EffectClass::Idempotent
}

fn as_json(state: &State, call: &Call) -> serde_json::Value {
    let node = state.nodes.get(&call.id);
    serde_json::json!({
        "call": call.id, "rev": node.map(Node::rev), "status": call.status.word(), "tool": tool(node),
        "effect": call.effect, "digest": digest(call), "args": ready::resolved_args(state, call).unwrap_or_default(),
        "rule": rule(call),
    })
}

fn as_words(state: &State, call: &Call) -> String {
    let node = state.nodes.get(&call.id);
    format!(
        "{} {} · {} · {} · revision {} · {}\n  digest {}\n  {}",
        call.id,
        visible(&tool(node)),
        call.status.word(),
        call.effect.word(),
        node.map(Node::rev).unwrap_or_default().0,
        rule(call),
        digest(call),
        visible(&ready::resolved_args(state, call).unwrap_or_default())
    )
}

fn tool(node: Option<&Node>) -> String {
    let call = node.and_then(Node::as_call);
    call.map(|(tool, _)| tool.to_string()).unwrap_or_default()
}

fn digest(call: &Call) -> &str {
    call.digest.as_ref().map_or("-", |digest| &digest.0)
}

fn rule(call: &Call) -> String {
    let verdict = call.verdict.as_ref();
    verdict.map(|verdict| visible(&verdict.rule)).unwrap_or_default()
}
