//! The event loop of the console: input, run updates, time and signals in; frames and requests out.
//!
//! Must not know: what a message does to the model, engine, files of the session.
//!
//! All typed input is read before a frame is drawn. Nothing is drawn without a change.

mod editor;
mod handover;
mod keys;
pub mod offer;
mod options;
mod picker;
pub mod picker_list;
pub mod registry;
mod save;
mod tasks;
pub mod typed;
mod worker;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use futures_util::FutureExt as _;
use ratatui::layout::Size;
use tokio::time::{Duration, Instant, sleep_until};

use super::update::update;
use super::view::view;
use crate::ground::doc::Finding;
use crate::ground::term_msg::TermMsg;
use crate::ground::terminal;
use crate::ground::terminal::{Screen, Signal, Signals, Stops, install_panic_hook};
use crate::kernel::files::Files;
use crate::kernel::model::{Model, OperatorFiles, Settings, Themes};
use crate::kernel::msg::{Leave, Msg, Out};
use crate::kernel::refresh::{prepare, work};
use crate::run::frames::{FrameRequester, Frames};
use crate::run::link::{Link, Update};
use crate::update::pace::soon;
use crate::verbs::set_price;
use keys::Together;
pub use options::{Alerts, Exit, Options, Sources};
pub use picker::{offer as ask_to_continue, pick};
use typed::Typed;
use worker::Worker;

/// The most updates of the run between two reads of keys.
const BATCH: usize = 256;

/// An error of the console.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of the terminal.
    #[error(transparent)]
    Terminal(#[from] terminal::Error),
    /// An error of the signals of the process.
    #[error("failed to listen to the signals of the system: {0}; is the process limit reached?")]
    Signals(#[source] io::Error),
}

/// Opens the console on a run, until the operator or the system ends it.
pub async fn run(sources: Sources, options: Options) -> Result<Exit, Error> {
    let hint = options.resume_hint.clone();
    // First, so that each signal restores the terminal.
    let signals = Signals::new().map_err(Error::Signals)?;
    let screen = Screen::enter(options.terminal)?;
    install_panic_hook(move || hint.clone());
    let (frames, requester) = Frames::new();
    let (width, height) = screen.size();
    let settings = Settings {
        look: options.theme.1.look(options.colours),
        themes: Themes::new(
            options.theme.0.clone(),
            vec![(options.theme.0.clone(), Some(options.theme.1.clone()))],
        ),
        files: OperatorFiles::default(),
        charset: options.charset,
        wide: options.wide,
        line: options.line,
        keymap: options.keymap.clone(),
        arming_ms: options.arming_ms,
        session: options.session_name.clone(),
        source: options.source,
        reach: options.reach,
        watch: options.watch.clone(),
        utc_zero: options.utc_zero,
        side_by_side: options.side_by_side,
        on_edit: options.on_edit,
        first_decision: options.first_decision,
    };
    let start = Instant::now();
    let typed = Typed::new(start).map_err(terminal::Error::io("read"))?;
    let mut app = App {
        model: Model::new(settings, width, height),
        link: sources.link,
        files: sources.files,
        screen,
        signals,
        typed: Some(typed),
        frames,
        requester,
        start,
        options,
        title: String::new(),
        ended: false,
        worker: Worker::default(),
    };
    app.model.run.danger = Arc::clone(&app.options.danger);
    app.model.screen.mouse = app.options.terminal.mouse;
    // The state of the console is too large for the stack of the caller.
    Box::pin(app.run()).await
}

struct App {
    model: Model,
    link: Box<dyn Link>,
    files: Box<dyn Files>,
    screen: Screen,
    signals: Signals,
    /// `None` while another program has the terminal.
    typed: Option<Typed>,
    frames: Frames,
    requester: FrameRequester,
    start: Instant,
    options: Options,
    /// The title of the window.
    title: String,
    ended: bool,
    worker: Worker,
}

/// What woke the loop.
enum Woken {
    Terminal(Option<TermMsg>),
    Run(Update),
    Signal(Signal),
    Files,
    Found(Finding),
    Frame,
    Time,
}

impl App {
    async fn run(mut self) -> Result<Exit, Error> {
        // The first frame includes an update that has arrived.
        let mut exit = match self.link.next().now_or_never() {
            Some(update) => self.updates(update).await?,
            None => None,
        };
        if exit.is_none() {
            // The options have the current theme and keys: it does not wait for all themes.
            self.frames.take_requests();
            exit = self.frame().await?;
        }
        loop {
            if let Some(exit) = exit {
                self.screen.leave();
                return Ok(exit);
            }
            exit = match self.wait().await {
                Woken::Terminal(event) => self.terminal(event).await?,
                Woken::Run(update) => self.updates(update).await?,
                Woken::Signal(Signal::Stop) => {
                    self.suspend(Stops::Own).await?;
                    None
                }
                Woken::Signal(Signal::Resized) => {
                    let (width, height) = self.screen.size();
                    self.send(Msg::Term(TermMsg::Resize { width, height })).await?
                }
                Woken::Signal(signal) => self.signal(signal)?,
                Woken::Time => {
                    let at = self.now();
                    self.send(Msg::Tick { at }).await?
                }
                Woken::Found(finding) => self.send(Msg::Found(finding)).await?,
                Woken::Frame => self.frame().await?,
                Woken::Files => {
                    let read = self.files.read();
                    self.send(Msg::Files(read)).await?
                }
            };
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
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
            msg = typed => Woken::Terminal(msg),
            () = self.frames.due() => Woken::Frame,
            update = self.link.next(), if !ended => Woken::Run(update),
            finding = self.worker.next() => Woken::Found(finding),
            () = self.files.changed() => Woken::Files,
            () = until(wake) => Woken::Time,
        }
    }

    /// Handles one message and all that have arrived.
    async fn terminal(&mut self, first: Option<TermMsg>) -> Result<Option<Exit>, Error> {
        let mut next = first;
        // Waiting keys are handled together, so that typed text is one change.
        let mut together = Together::default();
        loop {
            // `None` means that the terminal is gone.
            let Some(msg) = next else {
                return Ok(Some(gone()));
            };
            for msg in together.take(msg) {
                if matches!(msg, TermMsg::Focus(true)) {
                    // It may be another terminal, or have other colours.
                    self.screen.ask_background()?;
                }
                if let Some(exit) = self.send(Msg::Term(msg)).await? {
                    return Ok(Some(exit));
                }
            }
            match self.typed.as_mut().and_then(Typed::ready) {
                Some(more) => next = Some(more),
                None => break,
            }
        }
        match together.rest() {
            Some(msg) => self.send(Msg::Term(msg)).await,
            None => Ok(None),
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
                return Ok(None);
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

    /// True for the end of the run, and for a repeated notice that it is halted.
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
            self.retaken();
            return Ok(None);
        }
        Ok(Some(exit_by_signal(signal)))
    }

    /// Reads all typed input, then draws.
    async fn frame(&mut self) -> Result<Option<Exit>, Error> {
        if let Some(msg) = self.typed.as_mut().and_then(Typed::ready)
            && let Some(exit) = self.terminal(Some(msg)).await?
        {
            return Ok(Some(exit));
        }
        prepare(&mut self.model);
        self.worker.begin(work(&mut self.model));
        let model = &self.model;
        let mut drawn = None;
        self.screen.draw(|frame| {
            drawn = Some(frame.area().as_size());
            view(model, frame);
        })?;
        let screen = &self.model.screen;
        if let Some(Size { width, height }) = drawn
            && (width, height) != (screen.width, screen.height)
        {
            // There may be no resize event, for example after the process was stopped. The cut part was not on
            // screen.
            return self.send(Msg::Term(TermMsg::Resize { width, height })).await;
        }
        let at = self.now();
        let out = update(&mut self.model, Msg::Drawn { at });
        // The new frame may need data that is not loaded.
        if self.model.arming.changed || !out.is_empty() {
            self.requester.request_draw();
        }
        self.update_title()?;
        self.carry_out(out).await
    }

    /// Updates the title of the window with the state of the run. It has no untrusted text.
    fn update_title(&mut self) -> Result<(), Error> {
        if !self.options.alerts.title {
            return Ok(());
        }
        let title = self.model.title();
        if title != self.title {
            self.screen.send_raw(&format!("\u{1b}]2;{title}\u{1b}\\"))?;
            self.title = title;
        }
        Ok(())
    }

    /// Handles a message and carries out its requests.
    async fn send(&mut self, msg: Msg) -> Result<Option<Exit>, Error> {
        let soon = soon(&self.model, &msg);
        let out = update(&mut self.model, msg);
        self.requester.request(soon);
        self.carry_out(out).await
    }

    async fn carry_out(&mut self, out: Vec<Out>) -> Result<Option<Exit>, Error> {
        let mut out = VecDeque::from(out);
        while let Some(next) = out.pop_front() {
            match next {
                Out::Command(command) => self.link.send(command),
                Out::Replay(control) => self.link.replay(control),
                Out::Fork(step) => self.link.fork(step),
                Out::Copy(text) => self.screen.send_raw(&self.options.reach.copy(&text))?,
                Out::Save { path, text } => {
                    drop(update(&mut self.model, Msg::Saved(save::save(&path, &text))));
                }
                Out::Keep(correction) => {
                    let stored = self.files.keep(*correction).map(Box::new);
                    out.extend(update(&mut self.model, Msg::CorrectionStored(stored)));
                }
                Out::Tasks => {
                    let tasks = self.files.tasks();
                    out.extend(update(&mut self.model, Msg::Tasks(tasks)));
                }
                Out::Names => {
                    let names = self.files.names().into();
                    out.extend(update(&mut self.model, Msg::Names(names)));
                }
                Out::KeepPrice(price) => {
                    let kept = self.files.keep_price(price).map(|place| set_price::kept(&place));
                    drop(update(&mut self.model, Msg::Saved(kept)));
                }
                Out::KeepRule(scope, kept) => {
                    let kept = self.files.keep_rule(scope, kept);
                    out.extend(update(&mut self.model, Msg::RuleKept(kept)));
                }
                Out::Mouse(on) => self.screen.set_mouse(on)?,
                Out::Wire { turn, request } => {
                    let found = self.link.wire(turn, request);
                    update(&mut self.model, Msg::Wire(found));
                }
                Out::Sent { turn, request } => self.link.sent(turn, request),
                Out::Look(at) => self.link.look(at),
                Out::LookAtFiles(look) => {
                    if let Err(why) = self.link.look_at_files(&look) {
                        let found = look.refuse(&why);
                        out.extend(update(&mut self.model, Msg::Run(Update::Files(found))));
                    }
                }
                Out::Watch(processes) => self.link.watch(processes),
                Out::Server(order) => self.link.order(order),
                Out::AlarmsSeen => self.link.alarms_seen(),
                Out::Redraw => self.screen.redraw()?,
                Out::Alert(words) => {
                    let looking = self.model.screen.focused == Some(true);
                    let alerts = self.options.alerts.in_run(&self.model.run.state);
                    let call = alerts.sequences(self.options.reach, &words, looking);
                    self.screen.send_raw(&call)?;
                }
                Out::Suspend => self.suspend(Stops::Group).await?,
                Out::Edit(text) => {
                    let (scratch, mark) = (self.options.scratch.clone(), self.options.mark);
                    let editor = self.options.editor.clone();
                    let edit = || editor::edit((editor.as_deref(), mark), &scratch, &text);
                    match self.hand_over(edit).await? {
                        Ok(result) => out.extend(update(&mut self.model, Msg::Edited(result))),
                        Err(exit) => return Ok(Some(exit)),
                    }
                }
                Out::Discard(file) => editor::discard(&file),
                Out::Show(text) => {
                    let (scratch, mark) = (self.options.scratch.clone(), self.options.mark);
                    let editor = self.options.editor.clone();
                    let show = || editor::show((editor.as_deref(), mark), &scratch, &text);
                    match self.hand_over(show).await? {
                        Ok(result) => out.extend(update(&mut self.model, Msg::Shown(result))),
                        Err(exit) => return Ok(Some(exit)),
                    }
                }
                Out::Quit(how) => {
                    let code = matches!(how, Leave::Interrupted).then_some(130);
                    return Ok(Some(Exit { how, code }));
                }
            }
        }
        Ok(None)
    }
}

fn exit_by_signal(signal: Signal) -> Exit {
    Exit {
        how: Leave::Killed(format!("{signal:?}")),
        code: signal.exit_code(),
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
