//! A run on the screen: adapts the engine to the console's door. Must not know: keys, panes.

use super::build::Ground;
use super::exit::{Code, Failure};
use super::run::Ready;

/// Refuses a theme that cannot be shown.
pub fn check(_ground: &Ground) -> Result<(), Failure> {
    Ok(())
}

/// Serves a run on the screen.
pub async fn serve(_ground: &Ground, _ready: Ready) -> Result<Code, Failure> {
    Ok(Code::Ok)
}
