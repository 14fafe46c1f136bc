//! Examples of events about the agent of another program.
//!
//! Must not know: how they are stored.

use super::CALL;
use overrule_domain::agent::{LinkRole, LinkedSession, Rewriting, SideRequest};
use overrule_domain::event::RunEvent;
use overrule_domain::turn::Usage;

pub(super) fn all() -> Vec<RunEvent> {
    vec![
        RunEvent::AgentAsked {
            wait_ms: Some(600_000),
        },
        RunEvent::AgentAsked { wait_ms: None },
        RunEvent::HistoryRewritten(Rewriting {
            from: Some(CALL),
            lost: vec![CALL],
        }),
        RunEvent::HistoryRewritten(Rewriting::default()),
        RunEvent::SideRequest(SideRequest {
            words: "Name this\u{202e} task".into(),
            usage: Usage {
                input: Some(u64::MAX),
                output: Some(3),
                ..Usage::default()
            },
        }),
        RunEvent::SideRequest(SideRequest::default()),
        RunEvent::Linked(LinkedSession {
            session: "01a2".into(),
            role: LinkRole::SubAgent,
            call: Some(CALL),
        }),
        RunEvent::Linked(LinkedSession {
            session: "01a1".into(),
            role: LinkRole::Parent,
            call: None,
        }),
    ]
}
