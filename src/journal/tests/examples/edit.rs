//! Examples of each event of edits and branches.
//!
//! Must not know: what they do.

use super::call::outcomes;
use super::{CALL, REV, TURN, text};
use overrule_domain::call::Digest;
use overrule_domain::event::{EditEvent, Event, TurnEvent};
use overrule_domain::id::{Attempt, Epoch, NodeId, NodeKind, Seq, ThreadId};
use overrule_domain::node::{Channel, Content, Origin};
use overrule_domain::repair::Reply;
use overrule_domain::state::EpochOrigin;
use overrule_domain::turn::Usage;

pub(super) fn branches() -> Vec<Event> {
    vec![
        Event::Turn(TurnEvent::Delegated {
            thread: ThreadId(2),
            call: CALL,
            rev: REV,
            attempt: Attempt(3),
            tools: vec![text("read_file")],
            max_turns: 7,
            turn: TURN,
            node: NodeId::new(NodeKind::Prompt, 4),
            text: text("do it"),
        }),
        Event::Turn(TurnEvent::Drifted { turns: vec![TURN] }),
        Event::Turn(TurnEvent::Diverged {
            turn: TURN,
            nodes: vec![CALL],
        }),
        Event::Turn(TurnEvent::Revived {
            turn: TURN,
            of: Epoch(2),
        }),
    ]
}

/// Events that shorten what the model gets.
fn reductions() -> [EditEvent; 6] {
    [
        EditEvent::Shortened { calls: vec![CALL] },
        EditEvent::LeftOut {
            turns: vec![TURN],
            summary: Some(text("what was done")),
        },
        EditEvent::SummaryAsked {
            thread: ThreadId(1),
            turns: vec![TURN],
            after: Some(TURN),
            what: text("replace turn 1"),
            by: Some(text("reduce")),
        },
        EditEvent::SummaryBroke {
            set: Seq(7),
            no: 1,
            of: 4,
            wait_ms: 200,
            why: text("HTTP 529"),
            usage: Usage::default(),
        },
        EditEvent::SummaryAnswered {
            set: Seq(7),
            reply: Reply::Answered {
                text: text("what was done"),
            },
            usage: Usage::default(),
        },
        EditEvent::SummaryAnswered {
            set: Seq(7),
            reply: Reply::Failed { why: text("cut off") },
            usage: Usage::default(),
        },
    ]
}

pub(super) fn edit() -> Vec<Event> {
    let node = NodeId::new(NodeKind::Observation, 5);
    let mut all = vec![EditEvent::Committed {
        epoch: Epoch(1),
        intervention: NodeId::new(NodeKind::Intervention, 10),
        target: None,
        after: None,
        what: text("inserted"),
        reason: Some(text("because")),
        by: Some(text("loop guard")),
    }];
    all.extend(reductions());
    all.extend([
        EditEvent::CorrectionsLost { nodes: vec![node] },
        EditEvent::Pinned { node },
        EditEvent::Unpinned { node },
        EditEvent::MarkedStale { calls: vec![CALL] },
        EditEvent::Superseded {
            nodes: vec![node, CALL],
        },
        EditEvent::Orphaned {
            entries: vec![Seq(9)],
        },
        EditEvent::Suspended {
            node,
            calls: vec![CALL],
        },
        EditEvent::Released { node: None },
        EditEvent::Released {
            node: Some(NodeId::new(NodeKind::Call, 3)),
        },
        EditEvent::Recalled {
            of: Epoch(0),
            by: EpochOrigin::Undo,
        },
        EditEvent::Named {
            epoch: Epoch(1),
            name: "cautious".into(),
        },
    ]);
    let mut contents = vec![
        Content::Text {
            text: text("better"),
            channel: Channel::Spoken,
            opaque: None,
        },
        Content::Call {
            tool: text("shell"),
            args: text("{}"),
        },
        Content::Deleted,
    ];
    contents.extend(outcomes().into_iter().map(|outcome| Content::Observation {
        call_rev: REV,
        attempt: Attempt(0),
        outcome,
    }));
    let origins = [
        Origin::Model,
        Origin::Execution,
        Origin::Operator { user: text("zoë") },
        Origin::Repair { attempt: 1 },
        Origin::Engine { rule: text("crash") },
        Origin::Reused { from: Seq(2) },
        Origin::Import,
    ];
    for (content, origin) in contents.into_iter().zip(origins) {
        all.push(EditEvent::Revised {
            node,
            rev: REV,
            content,
            origin,
            approves: Some(Digest(text("aa"))),
        });
    }
    all.into_iter().map(Event::Edit).collect()
}
