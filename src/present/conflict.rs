//! Builds the view of a write conflict: which calls of a turn write one path of the state, and which value counts.
//!
//! Must not know: how it is printed, which verbs there are.

use std::borrow::Cow;

use serde::Serialize;

use overrule_base::text::{redact, visible, visible_head};
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::ready::{self, WriteConflict};
use overrule_domain::state::State;
use overrule_domain::thread;

/// Maximum characters of a value.
const VALUE: usize = 120;
/// Maximum characters of a value in a line with others.
const IN_LINE: usize = 48;
/// Characters of a value that are searched for secrets; more than the shown part and a secret at its end.
const SEARCHED: usize = 8 * 1024;
/// Maximum characters of the name of a tool.
const TOOL: usize = 40;

/// A write conflict of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WriteConflictView<'s> {
    /// The conflict.
    pub write_conflict: ConflictView<'s>,
}

/// Calls of one turn that write one path of the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConflictView<'s> {
    /// The path, as it is written in arguments.
    pub path: String,
    /// The calls whose sub-agent writes it, from the outside in; empty for the run itself.
    pub agents: Vec<NodeId>,
    /// The write whose value readers get: the last one. None while none has ended.
    pub shown: Option<WriteView<'s>>,
    /// The other writes, in their order; those to come are at the end.
    pub others: Vec<WriteView<'s>>,
    /// Calls that have not ended and read the path.
    pub readers: Vec<NodeId>,
    /// The verbs that end it.
    pub verbs: &'static [&'static str],
}

/// The write of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WriteView<'s> {
    /// The call.
    pub call: NodeId,
    /// Its tool.
    pub tool: &'s str,
    /// Its status.
    pub status: &'static str,
    /// What it wrote: visible form, without secrets, cut. None if it has not ended.
    pub value: Option<String>,
    /// True if it wrote the value that is shown.
    pub same: bool,
}

/// What ends a conflict: an edit of the place (`_out`) of a writer, or its deletion.
const VERBS: &[&str] = &["edit", "delete"];

impl<'s> ConflictView<'s> {
    /// Lists the conflicts of a run.
    pub fn all(state: &'s State) -> Vec<Self> {
        let found = ready::conflicts(state).into_iter();
        found.map(|conflict| Self::of(state, conflict)).collect()
    }

    /// Lists the conflicts of a run that a call takes part in.
    pub fn of_call(state: &'s State, call: NodeId) -> Vec<Self> {
        if ready::write_conflicts(state, call).is_empty() {
            return Vec::new();
        }
        let own = |conflict: &WriteConflict| conflict.writers.contains(&call);
        let found = ready::conflicts(state).into_iter().filter(own);
        found.map(|conflict| Self::of(state, conflict)).collect()
    }

    fn of(state: &'s State, conflict: WriteConflict) -> Self {
        let shown = conflict.shown.and_then(|id| ready::written_value(state, id));
        let write = |id: NodeId| WriteView::of(state, id, shown.as_deref());
        let first = conflict.writers.first();
        let others = conflict.writers.iter().filter(|id| Some(**id) != conflict.shown);
        Self {
            path: conflict.path(),
            agents: first.map(|id| thread::path(state, *id)).unwrap_or_default(),
            shown: conflict.shown.map(write),
            others: others.copied().map(write).collect(),
            readers: conflict.readers,
            verbs: VERBS,
        }
    }

    /// The conflict in one line. Visible form.
    pub fn describe(&self) -> String {
        let path = visible_head(&self.path, VALUE);
        let agent = match self.agents.as_slice() {
            [] => String::new(),
            agents => {
                let names: Vec<String> = agents.iter().map(NodeId::to_string).collect();
                format!(" (sub-agent of {})", names.join(" > "))
            }
        };
        let writers = self.shown.iter().chain(&self.others);
        let mut writers: Vec<NodeId> = writers.map(|one| one.call).collect();
        writers.sort_unstable();
        let writers: Vec<String> = writers.iter().map(NodeId::to_string).collect();
        let (done, to_come): (Vec<_>, Vec<_>) = self.others.iter().partition(|one| one.value.is_some());
        let mut parts = Vec::new();
        if let Some(shown) = &self.shown {
            let (value, name) = (shown.in_line(), shown.name());
            parts.push(format!("{value} of {name} is shown, the last write wins"));
        }
        parts.extend(done.iter().map(|one| {
            let what = if one.same {
                "the same".to_owned()
            } else {
                one.in_line()
            };
            format!("{} wrote {what}", one.name())
        }));
        let too = if self.shown.is_some() { " too" } else { "" };
        parts.extend((to_come.iter()).map(|one| format!("{} ({}) writes it{too}", one.name(), one.status)));
        if !self.readers.is_empty() {
            let names: Vec<String> = self.readers.iter().map(NodeId::to_string).collect();
            let verb = if names.len() == 1 { "waits" } else { "wait" };
            parts.push(format!("{} {verb} to read it", names.join(", ")));
        }
        format!(
            "write conflict on {path}{agent} by {}: {}",
            writers.join(", "),
            parts.join("; ")
        )
    }
}

impl<'s> WriteView<'s> {
    fn of(state: &'s State, call: NodeId, shown: Option<&str>) -> Self {
        let tool = state.nodes.get(&call).and_then(Node::as_call);
        let status = state.calls.get(&call).map(|call| call.status.base_label());
        let value = ready::written_value(state, call);
        Self {
            call,
            tool: tool.map_or("", |(tool, _)| tool),
            status: status.unwrap_or_default(),
            same: value.is_some() && value.as_deref() == shown,
            value: value.map(|value| short(&value)),
        }
    }

    /// The beginning of the value, for a line with others.
    fn in_line(&self) -> String {
        let value = self.value.as_deref().unwrap_or_default();
        match value.char_indices().nth(IN_LINE) {
            Some((at, _)) => format!("{}…", value.get(..at).unwrap_or_default()),
            None => value.to_owned(),
        }
    }

    /// The call with its tool. Visible form.
    fn name(&self) -> String {
        format!("{} {}", self.call, visible_head(self.tool, TOOL))
    }
}

/// The beginning of a value, in one line.
fn short(value: &str) -> String {
    let text: Cow<'_, str> = match value.char_indices().nth(SEARCHED) {
        Some((at, _)) => Cow::Borrowed(value.get(..at).unwrap_or_default()),
        None => Cow::Borrowed(value),
    };
    let clean = redact(&text);
    match clean.char_indices().nth(VALUE) {
        Some((at, _)) => format!("{}…", visible(clean.get(..at).unwrap_or_default())),
        None => visible(&clean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(call: &str, value: Option<&str>, same: bool) -> WriteView<'static> {
        WriteView {
            call: call.parse().expect("an id"),
            tool: "read_\u{202e}file",
            status: if value.is_some() {
                "succeeded"
            } else {
                "awaiting approval"
            },
            value: value.map(str::to_owned),
            same,
        }
    }

    fn view(shown: Option<WriteView<'static>>, others: Vec<WriteView<'static>>) -> ConflictView<'static> {
        ConflictView {
            path: "†state.plan".to_owned(),
            agents: Vec::new(),
            shown,
            others,
            readers: Vec::new(),
            verbs: VERBS,
        }
    }

    #[test]
    fn a_line_says_what_is_shown_who_wrote_what_else_and_what_waits() {
        let tool = "read_⟨U+202E⟩file";
        let shown = write("c4", Some("1"), true);
        let others = vec![
            write("c3", Some("2"), false),
            write("c5", Some("1"), true),
            write("c6", None, false),
        ];
        let mut all = view(Some(shown), others);
        all.agents = vec!["c1".parse().unwrap(), "c2".parse().unwrap()];
        all.readers = vec!["c7".parse().unwrap(), "c8".parse().unwrap()];
        let words = format!(
            "write conflict on †state.plan (sub-agent of c1 > c2) by c3, c4, c5, c6: 1 of c4 {tool} is shown, the last write wins; \
             c3 {tool} wrote 2; c5 {tool} wrote the same; c6 {tool} (awaiting approval) writes it too; \
             c7, c8 wait to read it"
        );
        assert_eq!(all.describe(), words);
        let none = view(None, vec![write("c3", None, false), write("c4", None, false)]);
        let words = format!(
            "write conflict on †state.plan by c3, c4: c3 {tool} (awaiting approval) writes it; \
             c4 {tool} (awaiting approval) writes it"
        );
        assert_eq!(none.describe(), words);
    }

    #[test]
    fn a_value_is_shown_without_secrets_hidden_characters_and_its_end() {
        let key = format!("sk-{}", "a1".repeat(20));
        let shown = short(&format!("{{\"key\":\"{key}\",\"text\":\"\u{202e}\n\"}}"));
        assert!(
            shown.contains("[redacted 43 bytes]") && !shown.contains("a1a1"),
            "{shown}"
        );
        assert!(
            shown.contains("⟨U+202E⟩") && !shown.contains('\u{202e}') && !shown.contains('\n'),
            "{shown}"
        );
        let huge = format!("\"{}{key}\"", "ä".repeat(5_000_000));
        assert_eq!(short(&huge), format!("\"{}…", "ä".repeat(VALUE - 1)));
        // A secret that the cut goes through is no less a secret.
        let cut = short(&format!("\"{} {key}\"", "b".repeat(VALUE - 6)));
        assert!(!cut.contains("sk-"), "{cut}");
    }
}
