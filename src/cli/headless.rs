//! Runs without a screen: the policy decides, and the answer goes to standard output.
//!
//! Must not know: how a run decides.

use super::address::Address;
use super::args::Common;
use super::build::AppContext;
use super::escalate::{Caller, Next};
use super::exit::{Code, Failure};
use super::follow::Followed;
use super::headless_decisions::Watch;
use super::run::Ready;
use super::signals::{self, StopRequest};
use super::why_ended::End;
use super::{cut_off, leave, output, print, progress};
use futures_util::future::BoxFuture;
use overrule_base::text::visible;
use overrule_console::run::approval_stats;
use overrule_domain::apply;
use overrule_domain::envelope::{Actor, Envelope, Via};
use overrule_domain::files::is_restoring;
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::{Mode, State};
use overrule_domain::turn::Usage;
use overrule_domain::{thread, unresolved};
use overrule_engine::{Facts, Publication};
use overrule_journal::{Link, encode_line};
use overrule_present::conflict::ConflictView;
use overrule_present::output::ResultView;
use overrule_present::{self as present, json};

/// Serves a run until it ends, needs an operator, or is interrupted.
pub async fn serve(common: &Common, context: &AppContext, ready: Ready) -> Result<Code, Failure> {
    let Ready {
        driver,
        handle,
        first,
        task,
        session,
        head,
        run,
        door,
        guest,
        ..
    } = ready;
    let address = context.address(&session);
    let mut stop = signals::listen()?;
    let leaving = leave::at_a_signal(
        leave::Signals::All,
        format!("to continue: {}", address.to_continue()),
    );
    let mut received = handle.subscribe();
    let running = tokio::spawn(driver.run(first));
    if let Some(task) = task {
        tokio::spawn(handle.command(task, Actor::operator(context.user(), Via::Shell)));
    }
    let mut out = Out {
        json: common.json,
        link: head,
        run,
        caller: Caller::of(context, &session),
    };
    let mut watch = Watch::new(handle.clone(), received.published.clone(), address.clone());
    watch.attended = door.is_some();
    watch.guest = guest.is_some();
    let (ended, others) = guest.map(|guest| (guest.ended, guest.others_rest)).unzip();
    let mut guest = std::pin::pin!(gone(ended));
    let mut others = std::pin::pin!(rest(others));
    // An end that waits for the agents of other runs.
    let mut held = None;
    let mut files = Followed::new(context, &handle);
    files.take().await;
    let end = loop {
        tokio::select! {
            biased;
            asked = stop.next() => match asked {
                StopRequest::Stop(code) => {
                    print::err("interrupted: ending running calls (again to end immediately)");
                    break End::new(code, "");
                }
                StopRequest::StopNow(code) => return Ok(stop_now(&address, code)),
            },
            fact = received.facts.recv() => {
                if let Some(end) = take(&mut watch.state, &mut out, fact) {
                    break end;
                }
            }
            reported = received.published.changed() => {
                let reported = reported.map(|()| *received.published.borrow_and_update());
                // The events up to there were sent before, but may have arrived after the branch above was polled.
                if let Some(end) = catch_up(&mut received.facts, &mut watch.state, &mut out) {
                    break end;
                }
                if let Ok(reported) = reported && held.is_none() {
                    held = watch.look(reported).await;
                }
                // Without a socket no operator can decide: only the end is notified.
                if watch.attended {
                    out.caller.look(&watch.state);
                }
            }
            end = &mut guest => break end,
            () = &mut others, if held.is_some() => break held.unwrap_or_else(lost_loop),
            next = out.caller.next() => out.call(next, &watch.state),
            () = files.changed() => files.take().await,
        }
    };
    if let Some(door) = &door {
        door.shut();
    }
    // A second signal ends the program immediately.
    tokio::select! {
        () = handle.shutdown() => {}
        asked = stop.next() => if let StopRequest::StopNow(code) = asked { return Ok(stop_now(&address, code)); }
    }
    while let Some(fact) = received.facts.try_recv() {
        if !matches!(fact, Publication::Ended | Publication::Halted(_)) {
            take(&mut watch.state, &mut out, Some(fact));
        }
    }
    let ended = running.await;
    drop(leaving);
    if let Some(door) = door {
        door.settle().await;
    }
    let end = ended.map_or_else(|_| lost_loop(), |()| end);
    out.caller.call_at_end(&watch.state, &end);
    tokio::select! {
        failed = out.caller.finish() => failed.iter().for_each(|words| print::err(&print::safe_text(words))),
        asked = stop.next() => if let StopRequest::StopNow(code) = asked { return Ok(stop_now(&address, code)); }
    }
    if watch.guest {
        return end_with_agent(common, &watch.state, &address, end);
    }
    conclude(common, &watch.state, &address, end)
}

fn lost_loop() -> End {
    End::new(
        Code::Other,
        "the event loop of the run failed; all decisions are recorded",
    )
}

/// Waits until no other run of this process is under way; not at all where there is none.
async fn rest(others: Option<BoxFuture<'static, ()>>) {
    if let Some(others) = others {
        others.await;
    }
}

/// Waits until the agent of another program has ended, if the run has one.
async fn gone(guest: Option<tokio::sync::oneshot::Receiver<End>>) -> End {
    match guest {
        Some(guest) => {
            let lost = || End::new(Code::Other, "the agent was lost");
            guest.await.unwrap_or_else(|_| lost())
        }
        None => std::future::pending().await,
    }
}

/// Applies all received publications; returns the end if the run ended.
fn catch_up(facts: &mut Facts, state: &mut State, out: &mut Out) -> Option<End> {
    while let Some(fact) = facts.try_recv() {
        let end = take(state, out, Some(fact));
        if end.is_some() {
            return end;
        }
    }
    None
}

/// Ends without waiting; the system ends what still runs.
fn stop_now(session: &Address, code: Code) -> Code {
    print::err(&format!("to continue: {}", session.to_continue()));
    code
}

/// Applies one publication; returns the end if the run ended.
fn take(state: &mut State, out: &mut Out, fact: Option<Publication>) -> Option<End> {
    match fact {
        Some(Publication::Snapshot(snapshot)) => *state = *snapshot,
        Some(Publication::Event(envelope)) => {
            out.print(&envelope);
            out.caller.note(&envelope);
            if let Some(line) = progress::line(state, &envelope.event) {
                print::err(&line);
            }
            apply::apply(state, &envelope);
            for line in progress::conflicts(state, &envelope.event) {
                print::err(&line);
            }
        }
        Some(Publication::Notice(text)) => print::err(&print::safe_text(&text)),
        Some(Publication::Halted(halt)) => {
            let Failure { code, message } = halt.into();
            return Some(End::new(code, message));
        }
        Some(Publication::Ended) | None => return Some(End::new(Code::Other, "the run ended")),
    }
    None
}

/// Prints the result of a run without an answer, as JSON.
fn print_no_answer(state: &State, session: &Address, end: &End) {
    print::out(&json(&ResultView {
        answer: None,
        exit: end.code.number(),
        session: session.id(),
        failed_calls: None,
        write_conflicts: ConflictView::all(state),
        output: None,
    }));
}

/// Ends with the agent of another program, which has said its answer itself.
fn end_with_agent(common: &Common, state: &State, session: &Address, end: End) -> Result<Code, Failure> {
    if state.started.is_some() {
        if common.json {
            print_no_answer(state, session, &end);
        }
        print::err(&format!("session {}", session.id()));
    }
    if end.why.is_empty() {
        return Ok(end.code);
    }
    Err(Failure::new(end.code, end.why))
}

/// Prints how a run ended, and returns its exit code.
pub fn conclude(common: &Common, state: &State, session: &Address, end: End) -> Result<Code, Failure> {
    if state.tally.usage != Usage::default() {
        let spent = state.tally.spent.describe().map(|spent| format!("; {spent}"));
        let tokens = present::tokens(state.tally.usage);
        print::err(&format!("tokens: {tokens}{}", spent.unwrap_or_default()));
    }
    if let Some(asked) = approval_stats::of(state) {
        print::err(&print::safe_text(&format!("{}: {}", asked.name, asked.words)));
    }
    for conflict in ConflictView::all(state) {
        print::err(&conflict.describe());
    }
    for words in cut_off::lines(state, end.code == Code::Session) {
        print::err(&print::safe_text(&words));
    }
    if let Mode::Finished(answer) = state.mode
        && end.code != Code::Session
        && !is_restoring(state)
    {
        let text = state.nodes.get(&answer).map(Node::text).unwrap_or_default();
        print::err(&format!("session {}", session.id()));
        return print_answer(common, state, text, session);
    }
    if common.json {
        print_no_answer(state, session, &end);
    }
    // A run that never started has no session.
    if state.started.is_some() {
        print::err(&format!("to continue: {}", session.to_continue()));
    }
    if end.why.is_empty() {
        Ok(end.code)
    } else {
        Err(Failure::new(end.code, end.why))
    }
}

/// Prints the answer, as text or JSON.
pub fn print_answer(common: &Common, state: &State, text: &str, session: &Address) -> Result<Code, Failure> {
    let code = Code::Ok;
    let fitting = output::fitting(state, text);
    if fitting.is_none() && output::is_set(state) {
        print::err("the answer does not fit the output schema: the operator accepted it");
    }
    let failed = unresolved::failed_calls(state, thread::ROOT);
    if let Some(words) = unresolved::describe_count(failed.len()) {
        print::err(&format!("{words}: {}", named(state, &failed)));
    }
    let printed = if common.json {
        print::out(&json(&ResultView {
            answer: Some(text),
            exit: code.number(),
            session: session.id(),
            failed_calls: Some(failed),
            write_conflicts: ConflictView::all(state),
            output: fitting.and_then(|output| serde_json::from_str(output).ok()),
        }))
    } else if let Some(output) = fitting {
        print::out(&output::safe(output))
    } else {
        print::out(&print::safe(text))
    };
    if printed {
        return Ok(code);
    }
    // An error such as a full disk has its own exit code. A closed pipe means that the answer was not read.
    let code = print::lost().map_or(Code::Other, |lost| lost.code);
    Err(Failure::new(
        code,
        format!(
            "cannot write the answer to standard output; hint: it is recorded: overrule resume {session} --headless"
        ),
    ))
}

/// Calls by number and tool.
fn named(state: &State, calls: &[NodeId]) -> String {
    const NAMED: usize = 8;
    let one = |id: &NodeId| {
        let tool = state
            .nodes
            .get(id)
            .and_then(Node::as_call)
            .map(|(tool, _)| &**tool);
        format!("{id} {}", visible(tool.unwrap_or_default()))
    };
    let mut words: Vec<String> = calls.iter().take(NAMED).map(one).collect();
    if calls.len() > NAMED {
        words.push(format!("and {} more", calls.len() - NAMED));
    }
    words.join(", ")
}

/// Output of events: JSON lines as in the journal, with long texts in full, and notifications.
struct Out {
    json: bool,
    link: Link,
    run: uuid::Uuid,
    /// Notifies the operator.
    caller: Caller,
}

impl Out {
    fn call(&mut self, next: Next, state: &State) {
        match next {
            Next::Due => self.caller.call(state),
            Next::Failed(failed) => failed
                .iter()
                .for_each(|words| print::err(&print::safe_text(words))),
        }
    }

    fn print(&mut self, envelope: &Envelope) {
        if !self.json {
            return;
        }
        match encode_line(self.run, envelope, self.link) {
            Ok(line) => {
                let line = line.trim_end_matches('\n');
                self.link = Link::of(line.as_bytes());
                print::out(line);
            }
            Err(error) => print::err(&format!("cannot print event {}: {error}", envelope.seq)),
        }
    }
}
