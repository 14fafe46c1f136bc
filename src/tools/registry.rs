//! The ordered set of a run's tools, each with the checker of its schema.
//!
//! Must not know: what any tool does, who may use it.

use std::path::PathBuf;
use std::sync::Arc;

use super::tool::{Children, Spec, Tool};
use overrule_domain::advice::ToolFacts;
use overrule_domain::call::{EffectClass, Fault};
use overrule_domain::event::run::ToolCard;
use overrule_domain::sandbox::{Level, Profile};
use overrule_sandbox::session::Sandbox;
use overrule_schema::{self as schema, Checker, NotCheckable};

/// Why a tool cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Two tools have the same name.
    #[error("there are two tools named `{0}`; rename one of them")]
    Duplicate(String),
    /// Providers refuse this name.
    #[error(
        "`{0}` cannot be the name of a tool: use 1 to 64 letters, digits, `_` and `-`, beginning with a letter"
    )]
    Name(String),
    /// The schema of the tool is invalid.
    #[error("the tool `{name}` has a broken schema: {source}")]
    Schema {
        /// The tool.
        name: String,
        /// What is wrong with the schema.
        source: schema::Error,
    },
}

#[derive(Clone)]
struct Entry {
    tool: Arc<dyn Tool>,
    /// Its own spec, with the tags that were added.
    spec: Spec,
    checker: Arc<Checker>,
    definition: Arc<str>,
    /// How the children of its calls are confined; none where they are not.
    children: Option<Children>,
}

/// What a model is told of a tool whose children are confined.
const OWN_WRITES: &str =
    "Writes only in the workspace, no network; pass _outside with a reason if that is not enough.";
/// The same at level 2.
const NO_WRITES: &str =
    "Writes only in its temporary directory, no network; pass _outside with a reason if that is not enough.";

/// The tools of a run, in the order in which they are offered to the model.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    private: Arc<[PathBuf]>,
    sandbox: Option<Arc<Sandbox>>,
}

/// Makes what the schemas of all tools need, so that the first one does not wait for it.
pub fn prepare() {
    // The empty schema is one.
    drop(Checker::new("{}"));
}

impl Registry {
    /// Builds a registry of tools in the given order.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, Error> {
        let mut registry = Self::default();
        for tool in tools {
            registry.add(tool)?;
        }
        Ok(registry)
    }

    /// Names files and directories that no tool may read or write, wherever the workspace is.
    pub fn keeping_out_of(mut self, private: impl IntoIterator<Item = PathBuf>) -> Self {
        self.private = private.into_iter().collect();
        self
    }

    /// Returns the files and directories that no tool may read or write.
    pub fn private(&self) -> &Arc<[PathBuf]> {
        &self.private
    }

    /// Confines the children of calls as in a run with this profile; `sandbox` starts them in this process.
    pub fn confining(mut self, run: &Profile, sandbox: Option<Arc<Sandbox>>) -> Self {
        self.sandbox = sandbox;
        for entry in &mut self.entries {
            let children = entry.tool.children().filter(|one| one.profile(run).confines());
            let Some(children) = children else { continue };
            let card = &mut entry.spec.card;
            card.confined = true;
            let words = match children.profile(run).level {
                Level::Scratch => NO_WRITES,
                _ => OWN_WRITES,
            };
            card.description = format!("{} {words}", card.description).into();
            entry.definition = Arc::from(definition(card));
            entry.children = Some(children);
        }
        self
    }

    /// Returns how the children of a tool's calls are confined, besides what holds for the run.
    pub fn children(&self, name: &str) -> Option<&Children> {
        self.entry(name)?.children.as_ref()
    }

    /// Returns the sandbox for the children of calls, if this process has one.
    pub const fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        self.sandbox.as_ref()
    }

    /// Adds a tool at the end.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), Error> {
        let card = &tool.spec().card;
        let name = &card.name;
        // What an agent of another program names a tool is between it and its provider.
        if !is_name(name) && !card.is_of_agent() {
            return Err(Error::Name(super::errors::shown(name)));
        }
        if self.entry(name).is_some() {
            return Err(Error::Duplicate(name.to_string()));
        }
        // The tests compile the schemas of this program's own tools. An agent waits until its own are read, and they are
        // its own matter.
        let checker = match &card.origin {
            None => Checker::of_known(&card.schema),
            Some(_) if card.is_of_agent() => Checker::lenient(&card.schema),
            Some(_) => Checker::new(&card.schema),
        };
        let checker = checker.map_err(|source| Error::Schema {
            name: name.to_string(),
            source,
        })?;
        // A server gets the argument text itself.
        let checker = match card.server() {
            Some(_) => checker.keeping_digits(),
            None => checker,
        };
        self.entries.push(Entry {
            checker: Arc::new(checker),
            definition: Arc::from(definition(card)),
            spec: tool.spec().clone(),
            children: None,
            tool,
        });
        Ok(())
    }

    /// Adds a tag to a tool. It becomes part of the tool's definition, its card, and what the policy is asked
    /// about. Does nothing if there is no such tool.
    pub fn tag(&mut self, name: &str, tag: &str) {
        let found = self
            .entries
            .iter_mut()
            .find(|entry| *entry.spec.card.name == *name);
        if let Some(entry) = found
            && !entry.spec.card.tags.iter().any(|one| one == tag)
        {
            entry.spec.card.tags.push(tag.to_owned());
            entry.definition = Arc::from(definition(&entry.spec.card));
        }
    }

    /// Sets a pause between the approval of a call of a tool and its launch; the longest pause
    /// requested counts.
    pub fn pause(&mut self, name: &str, ms: u64) {
        let mut entries = self.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| *entry.spec.card.name == *name) {
            entry.spec.card.pause_ms = entry.spec.card.pause_ms.max(ms);
        }
    }

    /// Confines the children of all calls of a tool. Does nothing if there is no such tool.
    pub fn confine(&mut self, name: &str) {
        let mut entries = self.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| *entry.spec.card.name == *name) {
            entry.spec.card.confined = true;
        }
    }

    /// Sets the effect class of all calls of a tool, instead of its own. It becomes part of the tool's definition.
    /// Does nothing if there is no such tool.
    pub fn set_effect(&mut self, name: &str, effect: EffectClass) {
        let mut entries = self.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| *entry.spec.card.name == *name) {
            entry.spec.card.effect = effect;
            entry.spec.card.effect_by = None;
            entry.spec.facts.effect = effect;
            entry.definition = Arc::from(definition(&entry.spec.card));
        }
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        // A run has at most some dozens of tools: a scan is as fast as a map, and keeps the order.
        self.entries.iter().find(|entry| *entry.spec.card.name == *name)
    }

    /// Returns the tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.entry(name).map(|entry| &entry.tool)
    }

    /// Returns the spec of the tool of this name.
    pub fn spec(&self, name: &str) -> Option<&Spec> {
        self.entry(name).map(|entry| &entry.spec)
    }

    /// Returns what the rules need to know about the tool of this name.
    pub fn facts(&self, name: &str) -> Option<ToolFacts> {
        self.spec(name).map(|spec| spec.facts.clone())
    }

    /// Returns the hash of everything that the model sees of the tool of this name. It is precomputed,
    /// because every decision asks for it.
    pub fn definition(&self, name: &str) -> Option<&Arc<str>> {
        self.entry(name).map(|entry| &entry.definition)
    }

    /// Returns the compiled schema of the tool of this name.
    pub fn checker(&self, name: &str) -> Option<&Arc<Checker>> {
        self.entry(name).map(|entry| &entry.checker)
    }

    /// Returns everything that is wrong with an argument text, or `None` for an unknown tool. Unless
    /// `resolved`, references are accepted everywhere.
    pub fn check(&self, name: &str, args: &str, resolved: bool) -> Option<Vec<Fault>> {
        let entry = self.entry(name)?;
        let checker = &entry.checker;
        let mut faults = if resolved {
            checker.check(args)
        } else {
            checker.check_open(args)
        };
        // What cannot be checked is not wrong: such a call asks.
        faults.retain(|fault| fault.keyword != schema::BUDGET);
        // Servers accept a misspelt name silently, and do something else than was meant.
        let card = &entry.spec.card;
        if faults.is_empty() && card.origin.is_some() && !card.is_of_agent() {
            faults = checker.misspelt(args);
        }
        Some(faults)
    }

    /// Returns why arguments cannot be checked within the limits; `None` if they can, or for an unknown tool.
    pub fn not_checkable(&self, name: &str, args: &str) -> Option<NotCheckable> {
        self.entry(name)?.checker.not_checkable(args)
    }

    /// Returns the names of tools similar to this one, the best first.
    pub fn near(&self, name: &str) -> Vec<String> {
        schema::near(name, self.names())
    }

    /// Iterates over the names of all tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.spec.card.name)
    }

    /// Returns what the journal and the model see of the tools, in order.
    pub fn cards(&self) -> Vec<ToolCard> {
        self.entries.iter().map(|entry| entry.spec.card.clone()).collect()
    }
}

fn definition(card: &ToolCard) -> String {
    let tags = card.tags.join("\n");
    let mut parts = vec![
        card.name.as_bytes(),
        card.description.as_bytes(),
        card.schema.as_bytes(),
        card.effect.label().as_bytes(),
        tags.as_bytes(),
    ];
    // All that its source said of it, and where it comes from.
    parts.extend(card.origin.iter().map(|origin| origin.pin.as_bytes()));
    // A decision that was made before its server changed no longer holds.
    parts.extend(card.drift().map(str::as_bytes));
    overrule_base::canon::hash("overrule tool definition v1", &parts)
}

fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests {
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
}
