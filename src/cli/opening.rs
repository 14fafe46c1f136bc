//! Opens a session to continue it: reads and folds all of it before a screen is shown.
//!
//! Must not know: how a run continues, keys, panes.

use std::sync::Arc;

use super::build::AppContext;
use super::exit::Failure;
use super::folding::Folding;
use super::{damaged, print};
use overrule_base::text::visible;
use overrule_domain::envelope::{Actor, Envelope, Via};
use overrule_domain::state::State;
use overrule_journal::{self as journal, Place, Store, Writer};

/// Bytes of a journal above which reading it is announced.
const LONG: u64 = 4 << 20;

/// Prints that a session is being read, if it is long.
pub fn announce(place: &Place) {
    let bytes = std::fs::metadata(place.journal()).map_or(0, |meta| meta.len());
    if let Some(words) = reading(&visible(&place.id()), bytes) {
        print::err(&words);
    }
}

/// The announcement of a session with this number of bytes, if it is long.
fn reading(session: &str, bytes: u64) -> Option<String> {
    let megabytes = bytes >> 20;
    (bytes >= LONG).then(|| format!("reading session {session}: {megabytes} MB"))
}

/// A session that is open for writing.
pub struct Opened {
    /// Appends records to it.
    pub writer: Writer,
    /// Its state.
    pub state: State,
    /// The newest records, for the log of the screen.
    pub past: Vec<Arc<Envelope>>,
    /// Its id.
    pub session: String,
    /// What the operator should know.
    pub notices: Vec<String>,
}

/// Opens a session to write. What a torn last write left is set aside; after damage in the middle
/// the run continues in a new session from the last intact record, see [`damaged`].
pub fn open(context: &AppContext, place: &Place) -> Result<Opened, Failure> {
    announce(place);
    read(
        &context.store,
        place,
        &Actor::operator(context.user(), Via::Shell),
    )
}

fn read(store: &Store, place: &Place, by: &Actor) -> Result<Opened, Failure> {
    let mut folding = Folding::default();
    let opened = Writer::open_each(place, |envelope| folding.take(Arc::new(envelope)));
    let (writer, session, notices) = match opened {
        Ok((writer, report)) => {
            let notices = report.torn.iter().map(ToString::to_string).collect();
            (writer, place.id(), notices)
        }
        Err(journal::Error::Damaged { damage, .. }) => {
            let (new, notice) = damaged::write_continuation(store, place, &damage, by)?;
            let mut opened = read(store, &new, by)?;
            opened.notices.insert(0, notice);
            return Ok(opened);
        }
        Err(error) => return Err(error.into()),
    };
    let (state, past) = folding.made();
    Ok(Opened {
        writer,
        state,
        past,
        session,
        notices,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_session_is_announced() {
        assert_eq!(reading("last", LONG - 1), None);
        let words = reading("last", 99 << 20);
        assert_eq!(words.as_deref(), Some("reading session last: 99 MB"));
    }
}
