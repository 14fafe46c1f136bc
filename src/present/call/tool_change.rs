//! Builds the view of how the definition of a waiting call's tool changed.
//!
//! Must not know: what else waits, how a difference is shown.
//!
//! It compares with the definition when the call was written, and when a call of the tool was last approved.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use overrule_base::text::{visible, visible_lines};
use overrule_domain::call::EffectClass;
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::state::State;
use overrule_domain::tool_change;

/// How the definition of a tool changed; a part is absent if it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolChangeView<'s> {
    /// The event that changed it.
    pub since: Seq,
    /// What its calls can do to the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<ChangeView<EffectClass>>,
    /// Its tags, in their visible form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<ChangeView<Vec<String>>>,
    /// What it does, as the model reads it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lines")]
    pub description: Option<ChangeView<&'s Arc<str>>>,
    /// The schema of its arguments, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lines")]
    pub schema: Option<ChangeView<&'s Arc<str>>>,
    /// The changes of what it can do and how it is approved, as text. Contains untrusted text.
    #[serde(skip)]
    pub raised: Vec<String>,
}

/// A value before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ChangeView<T> {
    /// Before.
    pub old: T,
    /// Now.
    pub new: T,
}

#[expect(clippy::ref_option, reason = "the form that serde asks for")]
fn lines<S: Serializer>(change: &Option<ChangeView<&Arc<str>>>, to: S) -> Result<S::Ok, S::Error> {
    let shown = |text: &str| visible_lines(text).join("\n");
    let change = change.map(|ChangeView { old, new }| ChangeView {
        old: shown(old),
        new: shown(new),
    });
    change.serialize(to)
}

fn changed<T: PartialEq>(old: T, new: T) -> Option<ChangeView<T>> {
    (old != new).then_some(ChangeView { old, new })
}

impl<'s> ToolChangeView<'s> {
    /// Builds the view; `None` if the tool of the call is unchanged.
    pub fn of(state: &'s State, call: NodeId) -> Option<Self> {
        let (then, now) = tool_change::both(state, call)?;
        let was = &then.card;
        let tags = |tags: &[String]| -> Vec<String> { tags.iter().map(|tag| visible(tag)).collect() };
        Some(Self {
            since: then.until,
            effect: changed(was.effect, now.effect),
            tags: changed(&was.tags, &now.tags).map(|change| ChangeView {
                old: tags(change.old),
                new: tags(change.new),
            }),
            description: changed(&was.description, &now.description),
            schema: changed(&was.schema, &now.schema),
            raised: tool_change::raised(was, now),
        })
    }

    /// The texts that changed, each with the name of the part.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, ChangeView<&'s Arc<str>>)> {
        let parts = [("description", self.description), ("schema", self.schema)];
        parts
            .into_iter()
            .filter_map(|(name, change)| Some((name, change?)))
    }
}
