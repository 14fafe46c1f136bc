//! Describes how a node changed since the operator saw it, for a refusal.
//!
//! Must not know: why a command was refused.

use overrule_base::text::visible;
use overrule_console::{ground::diff, ground::diff::Change};
use overrule_domain::call::Digest;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, ResilienceCommand};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::node::{Content, Node, Revision};
use overrule_domain::ready;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::state::State;
use overrule_present::content_text;

/// What the operator had seen of a node.
struct NodeSnapshot<'a> {
    node: NodeId,
    rev: Rev,
    digest: Option<&'a Digest>,
}

/// Describes the node now and its difference from the revision that the command names; `None` for
/// refusals of another kind. `facts` are the events up to `state`.
pub fn since(facts: &[Envelope], state: &State, command: &Command, refusal: &Refusal) -> Option<String> {
    if refusal.kind != RefusalKind::Changed {
        return None;
    }
    let seen = seen(state, command)?;
    let node = state.nodes.get(&seen.node)?;
    let new = now(state, node);
    let mut lines = vec![head(state, node)];
    lines.extend(
        overrule_base::text::visible_lines(&new)
            .iter()
            .map(|line| format!("  {line}")),
    );
    let old = match seen.digest {
        Some(digest) => shown(facts, node, digest),
        None => revision(node, seen.rev).map(|old| (old.no, content_text(&old.content))),
    };
    if let Some((rev, old)) = old.filter(|(_, old)| *old != new) {
        lines.push(format!("since revision {}:", rev.0));
        lines.extend(difference(&old, &new));
    }
    Some(lines.join("\n"))
}

fn seen<'a>(state: &State, command: &'a Command) -> Option<NodeSnapshot<'a>> {
    let plain = |node: &NodeId, rev: &Rev| {
        let (node, rev, digest) = (*node, *rev, None);
        NodeSnapshot { node, rev, digest }
    };
    match command.plain() {
        Command::Call(
            CallCommand::Approve {
                call, rev, digest, ..
            }
            | CallCommand::Consent {
                call, rev, digest, ..
            },
        ) => Some(NodeSnapshot {
            digest: Some(digest),
            ..plain(call, rev)
        }),
        Command::Call(
            CallCommand::Reject { call, rev, .. }
            | CallCommand::Answer { call, rev, .. }
            | CallCommand::Retry { call, rev },
        )
        | Command::Resilience(
            ResilienceCommand::RunNow { call, rev }
            | ResilienceCommand::ChooseRepair { call, rev, .. }
            | ResilienceCommand::SkipRepair { call, rev },
        ) => Some(plain(call, rev)),
        Command::Edit(EditCommand::Commit { edits, .. }) => edits.iter().find_map(|edit| match edit {
            Edit::Call { node, base, .. }
            | Edit::Text { node, base, .. }
            | Edit::Observation { node, base, .. }
            | Edit::Delete { node, base } => {
                let moved = state.nodes.get(node).is_some_and(|node| node.rev() != *base);
                moved.then(|| plain(node, base))
            }
            _ => None,
        }),
        Command::Call(_)
        | Command::Run(_)
        | Command::Edit(_)
        | Command::Escape(_)
        | Command::Resilience(_)
        | Command::Weight(_)
        | Command::Sandbox(_)
        | Command::Files(_) => None,
    }
}

fn head(state: &State, node: &Node) -> String {
    let (id, rev) = (node.id, node.rev().0);
    let digest = state.calls.get(&id).and_then(|call| call.digest.as_ref());
    match digest {
        Some(digest) => format!("{id} is now revision {rev}, digest {}:", digest.0),
        None => format!("{id} is now revision {rev}:"),
    }
}

/// The current text of a node; for a call, with the arguments that would run.
fn now(state: &State, node: &Node) -> String {
    let call = state.calls.get(&node.id);
    match (
        &node.now().content,
        call.and_then(|call| ready::resolved_args(state, call)),
    ) {
        (Content::Call { tool, .. }, Some(args)) => format!("{tool} {args}"),
        (content, _) => content_text(content),
    }
}

fn revision(node: &Node, rev: Rev) -> Option<&Revision> {
    node.revisions.iter().find(|revision| revision.no == rev)
}

/// The revision and the text that a digest was computed from.
fn shown(facts: &[Envelope], node: &Node, digest: &Digest) -> Option<(Rev, String)> {
    facts.iter().rev().find_map(|fact| match &fact.event {
        Event::Call(CallEvent::Ready {
            call,
            rev,
            resolved,
            digest: then,
            ..
        }) if *call == node.id && digest.0.len() >= 12 && then.0.starts_with(&*digest.0) => {
            let Content::Call { tool, args } = &revision(node, *rev)?.content else {
                return None;
            };
            let args = resolved.as_ref().unwrap_or(args);
            Some((*rev, format!("{tool} {args}")))
        }
        _ => None,
    })
}

fn difference(old: &str, new: &str) -> Vec<String> {
    diff::lines(old, new).into_iter().map(marked).collect()
}

/// A line of a difference as it is printed.
pub fn marked(line: diff::Line) -> String {
    let mark = match line.change {
        Change::Same => ' ',
        Change::Removed => '-',
        Change::Added => '+',
        Change::Note => '~',
    };
    format!("{mark} {}", visible(&line.text))
}
