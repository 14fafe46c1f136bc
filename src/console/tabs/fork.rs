//! What a fork of a recorded run would be, for the one who is asked, and for who reads it on the command line.
//!
//! Must not know: keys, how a fork is written.

use std::sync::Arc;

use super::{Maker, WHOLE};
use crate::console::doc::Styled;
use crate::console::rows::many;
use crate::console::summary;
use crate::console::theme::Role;
use crate::domain::fork::{Elsewhere, End, ForkPreview};
use crate::domain::id::NodeId;
use crate::text::{head, visible};

/// Effects, calls under way and the like that are named.
const NAMED: usize = 5;
/// Characters of a session's id by which it is told from others.
const SHORT_ID_CHARS: usize = 13;
/// Where the further rows of one begin.
const INDENT: usize = 4;

/// The beginning of a session's id, safe to show.
pub fn short(session: &str) -> String {
    visible(head(session, SHORT_ID_CHARS).0)
}

/// That an equal effect happened in another run, in one sentence that is safe to show.
pub fn happened(one: &Elsewhere) -> String {
    let how = match &one.outcome {
        Some(outcome) if outcome.is_ok() => "happened after the fork\'s place and is not undone",
        Some(_) => "failed after the fork\'s place and may have done something",
        None => "was begun after the fork\'s place; its end was not known when the fork was made",
    };
    format!("{} of session {} {how}", one.call, visible(&one.session))
}

/// What is asked before a fork is written.
pub fn fork(maker: &mut Maker<'_>, preview: Option<&Result<Arc<ForkPreview>, String>>) {
    match preview {
        None => maker.own(Role::Dim, "the recording is being read: a moment"),
        Some(Err(why)) => maker.own(Role::Error, visible(why)),
        Some(Ok(preview)) => {
            for (role, words) in lines(preview) {
                maker.own(role, words);
            }
            for one in preview.effects.iter().take(NAMED) {
                let line = Styled::new()
                    .own(Role::Accent, format!("  {} ", one.call))
                    .untrusted(Role::Text, &one.tool, 40)
                    .own(Role::Text, " ")
                    .summary_at_length(Role::Text, &summary::arguments(&one.args), WHOLE);
                maker.over(line, INDENT);
            }
            if let Some(more) = preview.effects.len().checked_sub(NAMED).filter(|more| *more > 0) {
                maker.own(Role::Warning, format!("  and {more} more"));
            }
        }
    }
}

/// What a fork begins with and what it leaves, in sentences that are safe to show; the effects themselves follow.
pub fn lines(preview: &ForkPreview) -> Vec<(Role, String)> {
    let ForkPreview {
        at,
        of,
        requested: target,
        ..
    } = preview;
    let mut lines = vec![(
        Role::Text,
        format!(
            "A new session begins with events 1 to {} of the {} of session {}, which stays as it is. Nothing runs before \
             you resume the new one.",
            at.0,
            of.0,
            short(&preview.session)
        ),
    )];
    if target > at {
        let words = format!(
            "Event {} is in the middle of a decision, which is not torn: the fork is before it.",
            target.0
        );
        lines.push((Role::Warning, words));
    }
    for one in preview.running.iter().take(NAMED) {
        let (role, becomes) = match &one.end {
            End::Recorded(_) => (
                Role::Text,
                "the recording says how it ended, and the fork has that",
            ),
            End::Again => (Role::Text, "it runs again when you resume, which does no harm"),
            End::Unknown => (
                Role::Warning,
                "the recording does not say how it ended: you are asked when you resume",
            ),
        };
        lines.push((
            role,
            format!("{} {} was running: {becomes}.", one.call, visible(&one.tool)),
        ));
    }
    if let Some(more) = preview.running.len().checked_sub(NAMED).filter(|more| *more > 0) {
        lines.push((Role::Text, format!("{more} more were running.")));
    }
    for turn in &preview.streams {
        lines.push((
            Role::Text,
            format!("{turn} was streaming: the model is asked again when you resume."),
        ));
    }
    if !preview.approved.is_empty() {
        let words = format!(
            "Let run there and not begun, begins when you resume: {}.",
            names(&preview.approved)
        );
        lines.push((Role::Warning, words));
    }
    if preview.waiting > 0 {
        lines.push((
            Role::Text,
            format!("{} will wait for you.", many(preview.waiting, "call")),
        ));
    }
    if !preview.asks.is_empty() {
        let words = format!(
            "Happened there after this, so it asks whether it may happen again: {}.",
            names(&preview.asks)
        );
        lines.push((Role::Warning, words));
    }
    lines.push(match preview.effects.len() {
        0 => (
            Role::Text,
            "Nothing that could change the world ran there after this.".to_owned(),
        ),
        count => (
            Role::Warning,
            format!(
                "{} came there after this. A fork takes none back; a call that would repeat one asks first:",
                many(count, "effect")
            ),
        ),
    });
    lines
}

fn names(calls: &[NodeId]) -> String {
    let mut names: Vec<String> = calls.iter().take(NAMED).map(NodeId::to_string).collect();
    if calls.len() > NAMED {
        names.push(format!("and {} more", calls.len() - NAMED));
    }
    names.join(" ")
}
