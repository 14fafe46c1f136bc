//! Adds rules to a session, and previews which recorded calls a rule would match.
//!
//! Must not know: how a rule is evaluated.

use super::args::Common;
use super::exit::{Code, Failure};
use super::print;
use overrule_base::text::visible;
use overrule_domain::bulk;
use overrule_domain::call::{Digest, Gate};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::rule::RuleRequest;
use overrule_domain::state::State;
use overrule_policy::backtest::{self, Would};
use overrule_policy::session;
use overrule_present::json;
use overrule_present::rule::RuleView;

/// Adds a rule that allows exactly the bytes of a call.
pub fn always(call: NodeId, rev: Rev, digest: Digest) -> Command {
    Command::Run(RunCommand::AddRule {
        seen: vec![digest.clone()],
        rule: RuleRequest::Exact { call, rev, digest },
    })
}

/// Adds a rule as typed. It decides waiting calls only if their digest is given.
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
                        "cannot add the rule: it matches other waiting calls now (digest {}); hint: run it again with \
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
        .map_err(|why| Failure::new(Code::Usage, format!("cannot add the rule: {why}")))?;
    Ok((requested, would))
}

/// Prints a rule and the recorded calls that it matches.
pub fn preview(common: &Common, state: &State, text: &str) -> Result<(), Failure> {
    let (_, would) = read(state, text)?;
    let rule = session::read(text).map_err(|why| Failure::new(Code::Usage, why))?;
    let view = RuleView::of(rule.text, rule.gate, &would);
    if common.json {
        print::out(&json(&view));
        return Ok(());
    }
    print::out(&format!(
        "rule       {}\nrecorded   {}",
        view.rule,
        view.history.describe(view.gate)
    ));
    for item in &view.waiting {
        print::out(&format!(
            "waiting    {} {} {}",
            item.call,
            item.rev,
            visible(item.digest.short())
        ));
    }
    if !view.waiting.is_empty() && view.gate != Gate::Ask {
        print::out(&format!("digest     {}", view.digest));
    }
    Ok(())
}
