//! Waits until no process runs a session any more, and ends as that run did.
//!
//! Must not know: how a run is carried out.

use std::thread;
use std::time::Duration;

use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::why_ended::{End, WhyEnded};
use super::{headless, record};
use overrule_domain::files::is_restoring;
use overrule_domain::ladder::parse_span;
use overrule_domain::state::Mode;
use overrule_engine::clock::Clock;
use overrule_journal as journal;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// Waits for the end of a run, and prints its answer.
pub fn wait(common: &Common, wait: &args::Wait) -> Result<Code, Failure> {
    let limit = wait.timeout.as_deref().map(limit).transpose()?;
    let context = AppContext::read(common)?;
    let place = context.find(&wait.session)?;
    let address = context.address(&place.id());
    let clock = Clock::start();
    while journal::is_held(&place) {
        if limit.is_some_and(|limit| clock.mono_ms() >= limit) {
            let text = wait.timeout.as_deref().unwrap_or_default();
            let why = format!("session {} still runs after {text}", address.id());
            return Err(Failure::new(Code::TimedOut, why));
        }
        thread::sleep(LOOK);
    }
    let state = record::as_found(&place)?.state;
    let ended = WhyEnded {
        state: &state,
        session: &address,
    };
    let end = match state.mode {
        Mode::Finished(_) if !is_restoring(&state) => End::new(Code::Ok, ""),
        _ => ended.why_not(),
    };
    headless::conclude(common, &state, &address, end)
}

/// Reads a time limit, in milliseconds.
fn limit(text: &str) -> Result<u64, Failure> {
    parse_span(text).ok_or_else(|| {
        let why = format!("cannot read --timeout `{text}`; hint: write a duration, such as 30s or 10m");
        Failure::new(Code::Usage, why)
    })
}
