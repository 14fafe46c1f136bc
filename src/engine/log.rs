//! Interface of the log to which the driver writes its events.
//!
//! Must not know: the format.

use std::fmt;

use overrule_domain::envelope::Envelope;

/// Why an event could not be recorded. Its text begins with the reason, so that a narrow screen shows that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritten {
    /// The reason, in few words.
    pub why: String,
    /// The remedy, the operation and its path; empty if unknown.
    pub more: String,
}

impl From<String> for Unwritten {
    fn from(why: String) -> Self {
        let more = String::new();
        Self { why, more }
    }
}

impl fmt::Display for Unwritten {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: the session cannot be written", self.why)?;
        if self.more.is_empty() {
            return Ok(());
        }
        write!(out, "; {}", self.more)
    }
}

/// The journal, as the driver needs it.
pub trait Log: Send {
    /// Appends an event; after [`Log::flush`] it is in the hands of the operating system.
    fn append(&mut self, envelope: &Envelope) -> Result<(), Unwritten>;

    /// Hands everything appended so far to the operating system: it survives the end of this process.
    fn flush(&mut self) -> Result<(), Unwritten>;

    /// Puts everything on disk: it survives a power failure.
    fn sync(&mut self) -> Result<(), Unwritten>;
}

/// A log in memory, for tests and for runs that store nothing.
#[derive(Debug, Default)]
pub struct Memory {
    /// Everything that was appended.
    pub envelopes: std::sync::Arc<std::sync::Mutex<Vec<Envelope>>>,
}

impl Log for Memory {
    fn append(&mut self, envelope: &Envelope) -> Result<(), Unwritten> {
        match self.envelopes.lock() {
            Ok(mut all) => all.push(envelope.clone()),
            Err(poisoned) => poisoned.into_inner().push(envelope.clone()),
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }
}
