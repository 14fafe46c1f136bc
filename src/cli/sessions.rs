//! Lists, shows, names, deletes and verifies recorded sessions (`overrule sessions`).
//!
//! Must not know: the journal's format.

mod list;

use std::io::IsTerminal as _;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::args::{Common, Sessions, SessionsWhat};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record, rules};
use crate::domain::apply::fold;
use crate::domain::command::{Command, RunCommand};
use crate::domain::state::{Mode, State};
use crate::domain::turn::Usage;
use crate::journal;
use crate::text::visible;

/// Runs the `sessions` subcommand.
pub fn sessions(common: &Common, sessions: Sessions) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    match sessions.what.unwrap_or(SessionsWhat::List) {
        SessionsWhat::List => list::list(common, &context),
        SessionsWhat::Show { id } => show(common, &context, &id),
        SessionsWhat::Name { id, name } => {
            let command = Command::Run(RunCommand::Title { title: name });
            print::out(&record::decide(common, &context, &id, &command)?.line(common));
            Ok(Code::Ok)
        }
        SessionsWhat::Delete { id, yes } => delete(common, &context, &id, yes),
        SessionsWhat::Verify { id } => verify(common, &context, &id),
        SessionsWhat::Path => {
            let dir = context.store.dir().display().to_string();
            if common.json {
                print::out(&json!({ "path": dir }).to_string());
            } else {
                print::out(&visible(&dir));
            }
            Ok(Code::Ok)
        }
    }
}

/// Deletes a session; on a terminal, shows it and asks first.
fn delete(common: &Common, context: &AppContext, id: &str, yes: bool) -> Result<Code, Failure> {
    if id == "last" {
        return Err(Failure::new(
            Code::Usage,
            "cannot delete `last`: it may not be the session you expect; hint: use its id",
        ));
    }
    let place = context.store.find(id)?;
    let person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if person && !yes && !common.json {
        print::out(list::listed(&place.summary()).trim_end());
        print::out("Delete it with all its files? This cannot be undone. Type `yes`:");
        let mut answer = String::new();
        // A read error counts as no.
        std::io::stdin().read_line(&mut answer).unwrap_or_default();
        if answer.trim() != "yes" {
            print::out("nothing was deleted");
            return Ok(Code::Ok);
        }
    }
    context.store.delete(&place)?;
    if common.json {
        print::out(&json!({ "deleted": place.id() }).to_string());
    } else {
        print::out(&format!("deleted {}", place.id()));
    }
    Ok(Code::Ok)
}

fn when(ms: Option<i64>) -> String {
    let time = ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    time.map_or_else(
        || "?".into(),
        |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string(),
    )
}

/// The state of a run, as a short text.
pub fn mode(state: &State) -> String {
    match &state.mode {
        Mode::Running if state.queue().next().is_some() => "waits for the operator".into(),
        Mode::Running => "can continue".into(),
        Mode::Paused(reason) => format!("paused: {}", visible(reason)),
        Mode::Stopped(reason) => format!("stopped: {}", visible(reason)),
        Mode::Finished(answer) => format!("finished with {answer}"),
    }
}

/// The state of a run, and its restriction to reading calls.
fn mode_and_restriction(state: &State) -> String {
    match &state.restricted {
        Some(why) => format!("{}; restricted to reading calls ({})", mode(state), visible(why)),
        None => mode(state),
    }
}

/// Formats tokens; unknown counts are not shown as 0.
pub fn tokens(usage: Usage) -> String {
    let count = |tokens: Option<u64>, what: &str| {
        let tokens = tokens.map_or_else(|| "unknown".to_owned(), |tokens| tokens.to_string());
        format!("{tokens} {what}")
    };
    let cached = usage.cached.map(|cached| format!(" ({cached} of them cached)"));
    format!(
        "{}{}, {}",
        count(usage.input, "sent"),
        cached.unwrap_or_default(),
        count(usage.output, "received")
    )
}

fn show(common: &Common, context: &AppContext, id: &str) -> Result<Code, Failure> {
    let place = context.store.find(id)?;
    let loaded = journal::read(&place)?;
    let state = fold(&loaded.envelopes);
    if common.json {
        print::out(&shown_json(&place.id(), &loaded, &state).to_string());
        return Ok(Code::Ok);
    }
    let started = state.started.as_deref();
    let mut lines = vec![
        format!("session    {}", visible(&place.id())),
        format!("name       {}", visible(state.title.as_deref().unwrap_or("-"))),
        format!(
            "model      {}",
            visible(started.map_or("?", |started| &started.model))
        ),
        format!(
            "workspace  {}",
            visible(started.map_or("?", |started| &started.workspace))
        ),
        format!("policy     {}", visible(&state.policy)),
        format!(
            "started    {}",
            when(loaded.envelopes.first().map(|first| first.at))
        ),
        format!("last event {}", when(loaded.envelopes.last().map(|last| last.at))),
        format!("state      {}", mode_and_restriction(&state)),
        format!("events     {}", loaded.envelopes.len()),
        format!("requests   {}", state.requests),
        format!("tokens     {}", tokens(state.usage)),
        format!(
            "calls      {} ({} executions)",
            state.calls.len(),
            state.ledger.len()
        ),
        format!("edits      {}", state.edits.len()),
        format!("waiting    {}", state.queue().count()),
    ];
    lines.extend(
        state
            .forks
            .iter()
            .map(|fork| format!("fork of    {} at event {}", visible(&fork.session), fork.at.0)),
    );
    lines.extend(rules::lines(&state));
    if let Some(spent) = state.spent.describe() {
        lines.push(format!("price      {spent}"));
    }
    if let Some(torn) = &loaded.torn {
        lines.push(format!("torn       {torn}"));
    }
    if let Some(damage) = &loaded.damage {
        lines.push(format!("damaged    {damage}"));
    }
    print::out(&lines.join("\n"));
    Ok(Code::Ok)
}

fn shown_json(id: &str, loaded: &journal::Loaded, state: &State) -> Value {
    let started = state.started.as_deref();
    let forks = state.forks.iter();
    let forks: Vec<Value> = forks
        .map(|fork| json!({ "session": fork.session, "at": fork.at }))
        .collect();
    json!({
        "fork_of": forks, "session": id, "name": state.title, "model": started.map(|started| &started.model),
        "workspace": started.map(|started| &started.workspace), "policy": state.policy,
        "started": loaded.envelopes.first().map(|first| first.at),
        "last_event": loaded.envelopes.last().map(|last| last.at),
        "state": mode(state), "restricted": state.restricted, "events": loaded.envelopes.len(), "requests": state.requests,
        "tokens_in": state.usage.input, "tokens_cached": state.usage.cached, "tokens_out": state.usage.output,
        "calls": state.calls.len(), "executions": state.ledger.len(), "edits": state.edits.len(),
        "waiting": state.queue().count(), "rules": rules::lines(state), "cost": state.spent.describe(),
        "torn": loaded.torn.as_ref().map(ToString::to_string),
        "damaged": loaded.damage.as_ref().map(ToString::to_string),
    })
}

fn verify(common: &Common, context: &AppContext, id: &str) -> Result<Code, Failure> {
    let place = context.store.find(id)?;
    let report = journal::verify(&place)?;
    if common.json {
        let found = json!({
            "session": place.id(), "records": report.records, "chain": report.head.to_string(),
            "torn": report.torn.as_ref().map(ToString::to_string),
            "damaged": report.damage.as_ref().map(ToString::to_string), "whole": report.is_whole(),
        });
        print::out(&found.to_string());
    } else {
        verified(&place.id(), &report);
    }
    Ok(if report.is_whole() {
        Code::Ok
    } else {
        Code::Session
    })
}

fn verified(id: &str, report: &journal::Report) {
    print::out(&format!(
        "{}: {} records intact, chain {}",
        id, report.records, report.head
    ));
    if let Some(torn) = &report.torn {
        print::out(&torn.to_string());
    }
    if let Some(damage) = &report.damage {
        print::out(&format!("damaged: {damage}"));
    }
}
