//! Rules of a session from the command line: what one would have meant, and the commands. Must not know:
//! how a rule is judged.

use super::args::Common;
use super::exit::{Code, Failure};
use super::print;
use crate::domain::bulk;
use crate::domain::call::{Digest, Gate};
use crate::domain::command::{Command, RunCommand};
use crate::domain::id::{NodeId, Rev};
use crate::domain::rule::{self, RuleRequest, SessionRule};
use crate::domain::state::State;
use crate::policy::backtest::{self, Would};
use crate::policy::session;
use crate::text::visible;

/// The rule that lets exactly a call run, always.
pub fn always(call: NodeId, rev: Rev, digest: Digest) -> Command {
    Command::Run(RunCommand::AddRule {
        seen: vec![digest.clone()],
        rule: RuleRequest::Exact { call, rev, digest },
    })
}

/// A rule as it was typed. It decides about what waits only where the digest of that is named.
pub fn add(state: &State, text: &str, digest: Option<&str>) -> Result<Command, Failure> {
    let (requested, would) = read(state, text)?;
    let seen = match digest {
        None => Vec::new(),
        Some(given) => {
            let now = bulk::digest(&would.waiting);
            if given.len() < 12 || !now.starts_with(given) {
                return Err(Failure::new(
                    Code::Halted,
                    format!(
                        "what waits and the rule is about is not what you saw (it is {} now): look at it again with \
                         --preview",
                        now.get(..12).unwrap_or(&now)
                    ),
                ));
            }
            would.seen()
        }
    };
    Ok(Command::Run(RunCommand::AddRule {
        rule: requested,
        seen,
    }))
}

fn read(state: &State, text: &str) -> Result<(RuleRequest, Would), Failure> {
    let requested = RuleRequest::Text { text: text.into() };
    let would = backtest::would(state, &requested)
        .map_err(|why| Failure::new(Code::Usage, format!("the rule may not stand: {why}")))?;
    Ok((requested, would))
}

/// Prints a rule and what it would have meant.
pub fn preview(common: &Common, state: &State, text: &str) -> Result<Code, Failure> {
    let (_, would) = read(state, text)?;
    let rule = session::read(text).map_err(|why| Failure::new(Code::Usage, why))?;
    let digest = bulk::digest(&would.waiting);
    if common.json {
        let waiting: Vec<_> = would
            .waiting
            .iter()
            .map(|item| serde_json::json!({"call": item.call, "rev": item.rev, "digest": item.digest}))
            .collect();
        print::out(
            &serde_json::json!({
                "rule": rule.text, "gate": rule.gate, "matched": would.matched, "of": would.of, "ran": would.ran,
                "rejected": would.rejected, "waiting": waiting, "digest": digest,
            })
            .to_string(),
        );
        return Ok(Code::Ok);
    }
    let verb = match rule.gate {
        Gate::Allow => "let run",
        Gate::Ask => "asked about",
        Gate::Deny => "denied",
    };
    print::out(&format!(
        "rule       {}\nrecorded   would have {verb} {} of {} calls; {} of them ran, {} were rejected",
        rule.text, would.matched, would.of, would.ran, would.rejected
    ));
    for item in &would.waiting {
        print::out(&format!(
            "waiting    {} {} {}",
            item.call,
            item.rev,
            visible(item.digest.short())
        ));
    }
    if !would.waiting.is_empty() && rule.gate != Gate::Ask {
        print::out(&format!("digest     {digest}"));
    }
    Ok(Code::Ok)
}

/// The rules of a session, a line each.
pub fn lines(state: &State) -> Vec<String> {
    let line = |one: &SessionRule| {
        let words = session::rule(one.no, &one.written)
            .map_or_else(|why| format!("unreadable: {why}"), |rule| rule.text);
        let dropped = if one.dropped { " (dropped)" } else { "" };
        format!("{}{dropped}: {}", rule::name(one.no), visible(&words))
    };
    state.rules.iter().map(line).collect()
}
