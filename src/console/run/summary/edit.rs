//! Summarizes an edit in one line.
//!
//! Must not know: styles, what an edit changes.

use super::arguments::{arguments, text};
use super::{Keep, Summary, UntrustedText, call, call_of, content};
use overrule_domain::branch;
use overrule_domain::command::Edit;
use overrule_domain::id::TurnId;
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_present::revised;

/// An edit in one line.
pub fn edit(state: &State, edit: &Edit) -> Summary {
    let own = |words: String| Summary::default().own(words);
    let after = |turn: &Option<TurnId>| turn.map_or("at the end".to_owned(), |turn| format!("after {turn}"));
    match edit {
        Edit::Call {
            node,
            base,
            tool,
            args,
            ..
        } => {
            let call_content = state.node(*node).and_then(Node::as_call);
            match call_content.filter(|(old, _)| *old != tool) {
                Some((old, _)) => own(format!("{} replace ", revised(*node, *base)))
                    .name(old)
                    .own(" by ")
                    .name(tool)
                    .own(": ")
                    .and(arguments(args)),
                None => own(format!("{} arguments: ", revised(*node, *base))).and(arguments(args)),
            }
        }
        Edit::Text { node, base, text } => {
            own(format!("{} rewrite: ", revised(*node, *base))).untrusted(text)
        }
        Edit::Observation { node, base, value } => {
            let line = own(format!("{} result: ", revised(*node, *base)));
            match text(value) {
                Some((text, size)) => line.text(UntrustedText::new(&text, Keep::Head).of_bytes(size.most())),
                None => line.untrusted(value),
            }
        }
        Edit::InsertPrompt { after: turn, text } => {
            own(format!("guidance {}: ", after(turn))).untrusted(text)
        }
        Edit::InsertThought { after: place, text } => {
            let place = place.map_or("at the end".to_owned(), |place| format!("after {place}"));
            own(format!("thought {place}: ")).untrusted(text)
        }
        Edit::InsertCall {
            after: turn,
            tool,
            args,
        } => own(format!("call {}: ", after(turn))).and(call_of(tool, args)),
        Edit::RejectAnswer { node, reason, .. } => own(format!("{node} reject: ")).untrusted(reason),
        Edit::Copy { node, from, .. } => {
            let id = node.observation();
            let line = branch::line(state, *from);
            let claims = branch::counted(state, id, &line).and_then(|rev| {
                let node = state.node(id)?;
                Some(content(state, node, &node.revision(rev)?.content))
            });
            own(format!("{id} copy from branch {}: ", from.0)).and(claims.unwrap_or_default())
        }
        Edit::Delete { node, base } => {
            own(format!("{} delete: ", revised(*node, *base))).and(call(state, *node))
        }
    }
}
