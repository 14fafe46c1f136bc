//! The tab of revisions: earlier contents of a node, and their diffs.
//!
//! Must not know: keys.

use std::sync::Arc;

use super::changed_lines;
use super::older::{self, Several};
use super::origin_word;
use crate::ground::diff;
use crate::ground::diff::Change;
use crate::ground::doc;
use crate::ground::doc::Form;
use crate::ground::json;
use crate::ground::pager::Wrap;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_domain::call::Outcome;
use overrule_domain::id::NodeId;
use overrule_domain::node::{Content, Node};

/// Longest arguments that are formatted; longer ones are only compared as a whole.
const LONG: usize = 512 * 1024;
/// Adds the revisions of a node; for a call, those of its observation too.
pub fn make(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    for node in older::nodes(id).into_iter().filter_map(|id| run.state.node(id)) {
        of_node(maker, node);
    }
}

fn of_node(maker: &mut Maker<'_>, node: &Node) {
    maker.own(Role::Title, format!("{} {}", node.id, node.id.kind.label()));
    let several = Several {
        all: node.revisions.len(),
        most: older::REVISIONS,
    };
    maker.which(["revision", "revisions"], several);
    let shown = several.shown(maker.older.upto);
    let newest_first = node.revisions.iter().enumerate().rev();
    for (at, revision) in newest_first.filter(|(at, _)| shown.contains(at)) {
        maker.fact(
            &revision.no.to_string(),
            Role::Edited,
            format!(
                "{}, {}, {}{}",
                origin_word(revision),
                revision.epoch,
                revision.event,
                if node.active && revision.no == node.rev() && node.revisions.len() > 1 {
                    ", current"
                } else {
                    ""
                }
            ),
        );
        let before = at.checked_sub(1).and_then(|at| node.revisions.get(at));
        if let Some(before) = before {
            let texts = [source(&before.content), source(&revision.content)];
            let bytes = texts.iter().flatten().map(|text| text.len()).sum();
            let (old, new) = (before.content.clone(), revision.content.clone());
            let lines = maker
                .cache
                .difference((node.id, [before.no, revision.no]), texts, move || {
                    diff::lines(&content_text(&old), &content_text(&new))
                });
            if let Some(lines) = maker.found(lines, bytes) {
                difference(maker, &lines);
            }
        }
    }
}

/// The diff of two texts; a slow one is shown when its background job is done.
pub fn diff_texts(maker: &mut Maker<'_>, texts: &[Arc<str>; 2]) {
    let [old, new] = texts;
    let lines = maker.cache.compared(old, new, diff::AROUND);
    if let Some(lines) = maker.found(lines, old.len() + new.len()) {
        difference(maker, &lines);
    }
}

/// Adds the lines of a diff.
pub(crate) fn difference(maker: &mut Maker<'_>, lines: &[diff::Line]) {
    for line in lines {
        if line.change == Change::Note {
            maker.own(Role::Dim, format!("  ~ {}", line.text));
            continue;
        }
        let role = changed_lines::role(line.change);
        let mark = format!("{} ", changed_lines::sign(line.change, maker.charset));
        maker.text(&line.text, Form::Raw, Wrap::Chars, role, (role, mark));
    }
}

/// The shared text of a content, if it has one.
fn source(content: &Content) -> Option<&Arc<str>> {
    match content {
        Content::Text { text, .. } => Some(text),
        Content::Call { args, .. } => Some(args),
        Content::Observation { outcome, .. } => match outcome {
            Outcome::Ok { value, .. } => Some(value),
            Outcome::Err(_) | Outcome::Cancelled { .. } => None,
        },
        Content::Deleted => None,
    }
}

/// A content as text to compare. Contains untrusted text.
pub fn content_text(content: &Content) -> String {
    match content {
        Content::Text { text, .. } => text.to_string(),
        Content::Call { tool, args } if args.len() > LONG => format!("{tool}\n{args}"),
        Content::Call { tool, args } => format!("{tool}\n{}", json::pretty(args)),
        Content::Observation { outcome, .. } => match outcome {
            Outcome::Ok {
                value,
                exit: Some(code),
                ..
            } => format!("exit {code}\n{}", doc::readable(value)),
            Outcome::Ok { value, .. } => doc::readable(value).to_string(),
            Outcome::Err(error) => overrule_present::failed(error),
            Outcome::Cancelled { .. } => "cancelled".to_owned(),
        },
        Content::Deleted => "(deleted)".to_owned(),
    }
}
