//! The value of an expression, once statuses say that it may be there. Must not know: who waits.

use serde_json::Value;

use super::{Found, Progress, View, descend, ended};
use crate::domain::call::{Binding, Outcome};
use crate::domain::id::{NodeId, Rev};
use crate::domain::reference::{Expr, Root, Target};
use crate::domain::thread;

impl View<'_> {
    pub(super) fn evaluate(&self, expr: &Expr) -> Found {
        match expr {
            Expr::Read(target) => self.read(target),
            Expr::Fallback(parts) => {
                let mut last = String::from("an empty fallback");
                for part in parts {
                    match self.evaluate(part) {
                        Found::Never(because) => last = because,
                        found => return found,
                    }
                }
                Found::Never(last)
            }
            Expr::All(parts) => {
                let mut bindings = Vec::new();
                let mut value = Value::Null;
                let mut pending = false;
                for part in parts {
                    match self.evaluate(part) {
                        Found::Value(bound, read) => {
                            bindings.extend(bound);
                            value = read;
                        }
                        Found::Pending => pending = true,
                        Found::Never(because) => return Found::Never(because),
                    }
                }
                if pending {
                    Found::Pending
                } else {
                    Found::Value(bindings, value)
                }
            }
        }
    }

    fn read(&self, target: &Target) -> Found {
        match target.root {
            Root::Input => self.read_input(target),
            Root::Call => match self.holder(&target.head) {
                Some(source) => self.read_call(target, source),
                None if !self.at_rest => Found::Pending,
                None if *target.head == *self.reader.label => {
                    Found::Never(format!("it waits for itself: †{target} is its own result"))
                }
                None => Found::Never(format!("nothing writes †{target}")),
            },
            Root::State => self.read_state(target),
        }
    }

    fn read_input(&self, target: &Target) -> Found {
        if thread::of(self.state, self.reader.id) != thread::ROOT {
            return Found::Never(format!(
                "a sub-agent reads no †{target}: what it needs of it stands in its task"
            ));
        }
        let text = self
            .state
            .started
            .as_ref()
            .map_or("null", |started| &*started.input);
        let input: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let path = std::iter::once(&target.head)
            .filter(|head| !head.is_empty())
            .chain(&target.path);
        match descend(&input, path) {
            Some(value) if !value.is_null() => {
                let bound = Binding {
                    reference: target.to_string(),
                    source: None,
                    rev: Rev(0),
                };
                Found::Value(vec![bound], value.clone())
            }
            _ => Found::Never(format!("the session's input has no `{target}`")),
        }
    }

    fn read_call(&self, target: &Target, source: NodeId) -> Found {
        let node = match self.progress(source) {
            Progress::Value(node) => node,
            Progress::Pending => return Found::Pending,
            Progress::Never(call) => return Found::Never(ended(call)),
        };
        let Some(Outcome::Ok {
            value,
            meta,
            discarded,
            ..
        }) = node.outcome()
        else {
            return Found::Pending;
        };
        if *discarded > 0 {
            return Found::Never(format!(
                "the result of {source} was cut ({discarded} bytes were not kept), so it cannot be passed on whole"
            ));
        }
        let bound = || {
            vec![Binding {
                reference: target.to_string(),
                source: Some(source),
                rev: node.rev(),
            }]
        };
        let parsed: Value = serde_json::from_str(value).unwrap_or(Value::Null);
        if let Some(found) = descend(&parsed, target.path.iter()) {
            return Found::Value(bound(), found.clone());
        }
        if target.path.first().is_some_and(|first| first == "meta")
            && let Some(meta) = meta
        {
            let meta: Value = serde_json::from_str(meta).unwrap_or(Value::Null);
            if let Some(found) = descend(&meta, target.path.iter().skip(1)) {
                return Found::Value(bound(), found.clone());
            }
        }
        Found::Never(format!(
            "the result of {source} has no `{}`",
            target.path.join(".")
        ))
    }
}
