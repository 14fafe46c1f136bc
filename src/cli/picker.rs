//! Lets the operator pick a session where a command names none.
//!
//! Must not know: what is done with the session, how the picker works.

use std::io::IsTerminal as _;
use std::path::Path;

use super::args::Common;
use super::build::{AppContext, LAST};
use super::exit::{Code, Failure};
use super::{demos, record, run, screen};
use overrule_console::app;
use overrule_console::app::offer::{Choice, Offer};
use overrule_console::app::picker_list::{Picked, Picker, PickerEntry};
use overrule_console::run::event_text;
use overrule_domain::apply::fold;
use overrule_domain::event::{Event, RunEvent};
use overrule_engine::clock::Clock;
use overrule_engine::setup::{ModelSetup, Setup};
use overrule_journal::{self as journal, Place, SessionStatus, Store, Summary};

/// Lines that are shown of the end of a session.
const TAIL: usize = 7;
/// Sessions whose first record is read in the search for an unfinished run, newest first.
const LOOKED_AT: usize = 50;

/// The session that a command means: the named one, or the one that the operator picks. Without a terminal, or where
/// there is no choice, the newest one. None if the operator picked nothing.
pub fn session(
    common: &Common,
    context: &AppContext,
    named: Option<&str>,
    verb: &'static str,
) -> Result<Option<String>, Failure> {
    if let Some(named) = named {
        return Ok(Some(named.to_owned()));
    }
    if run::is_headless(common) || !std::io::stdin().is_terminal() {
        return Ok(Some(LAST.to_owned()));
    }
    let all = context.store.list()?;
    if all.len() < 2 {
        return Ok(Some(LAST.to_owned()));
    }
    let now = Clock::start().utc_ms();
    let picker = Picker::new(verb, all.iter().map(|one| entry(one, now)).collect());
    let style = screen::style(context)?;
    let store = context.store.clone();
    let picked = on_screen(app::pick(picker, style, move |id| tail(&store, id)))?;
    match picked {
        Picked::Session(id) => Ok(Some(id)),
        Picked::Nothing => Ok(None),
    }
}

fn entry(one: &Summary, now: i64) -> PickerEntry {
    let written = one.last.as_ref().map(|last| last.at).or(one.started);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    PickerEntry {
        id: one.id.clone(),
        name: match &one.problem {
            Some(problem) => format!("{} ({problem})", text(&one.title)),
            None => text(&one.title),
        },
        state: if journal::is_held(&one.place) {
            "running"
        } else {
            one.status.label()
        }
        .to_owned(),
        age: written.map_or_else(|| "?".to_owned(), |at| age(now.saturating_sub(at))),
        workspace: text(&one.workspace),
        model: text(&one.model),
        tail: None,
    }
}

/// How long ago something was, in one unit.
fn age(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// The last lines of a session, as its log has them.
fn tail(store: &Store, id: &str) -> Vec<String> {
    let Ok(place) = store.find(id) else {
        return Vec::new();
    };
    let mut lines = std::collections::VecDeque::new();
    let read = journal::each(&place, |envelope| {
        lines.push_back(envelope);
        if lines.len() > TAIL {
            lines.pop_front();
        }
    });
    match read {
        Ok(_) => lines.iter().map(event_text::of).collect(),
        Err(error) => vec![error.to_string()],
    }
}

/// What starts without a subcommand.
pub enum Start {
    /// The session of this id continues.
    Session(String),
    /// The built-in run starts.
    BuiltIn,
    /// Nothing starts.
    Nothing,
}

/// True if a person can be asked what to start, and did not say it: who names a model wants a new run.
pub fn may_ask(common: &Common) -> bool {
    let is_person = !run::is_headless(common) && std::io::stdin().is_terminal();
    is_person && common.model.is_none() && common.playbook.is_none()
}

/// Asks whether to continue the newest unfinished session of a task in the workspace. Without one, nothing is asked.
pub fn start(context: &AppContext) -> Result<Start, Failure> {
    let Some(place) = unfinished_task(&context.store, &context.workspace) else {
        return Ok(Start::BuiltIn);
    };
    let style = screen::style(context)?;
    let choice = on_screen(app::ask_to_continue(offered(&place), style))?;
    Ok(match choice {
        Choice::Continue => Start::Session(place.id()),
        Choice::New => Start::BuiltIn,
        Choice::Leave => Start::Nothing,
    })
}

/// The newest session of a task in a directory that can continue and that no process has open. Built-in runs and agents
/// of other programs are none.
fn unfinished_task(store: &Store, workspace: &Path) -> Option<Place> {
    let is_task = |place: &Place| {
        let first = journal::first(place).ok().flatten()?;
        let Event::Run(RunEvent::Started(started)) = first.event else {
            return None;
        };
        let setup = Setup::parse(&started.setup).ok()?;
        let is_agent = matches!(setup.model, ModelSetup::Agent { .. });
        (!is_agent && !demos::is_built_in(&setup)).then_some(())
    };
    store.newest(LOOKED_AT, |place| {
        place.workspace().as_deref() == Some(workspace)
            && is_task(place).is_some()
            && !journal::is_held(place)
            && place.summary().status == SessionStatus::Open
    })
}

/// How an unfinished session stands.
fn offered(place: &Place) -> Offer {
    let summary = place.summary();
    let waiting = record::loaded(place).map_or(0, |loaded| fold(&loaded.envelopes).queue().count());
    let entry = entry(&summary, Clock::start().utc_ms());
    Offer {
        title: entry.name,
        waiting,
        age: entry.age,
    }
}

/// Waits for the answer to a question on the screen.
fn on_screen<T>(asked: impl Future<Output = Result<T, app::Error>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    runtime
        .block_on(asked)
        .map_err(|error| Failure::new(Code::Other, error))
}

/// The newest run in a directory, if it can continue and no process has it open: how to resume it, in one line.
pub fn unfinished(store: &Store, workspace: &Path) -> Option<String> {
    let place = store.newest(LOOKED_AT, |place| place.workspace().as_deref() == Some(workspace))?;
    let summary = place.summary();
    if summary.status != SessionStatus::Open || journal::is_held(&place) {
        return None;
    }
    let short: String = place.id().chars().take(screen::SHORT_ID_CHARS).collect();
    // Fits on one row of a narrow terminal, next to the number of notices.
    Some(format!("`overrule resume {short}` continues the last run"))
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn an_age_has_one_unit() {
        let words = [5, 90, 7_200, 259_200].map(|seconds| age(seconds * 1000));
        assert_eq!(words, ["5 s", "1 min", "2 h", "3 days"]);
        assert_eq!(age(-5), "0 s");
    }
}
