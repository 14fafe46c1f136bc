//! Fixes what the run needs the operator for: goes to the call and opens what it needs.
//!
//! Must not know: when a run needs attention.

use crate::kernel::availability::carry_out;
use crate::kernel::context::on;
use crate::kernel::decide::armed;
use crate::kernel::executions::running;
use crate::kernel::model::Model;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::refresh::prepare;
use crate::kernel::verb::{Availability, Care, Effect, Moment, Press, Verb};
use crate::kernel::{decide, prompts};
use crate::run::interrupted_restore::InterruptedRestore;
use crate::run::question::Question;
use crate::run::refusal::{PREVIEW_UNSEEN, Refusal};
use crate::run::restore_preview::RestoreOf;
use crate::surfaces::attention::AttentionPage;
use crate::surfaces::documents::{Fix, fits};
use crate::surfaces::editor::edits::guide_with;
use crate::surfaces::next_task::verbs as next_task;
use crate::surfaces::restore::RestorePage;
use crate::surfaces::restore::verbs::LOOKING;
use crate::surfaces::{consent, outcome, staged_edits, stop};
use crate::verbs::{
    answer, approve, choices, correct, edit, jumps, limits, loops, pause, reject, repair, replace,
    reset_breaker,
};
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, FilesCommand};
use overrule_domain::id::NodeId;
use overrule_domain::state::{Mode, State};
use overrule_domain::tags;
use overrule_resilience::attention::{Attention, AttentionReason, Branch, leave, standstill};

/// The verbs of the page, a row each: fix, constant, name, key, hint, sentence.
macro_rules! fixes {
    ($($fix:ident $constant:ident $name:literal $key:literal $hint:literal $doc:literal;)+) => {
        $(
            #[doc = concat!("The verb `", $name, "`.")]
            pub const $constant: Verb = Verb {
                name: $name,
                keys: &[$key],
                contexts: &[on(super::ID)],
                doc: $doc,
                hint: $hint,
                effect: Effect::Records,
                care: care(Fix::$fix),
                available: |model| helps(model, Fix::$fix),
                seen: |model, moment| seen(model, Fix::$fix, moment),
                run: |model, press| fix(model, Fix::$fix, press),
                ..Verb::BASE
            };
        )+

        /// The verbs of the page.
        pub const VERBS: &[Verb] = &[$($constant),+];

        /// The same, each with its fix, in the order of the page.
        pub const FIXES: &[(&Verb, Fix)] = &[$((&$constant, Fix::$fix)),+];
    };
}

fixes! {
    Go        FIX_GO        "fix-go"        "enter" "go there"       "go to the cause, or change the limit or breaker that blocks the run";
    Arguments FIX_ARGUMENTS "fix-arguments" "e"     "arguments"      "give the call other arguments";
    Tool      FIX_TOOL      "fix-tool"      "r"     "other tool"     "let another tool make the call";
    Answer    FIX_ANSWER    "fix-answer"    "w"     "answer"         "type the result of the call yourself";
    Guide     FIX_GUIDE     "fix-guide"     "i"     "guide"          "give the model guidance";
    Allow     FIX_ALLOW     "fix-allow"     "Y"     "allow the loop" "allow exactly these calls to repeat";
    Resume    FIX_RESUME    "fix-resume"    "p"     "resume"         "resume without a change";
    Continue  FIX_CONTINUE  "fix-continue"  "c"     "continue"       "continue the restore that was interrupted";
    Leave     FIX_LEAVE     "fix-leave"     "l"     "leave it"       "leave the interrupted restore as it is: what is not restored stays";
    Undo      FIX_UNDO      "fix-undo"      "_"     "undo it"        "undo what the interrupted restore has done; previews it first";
    Stop      FIX_STOP      "fix-stop"      "X"     "stop"           "stop the call and its readers, the sub-agent or the loop; the rest continues (asks first)";
}

/// The care that a fix needs: those that change files without a preview are armed.
const fn care(fix: Fix) -> Care {
    match fix {
        Fix::Continue | Fix::Leave => Care::Alone,
        _ => Care::Plain,
    }
}

/// Refuses to decide about a restore before its paths were on screen.
fn seen(model: &Model, fix: Fix, moment: Moment) -> Result<(), Refusal> {
    let page = model.stack.top::<AttentionPage>();
    let Some(page) = page.filter(|_| care(fix) == Care::Alone) else {
        return Ok(());
    };
    if page.sheet.made.is_none() {
        return Err(Refusal::unseen(PREVIEW_UNSEEN));
    }
    let restore = InterruptedRestore::of(&model.run);
    if restore.is_some_and(|restore| restore.steps.is_none()) {
        return Err(Refusal::unseen(LOOKING));
    }
    let stamp = page.stamp.ok_or_else(|| Refusal::removed("restore"))?;
    armed(model, &Question::Review { stamp }, moment).map(drop)
}

/// The verbs that decide the call that [`FIX_GO`] goes to, the most usual first.
pub fn decisions(state: &State, need: &Attention) -> &'static [&'static Verb] {
    let is_about_call = match need.cause {
        AttentionReason::Calls | AttentionReason::Repair => true,
        AttentionReason::Own => !matches!(state.mode, Mode::Stopped(_)),
        _ => false,
    };
    if !is_about_call {
        return &[];
    }
    let call = target(state, need).and_then(|id| state.call(id));
    match call.map(|call| (call.id, &call.status)) {
        Some((id, Status::AwaitingApproval)) if tags::asks_operator(state, id) => {
            &[&answer::VERB, &reject::REJECT]
        }
        Some((_, Status::AwaitingApproval)) => &[&approve::APPROVE, &reject::REJECT],
        Some((_, Status::Consent(_))) => &[
            &consent::verbs::REUSE,
            &consent::verbs::RUN_AGAIN,
            &reject::REJECT_REPEAT,
        ],
        Some((id, Status::OutcomeUnknown(attempt))) => {
            if state.call(id).is_some_and(|call| call.has_ended(*attempt)) {
                &[
                    &outcome::verbs::IT_HAPPENED,
                    &outcome::verbs::IT_DID_NOT,
                    &outcome::verbs::DID_NOT_FINISH,
                    &outcome::verbs::ABANDON_CALL,
                ]
            } else {
                &[
                    &outcome::verbs::IT_HAPPENED,
                    &outcome::verbs::IT_DID_NOT,
                    &outcome::verbs::ABANDON_CALL,
                ]
            }
        }
        Some((id, Status::Repairing(_))) if repair::is_offered(state, id) => {
            &[&repair::CHOOSE_REPAIR, &repair::SKIP_REPAIR]
        }
        Some((_, Status::Repairing(_))) => &[&repair::SKIP_REPAIR],
        _ => &[],
    }
}

/// What the run needs, if the fix is one for it.
fn need(model: &Model, fix: Fix) -> Result<Attention, Refusal> {
    let need = standstill(&model.run.state).ok_or_else(|| Refusal::new("The run does not need you now"))?;
    if !fits(fix, &need.cause) {
        return Err(Refusal::new("That does not help here. The page lists what does"));
    }
    Ok(need)
}

fn helps(model: &Model, fix: Fix) -> Availability {
    need(model, fix).map(drop).into()
}

/// Carries out a fix. It decides nothing by itself: the operator decides there with the usual keys.
fn fix(model: &mut Model, fix: Fix, press: &mut Press<'_>) -> Result<(), Refusal> {
    let need = need(model, fix)?;
    model.stack.pop();
    match fix {
        Fix::Go => go(model, &need, press),
        Fix::Arguments => about(model, &need, &edit::VERB, press),
        Fix::Tool => about(model, &need, &replace::VERB, press),
        Fix::Answer => about(model, &need, &answer::VERB, press),
        Fix::Guide => carry_out(model, &next_task::GUIDE, press),
        Fix::Allow => carry_out(model, &loops::ALLOW_LOOP, press),
        Fix::Resume => carry_out(model, &pause::VERB, press),
        Fix::Continue | Fix::Leave | Fix::Undo => restore(model, fix, &need, press),
        Fix::Stop => stop(model, &need, press),
    }
}

/// Decides about a restore that was interrupted. An undo is previewed first.
fn restore(model: &mut Model, fix: Fix, need: &Attention, press: &mut Press<'_>) -> Result<(), Refusal> {
    let AttentionReason::Restore(restore) = need.cause else {
        return Err(Refusal::removed("restore"));
    };
    let command = match fix {
        Fix::Continue => FilesCommand::Continue { restore },
        Fix::Leave => FilesCommand::Leave { restore },
        _ => {
            model.stack.push(RestorePage::new(RestoreOf::Restore(restore)));
            return Ok(());
        }
    };
    decide::send(model, Command::Files(command), None, press.out);
    Ok(())
}

/// Goes to the waiting call, or opens the setting that blocks the run.
fn go(model: &mut Model, need: &Attention, press: &mut Press<'_>) -> Result<(), Refusal> {
    match need.cause {
        AttentionReason::Limit => carry_out(model, &limits::VERB, press),
        AttentionReason::Breaker => carry_out(model, &reset_breaker::VERB, press),
        AttentionReason::Stream(_) => carry_out(model, &jumps::NEXT_PENDING, press),
        AttentionReason::Edit if !model.staged_edits.is_empty() => {
            carry_out(model, &staged_edits::verbs::STAGED_EDITS, press)
        }
        AttentionReason::Calls
        | AttentionReason::Repair
        | AttentionReason::Loop(_)
        | AttentionReason::Stopped
        | AttentionReason::Edit
        | AttentionReason::Restore(_)
        | AttentionReason::Own => {
            let call = to_call(model, need)?;
            match model.run.state.call(call).map(|call| &call.status) {
                // Its keys work in its question only.
                Some(Status::Consent(_) | Status::OutcomeUnknown(_)) => {
                    carry_out(model, &choices::VERB, press)
                }
                _ => Ok(()),
            }
        }
    }
}

/// Goes to the call and carries out a verb there.
fn about(model: &mut Model, need: &Attention, verb: &Verb, press: &mut Press<'_>) -> Result<(), Refusal> {
    let call = to_call(model, need)?;
    let ran = model.run.state.observation(call).is_some_and(|node| node.active);
    // For a call with a result, the answer is an edit of that result.
    let verb = if *verb == answer::VERB && ran {
        &correct::VERB
    } else {
        verb
    };
    carry_out(model, verb, press)
}

/// Stops the branch that needs attention. Says first what that is; another key confirms.
fn stop(model: &mut Model, need: &Attention, press: &mut Press<'_>) -> Result<(), Refusal> {
    let branch = Branch::of(&model.run.state, need);
    let asks = format!("{}, the rest continues; the model sees", branch.describe());
    match branch {
        Branch::Call { call, rev, .. } => {
            to_call(model, need)?;
            reject::ask_reason(model, ("skip", call, rev), &asks, STOPPED);
        }
        Branch::Agent(call) => {
            jumps::go(model, call)?;
            let style = Style {
                records: false,
                ..Style::PROSE
            };
            let act = ("end the sub-agent", style);
            let prompt = Prompt::new(act, asks, STOPPED, move |model, text, out| {
                let reason = if text.is_empty() {
                    "stopped by the operator".to_owned()
                } else {
                    text
                };
                let attempt = running(model, call);
                let command = CallCommand::Cancel {
                    call,
                    attempt,
                    reason,
                };
                reject::decide_about(model, call, command, out);
                Ok(())
            });
            prompts::ask(model, prompt);
        }
        Branch::Loop(incident) => {
            let words = leave(&model.run.state, incident).ok_or_else(|| Refusal::removed("loop"))?;
            guide_with(model, &words);
        }
        Branch::Run => return carry_out(model, &stop::verbs::EMERGENCY_STOP, press),
    }
    Ok(())
}

/// The reason that the model sees for a stopped branch, unless the operator types another one.
const STOPPED: &str = "the operator stopped this branch: continue without it";

/// The call of a fix: the most urgent one that counts.
fn target(state: &State, need: &Attention) -> Option<NodeId> {
    let counts = |id: &&NodeId| state.nodes.get(id).is_some_and(|node| node.active);
    need.calls.iter().find(counts).or(need.calls.first()).copied()
}

/// Goes to the call of a fix: in the queue if it waits, else in the graph.
fn to_call(model: &mut Model, need: &Attention) -> Result<NodeId, Refusal> {
    let call = target(&model.run.state, need).ok_or_else(|| {
        let key = model.settings.keymap.first("why-waiting");
        Refusal::new(format!("No call to go to. {key} shows what helps"))
    })?;
    if !decide::go_to_waiting(model, call) {
        jumps::go(model, call)?;
    }
    // Verbs apply to the current selection.
    prepare(model);
    Ok(call)
}
