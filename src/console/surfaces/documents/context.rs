//! The tab of the context: what the model saw for a turn, as it was sent.
//!
//! Must not know: wire formats, where the record is stored.

use std::sync::Arc;

use crate::ground::doc::{Form, Styled};
use crate::ground::pager::Wrap;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::run::link::SentBody;
use crate::run::maker::Maker;
use overrule_domain::id::TurnId;
use overrule_domain::transcript::build::INSERTED;
use overrule_domain::transcript::{Message, NoteKind, hash};
use overrule_domain::turn::Producer;

/// The messages before a turn.
pub fn make(maker: &mut Maker<'_>, id: TurnId) {
    let run = maker.run;
    let Some(turn) = run.state.turns.get(&id) else {
        return;
    };
    if matches!(turn.producer, Producer::Operator | Producer::Server) {
        maker.own(
            Role::Dim,
            format!("{id} is the operator's: the model was not asked for it"),
        );
        return;
    }
    let request = maker.request(turn);
    maker.doc.line(
        Styled::new()
            .own(Role::Title, format!("what the model saw for {id}"))
            .own(Role::Dim, asked(turn.asked)),
    );
    let seen = run
        .sent_then
        .as_ref()
        .filter(|seen| seen.turn == id && seen.request == request);
    let sent = match seen.and_then(|seen| seen.found.as_ref()) {
        None => return maker.own(Role::Dim, "loading…"),
        Some(Err(why)) => {
            let why = overrule_base::text::visible(why);
            return maker.own(Role::Error, why);
        }
        Some(Ok(sent)) => Arc::clone(sent),
    };
    let newest = request == turn.asked;
    if !newest {
        maker.own(
            Role::Warning,
            "an earlier request: this is what was sent then, before the turn was asked again",
        );
    }
    let same = turn
        .context
        .as_ref()
        .is_none_or(|asked| *asked == hash::context_hash(&run.state, turn.thread, Some(id)));
    if newest && !same {
        maker.own(
            Role::Warning,
            "earlier nodes changed since: this is what was sent then",
        );
    }
    maker.field("model", &sent.model);
    let tools: Vec<&str> = sent.tools.iter().map(|card| &*card.name).collect();
    maker.field(
        "tools",
        match tools.as_slice() {
            [] => "none were offered".to_owned(),
            tools => tools.join(" "),
        }
        .as_str(),
    );
    maker.own(Role::Accent, "system");
    maker.text(
        &sent.system,
        Form::Raw,
        Wrap::Words,
        Role::Dim,
        (Role::Dim, "  ".to_owned()),
    );
    for message in &sent.messages {
        one(maker, message);
    }
    if let Some(body) = seen.and_then(|seen| seen.body.clone()) {
        self::body(maker, &body);
    }
}

/// The body of the request, as the server got it.
fn body(maker: &mut Maker<'_>, body: &SentBody) {
    let how = if body.is_kept {
        "as it was sent"
    } else {
        "written again from the record"
    };
    let words = format!("  {}, {} bytes, {how}", body.wire, body.text.len());
    maker.doc.line(
        Styled::new()
            .own(Role::Title, "body".to_owned())
            .own(Role::Dim, words),
    );
    maker.text(
        &body.text,
        Form::Json,
        Wrap::Chars,
        Role::Text,
        (Role::Dim, "  ".to_owned()),
    );
}

fn one(maker: &mut Maker<'_>, message: &Message) {
    match message {
        Message::User { node, text } => {
            maker.own(Role::Accent, format!("user  {node}"));
            plain(maker, text);
        }
        Message::Assistant { texts: output, calls } => {
            maker.own(Role::Accent, "assistant");
            for part in output {
                let mark = maker.glyph(Symbol::ModelText);
                let role = if part.by_operator {
                    Role::Operator
                } else {
                    Role::ModelText
                };
                maker.text(
                    &part.text,
                    Form::Raw,
                    Wrap::Words,
                    Role::Text,
                    (role, format!("{mark} ")),
                );
            }
            for call in calls {
                maker.doc.line(
                    Styled::new()
                        .own(Role::Dim, format!("  calls {} ", call.node))
                        .untrusted(Role::Text, &call.tool, 80),
                );
                let args = Arc::clone(&call.args);
                maker.text(
                    &args,
                    Form::Json,
                    Wrap::Chars,
                    Role::Text,
                    (Role::Dim, "    ".to_owned()),
                );
            }
        }
        Message::Result {
            call,
            tool,
            text,
            is_error,
            ..
        } => {
            let role = if *is_error { Role::Failed } else { Role::Accent };
            maker
                .doc
                .line(
                    Styled::new()
                        .own(role, format!("result of {call} "))
                        .untrusted(Role::Dim, tool, 80),
                );
            plain(maker, text);
        }
        Message::Note { about, text } => {
            let alone = *about == NoteKind::Notice && **text != *INSERTED;
            let title = if alone {
                "sent with this request alone"
            } else {
                "note of the console"
            };
            maker.own(Role::Accent, title);
            plain(maker, text);
        }
    }
}

/// How often the model was asked for a turn.
fn asked(times: u32) -> String {
    match times {
        1 => "  asked once".to_owned(),
        times => format!("  asked {times} times"),
    }
}

fn plain(maker: &mut Maker<'_>, text: &Arc<str>) {
    maker.text(
        text,
        Form::Raw,
        Wrap::Chars,
        Role::Text,
        (Role::Dim, "  ".to_owned()),
    );
}
