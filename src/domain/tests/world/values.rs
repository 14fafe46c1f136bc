//! What a test gives: blocks of replies, an error of a tool, the start of a run.
//!
//! Must not know: what the rules do with it.

use super::Rules;
use crate::rules::TOOLS;
use overrule_domain::call::ErrorClass;
use overrule_domain::call::ToolError;
use overrule_domain::event::run::{Limits, Started, ToolCard};
use overrule_domain::input::Block;
use overrule_domain::node::Channel;

pub fn think(text: &str) -> Block {
    Block::Thought {
        text: text.into(),
        channel: Channel::Spoken,
        opaque: None,
    }
}

pub fn call(tool: &str, args: &str) -> Block {
    Block::Call {
        id: None,
        tool: tool.into(),
        args: args.into(),
        opaque: None,
    }
}

pub fn answer(text: &str) -> Block {
    Block::Answer {
        text: text.into(),
        opaque: None,
    }
}

/// A tool says that the thing is not there.
pub fn not_found() -> ToolError {
    ToolError {
        class: ErrorClass::NotFound,
        message: "no such file".into(),
        evidence: "errno ENOENT".into(),
        hint: None,
        partial: None,
        executed: true,
        retry_after_ms: None,
    }
}

pub fn started(limits: Limits) -> Started {
    started_by(&Rules::default(), limits)
}

pub(super) fn started_by(rules: &Rules, limits: Limits) -> Started {
    Started {
        version: "test".into(),
        workspace: "/w".into(),
        model: "script".into(),
        wire: "scripted".into(),
        system: "system".into(),
        tools: TOOLS
            .iter()
            .map(|name| ToolCard {
                description: "a tool".into(),
                effect_by: None,
                tags: Rules::tags(name),
                pause_ms: rules.pauses.get(*name).copied().unwrap_or_default(),
                ..ToolCard::bare(name, Rules::effect(name).unwrap(), &[])
            })
            .collect(),
        policy: "test".into(),
        sandbox: "none".into(),
        limits,
        user: "me".into(),
        input: r#"{"k":7}"#.into(),
        setup: "null".into(),
        reuse: overrule_domain::event::run::Reuse::default(),
        hide_edits: false,
        price: None,
    }
}
