//! What it costs to look for circles, and what is found in the recorded sessions. Must not know: how
//! circles are found.

use std::path::Path;
use std::sync::Arc;

use overrule::domain::apply::apply;
use overrule::domain::escape::args_hash;
use overrule::domain::id::{NodeId, NodeKind, Seq, TurnId};
use overrule::domain::state::State;
use overrule::domain::thread::ROOT;
use overrule::journal::{self, Place};
use overrule::resilience::escape::action::{Action, Batch, End};
use overrule::resilience::escape::detect::Detectors;
use overrule::resilience::escape::{Config, Watch};
use tokio::time::Instant;

/// Turns that are taken in for one figure, all in all.
const MORE: u32 = 2_000;
/// Turns that are taken in behind one history: few, so that it is still the history that is named.
const EACH: u32 = 50;

/// A turn with one call of which every seventh was made before and every fifth fails.
fn turn(no: u32) -> Batch {
    let what = if no.is_multiple_of(7) { no % 200 } else { no };
    let args = format!(
        r#"{{"path":"src/module_{what}.rs","about":"{}"}}"#,
        "x".repeat(250)
    );
    let (end, error) = if no.is_multiple_of(5) {
        let error: Arc<str> = Arc::from(format!("not found: module {}", what % 9));
        (End::Failure, Some(error))
    } else {
        (End::Value, None)
    };
    let node = NodeId::new(NodeKind::Call, no);
    let called = (Arc::from("read_file"), args_hash(&args));
    let action = Action::new(node, called, (end, false), error, &what.to_le_bytes());
    Batch::new(TurnId(no), Seq(u64::from(no)), vec![action])
}

/// Microseconds for one turn more, behind histories of different lengths.
pub fn costs() -> Vec<(u32, f64)> {
    [100, 1_000, 100_000]
        .map(|history| (history, cost(history)))
        .to_vec()
}

fn cost(history: u32) -> f64 {
    // Twice as long a history is another one: only behind a long one may many turns follow.
    let each = EACH.max(history / 50).min(MORE);
    let rounds = MORE / each;
    let (mut seen, mut spent) = (0, 0.0);
    for _ in 0..rounds {
        let mut detectors = Detectors::new(&Config::default());
        for no in 0..history {
            detectors.push(turn(no));
        }
        let more: Vec<Batch> = (history..history + each).map(turn).collect();
        let start = Instant::now();
        for batch in more {
            seen += detectors.push(batch).len();
        }
        spent += start.elapsed().as_secs_f64();
    }
    // What was seen is asked for, so that nothing of it can be left out.
    if std::hint::black_box(seen) == usize::MAX {
        return f64::NAN;
    }
    spent * 1e6 / f64::from(rounds * each)
}

/// What was found in the recorded sessions of the project.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Sessions.
    pub sessions: usize,
    /// Turns of their models.
    pub turns: usize,
    /// Loops that were found in them.
    pub alarms: Vec<String>,
}

/// Looks after every event of every recorded session.
pub fn recorded() -> Result<Recorded, String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    let entries = std::fs::read_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut found = Recorded::default();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let shown = path.display().to_string();
        let place = Place::at(&path).map_err(|error| error.to_string())?;
        let loaded = journal::read(&place).map_err(|error| error.to_string())?;
        let (mut state, mut watch) = (State::default(), Watch::new(Config::default()));
        let mut alarms = Vec::new();
        for envelope in &loaded.envelopes {
            apply(&mut state, envelope);
            for report in watch.look(&state, ROOT) {
                if report.is_loop && !alarms.contains(&report.finding) {
                    alarms.push(report.finding);
                }
            }
        }
        found.sessions += 1;
        found.turns += state.turns.values().filter(|turn| turn.asked > 0).count();
        found
            .alarms
            .extend(alarms.iter().map(|alarm| format!("{shown}: {alarm:?}")));
    }
    Ok(found)
}
