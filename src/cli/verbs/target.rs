//! Reads what a verb is about: nodes, revisions, digests, and the edits of one commit.
//!
//! Must not know: the verbs.

use std::path::Path;
use std::sync::Arc;

use super::takes::{BaseArg, Change, On, RevisionArg};
use crate::exit::{Code, Failure};
use crate::replaced_file::{NO_FILE, readable_of_stored, shown_form};
use overrule_base::text::visible;
use overrule_domain::call::{Digest, Shown};
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::id::{BadNodeId, NodeId, Rev};
use overrule_domain::node::Node;
use overrule_domain::ready;
use overrule_domain::state::State;
use overrule_domain::tags::{self, Confirmation};

pub(super) fn text(words: &str) -> Arc<str> {
    Arc::from(words)
}

/// Parses the id of a node.
pub(super) fn node(text: &str) -> Result<NodeId, Failure> {
    text.parse()
        .map_err(|error: BadNodeId| Failure::new(Code::Usage, visible(&error.to_string())))
}

/// A node with the revision that was seen: the named one, or the one in `state`.
pub(super) fn seen(state: &State, text: &str, named: &RevisionArg) -> Result<(NodeId, Rev), Failure> {
    let id = node(text)?;
    let read = || state.nodes.get(&id).map(Node::rev).unwrap_or_default();
    Ok((id, named.rev.map_or_else(read, Rev)))
}

/// A node with its current revision.
pub(super) fn current(state: &State, text: &str) -> Result<(NodeId, Rev), Failure> {
    seen(state, text, &RevisionArg { rev: None })
}

/// Checks the tool name that confirms an irreversible call. It is checked before the command is
/// sent, so that the refusal can show the flag to add.
pub(super) fn worded(state: &State, call: NodeId, given: Option<&str>) -> Result<Option<Arc<str>>, Failure> {
    let needed = tags::confirmation(state, call).filter(|needed| !needed.is_named(given));
    let Some(needed) = needed else {
        return Ok(given.map(text));
    };
    let word = visible(&needed.word());
    let message = match needed {
        Confirmation::Tool(_) => format!(
            "cannot approve {call} without its tool name: its effect is irreversible; hint: add --word {word}"
        ),
        Confirmation::Definitions { server, .. } => format!(
            "cannot approve {call}: the tools of {0} changed since they were accepted; hint: `overrule tools accept {0} --run \
             ID` shows the difference and accepts them, or add --word {word} to approve this call alone",
            visible(server)
        ),
    };
    Err(Failure::new(Code::Halted, message))
}

/// Returns the whole digest for its printed prefix.
pub(super) fn digest_of(state: &State, call: NodeId, given: &str) -> Digest {
    let whole = state.calls.get(&call).and_then(|call| call.digest.clone());
    match whole {
        Some(digest) if given.len() >= 12 && digest.0.starts_with(given) => digest,
        _ => Digest(Arc::from(given)),
    }
}

/// What `overrule queue` prints of a call: its form, and the hash of the text that it would replace. Refuses if the file
/// is no longer the one that was printed.
pub(super) fn shown(state: &State, id: NodeId, printed: &BaseArg) -> Result<Option<Shown>, Failure> {
    let call = state.calls.get(&id);
    let tool = state.nodes.get(&id).and_then(Node::as_call).map(|(tool, _)| tool);
    let Some((tool, args)) = tool.zip(call.and_then(|call| ready::resolved_args(state, call))) else {
        return Ok(None);
    };
    let workspace = state.started.as_ref().map_or("", |started| &started.workspace);
    let shown = shown_form(readable_of_stored(tool, &args, Path::new(workspace)));
    let is_it = |given: &str| match shown.base.as_deref() {
        Some("") => given == NO_FILE || given.is_empty(),
        Some(now) => given.len() >= 12 && now.starts_with(given),
        None => false,
    };
    if printed.base.as_deref().is_some_and(|given| !is_it(given)) {
        return Err(Failure::new(
            Code::Halted,
            format!(
                "cannot approve {id}: the file is not the one with this base; hint: run `overrule queue` again"
            ),
        ));
    }
    Ok(Some(shown))
}

pub(super) fn no_call(id: NodeId) -> Failure {
    Failure::new(Code::Usage, format!("cannot find call {id}"))
}

/// An edit of a call with typed arguments, which count as shown.
pub(super) fn rewritten(node: NodeId, base: Rev, tool: Arc<str>, args: Arc<str>) -> Edit {
    Edit::Call {
        node,
        base,
        tool,
        args,
        shown: true,
    }
}

/// The commit of some edits.
pub(super) fn committed(on: &On, change: &Change, edits: Vec<Edit>) -> Command {
    Command::Edit(EditCommand::Commit {
        edits,
        effects_seen: change.planned.effects_seen,
        reason: on.reason.as_deref().map(Arc::from),
        keep_later: change.keep_later,
    })
}
