//! The loop of the console: terminal, run, time and signals in; frames and requests out.
//!
//! Everything that was typed is read before a frame is drawn; nothing is drawn without a change.
//! Must not know: what a message does to the model, engine, files of the session.

mod editor;
mod keys;
mod typed;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::Event;
use futures_util::FutureExt as _;
use tokio::time::{Duration, Instant, sleep_until};

use super::frames::{FrameRequester, Frames};
use super::keymap::Keymap;
use super::layout::gutter::Line;
use super::link::{Link, Update};
use super::model::{Model, Settings};
use super::msg::{Leave, Msg, Out};
use super::symbols::Charset;
use super::terminal::{self, Screen, Signal, Signals, install_panic_hook};
use super::theme::Look;
use super::update::{prepare, update};
use super::view::view;
use typed::Typed;

/// Updates of the run that are taken in before keys are looked at again.
const BATCH: usize = 256;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// With the terminal.
    #[error(transparent)]
    Terminal(#[from] terminal::Error),
    /// With the signals of the process.
    #[error("failed to listen to the signals of the system: {0}; is the process limit reached?")]
    Signals(#[source] io::Error),
}

/// What the console is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// Colours.
    pub look: Look,
    /// Characters.
    pub charset: Charset,
    /// Lines of the graph.
    pub line: Line,
    /// Keys.
    pub keymap: Keymap,
    /// Milliseconds that something must have been on screen before a key decides about it.
    pub arming_ms: u64,
    /// Who operates.
    pub user: String,
    /// Name of the session in the header.
    pub session_name: String,
    /// How to go on later; printed after a defect ended the program.
    pub resume_hint: String,
    /// Nothing can be decided or changed.
    pub read_only: bool,
    /// A recorded run that can be played and stepped.
    pub replay: bool,
    /// How the operator is called when he is needed.
    pub alerts: Alerts,
    /// Mouse wheel instead of the terminal's own selection.
    pub mouse: bool,
    /// Command line of the operator's editor.
    pub editor: Option<String>,
    /// Directory for the file that the editor works on; nobody else can read what is put there.
    pub scratch: PathBuf,
}

/// How the operator is called when he is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Alerts {
    /// The terminal's bell.
    pub bell: bool,
    /// The title of the terminal's window.
    pub title: bool,
    /// A notification of the desktop.
    pub desktop: bool,
}

impl Alerts {
    /// The sequences of a call. The words are the console's own, nothing of the run's.
    fn sequences(self, words: &str) -> String {
        let mut out = String::new();
        if self.bell {
            out.push('\u{7}');
        }
        if self.title {
            let _ = write!(out, "\u{1b}]2;overrule: {words}\u{1b}\\");
        }
        if self.desktop {
            let _ = write!(out, "\u{1b}]9;overrule: {words}\u{1b}\\");
        }
        out
    }
}

/// How the console was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// By whom.
    pub how: Leave,
    /// The exit code that a signal asks for.
    pub code: Option<i32>,
}

/// Opens the console on a run, until the operator or the system ends it.
pub async fn run(link: Box<dyn Link>, options: Options) -> Result<Exit, Error> {
    let hint = options.resume_hint.clone();
    let screen = Screen::enter(terminal::Options {
        mouse: options.mouse,
        keyboard: false,
    })?;
    install_panic_hook(move || hint.clone());
    let signals = Signals::new().map_err(Error::Signals)?;
    let (frames, requester) = Frames::new();
    let (width, height) = screen.size();
    let settings = Settings {
        look: options.look.clone(),
        charset: options.charset,
        line: options.line,
        keymap: options.keymap.clone(),
        arming_ms: options.arming_ms,
        user: options.user.clone(),
        session: options.session_name.clone(),
        read_only: options.read_only,
        replay: options.replay,
        alerts: options.alerts != Alerts::default(),
    };
    let app = App {
        model: Model::new(settings, width, height),
        link,
        screen,
        signals,
        typed: Some(Typed::new()),
        frames,
        requester,
        start: Instant::now(),
        options,
        ended: false,
    };
    app.run().await
}

struct App {
    model: Model,
    link: Box<dyn Link>,
    screen: Screen,
    signals: Signals,
    /// None while somebody else has the terminal.
    typed: Option<Typed>,
    frames: Frames,
    requester: FrameRequester,
    start: Instant,
    options: Options,
    ended: bool,
}

/// What woke the loop.
enum Woken {
    Terminal(Option<(Instant, io::Result<Event>)>),
    Run(Update),
    Signal(Signal),
    Frame,
    Time,
}

impl App {
    async fn run(mut self) -> Result<Exit, Error> {
        self.requester.request_draw();
        loop {
            let woken = self.wait().await;
            let exit = match woken {
                Woken::Terminal(event) => self.terminal(event).await?,
                Woken::Run(update) => self.updates(update).await?,
                Woken::Signal(signal) => self.signal(signal)?,
                Woken::Time => {
                    let at = self.now();
                    self.send(Msg::Tick { at }).await?
                }
                Woken::Frame => self.frame().await?,
            };
            if let Some(exit) = exit {
                self.screen.leave();
                return Ok(exit);
            }
        }
    }

    fn now(&self) -> u64 {
        self.at(Instant::now())
    }

    fn at(&self, when: Instant) -> u64 {
        u64::try_from(when.saturating_duration_since(self.start).as_millis()).unwrap_or(u64::MAX)
    }

    async fn wait(&mut self) -> Woken {
        let wake = self
            .model
            .wake_at()
            .map(|at| self.start + Duration::from_millis(at));
        let source = &mut self.typed;
        let typed = async {
            match source {
                Some(typed) => typed.next().await,
                None => std::future::pending().await,
            }
        };
        let ended = self.ended;
        tokio::select! {
            biased;
            signal = self.signals.next() => Woken::Signal(signal),
            event = typed => Woken::Terminal(event),
            () = self.frames.due() => Woken::Frame,
            update = self.link.next(), if !ended => Woken::Run(update),
            () = until(wake) => Woken::Time,
        }
    }

    /// Takes in one event and all that are there already.
    async fn terminal(&mut self, first: Option<(Instant, io::Result<Event>)>) -> Result<Option<Exit>, Error> {
        let mut next = first;
        loop {
            // An error or an end says that the terminal is gone.
            let Some((when, Ok(event))) = next else {
                return Ok(Some(gone()));
            };
            if let Some(msg) = keys::message(event, self.at(when))
                && let Some(exit) = self.send(Msg::Term(msg)).await?
            {
                return Ok(Some(exit));
            }
            match self.typed.as_mut().and_then(Typed::ready) {
                Some(more) => next = Some(more),
                None => return Ok(None),
            }
        }
    }

    async fn updates(&mut self, first: Update) -> Result<Option<Exit>, Error> {
        let mut next = Some(first);
        for _ in 0..BATCH {
            let Some(update) = next.take() else { break };
            self.ended |= self.is_last(&update);
            if let Some(exit) = self.send(Msg::Run(update)).await? {
                return Ok(Some(exit));
            }
            if self.ended {
                break;
            }
            next = self.link.next().now_or_never();
        }
        match next {
            Some(update) => {
                self.ended |= self.is_last(&update);
                self.send(Msg::Run(update)).await
            }
            None => Ok(None),
        }
    }

    /// True for the end, and for a door that only repeats that the run is halted.
    fn is_last(&self, update: &Update) -> bool {
        match update {
            Update::Ended => true,
            Update::Halted(why) => self.model.run.halted.as_ref() == Some(why),
            _ => false,
        }
    }

    fn signal(&mut self, signal: Signal) -> Result<Option<Exit>, Error> {
        if signal == Signal::Continued {
            self.screen.retake()?;
            self.requester.request_draw();
            return Ok(None);
        }
        Ok(Some(Exit {
            how: Leave::Killed(format!("{signal:?}")),
            code: signal.exit_code(),
        }))
    }

    /// Draws, once all that was typed is read.
    async fn frame(&mut self) -> Result<Option<Exit>, Error> {
        if let Some(event) = self.typed.as_mut().and_then(Typed::ready)
            && let Some(exit) = self.terminal(Some(event)).await?
        {
            return Ok(Some(exit));
        }
        prepare(&mut self.model);
        let model = &self.model;
        self.screen.draw(|frame| view(model, frame))?;
        let at = self.now();
        update(&mut self.model, Msg::Drawn { at });
        if self.model.arming.changed {
            self.requester.request_draw();
        }
        Ok(None)
    }

    /// Lets a message happen and carries out what it asks for.
    async fn send(&mut self, msg: Msg) -> Result<Option<Exit>, Error> {
        let out = update(&mut self.model, msg);
        self.requester.request_draw();
        for out in out {
            match out {
                Out::Command(command) => self.link.send(command),
                Out::Replay(control) => self.link.replay(control),
                Out::Copy(text) => {
                    let mut sequence = String::new();
                    let copy = CopyToClipboard::to_clipboard_from(text);
                    if crossterm::Command::write_ansi(&copy, &mut sequence).is_ok() {
                        self.screen.send_raw(&sequence)?;
                    }
                }
                Out::Redraw => self.screen.redraw()?,
                Out::Alert(words) => self.screen.send_raw(&self.options.alerts.sequences(&words))?,
                Out::Suspend => {
                    self.stop_reading().await;
                    let result = self.screen.suspend().await;
                    self.typed = Some(Typed::new());
                    result?;
                }
                Out::Edit(text) => self.edit(text).await?,
                Out::Quit(how) => {
                    let code = matches!(how, Leave::Interrupted).then_some(130);
                    return Ok(Some(Exit { how, code }));
                }
            }
        }
        Ok(None)
    }

    async fn stop_reading(&mut self) {
        if let Some(typed) = self.typed.take() {
            typed.stop().await;
        }
    }

    async fn edit(&mut self, text: String) -> Result<(), Error> {
        self.stop_reading().await;
        let edit = editor::edit(self.options.editor.as_deref(), &self.options.scratch, &text);
        let result = self.screen.lend(edit).await;
        // What interrupted the editor was not meant for the console.
        self.signals = Signals::new().map_err(Error::Signals)?;
        self.typed = Some(Typed::new());
        update(&mut self.model, Msg::Edited(result?));
        self.requester.request_draw();
        Ok(())
    }
}

fn gone() -> Exit {
    Exit {
        how: Leave::Killed("the terminal is gone".to_owned()),
        code: Signal::TerminalClosed.exit_code(),
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
