//! Connects processes: opens the control socket of a run, and sends verbs to such a run.
//!
//! Must not know: what a command does.

use std::path::PathBuf;

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::run::Ready;
use overrule_control::protocol::{Asks, Request};
use overrule_control::{self as control, Answer, Door, Servers, Target, peer};
use overrule_journal::Place;

/// The directory of a session; a single file is never open for writing.
fn directory(place: &Place) -> Option<PathBuf> {
    match place {
        Place::Dir { path, .. } => Some(path.clone()),
        Place::File { .. } => None,
    }
}

/// Opens the control socket if `--control` is given. It is off by default because commands of the agent run
/// without a sandbox.
pub fn open(
    common: &Common,
    context: &AppContext,
    ready: &Ready,
    servers: Option<Servers>,
) -> Result<Option<Door>, Failure> {
    if !common.control {
        return Ok(None);
    }
    let place = context.store.find(&ready.session)?;
    let Some(dir) = directory(&place) else {
        return Ok(None);
    };
    let door = Door::open(
        &context.places,
        (&dir, &place.id()),
        ready.handle.clone(),
        servers,
        context.agents.clone(),
    )
    .map_err(|error| Failure::new(Code::Config, error))?;
    ready.handle.notice(format!(
        "other processes of {} can decide here: overrule queue {}, overrule approve … ({}). Processes of the agent are \
         recognized {}.",
        context.user(),
        context.address(&ready.session),
        door.path().display(),
        peer::Means::here().describe()
    ));
    Ok(Some(door))
}

/// Sends a request to the process that has the session open.
pub fn hand_over(
    context: &AppContext,
    place: &Place,
    holder: Option<u32>,
    asks: Asks,
) -> Result<Answer, control::Error> {
    let dir = directory(place).ok_or(control::Error::NoSocket)?;
    let target = Target {
        places: &context.places,
        session: &dir,
        holder,
    };
    let request = Request::new(&context.user(), asks);
    runtime()?.block_on(control::send(target, &request))
}

fn runtime() -> Result<tokio::runtime::Runtime, control::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| control::Error::NotTaken {
        why: format!("this process cannot start: {error}"),
    })
}
