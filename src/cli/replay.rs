//! Shows a recorded session step by step (`overrule replay`).
//!
//! Must not know: keys, panes.
//!
//! Nothing is executed: the recorded events are folded again.

use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::fork::Forks;
use super::recorded::Recorded;
use super::screen::ScreenExit;
use super::{opening, picker, print, resume, screen};
use overrule_base::text::{visible, visible_head};
use overrule_domain::envelope::{Envelope, Via};
use overrule_journal as journal;
use overrule_present::output::EventView;

/// Opens the screen on a recorded session.
pub fn replay(common: &Common, args: &args::Replay) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let Some(id) = picker::session(common, &context, args.id.as_deref(), "replay")? else {
        return Ok(Code::Ok);
    };
    let place = context.find(&id)?;
    if journal::first(&place)?.is_none() && journal::read(&place)?.envelopes.is_empty() {
        return Err(Failure::new(
            Code::Session,
            format!(
                "cannot replay session {0}: it has no intact first event; hint: `overrule graph {0}` shows what can be read of it",
                place.id()
            ),
        ));
    }
    if common.headless || common.json {
        return print_steps(common, &place);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    let forks = Forks::of(common, &context, Via::Console);
    opening::announce(&place);
    let link = {
        let _inside = runtime.enter();
        Recorded::open(&place, args.speed)?.forked_into(forks.clone())
    };
    let shown = runtime.block_on(screen::show(&context, Box::new(link), &place.id(), true));
    // Do not wait for background tasks on exit.
    runtime.shutdown_background();
    // The resumed fork is printed when the operator leaves it.
    forks.print_written(match &shown {
        Ok(ScreenExit::For(session)) => Some(session.as_str()),
        _ => None,
    });
    match shown? {
        ScreenExit::Code(code) => Ok(code),
        ScreenExit::For(session) => resume::resume_session(common, context, &session, false),
    }
}

/// Without a screen, one line per recorded event.
fn print_steps(common: &Common, place: &journal::Place) -> Result<Code, Failure> {
    let mut requested = true;
    let mut failed = None;
    journal::each(place, |envelope| {
        if requested && failed.is_none() {
            match line(common, &envelope) {
                Ok(line) => requested = print::out(&line),
                Err(error) => failed = Some(error),
            }
        }
    })?;
    failed.map_or(Ok(Code::Ok), |error| Err(Failure::new(Code::Other, error)))
}

fn line(common: &Common, envelope: &Envelope) -> Result<String, serde_json::Error> {
    if common.json {
        return serde_json::to_string(&EventView::of(envelope));
    }
    Ok(format!("{} {}", envelope.seq, summary(envelope)))
}

/// Characters of the body of an event.
const BODY: usize = 160;

fn summary(envelope: &Envelope) -> String {
    let value = serde_json::to_value(&envelope.event).unwrap_or_default();
    let family = value["family"].as_str().unwrap_or("?");
    let kind = value["fact"]["type"].as_str().unwrap_or("?");
    let body = value["fact"]["body"].to_string();
    format!(
        "{} {}",
        visible(&format!("{family}.{kind}")),
        visible_head(&body, BODY)
    )
}
