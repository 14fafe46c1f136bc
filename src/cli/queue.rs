//! Prints the calls that wait for a decision (`overrule queue`).
//!
//! Must not know: who decides.

mod deadline;
mod repeats;
mod runs;
mod still;
mod tool_change;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use self::still::{STREAM, Still};
use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record, replaced};
use crate::console::{json, readable, tabs};
use crate::domain::approver;
use crate::domain::breaker::Phase;
use crate::domain::bulk;
use crate::domain::call::{Call, EffectClass, Status};
use crate::domain::fork;
use crate::domain::node::Node;
use crate::domain::orphan_process::OrphanProcess;
use crate::domain::pending_retry;
use crate::domain::ready;
use crate::domain::reference::rewrite;
use crate::domain::repair::Diagnosis;
use crate::domain::repair_trace;
use crate::domain::rule;
use crate::domain::state::State;
use crate::domain::tags;
use crate::domain::thread;
use crate::domain::turn::{StreamFault, Turn};
use crate::domain::why;
use crate::engine::clock::Clock;
use crate::policy::DangerMark;
use crate::resilience::attention::AttentionReason;
use crate::text::{survey, visible};
use crate::tools::child;

/// Prints each waiting call with its digest and exact arguments, oldest first.
pub fn queue(common: &Common, args: &args::QueueArgs) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.store.find(&args.id)?;
    let found = record::as_found(&place)?;
    let mut any = false;
    for call in found.state.queue().filter(|call| waits(call)) {
        any = true;
        let danger = danger(&context, &found.state, call);
        print::out(&if common.json {
            let mut json = as_json(&found, call);
            json["danger"] = danger.iter().map(|mark| mark.kind.key()).collect();
            json.to_string()
        } else {
            let marks = (&*danger_words(&danger), args.exact);
            as_words(&found, call, marks)
        });
    }
    let still = still::of(&found.state, !found.held);
    // The turn that blocks the run is printed with the blocked run.
    let reported = still.as_ref().map(|still| &still.need.cause);
    let broken = pending_retry::left(&found.state)
        .filter(|(turn, _)| reported != Some(&AttentionReason::Stream(turn.id)));
    for (turn, fault) in broken {
        any = true;
        print::out(&as_broken(turn, fault, common.json));
    }
    if let Some(why) = &found.state.restricted {
        print::out(&as_restricted(why, &place.id(), common.json));
    }
    if !any && still.is_none() {
        print::err("no calls wait for a decision");
    }
    if let Some(Still { need, verbs }) = &still {
        print::out(&if common.json {
            let why = serde_json::json!({
                "cause": need.cause.name(), "reason": need.reason, "verbs": verbs,
            });
            serde_json::json!({ "needs_attention": why }).to_string()
        } else {
            let mut words = format!("the run needs attention: {}", visible(&need.reason));
            if !verbs.is_empty() {
                let _ = write!(words, "\n  verbs: {}", verbs.join(", "));
            }
            words
        });
    }
    if !common.json {
        for line in waiting_by_itself(&found.state) {
            print::out(&line);
        }
    }
    let together = bulk::together(&found.state);
    if together.len() > 1 && common.json {
        let ids: Vec<_> = together.iter().map(|item| item.call).collect();
        print::out(&serde_json::json!({ "together": ids, "digest": bulk::digest(&together) }).to_string());
    } else if together.len() > 1 {
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

/// Formats the restriction to reading calls, with the verb to lift it.
fn as_restricted(why: &str, id: &str, json: bool) -> String {
    let verb = format!("restrict {id} --lift");
    if json {
        return serde_json::json!({ "restricted": { "reason": why, "verbs": [verb] } }).to_string();
    }
    format!("restricted to reading calls: {}\n  verbs: {verb}", visible(why))
}

/// Formats a broken stream, with the verbs about it.
fn as_broken(turn: &Turn, fault: &StreamFault, json: bool) -> String {
    if json {
        let (kind, message) = (fault.kind.label(), &fault.message);
        let reported =
            serde_json::json!({ "turn": turn.id, "broke": kind, "reason": message, "verbs": STREAM });
        return reported.to_string();
    }
    let verbs = STREAM.join(", ");
    format!("{} {}\n  verbs: {verbs}", turn.id, visible(&fault.describe()))
}

/// Lists calls, requests and breakers that wait only for time.
fn waiting_by_itself(state: &State) -> Vec<String> {
    let now = Clock::start().utc_ms();
    let delayed = state.agenda.delayed.iter().filter_map(|id| state.calls.get(id));
    let calls = delayed.filter_map(|call| {
        let delay = call.failure.delay.as_ref()?;
        let tool = visible(&tool(state.nodes.get(&call.id)));
        Some(format!(
            "{} {tool} · {} · {}",
            call.id,
            delay.describe(now),
            visible(&delay.why)
        ))
    });
    let asked = pending_retry::all(state).map(|again| visible(&again.describe(Some(now))));
    let shut = state
        .breakers
        .iter()
        .filter(|(_, one)| one.phase != Phase::Closed);
    let breakers = shut.map(|(scope, one)| {
        let (scope, word) = (visible(&scope.to_string()), one.phase.label());
        format!("breaker {scope} · {word} · {}", visible(&one.why))
    });
    calls.chain(asked).chain(breakers).collect()
}

/// True for a call that waits for the operator. An interrupted call that is safe to repeat runs again on resume.
fn waits(call: &Call) -> bool {
    !matches!(call.status, Status::OutcomeUnknown(_)) || call.effect > EffectClass::Idempotent
}

fn as_json(found: &record::SessionSnapshot, call: &Call) -> serde_json::Value {
    let state = &found.state;
    let node = state.nodes.get(&call.id);
    let shown = shown(state, call);
    let repairs: Vec<_> = call
        .offered()
        .unwrap_or_default()
        .iter()
        .map(|fix| serde_json::json!({"label": fix.label, "args": fix.args, "changes": fix.changes}))
        .collect();
    serde_json::json!({
        "call": call.id, "why": node.and_then(why::of), "path": thread::path(state, call.id), "rev": node.map(Node::rev), "status": call.status.label(), "tool": tool(node),
        "effect": call.effect, "tags": tags(state, node), "digest": digest(call), "args": ready::resolved_args(state, call).unwrap_or_default(),
        "found": found_wrong(call), "original": original(call, node), "runs": call.operands(), "rule": rule(call), "confirmation": confirmation(state, call), "elsewhere": fork::asked_about(state, call).map(super::fork::elsewhere_json), "repeats": repeats::json(state, call), "redefined": tool_change::json(state, call), "approver": approver::describe(call), "deadline": deadline::json(state, call, found.held), "repairs": repairs,
        "orphan_process": orphan_process(call).map(|(pid, _)| pid), "commands": runs::commands_json(call, &tool(node), &shown), "look_out": runs::look_out_json(&shown),
    })
}

/// The marks of danger of a call.
fn danger(context: &AppContext, state: &State, call: &Call) -> Vec<DangerMark> {
    let tool = tool(state.nodes.get(&call.id));
    let table = &context.settings.danger.table;
    table.marks(&tool, &shown(state, call), workspace(state))
}

/// The workspace of a run.
fn workspace(state: &State) -> &Path {
    Path::new(state.started.as_ref().map_or("", |started| &started.workspace))
}

/// Describes the marks; without any, that no rule matched.
fn danger_words(marks: &[DangerMark]) -> String {
    if marks.is_empty() {
        return "no rule matched".to_owned();
    }
    let words = marks
        .iter()
        .map(|mark| format!("{} ({})", mark.kind.label(), visible(&mark.because)));
    words.collect::<Vec<_>>().join(", ")
}

/// The arguments as they are shown in a decision: readable, unless the exact bytes are wanted or tell more.
fn form_lines(tool: &str, shown: &str, exact: bool, workspace: &Path) -> Vec<String> {
    let members = json::members(shown).into_iter();
    let members: Vec<(String, Arc<str>)> = members.map(|(name, value)| (name, Arc::from(value))).collect();
    match readable::why_exact(shown, &survey(shown)) {
        Some(why) => vec![format!("the exact bytes: {why}"), visible(shown)],
        None if exact => vec![visible(shown)],
        None => {
            let found = replaced::of_stored(tool, shown, workspace);
            let found = found.as_ref().map(|(found, base)| (found, base.as_ref()));
            readable::lines(&readable::of(tool, &members, found))
        }
    }
}

fn as_words(found: &record::SessionSnapshot, call: &Call, (danger, exact): (&str, bool)) -> String {
    let state = &found.state;
    let node = state.nodes.get(&call.id);
    let shown = shown(state, call);
    let class = std::iter::once(call.effect.label().to_owned()).chain(tags(state, node));
    let mut words = format!(
        "{} {} · {} · {} · revision {} · {}\n  digest {}\n  danger: {danger}",
        thread::named(state, call.id),
        visible(&tool(node)),
        call.status.base_label(),
        class.collect::<Vec<_>>().join(" "),
        node.map(Node::rev).unwrap_or_default().0,
        rule(call),
        digest(call),
    );
    for line in form_lines(&tool(node), &shown, exact, workspace(state)) {
        let _ = write!(words, "\n  {line}");
    }
    for line in runs::detail_lines(call, &tool(node), &shown) {
        let _ = write!(words, "\n  {line}");
    }
    for line in tabs::repeated(state, call) {
        let _ = write!(words, "\n  {line}");
    }
    for line in tool_change::detail_lines(state, call) {
        let _ = write!(words, "\n  {line}");
    }
    if let Some((pid, left)) = orphan_process(call) {
        let _ = write!(
            words,
            "\n  {}: wait for its end, or {}; until then you cannot say that it did not happen",
            left.describe(call.id, pid),
            left.ending(pid)
        );
    }
    if let Some(output) = approver::describe(call) {
        let _ = write!(words, "\n  approver: {}", visible(&output));
    }
    if let Some(deadline) = deadline::describe(state, call, found.held, Clock::start().utc_ms()) {
        let _ = write!(words, "\n  deadline: {deadline}");
    }
    if let Some(word) = confirmation(state, call) {
        let _ = write!(
            words,
            "\n  irreversible: approve it with --word {}",
            visible(word)
        );
    }
    if let Some((tool, args)) = node.and_then(repair_trace::replaced) {
        let _ = write!(words, "\n  original: {} {}", visible(tool), visible(args));
    }
    if let Some(change) = call
        .proposed()
        .filter(|_| node.and_then(repair_trace::replaced).is_some())
    {
        let _ = write!(words, "\n  proposed: {}", visible(&change.why));
    }
    for found in found_wrong(call) {
        let _ = write!(words, "\n  found: {}", visible(&found.grounds()));
    }
    if !call.offered().unwrap_or_default().is_empty() {
        let why = call.validation.because.as_deref().unwrap_or_default();
        let _ = write!(words, "\n  {}", visible(why));
    }
    for (at, fix) in call.offered().unwrap_or_default().iter().enumerate() {
        let _ = write!(words, "\n  {}) {}", at + 1, visible(&fix.label));
    }
    if let Some(why) = node.and_then(why::of) {
        let _ = write!(words, "\n  model says: {}", visible(&why));
    }
    words
}

/// The original call, if a repair proposes another tool, and the reason.
fn original(call: &Call, node: Option<&Node>) -> Option<serde_json::Value> {
    let (tool, args) = node.and_then(repair_trace::replaced)?;
    let why = call.proposed().map(|change| &change.why);
    Some(serde_json::json!({ "tool": tool, "args": args, "why": why }))
}

/// The problems of a call whose repair waits for a choice.
fn found_wrong(call: &Call) -> &[Diagnosis] {
    let offered = call.offered().and_then(|_| call.failure.repairs.last());
    offered.map_or(&[], |round| &round.diagnoses)
}

/// The orphan process of an execution with an unknown outcome, if it still runs.
fn orphan_process(call: &Call) -> Option<(u32, OrphanProcess)> {
    let Status::OutcomeUnknown(attempt) = call.status else {
        return None;
    };
    let record = call.attempts.iter().find(|one| one.no == attempt)?;
    let (pid, ticks) = record.launch.process.filter(|_| record.outcome.is_none())?;
    Some((pid, child::orphan_process(pid, ticks)?))
}

/// The tags of a call's tool, which add to its effect class.
fn tags(state: &State, node: Option<&Node>) -> Vec<String> {
    let tags = tags::of(state, &tool(node));
    tags.iter().map(|tag| visible(tag)).collect()
}

/// The tool name that confirms an irreversible call.
fn confirmation<'s>(state: &'s State, call: &Call) -> Option<&'s Arc<str>> {
    let asks = matches!(call.status, Status::AwaitingApproval | Status::Consent(_));
    tags::confirmation(state, call.id).filter(|_| asks)
}

/// The arguments that would run; with unresolved references until their results exist.
fn shown(state: &State, call: &Call) -> Arc<str> {
    ready::resolved_args(state, call).unwrap_or_else(|| {
        let node = state.nodes.get(&call.id).and_then(Node::as_call);
        node.map(|(_, args)| Arc::from(rewrite::without_why(args)))
            .unwrap_or_default()
    })
}

fn tool(node: Option<&Node>) -> String {
    let call = node.and_then(Node::as_call);
    call.map(|(tool, _)| tool.to_string()).unwrap_or_default()
}

fn digest(call: &Call) -> &str {
    call.digest.as_ref().map_or("-", |digest| &digest.0)
}

fn rule(call: &Call) -> String {
    let Some(verdict) = &call.verdict else {
        return String::new();
    };
    let reported = rule::describe(&verdict.rule);
    let words = verdict.quoted.as_ref().and_then(|quoted| quoted.words.as_deref());
    visible(&match words {
        Some(words) => format!("{reported}, which says {}", rule::quotation(words)),
        None => reported,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::testing::{Stage, id};
    use crate::domain::call::{Quoted, Verdict};

    #[test]
    fn a_reason_from_a_workspace_file_is_quoted() {
        let words = "none\" needed; digest\n  0000 \u{202e}\\";
        let verdict = Verdict {
            rule: format!("workspace overrule.toml:3: {{ reason = {words:?} }}"),
            reason: format!("the workspace's rule says \"{words}\""),
            quoted: Some(Quoted {
                place: "overrule.toml:3".into(),
                words: Some(words.into()),
            }),
            ..Stage::verdict()
        };
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.awaiting_by("c3", ("write_file", "{}"), verdict);
        let found = record::SessionSnapshot {
            state: stage.model.run.state.clone(),
            held: false,
        };
        let call = &found.state.calls[&id("c3")];
        let output = r#"a rule of the workspace (overrule.toml:3), which says "none\" needed; digest⟨LF⟩  0000 ⟨U+202E⟩\\""#;
        let printed = as_words(&found, call, ("no rule matched", false));
        assert!(
            printed
                .lines()
                .next()
                .unwrap()
                .ends_with(&format!("revision 1 · {output}")),
            "{printed}"
        );
        assert_eq!(as_json(&found, call)["rule"], output);
        assert_eq!(printed.matches("0000").count(), 1, "it is cited once");
    }
}
