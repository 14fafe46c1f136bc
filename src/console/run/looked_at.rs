//! Answers the questions of a plan: about tools from the record, about files from what was looked up.
//!
//! Must not know: how a file is looked up, what is planned.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use overrule_domain::advice::{Advice, Cards, RuleUses, ToolFacts};
use overrule_domain::breaker::{Breaker, Scope, Turn};
use overrule_domain::call::{Call, Digest, EffectClass, Fault, Operand, Verdict};
use overrule_domain::files::{FilePath, FileState, Looked};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::ladder::Next;
use overrule_domain::rule::{RuleSpec, SessionRule};
use overrule_domain::sandbox::Widening;
use overrule_domain::state::State;

/// The record of the run, with the states of some paths.
#[derive(Debug, Clone)]
pub struct LookedAt<'s> {
    cards: Cards<'s>,
    states: BTreeMap<&'s FilePath, &'s FileState>,
    lost: &'s BTreeSet<String>,
}

static NONE_LOST: BTreeSet<String> = BTreeSet::new();

impl<'s> LookedAt<'s> {
    /// With what was found of each of these paths. Any other path was not looked at.
    pub fn new(state: &'s State, paths: &'s [FilePath], found: &'s Looked) -> Self {
        Self {
            cards: Cards(state),
            states: paths.iter().zip(&found.states).collect(),
            lost: &found.lost,
        }
    }

    /// Nothing was looked at.
    pub fn nothing(state: &'s State) -> Self {
        Self {
            cards: Cards(state),
            states: BTreeMap::new(),
            lost: &NONE_LOST,
        }
    }
}

impl Advice for LookedAt<'_> {
    fn look_at_files(&self, paths: &[FilePath], contents: &[&str]) -> Result<Looked, String> {
        let not_looked_at = FileState::Unsaved {
            why: "not looked at".to_owned(),
            size: 0,
            mtime: 0,
        };
        let states = paths.iter().map(|path| match self.states.get(path) {
            Some(known) => (*known).clone(),
            None => not_looked_at.clone(),
        });
        let lost = contents.iter().filter(|hash| self.lost.contains(**hash));
        Ok(Looked {
            states: states.collect(),
            lost: lost.map(|hash| (*hash).to_owned()).collect(),
        })
    }

    fn tool(&self, name: &str) -> Option<ToolFacts> {
        self.cards.tool(name)
    }

    fn effect(&self, state: &State, tool: &str, args: &str) -> EffectClass {
        self.cards.effect(state, tool, args)
    }

    fn near(&self, name: &str) -> Vec<String> {
        self.cards.near(name)
    }

    fn check(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        self.cards.check(tool, args, resolved)
    }

    fn verdict(&self, tool: &str, args: &str, used: &RuleUses<'_>) -> Verdict {
        self.cards.verdict(tool, args, used)
    }

    fn exact(&self, tool: &str, args: &str) -> Result<Arc<str>, String> {
        self.cards.exact(tool, args)
    }

    fn with_rule(&self, no: u32, rule: &RuleSpec) -> Result<Box<dyn Advice + '_>, String> {
        self.cards.with_rule(no, rule)
    }

    fn with_policy(&self, policy: &str) -> Result<Box<dyn Advice + '_>, String> {
        self.cards.with_policy(policy)
    }

    fn with_rules(&self, rules: &[SessionRule]) -> Box<dyn Advice + '_> {
        self.cards.with_rules(rules)
    }

    fn with_sandbox(&self, by: &[Widening]) -> Box<dyn Advice + '_> {
        self.cards.with_sandbox(by)
    }

    fn digest(&self, call: NodeId, rev: Rev, what: (&str, &str), operands: &[Operand]) -> Digest {
        self.cards.digest(call, rev, what, operands)
    }

    fn resource(&self, tool: &str, args: &str) -> Option<String> {
        self.cards.resource(tool, args)
    }

    fn after(&self, state: &State, call: &Call) -> Next {
        self.cards.after(state, call)
    }

    fn guards(&self, tool: &str, args: &str) -> Vec<Scope> {
        self.cards.guards(tool, args)
    }

    fn breaker(&self, breaker: &Breaker) -> Option<Turn> {
        self.cards.breaker(breaker)
    }

    fn fails_fast(&self) -> bool {
        self.cards.fails_fast()
    }

    fn configured(&self, key: &str, value: &str) -> Result<Arc<str>, String> {
        self.cards.configured(key, value)
    }

    fn before(&self, tool: &str, args: &str) -> Option<String> {
        self.cards.before(tool, args)
    }
}
