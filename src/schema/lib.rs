//! Checks arguments against JSON Schemas offline and describes all violations.
//!
//! Must not know: tools, calls (only the shape of a fault), files, the network.
//!
//! [`Checker`] is compiled once per schema and used for each text. [`near`] finds the names that a
//! misspelt one may have meant. [`Violation`] serves those who act on a fault.
//! What a check may visit is limited; beyond it a text is [`NotCheckable`].
//! [`usable`] takes out of a schema what cannot be compiled. [`Checker::complete`] tells what may be inserted at a place of a text.

mod budget;
mod checker;
mod complete;
mod misspelt;
mod nearest;
mod reading;
mod reference_wildcards;
mod sentence;
mod tolerant;
mod violation;

#[cfg(test)]
mod tests;

pub use budget::NotCheckable;
pub use checker::{BUDGET, Checker, Error, MAX_FAULTS, RESERVED};
pub use complete::{Choice, Completion};
pub use nearest::near;
pub use overrule_base::canon::MAX_DEPTH;
pub use overrule_base::canon::pointer::LONGEST as LONGEST_PATH;
pub use tolerant::{Usable, usable};
pub use violation::{Violation, followed, schema_at};
