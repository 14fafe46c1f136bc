//! Derives the kind of a task from its text.
//!
//! Must not know: who asks, languages beyond word lists.
//!
//! The kind is recorded with each execution, so new word lists later do not change what was
//! learned.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Words of additional kinds, by kind.
pub type Kinds = BTreeMap<String, Vec<String>>;

/// The built-in kinds; if several have equally many words, the first counts.
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

/// Returns the kind of a task by its words, or `None` if no word is known.
pub fn classify(text: &str, more: &Kinds) -> Option<Arc<str>> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let hits = |is_one: &dyn Fn(&str) -> bool| words.iter().filter(|word| is_one(word)).count();
    // The operator's kinds come before the built-in ones.
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

/// Number of prompts whose kind is kept, enough for the threads at work at the same time.
const MAX_PROMPTS: usize = 16;

/// Caches the kinds of the newest prompts: a prompt may be long, and every call made for it needs
/// its kind.
#[derive(Debug, Default)]
pub struct KindCache {
    /// The additional words at the time.
    by: Kinds,
    prompts: VecDeque<(Box<str>, Option<Arc<str>>)>,
}

impl KindCache {
    /// Returns the same as [`classify`].
    pub fn of(&mut self, prompt: &str, more: &Kinds) -> Option<Arc<str>> {
        if self.by != *more {
            self.by.clone_from(more);
            self.prompts.clear();
        }
        if let Some((_, kind)) = self.prompts.iter().find(|(known, _)| **known == *prompt) {
            return kind.clone();
        }
        let kind = classify(prompt, more);
        if self.prompts.len() == MAX_PROMPTS {
            self.prompts.pop_front();
        }
        self.prompts.push_back((prompt.into(), kind.clone()));
        kind
    }
}
