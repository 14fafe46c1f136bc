//! Decides what to do about repetition in a thread, one step at a time.
//!
//! Must not know: how a step is carried out.
//!
//! Each step is derived from the state.

use std::sync::Arc;

use super::config::Config;
use super::ladder::{self, Possible};
use super::watch::{Report, Watch};
use super::words::Others;
use super::{awaited, read, words};
use overrule_domain::breaker::Scope;
use overrule_domain::call::{Call, EffectClass, Outcome, Status};
use overrule_domain::escape::advised::{Advised, Plan};
use overrule_domain::escape::awaiting::is_awaiting;
use overrule_domain::escape::open_step::is_guard;
use overrule_domain::escape::{
    Detector, Finding, Incident, LoopStep, Signature, Step, StepOutcome, args_hash,
};
use overrule_domain::id::{NodeId, ThreadId, TurnId};
use overrule_domain::ledger;
use overrule_domain::node::Node;
use overrule_domain::ready;
use overrule_domain::restrict;
use overrule_domain::state::State;
use overrule_domain::thread;
use overrule_domain::turn::Turn;

/// Maximum number of other tools named to the model.
const NAMED: usize = 12;

/// What needs to be asked about tools.
#[derive(Clone, Copy)]
pub struct Tools<'f> {
    /// Returns true if a tool can be called with these arguments.
    pub fits: &'f dyn Fn(&str, &str) -> bool,
    /// Returns the breakers that a call of a tool with these arguments passes.
    pub guards: &'f dyn Fn(&str, &str) -> Vec<Scope>,
    /// Returns true if a call failed and will not succeed by being repeated.
    pub lasts: &'f dyn Fn(&Call) -> bool,
    /// Returns the tools that can replace one, best first.
    pub instead: &'f dyn Fn(&str) -> Vec<Arc<str>>,
    /// Returns how well a tool serves the kind of task that a call was made for, 0 to 1.
    pub weight: &'f dyn Fn(&Node, &str) -> f64,
}

/// The calls that other tools can make, and the reason for the choice of tools.
type Substitutes = (Vec<(NodeId, Arc<str>)>, String);

/// Returns what to do about repetition in a thread in which everything has ended.
pub fn advise(
    watch: &mut Watch,
    state: &State,
    thread: ThreadId,
    config: &Config,
    tools: Tools<'_>,
) -> Option<Advised> {
    if !config.enabled {
        return None;
    }
    let mut config = config.clone();
    config.muted.extend(state.learned.escape.muted.iter().copied());
    watch.fit(&config, &state.learned.escape.allowed);
    let reports = awaited::fit(state, watch.look(state, thread));
    let found = reports.iter().any(|report| report.is_loop);
    let Some(incident) = state.learned.escape.of(thread) else {
        let lasting = || lasting(state, thread, &config, tools).map(Advised::Find);
        return repeated(&reports)
            .or_else(lasting)
            .or_else(|| warning(state, thread, &reports));
    };
    if let Some(ended) = overtaken(state, incident, &config) {
        return Some(ended);
    }
    let Some(step) = incident.steps.last() else {
        return Some(climb(state, incident, &config, tools));
    };
    match step.outcome {
        Some(StepOutcome::Helped | StepOutcome::Overtaken) => {
            Some(Advised::End(Arc::from("the run makes progress")))
        }
        Some(StepOutcome::Relapsed | StepOutcome::Ignored | StepOutcome::Impossible) => {
            Some(climb(state, incident, &config, tools))
        }
        None => step_outcome(state, incident, step, found, config.calm as usize).map(Advised::Note),
    }
}

/// Returns the first loop of these reports.
fn repeated(reports: &[Report]) -> Option<Advised> {
    let report = reports.iter().find(|report| report.is_loop)?;
    Some(Advised::Find(report.finding.clone()))
}

/// Returns the calls of a thread's newest turn that failed permanently and began no incident so
/// far.
fn lasting(state: &State, thread: ThreadId, config: &Config, tools: Tools<'_>) -> Option<Finding> {
    if !config.listens(Detector::Exhausted) {
        return None;
    }
    let turn = read::evidence(state, thread).next()?;
    let known = |id: &NodeId| {
        let mut incidents = state.learned.escape.incidents.iter();
        incidents.any(|incident| incident.finding.nodes.contains(id))
    };
    let failed: Vec<NodeId> = calls(state, turn)
        .filter(|call| (tools.lasts)(call) && !known(&call.id))
        .map(|call| call.id)
        .collect();
    let batch = read::batch(state, turn)?;
    let actions = batch.actions.iter().filter(|one| failed.contains(&one.node));
    let allowed = |one: &Signature| state.learned.escape.allowed.contains(one);
    let actions: Vec<_> = actions.filter(|one| !allowed(&one.exact())).collect();
    (!actions.is_empty()).then(|| Finding {
        detector: Detector::Exhausted,
        thread,
        period: 1,
        repetitions: 1,
        fails: true,
        first: turn.asked_at,
        nodes: actions.iter().map(|one| one.node).collect(),
        signatures: actions.iter().map(|one| one.exact()).collect(),
    })
}

/// Returns the warning for a thread in which nothing is a loop.
fn warning(state: &State, thread: ThreadId, reports: &[Report]) -> Option<Advised> {
    let turn = read::evidence(state, thread).next()?.id;
    let warned = state.learned.escape.warned.get(&thread);
    if warned.is_some_and(|(at, _)| *at == turn) {
        return None;
    }
    // Each tool is reported once for each row of failures, or of equal results of what it waits for.
    let kind = |finding: &Finding| (finding.detector.is_informational(), is_awaiting(state, finding));
    let message = |report: &&Report| {
        warned.is_some_and(|(at, before)| {
            let in_turn = |id: &NodeId| state.nodes.get(id).is_some_and(|node| node.turn == *at);
            kind(&report.finding) != (false, false)
                && kind(&report.finding) == kind(before)
                && before.tools() == report.finding.tools()
                && report.finding.nodes.iter().any(in_turn)
        })
    };
    let report = reports.iter().find(|report| !message(report))?;
    Some(Advised::Warn {
        turn,
        finding: report.finding.clone(),
    })
}

/// Ends an incident if the operator intervened or allowed the repetition.
fn overtaken(state: &State, incident: &Incident, config: &Config) -> Option<Advised> {
    let finding = &incident.finding;
    let since = incident.steps.last().map_or(incident.seq, |step| step.seq);
    let allowed = finding
        .signatures
        .iter()
        .all(|one| state.learned.escape.allowed.contains(one));
    let why = if read::overtaken(state, finding.thread, since) {
        "the operator intervened"
    } else if allowed {
        "the operator lets it repeat"
    } else if !config.listens(finding.detector) {
        "its detector is muted"
    } else if finding.detector.is_informational() && !waits(incident) {
        "a tool that fails is no loop"
    } else {
        return None;
    };
    let open = incident.steps.last().is_some_and(|step| step.outcome.is_none());
    Some(if open {
        Advised::Note(StepOutcome::Overtaken)
    } else {
        Advised::End(Arc::from(why))
    })
}

/// Returns true if the newest step waits for the operator.
fn waits(incident: &Incident) -> bool {
    let last = incident.steps.last();
    last.is_some_and(|step| step.kind == LoopStep::Human && step.outcome.is_none())
}

/// Returns the result of the newest step, once a turn shows it.
fn step_outcome(
    state: &State,
    incident: &Incident,
    step: &Step,
    goes_round: bool,
    calm: usize,
) -> Option<StepOutcome> {
    let since: Vec<&Turn> = read::evidence(state, incident.finding.thread)
        .take_while(|turn| read::stamp(state, turn) > step.seq)
        .collect();
    let newest = since.first()?;
    if goes_round || repeats(state, newest, &incident.finding) {
        return Some(if since.len() > 1 {
            StepOutcome::Relapsed
        } else {
            StepOutcome::Ignored
        });
    }
    (since.len() >= calm).then_some(StepOutcome::Helped)
}

/// Returns true if a turn repeats the finding: it makes a blocked call, or fails as before.
fn repeats(state: &State, turn: &Turn, finding: &Finding) -> bool {
    calls(state, turn).any(|call| {
        refused(call)
            || (restrict::denied(call) && covers(state, call, finding))
            || (finding.fails && fails_again(state, call, finding))
    })
}

fn calls<'s>(state: &'s State, turn: &'s Turn) -> impl Iterator<Item = &'s Call> {
    let counting = turn
        .nodes
        .iter()
        .filter(|id| state.nodes.get(id).is_some_and(|node| node.active));
    counting.filter_map(|id| state.calls.get(id))
}

fn refused(call: &Call) -> bool {
    call.status == Status::Rejected && call.validation.denied_by.as_deref().is_some_and(is_guard)
}

/// Returns true if the finding contains calls with the tool and the arguments of this one.
fn covers(state: &State, call: &Call, finding: &Finding) -> bool {
    let call_content = state.nodes.get(&call.id).and_then(Node::as_call);
    call_content
        .zip(ready::resolved_args(state, call))
        .is_some_and(|((tool, _), args)| {
            let hash = args_hash(&args);
            let mut signatures = finding.signatures.iter();
            signatures.any(|one| one.covers_before(tool, &hash))
        })
}

fn fails_again(state: &State, call: &Call, finding: &Finding) -> bool {
    let Some(turn) = state.turn_of(call.id) else {
        return false;
    };
    let failed = read::batch(state, turn);
    failed.is_some_and(|batch| {
        batch.actions.iter().any(|one| {
            one.node == call.id
                && one.end == super::action::End::Failure
                && finding
                    .signatures
                    .iter()
                    .any(|signature| signature.covers(&one.tool, &one.args, one.error.as_deref()))
        })
    })
}

/// Returns the next step, or the end of an incident in which all steps were taken.
fn climb(state: &State, incident: &Incident, config: &Config, tools: Tools<'_>) -> Advised {
    let finding = &incident.finding;
    let substitutes = substitutes(state, finding, config, tools);
    let back_to = back_to(state, finding);
    let possible = Possible {
        substitute: substitutes.as_ref().map(|_| ()).map_err(Clone::clone),
        roll_back: back_to.as_ref().map(|_| ()).map_err(Clone::clone),
        restrict: restrict(state, finding),
    };
    let choice = ladder::choose(&state.learned.escape, Some(incident), finding, &possible, config);
    let after = read::evidence(state, finding.thread).next().map(|turn| turn.id);
    let (Some(choice), Some(after)) = (choice, after) else {
        return Advised::End(Arc::from("every step was taken"));
    };
    let refuses = matches!(choice.step, LoopStep::Refuse | LoopStep::RollBack);
    let message = match choice.step {
        LoopStep::Guidance => Some(words::guidance(state, finding, &others(state, finding, tools))),
        LoopStep::Refuse => Some(words::refusal(state, finding, &others(state, finding, tools))),
        LoopStep::RollBack => Some(words::rollback_notice(state, finding)),
        LoopStep::Restrict => Some(words::restricted(state, finding)),
        LoopStep::Substitute | LoopStep::Human | LoopStep::Stop => None,
    };
    let why = match (choice.step, &substitutes) {
        (LoopStep::Substitute, Ok((_, which))) => format!("{which}; {}", choice.why),
        _ => choice.why,
    };
    Advised::Take(Plan {
        step: choice.step,
        why: Arc::from(why.trim_end_matches("; ")),
        after,
        forbidden: if refuses {
            exact(state, finding)
        } else {
            Vec::new()
        },
        notice: message.map(Arc::from),
        substitutes: match choice.step {
            LoopStep::Substitute => substitutes.map(|(calls, _)| calls).unwrap_or_default(),
            _ => Vec::new(),
        },
        back_to: match choice.step {
            LoopStep::RollBack => back_to.ok(),
            _ => None,
        },
        skipped: choice.skipped,
    })
}

/// Returns why restricting the run to reading calls would not help, as an error.
fn restrict(state: &State, finding: &Finding) -> Result<(), String> {
    if state.settings.restricted.is_some() {
        return Err("the run is restricted already".into());
    }
    if finding.thread != thread::ROOT {
        return Err("it would restrict the whole run, not only this sub-agent".into());
    }
    let mut calls = finding.nodes.iter().filter_map(|id| state.calls.get(id));
    if calls.any(|call| !call.delegates && restrict::class(state, call).has_effect()) {
        return Ok(());
    }
    Err("the loop consists of reading calls only".into())
}

/// Returns the signatures of a finding's calls with their exact arguments, without duplicates.
fn exact(state: &State, finding: &Finding) -> Vec<Signature> {
    let mut all: Vec<Signature> = awaited::refused(state, finding)
        .filter_map(|id| {
            let (tool, _) = state.nodes.get(id)?.as_call()?;
            let args = ready::resolved_args(state, state.calls.get(id)?)?;
            Some(Signature {
                tool: tool.clone(),
                args: Some(args_hash(&args)),
                error: None,
            })
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Returns the tools of the thread that are not part of the finding.
fn others(state: &State, finding: &Finding, tools: Tools<'_>) -> Others {
    let inside = finding.tools();
    let offered = thread::tools(state, finding.thread);
    let is_offered = |name: &Arc<str>| offered.iter().any(|card| card.name == *name);
    let mut instead: Vec<Arc<str>> = Vec::new();
    for name in inside.iter().flat_map(|tool| (tools.instead)(tool)) {
        if is_offered(&name) && !inside.contains(&name) && !instead.contains(&name) {
            instead.push(name);
        }
    }
    let rest = offered.iter().map(|card| &card.name);
    let rest = rest.filter(|name| !inside.contains(name) && !instead.contains(name));
    Others {
        rest: rest.take(NAMED).cloned().collect(),
        instead,
    }
}

/// Returns the newest calls of the finding that another tool can make, or why there are none.
fn substitutes(
    state: &State,
    finding: &Finding,
    config: &Config,
    tools: Tools<'_>,
) -> Result<Substitutes, String> {
    let newest = read::evidence(state, finding.thread).next();
    let newest = newest.ok_or_else(|| "none of its calls is left".to_owned())?;
    let mut found = Vec::new();
    let mut which = Vec::new();
    let mut reason = "nothing in it failed".to_owned();
    for call in calls(state, newest) {
        if !refused(call) && !fails_again(state, call, finding) {
            continue;
        }
        match substitute(state, call, config, tools) {
            Ok((tool, words)) => {
                found.push((call.id, tool));
                if !which.contains(&words) {
                    which.push(words);
                }
            }
            Err(why) => reason = why,
        }
    }
    if found.is_empty() {
        Err(reason)
    } else {
        Ok((found, which.join("; ")))
    }
}

/// Returns the tool that makes a call instead of its own, and the reason as text. It has the
/// highest weight of those that can; among equals the first wins.
fn substitute(
    state: &State,
    call: &Call,
    config: &Config,
    tools: Tools<'_>,
) -> Result<(Arc<str>, String), String> {
    let node = state.nodes.get(&call.id);
    let call_content = node.and_then(|node| Some((node, node.as_call()?)));
    let Some((node, (tool, args))) = call_content else {
        return Err("none of its calls is left".into());
    };
    let others = config.substitutes(tool);
    if others.is_empty() {
        return Err(format!("no other tool is known for {tool}"));
    }
    if may_have_acted(state, call) {
        return Err(format!("{} may have had an effect", call.id));
    }
    let mut able: Vec<(&Arc<str>, f64)> = Vec::new();
    let mut passed = Vec::new();
    for other in others {
        let guards = (tools.guards)(other, args);
        let shut = guards.iter().find(|scope| {
            let breaker = state.learned.breakers.get(scope);
            breaker.is_some_and(|breaker| !breaker.admits())
        });
        if let Some(scope) = shut {
            let of = match scope {
                Scope::Tool(_) => String::new(),
                Scope::Server(name) | Scope::Model(name) => format!(" (of {name})"),
            };
            passed.push(format!("the breaker of {other}{of} is not closed"));
        } else if !(tools.fits)(other, args) {
            passed.push(format!("{other} does not take these arguments"));
        } else {
            able.push((other, (tools.weight)(node, other)));
        }
    }
    // The sort is stable: among equals the first one written comes first.
    able.sort_by(|(_, one), (_, two)| two.total_cmp(one));
    let Some(((best, weight), rest)) = able.split_first() else {
        return Err(passed.join(", "));
    };
    let rest = rest.iter().map(|(other, weight)| format!("{other} {weight:.2}"));
    let rest: Vec<String> = rest.chain(passed).collect();
    let over = if rest.is_empty() {
        String::new()
    } else {
        format!(", rather than {}", rest.join(", "))
    };
    Ok((
        (*best).clone(),
        format!("{best} for {tool} (weight {weight:.2}{over})"),
    ))
}

/// Returns true unless it is certain that the call had no effect.
pub(crate) fn may_have_acted(state: &State, call: &Call) -> bool {
    let entries = call
        .attempts
        .iter()
        .filter_map(|one| state.ledger.get(&one.intent));
    let proven = |outcome: Option<&Outcome>| matches!(outcome, Some(Outcome::Err(error)) if !error.executed);
    call.effect > EffectClass::Read
        && entries.into_iter().any(ledger::may_have_happened)
        && !proven(call.last_attempt().and_then(|one| one.outcome.as_ref()))
}

/// Returns the turn in which the finding began, or why it is impossible to go back there.
fn back_to(state: &State, finding: &Finding) -> Result<TurnId, String> {
    if finding.detector == Detector::Visits {
        return Err("other work was done in between".to_owned());
    }
    let gone = || "its beginning is superseded".to_owned();
    let begun = |turn: &&Turn| turn.asked_at == finding.first;
    let turns: Vec<&Turn> = read::evidence(state, finding.thread).collect();
    let first = turns.iter().copied().find(begun).ok_or_else(gone)?;
    let acted = state
        .turns_of(finding.thread)
        .rev()
        .take_while(|turn| turn.pos >= first.pos)
        .flat_map(|turn| calls(state, turn))
        .filter(|call| call.effect.has_effect())
        .find(|call| {
            let mut entries = call
                .attempts
                .iter()
                .filter_map(|one| state.ledger.get(&one.intent));
            entries.any(ledger::may_have_happened)
        });
    match acted {
        Some(call) => {
            let tool = state.nodes.get(&call.id).and_then(Node::as_call);
            let tool = tool.map_or("a call", |(tool, _)| tool);
            Err(format!("{tool} ({}) happened since", call.id))
        }
        None => Ok(first.id),
    }
}
