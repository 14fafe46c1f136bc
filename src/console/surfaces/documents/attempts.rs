//! The tab of decisions and executions of a call.
//!
//! Must not know: keys, how a decision is sent.

use std::fmt::Write as _;

use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_domain::id::NodeId;
use overrule_domain::ledger::is_orphaned;
use overrule_present::effect::ExecutionView;
use overrule_present::graph::{RanView, Times};
use overrule_present::{decision, outcome};

/// Decisions and executions.
pub fn attempts(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let Some(call) = run.state.call(id) else {
        maker.own(Role::Dim, "only calls are executed");
        return;
    };
    super::call::status(maker, call);
    super::repairs::steps(maker, call);
    maker.own(Role::Title, "decisions");
    for (rev, seq, made) in &call.decisions {
        let from = run
            .state
            .operator
            .via
            .get(seq)
            .map(|via| format!(" ({})", via.label()));
        let words = decision(made) + &from.unwrap_or_default();
        let name = match rev.0 {
            0 | 1 => seq.to_string(),
            no => format!("{seq} revision {no}"),
        };
        maker.field(&name, &words);
    }
    if call.decisions.is_empty() {
        maker.own(Role::Dim, "none");
    }
    maker.own(Role::Title, "executions");
    for view in RanView::all(&run.state, call, &Times::default()) {
        let how = view.outcome.as_deref().map(outcome);
        let how = how.unwrap_or_else(|| "running, or outcome unknown".to_owned());
        let mut words = format!("{} on branch {}, {how}", view.revision, view.epoch.0);
        if let Some(ms) = view.ms {
            let _ = write!(words, ", {ms} ms");
        }
        if let Some(pid) = view.process {
            let _ = write!(words, ", process {pid}");
        }
        if view.late {
            words.push_str(", too late: ignored");
        }
        maker.fact(&view.attempt.to_string(), Role::Text, words);
    }
    if call.attempts.is_empty() {
        maker.own(Role::Dim, "none");
    }
    ledger(maker, id);
}

/// The ledger entries of a call, which remain whatever happens to it.
fn ledger(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let attempts = run.state.call(id).map_or(&[][..], |call| &call.attempts);
    let entries = attempts
        .iter()
        .filter_map(|one| run.state.ledger.get(&one.intent));
    let entries: Vec<_> = entries.collect();
    if entries.is_empty() {
        return;
    }
    maker.own(Role::Title, "in the list of effects");
    for entry in entries {
        let view = ExecutionView::of(&run.state, entry);
        let mut words: Vec<String> = vec![view.effect.label().to_owned()];
        if is_orphaned(&run.state, entry) {
            words.push("orphaned".to_owned());
        }
        if entry.more.probed {
            words.push("a probe was inconclusive".to_owned());
        }
        if !entry.more.reused_by.is_empty() {
            let by: Vec<String> = entry.more.reused_by.iter().map(NodeId::to_string).collect();
            words.push(format!("its result was reused by {}", by.join(" ")));
        }
        super::effects::entry(maker, view.entry, &words.join(", "));
        if let Some(key) = &entry.key {
            maker.field("    key", &format!("{key} (an equal call has the same)"));
        }
    }
}
