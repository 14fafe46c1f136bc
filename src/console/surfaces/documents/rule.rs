//! The preview of a rule of the session, and the list of rules.
//!
//! Must not know: keys, the language of rules.

use std::sync::Arc;

use super::listed::{self, ListedCall};
use crate::ground::doc::{Form, Styled};
use crate::ground::pager::Wrap;
use crate::ground::theme::Role;
use crate::kernel::listing::Line;
use crate::run::call_group;
use crate::run::maker::Maker;
use crate::run::target::Target;
use crate::surfaces::rule::RuleView;
use overrule_domain::call::{Decision, Gate};
use overrule_domain::rule::{self, RuleRequest, RuleSpec, SessionRule};
use overrule_domain::state::State;
use overrule_policy::session;
use overrule_present::many;
use overrule_present::rule::RuleHistoryView;

/// The most listed calls.
const MOST: usize = 50;

/// Adds a rule, word for word, and its past matches.
pub fn preview(maker: &mut Maker<'_>, view: &RuleView) {
    maker.framed(0, "this rule decides about calls for the rest of the session");
    let mark = (Role::Decision, maker.frame(1).to_owned());
    match &view.rule {
        RuleRequest::Text { text } => maker.text(text, Form::Raw, Wrap::Chars, Role::Text, mark),
        RuleRequest::Exact { call, rev, .. } => {
            let node = maker.run.state.node(*call);
            let tool = node
                .and_then(|node| node.as_call())
                .map(|(tool, _)| Arc::clone(tool));
            let args = maker.run.shown_args(*call);
            maker.own(
                Role::Text,
                format!(
                    "this session: allow exactly {}:",
                    overrule_present::revised(*call, *rev)
                ),
            );
            if let (Some(tool), Some(args)) = (tool, args) {
                maker.field("tool", &tool);
                maker.text(&args, Form::Json, Wrap::Chars, Role::Text, mark);
            }
            maker.own(
                Role::Dim,
                "and the same tool definition, directory, environment names and sandbox; any other byte asks again",
            );
        }
    }
    maker.framed(2, "end of the rule");
    let would = match &view.would {
        Ok(would) => would,
        Err(why) => {
            maker.own(
                Role::Error,
                format!("cannot add this rule: {}", overrule_base::text::visible(why)),
            );
            return;
        }
    };
    let gate = gate_of(&view.rule);
    maker.own(
        if would.matched.is_empty() {
            Role::Warning
        } else {
            Role::Text
        },
        RuleHistoryView::of(would).describe(gate),
    );
    match (gate, would.waiting.len()) {
        (_, 0) => maker.own(Role::Dim, "accepting it decides no waiting call"),
        (Gate::Ask, count) => {
            let keep = if count == 1 { "call keeps" } else { "calls keep" };
            maker.own(Role::Dim, format!("{count} waiting {keep} waiting"));
        }
        (Gate::Allow, count) => {
            let run = if count == 1 { "call runs" } else { "calls run" };
            let words = format!(
                "{count} waiting {run} immediately if you accept it, unless another rule asks or denies:"
            );
            maker.own(Role::Decision, words);
        }
        (Gate::Deny, count) => {
            let are = if count == 1 { "call is" } else { "calls are" };
            let words = format!("{count} waiting {are} denied immediately if you accept it:");
            maker.own(Role::Decision, words);
        }
    }
    if gate == Gate::Ask {
        return;
    }
    let listed = || would.waiting.iter().take(MOST);
    let similar = call_group::of(&maker.run.state, listed().map(|one| one.call));
    for (at, waiting) in listed().enumerate() {
        let one = ListedCall {
            call: waiting.call,
            rev: waiting.rev,
            unread: view.unread.get(at).copied().unwrap_or(0),
        };
        let (rows, _) = listed::rows(maker, &one, similar.get(&waiting.call));
        for row in rows {
            maker.over(row, listed::INDENT);
        }
    }
    if would.waiting.len() > MOST {
        let more = would.waiting.len() - MOST;
        maker.own(Role::Warning, format!("  and {more} more"));
    }
}

fn gate_of(requested: &RuleRequest) -> Gate {
    match requested {
        RuleRequest::Exact { .. } => Gate::Allow,
        RuleRequest::Text { text } => session::read(text).map_or(Gate::Ask, |rule| rule.gate),
    }
}

/// Adds the rules of a session, active ones first.
pub fn rules(state: &State) -> Vec<Target> {
    let judging = state.settings.rules.iter().filter(|rule| !rule.dropped);
    let dropped = state.settings.rules.iter().filter(|rule| rule.dropped);
    judging.chain(dropped).map(|rule| Target::Rule(rule.no)).collect()
}

/// Adds a row for each rule: its decision comes before its text, which most widths cut.
pub fn rule_list(state: &State, items: &[Target], width: u16) -> Vec<Line> {
    items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| {
            let Target::Rule(no) = item else { return None };
            let rule = state.settings.rules.iter().find(|rule| rule.no == *no)?;
            let role = if rule.dropped {
                Role::Superseded
            } else {
                Role::Accent
            };
            let decides = session::rule(rule.no, &rule.written).map(|rule| rule.gate);
            let (gate, decides) = match decides {
                Ok(Gate::Allow) => (Role::Ok, "allow"),
                Ok(Gate::Ask) => (Role::Awaiting, "ask"),
                Ok(Gate::Deny) => (Role::Failed, "deny"),
                Err(_) => (Role::Error, "unreadable"),
            };
            let uses = match uses(state, *no) {
                (0, 0) => "not used  ".to_owned(),
                (allowed, 0) => format!("allowed {allowed}  "),
                (0, denied) => format!("denied {denied}  "),
                (allowed, denied) => format!("allowed {allowed}, denied {denied}  "),
            };
            let words = Styled::new()
                .own(role, format!(" {no} "))
                .own(Role::Dim, if rule.dropped { "dropped " } else { "" })
                .own(
                    if rule.dropped { Role::Dim } else { gate },
                    format!("{decides:<5} "),
                )
                .own(Role::Dim, uses)
                .untrusted(Role::Text, &cited(rule), usize::from(width));
            Some(Line { of: Some(at), words })
        })
        .collect()
}

/// How many calls a rule allowed and denied.
fn uses(state: &State, no: u32) -> (usize, usize) {
    let (mut allowed, mut denied) = (0, 0);
    let decisions = state.calls.values().flat_map(|call| &call.decisions);
    for (_, _, decision) in decisions {
        match &**decision {
            Decision::Auto { rule } if rule::is_of(rule, no) => allowed += 1,
            Decision::Deny { rule, .. } if rule::is_of(rule, no) => denied += 1,
            _ => {}
        }
    }
    (allowed, denied)
}

/// Adds details of a rule: its whole text, and its decisions.
pub fn rule_more(maker: &mut Maker<'_>, no: u32) {
    let state = &maker.run.state;
    let Some(rule) = state.settings.rules.iter().find(|rule| rule.no == no) else {
        return;
    };
    let (ran, denied) = uses(state, no);
    let words: Arc<str> = cited(rule).into();
    maker.own(Role::Dim, format!("since {}", rule.seq));
    maker.text(
        &words,
        Form::Raw,
        Wrap::Words,
        Role::Text,
        (Role::Dim, "  ".to_owned()),
    );
    maker.own(
        Role::Text,
        format!("allowed {}, denied {denied}", many(ran, "call")),
    );
}

fn cited(rule: &SessionRule) -> String {
    match (session::rule(rule.no, &rule.written), &rule.written) {
        (Ok(rule), _) => rule.text,
        (Err(_), RuleSpec::Text { text }) => text.to_string(),
        (Err(_), RuleSpec::Exact { tool, .. }) => format!("allow exactly one call of {tool}"),
    }
}
