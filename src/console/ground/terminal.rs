//! Takes the terminal for the console, and restores it in every case.
//!
//! Must not know: what is drawn.
//!
//! [`Screen`] takes the terminal and draws. Every end of the process restores it: a quit, a drop, a panic in any
//! thread or task ([`install_panic_hook`]), a signal ([`Signals`] reports it, the console ends). Nothing is drawn
//! after that.

pub(crate) mod hook;
pub(crate) mod input;
pub(crate) mod modes;
pub(crate) mod reach;
pub(crate) mod signals;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

pub use hook::install_panic_hook;
pub use input::Parser;
pub use modes::{open_input, restore};
pub use reach::{Around, Reach};
pub use signals::{Signal, Signals, Stops};

/// An error of the terminal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Standard output is not a terminal.
    #[error(
        "failed to open the console: standard output is not a terminal; run it in one, or use `--headless`"
    )]
    NoTerminal,
    /// This process has the terminal already.
    #[error("failed to open the console: this process has it open already")]
    Taken,
    /// A system call failed.
    #[error("failed to {what} the terminal: {source}; is it still there?")]
    Io {
        /// The action that failed.
        what: &'static str,
        /// The cause.
        source: io::Error,
    },
}

impl Error {
    /// An error of a system call.
    pub fn io(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { what, source }
    }
}

/// Columns and rows of a terminal that does not say its size.
const USUAL: (u16, u16) = (80, 24);

/// Optional modes of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Capture the mouse.
    pub mouse: bool,
    /// Use the kitty keyboard protocol, if the terminal supports it.
    pub keyboard: bool,
    /// Set the title of the window, and restore it.
    pub title: bool,
    /// Columns and rows by the environment, for a terminal that does not say its size.
    pub size: (Option<u16>, Option<u16>),
}

impl Options {
    /// Returns columns and rows: those that the terminal says, else those of the environment, else the usual ones. A
    /// serial line and some containers say zero.
    fn size(&self, (width, height): (u16, u16)) -> (u16, u16) {
        let or = |said: u16, named: Option<u16>, usual: u16| {
            let named = named.filter(|size| *size > 0);
            if said > 0 { said } else { named.unwrap_or(usual) }
        };
        (or(width, self.size.0, USUAL.0), or(height, self.size.1, USUAL.1))
    }
}

/// The terminal while the console has it. Restores it when dropped.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Sheet>>,
    sheet: Sheet,
    options: Options,
}

impl Screen {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste, focus events.
    pub fn enter(options: Options) -> Result<Self, Error> {
        if !modes::is_terminal() {
            return Err(Error::NoTerminal);
        }
        if !modes::take(options).map_err(Error::io("take"))? {
            return Err(Error::Taken);
        }
        let sheet = Sheet::default();
        let backend = CrosstermBackend::new(sheet.clone());
        let (width, height) = options.size(backend.size().map_or((0, 0), |size| (size.width, size.height)));
        let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
        match Terminal::with_options(backend, TerminalOptions { viewport }) {
            Ok(terminal) => Ok(Self {
                terminal,
                sheet,
                options,
            }),
            Err(source) => {
                restore();
                Err(Error::io("measure")(source))
            }
        }
    }

    /// Draws one frame and sends the changes in one write, which the terminal shows together. A terminal that is
    /// gone is no error here: [`Signals`] reports it.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> Result<(), Error> {
        let (width, height) = self.size();
        let area = Rect::new(0, 0, width, height);
        if self.terminal.get_frame().area() != area {
            unless_gone("resize", self.terminal.resize(area))?;
        }
        let drawn = self.terminal.draw(render).map(drop);
        unless_gone("draw to", drawn.and_then(|()| self.sheet.send()))
    }

    /// The size, in columns and rows.
    pub fn size(&self) -> (u16, u16) {
        let said = self.terminal.size();
        self.options
            .size(said.map_or((0, 0), |size| (size.width, size.height)))
    }

    /// Makes the next frame redraw the whole screen.
    pub fn redraw(&mut self) -> Result<(), Error> {
        let (width, height) = self.size();
        let area = Rect::new(0, 0, width, height);
        unless_gone("clear", self.terminal.resize(area))
    }

    /// Turns mouse events on or off.
    pub fn set_mouse(&mut self, on: bool) -> Result<(), Error> {
        self.options.mouse = on;
        unless_gone("switch the mouse of", modes::set_mouse(on))
    }

    /// Asks the terminal for the colour of its background. The answer comes with the keys.
    pub fn ask_background(&mut self) -> Result<(), Error> {
        unless_gone("ask", modes::ask_background())
    }

    /// True while mouse events are on.
    pub const fn has_mouse(&self) -> bool {
        self.options.mouse
    }

    /// Writes a sequence of the console (a clipboard copy) outside of a frame. Never pass untrusted text.
    pub fn send_raw(&mut self, sequence: &str) -> Result<(), Error> {
        unless_gone("write to", modes::present(sequence.as_bytes()))
    }

    /// Takes the terminal again after another process stopped and continued this one.
    pub fn retake(&mut self) -> Result<(), Error> {
        unless_gone("take", modes::retake(self.options))?;
        self.redraw()
    }

    /// Restores the terminal, stops the process, and takes the terminal again when the process continues. No
    /// thread may read events meanwhile.
    pub async fn suspend(&mut self, who: Stops, signals: &mut Signals) -> Result<(), Error> {
        modes::release();
        let stopped = signals::stop(who, Some(signals)).await;
        self.retake()?;
        stopped.map_err(Error::io("stop the process of"))
    }

    /// Restores the terminal for another program (an editor), and takes it again. `begin` runs only then, because
    /// some futures start their process when they are made. No thread may read events meanwhile.
    pub async fn hand_over<F: Future>(&mut self, begin: impl FnOnce() -> F) -> Result<F::Output, Error> {
        modes::release();
        let result = begin().await;
        unless_gone("take", modes::take_back(self.options))?;
        self.redraw()?;
        Ok(result)
    }

    /// Restores the terminal.
    pub fn leave(self) {
        drop(self);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Stops this process while another program has the terminal. Returns when it continues.
pub async fn stop_too() -> Result<(), Error> {
    signals::stop(Stops::Own, None)
        .await
        .map_err(Error::io("stop the process of"))
}

/// Ignores an error if the terminal was closed meanwhile.
fn unless_gone(what: &'static str, result: io::Result<()>) -> Result<(), Error> {
    match result {
        Err(source) if !modes::is_gone() => Err(Error::io(what)(source)),
        _ => Ok(()),
    }
}

/// The output of a frame, buffered until it is complete.
#[derive(Debug, Clone, Default)]
struct Sheet(Arc<Mutex<Vec<u8>>>);

/// Tells the terminal to show nothing until the frame is complete.
const FRAME_BEGIN: &[u8] = b"\x1b[?2026h";
const FRAME_END: &[u8] = b"\x1b[?2026l";

impl Sheet {
    /// Sends the whole frame in one write.
    fn send(&self) -> io::Result<()> {
        let bytes = self.take();
        if bytes.is_empty() {
            return Ok(());
        }
        modes::present(&bytes)
    }

    /// The frame; empty if nothing was drawn.
    fn take(&self) -> Vec<u8> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes.is_empty() {
            return Vec::new();
        }
        bytes.extend_from_slice(FRAME_END);
        // The next one has a similar size: reserve once.
        let room = Vec::with_capacity(bytes.len());
        std::mem::replace(&mut *bytes, room)
    }
}

impl io::Write for Sheet {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes.is_empty() {
            bytes.extend_from_slice(FRAME_BEGIN);
        }
        bytes.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // A frame is flushed several times while it is drawn, but sent once.
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use ratatui::{TerminalOptions, Viewport};

    use super::*;

    #[test]
    fn a_frame_is_one_piece_that_is_shown_at_once_and_no_frame_is_nothing() {
        let mut sheet = Sheet::default();
        assert!(sheet.take().is_empty());
        for piece in ["one", "two", "three"] {
            sheet.write_all(piece.as_bytes()).unwrap();
            sheet.flush().unwrap();
        }
        assert_eq!(sheet.take(), b"\x1b[?2026honetwothree\x1b[?2026l");
        assert!(sheet.take().is_empty(), "what was sent is not sent again");
    }

    #[test]
    fn a_frame_sends_what_changed_and_nothing_else() {
        let sheet = Sheet::default();
        let viewport = Viewport::Fixed(Rect::new(0, 0, 20, 4));
        let backend = CrosstermBackend::new(sheet.clone());
        let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        let mut draw = |words: &str| {
            let words = words.to_owned();
            terminal
                .draw(|frame| frame.render_widget(words.as_str(), frame.area()))
                .unwrap();
            String::from_utf8(sheet.take()).unwrap()
        };
        assert!(draw("one").contains("one"));
        let changed = draw("ore");
        assert!(changed.contains('r') && !changed.contains('o'), "{changed:?}");
        let begin_and_end = changed.starts_with("\u{1b}[?2026h") && changed.ends_with("\u{1b}[?2026l");
        assert!(begin_and_end, "{changed:?}");
    }
}
