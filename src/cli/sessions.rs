//! `overrule sessions`: lists, shows, names, deletes and verifies recorded sessions. Must not know:
//! the journal's format.

use std::io::IsTerminal as _;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::args::{Common, Sessions, SessionsWhat};
use super::build::Ground;
use super::exit::{Code, Failure};
use super::{fit, print, record, rules};
use crate::console::columns::Columns as _;
use crate::console::rows::many;
use crate::domain::apply::fold;
use crate::domain::command::{Command, RunCommand};
use crate::domain::state::{Mode, State};
use crate::domain::turn::Usage;
use crate::journal;
use crate::text::visible;

/// Most columns of a model's name in the list of a terminal.
const MODEL: usize = 24;
/// Columns for what a session is about below which that stands on a line of its own.
const ABOUT: usize = 30;

/// Does what was asked of the sessions.
pub fn sessions(common: &Common, sessions: Sessions) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    match sessions.what.unwrap_or(SessionsWhat::List) {
        SessionsWhat::List => list(common, &ground),
        SessionsWhat::Show { id } => show(common, &ground, &id),
        SessionsWhat::Name { id, name } => {
            let command = Command::Run(RunCommand::Title { title: name });
            print::out(&record::decide(common, &ground, &id, &command)?.line(common));
            Ok(Code::Ok)
        }
        SessionsWhat::Delete { id, yes } => delete(common, &ground, &id, yes),
        SessionsWhat::Verify { id } => verify(common, &ground, &id),
        SessionsWhat::Path => {
            let dir = ground.store.dir().display().to_string();
            if common.json {
                print::out(&json!({ "path": dir }).to_string());
            } else {
                print::out(&visible(&dir));
            }
            Ok(Code::Ok)
        }
    }
}

/// Deletes a session; a person at a terminal is asked first, with what it is.
fn delete(common: &Common, ground: &Ground, id: &str, yes: bool) -> Result<Code, Failure> {
    if id == "last" {
        return Err(Failure::new(
            Code::Usage,
            "name the session to delete by its id: `last` may be another one than you think",
        ));
    }
    let place = ground.store.find(id)?;
    let person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if person && !yes && !common.json {
        let all = ground.store.list()?;
        if let Some(one) = all.iter().find(|one| one.id == place.id()) {
            print::out(listed(one).trim_end());
        }
        print::out("Delete it with everything in it? Nothing brings it back. Type `yes`:");
        let mut answer = String::new();
        // What cannot be read is no yes.
        std::io::stdin().read_line(&mut answer).unwrap_or_default();
        if answer.trim() != "yes" {
            print::out("nothing was deleted");
            return Ok(Code::Ok);
        }
    }
    ground.store.delete(&place)?;
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

fn list(common: &Common, ground: &Ground) -> Result<Code, Failure> {
    match ground.store.sweep() {
        Ok(0) => {}
        Ok(count) => print::err(&format!(
            "removed what killed processes had left of {} that they were making",
            many(count, "session")
        )),
        Err(error) => print::err(&error.to_string()),
    }
    let mut all = ground.store.list()?;
    if all.is_empty() {
        print::err("no sessions yet: start one with `overrule` or `overrule run TASK`");
        return Ok(Code::Ok);
    }
    all.reverse();
    let width = fit::width();
    let lines: Box<dyn Iterator<Item = String>> = match width {
        _ if common.json => Box::new(all.iter().map(|one| listed_json(one).to_string())),
        None => Box::new(all.iter().map(listed)),
        Some(columns) => Box::new(fitted(&all, columns).into_iter()),
    };
    for line in lines {
        if !print::out(line.trim_end()) {
            break;
        }
    }
    Ok(Code::Ok)
}

/// The list for a terminal of so many columns: what is of one kind stands below one another, and what each is about
/// beside it, or on a line of its own where there is little room beside it.
fn fitted(all: &[journal::Summary], columns: usize) -> Vec<String> {
    let model = |one: &journal::Summary| visible(one.model.as_deref().unwrap_or("?"));
    let widest = all
        .iter()
        .map(|one| model(one).columns())
        .max()
        .unwrap_or_default();
    let widest = widest.min(MODEL);
    let lines = all.iter().flat_map(|one| {
        let model = fit::cut(&model(one), widest);
        let state = match one.problem {
            Some(_) => "problem",
            None => one.standing.word(),
        };
        let facts = format!(
            "{}  {}  {state:8}  {:6} events  {model}{}",
            short(&one.id),
            when(one.started),
            events(one),
            " ".repeat(widest.saturating_sub(model.columns())),
        );
        let about = about(one);
        let room = columns.saturating_sub(facts.columns() + 2);
        if room >= ABOUT || room >= about.columns() {
            vec![fit::cut(&format!("{facts}  {about}"), columns)]
        } else {
            vec![
                fit::cut(&facts, columns),
                fit::cut(&format!("    {about}"), columns),
            ]
        }
    });
    lines.collect()
}

/// What is wrong with a session, its name, and what it is a fork of.
fn about(one: &journal::Summary) -> String {
    let problem = one.problem.as_deref().map(visible);
    let title = one.title.as_deref().map(visible);
    let parts = [problem, title, fork_of(one)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

fn listed(one: &journal::Summary) -> String {
    let state = match &one.problem {
        Some(problem) => format!("problem: {}", visible(problem)),
        None => one.standing.word().to_owned(),
    };
    format!(
        "{}  {}  {:9}  {:6} events  {}  {}{}",
        short(&one.id),
        when(one.started),
        state,
        events(one),
        visible(one.model.as_deref().unwrap_or("?")),
        visible(one.title.as_deref().unwrap_or("")),
        fork_of(one).map(|fork| format!("  {fork}")).unwrap_or_default(),
    )
}

/// As much of an id as tells it from others.
fn short(id: &str) -> String {
    visible(&id.chars().take(13).collect::<String>())
}

fn events(one: &journal::Summary) -> u64 {
    one.last.as_ref().map_or(0, |last| last.seq)
}

fn fork_of(one: &journal::Summary) -> Option<String> {
    let (of, at) = one.fork.as_ref()?;
    Some(format!("(fork of {} at {at})", short(of)))
}

fn listed_json(one: &journal::Summary) -> Value {
    json!({
        "session": one.id, "started": one.started, "state": one.standing.word(), "problem": one.problem,
        "events": events(one), "model": one.model,
        "workspace": one.workspace, "name": one.title, "bytes": one.bytes,
        "fork_of": one.fork.as_ref().map(|(of, at)| json!({ "session": of, "at": at })),
    })
}

/// Where a run stands, in a few words.
pub fn mode(state: &State) -> String {
    match &state.mode {
        Mode::Running if state.queue().next().is_some() => "waits for the operator".into(),
        Mode::Running => "can go on".into(),
        Mode::Paused(reason) => format!("paused: {}", visible(reason)),
        Mode::Stopped(reason) => format!("stopped: {}", visible(reason)),
        Mode::Finished(answer) => format!("finished with {answer}"),
    }
}

/// Tokens in words: what nobody counted is not nought.
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

fn show(common: &Common, ground: &Ground, id: &str) -> Result<Code, Failure> {
    let place = ground.store.find(id)?;
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
            "begun      {}",
            when(loaded.envelopes.first().map(|first| first.at))
        ),
        format!("last event {}", when(loaded.envelopes.last().map(|last| last.at))),
        format!("state      {}", mode(&state)),
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
    if let Some(spent) = state.spent.words() {
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
        "state": mode(state), "events": loaded.envelopes.len(), "requests": state.requests,
        "tokens_in": state.usage.input, "tokens_cached": state.usage.cached, "tokens_out": state.usage.output,
        "calls": state.calls.len(), "executions": state.ledger.len(), "edits": state.edits.len(),
        "waiting": state.queue().count(), "rules": rules::lines(state), "cost": state.spent.words(),
        "torn": loaded.torn.as_ref().map(ToString::to_string),
        "damaged": loaded.damage.as_ref().map(ToString::to_string),
    })
}

fn verify(common: &Common, ground: &Ground, id: &str) -> Result<Code, Failure> {
    let place = ground.store.find(id)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Place, Standing, Summary};

    fn one(model: &str, title: &str, problem: Option<&str>) -> Summary {
        Summary {
            id: "01a20893-c683-77ed-9373-7664649706db".into(),
            place: Place::File {
                path: "x.jsonl".into(),
            },
            title: Some(title.into()),
            model: Some(model.into()),
            workspace: None,
            started: Some(0),
            last: None,
            standing: Standing::Finished,
            bytes: 0,
            modified: None,
            fork: Some(("01b20893-c683-77ed".into(), 40)),
            problem: problem.map(Into::into),
        }
    }

    #[test]
    fn the_list_of_a_terminal_is_no_wider_than_that_and_says_where_it_is_cut() {
        let all = [
            one("m", &"long words ".repeat(20), None),
            one("a-model-with-a-rather-long-name", "日本\u{202e}", Some("torn")),
        ];
        for columns in [20, 40, 60, 80, 100, 120, 160, 400] {
            let lines = fitted(&all, columns);
            for line in &lines {
                assert!(line.columns() <= columns, "{columns}: {line}");
            }
            assert_eq!(
                lines.len(),
                if columns < 120 { 4 } else { 2 },
                "{columns}: {lines:?}"
            );
        }
        let narrow = fitted(&all, 80);
        assert!(narrow[0].contains("finished       0 events  m"), "{narrow:?}");
        assert!(
            narrow[1].starts_with("    long words") && narrow[1].ends_with('…'),
            "{narrow:?}"
        );
        assert!(narrow[2].contains("problem "), "{narrow:?}");
        assert_eq!(narrow[3], "    torn  日本⟨U+202E⟩  (fork of 01b20893-c683 at 40)");
        let wide = fitted(&all, 400);
        assert!(wide[0].contains("(fork of 01b20893-c683 at 40)"), "{wide:?}");
        let at = |line: &str, words: &str| line.split(words).next().unwrap().columns();
        assert_eq!(at(&wide[0], "long words"), at(&wide[1], "torn"));
        // What is no terminal gets all of it.
        assert!(listed(&all[0]).contains(&"long words ".repeat(20)));
    }
}
