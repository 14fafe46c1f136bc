//! Loads inspector data that is not in the state (wire log, file preview) on demand.
//!
//! Must not know: where it comes from, how it is shown.
use std::sync::Arc;

use crate::kernel::decide;
use crate::kernel::graph::Pick;
use crate::kernel::inspector::{Subject, Tab};
use crate::kernel::model::{Message, Model};
use crate::kernel::msg::Out;
use crate::kernel::selection;
use crate::run::link::{Frames, LoadRequest, LoadTarget, OrphanCandidate, SentBody};
use crate::run::orphan_status::OrphanStatus;
use crate::run::part::{LookResult, SentThen, WireSeen};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::surfaces::documents;
use crate::verbs::file_looks;
use overrule_domain::call::Status;
use overrule_domain::id::TurnId;
use overrule_domain::orphan_process::OrphanProcess;
use overrule_domain::transcript::sent::SentRequest;
use overrule_domain::turn::{Stream, Turn};

/// Requests data that is shown but not loaded.
pub(crate) fn ask(model: &mut Model, out: &mut Vec<Out>) {
    ask_for_wire(model, out);
    ask_for_sent(model, out);
    ask_for_replaced(model, out);
    ask_for_orphans(model, out);
    file_looks::ask(model, out);
}

/// The turn whose requests a tab of the inspector shows, if that tab is open.
fn asked(model: &Model, tab: Tab) -> Option<&Turn> {
    let subject = model.inspector.subject;
    let Subject::Pick(Pick::Node(id)) = subject? else {
        return None;
    };
    if model
        .inspector
        .tab_for(subject, model.screen.lead, &model.run.state)
        != tab
    {
        return None;
    }
    model.run.state.turn_of(id).filter(|turn| turn.asked > 0)
}

/// Requests the wire log if it is shown but not loaded.
fn ask_for_wire(model: &mut Model, out: &mut Vec<Out>) {
    let Some(turn) = asked(model, Tab::Wire) else {
        return;
    };
    let newest = turn.asked;
    let request = documents::requests(turn).shown(model.inspector.upto).end as u32;
    let (turn, open) = (turn.id, turn.stream == Stream::Open && request == newest);
    let here = model.run.wire.as_ref();
    if here.is_some_and(|seen| (seen.turn, seen.request, seen.open) == (turn, request, open)) {
        return;
    }
    model.run.wire = Some(WireSeen {
        turn,
        request,
        open,
        frames: None,
    });
    out.push(Out::Wire { turn, request });
}

/// Requests the content of a model request if it is shown but not loaded.
fn ask_for_sent(model: &mut Model, out: &mut Vec<Out>) {
    let Some(turn) = asked(model, Tab::Context) else {
        return;
    };
    let request = documents::requests(turn).shown(model.inspector.upto).end as u32;
    let turn = turn.id;
    let here = model.run.sent_then.as_ref();
    if here.is_some_and(|seen| (seen.turn, seen.request) == (turn, request)) {
        return;
    }
    model.run.sent_then = Some(SentThen {
        turn,
        request,
        found: None,
        body: None,
    });
    model.inspector.made = None;
    out.push(Out::Sent { turn, request });
}

/// Stores the content of a model request.
pub(crate) fn sent(
    model: &mut Model,
    (turn, request): (TurnId, u32),
    found: Result<Arc<SentRequest>, String>,
    body: Option<SentBody>,
) {
    if let Some(seen) = &mut model.run.sent_then
        && (seen.turn, seen.request) == (turn, request)
    {
        seen.found = Some(found);
        seen.body = body;
        model.inspector.made = None;
    }
}

/// Stores the wire log.
pub(crate) fn wire(model: &mut Model, found: Result<Option<Frames>, String>) {
    if let Some(seen) = &mut model.run.wire {
        seen.frames = Some(found);
        model.inspector.made = None;
    }
}

/// Requests a preview of what the call to decide would replace; ends it once another is shown.
fn ask_for_replaced(model: &mut Model, out: &mut Vec<Out>) {
    let requested = decision(model);
    let now = requested.as_ref().map(|(look, ..)| look);
    if model.run.looked.as_ref().map(|(look, _)| look) == now {
        return;
    }
    model.run.looked = requested.as_ref().map(|(look, ..)| (look.clone(), None));
    out.push(Out::Look(requested));
}

/// The call to decide in the inspector, with its tool and arguments.
fn decision(model: &Model) -> Option<LoadTarget> {
    if model.settings.is_recorded() {
        return None;
    }
    let Question::Call {
        call, rev, digest, ..
    } = decide::question(model)?
    else {
        return None;
    };
    let (tool, _) = model.run.state.node(call)?.as_call()?;
    let args = model.run.shown_args(call)?;
    let look = LoadRequest { call, rev, digest };
    Some((look, Arc::clone(tool), args))
}

/// Stores what a call would replace.
pub(crate) fn replaces(model: &mut Model, of: &LoadRequest, found: LookResult) {
    if let Some((look, known)) = &mut model.run.looked
        && look == of
    {
        *known = Some(found);
        decisions_changed(model);
    }
}

/// Requests checks whether processes of attempts with an unknown outcome still run.
fn ask_for_orphans(model: &mut Model, out: &mut Vec<Out>) {
    let requested = if model.settings.is_recorded() {
        Vec::new()
    } else {
        orphan_candidates(model)
    };
    let known = &mut model.run.orphans;
    if known.iter().map(|(process, _)| process).eq(&requested) {
        return;
    }
    let before = std::mem::take(known);
    let of = |process: &OrphanCandidate| {
        let known = before.iter().find(|(one, _)| one == process);
        known.map(|(_, left)| *left).unwrap_or_default()
    };
    *known = requested.iter().map(|process| (*process, of(process))).collect();
    out.push(Out::Watch(requested));
}

/// The processes of queued attempts with an unknown outcome, and that of such an attempt under the
/// cursor of the list of effects.
fn orphan_candidates(model: &Model) -> Vec<OrphanCandidate> {
    let listed = selection::unknown_outcome(model).map(|entry| (entry.call, entry.attempt));
    let state = &model.run.state;
    let unknown = state.agenda.unknown.iter().filter_map(|id| state.calls.get(id));
    let waiting = unknown.filter_map(|call| match call.status {
        Status::OutcomeUnknown(attempt) => Some((call.id, attempt)),
        _ => None,
    });
    let mut all: Vec<OrphanCandidate> = Vec::new();
    for (call, attempt) in waiting.chain(listed) {
        all.extend(
            model
                .run
                .process_of(call, attempt)
                .filter(|one| !all.contains(one)),
        );
    }
    all
}

/// Stores what still runs of a process, and invalidates texts about it.
pub(crate) fn orphan_found(model: &mut Model, of: OrphanCandidate, left: Option<OrphanProcess>) {
    let mut known = model.run.orphans.iter_mut();
    let Some((_, now)) = known.find(|(process, _)| *process == of) else {
        return;
    };
    let left = OrphanStatus::from(left);
    let before = std::mem::replace(now, left);
    if before == left {
        return;
    }
    // A shown refusal because of the old status is outdated.
    let refused = before.forbids(of);
    if refused.is_some_and(|why| model.message.text == why.to_string()) {
        model.message = Message::default();
    }
    decisions_changed(model);
}

/// Makes every shown decision again, in the inspector and in dialogs.
pub(crate) fn decisions_changed(model: &mut Model) {
    model.inspector.made = None;
    for surface in model.stack.iter_mut() {
        surface.renew();
    }
}

/// Shows older or newer entries where the inspector shows only a few at a time.
pub(crate) fn older(model: &mut Model, back: bool) -> Result<(), Refusal> {
    let no_more = |which| Refusal::new(format!("No {which} ones"));
    let inspector = &mut model.inspector;
    let several = documents::several(&model.run, inspector.subject, inspector.tab);
    let several = several
        .ok_or_else(|| Refusal::new("Older ones exist only in the tabs `revisions`, `context` and `wire`"))?;
    let shown = several.shown(inspector.upto);
    let upto = match back {
        true if shown.start == 0 => return Err(no_more("older")),
        true => shown.end - several.most,
        false if shown.end == several.all => return Err(no_more("newer")),
        false => shown.end + several.most,
    };
    inspector.upto = (upto < several.all).then_some(upto);
    inspector.top = 0;
    inspector.made = None;
    Ok(())
}
