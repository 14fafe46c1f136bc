//! Adds rules to a session and to the operator's files, and previews which recorded calls a rule would match.
//!
//! Must not know: how a rule is evaluated.

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::print;
use overrule_base::text::visible;
use overrule_config::keep::{self, Kept, Scope};
use overrule_console::kernel::files::{KeptRule, RuleScope};
use overrule_domain::bulk;
use overrule_domain::call::{Digest, Gate};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::rule::RuleRequest;
use overrule_domain::state::State;
use overrule_policy::backtest::{self, Would};
use overrule_policy::{Danger, session};
use overrule_present::json;
use overrule_present::rule::RuleView;

/// Adds a rule that allows exactly the bytes of a call.
pub fn always(call: NodeId, rev: Rev, digest: Digest) -> Command {
    Command::Run(RunCommand::AddRule {
        seen: vec![digest.clone()],
        rule: RuleRequest::Exact { call, rev, digest },
    })
}

/// Keeps a rule or a preset in a file of the operator. Returns the file, safe to show.
pub fn keep(context: &AppContext, scope: RuleScope, kept: &KeptRule) -> Result<String, String> {
    let scope = match scope {
        RuleScope::Session => return Err("a rule of the session is kept in no file".to_owned()),
        RuleScope::Workspace => Scope::Workspace(&context.workspace),
        RuleScope::Always => Scope::Always,
    };
    let today = super::classify::today();
    let note = match kept {
        KeptRule::Rule { call: Some(call), .. } => format!("made from {call} of a session, {today}"),
        _ => format!("added {today}"),
    };
    let kept = match kept {
        KeptRule::Rule { text, .. } => Kept::Rule { text, note: &note },
        KeptRule::Preset(preset) => Kept::Preset(*preset),
    };
    let path = keep::rule(&context.env, &context.flags, scope, kept).map_err(|error| error.to_string())?;
    Ok(visible(&path.to_string_lossy()))
}

/// Adds a rule as typed. It decides waiting calls only if their digest is given.
pub fn add(
    state: &State,
    requested: RuleRequest,
    danger: &Danger,
    digest: Option<&str>,
) -> Result<Command, Failure> {
    let would = matches(state, &requested, danger)?;
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

fn matches(state: &State, requested: &RuleRequest, danger: &Danger) -> Result<Would, Failure> {
    backtest::would(state, requested, danger)
        .map_err(|why| Failure::new(Code::Usage, format!("cannot add the rule: {why}")))
}

/// Prints a rule and the recorded calls that it matches.
pub fn preview(
    common: &Common,
    state: &State,
    requested: &RuleRequest,
    danger: &Danger,
) -> Result<(), Failure> {
    let would = matches(state, requested, danger)?;
    let (text, gate) = match requested {
        RuleRequest::Text { text } => {
            let rule = session::read(text).map_err(|why| Failure::new(Code::Usage, why))?;
            (rule.text, rule.gate)
        }
        RuleRequest::Exact { call, .. } => (format!("this session: allow exactly {call}"), Gate::Allow),
    };
    let view = RuleView::of(text, gate, &would);
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
