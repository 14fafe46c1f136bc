//! Compares what a server says of a call again with what it said before.
//!
//! Must not know: events, who decides.
//!
//! Some agents take a call from its pieces, others from its finished item or from the list at the end.

use super::decode::{TEXT_CALL, is_named, typed_args};
use crate::frame::Object;
use overrule_base::canon::canonical_text;

/// A call as far as the server sent it.
#[derive(Debug, Default)]
pub struct Told {
    ids: Vec<String>,
    tool: String,
    /// The arguments in the item as it began.
    begun: String,
    args: String,
}

/// Returns the name of the tool that an item calls.
pub fn tool_of(item: &Object<'_>) -> String {
    let kind = item.string("type").unwrap_or_default();
    if is_named(&kind) {
        item.string("name").unwrap_or_default().into_owned()
    } else {
        kind.into_owned()
    }
}

/// The arguments in an item; none where it has no member for them.
fn args_of(item: &Object<'_>) -> Option<String> {
    let text = |key: &str| item.string(key).map(String::from);
    match &*item.string("type").unwrap_or_default() {
        TEXT_CALL => text("input"),
        named if is_named(named) => text("arguments"),
        _ => Some(typed_args(item)),
    }
}

/// True for the same arguments, however they are written.
fn is_same(one: &str, other: &str) -> bool {
    let is_none = |text: &str| matches!(text.trim(), "" | "null" | "{}");
    let spelled = |text: &str| canonical_text(text).ok();
    one == other
        || is_none(one) && is_none(other)
        || spelled(one).is_some_and(|one| Some(one) == spelled(other))
}

impl Told {
    /// The call that an item begins.
    pub fn begun(item: &Object<'_>) -> Self {
        let is_named = item.string("type").is_some_and(|kind| is_named(&kind));
        let mut told = Self {
            tool: tool_of(item),
            begun: args_of(item).filter(|_| is_named).unwrap_or_default(),
            ..Self::default()
        };
        told.name(item);
        told
    }

    /// Adds the ids of an item.
    fn name(&mut self, item: &Object<'_>) {
        let ids = ["call_id", "id"].into_iter();
        self.ids
            .extend(ids.filter_map(|key| item.filled(key).map(String::from)));
    }

    /// Returns true if an item is about this call.
    pub fn is_of(&self, item: &Object<'_>) -> bool {
        let id = item.filled("call_id").or_else(|| item.filled("id"));
        id.is_some_and(|id| self.ids.iter().any(|one| *one == *id))
    }

    /// Adds a piece of the arguments.
    pub fn add(&mut self, piece: &str) {
        self.args.push_str(piece);
    }

    /// Takes the finished item. Returns false if it differs from what the server sent before.
    pub fn end(&mut self, item: &Object<'_>) -> bool {
        self.name(item);
        self.repeats(item) && (self.args.starts_with(&self.begun) || is_same(&self.begun, &self.args))
    }

    /// Returns true if an item says what was said before.
    pub fn repeats(&self, item: &Object<'_>) -> bool {
        tool_of(item) == self.tool && args_of(item).is_none_or(|args| self.has(&args))
    }

    /// Returns true for the arguments that came before.
    pub fn has(&self, args: &str) -> bool {
        is_same(args, &self.args)
    }

    /// Returns true for the name of its tool.
    pub fn calls(&self, tool: &str) -> bool {
        tool == self.tool
    }
}
