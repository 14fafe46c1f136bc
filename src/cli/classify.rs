//! Corrects the class of an error in the operator's settings file and in the session.
//!
//! Must not know: how an error is classified.

use jiff::Timestamp;

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::print;
use super::verbs::classify::ErrorIs;
use overrule_base::text::visible;
use overrule_config::keep;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::id::NodeId;
use overrule_domain::state::State;
use overrule_engine::clock::Clock;
use overrule_journal::Place;
use overrule_present::json;
use overrule_present::output::StoredView;
use overrule_resilience::correction::{self, Corrigible, Verdict};

/// Writes the rule to the settings file, and returns the command that applies it. An error changes nothing.
pub fn command(
    common: &Common,
    context: &AppContext,
    (place, state): (&Place, &State),
    call: NodeId,
    (error, pattern): (ErrorIs, Option<&str>),
) -> Result<Command, Failure> {
    let refused = |why: String| Failure::new(Code::Halted, visible(&why));
    let failed = Corrigible::of(state, call).map_err(refused)?;
    let verdict = match error {
        ErrorIs::Permanent => Verdict::Permanent,
        ErrorIs::Temporary => Verdict::Temporary,
    };
    let suggested = failed.pattern();
    let pattern = pattern.unwrap_or(&suggested);
    if pattern.is_empty() {
        let why = format!("cannot suggest a pattern for the error of {call}; hint: give one with --pattern");
        return Err(refused(why));
    }
    let (session, by) = (place.id(), context.user());
    let date = today();
    let rule = failed
        .corrected(verdict, pattern, (&session, &date, &by))
        .map_err(|why| Failure::new(Code::Usage, visible(&why)))?;
    let value = correction::with(state, &context.settings.resilience.errors.corrections, &rule);
    let file = keep::correction(&context.env, &context.flags, &rule)?;
    let file = visible(&file.to_string_lossy());
    print::out(&if common.json {
        json(&StoredView {
            file: &file,
            correction: &rule,
        })
    } else {
        let then = match verdict {
            Verdict::Permanent => "are permanent: they are not retried",
            Verdict::Temporary => "are temporary: they are retried where a retry is harmless",
        };
        format!(
            "saved in {file}: errors of {} that match `{}` {then}\n{call} does not change: the rule applies from the next \
             failure on",
            visible(&rule.tool),
            visible(&rule.matches)
        )
    });
    Ok(Command::Resilience(ResilienceCommand::Configure {
        key: keep::CORRECTIONS.into(),
        value: value.into(),
    }))
}

/// The current date, as written to a file.
pub fn today() -> String {
    let now = Timestamp::from_millisecond(Clock::start().utc_ms()).unwrap_or_default();
    now.strftime("%Y-%m-%d").to_string()
}
