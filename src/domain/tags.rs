//! What the tags of a tool mean for its calls.
//!
//! Must not know: who sets a tag, how a call is asked about.

use super::call::EffectClass;
use super::event::run::ToolCard;
use super::id::NodeId;
use super::state::State;

/// The tag of a tool whose effect cannot be reverted.
pub const IRREVERSIBLE: &str = "irreversible";

/// The tag of a tool whose calls do not say all that they do.
pub const UNINSPECTABLE: &str = "uninspectable";

/// The tag of a tool that waits for something: its repetition is no loop.
pub const WAITS: &str = "waits";

/// The tag of a tool whose result is what the operator answers.
pub const ASKS_OPERATOR: &str = "asks_operator";

/// What is known of a tool; nothing of one that the run does not have.
pub fn card<'s>(state: &'s State, tool: &str) -> Option<&'s ToolCard> {
    let mut cards = state.started.iter().flat_map(|started| &started.tools);
    cards.find(|card| *card.name == *tool)
}

/// The tags of a tool; none of one that the run does not have.
pub fn of<'s>(state: &'s State, tool: &str) -> &'s [String] {
    card(state, tool).map_or(&[], |card| &card.tags)
}

/// What a call of a tool with these arguments can do to the world; anything where the run does not have the tool.
pub fn effect(state: &State, tool: &str, args: &str) -> EffectClass {
    card(state, tool).map_or(EffectClass::Unknown, |card| card.effect_of(args))
}

/// Whether what a tool does cannot be undone.
pub fn is_irreversible(state: &State, tool: &str) -> bool {
    of(state, tool).iter().any(|tag| tag == IRREVERSIBLE)
}

/// True for a call whose result only the operator can give.
pub fn asks_operator(state: &State, call: NodeId) -> bool {
    let call_content = state.nodes.get(&call).and_then(|node| node.as_call());
    call_content.is_some_and(|(tool, _)| of(state, tool).iter().any(|tag| tag == ASKS_OPERATOR))
}

/// What the approval of a call has to name, so that every approval is informed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation<'s> {
    /// The tool: its effect cannot be undone.
    Tool(&'s str),
    /// The hash of its server's definitions: they changed since they were accepted.
    Definitions {
        /// The server.
        server: &'s str,
        /// The hash.
        hash: &'s str,
        /// The tool, which has to be named first if its effect cannot be undone.
        tool: Option<&'s str>,
    },
}

impl Confirmation<'_> {
    /// Characters of a hash that are enough to name it.
    const ENOUGH: usize = 8;

    /// The word to type: the name of the tool, the beginning of the hash, or both with a blank between them.
    pub fn word(&self) -> String {
        match self {
            Self::Tool(tool) => (*tool).to_owned(),
            Self::Definitions { hash, tool, .. } => {
                let hash = hash.get(..Self::ENOUGH).unwrap_or(hash);
                tool.map_or_else(|| hash.to_owned(), |tool| format!("{tool} {hash}"))
            }
        }
    }

    /// Returns true if a word names it. More of the hash than its beginning is right, too.
    pub fn is_named(&self, word: Option<&str>) -> bool {
        let Some(word) = word else {
            return false;
        };
        match self {
            Self::Tool(tool) => *tool == word,
            Self::Definitions { hash, tool, .. } => {
                let of_hash = match tool {
                    None => Some(word),
                    Some(tool) => word.strip_prefix(tool).and_then(|rest| rest.strip_prefix(' ')),
                };
                of_hash.is_some_and(|word| {
                    word.len() >= Self::ENOUGH.min(hash.len()) && !word.is_empty() && hash.starts_with(word)
                })
            }
        }
    }
}

/// Returns what the approval of a call has to name; none for most calls.
pub fn confirmation(state: &State, call: NodeId) -> Option<Confirmation<'_>> {
    let (tool, _) = state.nodes.get(&call)?.as_call()?;
    confirmation_of(state, tool)
}

/// Returns what the approval of any call of a tool has to name.
pub fn confirmation_of<'s>(state: &'s State, tool: &'s str) -> Option<Confirmation<'s>> {
    let irreversible = is_irreversible(state, tool).then_some(tool);
    let card = card(state, tool);
    match card.and_then(|card| Some((card, card.changed_definitions()?))) {
        Some((card, hash)) => Some(Confirmation::Definitions {
            server: card.server().unwrap_or_default(),
            hash,
            tool: irreversible,
        }),
        None => irreversible.map(Confirmation::Tool),
    }
}
