//! Prints the settings and policy rules in force, with their origins (`overrule config`).
//!
//! Must not know: how settings are read, what they do.

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{live_reload, print, record};
use overrule_base::text::visible;
use overrule_config::Why;
use overrule_console::ground::columns::Columns as _;
use overrule_domain::call::Gate;
use overrule_policy::session;
use overrule_present::json;
use overrule_present::output::{PolicyRuleView, SettingView};

/// Columns of a value beyond which its origin is not aligned.
const WIDEST: usize = 32;

/// Prints the settings and rules, also those of the newest session of this directory. Reads the same files as a run here, and
/// writes none.
pub fn print(common: &Common) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    // The console refuses to start with what these refuse.
    live_reload::theme(&context)?;
    live_reload::keymap(&context)?;
    let all = context.settings.why();
    let policy = context.settings.policy.clone().in_workspace(&context.workspace);
    let rules = policy.in_force();
    if common.json {
        for why in &all {
            print::out(&json(&SettingView {
                key: &why.key,
                value: &why.value,
                from: &why.origin,
            }));
        }
        let rules = rules.map(|rule| (rule.cite(), rule.gate));
        for (rule, gate) in rules.chain(of_session(&context)) {
            print::out(&json(&PolicyRuleView { rule, gate }));
        }
    } else {
        for line in table(&all) {
            print::out(&line);
        }
        print::out("\nrules; the strictest of those that match a call decides:");
        let rules = rules.map(|rule| (rule.cite(), rule.gate));
        for (rule, gate) in rules.chain(of_session(&context)) {
            print::out(&format!("{:13}{rule}", gate.does()));
        }
    }
    for notice in context.notices() {
        print::err(&visible(&notice));
    }
    Ok(Code::Ok)
}

/// The rules of the newest session of this directory, each with the session.
fn of_session(context: &AppContext) -> Vec<(String, Gate)> {
    let Some(place) = context.last_here() else {
        return Vec::new();
    };
    let Ok((found, _)) = record::up_to_damage(&place) else {
        return Vec::new();
    };
    let rules = found.state.settings.rules.iter().filter(|rule| !rule.dropped);
    let read = rules.filter_map(|rule| session::rule(rule.no, &rule.written).ok());
    let id = place.id();
    let named = read.map(|rule| (format!("session {id}: {}", rule.cite()), rule.gate));
    named.collect()
}

/// Formats a line for each setting: its key, value and origin, in aligned columns.
fn table(all: &[Why]) -> Vec<String> {
    let widest = |part: fn(&Why) -> &str| all.iter().map(|why| part(why).columns()).max();
    let keys = widest(|why| &why.key).unwrap_or_default();
    let values = widest(|why| &why.value).unwrap_or_default().min(WIDEST);
    let line = |why: &Why| {
        let pad = |text: &str, to: usize| " ".repeat(to.saturating_sub(text.columns()));
        let (key, value) = (pad(&why.key, keys), pad(&why.value, values));
        format!("{}{key}  {}{value}  {}", why.key, why.value, why.origin)
    };
    all.iter().map(line).collect()
}
