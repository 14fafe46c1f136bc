//! Reads from a session what a request said. Must not know: who wants to see it.

use std::sync::Arc;

use crate::console::link::Update;
use crate::domain::id::{Seq, TurnId};
use crate::domain::transcript::sent::{Finder, Sent};
use crate::journal::{self, Place};

/// What the request of a turn said, for the console. Takes as long as the session is long: not for its own thread.
pub fn update(place: &Place, turn: TurnId, asked: Seq) -> Update {
    let found = find(place, turn, asked).map(Arc::new);
    Update::Sent { turn, asked, found }
}

fn find(place: &Place, turn: TurnId, asked: Seq) -> Result<Sent, String> {
    let mut finder = Finder::new(turn, asked);
    journal::each(place, |envelope| finder.take(&envelope)).map_err(|error| error.to_string())?;
    finder
        .found()
        .ok_or_else(|| format!("the session holds no request of {turn} at {asked}"))
}
