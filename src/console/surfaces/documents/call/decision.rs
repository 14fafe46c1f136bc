//! The decision frame of a waiting call: the question, and what bears on it before the arguments.
//!
//! Must not know: keys, how a decision is sent.

use crate::run::maker::Maker;
use crate::run::orphan_status::OrphanStatus;
use crate::run::refusal;
use crate::surfaces::documents::{head, readable};
use overrule_base::text::visible;
use overrule_domain::call::{Call, ConsentCause, Status};
use overrule_domain::id::NodeId;
use overrule_domain::tags;
use overrule_present::call::{repeat_lines, repeats};
use overrule_present::question;

/// The decision frame: what the call does and why it asks, its dangers and other warnings, the call itself, and what was
/// computed from it.
pub fn decision(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let Some(call) = run.state.call(id) else { return };
    let unseen: String;
    let words = match &call.status {
        Status::Consent(cause) => Some(match cause {
            ConsentCause::Orphaned => "this effect happened already, on a superseded branch",
            ConsentCause::Unknown => "an equal effect may have happened already: its outcome is unknown",
            ConsentCause::Elsewhere => "the session that this one was forked from did the same since",
            ConsentCause::SameCall => "this very call ran already with these arguments",
        }),
        Status::OutcomeUnknown(attempt) if call.was_cancelled(*attempt) => {
            Some("it was cancelled while it ran: part of it may have happened")
        }
        Status::OutcomeUnknown(attempt) => match call.why_unseen(*attempt) {
            Some(why) => {
                unseen = visible(why);
                Some(&*unseen)
            }
            None => Some("it was running when the program ended"),
        },
        // It is asked again when the run resumes.
        _ if run.halted.is_some() => Some(refusal::UNDECIDABLE),
        _ if tags::asks_operator(&run.state, id) => Some("your answer is its result"),
        _ => None,
    };
    head::question(maker, call);
    let mut warnings: Vec<String> = question::order(&run.state, call).into_iter().collect();
    warnings.extend(words.map(str::to_owned));
    warnings.extend(repeat_lines(&run.state, &repeats(&run.state, call)));
    warnings.extend(orphan_warning(call, run.outlived(id)).filter(|_| call.status.needs_operator()));
    readable::decision(maker, id, &warnings);
}

/// Warns about a process that may still run after the program ended: an answer before its end may be wrong.
fn orphan_warning(call: &Call, left: OrphanStatus) -> Option<String> {
    let Status::OutcomeUnknown(attempt) = call.status else {
        return None;
    };
    if call.has_ended(attempt) {
        return None;
    }
    let (pid, _) = call
        .attempts
        .iter()
        .find(|one| one.no == attempt)?
        .launch
        .process?;
    Some(match left {
        OrphanStatus::Runs(left) => format!(
            "{}: wait for the end of that, or {}; until then it may still happen",
            left.describe(call.id, pid),
            left.ending(pid)
        ),
        OrphanStatus::Nothing => format!("its process {pid} and all its children have ended"),
        OrphanStatus::NotLooked => format!(
            "its process was {pid}: if `pgrep -g {pid}` still shows it or its children, wait or `kill -- -{pid}`, then answer"
        ),
    })
}
