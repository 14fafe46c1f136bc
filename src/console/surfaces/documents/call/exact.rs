//! The exact arguments of a call, with what is known of them.
//!
//! Must not know: keys, how a decision is sent.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{bare, changed, looks};
use crate::ground::doc::{Form, Styled};
use crate::ground::pager::Wrap;
use crate::ground::theme::Role;
use crate::run::maker::{FIELD_ROWS, Maker, NAME};
use crate::surfaces::documents::derived::Derived;
use crate::surfaces::documents::{change, frame, readable, tool_change};
use overrule_base::text;
use overrule_domain::call::Call;
use overrule_domain::id::NodeId;
use overrule_domain::ledger::is_orphaned;
use overrule_domain::node::Node;
use overrule_present::effect::ExecutionView;
use overrule_present::{outcome, question};

/// The arguments that would run, as shown.
pub(crate) fn shown(maker: &mut Maker<'_>, id: NodeId) -> Option<Arc<str>> {
    let run = maker.run;
    let shown = run.shown_args(id)?;
    Some(match run.state.call(id)?.resolved {
        Some(_) => shown,
        None => bare(maker, &shown),
    })
}

pub(crate) fn exact(maker: &mut Maker<'_>, id: NodeId, decide: bool) {
    let run = maker.run;
    let (Some(call), Some(node)) = (run.state.call(id), run.state.node(id)) else {
        return;
    };
    let (Some((tool, args)), Some(shown)) = (node.as_call(), shown(maker, id)) else {
        return;
    };
    let tool = Arc::clone(tool);
    let args = bare(maker, args);
    tool_line(maker, call, &tool);
    if decide {
        tool_change::notice(maker, id);
    }
    if let Some(verdict) = &call.verdict {
        frame::rule(maker, verdict);
    }
    frame::approver(maker, call);
    frame::deadline(maker, call);
    frame::pause(maker, call, &tool);
    size_line(maker, call, &shown);
    changed(maker, node);
    let derived = Derived::of(call, &tool, &shown);
    derived.above(maker);
    bytes(maker, &shown, decide);
    // Derived facts come after the bytes: on a small screen they would push the bytes away.
    if decide {
        like_another(maker, id);
    }
    derived.below(maker, true);
    if decide {
        tool_change::differences(maker, id);
    }
    change::texts(maker, (id, node.rev()), &tool, &shown);
    let as_written =
        Arc::ptr_eq(&shown, &args) || maker.cache.common_prefix(&shown, &args) == shown.len().max(args.len());
    if !as_written {
        let words = if call.refs.bindings.is_empty() {
            "as written: its label and the path of its result do not go to the tool"
        } else {
            "as written, before the references were filled in"
        };
        maker.own(Role::Title, words);
        maker.text(
            &args,
            Form::Json,
            Wrap::Chars,
            Role::Dim,
            (Role::Dim, "  ".to_owned()),
        );
    }
    after(maker, call, node);
}

/// Adds where the arguments came from, what is wrong with them, earlier executions, and the model's reason.
pub(crate) fn after(maker: &mut Maker<'_>, call: &Call, node: &Node) {
    for binding in &call.refs.bindings {
        let source = binding.source.map_or("input".to_owned(), |id| id.to_string());
        maker.field(
            "reference",
            &format!("†{} = {source} {}", binding.reference, binding.rev),
        );
    }
    for fault in &call.validation.faults {
        maker.field("fault", &format!("{} {}", fault.path, fault.message));
    }
    ran_before(maker, call);
    // After everything that a decision depends on.
    readable::reason(maker, node);
}

/// The exact bytes that would run, below the warnings about deceptive characters. Until both are ready, neither is
/// shown and no decision is possible.
fn bytes(maker: &mut Maker<'_>, shown: &Arc<str>, decide: bool) {
    let width = maker.width.saturating_sub(2).max(1);
    let survey = maker.cache.survey(shown);
    let pager = maker.cache.pager(shown, Form::Json, width, Wrap::Chars);
    let (survey, pager) = match (survey, pager) {
        (Ok(survey), Ok(pager)) => (survey, pager),
        (survey, pager) => {
            for ticket in survey.err().into_iter().chain(pager.err()) {
                maker.doc.wait(ticket);
            }
            maker.own(Role::Warning, "loading the arguments…");
            return;
        }
    };
    frame::look_out(maker, &survey);
    let mark = (Role::Dim, "  ".to_owned());
    if decide {
        if let Some(shown) = maker.shown.clone() {
            maker.doc.begin_decided(shown);
        }
        maker.doc.text(pager, Role::Text, mark);
        maker.doc.end_decided();
    } else {
        maker.doc.text(pager, Role::Text, mark);
    }
}

/// For a call similar to an earlier waiting one: the differences.
pub(crate) fn like_another(maker: &mut Maker<'_>, id: NodeId) {
    let Some(similar) = maker.call_groups.get(&id).filter(|similar| similar.is_like()) else {
        return;
    };
    let most = usize::from(maker.width.saturating_sub(NAME)) * FIELD_ROWS;
    let line = Styled::new()
        .own(Role::Dim, format!("{:<10} ", "compare"))
        .summary_at_length(Role::Text, &similar.describe(), most);
    maker.over(line, usize::from(NAME));
}

fn tool_line(maker: &mut Maker<'_>, call: &Call, tool: &str) {
    let card = maker.run.tool(tool);
    let mut line = Styled::new()
        .own(Role::Dim, "tool       ")
        .untrusted(Role::Accent, tool, 80)
        .own(
            looks(call.effect),
            question::effect(call.effect)
                .map(|words| format!("  {words}"))
                .unwrap_or_default(),
        );
    match card {
        Some(card) => {
            for tag in card.tags.iter().filter_map(|tag| question::tag(tool, tag)) {
                line = line.own(Role::Dim, "  ").untrusted(Role::Dim, tag, 40);
            }
        }
        None => line = line.own(Role::Warning, "  not a tool of this run"),
    }
    // No tag is cut at any width.
    maker.over(line, usize::from(NAME));
}

fn size_line(maker: &mut Maker<'_>, call: &Call, shown: &Arc<str>) {
    let (lines, longest) = maker.cache.size(shown);
    let mut words = format!("{} bytes", shown.len());
    if lines > 1 {
        let _ = write!(words, ", {lines} lines, longest {longest}");
    }
    if let Some(digest) = &call.digest {
        let _ = write!(words, "  digest {}", text::visible(digest.short()));
    }
    maker.fact("size", Role::Text, words);
    if shown.len() > usize::from(maker.width) * 6 {
        let tail: String = shown
            .chars()
            .rev()
            .take(48)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        maker.field("ends with", &tail);
    }
}

fn ran_before(maker: &mut Maker<'_>, call: &Call) {
    let run = maker.run;
    // The ledger is as long as the run: a call knows its own entries.
    let entries = call
        .attempts
        .iter()
        .filter_map(|one| run.state.ledger.get(&one.intent));
    let entries: Vec<_> = entries.collect();
    for entry in entries.iter().rev().take(3) {
        let view = ExecutionView::of(&run.state, entry);
        let orphaned = if is_orphaned(&run.state, entry) {
            ", orphaned"
        } else {
            ""
        };
        maker.fact(
            "ran",
            Role::Warning,
            format!(
                "{} {} {}: {}{orphaned}",
                view.entry,
                view.rev,
                view.attempt,
                outcome(view.outcome)
            ),
        );
    }
}
