//! The edits that were collected in a console and are not committed, from the command line: listed, committed,
//! dropped. What is named by its digest is exactly what was printed. Must not know: what an edit does, how the
//! console shows it.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::args::{self, Change, Common, On, Verb};
use super::build::Ground;
use super::exit::{Code, Failure};
use super::{branches, control, print, record, resume, screen};
use crate::console::app;
use crate::console::model::collected::{self, Collected, Trouble};
use crate::console::words;
use crate::control::Error as ControlError;
use crate::domain::command::{Command, Edit, EditCommand};
use crate::domain::id::NodeId;
use crate::domain::state::State;
use crate::journal::{self, Place, Writer};
use crate::text::visible;

/// Characters of a digest that tell it from others.
const LEAST: usize = 12;

/// The collected edits of a session, as they were read.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    text: String,
    edits: Collected,
}

impl Kept {
    /// Reads them; none where none are kept.
    fn read(ground: &Ground, place: &Place) -> Result<Option<Self>, Failure> {
        let Some(path) = screen::draft(ground, &place.id()) else {
            return Ok(None);
        };
        let fail = |why: String| {
            let why = visible(&why);
            Failure::new(
                Code::Session,
                format!(
                    "the collected edits of session {} cannot be read: {why}; whoever goes on with it sets them aside",
                    place.id()
                ),
            )
        };
        let Some(text) = app::kept(&path) else {
            return Ok(None);
        };
        let text = text.map_err(fail)?;
        let edits = Collected::from_draft(&text).map_err(fail)?;
        Ok((!edits.is_empty()).then_some(Self { path, text, edits }))
    }

    /// The same, where there is nothing to be done without them.
    fn some(ground: &Ground, place: &Place) -> Result<Self, Failure> {
        Self::read(ground, place)?.ok_or_else(|| {
            Failure::new(
                Code::Halted,
                format!("no edits are collected in session {}", place.id()),
            )
        })
    }

    /// One hash of all that is kept.
    fn digest(&self) -> String {
        crate::canon::hash("overrule collected edits v1", &[self.text.as_bytes()])
    }

    /// Refuses what was not decided on these.
    fn seen(&self, given: &str) -> Result<(), Failure> {
        let now = self.digest();
        if given.len() >= LEAST && now.starts_with(given) {
            return Ok(());
        }
        Err(Failure::new(
            Code::Halted,
            format!(
                "what is collected is not what was shown (it is {} now): look at `overrule collected` again",
                now.get(..LEAST).unwrap_or(&now)
            ),
        ))
    }

    /// The command that commits them. Whoever names the digest has seen them whole.
    fn commit(&self, on: &On, change: &Change) -> EditCommand {
        let keep = change.keep_later || self.edits.keep_later;
        let mut command = collected::commit_of(self.edits.edits(), keep);
        if let EditCommand::Commit {
            effects_seen, reason, ..
        } = &mut command
        {
            *effects_seen = change.planned.effects_seen;
            let kept = (!self.edits.reason.is_empty()).then_some(self.edits.reason.as_str());
            *reason = on.reason.as_deref().or(kept).map(std::sync::Arc::from);
        }
        command
    }

    /// They are committed, and kept no more.
    pub fn done(&self) -> Result<(), Failure> {
        self.keep(&Collected::default()).map(drop)
    }

    fn keep(&self, left: &Collected) -> Result<bool, Failure> {
        app::keep_instead(&self.path, &self.text, left)
            .map_err(|why| Failure::new(Code::Session, visible(&why)))
    }
}

/// Prints the collected edits of a session, each with what it changes.
pub fn list(common: &Common, args: &args::Queue) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    let place = ground.store.find(&args.id)?;
    let found = record::as_found(&place)?;
    let kept = Kept::read(&ground, &place)?;
    match &kept {
        Some(kept) if common.json => {
            print::out(&as_json(&found.state, kept).to_string());
        }
        Some(kept) => print_words(&found.state, kept),
        None if common.json => {
            print::out(&json!({ "edits": [], "digest": null }).to_string());
        }
        None => print::err("no edits are collected"),
    }
    if kept.is_some() && found.held {
        print::err("another process has the session open: this is what is kept beside it");
    }
    Ok(Code::Ok)
}

fn print_words(state: &State, kept: &Kept) {
    let troubles = kept.edits.troubles(state);
    for ((no, item), trouble) in (1..).zip(kept.edits.items()).zip(&troubles) {
        print::out(&format!(
            "{no} {}",
            edit_words(state, &item.edit, trouble.as_ref())
        ));
    }
    if !kept.edits.reason.is_empty() {
        print::out(&format!("reason {}", visible(&kept.edits.reason)));
    }
    if kept.edits.keep_later {
        print::out("later turns stand");
    }
    print::out(&format!("digest {}", kept.digest()));
}

/// An edit in words: what it is, what stands there now, what shall stand there.
fn edit_words(state: &State, edit: &Edit, trouble: Option<&Trouble>) -> String {
    let one = Command::Edit(collected::commit_of(vec![edit.clone()], false));
    let mut lines = vec![words::command(&one) + &place_words(edit)];
    if let Some(now) = now(state, edit) {
        lines.push(format!("  now  {}", visible(&now)));
    }
    let tool = match edit {
        Edit::Call { tool, .. } | Edit::InsertCall { tool, .. } => format!("{tool} "),
        _ => String::new(),
    };
    if let Some(new) = edit.words() {
        let name = if matches!(edit, Edit::RejectAnswer { .. }) {
            "why"
        } else {
            "new"
        };
        lines.push(format!("  {name}  {}", visible(&format!("{tool}{new}"))));
    }
    lines.extend(trouble.map(|why| format!("  !    {}", visible(&why.words()))));
    lines.join("\n")
}

/// What the node of an edit says as it counts now.
fn now(state: &State, edit: &Edit) -> Option<String> {
    let node = state.node(collected::node_of(edit)?)?;
    Some(branches::says(state, node.id, node.rev()))
}

/// Where an insertion stands.
fn place_words(edit: &Edit) -> String {
    match collected::after_of(edit) {
        Some(after) => format!(" behind {after}"),
        None => String::new(),
    }
}

fn as_json(state: &State, kept: &Kept) -> Value {
    let troubles = kept.edits.troubles(state);
    let edits: Vec<Value> = kept
        .edits
        .items()
        .iter()
        .zip(troubles)
        .map(|(item, trouble)| json!({ "edit": item.edit, "trouble": trouble.map(|why| why.words()) }))
        .collect();
    json!({
        "edits": edits,
        "reason": kept.edits.reason,
        "keep_later": kept.edits.keep_later,
        "digest": kept.digest(),
    })
}

/// The commit of the collected edits, where a verb asks for it, with what is to be told of it once it counts.
pub fn of(
    ground: &Ground,
    place: &Place,
    held: bool,
    verb: &Verb,
) -> Result<Option<(Kept, Command)>, Failure> {
    let Verb::Commit {
        on,
        change,
        collected: true,
        digest,
        ..
    } = verb
    else {
        return Ok(None);
    };
    let kept = Kept::some(ground, place)?;
    match digest {
        Some(digest) => kept.seen(digest)?,
        None if verb.is_preview() => {}
        None => {
            return Err(Failure::new(
                Code::Usage,
                "name what you saw of the collected edits: --digest D, as `overrule collected` and --preview print it",
            ));
        }
    }
    if !verb.is_preview() {
        nobody_edits(ground, place, held)?;
    }
    let command = Command::Edit(kept.commit(on, change));
    Ok(Some((kept, command)))
}

impl Kept {
    /// Told below a preview: what the verb is to be called with.
    pub fn tell(&self) {
        print::err(&format!("digest of the collected edits: {}", self.digest()));
    }
}

/// Forgets collected edits, and lets go what only they held back.
pub fn forget(
    common: &Common,
    ground: Ground,
    place: &Place,
    found: &record::Found,
    verb: &Verb,
) -> Result<Code, Failure> {
    let Verb::DropCollected {
        on,
        look,
        only,
        digest,
        ..
    } = verb
    else {
        return Ok(Code::Ok);
    };
    let kept = Kept::some(&ground, place)?;
    if let Some(digest) = digest {
        kept.seen(digest)?;
    }
    let (left, gone) = without(&kept, *only)?;
    if look.preview {
        preview(common, &found.state, &kept, &left, &gone);
        return Ok(Code::Ok);
    }
    nobody_edits(&ground, place, found.held)?;
    forgotten(place, found.held, &kept, &left)?;
    let mut elsewhere = false;
    for command in freed(&found.state, found.held, &left, &gone) {
        elsewhere |= record::decide(common, &ground, &place.id(), &command)?.elsewhere;
    }
    let line = told(common, &gone, &left);
    if on.resume && !elsewhere {
        print::err(&line);
        return resume::go_on(common, ground, &place.id());
    }
    print::out(&line);
    Ok(Code::Ok)
}

/// What stays and what goes.
fn without(kept: &Kept, only: Option<usize>) -> Result<(Collected, Vec<Edit>), Failure> {
    let mut left = kept.edits.clone();
    let Some(only) = only else {
        left.clear();
        return Ok((left, kept.edits.edits()));
    };
    let item = only.checked_sub(1).and_then(|at| kept.edits.items().get(at));
    let Some(item) = item else {
        return Err(Failure::new(
            Code::Usage,
            format!(
                "there is no collected edit {only}: they are numbered from 1 to {}",
                kept.edits.len()
            ),
        ));
    };
    left.remove(item.no);
    Ok((left, vec![item.edit.clone()]))
}

/// Changes the file while nobody else can open the session.
fn forgotten(place: &Place, held: bool, kept: &Kept, left: &Collected) -> Result<(), Failure> {
    let _lock = if held { None } else { Some(Writer::open(place)?) };
    if kept.keep(left)? {
        return Ok(());
    }
    Err(Failure::new(
        Code::Halted,
        "what is collected changed this moment: look at `overrule collected` again",
    ))
}

/// What lets go what is held for the edits that are gone, and for none of those that stay.
fn freed(state: &State, held: bool, left: &Collected, gone: &[Edit]) -> Vec<Command> {
    let release = |node| Command::Edit(EditCommand::Release { node });
    if left.is_empty() {
        // A process without a screen holds for nothing else.
        let any = held || !state.editing.is_empty();
        return any.then(|| release(None)).into_iter().collect();
    }
    let stay = left.nodes(state);
    gone.iter()
        .filter_map(collected::node_of)
        .filter(|node| !stay.contains(node) && (held || state.editing.contains_key(node)))
        .map(|node| release(Some(node)))
        .collect()
}

fn preview(common: &Common, state: &State, kept: &Kept, left: &Collected, gone: &[Edit]) {
    let stay = left.nodes(state);
    let held = gone.iter().filter_map(collected::node_of);
    let freed: Vec<NodeId> = held
        .filter(|node| state.editing.contains_key(node) && !stay.contains(node))
        .collect();
    if common.json {
        let value = json!({ "forgets": gone, "stay": left.len(), "lets_go": freed, "digest": kept.digest() });
        print::out(&value.to_string());
        return;
    }
    for edit in gone {
        print::out(&format!("forget {}", edit_words(state, edit, None)));
    }
    let names: Vec<String> = freed.iter().map(NodeId::to_string).collect();
    if !names.is_empty() {
        print::out(&format!("what waits for {} goes on as it was", names.join(", ")));
    }
    print::out(&format!("digest {}", kept.digest()));
}

fn told(common: &Common, gone: &[Edit], left: &Collected) -> String {
    if common.json {
        return json!({ "type": "dropped", "edits": gone.len(), "left": left.len() }).to_string();
    }
    let edits = if gone.len() == 1 { "edit" } else { "edits" };
    let rest = match left.len() {
        0 => String::new(),
        1 => "; 1 is left".to_owned(),
        left => format!("; {left} are left"),
    };
    format!(
        "{} collected {edits} forgotten{rest}; nothing was changed",
        gone.len()
    )
}

/// Refuses where the console that collected them has the session open: it has them in its hands.
fn nobody_edits(ground: &Ground, place: &Place, held: bool) -> Result<(), Failure> {
    if !held {
        return Ok(());
    }
    let holder = journal::holder(place);
    match control::has_screen(ground, place, holder) {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::new(
            Code::Session,
            "the console that has the session open has these edits in its hands: commit or drop them there (it lists \
             them under `collected`)",
        )),
        Err(ControlError::NoSocket) => Err(record::locked(ground, place, holder)),
        Err(error) => Err(Failure::new(Code::Session, error)),
    }
}
