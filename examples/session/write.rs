//! A session of so many nodes on disk, written by the journal. Must not know: what it is for.

use std::path::Path;
use std::time::Instant;

use overrule::engine::ids;
use overrule::engine::setup::{ModelSetup, Setup};
use overrule::journal::Store;
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

/// Makes a session of at least so many nodes. Its workspace is the directory of sessions, its model a
/// server of chat completions at this address, which the run would ask next where it goes on.
pub fn session(dir: &Path, nodes: usize, model: &str) -> Result<Made, Fail> {
    let id = ids::session();
    let store = Store::open(dir);
    let mut writer = store.create(id)?;
    let setup = Setup {
        session: id.to_string(),
        model: ModelSetup::OpenaiChat {
            base_url: model.to_owned(),
            model: "measured".to_owned(),
        },
        headless: false,
        task: None,
        policy: None,
        samples: None,
    };
    let mut begun = started();
    begun.workspace = std::fs::canonicalize(dir)?.to_string_lossy().into_owned();
    begun.setup = setup.to_text().into();
    let mut run = Run::begun(begun);
    let mut records = 0;
    loop {
        for envelope in run.events.drain(..) {
            writer.append(&envelope)?;
            records += 1;
        }
        if run.nodes >= nodes {
            break;
        }
        run.grow_to((run.nodes + BATCH).min(nodes));
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
