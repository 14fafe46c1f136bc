//! Chooses the next step of an incident: each step at most as often as the settings allow, none that is
//! impossible, none that never helped in similar incidents.
//!
//! Must not know: how a step is carried out.

use super::config::Config;
use crate::domain::escape::{Escape, Finding, Incident, Rung, Skipped, Upshot};

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
    pub rung: Rung,
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
    let from = match last {
        None => Rung::Guidance,
        Some(step) if step.upshot == Some(Upshot::Relapsed) => step.rung,
        // Only a person can judge whether what they did was enough.
        Some(step) if step.rung == Rung::Human => Rung::Human,
        Some(step) => Rung::ALL.into_iter().find(|rung| *rung > step.rung)?,
    };
    let mut skipped = Vec::new();
    for rung in Rung::ALL.into_iter().filter(|rung| *rung >= from) {
        let taken = incident.map_or(0, |incident| incident.taken(rung));
        match usable(known, finding, possible, config, rung, taken) {
            Ok(()) => {
                let why = why(last.map(|step| (step.rung, step.upshot)), &skipped);
                return Some(Choice { rung, why, skipped });
            }
            Err(reason) => skipped.push(Skipped {
                rung,
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
    rung: Rung,
    taken: u32,
) -> Result<(), String> {
    let most = config.ladder.most(rung);
    if most == 0 {
        return Err("turned off".into());
    }
    if taken >= most {
        return Err(format!("tried {taken} times"));
    }
    match rung {
        Rung::Substitute => possible.substitute.clone()?,
        Rung::RollBack => possible.roll_back.clone()?,
        Rung::Restrict => possible.restrict.clone()?,
        Rung::Guidance | Rung::Refuse | Rung::Human | Rung::Stop => {}
    }
    let [here, earlier] = known.learnt(finding, rung);
    let (tried, helped) = (here.0.saturating_add(earlier.0), here.1.saturating_add(earlier.1));
    // Telling comes first whatever it did before: nothing is refused to a model that was not told why.
    if rung > Rung::Guidance && rung < Rung::Human && tried >= LESSON && helped == 0 {
        let sessions = match (here.0, earlier.0) {
            (_, 0) => "in this session",
            (0, _) => "in earlier sessions",
            _ => "in this session and earlier ones",
        };
        return Err(format!(
            "tried {tried} times against the like {sessions}, never of use"
        ));
    }
    Ok(())
}

fn why(last: Option<(Rung, Option<Upshot>)>, skipped: &[Skipped]) -> String {
    let mut words = match last {
        None => String::new(),
        Some((rung, upshot)) => {
            let upshot = upshot.map_or("it goes on", Upshot::word);
            format!("after {} {upshot}", name(rung))
        }
    };
    if !skipped.is_empty() {
        if !words.is_empty() {
            words.push_str("; ");
        }
        words.push_str("skipped: ");
        let skipped = skipped
            .iter()
            .map(|one| format!("{}: {}", name(one.rung), one.why));
        words.push_str(&skipped.collect::<Vec<_>>().join("; "));
    }
    words
}

/// Names a step as part of a sentence.
pub const fn name(rung: Rung) -> &'static str {
    match rung {
        Rung::Guidance => "telling the model",
        Rung::Refuse => "refusing the calls",
        Rung::Substitute => "another tool",
        Rung::RollBack => "going back",
        Rung::Human => "asking the operator",
        Rung::Restrict => "restricting to reading calls",
        Rung::Stop => "stopping",
    }
}
