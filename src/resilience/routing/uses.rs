//! Uses weights: tool order and notes, choice of substitutes, questions about failing tools.
//!
//! Must not know: how a request is made, what a gate is.

use super::weights::Weights;

/// A tool as it is offered to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer<'t> {
    /// The tool.
    pub tool: &'t str,
    /// What the model is told about it beyond its description.
    pub note: Option<Note>,
}

/// A note on a tool that keeps failing.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The weight.
    pub weight: f64,
    /// The note as a sentence.
    pub words: String,
}

/// How far a weight is below the middle. Changes within one band have no effect, so that requests do not
/// change with every execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Band {
    Usual,
    Weak,
    Poor,
}

/// The weight below which a tool is offered after the others.
const WEAK: f64 = 0.4;
/// The weight below which a tool is offered after all others.
const POOR: f64 = 0.25;

impl Weights {
    fn band(&self, kind: &str, tool: &str) -> Band {
        let weight = self.weight(kind, tool);
        if weight < POOR {
            Band::Poor
        } else if weight < WEAK {
            Band::Weak
        } else {
            Band::Usual
        }
    }

    /// Returns the tools as they are offered to a model for this kind of task: in the given order, those that
    /// keep failing last and with a note, without those that the operator wants hidden.
    pub fn offer<'t>(&self, kind: &str, tools: impl IntoIterator<Item = &'t str>) -> Vec<Offer<'t>> {
        let shown = tools.into_iter().filter(|tool| !self.is_hidden(kind, tool));
        let mut offers: Vec<(Band, Offer<'t>)> = shown
            .map(|tool| {
                let band = if self.settings.order {
                    self.band(kind, tool)
                } else {
                    Band::Usual
                };
                let note = (band != Band::Usual).then(|| self.note(kind, tool));
                (band, Offer { tool, note })
            })
            .collect();
        // The sort is stable: within a band the given order stays.
        offers.sort_by_key(|(band, _)| *band);
        offers.into_iter().map(|(_, offer)| offer).collect()
    }

    fn note(&self, kind: &str, tool: &str) -> Note {
        let weight = self.weight(kind, tool);
        Note {
            weight,
            // Rounded, so that small changes leave the sentence the same.
            words: format!(
                "It failed often of late (reliability about {weight:.1} of 1): prefer another tool where one can do it."
            ),
        }
    }

    /// Returns true if the operator wants a tool of this weight hidden.
    pub fn is_hidden(&self, kind: &str, tool: &str) -> bool {
        self.settings.hide_below > 0.0 && self.weight(kind, tool) < self.settings.hide_below
    }

    /// Returns why a call of a tool must ask the operator whatever the policy allows, or `None` if
    /// it need not ask.
    pub fn asks(&self, kind: &str, tool: &str) -> Option<String> {
        let weight = self.weight(kind, tool);
        let below = self.settings.ask_below;
        (weight < below).then(|| {
            format!(
                "{tool} keeps failing at tasks of kind {kind}: its weight is {weight:.2}, below {below:.2}"
            )
        })
    }
}
