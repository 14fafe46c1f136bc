//! Examples of the views of waiting calls, effects, plans and rules.
//!
//! Must not know: the page.

use std::sync::Arc;

use serde_json::json;

use super::{Examples, both, kept, recorded, value};
use crate::call::{
    AgentWaitView, CallDecisionView, CallHeadView, CallLaunchView, CallRepairView, CallView, ChangeView,
    CommandView, DeadlineView, OriginalView, RepairView, RunFilesView, ToolChangeView,
};
use crate::conflict::{ConflictView, WriteConflictView, WriteView};
use crate::effect::{
    AfterDamageView, EffectView, ElsewhereView, ExecutionView, ForeignView, InsertView, OfferView,
    OutcomeKind, RepeatView, RepeatedView,
};
use crate::plan::{
    LostInputView, PlanCallsView, PlanEffectView, PlanFates, PlanNodesView, PlanRequestView, PlanView,
};
use crate::queue::{
    AttentionReasonView, AttentionView, BrokenStreamView, RestrictedView, RestrictionView, TogetherView,
};
use crate::ready_rule::ReadyRuleView;
use crate::rule::{RuleHistoryView, RuleView, WaitingView};
use overrule_base::shell_line::Program;
use overrule_domain::call::{Consequence, Decision, Digest, EffectClass, Gate, Operand, Outcome, Status};
use overrule_domain::envelope::Via;
use overrule_domain::id::{Attempt, Epoch, NodeId, Rev, Seq, TurnId};
use overrule_domain::repair::{Change, Diagnosis};
use overrule_domain::state::LedgerOutcome;
use overrule_domain::template::NotOffered;
use overrule_policy::{DangerKind, DangerMark};

fn id(text: &str) -> NodeId {
    text.parse().unwrap()
}

fn shared(text: &str) -> &'static Arc<str> {
    kept(Arc::from(text))
}

pub(super) fn change() -> Change {
    recorded(json!({
        "path": "/a", "from": "1", "to": "2", "strategy": "default_value_assignment", "certainty": "guess",
        "why": "it is the default",
    }))
}

pub(super) fn diagnosis() -> Diagnosis {
    recorded(json!({"kind": "type_mismatch", "evidence": "schema: type"}))
}

fn operand() -> Operand {
    recorded(json!({"path": "a.sh", "bytes": 3, "hash": "0123"}))
}

fn change_of_text() -> ChangeView<&'static Arc<str>> {
    ChangeView {
        old: shared("old"),
        new: shared("new"),
    }
}

fn tool_change(full: bool) -> ToolChangeView<'static> {
    ToolChangeView {
        since: Seq(7),
        effect: full.then_some(ChangeView {
            old: EffectClass::Read,
            new: EffectClass::Write,
        }),
        tags: full.then(|| ChangeView {
            old: Vec::new(),
            new: vec!["external".to_owned()],
        }),
        description: full.then(change_of_text),
        schema: full.then(change_of_text),
        raised: Vec::new(),
    }
}

fn deadline(full: bool) -> DeadlineView {
    DeadlineView {
        ms: 90_000,
        then: Consequence::Deny,
        due: full.then_some(1),
        overdue: false,
    }
}

fn agent_wait() -> AgentWaitView {
    AgentWaitView { ms: 600_000, due: 1 }
}

fn danger() -> DangerMark {
    DangerMark {
        kind: DangerKind::Deletes,
        because: "rm".to_owned(),
    }
}

fn original(full: bool) -> OriginalView<'static> {
    OriginalView {
        tool: "shell",
        args: "{}",
        why: full.then_some("it needs no shell"),
    }
}

fn command(full: bool) -> CommandView {
    CommandView {
        after: "&&",
        program: if full {
            Program::Named("ls".to_owned())
        } else {
            Program::Unknown
        },
        text: "ls".to_owned(),
        more: false,
        policy: full.then_some(Gate::Ask),
    }
}

fn repair() -> RepairView<'static> {
    RepairView {
        label: "2 for 1",
        args: "{}",
        changes: kept([change()]),
    }
}

fn repeated(full: bool) -> RepeatView<'static> {
    RepeatView::Here(RepeatedView {
        entry: Seq(5),
        call: id("c3"),
        path: vec![id("c1")],
        rev: Rev(1),
        outcome: &LedgerOutcome::Unknown,
        active: false,
        since: "superseded".to_owned(),
        reverted: full.then(|| id("c4")),
    })
}

pub(super) fn elsewhere() -> ElsewhereView<'static> {
    ElsewhereView {
        session: "s",
        entry: Seq(5),
        call: id("c3"),
        tool: "write_file",
        args: "{}",
        effect: EffectClass::Write,
        at: 1,
        outcome: OutcomeKind::Ok,
    }
}

fn foreign() -> ForeignView<'static> {
    ForeignView {
        recorded: Seq(9),
        elsewhere: elsewhere(),
    }
}

fn call(full: bool) -> CallView<'static> {
    CallView {
        head: CallHeadView {
            call: id("c3"),
            why: full.then(|| "to see".to_owned()),
            path: Vec::new(),
            rev: full.then_some(Rev(1)),
            status: &Status::AwaitingApproval,
            tool: "shell".into(),
            effect: EffectClass::Unknown,
            tags: vec!["external".to_owned()],
            digest: "-",
            args: "{}".into(),
            shown: "{}".into(),
        },
        decision: CallDecisionView {
            rule: "preset supervised".to_owned(),
            danger: vec![danger()],
            base: full.then(|| "".into()),
            confirmation: full.then(|| "shell".to_owned()),
            definitions: full.then(|| "changed: shell".to_owned()).into_iter().collect(),
            approver: full.then(|| "gate leaves it to you".to_owned()),
            deadline: full.then(|| deadline(true)),
            agent_wait: full.then(agent_wait),
            elsewhere: full.then(elsewhere),
            repeats: vec![repeated(true), RepeatView::Elsewhere(foreign())],
            redefined: full.then(|| tool_change(true)),
        },
        launch: CallLaunchView {
            files: RunFilesView {
                runs: kept([operand()]),
                changed: &[],
            },
            commands: vec![command(true)],
            look_out: vec!["a word of two scripts".to_owned()],
            orphan_process: full.then_some(42),
            warning: None,
        },
        repair: CallRepairView {
            found: kept([diagnosis()]),
            original: full.then(|| original(true)),
            repairs: vec![repair()],
        },
    }
}

fn offer() -> OfferView {
    OfferView::Call(insert())
}

fn insert() -> InsertView {
    InsertView {
        tool: "read_file".into(),
        args: "{}".into(),
    }
}

fn effect(full: bool) -> EffectView<'static> {
    EffectView {
        execution: ExecutionView {
            entry: Seq(5),
            at: 1,
            call: id("c3"),
            rev: Rev(1),
            attempt: Attempt(1),
            tool: "write_file",
            effect: EffectClass::Write,
            args: "{}",
            outcome: kept(LedgerOutcome::Known(Outcome::ok("1"))),
            epoch: Epoch(0),
        },
        consent: full.then_some(&Decision::Edited),
        via: full.then_some(Via::Shell),
        orphaned: false,
        reverted: full.then(|| id("c4")),
        probe: offer(),
        compensate: OfferView::Not {
            why: NotOffered::Running,
        },
    }
}

fn plan(full: bool) -> PlanView<'static> {
    let ids: &'static [NodeId] = kept([id("c3")]);
    let turns: &'static [TurnId] = kept([TurnId(2)]);
    PlanView {
        seen: Seq(9),
        nodes: PlanNodesView {
            superseded: ids,
            perhaps: ids,
            recalled: ids,
            unchanged: ids,
            corrections: ids,
            corrections_may_be_lost: ids,
            corrections_lost: ids,
        },
        calls: PlanCallsView {
            certain: ids,
            may: ids.to_vec(),
            first_runs: ids,
            cancelled: ids,
            drained: ids,
            approves: ids,
            consents: ids,
            by_fate: PlanFates {
                run: ids.to_vec(),
                run_or_ask: Vec::new(),
                run_again: Vec::new(),
                may_run: Vec::new(),
                may_run_again: Vec::new(),
            },
        },
        lost_inputs: vec![lost_input()],
        effects: vec![plan_effect()],
        request: PlanRequestView {
            asks: true,
            asks_if_different: false,
            tokens: 100,
            cost: full.then(|| "0.01 USD".to_owned()),
        },
        drifted: turns,
        suspended: turns,
        insert: vec![insert()],
    }
}

fn lost_input() -> LostInputView<'static> {
    LostInputView {
        reader: id("c4"),
        reference: "†state.notes",
        writer: id("c3"),
    }
}

fn plan_effect() -> PlanEffectView<'static> {
    PlanEffectView {
        call: id("c3"),
        tool: "write_file",
        effect: EffectClass::Write,
    }
}

fn waiting() -> WaitingView<'static> {
    WaitingView {
        call: id("c3"),
        rev: Rev(1),
        digest: kept(Digest("0123".into())),
    }
}

/// A ready rule, or a preset.
fn ready_rule(is_rule: bool) -> ReadyRuleView {
    ReadyRuleView {
        row: 1,
        label: "allow cargo test".to_owned(),
        gate: is_rule.then_some(Gate::Allow),
        preset: (!is_rule).then_some("edits"),
        rule: is_rule.then(|| "tool = \"shell\"".to_owned()),
        effect: "would have allowed c4".to_owned(),
    }
}

fn rule() -> RuleView<'static> {
    RuleView {
        rule: "tool = \"read_file\"".to_owned(),
        gate: Gate::Allow,
        history: RuleHistoryView {
            matched: 3,
            of: 5,
            ran: 2,
            rejected: 1,
        },
        waiting: vec![waiting()],
        digest: "0123".to_owned(),
    }
}

fn restriction() -> RestrictionView<'static> {
    RestrictionView {
        reason: "a loop",
        verbs: vec!["restrict s --lift".to_owned()],
    }
}

pub(super) fn conflict(full: bool) -> ConflictView<'static> {
    ConflictView {
        path: "†state.plan".to_owned(),
        agents: vec![id("c1")],
        shown: full.then(|| write(true)),
        others: vec![write(full), write(false)],
        readers: vec![id("c7")],
        verbs: &["edit", "delete"],
    }
}

fn write(full: bool) -> WriteView<'static> {
    WriteView {
        call: id("c3"),
        tool: "read_file",
        status: "succeeded",
        value: full.then(|| "\"a\"".to_owned()),
        same: full,
    }
}

fn attention() -> AttentionReasonView<'static> {
    AttentionReasonView {
        cause: "limit",
        reason: "the limit of requests is reached",
        verbs: &["set-limits"],
    }
}

pub(super) fn examples() -> Examples {
    let broken = BrokenStreamView {
        turn: TurnId(4),
        broke: "time-out",
        reason: "no data for 60 s",
        verbs: &["ask-again"],
        sentence: String::new(),
    };
    let together = TogetherView {
        together: vec![id("c3"), id("c4")],
        digest: "0123".to_owned(),
    };
    let write_conflict = WriteConflictView {
        write_conflict: conflict(true),
    };
    let restricted = RestrictedView {
        restricted: restriction(),
    };
    let needs_attention = AttentionView {
        needs_attention: attention(),
    };
    let after_damage = AfterDamageView {
        after_damage: elsewhere(),
    };
    let none = OfferView::Not {
        why: NotOffered::DidNot,
    };
    let mut repeats = both(repeated);
    repeats.push(value(&RepeatView::Elsewhere(foreign())));
    vec![
        ("CallView", both(call)),
        ("DangerView", vec![value(&danger())]),
        ("OriginalView", both(original)),
        ("RepairView", vec![value(&repair())]),
        ("CommandView", both(command)),
        ("DeadlineView", both(deadline)),
        ("AgentWaitView", vec![value(&agent_wait())]),
        ("RepeatView", repeats),
        ("ToolChangeView", both(tool_change)),
        ("ChangeView", vec![value(&change_of_text())]),
        ("BrokenStreamView", vec![value(&broken)]),
        ("RestrictedView", vec![value(&restricted)]),
        ("RestrictionView", vec![value(&restriction())]),
        ("AttentionView", vec![value(&needs_attention)]),
        ("AttentionReasonView", vec![value(&attention())]),
        ("TogetherView", vec![value(&together)]),
        ("WriteConflictView", vec![value(&write_conflict)]),
        ("ConflictView", both(conflict)),
        ("WriteView", both(write)),
        ("EffectView", both(effect)),
        ("OfferView", vec![value(&offer()), value(&none)]),
        ("ElsewhereView", vec![value(&elsewhere())]),
        ("ForeignView", vec![value(&foreign())]),
        ("AfterDamageView", vec![value(&after_damage)]),
        ("PlanView", both(plan)),
        ("LostInputView", vec![value(&lost_input())]),
        ("PlanEffectView", vec![value(&plan_effect())]),
        ("InsertView", vec![value(&insert())]),
        ("RuleView", vec![value(&rule())]),
        ("WaitingView", vec![value(&waiting())]),
        (
            "ReadyRuleView",
            vec![value(&ready_rule(true)), value(&ready_rule(false))],
        ),
    ]
}
