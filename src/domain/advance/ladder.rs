//! Decides what follows a failure before it is final.
//!
//! Must not know: how a step is found.
//!
//! Each failure is decided once, and the decision is recorded in full.

use crate::advice::Advice;
use crate::budget;
use crate::call::{Call, Status};
use crate::draft::Draft;
use crate::event::ResilienceEvent;
use crate::id::{Attempt, Rev};
use crate::ladder::{Findings, Next};
use crate::node::Node;
use crate::restrict;
use crate::revision;
use crate::server_question;
use crate::state::Mode;
use crate::thread;

/// Why a question of a server that is not valid ends.
const NO_REPAIR: &str = "it is a question of a server";

/// Decides about failures without a decision.
pub(super) fn decide_failures(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    for id in state.agenda.failures.iter().copied() {
        let Some(call) = state.calls.get(&id) else {
            continue;
        };
        // A stale call may get other inputs, and with them another outcome.
        if call.suspect || !thread::call_acts(state, id) {
            continue;
        }
        let rev = state.nodes.get(&id).map(Node::rev).unwrap_or_default();
        // A question of a server is not repaired: no model sees it.
        if server_question::is_part(state, id) {
            step(
                draft,
                call,
                rev,
                Next::Leave {
                    why: NO_REPAIR.into(),
                },
            );
            continue;
        }
        let mut next = advice.after(state, call);
        if !matches!(next, Next::Leave { .. }) && restrict::forbids(state, call) {
            next = Next::Leave {
                why: restrict::NOT_AGAIN.into(),
            };
        }
        step(draft, call, rev, next);
    }
}

fn step(draft: &mut Draft<'_>, call: &Call, rev: Rev, next: Next) {
    let id = call.id;
    match next {
        Next::Leave { why } => draft.resilience(ResilienceEvent::GaveUp { call: id, rev, why }),
        Next::Retry(retry) => draft.resilience(ResilienceEvent::RetryScheduled {
            call: id,
            rev,
            attempt: call.last_attempt().map_or(Attempt(0), |last| last.no),
            no: retry.no,
            of: retry.of,
            wait_ms: retry.wait_ms,
            why: retry.why,
        }),
        Next::Repair(repair) => {
            let round = repair.found.round;
            diagnosed(draft, call, rev, repair.found);
            revision::repaired(draft, id, round, &repair.fix);
        }
        Next::Ask(ask) => {
            if let Some(why) = budget::no_request_for(draft.state) {
                draft.resilience(ResilienceEvent::GaveUp { call: id, rev, why });
            } else {
                let round = ask.found.round;
                diagnosed(draft, call, rev, ask.found);
                // The request waits until the run resumes.
                if draft.state.mode == Mode::Running {
                    draft.resilience(ResilienceEvent::RepairAsked {
                        call: id,
                        rev,
                        round,
                        question: ask.question,
                    });
                }
            }
        }
        Next::Offer(offer) => {
            let round = offer.found.round;
            diagnosed(draft, call, rev, offer.found);
            draft.resilience(ResilienceEvent::RepairOffered {
                call: id,
                rev,
                round,
                why: offer.why,
                options: offer.options,
            });
        }
    }
}

/// Records the start of a round unless it is recorded.
fn diagnosed(draft: &mut Draft<'_>, call: &Call, rev: Rev, found: Findings) {
    let round = found.round;
    let under_way = matches!(call.status, Status::Repairing(_));
    let id = call.id;
    if under_way {
        let reply = call.failure.repairs.last().and_then(|last| last.reply.as_ref());
        if reply.is_none() {
            return;
        }
        draft.resilience(ResilienceEvent::RepairDiagnosed {
            call: id,
            round,
            diagnoses: found.diagnoses,
        });
        return;
    }
    draft.resilience(ResilienceEvent::RepairStarted {
        call: id,
        rev,
        round,
        of: found.of,
        class: found.class,
    });
    draft.resilience(ResilienceEvent::RepairDiagnosed {
        call: id,
        round,
        diagnoses: found.diagnoses,
    });
}
