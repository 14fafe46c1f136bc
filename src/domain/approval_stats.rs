//! Counts how often the operator was asked, and by which rule, on all branches.
//!
//! Must not know: how a rule is written, who shows the count.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::call::Verdict;

/// Name for questions about repeated effects.
const CONSENT: &str = "a repeated effect";
/// Number of rules that are named.
const NAMED: usize = 4;

/// Numbers of questions, by the rule that asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalStats(BTreeMap<Arc<str>, u32>);

impl ApprovalStats {
    /// Counts a call that awaits approval.
    pub(super) fn by_policy(&mut self, verdict: Option<&Verdict>) {
        let asker = verdict.map_or("the policy", |verdict| asker(verdict));
        self.add(asker);
    }

    /// Counts a question for consent to a repeated effect.
    pub(super) fn by_effect(&mut self) {
        self.add(CONSENT);
    }

    fn add(&mut self, asker: &str) {
        match self.0.get_mut(asker) {
            Some(count) => *count = count.saturating_add(1),
            None => {
                self.0.insert(Arc::from(asker), 1);
            }
        }
    }

    /// Total number of questions.
    pub fn total(&self) -> u32 {
        self.0.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Describes the count, with the rules that asked most: `5 times: 3 by preset guarded, 2 by
    /// user rules.toml:3`. Contains names of files; none without questions.
    pub fn describe(&self) -> Option<String> {
        let times = match self.total() {
            0 => return None,
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            many => format!("{many} times"),
        };
        let mut askers: Vec<(&Arc<str>, u32)> = self.0.iter().map(|(asker, count)| (asker, *count)).collect();
        askers.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut named: Vec<String> = askers
            .iter()
            .take(NAMED)
            .map(|(asker, count)| format!("{count} by {asker}"))
            .collect();
        let rest: u32 = askers.iter().skip(NAMED).map(|(_, count)| count).sum();
        if rest > 0 {
            named.push(format!("{rest} by others"));
        }
        Some(format!("{times}: {}", named.join(", ")))
    }
}

/// The source of the rule that asked, without its text: `preset guarded`, `user rules.toml:3`,
/// `session rule 2`.
fn asker(verdict: &Verdict) -> &str {
    verdict.rule.split(": ").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{Consequence, Gate};

    #[test]
    fn questions_are_counted_by_what_asked_them() {
        let verdict = |rule: &str| Verdict {
            gate: Gate::Ask,
            rule: rule.into(),
            reason: String::new(),
            deadline_ms: None,
            on_expiry: Consequence::Deny,
            quoted: None,
            parts: Vec::new(),
            alone: false,
            operator_only: false,
        };
        let mut asks = ApprovalStats::default();
        assert_eq!(asks.describe(), None);
        asks.by_policy(Some(&verdict("preset guarded: changes ask")));
        assert_eq!(asks.describe().unwrap(), "once: 1 by preset guarded");
        asks.by_policy(Some(&verdict("preset guarded: reads that reach outside ask")));
        asks.by_policy(Some(&verdict("workspace overrule.toml:3: { reason = \"x\" }")));
        asks.by_effect();
        asks.by_effect();
        asks.by_effect();
        assert_eq!(
            asks.describe().unwrap(),
            "6 times: 3 by a repeated effect, 2 by preset guarded, 1 by workspace overrule.toml:3"
        );
        for no in 0..4 {
            asks.by_policy(Some(&verdict(&format!("session rule {no}: x"))));
        }
        assert!(
            asks.describe()
                .unwrap()
                .ends_with("1 by session rule 1, 3 by others")
        );
    }
}
