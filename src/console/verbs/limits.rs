//! Asks for the limits of the run.
//!
//! Must not know: how a limit is checked.

use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Verb};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::event::run::{ContextLimit, Limits};
use overrule_domain::price::{decimal, trillionths};

/// The verb `limits`.
pub const VERB: Verb = Verb {
    name: "limits",
    keys: &[],
    contexts: PANES,
    doc: "change the limits (turns, tokens, minutes, price, parallel calls)",
    effect: Effect::Records,
    run: |model, _| {
        let now = line(&model.run.state.settings.limits);
        let style = Style {
            returns: true,
            ..Style::SETTING
        };
        let title = "limits (none is unlimited)";
        let prompt = Prompt::new(("set", style), title, &now, |model, text, out| {
            let limits = read(model.run.state.settings.limits, &text)?;
            send(model, Command::Run(RunCommand::SetLimits { limits }), None, out);
            Ok(())
        });
        prompts::ask(model, prompt);
        Ok(())
    },
    ..Verb::BASE
};

/// Reads limits as they are written in the line: `turns=50 tokens=none minutes=30 price=0.5 parallel=8`.
pub(crate) fn read(now: Limits, text: &str) -> Result<Limits, String> {
    let mut limits = now;
    for word in text.split_whitespace() {
        let wrong =
            || format!("`{word}` is not a limit: type turns=50 tokens=none minutes=30 price=none parallel=8");
        let (name, value) = word.split_once('=').ok_or_else(wrong)?;
        let number: Option<u64> = match value {
            "none" => None,
            value if name == "price" => Some(trillionths(value).ok_or_else(wrong)?),
            value => Some(value.parse().map_err(|_| wrong())?),
        };
        match (name, number) {
            ("turns", number) => limits.turns = number.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            ("tokens", number) => limits.tokens = number,
            // Minutes are shown rounded up: an unchanged value keeps its milliseconds.
            ("minutes", number) if number == minutes_of(&now) => {}
            ("minutes", number) => limits.wall_ms = number.map(|n| n.saturating_mul(60_000)),
            ("price", number) => limits.price = number,
            // The window is the model's own: only where it is known the size of a request has a limit.
            ("context", number) => {
                limits.context = match (number, now.context) {
                    (tokens, Some(limit)) if tokens == limit.tokens => Some(limit),
                    (None, _) => None,
                    (tokens, Some(limit)) => Some(ContextLimit { tokens, ..limit }),
                    (Some(_), None) => return Err(wrong()),
                }
            }
            ("parallel", Some(number)) => limits.parallel = u32::try_from(number).unwrap_or(u32::MAX),
            _ => return Err(wrong()),
        }
    }
    limits.check()?;
    Ok(limits)
}

/// The minutes that a limit is shown as.
fn minutes_of(limits: &Limits) -> Option<u64> {
    limits.wall_ms.map(|ms| ms.div_ceil(60_000))
}

/// Limits as they are written in the line.
pub(crate) fn line(limits: &Limits) -> String {
    let word = |value: Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
    let context = limits
        .context
        .map(|limit| format!(" context={}", word(limit.tokens)));
    format!(
        "turns={} tokens={} minutes={} price={} parallel={}{}",
        word(limits.turns.map(u64::from)),
        word(limits.tokens),
        word(minutes_of(limits)),
        limits.price.map_or("none".to_owned(), decimal),
        limits.parallel,
        context.unwrap_or_default()
    )
}
