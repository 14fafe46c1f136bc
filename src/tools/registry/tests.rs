//! Tests which tools a registry accepts, and what it reports of them.

use super::*;
use crate::builtin;
use overrule_domain::call::Outcome;
use overrule_domain::event::run::ToolOrigin;

fn all() -> Registry {
    Registry::new(builtin::all(&builtin::Setup::default())).unwrap()
}

/// Their schemas are compiled at the first check only, so nothing else would find a broken one in time.
#[test]
fn the_schema_of_every_tool_of_this_program_compiles() {
    let runs = [
        "flights", "weekend", "office", "ring", "limits", "sealed", "mirrors",
    ];
    let samples = runs.iter().flat_map(|run| crate::sample::of(run));
    let mut count = 0;
    for tool in builtin::all(&builtin::Setup::default())
        .into_iter()
        .chain(samples)
    {
        let card = &tool.spec().card;
        assert!(card.origin.is_none(), "{}", card.name);
        assert!(Checker::new(&card.schema).is_ok(), "{}", card.name);
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn tools_are_in_order_and_each_has_a_definition() {
    let registry = all();
    let target = [
        "read_file",
        "list_dir",
        "search",
        "write_file",
        "edit_file",
        "shell",
        "http_request",
        "ask_operator",
        "delegate",
        "final_answer",
    ];
    assert_eq!(registry.names().collect::<Vec<_>>(), target);
    for card in registry.cards() {
        let schema: serde_json::Value = serde_json::from_str(&card.schema).unwrap();
        assert_eq!(
            schema.pointer("/additionalProperties"),
            Some(&false.into()),
            "{}",
            card.name
        );
        assert!(card.description.len() > 40, "{}", card.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(
                property["description"].is_string(),
                "{} {name} has no description",
                card.name
            );
        }
        let facts = registry.facts(&card.name).unwrap();
        assert_eq!(facts.effect, card.effect);
        assert_eq!(facts.takes_truncated, card.takes_truncated);
    }
}

#[test]
fn unknown_names_find_near_ones() {
    let registry = all();
    assert!(registry.get("readfile").is_none());
    assert!(registry.check("readfile", "{}", true).is_none());
    assert_eq!(registry.near("readfile").first().unwrap(), "read_file");
    assert!(registry.near("translate").is_empty());
}

#[test]
fn a_request_has_the_class_of_its_method() {
    let registry = all();
    let card = &registry.spec("http_request").unwrap().card;
    let class = |args: &str| card.effect_of(args);
    let by = |method: &str| class(&format!(r#"{{"method":"{method}","url":"http://a.example/"}}"#));
    for method in ["GET", "HEAD"] {
        assert_eq!(by(method), EffectClass::Read, "{method}");
    }
    for method in ["PUT", "DELETE"] {
        assert_eq!(by(method), EffectClass::Idempotent, "{method}");
    }
    let rest = [
        "POST",
        "PATCH",
        "OPTIONS",
        "get",
        "TRACE",
        "",
        "†call.c1",
        "†call.c1 || GET",
    ];
    for method in rest {
        assert_eq!(by(method), EffectClass::Unknown, "{method}");
    }
    for args in [
        "",
        "[]",
        "\"GET\"",
        "{}",
        r#"{"method":["GET"]}"#,
        r#"{"method":{"GET":1}}"#,
    ] {
        assert_eq!(class(args), EffectClass::Unknown, "{args}");
    }
    // Of a member that is written twice the last one is sent.
    assert_eq!(class(r#"{"method":"GET","method":"POST"}"#), EffectClass::Unknown);
}

#[test]
fn the_effect_class_of_the_settings_holds_for_every_call_and_is_part_of_the_definition() {
    let mut registry = all();
    let before = registry.definition("http_request").unwrap().clone();
    registry.set_effect("http_request", EffectClass::Write);
    let card = &registry.spec("http_request").unwrap().card;
    assert_eq!(card.effect_of(r#"{"method":"GET"}"#), EffectClass::Write);
    assert_eq!(card.effects().collect::<Vec<_>>(), [EffectClass::Write]);
    assert_eq!(registry.facts("http_request").unwrap().effect, EffectClass::Write);
    assert_ne!(*registry.definition("http_request").unwrap(), before);
    registry.set_effect("nothing", EffectClass::Pure);
}

#[test]
fn the_two_checks_differ_in_references_only() {
    let registry = all();
    let text = r#"{"path":"a","from_line":"†call.c1"}"#;
    assert_eq!(registry.check("read_file", text, false).unwrap(), []);
    assert_eq!(registry.check("read_file", text, true).unwrap().len(), 1);
}

struct Foreign(Spec);

impl Tool for Foreign {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn run(&self, _: crate::Job) -> futures_util::future::BoxFuture<'static, Outcome> {
        Box::pin(async { Outcome::ok("1") })
    }
}

fn with_schema(source: &str, schema: &str) -> Result<Registry, Error> {
    let mut spec = all().spec("search").unwrap().clone();
    spec.card.schema = schema.into();
    spec.card.origin = Some(Box::new(ToolOrigin {
        source: source.into(),
        server: None,
        tool: "search".into(),
        title: None,
        pin: "5ab7".into(),
        drift: None,
    }));
    Registry::new([Arc::new(Foreign(spec)) as Arc<dyn Tool>])
}

#[test]
fn a_broken_schema_of_an_agent_neither_refuses_nor_blocks_and_a_good_one_is_checked() {
    let (broken, good) = (r#"{"type":3}"#, r#"{"properties":{"n":{"type":"integer"}}}"#);
    let args = r#"{"n":"x"}"#;
    assert!(with_schema("declared", broken).is_err());
    let of_agent = |schema| with_schema(ToolOrigin::AGENT, schema).unwrap();
    assert_eq!(of_agent(broken).check("search", args, true), Some(Vec::new()));
    assert_eq!(of_agent(broken).not_checkable("search", args), None);
    assert_eq!(of_agent(good).check("search", args, true).unwrap().len(), 1);
    assert_eq!(of_agent(good).not_checkable("search", args), None);
}

#[test]
fn a_tag_is_part_of_what_a_tool_is() {
    let mut registry = all();
    let before = registry.definition("shell").unwrap().clone();
    let other = registry.definition("search").unwrap().clone();
    registry.tag("shell", "irreversible");
    registry.tag("shell", "irreversible");
    registry.tag("nowhere", "irreversible");
    let tags = &registry.spec("shell").unwrap().card.tags;
    assert_eq!(tags, &["external", "irreversible"]);
    let card = registry.cards().into_iter().find(|card| &*card.name == "shell");
    assert_eq!(&card.unwrap().tags, tags);
    assert_ne!(*registry.definition("shell").unwrap(), before);
    assert_eq!(*registry.definition("search").unwrap(), other);
}

#[test]
fn how_a_server_changed_is_part_of_what_its_tools_are() {
    let with = |drift: Option<&str>| {
        let mut card = all().spec("search").unwrap().card.clone();
        card.origin = Some(Box::new(ToolOrigin {
            source: "mcp".into(),
            server: Some("s".into()),
            tool: "search".into(),
            title: None,
            pin: "5ab7".into(),
            drift: drift.map(Into::into),
        }));
        definition(&card)
    };
    assert_eq!(with(None), with(None));
    assert_ne!(with(None), with(Some("new: write")));
    assert_ne!(with(Some("new: write")), with(Some("new: send")));
}

#[test]
fn doubles_and_odd_names_are_refused() {
    let mut registry = all();
    let again = registry.get("search").unwrap().clone();
    assert_eq!(registry.add(again), Err(Error::Duplicate("search".to_owned())));
    assert!(is_name("a") && is_name("mcp-tool_9"));
    for bad in ["", "9a", "a b", "a.b", "é", &"a".repeat(65)] {
        assert!(!is_name(bad), "{bad}");
    }
}
