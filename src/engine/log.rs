//! Where the driver writes its events. Must not know: the format.

use crate::domain::envelope::Envelope;

/// The journal as the driver needs it.
pub trait Log: Send {
    /// Takes an event; it is in the operating system's hands after [`Log::flush`].
    fn append(&mut self, envelope: &Envelope) -> Result<(), String>;

    /// Hands everything taken so far to the operating system: it survives the end of this process.
    fn flush(&mut self) -> Result<(), String>;

    /// Puts everything on disk: it survives a power loss.
    fn sync(&mut self) -> Result<(), String>;
}

/// A log in memory, for tests and for runs that keep nothing.
#[derive(Debug, Default)]
pub struct Memory {
    /// What was written.
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
