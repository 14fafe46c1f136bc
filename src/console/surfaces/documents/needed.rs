//! The page on why the run needs the operator: reason, state, calls, fixes, attempts and events.
//!
//! Must not know: when the operator is needed, what a key does.
use std::borrow::Cow;

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::keymap::Keymap;
use crate::kernel::log::LogPane;
use crate::kernel::verb::Verb;
use crate::run::interrupted_restore::InterruptedRestore;
use crate::run::maker::Maker;
use crate::run::part::{NOTICED_MS, RunPart};
use crate::run::too_long;
use crate::run::{event_text, loops, summary};
use crate::surfaces::attention::fix::{FIX_GO, FIXES, decisions};
use crate::verbs::shorten;
use overrule_base::text::visible;
use overrule_domain::files::Progress;
use overrule_domain::node::Node;
use overrule_domain::pending_retry;
use overrule_domain::state::Mode;
use overrule_resilience::attention::{Attention, AttentionReason, Branch, attempts, standstill};

use super::files::left_paths;

/// The most listed calls.
const CALLS: usize = 6;
/// The most listed events, the newest ones.
const EVENTS: usize = 10;
/// The most characters of a line.
const MOST: usize = 400;

/// A fix, by one key, for a run that needs the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fix {
    /// Go to the cause, or change what blocks the run.
    Go,
    /// Other arguments.
    Arguments,
    /// Another tool.
    Tool,
    /// A result in place of the tool's.
    Answer,
    /// Guidance for the model.
    Guide,
    /// Allow the repeated calls.
    Allow,
    /// Resume without a change.
    Resume,
    /// Continue a restore that was interrupted.
    Continue,
    /// Leave such a restore as it is.
    Leave,
    /// Undo such a restore.
    Undo,
    /// Stop the call, the sub-agent or the loop.
    Stop,
}

/// Whether a fix is one for this cause.
pub fn fits(fix: Fix, cause: &AttentionReason) -> bool {
    let about_calls = matches!(
        cause,
        AttentionReason::Loop(_)
            | AttentionReason::Repair
            | AttentionReason::Calls
            | AttentionReason::Breaker
    );
    if matches!(cause, AttentionReason::Restore(_)) {
        return matches!(fix, Fix::Continue | Fix::Leave | Fix::Undo);
    }
    match fix {
        Fix::Continue | Fix::Leave | Fix::Undo => false,
        Fix::Go => !matches!(cause, AttentionReason::Stopped),
        // The operator ends the own edit or pause, or stops again, by other keys.
        Fix::Stop => !matches!(
            cause,
            AttentionReason::Stopped | AttentionReason::Edit | AttentionReason::Own
        ),
        Fix::Arguments | Fix::Tool | Fix::Answer => about_calls,
        Fix::Guide => !matches!(cause, AttentionReason::Limit),
        Fix::Allow => matches!(cause, AttentionReason::Loop(_)),
        Fix::Resume => matches!(
            cause,
            AttentionReason::Loop(_) | AttentionReason::Stopped | AttentionReason::Own
        ),
    }
}

/// Makes the page; with the fixes where keys work.
pub fn needed(maker: &mut Maker<'_>, log: &LogPane, keymap: Option<&Keymap>) {
    let run = maker.run;
    let need = standstill(&run.state);
    let reason = need.as_ref().map(|need| line(&need.reason));
    let (role, reason) = match (&run.halted, reason) {
        (Some(why), _) => (
            Role::Error,
            format!(
                "The run is halted: {}. Quit, fix this, and resume the run.",
                visible(why)
            ),
        ),
        (None, Some(reason)) => (Role::Title, reason),
        (None, None) => (Role::Dim, "The run does not need you now.".to_owned()),
    };
    let alarms: Vec<String> = run.alarms.iter().map(|alarm| line(&alarm.words)).collect();
    list(maker, "alarms", alarms.iter().map(String::as_str));
    maker.own(role, reason);
    maker.field("state", &run_status(run, need.as_ref()));
    if let Some(need) = &need {
        calls(maker, need);
        // The fixes must be visible without scrolling, on a small screen too.
        if let Some(keymap) = keymap {
            fixes(maker, need, keymap);
            if let Some(restore) = InterruptedRestore::of(run) {
                left_paths(maker, &restore);
            }
        }
        let tried = attempts(&run.state, need);
        list(maker, "tried so far", tried.iter().map(String::as_str));
        if let AttentionReason::Loop(no) = need.cause
            && let Some(incident) = run.state.learned.escape.incident(no)
        {
            let steps = loops::proposals(incident);
            list(maker, "steps against it", steps.iter().map(|step| step.trim()));
        }
    }
    // The banner counts down the time.
    let again: Vec<String> = pending_retry::all(&run.state)
        .filter(|one| run.halted.is_none() && one.is_long(NOTICED_MS))
        .map(|one| one.describe(None))
        .collect();
    list(maker, "by itself", again.iter().map(String::as_str));
    let newest = log.newest(EVENTS);
    let message: Vec<String> = newest.iter().map(|one| event_text::of(one)).collect();
    list(maker, "the newest events", message.iter().map(String::as_str));
}

/// Adds the fixes with their keys.
fn fixes(maker: &mut Maker<'_>, need: &Attention, keymap: &Keymap) {
    maker.doc.line(Styled::new());
    maker.own(Role::Title, "what you can do");
    for verb in decisions(&maker.run.state, need) {
        let keys = [FIX_GO.name, verb.name].map(|name| keymap.first(name));
        if keys.iter().all(|key| !key.is_empty()) {
            fix_row(maker, &keys.join(", "), verb.doc.to_owned());
        }
    }
    if too_long::is_too_long(&maker.run.state) {
        for verb in shorten::CHOICES {
            fix_row(maker, &keys_of(keymap, verb), verb.doc.to_owned());
        }
    }
    for &(verb, fix) in FIXES {
        let nowhere = fix == Fix::Go && need.cause == AttentionReason::Own && need.calls.is_empty();
        if nowhere || !fits(fix, &need.cause) {
            continue;
        }
        let what = match fix {
            Fix::Go if need.cause == AttentionReason::Edit => format!(
                "look at the staged edits ({}): commit or remove them",
                keymap.first("staged-edits")
            ),
            Fix::Resume if need.cause == AttentionReason::Own => "resume the run".to_owned(),
            Fix::Continue => InterruptedRestore::of(maker.run).as_ref().map_or_else(
                || verb.doc.to_owned(),
                |restore| format!("continue the restore{}", left_of(restore)),
            ),
            Fix::Stop => Branch::of(&maker.run.state, need).describe(),
            _ => verb.doc.to_owned(),
        };
        fix_row(maker, &keys_of(keymap, verb), what);
    }
}

/// The number of steps of an interrupted restore that it would carry out; empty while that is not known.
fn left_of(restore: &InterruptedRestore<'_>) -> String {
    let Some(Ok(steps)) = &restore.steps else {
        return String::new();
    };
    let [open, conflicts] =
        [Progress::Open, Progress::Conflict].map(|progress| restore.that_are(progress).count());
    let left = format!("{open} of {} left", steps.len());
    match conflicts {
        0 => format!(" ({left})"),
        1 => format!(" ({left}; 1 changed since by something else, is left)"),
        count => format!(" ({left}; {count} changed since by something else, are left)"),
    }
}

/// The keys of a verb; each one carries it out.
fn keys_of(keymap: &Keymap, verb: &Verb) -> String {
    let keys = keymap.keys_of(verb.name).iter().map(ToString::to_string);
    keys.collect::<Vec<_>>().join(" ")
}

/// Adds a row with keys and what they do; none without a key.
fn fix_row(maker: &mut Maker<'_>, keys: &str, what: String) {
    if !keys.is_empty() {
        let row = Styled::new().own(Role::Key, format!("  {keys:<8} "));
        maker.over(row.own(Role::Text, what), 11);
    }
}

/// Describes the mode of the run, without a reason that is already on the page.
fn run_status(run: &RunPart, need: Option<&Attention>) -> String {
    let active = match &run.state.mode {
        // The label of the header.
        Mode::Running => run.phase(false).label().to_owned(),
        Mode::Paused(why) if need.is_some_and(|need| need.reason.ends_with(&**why)) => "paused".to_owned(),
        Mode::Paused(why) => format!("paused: {why}"),
        Mode::Stopped(why) => format!("stopped: {why}"),
        Mode::Finished(answer) => format!("answered: {answer}"),
    };
    match &run.state.settings.restricted {
        Some(why) => format!("{active}; restricted to reading calls ({why})"),
        None => active,
    }
}

fn calls(maker: &mut Maker<'_>, need: &Attention) {
    let run = maker.run;
    let mut lines = Vec::new();
    for id in need.calls.iter().take(CALLS) {
        let call_content = run.state.nodes.get(id).and_then(Node::as_call);
        let status = run
            .state
            .calls
            .get(id)
            .map_or(Cow::Borrowed(""), |call| call.status.label());
        if let Some((tool, args)) = call_content {
            let line = Styled::new()
                .own(Role::Text, format!("  {id} "))
                .untrusted(Role::Text, tool, 40)
                .own(Role::Text, " ");
            lines.push(
                line.summary(Role::Text, &summary::arguments(args), MOST)
                    .own(Role::Text, format!(": {status}")),
            );
        }
    }
    if need.calls.len() > CALLS {
        let more = format!("  and {} more", need.calls.len() - CALLS);
        lines.push(Styled::new().own(Role::Text, more));
    }
    rows(maker, "calls", lines);
}

fn list<'l>(maker: &mut Maker<'_>, title: &str, lines: impl Iterator<Item = &'l str>) {
    let line = |text| {
        let line = Styled::new().own(Role::Text, "  ");
        line.untrusted(Role::Text, text, MOST)
    };
    rows(maker, title, lines.map(line).collect());
}

fn rows(maker: &mut Maker<'_>, title: &str, lines: Vec<Styled>) {
    if lines.is_empty() {
        return;
    }
    maker.doc.line(Styled::new());
    maker.own(Role::Title, title);
    for line in lines {
        maker.over(line, 4);
    }
}

/// Untrusted text on one line.
fn line(text: &str) -> String {
    let short: String = text.chars().take(MOST).collect();
    visible(&short)
}
