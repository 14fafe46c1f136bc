//! The ordered set of tools of a run, each with its compiled schema. Must not know: what any tool
//! does, who may use it.

use std::path::PathBuf;
use std::sync::Arc;

use super::tool::{Spec, Tool};
use crate::domain::advice::ToolFacts;
use crate::domain::call::Fault;
use crate::domain::event::run::ToolCard;
use crate::schema::{self, Checker};

/// Why a tool cannot be taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Two tools of one name.
    #[error("there are two tools named `{0}`; rename one of them")]
    Duplicate(String),
    /// A name that providers refuse.
    #[error(
        "`{0}` cannot be the name of a tool: use 1 to 64 letters, digits, `_` and `-`, beginning with a letter"
    )]
    Name(String),
    /// Its schema is broken.
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
    /// What it says of itself, with the tags that it was given.
    spec: Spec,
    checker: Arc<Checker>,
    definition: Arc<str>,
}

/// The tools of a run, in the order in which the model is offered them.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    private: Arc<[PathBuf]>,
}

impl Registry {
    /// A set of tools, in the given order.
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

    /// Files and directories that no tool may read or write.
    pub fn private(&self) -> &Arc<[PathBuf]> {
        &self.private
    }

    /// Takes a tool in, as the last one.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), Error> {
        let card = &tool.spec().card;
        let name = &card.name;
        if !is_name(name) {
            return Err(Error::Name(super::errors::shown(name)));
        }
        if self.entry(name).is_some() {
            return Err(Error::Duplicate(name.to_string()));
        }
        let checker = Checker::new(&card.schema).map_err(|source| Error::Schema {
            name: name.to_string(),
            source,
        })?;
        self.entries.push(Entry {
            checker: Arc::new(checker),
            definition: Arc::from(definition(card)),
            spec: tool.spec().clone(),
            tool,
        });
        Ok(())
    }

    /// Gives a tool a tag. It is part of what the tool is: of its definition, its card, and of what the policy
    /// is asked about. A tool that is not there is given none.
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

    /// Lets a moment pass between the word that lets a call of a tool run and its launch; the longest that is asked
    /// for counts.
    pub fn pause(&mut self, name: &str, ms: u64) {
        let mut entries = self.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| *entry.spec.card.name == *name) {
            entry.spec.card.pause_ms = entry.spec.card.pause_ms.max(ms);
        }
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        // A run has some dozens of tools at most: a scan is as fast as a map, and keeps the order.
        self.entries.iter().find(|entry| *entry.spec.card.name == *name)
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.entry(name).map(|entry| &entry.tool)
    }

    /// What the tool of this name is.
    pub fn spec(&self, name: &str) -> Option<&Spec> {
        self.entry(name).map(|entry| &entry.spec)
    }

    /// What the rules need to know of the tool of this name.
    pub fn facts(&self, name: &str) -> Option<ToolFacts> {
        self.spec(name).map(|spec| spec.facts.clone())
    }

    /// Hash of all that the model is told of the tool of this name: asked for at every decision, so it is
    /// made once.
    pub fn definition(&self, name: &str) -> Option<&Arc<str>> {
        self.entry(name).map(|entry| &entry.definition)
    }

    /// The compiled schema of the tool of this name.
    pub fn checker(&self, name: &str) -> Option<&Arc<Checker>> {
        self.entry(name).map(|entry| &entry.checker)
    }

    /// Everything wrong with an argument text; references fit everywhere while `resolved` is false.
    /// None for an unknown tool.
    pub fn check(&self, name: &str, args: &str, resolved: bool) -> Option<Vec<Fault>> {
        let checker = self.checker(name)?;
        Some(if resolved {
            checker.check(args)
        } else {
            checker.check_open(args)
        })
    }

    /// Names of tools that look like this one, best first.
    pub fn near(&self, name: &str) -> Vec<String> {
        schema::near(name, self.names())
    }

    /// Names of all tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.spec.card.name)
    }

    /// The tools, in order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.entries.iter().map(|entry| &entry.tool)
    }

    /// What the journal and the model are told of the tools, in order.
    pub fn cards(&self) -> Vec<ToolCard> {
        self.entries.iter().map(|entry| entry.spec.card.clone()).collect()
    }
}

fn definition(card: &ToolCard) -> String {
    crate::canon::hash(
        "overrule tool definition v1",
        &[
            card.name.as_bytes(),
            card.description.as_bytes(),
            card.schema.as_bytes(),
            card.effect.word().as_bytes(),
            card.tags.join("\n").as_bytes(),
        ],
    )
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
    use crate::tools::builtin;

    fn all() -> Registry {
        Registry::new(builtin::all(&builtin::Setup::default())).unwrap()
    }

    #[test]
    fn the_order_is_kept_and_every_tool_has_a_card() {
        let registry = all();
        let wanted = [
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
        assert_eq!(registry.names().collect::<Vec<_>>(), wanted);
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
    fn the_two_checks_differ_in_references_only() {
        let registry = all();
        let text = r#"{"path":"a","from_line":"†call.c1"}"#;
        assert_eq!(registry.check("read_file", text, false).unwrap(), []);
        assert_eq!(registry.check("read_file", text, true).unwrap().len(), 1);
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
