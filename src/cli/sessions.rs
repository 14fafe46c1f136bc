//! Lists, shows, names, deletes and verifies recorded sessions (`overrule sessions`).
//!
//! Must not know: the journal's format.

mod list;

use std::io::IsTerminal as _;

use super::args::{Common, Sessions, SessionsWhat};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record, sandbox};
use overrule_base::text::visible;
use overrule_domain::apply::fold;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::state::State;
use overrule_journal as journal;
use overrule_present::session::{DeletedView, JournalView, PathView, SessionDetailView, VerifyView};
use overrule_present::{json, many, time, tokens};

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
        SessionsWhat::Path { id } => {
            let path = match id {
                Some(id) => context.find(&id)?.journal(),
                None => context.store.dir().to_owned(),
            };
            let path = path.display().to_string();
            if common.json {
                print::out(&json(&PathView { path: &path }));
            } else {
                print::out(&visible(&path));
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
    let place = context.find(id)?;
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
    sandbox::delete(context, &place.id());
    context.collect(true);
    if common.json {
        print::out(&json(&DeletedView { deleted: &place.id() }));
    } else {
        print::out(&format!("deleted {}", place.id()));
    }
    Ok(Code::Ok)
}

fn show(common: &Common, context: &AppContext, id: &str) -> Result<Code, Failure> {
    let place = context.find(id)?;
    let loaded = record::loaded(&place)?;
    let (state, id) = (fold(&loaded.envelopes), place.id());
    let view = SessionDetailView::of(&id, &state, extent(&loaded));
    if common.json {
        print::out(&json(&view));
        return Ok(Code::Ok);
    }
    print::out(&details(&view, &state).join("\n"));
    Ok(Code::Ok)
}

/// The extent of a journal that was read.
fn extent(loaded: &journal::Loaded) -> JournalView {
    JournalView {
        started: loaded.envelopes.first().map(|first| first.at),
        last_event: loaded.envelopes.last().map(|last| last.at),
        events: loaded.envelopes.len(),
        torn: loaded.torn.as_ref().map(ToString::to_string),
        damaged: loaded.damage.as_ref().map(ToString::to_string),
    }
}

/// Formats a session in detail, a line for each fact.
fn details(view: &SessionDetailView<'_>, state: &State) -> Vec<String> {
    let (start, counts) = (&view.start, &view.counts);
    let condition = match view.restricted {
        Some(why) => format!("{}; restricted to reading calls ({})", view.state, visible(why)),
        None => view.state.clone(),
    };
    let mut lines = vec![
        format!("session    {}", visible(view.session)),
        format!("name       {}", visible(start.name.unwrap_or("-"))),
        format!("model      {}", visible(start.model.unwrap_or("?"))),
        format!("workspace  {}", visible(start.workspace.unwrap_or("?"))),
        format!("policy     {}", visible(start.policy)),
        format!("started    {}", time::minute(view.journal.started)),
        format!("last event {}", time::minute(view.journal.last_event)),
        format!("state      {condition}"),
        format!("events     {}", view.journal.events),
        format!("requests   {}", counts.requests),
        format!("tokens     {}", tokens(state.tally.usage)),
        format!("calls      {} ({} executions)", counts.calls, counts.executions),
        format!("edits      {}", counts.edits),
        format!("waiting    {}", counts.waiting),
    ];
    let side = state.origin.agent.side;
    if side.count > 0 {
        let requests = many(side.count as usize, "request");
        lines.push(format!("no tools   {requests}, {}", tokens(side.usage)));
    }
    let forks = view.fork_of.iter();
    lines.extend(forks.map(|fork| format!("fork of    {} at event {}", visible(fork.session), fork.at)));
    let parent = view.sub_agent_of.iter();
    lines.extend(parent.map(|session| format!("sub-agent of {}", visible(session))));
    let sub_agents = view.sub_agents.iter();
    lines.extend(sub_agents.map(|session| format!("sub-agent  {}", visible(session))));
    lines.extend(view.rules.iter().cloned());
    let more = [
        ("price", &counts.cost),
        ("torn", &view.journal.torn),
        ("damaged", &view.journal.damaged),
    ];
    let more = more
        .into_iter()
        .filter_map(|(name, text)| Some((name, text.as_ref()?)));
    lines.extend(more.map(|(name, text)| format!("{name:<10} {text}")));
    lines
}

fn verify(common: &Common, context: &AppContext, id: &str) -> Result<Code, Failure> {
    let place = context.find(id)?;
    let report = journal::verify(&place)?;
    let id = place.id();
    let view = VerifyView {
        session: &id,
        records: report.records,
        chain: report.head.to_string(),
        torn: report.torn.as_ref().map(ToString::to_string),
        damaged: report.damage.as_ref().map(ToString::to_string),
        whole: report.is_whole(),
    };
    if common.json {
        print::out(&json(&view));
    } else {
        verified(&view);
    }
    Ok(if view.whole { Code::Ok } else { Code::Session })
}

fn verified(view: &VerifyView<'_>) {
    print::out(&format!(
        "{}: {} records intact, chain {}",
        view.session, view.records, view.chain
    ));
    if let Some(torn) = &view.torn {
        print::out(torn);
    }
    if let Some(damage) = &view.damaged {
        print::out(&format!("damaged: {damage}"));
    }
}
