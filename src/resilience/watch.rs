//! Holds the read models of a run and updates them event by event.
//!
//! Must not know: who reads them.

use super::execution;
use super::health::Health;
use super::policy::Policy;
use super::routing::{Fact, Priors, Settings, Weights, due};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{Event, ResilienceEvent, WeightEvent};
use overrule_domain::id::Seq;
use overrule_domain::state::{Mode, State};
use overrule_domain::weight::{MOST, Word};

/// What is known about the tools of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Watch {
    /// How well each tool serves each kind of task.
    pub weights: Weights,
    /// How each tool performs.
    pub health: Health,
}

impl Watch {
    /// Creates the read models of a run without events.
    pub fn new(settings: Settings) -> Self {
        Self {
            weights: Weights::new(settings, Priors::default()),
            health: Health::default(),
        }
    }

    /// Rebuilds the read models for a run's present state, with the settings recorded in it.
    pub fn on(&self, state: &State) -> Self {
        let recorded = state.settings.resilience.as_ref();
        let recorded = recorded.and_then(|one| Policy::recorded(&one.policy));
        let settings = recorded.map_or_else(|| self.weights.settings().clone(), |policy| policy.routing);
        Self::of(state, settings)
    }

    /// Builds the read models of a run's present state.
    pub fn of(state: &State, settings: Settings) -> Self {
        let imported = state.learned.weights.imported.as_ref();
        let priors = imported.map_or_else(Priors::default, |one| Priors::of_noted(&one.learned.weights));
        let mut watch = Self {
            weights: Weights::new(settings, priors),
            health: Health::default(),
        };
        let mut text: Vec<(Seq, Fact)> = state
            .learned
            .weights
            .words
            .iter()
            .map(|word| (word.seq(), fact_of(word)))
            .collect();
        text.sort_by_key(|(seq, _)| *seq);
        let mut text = text.into_iter().peekable();
        for ran in execution::all(state) {
            while let Some((_, word)) = text.next_if(|(seq, _)| *seq < ran.seq) {
                watch.fold(&word);
            }
            watch.fold(&Fact::Ran(ran));
        }
        text.for_each(|(_, word)| watch.fold(&word));
        watch
    }

    /// Folds one event, given the state after it.
    pub fn take(&mut self, state: &State, envelope: &Envelope) {
        // All weights are recomputed as if these settings had held from the beginning, so they are the same
        // in every process that continues the run.
        if matches!(
            envelope.event,
            Event::Resilience(ResilienceEvent::PolicySet { .. })
                | Event::Weight(WeightEvent::Imported { .. })
        ) {
            *self = self.on(state);
            return;
        }
        if let Some(execution) = execution::ended(state, envelope) {
            self.fold(&Fact::Ran(execution));
        }
        let newest = state
            .learned
            .weights
            .words
            .last()
            .filter(|word| word.seq() == envelope.seq);
        if let Some(word) = newest {
            self.weights.take(&fact_of(word));
        }
    }

    fn fold(&mut self, fact: &Fact) {
        if let Fact::Ran(execution) = fact {
            self.health.take(execution);
        }
        self.weights.take(fact);
    }

    /// Returns the weights to record, if that is due: every hundred executions, and when the run
    /// pauses or ends.
    pub fn due(&self, state: &State) -> Option<WeightEvent> {
        let (noted, executions) = (state.learned.weights.noted, self.weights.executions());
        let still = state.mode != Mode::Running && executions > noted;
        (still || due(noted, executions)).then(|| WeightEvent::Noted {
            executions,
            weights: self.weights.rows().map(|row| row.noted()).collect(),
        })
    }
}

fn fact_of(word: &Word) -> Fact {
    match word {
        Word::Set {
            seq,
            kind,
            tool,
            weight,
        } => Fact::Set {
            seq: *seq,
            kind: kind.clone(),
            tool: tool.clone(),
            weight: f64::from(*weight) / f64::from(MOST),
        },
        Word::Reset { seq, tool } => Fact::Reset {
            seq: *seq,
            tool: tool.clone(),
        },
    }
}

#[cfg(test)]
mod tests;
