//! Finds the rule for a request and computes its texts and calls.
//!
//! Must not know: streams, pacing.
//!
//! The result depends on the request and the playbook alone.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::pattern::Pattern;
use super::playbook::{Arg, CallRule, Failure, Playbook, Rule, When};
use super::scope::Scope;
use super::template::Fault;
use super::view::{Call, View};

/// What the model is about to stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub blocks: Vec<Block>,
    pub calls: bool,
    pub fail: Option<Failure>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Reasoning.
    Reasoning(String),
    /// Plain text.
    Text(String),
    /// A call.
    Call {
        /// The tool.
        tool: String,
        /// The argument text.
        args: String,
    },
}

/// Why there is nothing to stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoScript {
    /// No rule matches.
    NoRule,
    /// A template cannot be rendered.
    Fault(Fault),
}

impl From<Fault> for NoScript {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Finds the first matching rule and renders it.
pub fn script(playbook: &Playbook, view: &Arc<View>) -> Result<Script, NoScript> {
    let request = Scope::new(playbook, view)?;
    for rule in &playbook.rules {
        let mut scope = request.clone();
        if !scope.holds(&rule.when)? {
            continue;
        }
        let script = scope.render_rule(rule);
        if rule.once
            && script
                .as_ref()
                .is_ok_and(|script| already(rule, script, view, &scope))
        {
            continue;
        }
        return Ok(script?);
    }
    Err(NoScript::NoRule)
}

/// Returns true if the context shows that the rule was followed before: by the labels of its calls
/// or, without any labelled call, by its text.
fn already(rule: &Rule, script: &Script, view: &View, scope: &Scope) -> bool {
    let labels: Vec<String> = rule
        .calls
        .iter()
        .filter_map(|call| scope.text(call.label.as_ref()?).ok())
        .collect();
    if !labels.is_empty() {
        return view.calls.iter().any(|call| labels.contains(&call.label));
    }
    script.blocks.iter().any(|block| match block {
        Block::Text(text) | Block::Reasoning(text) => view.texts.contains(text),
        Block::Call { .. } => false,
    })
}

impl Scope {
    fn holds(&mut self, when: &When) -> Result<bool, Fault> {
        let view = Arc::clone(&self.view);
        let newest: Vec<_> = view.newest().collect();
        let any = |names: &[Pattern], requested: &dyn Fn(&Call) -> bool| {
            names.iter().all(|name| {
                let named = |call: &&Call| name.is_match(&call.label) || name.is_match(&call.tool);
                view.calls.iter().filter(named).any(requested)
            })
        };
        let plain = (when.turn.is_empty() || when.turn.contains(&view.turn))
            && when.tools.is_none_or(|tools| tools == view.tools)
            && (when.last_tool.is_empty()
                || newest
                    .iter()
                    .any(|call| when.last_tool.iter().any(|name| name.is_match(&call.tool))))
            && when
                .last_ok
                .is_none_or(|ok| !newest.is_empty() && ok == newest.iter().all(|call| call.is_ok()))
            && (when.last_exit.is_empty()
                || newest
                    .iter()
                    .filter_map(|call| call.exit())
                    .any(|exit| when.last_exit.contains(&exit)))
            && any(&when.seen_call, &|_| true)
            && any(&when.done, &|call| call.recent && call.is_ok())
            && any(&when.failed, &|call| {
                call.recent && call.result.as_ref().is_some_and(|outcome| outcome.is_error)
            });
        let matches = plain
            && self.matches("prompt", when.prompt.as_ref(), Some(&view.prompt))
            && self.matches("thought", when.thought.as_ref(), Some(&view.thought))
            && self.matches("operator", when.operator.as_ref(), view.operator.as_deref())
            && self.matches("notice", when.notice.as_ref(), view.notice.as_deref())
            && self.matches(
                "observation",
                when.observation.as_ref(),
                Some(&view.observation()),
            );
        for (template, given) in [(&when.given, true), (&when.missing, false)] {
            if let Some(template) = template.as_ref().filter(|_| matches)
                && self.gives(template)? != given
            {
                return Ok(false);
            }
        }
        Ok(matches)
    }

    fn render_rule(&self, rule: &Rule) -> Result<Script, Fault> {
        self.blocks(rule).map(|blocks| Script {
            calls: blocks.iter().any(|block| matches!(block, Block::Call { .. })),
            blocks,
            fail: rule.fail,
        })
    }

    fn blocks(&self, rule: &Rule) -> Result<Vec<Block>, Fault> {
        let mut blocks = Vec::new();
        for words in &rule.reasoning {
            blocks.push(Block::Reasoning(self.text(words)?));
        }
        for words in &rule.think {
            blocks.push(Block::Text(self.text(words)?));
        }
        for call in &rule.calls {
            let Some(each) = &call.each else {
                self.call(call, &mut blocks)?;
                continue;
            };
            for (at, item) in self.items(each)?.into_iter().enumerate() {
                self.with_item(item, at + 1).call(call, &mut blocks)?;
            }
        }
        for words in rule.text.iter().chain(&rule.answer) {
            blocks.push(Block::Text(self.text(words)?));
        }
        blocks.retain(|block| match block {
            Block::Text(text) | Block::Reasoning(text) => !text.trim().is_empty(),
            Block::Call { .. } => true,
        });
        Ok(blocks)
    }

    fn call(&self, call: &CallRule, blocks: &mut Vec<Block>) -> Result<(), Fault> {
        if let Some(think) = &call.think {
            blocks.push(Block::Text(self.text(think)?));
        }
        let mut args = Map::new();
        for (key, template) in [("_as", &call.label), ("_out", &call.out)] {
            if let Some(template) = template {
                args.insert(key.to_owned(), Json::String(self.text(template)?));
            }
        }
        for (key, arg) in &call.args {
            args.insert(key.clone(), self.arg(arg)?);
        }
        blocks.push(Block::Call {
            tool: self.text(&call.tool)?,
            args: Json::Object(args).to_string(),
        });
        Ok(())
    }

    fn arg(&self, arg: &Arg) -> Result<Json, Fault> {
        Ok(match arg {
            Arg::Text(template) => Json::String(self.raw(template)?),
            Arg::Plain(value) => value.clone(),
            Arg::List(items) => Json::Array(
                items
                    .iter()
                    .map(|item| self.arg(item))
                    .collect::<Result<_, _>>()?,
            ),
            Arg::Table(pairs) => {
                let pair = |(key, arg): &(String, Arg)| Ok((key.clone(), self.arg(arg)?));
                Json::Object(pairs.iter().map(pair).collect::<Result<_, _>>()?)
            }
        })
    }
}
