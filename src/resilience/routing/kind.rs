//! Tells the kind of a task by its words. What it says is recorded with each execution, so that other
//! words later do not change what was learnt. Must not know: who asks, languages beyond word lists.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Words of further kinds, by the kind.
pub type Kinds = BTreeMap<String, Vec<String>>;

/// The built-in kinds; where as many words speak for several, the first of them.
const BUILT_IN: &[(&str, &[&str])] = &[
    (
        "plan",
        &[
            "book",
            "schedule",
            "reserve",
            "calendar",
            "appointment",
            "meeting",
            "flight",
            "flights",
            "remind",
            "event",
            "trip",
        ],
    ),
    (
        "change",
        &[
            "fix",
            "write",
            "edit",
            "add",
            "implement",
            "refactor",
            "rename",
            "remove",
            "delete",
            "create",
            "update",
            "change",
            "replace",
            "migrate",
            "convert",
            "set",
            "correct",
            "repair",
        ],
    ),
    (
        "run",
        &[
            "run",
            "test",
            "tests",
            "build",
            "compile",
            "deploy",
            "install",
            "benchmark",
            "execute",
            "start",
        ],
    ),
    (
        "fetch",
        &[
            "fetch", "download", "upload", "request", "url", "http", "https", "api", "server", "post",
        ],
    ),
    (
        "look",
        &[
            "find",
            "search",
            "list",
            "look",
            "audit",
            "read",
            "show",
            "explain",
            "review",
            "check",
            "compare",
            "summarise",
            "summarize",
            "analyse",
            "analyze",
            "count",
            "what",
            "where",
            "which",
            "why",
            "how",
        ],
    ),
];

/// The kind of a task, told from its words; none where no word is known.
pub fn classify(text: &str, more: &Kinds) -> Option<Arc<str>> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let hits = |is_one: &dyn Fn(&str) -> bool| words.iter().filter(|word| is_one(word)).count();
    // What the operator added stands before the built-in kinds.
    let own = more.iter().map(|(kind, list)| {
        let is_one = |word: &str| list.iter().any(|one| one.to_lowercase() == word);
        (kind.as_str(), hits(&is_one))
    });
    let built_in = BUILT_IN
        .iter()
        .map(|(kind, list)| (*kind, hits(&|word| list.contains(&word))));
    let mut best: Option<(&str, usize)> = None;
    for (kind, hits) in own.chain(built_in) {
        if hits > best.map_or(0, |(_, most)| most) {
            best = Some((kind, hits));
        }
    }
    best.map(|(kind, _)| Arc::from(kind))
}

/// Prompts whose kind is kept: as many threads as are at work at a time.
const KEPT: usize = 16;

/// The kinds of the newest prompts. A prompt may be long, and its kind is asked for with every call that
/// is made for it: it is told from the words once.
#[derive(Debug, Default)]
pub struct Told {
    /// Words by which they were told.
    by: Kinds,
    prompts: VecDeque<(Box<str>, Option<Arc<str>>)>,
}

impl Told {
    /// As [`classify`].
    pub fn of(&mut self, prompt: &str, more: &Kinds) -> Option<Arc<str>> {
        if self.by != *more {
            self.by.clone_from(more);
            self.prompts.clear();
        }
        if let Some((_, kind)) = self.prompts.iter().find(|(known, _)| **known == *prompt) {
            return kind.clone();
        }
        let kind = classify(prompt, more);
        if self.prompts.len() == KEPT {
            self.prompts.pop_front();
        }
        self.prompts.push_back((prompt.into(), kind.clone()));
        kind
    }
}
