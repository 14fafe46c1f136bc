//! Edits a node.
//!
//! Must not know: how a command is decided, where it is recorded.

use std::sync::Arc;

use super::takes::{Change, CommitArgs, On, RevisionArg};
use super::target::{committed, no_call, rewritten, seen};
use super::{Act, Session};
use crate::exit::{Code, Failure};
use overrule_domain::command::{self, Command};
use overrule_domain::id::{NodeId, NodeKind, Rev};
use overrule_domain::node::Node;
use overrule_domain::state::State;

/// Edit a node: --text for prompts, thoughts and answers, --args for calls, --value for results
#[derive(Debug, clap::Args)]
pub struct Edit {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Node, such as t3, c5 or o5
    pub node: String,
    /// New text of a prompt, thought or answer
    #[arg(long)]
    pub text: Option<String>,
    /// New arguments of a call, as JSON; _as, _out, _after, _why and _outside stay unless named, null removes one
    #[arg(long)]
    pub args: Option<String>,
    /// New result of a call, as JSON
    #[arg(long)]
    pub value: Option<String>,
}

impl Act for Edit {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let target = seen(session.state, &self.node, &self.seen)?;
        let given = (self.text.as_ref(), self.args.as_ref(), self.value.as_ref());
        let edit = edit(session.state, target, given)?;
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}

fn edit(
    state: &State,
    (id, base): (NodeId, Rev),
    (text, args, value): (Option<&String>, Option<&String>, Option<&String>),
) -> Result<command::Edit, Failure> {
    let wrong = |flag: &str| {
        Failure::new(
            Code::Usage,
            format!("cannot edit {id} with these flags; hint: use only {flag}"),
        )
    };
    Ok(match (id.kind, text, args, value) {
        (NodeKind::Call, None, Some(args), None) => {
            let tool = state
                .nodes
                .get(&id)
                .and_then(Node::as_call)
                .map(|(tool, _)| tool.clone())
                .ok_or_else(|| no_call(id))?;
            rewritten(id, base, tool, Arc::from(args.as_str()))
        }
        (NodeKind::Call, ..) => return Err(wrong("--args JSON")),
        (NodeKind::Observation, None, None, Some(value)) => command::Edit::Observation {
            node: id,
            base,
            value: Arc::from(value.as_str()),
        },
        (NodeKind::Observation, ..) => return Err(wrong("--value JSON")),
        (_, Some(text), None, None) => command::Edit::Text {
            node: id,
            base,
            text: Arc::from(text.as_str()),
        },
        _ => return Err(wrong("--text TEXT")),
    })
}
