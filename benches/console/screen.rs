//! The console without a terminal: its model, its frames, and a run that continues.
//!
//! Must not know: what is measured.

use overrule::console::kernel::model::Source;
use std::sync::Arc;

use overrule::console::app::registry;
use overrule::console::ground::layout::gutter::Line;
use overrule::console::ground::symbols::Charset;
use overrule::console::ground::term_msg::TermMsg;
use overrule::console::ground::terminal::Reach;
use overrule::console::ground::theme::{Colours, Theme};
use overrule::console::kernel::model::{Model, OperatorFiles, Settings, Themes};
use overrule::console::kernel::msg::Msg;
use overrule::console::run::link::Update;
use overrule::console::run::restore_preview::OnEdit;
use overrule::console::view::view;
use overrule::console::{kernel::refresh::prepare, update::update};
use overrule::domain::apply::apply;
use overrule::domain::id::{NodeId, TurnId};
use overrule::domain::live::{Live, LivePart};
use overrule::domain::state::State;
use overrule::resilience::watch::Watch;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::count::{Bytes, Count};
use crate::run::Run;

/// A console that draws into memory.
pub struct Console {
    model: Model,
    terminal: Terminal<CrosstermBackend<Count>>,
    bytes: Bytes,
    run: Option<Run>,
    open: Option<(TurnId, Option<NodeId>)>,
    text: String,
    now: u64,
}

impl Console {
    /// A console on a run so far; the run can continue.
    pub fn of(mut run: Run, size: (u16, u16)) -> Self {
        let mut state = State::default();
        for envelope in std::mem::take(&mut run.events) {
            apply(&mut state, &envelope);
        }
        let mut console = Self::opened(state, size);
        console.run = Some(run);
        console
    }

    /// A console on a state, drawn once.
    pub fn opened(state: State, (width, height): (u16, u16)) -> Self {
        let settings = Settings {
            look: Theme::built_in("dark").unwrap().look(Colours::True),
            themes: Themes::new("dark".to_owned(), Vec::new()),
            files: OperatorFiles::default(),
            charset: Charset::Unicode,
            wide: false,
            line: Line::Unicode,
            keymap: registry::keymap(&[]).unwrap(),
            arming_ms: 500,
            side_by_side: true,
            on_edit: OnEdit::default(),
            first_decision: false,
            session: "measured".to_owned(),
            utc_zero: None,
            source: Source::Live,
            reach: Reach::default(),
            watch: Watch::default(),
        };
        let area = ratatui::layout::Rect::new(0, 0, width, height);
        let options = ratatui::TerminalOptions {
            viewport: ratatui::Viewport::Fixed(area),
        };
        let bytes = Bytes::default();
        let backend = CrosstermBackend::new(Count(bytes.clone()));
        let mut console = Self {
            model: Model::new(settings, width, height),
            terminal: Terminal::with_options(backend, options).unwrap(),
            bytes,
            run: None,
            open: None,
            text: String::new(),
            now: 0,
        };
        console.send(Msg::Run(Update::Snapshot(Box::new(state))));
        console.draw();
        console
    }

    /// Counts what it sends to the terminal.
    pub fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// The run so far.
    pub fn state(&self) -> State {
        self.model.run.state.clone()
    }

    fn send(&mut self, msg: Msg) {
        drop(update(&mut self.model, msg));
    }

    /// Brings everything up to date and draws it.
    pub fn draw(&mut self) {
        prepare(&mut self.model);
        let model = &self.model;
        self.terminal.draw(|frame| view(model, frame)).unwrap();
        let at = self.now;
        self.send(Msg::Drawn { at });
    }

    /// A key, as a person would press it, up to the frame that answers it.
    pub fn press(&mut self, key: &str) {
        self.now += 100;
        let at = self.now;
        let key = key.parse().unwrap();
        self.send(Msg::Term(TermMsg::Key { key, at }));
        self.now += 60;
        let at = self.now;
        self.send(Msg::Tick { at });
        self.draw();
    }

    /// A paste, up to the frame that answers it.
    pub fn paste(&mut self, text: &str) {
        self.now += 100;
        let (text, at) = (text.to_owned(), self.now);
        self.send(Msg::Term(TermMsg::Paste { text, at }));
        self.draw();
    }

    /// Adds this many bytes to the open stream.
    pub fn stream(&mut self, bytes: usize) {
        let Some(run) = &mut self.run else { return };
        let turn = if let Some((turn, _)) = self.open {
            turn
        } else {
            let turn = run.ask();
            self.open = Some((turn, None));
            turn
        };
        self.take();
        if self.text.len() > 4_000_000 {
            self.text.clear();
        }
        self.text.extend(std::iter::repeat_n("more words ", bytes / 11));
        // Of what is open the newest is given.
        let before = self.text.len().saturating_sub(8 * 1024);
        let live = Live {
            turn,
            parts: vec![LivePart::Text {
                reasoning: false,
                text: Arc::from(&self.text[before..]),
                before: before as u64,
            }],
            bytes: self.text.len() as u64,
        };
        self.send(Msg::Run(Update::Live(live)));
    }

    /// A call begins, or the one that runs ends and with it, now and then, the turn.
    pub fn go_on(&mut self) {
        let (Some(run), Some((turn, running))) = (&mut self.run, self.open) else {
            return;
        };
        self.open = match running {
            None => Some((turn, Some(run.start(turn, None)))),
            Some(call) => {
                run.finish(call);
                run.end(turn);
                None
            }
        };
        self.take();
    }

    fn take(&mut self) {
        let events = self
            .run
            .iter_mut()
            .flat_map(|run| std::mem::take(&mut run.events));
        let events: Vec<_> = events.collect();
        for envelope in events {
            self.send(Msg::Run(Update::Event(Arc::new(envelope))));
        }
    }
}
