//! What follows from weights: order and notes of the offered tools, the choice among substitutes, a
//! question before a failing tool is used. Must not know: how a request is made, what a gate is.

use super::weights::Weights;

/// A tool as it is offered to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer<'t> {
    /// The tool.
    pub tool: &'t str,
    /// What the model is told of it beyond its description.
    pub note: Option<Note>,
}

/// What is said of a tool that keeps failing.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The weight.
    pub weight: f64,
    /// The sentence.
    pub words: String,
}

/// How far a weight lies below the middle. Weights within one band change nothing, so that a request does
/// not change with every execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Band {
    Usual,
    Weak,
    Poor,
}

/// Below this a tool is offered after the others.
const WEAK: f64 = 0.4;

impl Weights {
    fn band(&self, kind: &str, tool: &str) -> Band {
        let weight = self.weight(kind, tool);
        if weight < self.settings.ask_below.min(WEAK) {
            Band::Poor
        } else if weight < WEAK {
            Band::Weak
        } else {
            Band::Usual
        }
    }

    /// The tools in the order in which a model is offered them for this kind of task: as given, those that
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
        // Stable: within a band the order is the given one.
        offers.sort_by_key(|(band, _)| *band);
        offers.into_iter().map(|(_, offer)| offer).collect()
    }

    fn note(&self, kind: &str, tool: &str) -> Note {
        let weight = self.weight(kind, tool);
        Note {
            weight,
            // In steps, so that the sentence stays the same while little changes.
            words: format!(
                "It failed often of late (reliability about {weight:.1} of 1): prefer another tool where one can do it."
            ),
        }
    }

    /// True where the operator wants tools of this weight hidden.
    pub fn is_hidden(&self, kind: &str, tool: &str) -> bool {
        self.settings.hide_below > 0.0 && self.weight(kind, tool) < self.settings.hide_below
    }

    /// Why a call of a tool must be put to the operator whatever the policy allows; none where it need not.
    pub fn asks(&self, kind: &str, tool: &str) -> Option<String> {
        let weight = self.weight(kind, tool);
        let below = self.settings.ask_below;
        (weight < below).then(|| {
            format!(
                "{tool} keeps failing at tasks of kind {kind}: its weight is {weight:.2}, below {below:.2}"
            )
        })
    }

    /// The best of the tools that could stand in for another one: the first of those with the highest weight.
    pub fn best<'t>(&self, kind: &str, tools: impl IntoIterator<Item = &'t str>) -> Option<&'t str> {
        let mut best: Option<(&str, f64)> = None;
        for tool in tools {
            let weight = self.weight(kind, tool);
            if best.is_none_or(|(_, most)| weight > most) {
                best = Some((tool, weight));
            }
        }
        best.map(|(tool, _)| tool)
    }
}
