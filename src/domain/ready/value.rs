//! The value of an expression, once statuses say that it may be there.
//!
//! Must not know: who waits.

use serde_json::Value;

use super::{Evaluation, Progress, View, descend, ended};
use crate::call::{Binding, Outcome};
use crate::id::{NodeId, Rev};
use crate::reference::{Expr, Root, Target};
use crate::thread;

impl View<'_> {
    pub(super) fn evaluate(&self, expr: &Expr) -> Evaluation {
        match expr {
            Expr::Read(target) => self.read(target),
            Expr::Fallback(parts) => {
                let mut last = String::from("an empty fallback");
                for part in parts {
                    match self.evaluate(part) {
                        Evaluation::Never(because) => last = because,
                        found => return found,
                    }
                }
                Evaluation::Never(last)
            }
            Expr::All(parts) => {
                let mut bindings = Vec::new();
                let mut value = Value::Null;
                let mut pending = false;
                for part in parts {
                    match self.evaluate(part) {
                        Evaluation::Value(bound, read) => {
                            bindings.extend(bound);
                            value = read;
                        }
                        Evaluation::Pending => pending = true,
                        Evaluation::Never(because) => return Evaluation::Never(because),
                    }
                }
                if pending {
                    Evaluation::Pending
                } else {
                    Evaluation::Value(bindings, value)
                }
            }
        }
    }

    fn read(&self, target: &Target) -> Evaluation {
        match target.root {
            Root::Input => self.read_input(target),
            Root::Call => match self.holder(&target.head) {
                Some(source) => self.read_call(target, source),
                None if !self.at_rest => Evaluation::Pending,
                None if *target.head == *self.reader.label => {
                    Evaluation::Never(format!("it waits for itself: †{target} is its own result"))
                }
                None => Evaluation::Never(format!("nothing writes †{target}")),
            },
            Root::State => self.read_state(target),
        }
    }

    fn read_input(&self, target: &Target) -> Evaluation {
        if thread::of(self.state, self.reader.id) != thread::ROOT {
            return Evaluation::Never(format!(
                "a sub-agent cannot read †{target}: its task must contain the value"
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
                Evaluation::Value(vec![bound], value.clone())
            }
            _ => Evaluation::Never(format!("the session's input has no `{target}`")),
        }
    }

    fn read_call(&self, target: &Target, source: NodeId) -> Evaluation {
        let node = match self.progress(source) {
            Progress::Value(node) => node,
            Progress::Pending => return Evaluation::Pending,
            Progress::Never(call) => return Evaluation::Never(ended(call)),
        };
        let Some(Outcome::Ok {
            value,
            meta,
            discarded,
            ..
        }) = node.outcome()
        else {
            return Evaluation::Pending;
        };
        if *discarded > 0 {
            return Evaluation::Never(format!(
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
            return Evaluation::Value(bound(), found.clone());
        }
        if target.path.first().is_some_and(|first| first == "meta")
            && let Some(meta) = meta
        {
            let meta: Value = serde_json::from_str(meta).unwrap_or(Value::Null);
            if let Some(found) = descend(&meta, target.path.iter().skip(1)) {
                return Evaluation::Value(bound(), found.clone());
            }
        }
        Evaluation::Never(format!(
            "the result of {source} has no `{}`",
            target.path.join(".")
        ))
    }
}
