//! Writes a session with a given number of nodes to disk, through the journal.
//!
//! Must not know: what it is for.

use std::path::Path;
use std::time::Instant;

use overrule::domain::advice::Cards;
use overrule::domain::apply::apply;
use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::decide;
use overrule::domain::id::NodeKind;
use overrule::domain::node::Node;
use overrule::domain::state::State;
use overrule::engine::ids;
use overrule::engine::setup::{ModelSetup, Setup};
use overrule::journal::Store;
use overrule::model::wire::{Options, Wire};
use uuid::Uuid;

use crate::run::{Run, started};

/// Whatever went wrong, with where.
pub type Fail = Box<dyn std::error::Error + Send + Sync>;

/// Nodes that are made before they are written.
const BATCH: usize = 5_000;

/// A session that was made.
pub struct Made {
    /// Its id.
    pub id: Uuid,
    /// Nodes, observations counted.
    pub nodes: usize,
    /// Records.
    pub records: u64,
    /// Bytes of its journal.
    pub bytes: u64,
}

/// The time as it is.
#[expect(clippy::disallowed_methods, reason = "a measurement has to look at the clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// What an operator has done in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    /// Nothing.
    Never,
    /// Another thought near its beginning, and back: two branches that differ in nearly all. A call in five has written.
    AndBack,
}

/// Makes a session of at least this many nodes. Its workspace is the directory of sessions, its model a
/// server of chat completions at this address, which a resumed run would ask next.
pub fn session(dir: &Path, nodes: usize, model: &str, edited: Edited) -> Result<Made, Fail> {
    let id = ids::session();
    let store = Store::open(dir);
    let mut writer = store.create(id)?;
    let setup = Setup {
        session: id.to_string(),
        model: ModelSetup::Server {
            wire: Wire::default(),
            base_url: model.to_owned(),
            model: "measured".to_owned(),
            entry: None,
            options: Options::NONE,
            recording: None,
        },
        headless: false,
        task: None,
        policy: None,
        samples: None,
        output_schema: None,
    };
    let mut begun = started();
    begun.workspace = std::fs::canonicalize(dir)?.to_string_lossy().into_owned();
    begun.setup = setup.to_text().into();
    let mut run = Run::begun(begun);
    if edited == Edited::AndBack {
        run.writes = true;
    }
    let mut records = 0;
    let mut state = State::default();
    loop {
        for envelope in run.events.drain(..) {
            if edited == Edited::AndBack {
                apply(&mut state, &envelope);
            }
            writer.append(&envelope)?;
            records += 1;
        }
        if run.nodes >= nodes {
            break;
        }
        run.grow_to((run.nodes + BATCH).min(nodes));
    }
    if edited == Edited::AndBack {
        and_back(&mut run, &mut state)?;
        for envelope in run.events.drain(..) {
            writer.append(&envelope)?;
            records += 1;
        }
    }
    writer.sync()?;
    let place = store.find(&id.to_string())?;
    Ok(Made {
        id,
        nodes: run.nodes,
        records,
        bytes: std::fs::metadata(place.journal())?.len(),
    })
}

/// Another thought near the beginning, and its undo.
fn and_back(run: &mut Run, state: &mut State) -> Result<(), Fail> {
    let is_thought = |node: &&Node| node.id.kind == NodeKind::Thought;
    let thought = state.nodes.values().filter(is_thought).nth(1);
    let thought = thought.ok_or("it is too short to be edited")?;
    let commit = EditCommand::Commit {
        edits: vec![Edit::Text {
            node: thought.id,
            base: thought.rev(),
            text: "I will look at other files.".into(),
        }],
        effects_seen: None,
        reason: None,
        keep_later: false,
    };
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    let mut known = run.events.len();
    for command in [commit, undo] {
        let events = decide::command(state, &Cards(state), &Command::Edit(command));
        for event in events.map_err(|refusal| refusal.message)? {
            run.event(event);
        }
        for envelope in run.events.iter().skip(known) {
            apply(state, envelope);
        }
        known = run.events.len();
    }
    Ok(())
}
