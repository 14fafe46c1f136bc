//! Puts the messages of a request into the order and form that a server was found to want.
//!
//! Must not know: sockets, what was refused.

use super::encode::{Wire, plain};
use crate::wire::common::{CONSOLE, CONTINUE};
use crate::{Quirk, Quirks};

/// The prefix of the operator's words inside a tool result.
const OPERATOR: &str = "[operator]";
/// Stands for a content that is blank.
const BLANK: &str = "(empty)";

/// Applies every quirk that is about messages.
pub fn reshape(messages: &mut Vec<Wire<'_>>, quirks: &Quirks) {
    let has = |quirk: &Quirk| quirks.contains(quirk);
    if has(&Quirk::SystemInUser) {
        system_in_user(messages);
    }
    if has(&Quirk::SingleCalls) {
        single_calls(messages);
    }
    if has(&Quirk::UserLast) && messages.last().is_some_and(|last| last.role == "assistant") {
        messages.push(plain("user", CONTINUE.to_owned()));
    }
    // A template that needs alternating roles does not count results as either.
    if has(&Quirk::NotesInResult) || has(&Quirk::AlternateRoles) {
        join(messages, |before, now| {
            before.role == "tool" && now.role == "user"
        });
    }
    if has(&Quirk::AlternateRoles) {
        join(messages, |before, now| {
            before.role == now.role && before.role != "tool" && before.tool_calls.is_empty()
        });
    }
    if has(&Quirk::NoBlankContent) {
        no_blanks(messages);
    }
    if has(&Quirk::StringContent) {
        for message in messages {
            message.content.get_or_insert_default();
        }
    }
}

/// Puts the system text before the text of the first user message.
fn system_in_user(messages: &mut Vec<Wire<'_>>) {
    let is_system = |message: &Wire<'_>| matches!(message.role, "system" | "developer");
    if !messages.first().is_some_and(is_system) {
        return;
    }
    let text = messages.remove(0).content.unwrap_or_default();
    match messages.first_mut().filter(|first| first.role == "user") {
        Some(first) => {
            let words = first.content.take().unwrap_or_default();
            first.content = Some(format!("{text}\n\n{words}"));
        }
        None => messages.insert(0, plain("user", text)),
    }
}

/// Gives every call a message of its own, directly followed by its result.
fn single_calls(messages: &mut Vec<Wire<'_>>) {
    let mut out = Vec::with_capacity(messages.len());
    let mut rest = std::mem::take(messages).into_iter().peekable();
    while let Some(mut message) = rest.next() {
        if message.tool_calls.len() < 2 {
            out.push(message);
            continue;
        }
        let calls = std::mem::take(&mut message.tool_calls);
        let wants_reasoning = message.reasoning_content.is_some();
        let mut results = Vec::new();
        while let Some(result) = rest.next_if(|next| next.role == "tool") {
            results.push(result);
        }
        let mut results = results.into_iter();
        for (place, call) in calls.into_iter().enumerate() {
            let mut one = if place == 0 {
                std::mem::replace(&mut message, plain("assistant", String::new()))
            } else {
                Wire {
                    content: None,
                    reasoning_content: wants_reasoning.then(String::new),
                    ..plain("assistant", String::new())
                }
            };
            one.tool_calls.push(call);
            out.push(one);
            out.extend(results.next());
        }
        out.extend(results);
    }
    *messages = out;
}

/// Joins neighbours: the text of the later one is appended to the earlier one.
fn join(messages: &mut Vec<Wire<'_>>, belong: impl Fn(&Wire<'_>, &Wire<'_>) -> bool) {
    let mut out: Vec<Wire<'_>> = Vec::with_capacity(messages.len());
    for message in std::mem::take(messages) {
        match out.last_mut() {
            Some(before) if belong(before, &message) => add(before, message),
            _ => out.push(message),
        }
    }
    *messages = out;
}

fn add<'w>(to: &mut Wire<'w>, message: Wire<'w>) {
    let words = match message.content {
        Some(words) if to.role == "tool" && !words.starts_with(CONSOLE) => {
            Some(format!("{OPERATOR} {words}"))
        }
        words => words,
    };
    let both = |before: Option<String>, now: Option<String>| match (before, now) {
        (Some(before), Some(now)) if !before.is_empty() && !now.is_empty() => {
            Some(format!("{before}\n\n{now}"))
        }
        (Some(before), Some(now)) if before.is_empty() => Some(now),
        (before, now) => before.or(now),
    };
    to.content = both(to.content.take(), words);
    to.reasoning_content = both(to.reasoning_content.take(), message.reasoning_content);
    to.tool_calls.extend(message.tool_calls);
    to.reasoning_details.extend(message.reasoning_details);
}

fn no_blanks(messages: &mut [Wire<'_>]) {
    let is_blank = |words: &Option<String>| words.as_ref().is_none_or(|words| words.trim().is_empty());
    for message in messages {
        if is_blank(&message.content) && message.tool_calls.is_empty() {
            message.content = Some(BLANK.to_owned());
        } else if is_blank(&message.content) {
            message.content = None;
        }
    }
}
