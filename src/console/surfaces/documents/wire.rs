//! The tab of the wire: the bytes of the request that a node came from.
//!
//! Must not know: wire formats, where the bytes are stored.

use std::sync::Arc;

use crate::ground::doc::{Form, Styled};
use crate::ground::pager::Wrap;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_domain::id::TurnId;
use overrule_domain::turn::Producer;

/// The request and the reply of a turn.
pub fn make(maker: &mut Maker<'_>, id: TurnId) {
    let run = maker.run;
    let Some(turn) = run.state.turns.get(&id) else {
        return;
    };
    if matches!(turn.producer, Producer::Operator | Producer::Server) {
        maker.own(
            Role::Dim,
            format!("{id} is the operator's: nothing was sent for it"),
        );
        return;
    }
    let request = maker.request(turn);
    let seen = run
        .wire
        .as_ref()
        .filter(|seen| seen.turn == id && seen.request == request);
    let frames = match seen.and_then(|seen| seen.frames.as_ref()) {
        None => return maker.own(Role::Dim, "loading…"),
        Some(Err(why)) => {
            let why = overrule_base::text::visible(why);
            return maker.own(Role::Error, why);
        }
        Some(Ok(None)) => {
            return maker.own(
                Role::Dim,
                "nothing was kept of this request: a scripted model has no wire, the oldest of many replies are dropped, and \
                 keep_replies = false keeps none",
            );
        }
        Some(Ok(Some(frames))) => frames.clone(),
    };
    let title = |name: &str, text: &Arc<str>| {
        Styled::new()
            .own(Role::Title, format!("{name}, request {request} of {id}"))
            .own(Role::Dim, format!("  {} bytes", text.len()))
    };
    if frames.more {
        maker.own(
            Role::Warning,
            "the files of the session hold more than is shown here",
        );
    }
    let mark = (Role::Dim, "  ".to_owned());
    if frames.sent.is_empty() {
        maker.own(
            Role::Dim,
            "the request was not kept: a run keeps it with --keep-wire",
        );
    } else {
        maker.doc.line(title("sent", &frames.sent));
    }
    maker.text(&frames.sent, Form::Json, Wrap::Chars, Role::Text, mark.clone());
    maker.doc.line(title("received", &frames.received));
    maker.text(&frames.received, Form::Raw, Wrap::Chars, Role::Text, mark);
}
