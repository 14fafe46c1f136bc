//! Prints the ledger, and builds the calls that probe or revert an effect.
//!
//! Must not know: how a call is filled, who approves it.

use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{damaged, print, record};
use overrule_base::text::{visible, visible_head};
use overrule_domain::call::{Decision, Outcome};
use overrule_domain::command::Edit;
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::ledger::{self, Row};
use overrule_domain::rule;
use overrule_domain::state::{LedgerOutcome, State};
use overrule_domain::template::{self, Filled, NotOffered, Purpose};
use overrule_present::effect::{
    AfterDamageView, EffectView, ElsewhereView, ForeignView, OfferView, happened,
};
use overrule_present::{self as present, json, many, time};

/// The most characters of arguments on a line.
const SHOWN: usize = 200;

/// Prints every execution of class idempotent and above, oldest first; of a damaged session also those that
/// started after the damage.
pub fn effects(common: &Common, args: &args::Queue) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
    let (found, damage) = record::up_to_damage(&place)?;
    let state = found.state;
    let following = damage
        .as_ref()
        .map(|damage| damaged::read_tail(&place, damage, &state));
    let following = following.transpose()?;
    if let Some(damage) = &damage {
        print::err(&format!("session {} is damaged: {damage}.", place.id()));
    }
    let of_this = ledger::rows(&state).map(|row| {
        let view = EffectView::of(&state, &row);
        if common.json {
            json(&view)
        } else {
            lines(&view).join("\n")
        }
    });
    let of_others = ForeignView::all(&state).map(|view| {
        if common.json {
            json(&view)
        } else {
            format!("{} {}", view.recorded, elsewhere(&view.elsewhere))
        }
    });
    let salvaged = following
        .iter()
        .flat_map(|following| &following.effects)
        .map(|one| {
            let after_damage = ElsewhereView::of(one);
            if common.json {
                json(&AfterDamageView { after_damage })
            } else {
                describe_after_damage(&after_damage)
            }
        });
    let mut any = false;
    for text in of_this.chain(of_others).chain(salvaged) {
        any = true;
        if !print::out(&text) {
            break;
        }
    }
    if let Some(open) = left_open(any, following.map(|following| following.unreadable)) {
        print::err(&open);
    }
    Ok(Code::Ok)
}

/// Describes an empty list, or a part of the record that cannot be read.
fn left_open(any: bool, unreadable: Option<usize>) -> Option<String> {
    let nothing = "no call with an effect";
    match (any, unreadable) {
        (true, None) => None,
        (false, None) => Some(format!("{nothing} has run")),
        (any, Some(count)) => {
            let lines = format!(
                "{} of the record cannot be read: what happened there is unknown",
                many(count, "line")
            );
            Some(if any {
                lines
            } else {
                format!("{nothing} in what can be read; {lines}")
            })
        }
    }
}

/// Formats an effect that started after the damage.
fn describe_after_damage(one: &ElsewhereView<'_>) -> String {
    format!(
        "{} {} {} · {} · outcome unknown · {} · after the damage\n  {}",
        one.entry,
        one.call,
        visible(one.tool),
        one.effect.label(),
        time::second(one.at),
        short(one.args)
    )
}

/// Describes the effects that matter before a run resumes: orphaned effects, and effects with an
/// unknown outcome.
pub fn before_resume(state: &State) -> Vec<String> {
    let unknown: Vec<Seq> = ledger::unknown(state).map(|row| row.entry.seq).collect();
    let left = ledger::orphaned_effects(state).filter(|row| !unknown.contains(&row.entry.seq));
    let left = left.map(|row| format!("orphaned by an edit, and not reverted: {}", name(&row)));
    let unknown = ledger::unknown(state).map(|row| format!("outcome unknown: {}", name(&row)));
    let others = state.origin.elsewhere.len();
    let other = state.origin.elsewhere.values().next().filter(|_| others > 0).map(|one| {
        let session = visible(&one.what.session);
        format!("not reverted: {} of session {session} after the fork. An equal call asks first; `overrule effects` lists them", many(others, "effect"))
    });
    left.chain(unknown).chain(other).collect()
}

/// An effect of another session.
fn elsewhere(one: &ElsewhereView<'_>) -> String {
    format!("{} {}: {}", visible(one.tool), short(one.args), happened(one))
}

/// The edit that inserts the call to probe or revert an execution.
pub fn inserted(state: &State, named: &str, purpose: Purpose) -> Result<Edit, Failure> {
    let entry = find(state, named)?;
    let filled = match purpose {
        Purpose::Probe => template::probe_entry(state, entry),
        Purpose::Compensate => template::compensate_of(state, entry),
    };
    let Filled { tool, args } = filled.map_err(|why| {
        let what = match purpose {
            Purpose::Probe => "probe",
            Purpose::Compensate => "revert",
        };
        Failure::new(Code::Halted, format!("cannot {what} {}: {why}", visible(named)))
    })?;
    Ok(Edit::InsertCall {
        after: None,
        tool,
        args,
    })
}

/// Finds an execution by its number, or the newest one of a call.
fn find(state: &State, named: &str) -> Result<Seq, Failure> {
    if let Ok(call) = named.parse::<NodeId>() {
        return ledger::newest_of(state, call).ok_or_else(|| {
            Failure::new(
                Code::Usage,
                format!("cannot find an execution of {call}; hint: `overrule effects` lists all"),
            )
        });
    }
    let number = named.strip_prefix('#').unwrap_or(named).parse();
    number.map(Seq).map_err(|_| {
        Failure::new(
            Code::Usage,
            format!(
                "cannot read `{}`: it is neither a call such as c5 nor the number of an execution; hint: `overrule effects` lists both",
                visible(named)
            ),
        )
    })
}

/// An execution as a short text.
fn name(row: &Row<'_>) -> String {
    let entry = row.entry;
    format!(
        "{} {} {} ({})",
        entry.seq,
        entry.call,
        visible(&entry.tool),
        short(row.args)
    )
}

fn short(args: &str) -> String {
    visible_head(args, SHOWN)
}

/// How an execution ended, in a word or two.
fn outcome(outcome: &LedgerOutcome) -> String {
    match outcome {
        LedgerOutcome::Known(Outcome::Ok { exit: None, .. }) => "ok".into(),
        other => present::outcome(other),
    }
}

fn consent(decision: Option<&Decision>) -> String {
    match decision {
        None | Some(Decision::LeftToOperator { .. }) => "no decision".into(),
        Some(Decision::Approve { .. }) => "approved".into(),
        Some(Decision::Auto { rule }) => format!("allowed by {}", print::safe_line(&rule::describe(rule))),
        Some(Decision::Allowed { by, .. }) => format!("approved by approver {}", visible(by)),
        Some(Decision::Edited) => "approved by an edit".into(),
        Some(Decision::RunAgain { .. }) => "consent to run it again".into(),
        Some(Decision::Abandon { .. }) => "abandoned".into(),
        Some(Decision::DidNotFinish) => "did not finish".into(),
        Some(Decision::Withdrawn { .. }) => "approval withdrawn".into(),
        Some(Decision::Reject { .. }) => "rejected".into(),
        Some(Decision::Deny { .. }) => "denied".into(),
        Some(Decision::Expire { .. }) => "expired".into(),
        Some(Decision::Answer | Decision::Reuse { .. } | Decision::Carry { .. }) => {
            "a result without a run".into()
        }
    }
}

fn lines(view: &EffectView<'_>) -> Vec<String> {
    let ran = &view.execution;
    let via = view
        .via
        .map(|via| format!(" ({})", via.label()))
        .unwrap_or_default();
    let mut lines = vec![
        format!(
            "{} {} {} {} · {} · {} · {} · {} · {} · {}",
            ran.entry,
            ran.call,
            ran.rev,
            ran.attempt,
            visible(ran.tool),
            ran.effect.label(),
            outcome(ran.outcome),
            time::second(ran.at),
            ran.epoch,
            consent(view.consent) + &via,
        ),
        format!("  {}", short(ran.args)),
    ];
    if view.orphaned {
        lines.push("  orphaned: an edit superseded its call".into());
    }
    if let Some(by) = view.reverted {
        lines.push(format!("  reverted by {by}"));
    }
    lines.extend(offer("to probe", &view.probe));
    lines.extend(offer("to revert", &view.compensate));
    lines
}

fn offer(what: &str, offer: &OfferView) -> Option<String> {
    match offer {
        OfferView::Call(call) => Some(format!("  {what}: {} {}", visible(&call.tool), short(&call.args))),
        // There is no template, or nothing to do: no line.
        OfferView::Not {
            why: NotOffered::NoTemplate(..) | NotOffered::DidNot | NotOffered::Running,
        } => None,
        OfferView::Not { why } => Some(format!("  {what}: not possible: {why}")),
    }
}
