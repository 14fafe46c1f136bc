//! Operator verbs on a recorded session: each builds the same command as the console, records it
//! and leaves. Nothing runs unless --resume is given. Must not know: how a command is decided.

use std::path::Path;

use super::args::{Common, Verb};
use super::build::{Ground, JournalLog};
use super::exit::{Code, Failure};
use super::{intent, print, run};
use crate::domain::advance;
use crate::domain::apply::{apply, fold};
use crate::domain::command::{Command, EditCommand};
use crate::domain::decide;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::{Event, RunEvent};
use crate::domain::id::{NodeId, Seq};
use crate::domain::lineage::{self, Plan};
use crate::domain::state::State;
use crate::domain::turn::Stream;
use crate::engine::advise::Adviser;
use crate::engine::clock::Clock;
use crate::engine::log::Log as _;
use crate::engine::resume;
use crate::journal::{self, Place, Writer};
use crate::text::visible;

/// Carries out a verb.
pub fn verb(common: &Common, verb: &Verb) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    let on = intent::on(verb);
    let place = ground.store.find(&on.session)?;
    let state = fold(&journal::read(&place)?.envelopes);
    let command = intent::command(&state, verb)?;
    if intent::is_preview(verb) {
        let Command::Edit(EditCommand::Commit { edits, .. }) = command else {
            return Err(Failure::new(Code::Usage, "only edits have a preview"));
        };
        let adviser = adviser(common, ground, &place, &state)?;
        let events = decide::edit::commit(&state, &adviser, &edits, (None, false))?;
        let plan = lineage::of_events(&state, &events);
        print::out(&describe(&state, &plan));
        return Ok(Code::Ok);
    }
    // `last` must mean the same session all along.
    let recorded = decide(common, ground.clone(), &place.id(), &command)?;
    if on.resume {
        // Standard output is for the answer.
        print::err(&recorded);
        return run::go_on(common, ground, &place.id());
    }
    print::out(&recorded);
    Ok(Code::Ok)
}

/// Records a command on a session that nobody else has open, with what follows by itself. Gives
/// a line that says so.
pub fn decide(common: &Common, ground: Ground, id: &str, command: &Command) -> Result<String, Failure> {
    let place = ground.store.find(id)?;
    let (writer, loaded) = Writer::open(&place)?;
    if let Some(torn) = &loaded.torn {
        print::err(&torn.to_string());
    }
    let state = fold(&loaded.envelopes);
    let user = ground.user();
    let adviser = adviser(common, ground, &place, &state)?;
    let mut draft = Draft::new(state);
    draft.take_over();
    let events = decide::command(&draft.state, &adviser, command)?;
    draft.add(events, &Actor::Operator(user));
    // Checks and gates follow at once, so that the queue tells the truth; launches and requests do
    // not: they belong to the process that runs.
    loop {
        let events = advance::quiet(&draft.state, &adviser);
        if events.is_empty() {
            break;
        }
        draft.add(events, &Actor::Engine);
    }
    draft.write(JournalLog(writer))
}

/// What decisions on a recorded run are advised by: its own tools, directory and policy.
fn adviser(common: &Common, ground: Ground, place: &Place, state: &State) -> Result<Adviser, Failure> {
    let recorded = state
        .started
        .as_deref()
        .ok_or_else(|| run::unbegun(&place.id()))?;
    let setup = run::setup_of(recorded, &place.id())?;
    let workspace = Path::new(&recorded.workspace);
    let ground = ground.for_run(common, workspace, &setup)?;
    let mut adviser = ground.adviser(&setup.session, workspace, setup.headless)?;
    adviser.keep_preset(&state.policy);
    Ok(adviser)
}

/// Facts that are written together once it is known that the command is not refused.
struct Draft {
    state: State,
    envelopes: Vec<Envelope>,
    clock: Clock,
}

impl Draft {
    fn new(state: State) -> Self {
        Self {
            state,
            envelopes: Vec::new(),
            clock: Clock::start(),
        }
    }

    /// Nobody else has the session open: what is recorded as under way has nobody who reports on it.
    fn take_over(&mut self) {
        let streams = self.state.turns.values().any(|turn| turn.stream == Stream::Open);
        if streams || !self.state.agenda.running.is_empty() {
            let reopened = RunEvent::Reopened {
                interrupted: resume::interrupted(&self.state),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            };
            self.add(vec![Event::Run(reopened)], &Actor::Engine);
        }
    }

    fn add(&mut self, events: Vec<Event>, actor: &Actor) {
        let last = events.len().saturating_sub(1);
        for (index, event) in events.into_iter().enumerate() {
            let envelope = Envelope {
                v: FORMAT,
                seq: self.state.seq.next(),
                at: self.clock.utc_ms(),
                mono: self.clock.mono_ms(),
                actor: actor.clone(),
                cause: Seq(0),
                more: index < last,
                event,
            };
            apply(&mut self.state, &envelope);
            self.envelopes.push(envelope);
        }
    }

    fn write(self, mut log: JournalLog) -> Result<String, Failure> {
        let fail = |error| Failure::new(Code::Session, error);
        for envelope in &self.envelopes {
            log.append(envelope).map_err(fail)?;
        }
        log.sync().map_err(fail)?;
        Ok(format!("recorded as {}", self.state.seq))
    }
}

/// The plan of an edit in words.
pub fn describe(state: &State, plan: &Plan) -> String {
    let list = |ids: &[NodeId]| -> String {
        if ids.is_empty() {
            return "none".into();
        }
        ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let may: Vec<NodeId> = plan
        .possible
        .iter()
        .filter(|id| !plan.certain.contains(id))
        .copied()
        .collect();
    let effects: Vec<String> = plan
        .effects
        .iter()
        .filter_map(|seq| state.ledger.get(seq))
        .map(|entry| {
            format!(
                "{} {} ({})",
                entry.call,
                visible(&entry.tool),
                entry.effect.word()
            )
        })
        .collect();
    let request = if plan.asks {
        format!("yes, about {} tokens", plan.tokens)
    } else {
        "no".into()
    };
    [
        format!("become history     {}", list(&plan.superseded)),
        format!("run again          {}", list(&plan.certain)),
        format!("may run again      {}", list(&may)),
        format!("keep their results {}", list(&plan.kept)),
        format!("are cancelled      {}", list(&plan.cancelled)),
        format!("finish first       {}", list(&plan.drained)),
        format!(
            "already happened   {}",
            if effects.is_empty() {
                "nothing".into()
            } else {
                effects.join(", ")
            }
        ),
        format!("approved by this   {}", list(&plan.approves)),
        format!("model asked again  {request}"),
    ]
    .join("\n")
}
