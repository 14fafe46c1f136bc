//! Tests the conditions, templates, errors and streaming of playbooks.
//!
//! Must not know: the engine.

mod conditions;
mod streaming;
mod templates;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::choose::{Block, NoScript, script};
use super::template::Fault;
use super::view::View;
use super::{Playbook, Scripted, builtin};
use crate::{Chunk, Model, Request};
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::transcript::{CalledAs, Message, ModelText, NoteKind};
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind};

pub(super) fn node(kind: NodeKind, no: u32) -> NodeId {
    NodeId::new(kind, no)
}

pub(super) fn user(text: &str) -> Message {
    Message::User {
        node: node(NodeKind::Prompt, 1),
        text: text.into(),
    }
}

pub(super) fn assistant(words: &[(&str, bool)], calls: &[(u32, &str, &str)]) -> Message {
    let output = |(text, by_operator): &(&str, bool)| ModelText {
        node: node(NodeKind::Thought, 2),
        text: (*text).into(),
        reasoning: false,
        opaque: None,
        by_operator: *by_operator,
    };
    let called = |(no, tool, args): &(u32, &str, &str)| CalledAs {
        node: node(NodeKind::Call, *no),
        wire_id: format!("call_{no}").into(),
        tool: (*tool).into(),
        args: (*args).into(),
        opaque: None,
    };
    Message::Assistant {
        texts: words.iter().map(output).collect(),
        calls: calls.iter().map(called).collect(),
    }
}

pub(super) fn result(no: u32, tool: &str, text: &str, is_error: bool) -> Message {
    Message::Result {
        call: node(NodeKind::Call, no),
        wire_id: format!("call_{no}").into(),
        tool: tool.into(),
        text: text.into(),
        is_error,
    }
}

pub(super) fn note(about: NoteKind, text: &str) -> Message {
    Message::Note {
        about,
        text: text.into(),
    }
}

pub(super) fn request(messages: Vec<Message>) -> Request {
    Request {
        system: "".into(),
        messages,
        tools: Vec::new(),
        quirks: crate::Quirks::new(),
        output_schema: None,
        id: TurnId(3),
        turn: 3,
        tap: crate::Tap::default(),
    }
}

pub(super) fn playbook(rules: &str) -> Playbook {
    Playbook::parse("test.toml", &format!("[meta]\nname = \"test\"\n{rules}")).unwrap()
}

pub(super) fn blocks(rules: &str, messages: Vec<Message>) -> Result<Vec<Block>, NoScript> {
    let view = Arc::new(View::of(&request(messages)));
    script(&playbook(rules), &view).map(|script| script.blocks)
}

/// Returns the text that a playbook answers with.
pub(super) fn answer(rules: &str, messages: Vec<Message>) -> String {
    match blocks(rules, messages).unwrap().as_slice() {
        [Block::Text(text)] => text.clone(),
        other => panic!("not one text: {other:?}"),
    }
}

/// Renders one template after a call `notes` with this result.
pub(super) fn show(template: &str, text: &str) -> String {
    match try_show(template, text).unwrap().as_slice() {
        [Block::Text(text)] => text.trim_matches('=').to_owned(),
        other => panic!("not one text: {other:?}"),
    }
}

/// The same for a template that may fail.
pub(super) fn try_show(template: &str, text: &str) -> Result<Vec<Block>, NoScript> {
    let message = format!("result of c3 (as notes):\n{text}");
    blocks(
        &format!("[[rule]]\nanswer = '''={template}='''"),
        vec![
            user("go ahead"),
            assistant(
                &[("hm", false)],
                &[(3, "read_file", r#"{"_as":"notes","path":"a.txt","n":7}"#)],
            ),
            result(3, "read_file", &message, false),
        ],
    )
}

/// What is wrong with a template when it is rendered.
pub(super) fn fault(template: &str, text: &str) -> Fault {
    match try_show(template, text) {
        Err(NoScript::Fault(fault)) => fault,
        other => panic!("no fault: {other:?}"),
    }
}
