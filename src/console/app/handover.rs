//! Hands the terminal to the shell while the process is stopped, and to the operator's editor.
//!
//! Must not know: what is edited.

use super::typed::Typed;
use super::{App, Error, Exit, exit_by_signal};
use crate::ground::terminal;
use crate::ground::terminal::{Signal, Stops};
use crate::kernel::msg::Msg;
use crate::update::update;

impl App {
    /// Restores the terminal, stops the process, and takes the terminal again.
    pub(super) async fn suspend(&mut self, who: Stops) -> Result<(), Error> {
        self.stop_reading();
        let result = self.screen.suspend(who, &mut self.signals).await;
        self.read()?;
        self.retaken();
        Ok(result?)
    }

    /// After another program had the terminal: redraws everything, and questions must be shown again.
    pub(super) fn retaken(&mut self) {
        self.title.clear();
        let at = self.now();
        drop(update(&mut self.model, Msg::Retaken { at }));
        self.requester.request_draw();
    }

    /// Starts to read typed input.
    fn read(&mut self) -> Result<(), Error> {
        self.typed = Some(Typed::new(self.start).map_err(terminal::Error::io("read"))?);
        Ok(())
    }

    pub(super) fn stop_reading(&mut self) {
        if let Some(typed) = self.typed.take() {
            typed.stop();
        }
    }

    /// Lends the terminal to the operator's editor. Ignores an interrupt of the editor, but not a request to end.
    pub(super) async fn hand_over<F: Future>(
        &mut self,
        begin: impl FnOnce() -> F,
    ) -> Result<Result<F::Output, Exit>, Error> {
        self.stop_reading();
        let result = {
            let suspended = self.screen.hand_over(begin);
            tokio::pin!(suspended);
            loop {
                tokio::select! {
                    biased;
                    result = &mut suspended => break result?,
                    signal = self.signals.next() => match signal {
                        Signal::Interrupt | Signal::Continued | Signal::Resized => {}
                        // The editor stops by itself; the shell waits for both.
                        Signal::Stop => terminal::stop_too().await?,
                        signal => return Ok(Err(exit_by_signal(signal))),
                    },
                }
            }
        };
        self.signals.another_ended();
        self.read()?;
        self.retaken();
        Ok(Ok(result))
    }
}
