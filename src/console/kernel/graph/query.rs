//! The search and filter language of the graph: words and `key:value` terms.
//!
//! Must not know: rows, where the text was typed.
//!
//! A term asks for a state, a tool, a kind or a turn. A node matches if all terms match.

use std::borrow::Cow;

use regex::Regex;

use crate::run::summary;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_domain::turn::{Stream, Turn};

/// Maximum length of the status text of a cancelled call, in characters.
const WORDS: usize = 100;

/// Whether a node is in a state.
type Is = fn(&State, NodeId) -> bool;

/// The states for `is:`.
const STATES: [(&str, Is); 9] = [
    ("waiting", |state, id| {
        status(state, id).is_some_and(Status::needs_operator)
    }),
    ("running", |state, id| {
        matches!(
            status(state, id),
            Some(Status::Running(_) | Status::Queued | Status::Ready)
        )
    }),
    ("failed", |state, id| {
        id.kind == NodeKind::Call && EffectiveStatus::of(state, id).is_some_and(EffectiveStatus::failed)
    }),
    ("refused", |state, id| {
        status(state, id) == Some(&Status::Rejected)
    }),
    ("blocked", |state, id| {
        matches!(
            status(state, id),
            Some(Status::Blocked | Status::Proposed | Status::Skipped)
        )
    }),
    ("ok", |state, id| {
        matches!(status(state, id), Some(Status::Succeeded | Status::Exited(_)))
    }),
    ("edited", |state, id| {
        id.kind == NodeKind::Intervention
            || state.node(id).is_some_and(|node| node.is_edited() || node.pinned)
    }),
    ("history", |state, id| {
        state.node(id).is_some_and(|node| !node.active)
    }),
    ("effect", |state, id| {
        id.kind == NodeKind::Call && state.calls.get(&id).is_some_and(|call| call.effect.has_effect())
    }),
];

fn status(state: &State, id: NodeId) -> Option<&Status> {
    match id.kind {
        // A superseded call does not wait, run or fail.
        NodeKind::Call => EffectiveStatus::of(state, id).and_then(EffectiveStatus::status),
        _ => None,
    }
}

/// Search words, case-insensitive. The whole text is searched, however long it is.
#[derive(Debug, Clone)]
struct Words {
    /// In small letters.
    text: String,
    regex: Regex,
}

impl Words {
    fn new(text: &str) -> Result<Self, String> {
        let text = text.to_lowercase();
        let regex = Regex::new(&format!("(?i){}", regex::escape(&text)));
        let regex = regex.map_err(|_| "the search text is too long".to_owned())?;
        Ok(Self { text, regex })
    }

    fn are_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Words {}

/// A term.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Term {
    /// Words in an id, a tool, arguments, a text or a result.
    Words(Words),
    /// A state, by its index in the list.
    Is(usize),
    /// Part of a tool's name.
    Tool(String),
    /// A kind of node.
    Kind(NodeKind),
    /// A turn by number.
    Turn(u32),
    /// The negation of a term.
    Not(Box<Term>),
}

/// A query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// As it was typed.
    pub text: String,
    terms: Vec<Term>,
}

impl Query {
    /// Parses a query. Quotation marks group words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let terms = split_terms(text)
            .iter()
            .map(|word| term(word))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            text: text.trim().to_owned(),
            terms,
        })
    }

    /// True for a query without terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// True if it searches for words: omitted parts of a stored result cannot match.
    pub fn is_for_words(&self) -> bool {
        fn has_words(term: &Term) -> bool {
            match term {
                Term::Words(_) => true,
                Term::Not(term) => has_words(term),
                _ => false,
            }
        }
        self.terms.iter().any(has_words)
    }

    /// True if a node matches.
    pub fn fits(&self, state: &State, id: NodeId) -> bool {
        self.fits_as_shown(state, id, &String::new)
    }

    /// True if a node matches; words are searched in the text of its row too.
    pub fn fits_as_shown(&self, state: &State, id: NodeId, shown: &dyn Fn() -> String) -> bool {
        let node = state.node(id);
        node.is_some_and(|node| self.terms.iter().all(|term| fits(state, node, term, shown)))
    }

    /// True if a turn with a broken stream matches: it failed, and waits for the operator.
    pub fn fits_broken(&self, turn: &Turn) -> bool {
        self.terms.iter().all(|term| fits_broken(turn, term))
    }
}

fn split_terms(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn term(word: &str) -> Result<Term, String> {
    if let Some(rest) = word.strip_prefix('!').filter(|rest| !rest.is_empty()) {
        return Ok(Term::Not(Box::new(term(rest)?)));
    }
    let plain = || Words::new(word).map(Term::Words);
    let Some((name, value)) = word.split_once(':') else {
        return plain();
    };
    let value = value.to_lowercase();
    Ok(match name {
        "is" => Term::Is(
            STATES
                .iter()
                .position(|(state, _)| *state == value)
                .ok_or_else(|| {
                    let known: Vec<&str> = STATES.iter().map(|(state, _)| *state).collect();
                    format!("`is:{value}` is not a state: {}", known.join(", "))
                })?,
        ),
        "tool" => Term::Tool(value),
        "kind" => Term::Kind(
            NodeKind::ALL
                .into_iter()
                .find(|kind| kind.label() == value)
                .ok_or_else(|| {
                    let known: Vec<&str> = NodeKind::ALL.iter().map(|kind| kind.label()).collect();
                    format!("`kind:{value}` is not a kind of node: {}", known.join(", "))
                })?,
        ),
        "turn" => Term::Turn(
            value
                .parse()
                .map_err(|_| format!("`turn:{value}` is not a turn: write its number"))?,
        ),
        _ => return plain(),
    })
}

fn fits(state: &State, node: &Node, term: &Term, shown: &dyn Fn() -> String) -> bool {
    match term {
        Term::Words(words) => {
            // An id means one node, not every row with its letters.
            let is_id = words.text.parse::<NodeId>().is_ok();
            text_matches(node, words) || (!is_id && words.are_in(&shown()))
        }
        Term::Is(at) => STATES.get(*at).is_some_and(|(_, is)| is(state, node.id)),
        Term::Tool(name) => node
            .as_call()
            .is_some_and(|(tool, _)| tool.to_lowercase().contains(name)),
        Term::Kind(kind) => node.id.kind == *kind,
        Term::Turn(turn) => node.turn.0 == *turn,
        Term::Not(term) => !fits(state, node, term, shown),
    }
}

fn fits_broken(turn: &Turn, term: &Term) -> bool {
    match term {
        Term::Words(requested) => {
            let why = match &turn.stream {
                Stream::Broken(fault) => {
                    requested.are_in(&fault.message) || requested.are_in(fault.kind.label())
                }
                _ => false,
            };
            why || requested.are_in(turn.more.open_text()) || turn.id.to_string() == requested.text
        }
        Term::Is(at) => STATES
            .get(*at)
            .is_some_and(|(name, _)| matches!(*name, "waiting" | "failed")),
        Term::Turn(no) => turn.id.0 == *no,
        Term::Tool(_) | Term::Kind(_) => false,
        Term::Not(term) => !fits_broken(turn, term),
    }
}

fn text_matches(node: &Node, requested: &Words) -> bool {
    node.id.to_string() == requested.text
        || requested.are_in(node.text())
        || node
            .as_call()
            .is_some_and(|(tool, args)| requested.are_in(tool) || requested.are_in(args))
        || node
            .outcome()
            .is_some_and(|outcome| requested.are_in(&outcome_text(outcome)))
}

/// Bytes of a result that were not stored.
pub fn unstored(outcome: &Outcome) -> u64 {
    match outcome {
        Outcome::Ok { discarded, .. } => *discarded,
        _ => 0,
    }
}

/// True for a result that was stored in part.
pub fn is_cut(state: &State, id: NodeId) -> bool {
    let outcome = state.node(id).and_then(Node::outcome);
    outcome.is_some_and(|outcome| unstored(outcome) > 0)
}

fn outcome_text(outcome: &Outcome) -> Cow<'_, str> {
    match outcome {
        Outcome::Ok { value, .. } => value.as_ref().into(),
        Outcome::Err(error) => format!("{}: {}", error.class.ending(), error.message).into(),
        Outcome::Cancelled { .. } => summary::result(outcome).raw(WORDS).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_parsed_and_mistakes_reported() {
        let query = Query::parse("  a \"b c\" is:failed !tool:Read ").unwrap();
        assert_eq!(query.text, "a \"b c\" is:failed !tool:Read");
        assert_eq!(
            query.terms,
            [
                Term::Words(Words::new("a").unwrap()),
                Term::Words(Words::new("b c").unwrap()),
                Term::Is(2),
                Term::Not(Box::new(Term::Tool("read".into()))),
            ]
        );
        assert_eq!(
            Query::parse("http://x !").unwrap().terms,
            [
                Term::Words(Words::new("http://x").unwrap()),
                Term::Words(Words::new("!").unwrap())
            ]
        );
        assert!(Query::parse(" \"\" ").unwrap().is_empty());
        let error = Query::parse("is:green").unwrap_err();
        assert!(error.contains("is:green") && error.contains("waiting"), "{error}");
        assert!(Query::parse("kind:cat").unwrap_err().contains("thought"));
        assert!(Query::parse("turn:x").unwrap_err().contains("number"));
    }
}
