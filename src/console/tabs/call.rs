//! Tabs of a call: content, exact arguments with the decision frame.
//!
//! Must not know: keys, how a decision is sent.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use super::derived::Derived;
use super::{
    FIELD_ROWS, MAX_PARSED, Maker, NAME, conflicts, frame, head, origin_word, readable, tool_change,
};
use crate::doc::{Form, Styled};
use crate::halted;
use crate::json;
use crate::model::orphan_status::OrphanStatus;
use crate::model::run_phase::AT_THE_HALT;
use crate::pager::Wrap;
use crate::symbols::Symbol;
use crate::theme::Role;
use overrule_base::text;
use overrule_domain::call::{Call, ConsentCause, EffectClass, Status};
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::id::NodeId;
use overrule_domain::ledger::is_orphaned;
use overrule_domain::node::{Content, Node, Origin};
use overrule_domain::reference::rewrite;
use overrule_domain::rule;
use overrule_domain::state::State;
use overrule_domain::tags;
use overrule_domain::thread;
use overrule_domain::why;
use overrule_present::call::{CallStatusView, OriginalView, repeat_lines, repeats};
use overrule_present::effect::ExecutionView;
use overrule_present::outcome;

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
    for (name, value) in members.iter() {
        let short = value.len() <= usize::from(maker.width).saturating_sub(14);
        if short {
            maker.doc.line(
                Styled::new()
                    .own(Role::Dim, "  ")
                    .untrusted(Role::JsonKey, name, 40)
                    .own(Role::Dim, " = ")
                    .untrusted(Role::Text, value, 400),
            );
        } else {
            maker.doc.line(
                Styled::new()
                    .own(Role::Dim, "  ")
                    .untrusted(Role::JsonKey, name, 40)
                    .own(
                        Role::Dim,
                        format!(
                            "  ({} bytes, for reading; the exact bytes are in arguments)",
                            json::as_text(value).map_or(value.len(), |text| text.len())
                        ),
                    ),
            );
            maker.readable(value, "    ");
        }
    }
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
        maker.own(
            role,
            format!("{} {}", observation.id, origin_word(observation.now())),
        );
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
        let why = maker.cache.owned(&format!("model says: {why}"));
        maker.quote(&why, &Origin::Model);
    }
}

pub(super) fn status(maker: &mut Maker<'_>, call: &Call) {
    let view = CallStatusView::of(&maker.run.state, call);
    let symbol = Symbol::of_effective_status(view.effective);
    let source = view
        .source
        .filter(|_| matches!(view.status, Status::Succeeded | Status::Exited(_)));
    let (symbol, words) = match (source, view.effective) {
        (Some(source), EffectiveStatus::Active(_)) => (Symbol::Edited, source.label().to_owned()),
        (Some(source), EffectiveStatus::Superseded(_)) => (symbol, format!("{}, superseded", source.label())),
        (Some(source), EffectiveStatus::Suspended(_)) => (symbol, format!("{}, suspended", source.label())),
        (None, EffectiveStatus::Active(Status::Running(_))) if maker.run.halted.is_some() => {
            (symbol, AT_THE_HALT.to_owned())
        }
        (None, EffectiveStatus::Active(_)) => (symbol, maker.run.state.status_words(call).into_owned()),
        (None, effective) => (symbol, effective.describe()),
    };
    let mut line = Styled::new()
        .own(symbol.role(), format!("{} {words}", maker.glyph(symbol)))
        .own(Role::Dim, format!("  effect {}", call.effect.label()));
    if let Status::Failed(class) = view.status {
        line = line.own(Role::Failed, format!("  {}", class.label()));
    }
    if view.stale {
        line = line.own(Role::Warning, "  inputs may have changed");
    }
    if view.held {
        line = line.own(Role::Blocked, "  suspended by an open edit");
    }
    maker.doc.line(line);
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

/// The decision frame: the tool, its effect, and the exact bytes that would run. Only text after the bar of the
/// frame is from the model.
pub fn decision(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let Some(call) = run.state.call(id) else { return };
    let unseen: String;
    let words = match &call.status {
        Status::Consent(cause) => match cause {
            ConsentCause::Orphaned => "this effect happened already, on a superseded branch",
            ConsentCause::Unknown => "an equal effect may have happened already: its outcome is unknown",
            ConsentCause::Elsewhere => "the session that this one was forked from did the same since",
            ConsentCause::SameCall => "this very call ran already with these arguments",
        },
        Status::OutcomeUnknown(attempt) if call.was_cancelled(*attempt) => {
            "it was cancelled while it ran: part of it may have happened"
        }
        Status::OutcomeUnknown(attempt) => match call.why_unseen(*attempt) {
            Some(why) => {
                unseen = overrule_base::text::visible(why);
                &unseen
            }
            None => "it was running when the program ended: outcome unknown",
        },
        // It is asked again when the run resumes.
        _ if run.halted.is_some() => halted::UNDECIDABLE,
        _ if tags::asks_operator(&run.state, id) => "it asks you: your answer is its result",
        _ => "may this call run?",
    };
    let named = thread::named(&run.state, id);
    let head = format!("{named} {}  {words}", call_rev(maker, id));
    maker.framed(0, &head);
    for words in repeat_lines(&run.state, &repeats(&run.state, call)) {
        maker.framed(0, &words);
    }
    if call.status.needs_operator()
        && let Some(words) = orphan_warning(call, run.outlived(id))
    {
        maker.framed(0, &words);
    }
    if let Some((tool, _)) = run.state.node(id).and_then(Node::as_call) {
        head::question(maker, call, &call_rev(maker, id), tool);
    }
    readable::decision(maker, id);
}

/// Warns about a process that may still run after the program ended: an answer before its end may be wrong.
fn orphan_warning(call: &Call, left: OrphanStatus) -> Option<String> {
    let Status::OutcomeUnknown(attempt) = call.status else {
        return None;
    };
    if call.has_ended(attempt) {
        return None;
    }
    let (pid, _) = call
        .attempts
        .iter()
        .find(|one| one.no == attempt)?
        .launch
        .process?;
    Some(match left {
        OrphanStatus::Runs(left) => format!(
            "{}: wait for the end of that, or {}; until then it may still happen",
            left.describe(call.id, pid),
            left.ending(pid)
        ),
        OrphanStatus::Nothing => format!("its process {pid} and all its children have ended"),
        OrphanStatus::NotLooked => format!(
            "its process was {pid}: if `pgrep -g {pid}` still shows it or its children, wait or `kill -- -{pid}`, then answer"
        ),
    })
}

fn call_rev(maker: &Maker<'_>, id: NodeId) -> String {
    maker
        .run
        .state
        .node(id)
        .map(|node| node.rev().to_string())
        .unwrap_or_default()
}

/// The author of a changed call, and the changes.
pub(super) fn changed(maker: &mut Maker<'_>, node: &Node) {
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

/// The arguments that would run, as shown.
pub(super) fn shown(maker: &mut Maker<'_>, id: NodeId) -> Option<Arc<str>> {
    let run = maker.run;
    let shown = run.shown_args(id)?;
    Some(match run.state.call(id)?.resolved {
        Some(_) => shown,
        None => bare(maker, &shown),
    })
}

pub(super) fn exact(maker: &mut Maker<'_>, id: NodeId, decide: bool) {
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
    if decide {
        head::size(maker, call, &shown);
    }
    changed(maker, node);
    let derived = Derived::of(call, &tool, &shown);
    derived.above(maker);
    bytes(maker, &shown, decide);
    // Derived facts come after the bytes: on a small screen they would push the bytes away.
    if decide {
        like_another(maker, id);
    }
    derived.below(maker);
    if decide {
        tool_change::differences(maker, id);
    }
    super::change::texts(maker, (id, node.rev()), &tool, &shown);
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
pub(super) fn after(maker: &mut Maker<'_>, call: &Call, node: &Node) {
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
    model_reason(maker, node);
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
    if decide {
        let mark = (Role::Decision, maker.frame(1).to_owned());
        if let Some(shown) = maker.shown.clone() {
            maker.doc.begin_decided(shown);
        }
        maker.doc.text(pager, Role::Text, mark);
        maker.doc.end_decided();
        maker.framed(2, "end of the arguments");
    } else {
        maker.doc.text(pager, Role::Text, (Role::Dim, "  ".to_owned()));
    }
}

/// For a call similar to an earlier waiting one: the differences.
pub(super) fn like_another(maker: &mut Maker<'_>, id: NodeId) {
    let Some(similar) = maker.call_groups.get(&id).filter(|similar| similar.is_like()) else {
        return;
    };
    let most = usize::from(maker.width.saturating_sub(NAME)) * FIELD_ROWS;
    let line = Styled::new()
        .own(Role::Dim, format!("{:<10} ", "compare"))
        .summary_at_length(Role::Text, &similar.describe(), most);
    maker.over(line, usize::from(NAME));
}

/// The style of an effect class.
pub(super) const fn looks(effect: EffectClass) -> Role {
    match effect {
        EffectClass::Pure | EffectClass::Read => Role::Ok,
        EffectClass::Idempotent => Role::Warning,
        EffectClass::Write | EffectClass::Unknown => Role::Failed,
    }
}

fn tool_line(maker: &mut Maker<'_>, call: &Call, tool: &str) {
    let card = maker.run.tool(tool);
    let mut line = Styled::new()
        .own(Role::Dim, "tool       ")
        .untrusted(Role::Accent, tool, 80)
        .own(looks(call.effect), format!("  effect {}", call.effect.label()));
    match card {
        Some(card) => {
            for tag in &card.tags {
                line = line.own(Role::Failed, "  ").untrusted(Role::Failed, tag, 40);
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
