//! Asks the policy about a call with everything that is known of it, and which paths are read-only for it.
//!
//! Must not know: how a decision is made.

use std::path::Path;

use super::links::FollowedLinks;
use super::{Adviser, EXTERNAL, parse_args};
use crate::reader::LATE;
use overrule_domain::advice::{Advice, RuleUses};
use overrule_domain::sandbox::{ReadOnly, UNDOABLE};
use overrule_policy::read_only::ReadOnlyCall;
use overrule_policy::{FileFacts, Moment, Subject};

impl Adviser {
    /// Asks the policy about a call.
    pub(super) fn judged<T>(
        &self,
        (tool, args): (&str, &str),
        used: &RuleUses<'_>,
        links: &FollowedLinks<'_>,
        ask: impl FnOnce(&Subject<'_>, &Moment<'_>) -> T,
    ) -> T {
        let spec = self.registry.spec(tool);
        let key = || self.key(tool, args, links);
        let effect = Advice::effect(self, used.state(), tool, args);
        let reads = effect < self.effect_of(tool, args);
        let tags = spec.map_or(&[][..], |spec| &spec.card.tags);
        let tags: Vec<String> = tags
            .iter()
            .filter(|tag| !(reads && *tag == EXTERNAL))
            .cloned()
            .collect();
        let value = parse_args(args);
        let subject = Subject {
            tool,
            effect,
            tags: &tags,
            args: &value,
            server: spec.and_then(|spec| spec.card.server()),
            is_of_agent: spec.is_some_and(|spec| spec.card.is_of_agent()),
            sandbox: self.placement(tool, args),
        };
        let sandbox = self.sandbox_of(tool);
        let moment = Moment {
            now: self.now,
            used: Some(&|rule: &str| used.times(rule)),
            key: Some(&key),
            links: Some(&|path: &Path| links.real(path)),
            reads: Some(&|call: &ReadOnlyCall| self.reads(used.state(), (tool, args), call.clone())),
            files: Some(FileFacts {
                tracking: self.files.now(),
                profile: sandbox.profile(),
                is_searched: self.is_searched(),
            }),
        };
        ask(&subject, &moment)
    }

    /// Returns what a call cannot write if this rule allows it. An error says why the rule does not allow it now.
    pub(super) fn read_only_by(&self, rule: &str, (tool, args): (&str, &str)) -> Result<ReadOnly, String> {
        if rule != UNDOABLE {
            return Ok(ReadOnly::default());
        }
        let spec = self.registry.spec(tool);
        let value = parse_args(args);
        let subject = Subject {
            tool,
            effect: self.effect_of(tool, args),
            tags: spec.map_or(&[], |spec| &spec.card.tags),
            args: &value,
            server: spec.and_then(|spec| spec.card.server()),
            is_of_agent: spec.is_some_and(|spec| spec.card.is_of_agent()),
            sandbox: self.placement(tool, args),
        };
        let links = FollowedLinks::of(&self.reader, (tool, args));
        let sandbox = self.sandbox_of(tool);
        let moment = Moment {
            links: Some(&|path: &Path| links.real(path)),
            // No call of an agent has read-only paths, so that it does not matter where its shell is.
            reads: Some(&|call: &ReadOnlyCall| self.reads_from(true, (tool, args), call.clone())),
            files: Some(FileFacts {
                tracking: self.files.now(),
                profile: sandbox.profile(),
                is_searched: self.is_searched(),
            }),
            ..Moment::default()
        };
        let found = self.policy.read_only(&subject, &moment);
        if links.is_late() || self.reader.is_late(tool, args) {
            return Err(LATE.to_owned());
        }
        found.map_err(|cause| cause.to_string())
    }
    /// True if the sandbox knows every repository of the workspace that it protects. Without a sandbox nothing depends on it.
    fn is_searched(&self) -> bool {
        self.registry
            .sandbox()
            .is_none_or(|sandbox| sandbox.is_searched())
    }
}
