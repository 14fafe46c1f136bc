//! Finds the loops in the recorded sessions.
//!
//! Must not know: how a loop is detected.

use std::fmt;
use std::path::{Path, PathBuf};

use overrule::domain::apply::apply;
use overrule::domain::id::ThreadId;
use overrule::domain::state::State;
use overrule::journal::{self, Place};
use overrule::resilience::loops::{Config, Watch};

/// The recorded sessions with a real loop, labelled by hand.
const GO_ROUND: [&str; 3] = ["ring", "spare", "stubborn"];

/// What was found in the recorded sessions of the project.
#[derive(Debug, Default)]
pub struct Recorded {
    /// One by one.
    pub sessions: Vec<Session>,
}

/// What was found in one.
#[derive(Debug)]
pub struct Session {
    /// Its name.
    name: String,
    /// Turns of its model.
    turns: usize,
    /// True where its model loops.
    goes_round: bool,
    /// Loops that were found.
    loops: Vec<String>,
    /// Warnings that were given and did not become loops.
    warnings: Vec<String>,
}

impl Session {
    /// True where there is something to say of it.
    pub fn is_told(&self) -> bool {
        self.goes_round || !self.loops.is_empty() || !self.warnings.is_empty()
    }
}

impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = if self.goes_round {
            "goes round"
        } else {
            "does not go round"
        };
        write!(f, "{} ({label}, {} turns):", self.name, self.turns)?;
        let nothing = self.loops.is_empty() && self.warnings.is_empty();
        if nothing {
            return f.write_str(" nothing found");
        }
        for words in &self.loops {
            write!(f, " loop: {words};")?;
        }
        for words in &self.warnings {
            write!(f, " warning: {words};")?;
        }
        Ok(())
    }
}

impl Recorded {
    /// Turns of all models.
    pub fn turns(&self) -> usize {
        self.sessions.iter().map(|one| one.turns).sum()
    }

    /// Sessions with a real loop.
    pub fn circles(&self) -> usize {
        self.sessions.iter().filter(|one| one.goes_round).count()
    }

    /// Those of them in which nothing was found.
    pub fn overlooked(&self) -> usize {
        let missed = |one: &&Session| one.goes_round && one.loops.is_empty();
        self.sessions.iter().filter(missed).count()
    }

    /// Loops that were found in sessions without one.
    pub fn false_alarms(&self) -> usize {
        self.healthy().map(|one| one.loops.len()).sum()
    }

    /// Warnings that were given in sessions without a loop.
    pub fn false_warnings(&self) -> usize {
        self.healthy().map(|one| one.warnings.len()).sum()
    }

    fn healthy(&self) -> impl Iterator<Item = &Session> {
        self.sessions.iter().filter(|one| !one.goes_round)
    }
}

/// Looks after every event of every recorded session.
pub fn recorded() -> Result<Recorded, String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    let mut found = Recorded::default();
    for dir in [dir.clone(), dir.join("demos")] {
        let entries = std::fs::read_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
        paths.sort();
        for path in paths {
            found.sessions.push(look(&path)?);
        }
    }
    Ok(found)
}

fn look(path: &Path) -> Result<Session, String> {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let message = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
    let place = Place::at(path).map_err(|error| message(&error))?;
    let loaded = journal::read(&place).map_err(|error| message(&error))?;
    let (mut state, mut watch) = (State::default(), Watch::new(Config::default()));
    let (mut loops, mut warnings) = (Vec::new(), Vec::new());
    for envelope in &loaded.envelopes {
        apply(&mut state, envelope);
        let threads: Vec<ThreadId> = state.threads.turns.keys().copied().collect();
        for report in threads.into_iter().flat_map(|thread| watch.look(&state, thread)) {
            // A notice about a tool is neither an alarm nor a warning.
            if report.finding.detector.is_informational() {
                continue;
            }
            let to = if report.is_loop { &mut loops } else { &mut warnings };
            let words = format!("{}, {}", report.finding.detector, report.finding.describe());
            if !to.contains(&words) {
                to.push(words);
            }
        }
    }
    Ok(Session {
        goes_round: GO_ROUND.contains(&name.as_str()),
        turns: state.turns.values().filter(|turn| turn.asked > 0).count(),
        name,
        loops,
        warnings,
    })
}
