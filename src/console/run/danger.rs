//! The marks of danger of calls, found once for each revision.
//!
//! Must not know: how a mark is drawn.

use std::collections::BTreeMap;

use crate::run::part::{LookResult, RunPart};
use crate::run::readable::{replaces_file, writes_file};
use overrule_domain::call::Digest;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::node::Node;
use overrule_domain::ready;
use overrule_policy::DangerMark;
use overrule_present::danger;

/// The marks of the calls on screen, by what they are about.
#[derive(Debug, Clone, Default)]
pub struct KnownMarks(BTreeMap<NodeId, (Rev, Option<Digest>, Vec<DangerMark>)>);

impl RunPart {
    /// What is dangerous about a call: by the table in force, and by a look at the file that it would replace.
    pub fn danger_of(&self, id: NodeId) -> Vec<DangerMark> {
        let known = self.key_of(id).and_then(|(rev, digest)| {
            let (of, its, marks) = self.known_marks.0.get(&id)?;
            (*of == rev && *its == digest).then(|| marks.clone())
        });
        let mut marks = known.unwrap_or_else(|| self.marks_by_table(id));
        let tool = self.state.node(id).and_then(Node::as_call).map(|(tool, _)| tool);
        let base = self.looked_at(id).and_then(|found| found.base.as_deref());
        if tool.is_some_and(|tool| replaces_file(tool, base)) {
            danger::add_overwrite(&mut marks);
        }
        marks
    }

    /// True for a call that replaces a whole file, if nobody has looked yet whether there is one.
    pub fn may_overwrite(&self, id: NodeId) -> bool {
        let tool = self.state.node(id).and_then(Node::as_call).map(|(tool, _)| tool);
        tool.is_some_and(|tool| writes_file(tool)) && self.looked_at(id).is_none()
    }

    /// Finds the marks of the calls on screen where they are not known, and forgets those of others.
    pub fn renew_marks(&mut self, calls: &[NodeId]) {
        let mut before = std::mem::take(&mut self.known_marks.0);
        for id in calls {
            let Some((rev, digest)) = self.key_of(*id) else {
                continue;
            };
            let known = before
                .remove(id)
                .filter(|(of, its, _)| *of == rev && *its == digest);
            let known = known.unwrap_or_else(|| (rev, digest, self.marks_by_table(*id)));
            self.known_marks.0.insert(*id, known);
        }
    }

    /// What exactly this call would replace; none if that is not known, or was found for other bytes.
    pub fn looked_at(&self, id: NodeId) -> Option<&LookResult> {
        let (look, found) = self.looked.as_ref()?;
        let is_its = look.call == id && self.key_of(id) == Some((look.rev, look.digest.clone()));
        found.as_ref().filter(|_| is_its)
    }

    fn key_of(&self, id: NodeId) -> Option<(Rev, Option<Digest>)> {
        let (node, call) = (self.state.node(id)?, self.state.call(id)?);
        Some((node.rev(), call.digest.clone()))
    }

    fn marks_by_table(&self, id: NodeId) -> Vec<DangerMark> {
        let node = self.state.node(id).and_then(Node::as_call);
        let (Some((tool, args)), Some(call)) = (node, self.state.call(id)) else {
            return Vec::new();
        };
        let resolved = ready::resolved_args(&self.state, call);
        danger::marks(
            &self.danger,
            &self.state,
            tool,
            resolved.as_deref().unwrap_or(args),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Stage, id};

    #[test]
    fn marks_are_found_once_for_a_revision() {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.awaiting("c3", "shell", r#"{"command":"rm a"}"#);
        let run = &mut stage.model.run;
        run.renew_marks(&[id("c3")]);
        let first = run.known_marks.0[&id("c3")].2.as_ptr();
        run.renew_marks(&[id("c3")]);
        assert_eq!(run.known_marks.0[&id("c3")].2.as_ptr(), first);
        assert_eq!(run.danger_of(id("c3"))[0].because, "rm");
        run.renew_marks(&[]);
        assert!(run.known_marks.0.is_empty());
        assert_eq!(run.danger_of(id("c3"))[0].because, "rm", "also off the screen");
    }
}
