//! Tabs of a call: content, exact arguments with the decision frame.
//!
//! Must not know: keys, how a decision is sent.

pub(crate) mod decision;
pub(crate) mod exact;

pub use decision::decision;
pub(crate) use exact::{after, exact, like_another, shown};

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use super::{conflicts, origin_word};
use crate::ground::doc::{Form, Styled};
use crate::ground::pager::Wrap;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::run::changes;
use crate::run::maker::{MAX_PARSED, Maker};
use crate::run::readable;
use crate::run::run_phase::AT_THE_HALT;
use overrule_base::text;
use overrule_domain::call::{Call, EffectClass, ErrorClass, Status};
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::id::NodeId;
use overrule_domain::node::{Content, Node, Origin};
use overrule_domain::reference::rewrite;
use overrule_domain::rule;
use overrule_domain::state::State;
use overrule_domain::why;
use overrule_present::call::{CallStatusView, OriginalView};
use overrule_present::question;

/// The most lines of the output of a running call.
const PRINTED: usize = 8;

/// A call and its result, for reading.
pub fn content(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let (Some(call), Some(node)) = (run.state.call(id), run.state.node(id)) else {
        return;
    };
    let Some((tool, args)) = node.as_call() else {
        return;
    };
    status(maker, call);
    maker.field("tool", tool);
    printed(maker, call);
    model_reason(maker, node);
    let args = &bare(maker, args);
    // Parsing copies the text: a long one is shown as it is instead.
    let members = if args.len() > MAX_PARSED {
        Arc::default()
    } else {
        maker.cache.members(args)
    };
    if members.is_empty() {
        maker.text(
            args,
            Form::Json,
            Wrap::Chars,
            Role::Text,
            (Role::Dim, "  ".to_owned()),
        );
    }
    super::readable::parts(maker, call, tool, &readable::of(tool, &members, None));
    for fault in &call.validation.faults {
        maker.field("fault", &format!("{} {}", fault.path, fault.message));
    }
    super::repairs::rounds(maker, call);
    if let Some(observation) = run.state.observation(id) {
        let role = if observation.pinned {
            Role::Edited
        } else {
            Role::Title
        };
        let words = match &observation.now().origin {
            Origin::Execution => "output".to_owned(),
            _ => format!("output, {}", origin_word(observation.now())),
        };
        maker.own(role, words);
        if let Some(outcome) = observation.outcome() {
            maker.outcome(outcome);
        }
    }
    conflicts(maker, id);
}

/// Adds the newest output of a call that runs.
fn printed(maker: &mut Maker<'_>, call: &Call) {
    let Some(output) = maker.run.output_of(call) else {
        return;
    };
    // The newest line is on the screen, also in a low pane.
    let above = maker.doc.rows() + 1;
    let room = maker
        .height
        .map_or(PRINTED, |height| height.saturating_sub(above).clamp(1, PRINTED));
    let mut lines: Vec<&str> = output.text.lines().rev().take(room).collect();
    lines.reverse();
    maker.own(
        Role::Running,
        format!("printed {} bytes; the last lines:", output.bytes),
    );
    let text = lines.join("\n");
    let text = maker.cache.owned(&text);
    maker.text(
        &text,
        Form::Raw,
        Wrap::Chars,
        Role::Text,
        (Role::Dim, "  ".to_owned()),
    );
}

/// Arguments without the reason for the call, which is shown separately.
fn bare(maker: &mut Maker<'_>, args: &Arc<str>) -> Arc<str> {
    match rewrite::without_why(args) {
        Cow::Borrowed(_) => Arc::clone(args),
        Cow::Owned(bare) => maker.cache.owned(&bare),
    }
}

/// The model's stated reason for the call. No decision depends on it.
fn model_reason(maker: &mut Maker<'_>, node: &Node) {
    if let Some(why) = why::of(node) {
        let why = maker.cache.owned(&format!("the agent says: {why}"));
        maker.quote(&why, &Origin::Model);
    }
}

pub(crate) fn status(maker: &mut Maker<'_>, call: &Call) {
    let view = CallStatusView::of(&maker.run.state, call);
    let symbol = Symbol::of_effective_status(view.effective);
    let source = view
        .source
        .filter(|_| matches!(view.status, Status::Succeeded | Status::Exited(_)));
    let (symbol, words) = match (source, view.effective) {
        (Some(source), EffectiveStatus::Active(_)) => (Symbol::Edited, source.label().to_owned()),
        (Some(source), EffectiveStatus::Superseded(_)) => (symbol, format!("{}, superseded", source.label())),
        (Some(source), EffectiveStatus::Suspended(_)) => (symbol, source.label().to_owned()),
        (None, EffectiveStatus::Active(Status::Running(_))) if maker.run.halted.is_some() => {
            (symbol, AT_THE_HALT.to_owned())
        }
        (None, EffectiveStatus::Active(_) | EffectiveStatus::Suspended(_)) => {
            (symbol, maker.run.state.status_words(call).into_owned())
        }
        (None, effective) => (symbol, effective.describe()),
    };
    let mut line = Styled::new()
        .own(symbol.role(), format!("{} {words}", maker.glyph(symbol)))
        .own(
            Role::Dim,
            question::effect(call.effect)
                .map(|words| format!("  {words}"))
                .unwrap_or_default(),
        );
    match view.status {
        Status::Failed(ErrorClass::Business) => {}
        Status::Failed(ErrorClass::Transient) => line = line.own(Role::Failed, ", can be retried"),
        Status::Failed(class) => line = line.own(Role::Failed, format!(": {}", class.label())),
        _ => {}
    }
    if view.stale {
        line = line.own(Role::Warning, "  inputs may have changed");
    }
    if let Some(by) = effective_status::suspended_by(&maker.run.state, call) {
        line = line.own(Role::Blocked, format!("  {by}"));
    }
    maker.doc.line(line);
    if let Some(refused) = overrule_present::sandbox::refused(call).filter(|_| view.status.is_settled()) {
        maker.own(Role::Warning, refused);
    }
    if let Some(words) = changes::describe_restored(&maker.run.state, call) {
        maker.own(Role::Edited, words);
    }
    match (&call.validation.because, &call.validation.denied_by) {
        (Some(because), Some(rule)) => maker.field("because", &rule::describe_with_reason(rule, because)),
        (Some(because), None) => maker.field("because", because),
        (None, _) => {}
    }
}

/// The exact arguments; for a waiting call, everything that a decision depends on.
pub fn arguments(maker: &mut Maker<'_>, id: NodeId) {
    let Some(call) = maker.run.state.call(id) else {
        maker.own(Role::Dim, "only calls have arguments");
        return;
    };
    let effective = EffectiveStatus::of_call(&maker.run.state, call);
    if let Some(words) = undecided(&maker.run.state, call.id, effective) {
        maker.own(Role::Superseded, words);
        exact(maker, id, false);
    } else if matches!(call.status, Status::Repairing(_)) {
        // It cannot run now, so the repairs come before the arguments.
        super::repairs::rounds(maker, call);
        exact(maker, id, false);
    } else if effective.asks() {
        decision(maker, id);
    } else {
        exact(maker, id, false);
    }
}

/// Why no decision is asked about a superseded or suspended call.
fn undecided(state: &State, id: NodeId, effective: EffectiveStatus<'_>) -> Option<String> {
    match effective {
        EffectiveStatus::Superseded(_) => {
            let why = effective_status::replaced_words(state, id);
            Some(format!("superseded: {why}; no decision is possible"))
        }
        EffectiveStatus::Suspended(status) if status.needs_operator() => {
            Some("suspended by an open edit before it: no decision is possible until that ends".to_owned())
        }
        EffectiveStatus::Suspended(_) | EffectiveStatus::Active(_) => None,
    }
}

/// The author of a changed call, and the changes.
pub(crate) fn changed(maker: &mut Maker<'_>, node: &Node) {
    let (
        Some(Content::Call {
            tool: old,
            args: first,
        }),
        Some((tool, args)),
    ) = (node.revisions.first().map(|first| &first.content), node.as_call())
    else {
        return;
    };
    let mut words = super::origin_word(node.now());
    let same = maker.cache.common_prefix(first, args);
    let differs = same < first.len() || same < args.len();
    if old == tool && !differs {
        return;
    }
    if old != tool {
        write!(words, ": another tool than {}", text::visible(old)).unwrap_or_default();
    }
    if differs {
        write!(words, ", from byte {same} on").unwrap_or_default();
    }
    words.push_str("; the tab revisions shows how");
    maker.fact("changed", Role::Edited, words);
    proposed(maker, node);
}

/// The original call for which a repair proposes another tool, and the reason.
fn proposed(maker: &mut Maker<'_>, node: &Node) {
    let state = &maker.run.state;
    let Some(view) = state.call(node.id).and_then(|call| OriginalView::of(state, call)) else {
        return;
    };
    maker.field("original", &format!("{} {}", view.tool, view.args));
    if let Some(why) = view.why {
        maker.field("proposed", why);
    }
}

/// The style of an effect class.
pub(crate) const fn looks(effect: EffectClass) -> Role {
    match effect {
        EffectClass::Pure | EffectClass::Read => Role::Dim,
        EffectClass::Idempotent | EffectClass::Write | EffectClass::Unknown => Role::Text,
    }
}
