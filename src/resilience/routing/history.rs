//! Lists what moved one weight.
//!
//! Must not know: other weights, what follows from a weight.
//!
//! Only what cannot be recomputed is stored; the weights before and after follow from it.

use std::sync::Arc;

use super::cell::Cell;
use super::weights::START;
use overrule_domain::call::ErrorClass;
use overrule_domain::id::{Attempt, NodeId, Seq};

/// One change of one weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The event that caused it.
    pub seq: Seq,
    /// The kind of task.
    pub kind: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The execution; `None` if the operator changed the weight.
    pub execution: Option<(NodeId, Attempt)>,
    /// The reason.
    pub why: Why,
    /// The weight before.
    pub before: f64,
    /// The weight after.
    pub after: f64,
}

/// Why a weight changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// The execution gave a value.
    Succeeded {
        /// How much it counted.
        gain: f64,
        /// How much was asked of it.
        complexity: f64,
        /// How fast it was among the tool's executions.
        efficiency: f64,
    },
    /// The execution failed.
    Failed {
        /// How much it counted.
        gain: f64,
        /// The class of its failure.
        class: ErrorClass,
    },
    /// The last executions all contradicted the weight: from here on only they are used.
    Contradicted,
    /// The operator set the weight.
    Set,
    /// The operator reset the weight.
    Reset,
}

impl Why {
    /// Describes the reason.
    pub fn describe(&self) -> String {
        match self {
            Self::Succeeded {
                gain,
                complexity,
                efficiency,
            } => format!(
                "succeeded; counts {gain:.2} (complexity {complexity:.2}, efficiency {efficiency:.2})"
            ),
            Self::Failed { gain, class } => format!("failed, {}; counts {gain:.2}", class.label()),
            Self::Contradicted => "the last 5 executions all contradicted it: only they are used".into(),
            Self::Set => "set by the operator".into(),
            Self::Reset => "reset by the operator".into(),
        }
    }
}

/// What an execution says about its tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    /// It gave a value.
    Succeeded {
        /// How much was asked of it, 0 to 1.
        complexity: f64,
        /// How long it took.
        ms: u64,
        /// Within what time 95 of 100 executions of the tool ended last.
        p95: u64,
    },
    /// It failed through the tool.
    Failed(Fault),
}

/// A class of failure that says something about the tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fault {
    class: ErrorClass,
    gain: f64,
}

/// Classes of failure that concern the tool, with the influence of each. A conflict may be as
/// temporary as a transient error; an unknown cause has little influence. The others are the
/// caller's fault.
const FAULTS: [(ErrorClass, f64); 7] = [
    (ErrorClass::Auth, 1.0),
    (ErrorClass::NotFound, 1.0),
    (ErrorClass::Business, 1.0),
    (ErrorClass::Internal, 1.0),
    (ErrorClass::Transient, 0.3),
    (ErrorClass::Conflict, 0.3),
    (ErrorClass::Unknown, 0.3),
];

impl Fault {
    /// Returns the verdict for a failure, or `None` if it is the caller's fault.
    pub fn of(class: ErrorClass) -> Option<Self> {
        let (class, gain) = FAULTS.into_iter().find(|(one, _)| *one == class)?;
        Some(Self { class, gain })
    }
}

impl Verdict {
    /// Returns the target of the weight, its influence, and the reason.
    pub fn score(self) -> (f64, f64, Why) {
        match self {
            Self::Succeeded { complexity, ms, p95 } => {
                let efficiency = if ms == 0 {
                    1.0
                } else {
                    1.0 - (ms as f64 / p95.max(1) as f64).min(1.0)
                };
                let gain = 0.5 + 0.25 * complexity + 0.25 * efficiency;
                let why = Why::Succeeded {
                    gain,
                    complexity,
                    efficiency,
                };
                (1.0, gain, why)
            }
            Self::Failed(Fault { class, gain }) => (0.0, gain, Why::Failed { gain, class }),
        }
    }
}

/// What moved a weight, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct History(Vec<(Seq, Cause)>);

/// What moved a weight once.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cause {
    Ran(NodeId, Attempt, Verdict),
    Set(f64),
    Reset,
}

impl History {
    /// Notes an execution.
    pub fn ran(&mut self, seq: Seq, (call, attempt): (NodeId, Attempt), verdict: Verdict) {
        self.0.push((seq, Cause::Ran(call, attempt, verdict)));
    }

    /// Notes that the operator set the weight.
    pub fn set(&mut self, seq: Seq, weight: f64) {
        self.0.push((seq, Cause::Set(weight)));
    }

    /// Notes that the operator reset it.
    pub fn reset(&mut self, seq: Seq) {
        self.0.push((seq, Cause::Reset));
    }

    /// Returns all changes of a weight that began with this value, by replaying them.
    pub fn changes(
        &self,
        start: f64,
        (decay, alert): (f64, f64),
        (kind, tool): (&Arc<str>, &Arc<str>),
    ) -> Vec<Change> {
        let mut cell = Cell::new(start);
        let mut changes = Vec::new();
        for (seq, cause) in self.0.iter().copied() {
            let execution = match cause {
                Cause::Ran(call, attempt, _) => Some((call, attempt)),
                Cause::Set(_) | Cause::Reset => None,
            };
            let mut note = |why: Why, before: f64, after: f64| {
                changes.push(Change {
                    seq,
                    kind: Arc::clone(kind),
                    tool: Arc::clone(tool),
                    execution,
                    why,
                    before,
                    after,
                });
            };
            let before = cell.weight;
            match cause {
                Cause::Ran(_, _, verdict) => {
                    let (goal, gain, why) = verdict.score();
                    let moved = cell.take(goal, gain, decay, alert);
                    note(why, moved.before, moved.after);
                    if let Some(renewed) = moved.renewed {
                        note(Why::Contradicted, moved.after, renewed);
                    }
                }
                Cause::Set(weight) => {
                    cell.set(weight);
                    note(Why::Set, before, weight);
                }
                Cause::Reset => {
                    cell = Cell::new(START);
                    note(Why::Reset, before, START);
                }
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use overrule_domain::id::NodeKind;

    fn verdict() -> impl Strategy<Value = Verdict> {
        let complexity =
            prop_oneof![4 => (0..=8_u8).prop_map(|part| f64::from(part) / 8.0), 1 => 0.0..1.0_f64];
        let succeeded = (complexity, 0..5_000_u64, prop_oneof![Just(300_u64), any::<u64>()]);
        let failed = prop::sample::select(FAULTS.to_vec());
        prop_oneof![
            3 => succeeded.prop_map(|(complexity, ms, p95)| Verdict::Succeeded { complexity, ms, p95 }),
            1 => failed.prop_map(|(class, _)| Verdict::Failed(Fault::of(class).unwrap())),
        ]
    }

    /// What moves a weight, with the event.
    type Step = (u64, Result<(u32, u32, Verdict), Option<f64>>);

    fn step() -> impl Strategy<Value = Step> {
        let ran = (any::<u32>(), prop_oneof![Just(1), any::<u32>()], verdict()).prop_map(Ok);
        let set = prop_oneof![Just(None), (0.0..1.0_f64).prop_map(Some)].prop_map(Err);
        (any::<u64>(), prop_oneof![8 => ran, 1 => set])
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn the_changes_are_those_that_were_made(steps in prop::collection::vec(step(), 0..60), start in 0.0..1.0_f64) {
            let (kind, tool): (Arc<str>, Arc<str>) = (Arc::from("look"), Arc::from("search"));
            let (decay, alert) = (0.9, 0.3);
            let mut history = History::default();
            let mut cell = Cell::new(start);
            let mut plain = Vec::new();
            for (seq, step) in steps {
                let seq = Seq(seq);
                let mut note = |execution, why, before, after| plain.push(Change {
                    seq, kind: kind.clone(), tool: tool.clone(), execution, why, before, after,
                });
                match step {
                    Ok((call, attempt, verdict)) => {
                        let ran = (NodeId::new(NodeKind::Call, call), Attempt(attempt));
                        history.ran(seq, ran, verdict);
                        let (goal, gain, why) = verdict.score();
                        let moved = cell.take(goal, gain, decay, alert);
                        note(Some(ran), why, moved.before, moved.after);
                        if let Some(renewed) = moved.renewed {
                            note(Some(ran), Why::Contradicted, moved.after, renewed);
                        }
                    }
                    Err(Some(weight)) => {
                        history.set(seq, weight);
                        note(None, Why::Set, cell.weight, weight);
                        cell.set(weight);
                    }
                    Err(None) => {
                        history.reset(seq);
                        note(None, Why::Reset, cell.weight, START);
                        cell = Cell::new(START);
                    }
                }
            }
            prop_assert_eq!(history.changes(start, (decay, alert), (&kind, &tool)), plain);
        }
    }
}
