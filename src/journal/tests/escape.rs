//! Examples of every event about repetition.
//!
//! Must not know: how they are stored.

use super::examples::{CALL, TURN, text};
use overrule_domain::escape::{Detector, Finding, LoopStep, Signature, Skipped, StepOutcome};
use overrule_domain::event::{EscapeEvent, Event};
use overrule_domain::id::{NodeId, NodeKind, Seq, ThreadId};

pub(super) fn every() -> Vec<Event> {
    let signature = Signature {
        tool: text("search"),
        args: Some(text("94b32882cbe09a2a")),
        error: None,
    };
    let finding = |detector| Finding {
        detector,
        thread: ThreadId(1),
        period: 2,
        repetitions: 3,
        fails: true,
        first: Seq(4),
        nodes: vec![CALL],
        signatures: vec![
            signature.clone(),
            Signature {
                args: None,
                error: Some(text("no matches for #")),
                ..signature.clone()
            },
        ],
    };
    let node = NodeId::new(NodeKind::Intervention, 12);
    let mut all = vec![
        EscapeEvent::Warned {
            turn: TURN,
            finding: finding(Detector::Sequence),
        },
        EscapeEvent::Applied {
            incident: 1,
            node,
            forbidden: vec![signature.clone()],
            notice: Some(text("You repeat yourself.")),
        },
        EscapeEvent::Applied {
            incident: 1,
            node,
            forbidden: Vec::new(),
            notice: None,
        },
        EscapeEvent::Ended {
            incident: 1,
            why: text("the run makes progress"),
        },
        EscapeEvent::Allowed {
            signatures: vec![signature.clone()],
            allowed: true,
        },
    ];
    for detector in Detector::ALL {
        all.push(EscapeEvent::Found {
            incident: 1,
            finding: finding(detector),
        });
        all.push(EscapeEvent::Muted {
            detector,
            muted: false,
        });
    }
    for level in LoopStep::ALL {
        all.push(EscapeEvent::Proposed {
            incident: 1,
            node,
            step: level,
            why: text("after telling the model it changed nothing"),
            after: TURN,
            skipped: vec![Skipped {
                step: LoopStep::Substitute,
                why: text("no other tool is known for read"),
            }],
        });
    }
    for result in [
        StepOutcome::Helped,
        StepOutcome::Relapsed,
        StepOutcome::Ignored,
        StepOutcome::Impossible,
        StepOutcome::Overtaken,
    ] {
        all.push(EscapeEvent::StepEnded {
            incident: 1,
            node,
            outcome: result,
        });
    }
    all.into_iter().map(Event::Escape).collect()
}
