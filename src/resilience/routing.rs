//! Routing feedback: a weight for how well each tool has served each kind of task.
//!
//! Must not know: how tools run, who shows the weights.
//!
//! A weight is between 0 and 1, and every execution moves it. Exactly four things follow from a
//! weight: the order and the notes with which tools are offered to the model; the choice among
//! substitutes; a question to the operator before a call of a tool that keeps failing; and, only if
//! the operator wants it, that a tool is not offered. A call is never redirected to a tool that it
//! does not name.

mod cell;
mod history;
mod kind;
mod settings;
mod snapshot;
mod uses;
mod weights;

pub use history::{Change, Why};
pub use kind::{KindCache, Kinds, classify};
pub use settings::{BadSetting, Settings};
pub use snapshot::{Priors, Row, Snapshot, due};
pub use uses::{Note, Offer};
pub use weights::{Alert, Fact, Weights};

#[cfg(test)]
mod tests;
