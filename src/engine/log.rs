//! Where the driver writes its events. Must not know: the format.

use crate::domain::envelope::Envelope;

/// The journal, as the driver needs it.
pub trait Log: Send {
    /// Appends an event; after [`Log::flush`] it is in the hands of the operating system.
    fn append(&mut self, envelope: &Envelope) -> Result<(), String>;

    /// Hands everything appended so far to the operating system: it survives the end of this process.
    fn flush(&mut self) -> Result<(), String>;

    /// Puts everything on disk: it survives a power failure.
    fn sync(&mut self) -> Result<(), String>;
}

/// A log in memory, for tests and for runs that keep nothing.
#[derive(Debug, Default)]
pub struct Memory {
    /// Everything that was appended.
    pub envelopes: std::sync::Arc<std::sync::Mutex<Vec<Envelope>>>,
}

impl Log for Memory {
    fn append(&mut self, envelope: &Envelope) -> Result<(), String> {
        match self.envelopes.lock() {
            Ok(mut all) => all.push(envelope.clone()),
            Err(poisoned) => poisoned.into_inner().push(envelope.clone()),
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn sync(&mut self) -> Result<(), String> {
        Ok(())
    }
}
