//! Prints the calls that wait for a decision (`overrule queue`).
//!
//! Must not know: who decides.

mod runs;
mod still;
mod tool_change;

use std::path::Path;

use self::still::{STREAM, Still};
use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::replaced_file::{self, NO_FILE};
use super::{print, record};
use overrule_base::text::visible;
use overrule_console::{run::readable, run::readable::Readable};
use overrule_domain::breaker::Phase;
use overrule_domain::call::{Call, Status};
use overrule_domain::node::Node;
use overrule_domain::orphan_process::OrphanProcess;
use overrule_domain::pending_retry;
use overrule_domain::state::State;
use overrule_domain::thread;
use overrule_engine::clock::Clock;
use overrule_policy::DangerMark;
use overrule_present::call::{CallView, Surroundings, repeat_lines};
use overrule_present::conflict::{ConflictView, WriteConflictView};
use overrule_present::danger;
use overrule_present::json;
use overrule_present::question;
use overrule_present::queue::{
    self, AttentionView, BrokenStreamView, RestrictedView, RestrictionView, TogetherView,
};
use overrule_tools::child;

/// Prints each waiting call with its digest and exact arguments, oldest first.
pub fn queue(common: &Common, args: &args::QueueArgs) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
    let found = record::as_found(&place)?;
    let mut any = false;
    for mut view in queue::calls(&found.state, |call| around(&found, call)) {
        any = true;
        let form =
            replaced_file::readable_of_stored(&view.head.tool, &view.head.shown, workspace(&found.state));
        view.decision.danger = marks(&context, &found.state, &view, &form);
        view.decision.base = form.as_ref().ok().and_then(|form| form.shown.base.clone());
        print::out(&if common.json {
            json(&view)
        } else {
            as_words(&found.state, &view, &form_lines(&view, form, args.exact))
        });
    }
    let still = still::of(&found.state, !found.held);
    // The turn that blocks the run is printed with the blocked run.
    let reported = still.as_ref().map(|still| &still.need.cause);
    for view in BrokenStreamView::all(&found.state, reported, STREAM) {
        any = true;
        print::out(&if common.json {
            json(&view)
        } else {
            let verbs = view.verbs.join(", ");
            format!("{} {}\n  verbs: {verbs}", view.turn, visible(&view.sentence))
        });
    }
    if let Some(reason) = &found.state.settings.restricted {
        let verbs = vec![format!("restrict {} --lift", place.id())];
        let restricted = RestrictionView { reason, verbs };
        print::out(&if common.json {
            json(&RestrictedView { restricted })
        } else {
            let (reason, verbs) = (visible(restricted.reason), restricted.verbs.join(", "));
            format!("restricted to reading calls: {reason}\n  verbs: {verbs}")
        });
    }
    if !any && still.is_none() {
        print::err("no calls wait for a decision");
    }
    if let Some(Still { need, verbs }) = &still {
        print::out(&if common.json {
            json(&AttentionView::of(need, verbs))
        } else {
            let mut words = format!("the run needs attention: {}", visible(&need.reason));
            if !verbs.is_empty() {
                words = format!("{words}\n  verbs: {}", verbs.join(", "));
            }
            words
        });
    }
    for view in ConflictView::all(&found.state) {
        print::out(&if common.json {
            json(&WriteConflictView { write_conflict: view })
        } else {
            format!("{}\n  verbs: {}", view.describe(), view.verbs.join(", "))
        });
    }
    if !common.json {
        for line in waiting_by_itself(&found.state) {
            print::out(&line);
        }
    }
    if let Some(view) = TogetherView::of(&found.state) {
        print::out(&if common.json {
            json(&view)
        } else {
            let ids: Vec<String> = view.together.iter().map(ToString::to_string).collect();
            format!(
                "{} can be approved together\n  digest {}",
                ids.join(" "),
                view.digest
            )
        });
    }
    if found.held {
        print::err("another process has the session open: this is what it has recorded");
    }
    Ok(Code::Ok)
}

/// Lists calls, requests and breakers that wait only for time.
fn waiting_by_itself(state: &State) -> Vec<String> {
    let now = Clock::start().utc_ms();
    let delayed = state.agenda.delayed.iter().filter_map(|id| state.calls.get(id));
    let calls = delayed.filter_map(|call| {
        let delay = call.failure.delay.as_ref()?;
        let tool = state.nodes.get(&call.id).and_then(Node::as_call);
        let tool = tool.map(|(tool, _)| visible(tool)).unwrap_or_default();
        Some(format!(
            "{} {tool} · {} · {}",
            call.id,
            delay.describe(now),
            visible(&delay.why)
        ))
    });
    let asked = pending_retry::all(state).map(|again| visible(&again.describe(Some(now))));
    let shut = state
        .learned
        .breakers
        .iter()
        .filter(|(_, one)| one.phase != Phase::Closed);
    let breakers = shut.map(|(scope, one)| {
        let (scope, word) = (visible(&scope.to_string()), one.phase.label());
        format!("breaker {scope} · {word} · {}", visible(&one.why))
    });
    calls.chain(asked).chain(breakers).collect()
}

/// What the processes of this machine tell about a call.
fn around(found: &record::SessionSnapshot, call: &Call) -> Surroundings {
    Surroundings {
        held: found.held,
        orphan_process: orphan_process(call).map(|(pid, _)| pid),
    }
}

/// The marks of danger of a call that is shown in this form.
fn marks(
    context: &AppContext,
    state: &State,
    view: &CallView<'_>,
    form: &Result<Readable, String>,
) -> Vec<DangerMark> {
    let (tool, args) = (&view.head.tool, &view.head.shown);
    let mut marks = danger::marks(&context.settings.danger.table, state, tool, args);
    let base = form.as_ref().ok().and_then(|form| form.shown.base.as_deref());
    if readable::replaces_file(tool, base) {
        danger::add_overwrite(&mut marks);
    }
    marks
}

/// The workspace of a run.
fn workspace(state: &State) -> &Path {
    Path::new(state.started.as_ref().map_or("", |started| &started.workspace))
}

/// The arguments as they are shown in a decision: readable, unless the exact bytes are wanted or tell more.
fn form_lines(view: &CallView<'_>, form: Result<Readable, String>, exact: bool) -> Vec<String> {
    let shown = visible(&view.head.shown);
    match form {
        Err(why) => vec![format!("the exact bytes: {why}"), shown],
        Ok(_) if exact => vec![shown],
        Ok(form) => readable::lines(&form),
    }
}

/// The hash of the text that a call would replace, as `--base` takes it.
fn base_line(base: &str) -> String {
    let hash = if base.is_empty() { NO_FILE } else { base };
    format!("base {hash}")
}

fn as_words(state: &State, view: &CallView<'_>, form: &[String]) -> String {
    let (head, decision, launch) = (&view.head, &view.decision, &view.launch);
    let mut lines = vec![first_line(state, view)];
    // A call whose arguments need a repair has no verdict yet.
    lines.extend((!decision.rule.is_empty()).then(|| format!("rule: {}", decision.rule)));
    lines.push(format!("digest {}", head.digest));
    let dangers = danger::describe(&decision.danger);
    if !dangers.is_empty() {
        lines.push(format!("danger: {dangers}"));
    }
    let order = state
        .calls
        .get(&head.call)
        .and_then(|call| question::order(state, call));
    lines.extend(order);
    lines.extend(decision.base.as_deref().map(base_line));
    lines.extend(form.iter().cloned());
    lines.extend(runs::detail_lines(launch));
    lines.extend(repeat_lines(state, &decision.repeats));
    lines.extend(decision.redefined.iter().flat_map(tool_change::detail_lines));
    if let Some((pid, left)) = state.calls.get(&head.call).and_then(orphan_process) {
        lines.push(format!(
            "{}: wait for its end, or {}; until then you cannot say that it did not happen",
            left.describe(head.call, pid),
            left.ending(pid)
        ));
    }
    if let Some(output) = &decision.approver {
        lines.push(format!("approver: {}", visible(output)));
    }
    if let Some(deadline) = decision.deadline {
        lines.push(format!(
            "deadline: {}",
            deadline.describe(Clock::start().utc_ms())
        ));
    }
    if let Some(wait) = decision.agent_wait {
        lines.push(wait.describe(Clock::start().utc_ms()));
    }
    lines.extend(decision.definitions.iter().cloned());
    if let Some(word) = &decision.confirmation {
        let why = if decision.definitions.is_empty() {
            "cannot be undone"
        } else {
            "this call alone"
        };
        lines.push(format!("{why}: approve it with --word {}", visible(word)));
    }
    lines.extend(repair_lines(state, view));
    if let Some(why) = &head.why {
        lines.push(format!("the agent says: {}", visible(why)));
    }
    lines.join("\n  ")
}

/// The call, what it does, why it asks, what is known of its effect, and its revision where the operator changed it.
fn first_line(state: &State, view: &CallView<'_>) -> String {
    let head = &view.head;
    let call = state.calls.get(&head.call);
    let title = call.map(|call| question::title(state, call, view.decision.base.as_deref()));
    let title = title.unwrap_or_default();
    let cause = call.map(|call| question::cause(state, call)).unwrap_or_default();
    let rev = head.rev.unwrap_or_default().0;
    let tool = visible(&head.tool);
    let tool = (!title.ends_with(&tool)).then_some(tool);
    let tags = head
        .tags
        .iter()
        .filter_map(|tag| question::tag(&head.tool, tag).map(visible));
    // What the cause says is not said twice.
    let tags: Vec<String> = tags.filter(|tag| !cause.ends_with(tag.as_str())).collect();
    let words = [
        Some(title),
        Some(cause),
        tool,
        question::effect(head.effect).map(str::to_owned),
    ];
    let rev = (rev > 1).then(|| format!("revision {rev}"));
    let words = words.into_iter().flatten().chain(tags).chain(rev);
    let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
    format!("{} {}", thread::named(state, head.call), words.join(" · "))
}

/// What is wrong with a call, and the repairs to choose from.
fn repair_lines(state: &State, view: &CallView<'_>) -> Vec<String> {
    let repair = &view.repair;
    let mut lines = Vec::new();
    if let Some(original) = &repair.original {
        lines.push(format!(
            "original: {} {}",
            visible(original.tool),
            visible(original.args)
        ));
        lines.extend(original.why.map(|why| format!("proposed: {}", visible(why))));
    }
    let found = repair.found.iter();
    lines.extend(found.map(|found| format!("found: {}", visible(&found.grounds()))));
    // The reason counts most where no repair is left to choose.
    let call = state.calls.get(&view.head.call);
    let call = call.filter(|call| call.offered().is_some());
    let because = call.and_then(|call| call.validation.because.as_deref());
    lines.extend(because.map(visible));
    let fixes = repair.repairs.iter().enumerate();
    lines.extend(fixes.map(|(at, fix)| format!("{}) {}", at + 1, visible(fix.label))));
    lines
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use overrule_console::testing::{Stage, id};
    use overrule_domain::call::{ConsentCause, Quoted, Verdict};
    use overrule_domain::ledger;

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
        let view = CallView::of(&found.state, call, around(&found, call));
        let printed = as_words(&found.state, &view, &["no arguments".to_owned()]);
        assert!(
            printed.starts_with("c3 calls write_file · a rule of the workspace (overrule.toml:3) asks · "),
            "{printed}"
        );
        assert!(printed.contains(&format!("\n  rule: {output}\n")), "{printed}");
        assert_eq!(serde_json::to_value(&view).unwrap()["rule"], output);
        assert_eq!(printed.matches("0000").count(), 1, "it is cited once");
    }

    fn view_of_c8(state: &State) -> CallView<'_> {
        CallView::of(state, &state.calls[&id("c8")], Surroundings::default())
    }

    fn repeats_json(state: &State) -> Vec<serde_json::Value> {
        let repeats = view_of_c8(state).decision.repeats;
        let values = repeats.iter().map(|one| serde_json::to_value(one).unwrap());
        values.collect()
    }

    fn printed(state: &State) -> String {
        as_words(state, &view_of_c8(state), &[ARGS.to_owned()])
    }

    const ARGS: &str = r#"{"path":"a","content":"b"}"#;

    #[test]
    fn a_repeat_shows_the_execution_with_call_outcome_and_reason_it_is_superseded() {
        let mut stage = Stage::new(80, 24);
        stage.orphaned();
        let seq = ledger::newest_of(&stage.model.run.state, id("c3")).unwrap();
        stage.repeats("c8", ("write_file", ARGS), ConsentCause::Orphaned, vec![seq]);
        let state = &stage.model.run.state;
        let edit = state.operator.edits[0].intervention;
        let since = format!("superseded: edit {edit} replaced it");
        assert_eq!(
            repeats_json(state),
            [json!({
                "entry": seq, "call": "c3", "path": [], "rev": 1, "outcome": "ok", "active": false,
                "since": since, "reverted": null,
            })]
        );
        let printed = printed(state);
        assert!(
            printed.contains(&format!("\n  it repeats c3 {seq}, succeeded; {since}\n"))
                || printed.ends_with(&format!("\n  it repeats c3 {seq}, succeeded; {since}")),
            "{printed}"
        );
    }

    #[test]
    fn of_a_call_that_repeats_nothing_there_is_none() {
        let mut stage = Stage::new(80, 24);
        stage.orphaned();
        stage.awaiting("c8", "write_file", ARGS);
        let state = &stage.model.run.state;
        assert_eq!(repeats_json(state), [Value::Null; 0]);
        let printed = printed(state);
        assert!(!printed.contains("repeats"), "{printed}");
    }
}
