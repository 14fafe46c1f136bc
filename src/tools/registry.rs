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
mod tests;
