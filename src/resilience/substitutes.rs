//! Names the tools that can replace one that fails.
//!
//! Must not know: who receives the names, why it fails.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use overrule_domain::breaker::{Breaker, Scope};
use overrule_domain::event::run::ToolCard;
use overrule_domain::state::State;

/// Maximum number of tools that are named.
const MOST: usize = 5;

/// Returns the tools on offer to a thread that can replace one: its `substitutes`, in the order of
/// the settings, then the tools of the same kind. Leaves out tools whose breaker is not closed.
///
/// Two tools are of the same kind if they have the same effect class and take the same parameters.
pub fn tools(state: &State, offered: &[ToolCard], tool: &str, substitutes: &[Arc<str>]) -> Vec<Arc<str>> {
    let known = |name: &str| offered.iter().find(|card| *card.name == *name);
    let kind = known(tool).and_then(kind);
    let same = offered
        .iter()
        .filter(|card| kind.is_some() && self::kind(card) == kind)
        .map(|card| &card.name);
    let works = |name: &Arc<str>| {
        let breaker = state.learned.breakers.get(&Scope::Tool(Arc::clone(name)));
        breaker.is_none_or(Breaker::admits)
    };
    let mut found: Vec<Arc<str>> = Vec::new();
    for name in substitutes
        .iter()
        .filter(|name| known(name).is_some())
        .chain(same)
    {
        if **name != *tool && !found.contains(name) && works(name) {
            found.push(Arc::clone(name));
        }
    }
    found.truncate(MOST);
    found
}

/// What a tool can do, and the parameters that it takes.
type Kind = (&'static str, BTreeMap<String, Value>, Vec<String>);

/// Returns the kind of a tool; none for one without parameters, because nothing is known about it.
fn kind(card: &ToolCard) -> Option<Kind> {
    let schema: Value = serde_json::from_str(&card.schema).ok()?;
    let properties = schema.get("properties")?.as_object()?;
    let mut types = BTreeMap::new();
    for (name, property) in properties {
        types.insert(name.clone(), property.get("type").cloned().unwrap_or_default());
    }
    let names = schema.get("required").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let mut required: Vec<String> = names.map(str::to_owned).collect();
    required.sort();
    (!types.is_empty()).then(|| (card.effect.label(), types, required))
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::breaker::Phase;
    use overrule_domain::call::EffectClass;

    fn card(name: &str, effect: EffectClass, schema: &str) -> ToolCard {
        ToolCard {
            schema: schema.into(),
            ..ToolCard::bare(name, effect, &[])
        }
    }

    const QUERY: &str = r#"{"properties":{"query":{"type":"string"}},"required":["query"]}"#;

    fn cards() -> Vec<ToolCard> {
        vec![
            card("primary", EffectClass::Read, QUERY),
            card("replica", EffectClass::Read, QUERY),
            card("writes", EffectClass::Write, QUERY),
            card(
                "optional",
                EffectClass::Read,
                r#"{"properties":{"query":{"type":"string"}}}"#,
            ),
            card(
                "other",
                EffectClass::Read,
                r#"{"properties":{"path":{"type":"string"}},"required":["path"]}"#,
            ),
            card("bare", EffectClass::Read, "{}"),
            card("empty", EffectClass::Read, "{}"),
        ]
    }

    fn named(state: &State, tool: &str, substitutes: &[&str]) -> Vec<String> {
        let substitutes: Vec<Arc<str>> = substitutes.iter().map(|name| Arc::from(*name)).collect();
        let found = tools(state, &cards(), tool, &substitutes);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn substitutes_come_first_then_tools_with_the_same_class_and_parameters() {
        let state = State::default();
        assert_eq!(named(&state, "primary", &[]), ["replica"]);
        assert_eq!(
            named(&state, "primary", &["other", "gone", "primary"]),
            ["other", "replica"]
        );
        assert_eq!(named(&state, "primary", &["replica"]), ["replica"]);
        assert_eq!(
            named(&state, "bare", &[]),
            [""; 0],
            "nothing is known of its kind"
        );
        assert_eq!(named(&state, "gone", &[]), [""; 0]);
    }

    #[test]
    fn a_tool_whose_breaker_is_not_closed_serves_for_nothing() {
        let mut state = State::default();
        for phase in [Phase::Open, Phase::HalfOpen] {
            let breaker = Breaker {
                phase,
                probe: Some(overrule_domain::breaker::Source::Request(
                    overrule_domain::id::TurnId::default(),
                    1,
                )),
                ..Breaker::default()
            };
            state
                .learned
                .breakers
                .insert(Scope::Tool("replica".into()), breaker);
            assert_eq!(named(&state, "primary", &["replica"]), [""; 0], "{phase:?}");
        }
    }
}
