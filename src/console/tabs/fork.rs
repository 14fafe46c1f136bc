//! The preview of a fork, for the console and the command line.
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

/// The most effects and calls that are named.
const NAMED: usize = 5;
/// Characters of a short session id.
const SHORT_ID_CHARS: usize = 13;
/// Indent of the further rows of an entry.
const INDENT: usize = 4;

/// The beginning of a session's id, safe to show.
pub fn short(session: &str) -> String {
    visible(head(session, SHORT_ID_CHARS).0)
}

/// One sentence, safe to show, about an equal effect in another run.
pub fn happened(one: &Elsewhere) -> String {
    let how = match &one.outcome {
        Some(outcome) if outcome.is_ok() => "happened after the fork point and is not undone",
        Some(_) => "failed after the fork point and may have had an effect",
        None => "started after the fork point; its outcome was unknown when the fork was made",
    };
    format!("{} of session {} {how}", one.call, visible(&one.session))
}

/// The question before a fork is written.
pub fn fork(maker: &mut Maker<'_>, preview: Option<&Result<Arc<ForkPreview>, String>>) {
    match preview {
        None => maker.own(Role::Dim, "loading the recording…"),
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

/// The contents of a fork, in sentences that are safe to show. The effects follow separately.
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
            "A new session starts with events 1 to {} of the {} of session {}, which stays as it is. Nothing runs before \
             you resume the new one.",
            at.0,
            of.0,
            short(&preview.session)
        ),
    )];
    if target > at {
        let words = format!(
            "Event {} is inside a decision, which is not split: the fork starts before it.",
            target.0
        );
        lines.push((Role::Warning, words));
    }
    for one in preview.running.iter().take(NAMED) {
        let (role, becomes) = match &one.end {
            End::Recorded(_) => (Role::Text, "the fork keeps its recorded outcome"),
            End::Again => (Role::Text, "it runs again when you resume, which is harmless"),
            End::Unknown => (
                Role::Warning,
                "its outcome is not recorded: you are asked when you resume",
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
            "Waiting to run there, starts when you resume: {}.",
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
            "Nothing with an effect ran there after this.".to_owned(),
        ),
        count => (
            Role::Warning,
            format!(
                "{} happened there after this. A fork reverts none; a call that would repeat one asks first:",
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
