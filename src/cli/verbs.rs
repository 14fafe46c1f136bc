//! Runs the operator verbs on a session, stored or running.
//!
//! Must not know: how a command is decided.
//!
//! Each verb builds the same commands as the console, records them and exits. It starts nothing without
//! `--resume`.

use super::args::{Common, FailureVerb, Verb};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{classify, intent, plan, print, record, resume, rules};
use crate::domain::command::{Command, Edit, EditCommand};
use crate::domain::decide;
use crate::domain::lineage;
use crate::domain::state::State;
use crate::journal::Place;
use crate::present::json;
use crate::present::plan::PlanView;
use crate::text::submit_warning;

/// Runs a verb.
pub fn verb(common: &Common, verb: &Verb) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let on = verb.on();
    let place = context.store.find(&on.session)?;
    let found = record::as_found(&place)?;
    let (state, held) = (found.state, found.held);
    let commands = match verb {
        Verb::Failures(FailureVerb::Classify {
            call, error, pattern, ..
        }) => {
            let saved = (*error, pattern.as_deref());
            vec![classify::command(
                common,
                &context,
                (&place, &state),
                intent::node(call)?,
                saved,
            )?]
        }
        verb => intent::commands(common, &context, &state, verb)?,
    };
    if let Verb::AddRule { rule, look, .. } = verb
        && look.preview
    {
        return rules::preview(common, &state, rule);
    }
    for words in commands.iter().flat_map(heeded) {
        print::err(&words);
    }
    // Report orphan processes before a verb replaces their calls; a resume reports them anyway.
    if !held && (!on.resume || verb.is_preview()) && commands.iter().any(about_nodes) {
        for words in resume::orphan_processes(&state) {
            print::err(&words);
        }
    }
    if verb.is_preview() {
        for command in &commands {
            preview(common, &context, &place, &state, command)?;
        }
        return Ok(Code::Ok);
    }
    if on.resume && !held {
        resume::check(common, &state, &place.id())?;
    }
    let mut elsewhere = false;
    for command in &commands {
        // Use the id: `last` may change meanwhile.
        let recorded = record::decide(common, &context, &place.id(), command)?;
        elsewhere = recorded.elsewhere;
        // With --resume, standard output is for the answer.
        if on.resume && !elsewhere {
            print::err(&recorded.line(common));
        } else {
            print::out(&recorded.line(common));
        }
    }
    // In the process that has it open, the run continues anyway.
    if on.resume && !elsewhere {
        return resume::resume_session(common, context, &place.id());
    }
    Ok(Code::Ok)
}

/// True for commands on calls and edits.
const fn about_nodes(command: &Command) -> bool {
    matches!(command, Command::Edit(_) | Command::Call(_))
}

/// Warnings about the texts of an edit.
fn heeded(command: &Command) -> Vec<String> {
    let Command::Edit(EditCommand::Commit { edits, .. }) = command else {
        return Vec::new();
    };
    let words = edits.iter().filter_map(Edit::text);
    words.filter_map(|words| submit_warning(words)).collect()
}

/// Prints what a command would do; returns the refusal of the command, if any.
fn preview(
    common: &Common,
    context: &AppContext,
    place: &Place,
    state: &State,
    command: &Command,
) -> Result<(), Failure> {
    let adviser = record::adviser(common, context, place, state)?;
    let events = decide::command(state, &adviser, command)?;
    let foreseen = lineage::of_events(state, &events);
    let view = PlanView::of(state, &foreseen, Some(command));
    print::out(&if common.json {
        json(&view)
    } else {
        plan::describe(&view)
    });
    Ok(())
}
