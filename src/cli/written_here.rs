//! Knows which sessions this program wrote for this user, and asks before it continues another one.
//!
//! Must not know: how a run continues.
//!
//! A session names a preset, a directory, a model server, rules and approvals. They count only where this user's program
//! wrote them. The state directory, which no tool can read or write, keeps number and link of the last record that was
//! synced. A session with another record at that number, or that is not listed, is from elsewhere.

use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use super::build::AppContext;
use super::exit::{Code, Failure};
use super::print;
use overrule_base::text::visible;
use overrule_config::{self as config, Env, OWN};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::state::State;
use overrule_engine::setup::{ModelSetup, Setup};
use overrule_journal::{Link, Place};
use overrule_policy::Preset;
use overrule_regular_file::{self as regular_file, Links};

/// Maximum number of bytes of an entry.
const ENTRY: u64 = 1024;

/// Notes what was written of one session.
pub struct Note {
    env: Env,
    session: String,
}

impl Note {
    /// Notes that the session is begun here.
    pub fn begin(&self) {
        self.keep(Seq(0), Link::FIRST);
    }

    /// Notes the newest record that is on disk. A failure only means that a later resume asks.
    pub fn keep(&self, last: Seq, link: Link) {
        let written = match list(&self.env) {
            Some(list) => put(&list.join(&self.session), last, link),
            None => Err(io::Error::other("there is no directory for the program's state")),
        };
        if let Err(error) = written {
            tracing::warn!(%error, "the list of own sessions is not written");
        }
    }
}

/// Writes an entry of the list; not synced.
fn put(entry: &Path, last: Seq, link: Link) -> io::Result<()> {
    let draft = entry.with_extension("part");
    let mut file = regular_file::rewrite(&draft)?;
    writeln!(file, "{} {}", last.0, String::from_utf8_lossy(&link.hex()))?;
    std::fs::rename(&draft, entry)
}

/// Who wrote a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// This program, for this user, up to this record.
    Here(Seq),
    /// Somebody else, or something changed it.
    Elsewhere,
}

/// The directory of the list. It is made with the sessions that exist then.
fn list(env: &Env) -> Option<PathBuf> {
    let dir = env.state_dir.as_ref()?.join(OWN).join("written");
    if dir.is_dir() {
        return Some(dir);
    }
    // Whole or not at all: a list that is cut off is never completed.
    let draft = dir.with_extension(format!("{}.part", std::process::id()));
    std::fs::create_dir_all(&draft).ok()?;
    let earlier = config::default_sessions(env).and_then(|dir| std::fs::read_dir(dir).ok());
    for session in earlier.into_iter().flatten().flatten() {
        let Ok(place) = Place::at(&session.path()) else {
            continue;
        };
        if let Some((last, link)) = record(&place.journal(), None) {
            put(&draft.join(place.id()), last, link).ok()?;
        }
    }
    let made = std::fs::rename(&draft, &dir);
    if made.is_err() {
        // Another process made it meanwhile.
        let _ = std::fs::remove_dir_all(&draft);
    }
    dir.is_dir().then_some(dir)
}

/// Number and link of a record of a journal, or of the last one.
fn record(journal: &Path, wanted: Option<Seq>) -> Option<(Seq, Link)> {
    let mut lines = BufReader::new(regular_file::open(journal, Links::Refuse).ok()?);
    let (mut no, mut line, mut last) = (0, Vec::new(), None);
    loop {
        line.clear();
        lines.read_until(b'\n', &mut line).ok()?;
        let Some(whole) = line.strip_suffix(b"\n") else {
            // The number of a record is that of its line.
            return last.filter(|_| wanted.is_none());
        };
        no += 1;
        if wanted.is_none_or(|wanted| wanted == Seq(no)) {
            last = Some((Seq(no), Link::of(whole)));
            if wanted.is_some() {
                return last;
            }
        }
    }
}

/// Returns the note of a session that was begun here, or that was admitted.
pub fn note(env: &Env, session: &str) -> Note {
    Note {
        env: env.clone(),
        session: session.to_owned(),
    }
}

/// Returns the note of a session that was written here so far, and of no other: a decision about a session from elsewhere
/// does not make it one's own.
pub fn note_if_own(env: &Env, place: &Place) -> Option<Note> {
    match writer(env, place) {
        Writer::Here(_) => Some(note(env, &place.id())),
        Writer::Elsewhere => None,
    }
}

/// Notes a session that was written whole from one that was written here.
pub fn copied(env: &Env, place: &Place) {
    if let Some((last, link)) = record(&place.journal(), None) {
        note(env, &place.id()).keep(last, link);
    }
}

/// Finds out who wrote a session.
pub fn writer(env: &Env, place: &Place) -> Writer {
    let noted = || {
        let entry = list(env)?.join(place.id());
        let text = regular_file::read_text(&entry, ENTRY).ok()?;
        let (no, link) = text.trim_end().split_once(' ')?;
        let no = Seq(no.parse().ok()?);
        if no == Seq(0) {
            // It was begun here, and nothing of it was synced and noted since.
            return Some(no);
        }
        let (_, found) = record(&place.journal(), Some(no))?;
        (found.hex().as_slice() == link.as_bytes()).then_some(no)
    };
    noted().map_or(Writer::Elsewhere, Writer::Here)
}

/// What a resumed session brings along.
pub struct Admitted {
    /// Name of the preset that holds, unless another one is given.
    pub preset: String,
    /// True if its rules count.
    pub rules_count: bool,
    /// The events with which the run takes back what was decided elsewhere.
    pub events: Vec<Event>,
    /// What the operator is told.
    pub notice: Option<String>,
}

/// Admits a session that is resumed. One from elsewhere names what it brings, and asks; `accepted` answers yes.
pub fn admit(
    context: &AppContext,
    writer: Writer,
    (state, session): (&State, &str),
    (headless, accepted): (bool, bool),
) -> Result<Admitted, Failure> {
    if let Writer::Here(confirmed) = writer {
        // What is beyond the last synced record was perhaps not written by this program.
        let events = again(state, |decided| decided > confirmed);
        return Ok(Admitted {
            preset: state.settings.policy.clone(),
            rules_count: true,
            events,
            notice: None,
        });
    }
    let own = context.settings.preset.value;
    let preset = stricter(own, state.settings.policy.parse().unwrap_or(Preset::Supervised));
    let words = brings(state, session, own, preset);
    if !accepted {
        let hint = format!(
            "hint: read it with `overrule replay {session}`; `overrule resume {session} --from-elsewhere` continues it"
        );
        if headless || !io::stdin().is_terminal() {
            let why = format!("cannot resume session {session}: it is from elsewhere\n{words}\n{hint}");
            return Err(Failure::new(Code::Halted, why));
        }
        print::err(&words);
        print::err("Continue it? Type `yes`:");
        let mut answer = String::new();
        // A read error counts as no.
        io::stdin().read_line(&mut answer).unwrap_or_default();
        if answer.trim() != "yes" {
            return Err(Failure::new(
                Code::Halted,
                format!("session {session} was not resumed; {hint}"),
            ));
        }
    }
    let dropped = state.settings.rules.iter().filter(|rule| !rule.dropped);
    let dropped = dropped.map(|rule| Event::Run(RunEvent::RuleDropped { no: rule.no }));
    let mut events: Vec<Event> = dropped.collect();
    let rules = events.len();
    events.extend(again(state, |_| true));
    let notice = format!(
        "This session is from elsewhere. Decided elsewhere, and asked again: {rules} rules, {} approvals. The preset is {preset}.",
        events.len() - rules
    );
    Ok(Admitted {
        preset: preset.to_string(),
        rules_count: false,
        events,
        notice: Some(notice),
    })
}

/// Adds events to the first ones of a process, each once.
pub fn take_back(first: &mut Vec<Event>, events: Vec<Event>) {
    for event in events {
        if !first.contains(&event) {
            first.push(event);
        }
    }
}

/// The events by which approved calls that have not started ask again, if the event that decided them counts.
fn again(state: &State, counts: impl Fn(Seq) -> bool) -> Vec<Event> {
    let waiting = state.agenda.queued.iter().chain(&state.agenda.delayed);
    let is_counted = |id: &&NodeId| {
        let call = state.calls.get(*id);
        let last = call.and_then(|call| call.decisions.last());
        last.is_none_or(|(_, decided, _)| counts(*decided))
    };
    let woken = waiting.filter(is_counted);
    woken
        .map(|call| Event::Call(CallEvent::Woken { call: *call }))
        .collect()
}

/// The preset under which less runs without a question.
fn stricter(one: Preset, other: Preset) -> Preset {
    let rank = |preset: &Preset| match preset {
        Preset::Auto => 0,
        Preset::Reversible => 1,
        Preset::Edits => 2,
        Preset::Guarded => 3,
        Preset::ReadOnly => 4,
        Preset::Supervised => 5,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

/// Says what a session from elsewhere brings along.
fn brings(state: &State, session: &str, own: Preset, preset: Preset) -> String {
    let started = state.started.as_deref();
    let model = started.map_or_else(
        || "unknown".to_owned(),
        |started| match Setup::parse(&started.setup).map(|setup| setup.model) {
            Ok(ModelSetup::Server { base_url, model, .. }) => format!("{model} at {base_url}"),
            Ok(ModelSetup::Agent { upstream, model, .. }) => {
                format!("{model} at {upstream}, asked by an agent")
            }
            Ok(ModelSetup::Scripted { name, .. }) => format!("scripted: {name}"),
            Err(_) => started.model.clone(),
        },
    );
    let rules = state.settings.rules.iter().filter(|rule| !rule.dropped).count();
    format!(
        "session {} was not written by this program here, or was changed since. It brings:\n  preset: {} (yours: {own}; {preset} holds)\n  \
         directory: {}\n  model server: {}\n  decided elsewhere, asked again: {rules} rules, {} approvals of calls that have not started",
        visible(session),
        visible(&state.settings.policy),
        visible(started.map_or("unknown", |started| &started.workspace)),
        visible(&model),
        again(state, |_| true).len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_preset_holds_in_either_order() {
        let order = [
            Preset::Auto,
            Preset::Reversible,
            Preset::Edits,
            Preset::Guarded,
            Preset::ReadOnly,
            Preset::Supervised,
        ];
        assert_eq!(order.len(), Preset::ALL.len());
        for (at, loose) in order.into_iter().enumerate() {
            for strict in order.into_iter().skip(at) {
                assert_eq!(stricter(loose, strict), strict);
                assert_eq!(stricter(strict, loose), strict);
            }
        }
    }
}
