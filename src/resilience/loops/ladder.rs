//! Chooses the next step of an incident.
//!
//! Must not know: how a step is carried out.
//!
//! Each step is taken at most as often as the settings allow. Omits steps that are impossible, and
//! steps that never helped in similar incidents.

use super::config::{Config, Ladder};
use overrule_domain::escape::{Escape, Finding, Incident, LoopStep, Skipped, StepOutcome};

/// Number of attempts after which a kind of step that never helped is not tried again.
const LESSON: u32 = 2;

/// Which steps are possible here and now, or the reason why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Possible {
    /// Use a different tool for what fails.
    pub substitute: Result<(), String>,
    /// Go back to where the loop began.
    pub roll_back: Result<(), String>,
    /// Restrict the run to reading calls.
    pub restrict: Result<(), String>,
}

/// The next step, and why it is this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The step.
    pub step: LoopStep,
    /// The reason for the operator: what was skipped, and why.
    pub why: String,
    /// The milder steps that were skipped, with the reasons.
    pub skipped: Vec<Skipped>,
}

/// Returns the next step against a finding, or `None` if all are used up.
///
/// A step that kept the run going for a while may be taken again; one that changed nothing is followed by a
/// stronger one.
pub fn choose(
    known: &Escape,
    incident: Option<&Incident>,
    finding: &Finding,
    possible: &Possible,
    config: &Config,
) -> Option<Choice> {
    let last = incident.and_then(|incident| incident.steps.last());
    if config.ladder == Ladder::REFUSE {
        return Some(Choice {
            step: LoopStep::Refuse,
            why: why(last.map(|step| (step.kind, step.outcome)), &[]),
            skipped: Vec::new(),
        });
    }
    let from = match last {
        None => LoopStep::Guidance,
        Some(step) if step.outcome == Some(StepOutcome::Relapsed) => step.kind,
        // Only a person can decide whether their own intervention was enough.
        Some(step) if step.kind == LoopStep::Human => LoopStep::Human,
        Some(step) => LoopStep::ALL.into_iter().find(|level| *level > step.kind)?,
    };
    let mut skipped = Vec::new();
    for level in LoopStep::ALL.into_iter().filter(|level| *level >= from) {
        let taken = incident.map_or(0, |incident| incident.taken(level));
        match usable(known, finding, possible, config, level, taken) {
            Ok(()) => {
                let why = why(last.map(|step| (step.kind, step.outcome)), &skipped);
                return Some(Choice {
                    step: level,
                    why,
                    skipped,
                });
            }
            Err(reason) => skipped.push(Skipped {
                step: level,
                why: reason.into(),
            }),
        }
    }
    None
}

fn usable(
    known: &Escape,
    finding: &Finding,
    possible: &Possible,
    config: &Config,
    level: LoopStep,
    taken: u32,
) -> Result<(), String> {
    let most = config.ladder.most(level);
    if most == 0 {
        return Err("turned off".into());
    }
    if taken >= most {
        return Err(format!("tried {taken} times"));
    }
    match level {
        LoopStep::Substitute => possible.substitute.clone()?,
        LoopStep::RollBack => possible.roll_back.clone()?,
        LoopStep::Restrict => possible.restrict.clone()?,
        LoopStep::Guidance | LoopStep::Refuse | LoopStep::Human | LoopStep::Stop => {}
    }
    let [here, earlier] = known.learnt(finding, level);
    let (tried, helped) = (here.0.saturating_add(earlier.0), here.1.saturating_add(earlier.1));
    // Guidance comes first whatever its record: no call is blocked before the model saw the reason.
    if level > LoopStep::Guidance && level < LoopStep::Human && tried >= LESSON && helped == 0 {
        let sessions = match (here.0, earlier.0) {
            (_, 0) => "in this session",
            (0, _) => "in earlier sessions",
            _ => "in this session and earlier ones",
        };
        return Err(format!(
            "tried {tried} times against similar repetition {sessions}, always without success"
        ));
    }
    Ok(())
}

fn why(last: Option<(LoopStep, Option<StepOutcome>)>, skipped: &[Skipped]) -> String {
    let mut words = match last {
        None => String::new(),
        Some((level, result)) => {
            let result = result.map_or("it continues", StepOutcome::label);
            format!("after {} {result}", name(level))
        }
    };
    if !skipped.is_empty() {
        if !words.is_empty() {
            words.push_str("; ");
        }
        words.push_str("skipped: ");
        let skipped = skipped
            .iter()
            .map(|one| format!("{}: {}", name(one.step), one.why));
        words.push_str(&skipped.collect::<Vec<_>>().join("; "));
    }
    words
}

/// Names a step as part of a sentence.
pub const fn name(level: LoopStep) -> &'static str {
    match level {
        LoopStep::Guidance => "telling the model",
        LoopStep::Refuse => "refusing the calls",
        LoopStep::Substitute => "another tool",
        LoopStep::RollBack => "going back",
        LoopStep::Human => "asking the operator",
        LoopStep::Restrict => "restricting to reading calls",
        LoopStep::Stop => "stopping",
    }
}
