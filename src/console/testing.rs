//! A console for tests: events and keys in, frames out, time advanced by hand.
//!
//! Must not know: terminals, engines.

mod asks;
mod decided;
pub mod files;
mod recording;
pub mod reminder;
mod run;
mod sandboxed;
mod scenes;
pub mod work;

use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::update::update;
use super::view::view;
use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::ground::term_msg::TermMsg;
use crate::ground::theme::{Colours, Theme};
use crate::ground::work::Work;
use crate::kernel::model::{Model, OperatorFiles, Settings, Source, Themes};
use crate::kernel::msg::{Msg, Out};
use crate::kernel::refresh::{prepare, settle, work};
use crate::run::file_look::FileLook;
use crate::run::link::Update;
use overrule_domain::advance::advance;
use overrule_domain::advice::Cards;
use overrule_domain::command::Command;
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::{CallEvent, Event, TurnEvent};
use overrule_domain::id::{NodeId, NodeKind, Seq, TurnId};
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::transcript::sent::{Finder, Lookup};

/// Milliseconds after which a key is accepted in these tests.
pub const ARMING: u64 = 1_000;

/// A node id from its name.
pub fn id(name: &str) -> NodeId {
    name.parse().unwrap()
}

/// A console with a clock that is advanced by hand.
pub struct Stage {
    /// The model under test.
    pub model: Model,
    /// Milliseconds of its clock.
    pub now: u64,
    /// What the model asked for, since it was last taken.
    pub out: Vec<Out>,
    /// UTC milliseconds at which events are recorded.
    pub clock: i64,
    seq: u64,
    /// The recorded events.
    record: Vec<Arc<Envelope>>,
    /// Background jobs on long texts.
    pub slow: Option<Vec<Work>>,
    /// The files of the workspace; none where they cannot be looked at.
    pub files: Option<files::FakeFiles>,
    /// Questions about files that are not answered yet; none where each is answered at once.
    pub held_looks: Option<Vec<FileLook>>,
}

impl Stage {
    /// A console of this size, before anything arrived.
    pub fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, |_| {})
    }

    /// The same with other settings.
    pub fn with(width: u16, height: u16, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings {
            look: Theme::built_in("dark").unwrap().look(Colours::True),
            themes: Themes::new(
                "dark".to_owned(),
                Theme::names().map(|name| (name.to_owned(), None)).collect(),
            ),
            files: OperatorFiles::default(),
            charset: Charset::Unicode,
            wide: false,
            line: Line::Unicode,
            keymap: crate::app::registry::keymap(&[]).unwrap(),
            arming_ms: ARMING,
            session: "s1".to_owned(),
            utc_zero: Some(0),
            side_by_side: true,
            on_edit: crate::run::restore_preview::OnEdit::default(),
            first_decision: false,
            source: Source::Live,
            reach: crate::ground::terminal::Reach::default(),
            watch: overrule_resilience::watch::Watch::default(),
        };
        change(&mut settings);
        Self {
            model: Model::new(settings, width, height),
            now: 1000,
            out: Vec::new(),
            clock: 0,
            seq: 0,
            record: Vec::new(),
            slow: None,
            files: Some(files::FakeFiles::default()),
            held_looks: None,
        }
    }

    /// Sends a message to the model.
    pub fn send(&mut self, msg: Msg) {
        for out in update(&mut self.model, msg) {
            match out {
                Out::Sent { turn, request } => self.send_request_text(turn, request),
                Out::LookAtFiles(look) => match &mut self.held_looks {
                    Some(held) => held.push(look),
                    None => self.look_at_files(look),
                },
                out => self.out.push(out),
            }
        }
    }

    /// Delivers the recorded content of a request.
    fn send_request_text(&mut self, turn: TurnId, request: u32) {
        let mut finder = Finder::new(turn, request);
        for envelope in &self.record {
            finder.take(envelope);
        }
        let found = match finder.found() {
            Some(Lookup::Sent(sent)) => Ok(Arc::new(sent)),
            Some(Lookup::Otherwise) => Err("made otherwise".to_owned()),
            None => Err("nothing recorded".to_owned()),
        };
        self.send(Msg::Run(Update::Sent {
            turn,
            request,
            found,
            body: None,
        }));
    }

    /// The same, where the operator chose the exact bytes of decisions.
    pub fn exact(width: u16, height: u16) -> Self {
        let mut stage = Self::new(width, height);
        stage.model.inspector.exact = true;
        stage
    }

    /// A write in front of the operator, as exact bytes.
    pub fn asked_exactly(width: u16, height: u16, args: &str) -> Self {
        let mut stage = Self::exact(width, height);
        stage.begin();
        stage.awaiting("c3", "write_file", args);
        stage.draw();
        stage.press("2");
        stage
    }

    /// A write in front of the operator, as an entry of the queue.
    pub fn asked(width: u16, height: u16, args: &str) -> Self {
        let mut stage = Self::new(width, height);
        stage.begin();
        stage.awaiting("c3", "write_file", args);
        stage.draw();
        stage.press("2");
        stage
    }

    /// An event from the run.
    pub fn event(&mut self, actor: Actor, event: Event) -> Seq {
        self.seq += 1;
        let envelope = Envelope {
            at: self.clock,
            mono: self.now,
            actor,
            ..Envelope::bare(self.seq, event)
        };
        let envelope = Arc::new(envelope);
        self.record.push(Arc::clone(&envelope));
        self.send(Msg::Run(Update::Event(envelope)));
        Seq(self.seq)
    }

    /// The recorded events.
    pub fn recorded(&self) -> &[Arc<Envelope>] {
        &self.record
    }

    /// An event of the engine.
    pub fn engine(&mut self, event: Event) -> Seq {
        self.event(Actor::Engine, event)
    }

    /// An event about a call.
    pub fn call(&mut self, event: CallEvent) -> Seq {
        self.engine(Event::Call(event))
    }

    /// An event about a turn.
    pub fn turn(&mut self, event: TurnEvent) -> Seq {
        self.engine(Event::Turn(event))
    }

    /// Finishes the background jobs, and returns their number.
    pub fn work(&mut self) -> usize {
        let work = self.slow.as_mut().map(std::mem::take).unwrap_or_default();
        let findings: Vec<_> = work.into_iter().filter_map(Work::run).collect();
        let count = findings.len();
        for finding in findings {
            self.send(Msg::Found(finding));
        }
        count
    }

    /// Draws a frame and reports it to the model.
    pub fn draw(&mut self) -> Buffer {
        match &mut self.slow {
            None => settle(&mut self.model),
            Some(slow) => {
                prepare(&mut self.model);
                slow.extend(work(&mut self.model));
            }
        }
        let (width, height) = (self.model.screen.width, self.model.screen.height);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let model = &self.model;
        terminal.draw(|frame| view(model, frame)).unwrap();
        let at = self.now;
        self.send(Msg::Drawn { at });
        terminal.backend().buffer().clone()
    }

    /// The screen as text.
    pub fn text(&mut self) -> String {
        self.draw();
        text_of(&self.draw())
    }

    /// The text on the screen, without line breaks and the line next to the graph.
    pub fn flat(&mut self) -> String {
        flat(&self.text().replace('│', " "))
    }

    /// Time passes, with a frame before and after.
    pub fn wait(&mut self, ms: u64) {
        self.draw();
        self.now += ms;
        let at = self.now;
        self.send(Msg::Tick { at });
        self.draw();
    }

    /// Presses keys one by one, as an operator would, and draws after each.
    pub fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let key = key.parse().unwrap();
            let at = self.now;
            self.send(Msg::Term(TermMsg::Key { key, at }));
            self.now += 60;
            let at = self.now;
            self.send(Msg::Tick { at });
            self.draw();
        }
    }

    /// Pastes text, and waits as long as a hand takes to the next key.
    pub fn paste(&mut self, text: impl Into<String>) {
        let (text, at) = (text.into(), self.now);
        self.send(Msg::Term(TermMsg::Paste { text, at }));
        self.now += 400;
    }

    /// Types text, character by character.
    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            let key = match c {
                ' ' => "space".to_owned(),
                '-' => "minus".to_owned(),
                c => c.to_string(),
            };
            self.press(&key);
        }
    }

    /// Takes the commands that were sent since the last call.
    pub fn commands(&mut self) -> Vec<Command> {
        let out = std::mem::take(&mut self.out);
        out.into_iter()
            .filter_map(|out| match out {
                Out::Command(command) => Some(command),
                _ => None,
            })
            .collect()
    }

    /// Carries out the sent commands, as the run would, until it waits for the operator or for a result.
    /// Returns them.
    pub fn carry_out(&mut self) -> Vec<Command> {
        let commands = self.commands();
        for command in &commands {
            let state = self.model.run.state.clone();
            match self.decide(&state, command) {
                Ok(events) => {
                    for event in events {
                        self.event(Actor::Operator("ada".into()), event);
                    }
                    self.send(Msg::Run(Update::Taken(Box::new(command.clone()))));
                }
                Err(refusal) => self.refuse(command.clone(), refusal),
            }
            self.advance();
        }
        self.draw();
        commands
    }

    /// Applies what follows, until the run waits for the operator or for a result.
    pub fn advance(&mut self) {
        for _ in 0..100 {
            let state = self.model.run.state.clone();
            let events = advance(&state, &Cards(&state));
            if events.is_empty() {
                break;
            }
            for event in events {
                self.engine(event);
            }
        }
    }

    /// The run refuses a command.
    pub fn refuse(&mut self, command: Command, refusal: Refusal) {
        let command = Box::new(command);
        self.send(Msg::Run(Update::Refused { command, refusal }));
    }

    /// The run refuses the last sent command.
    pub fn refuse_last(&mut self, kind: RefusalKind, why: &str) {
        let command = self.commands().pop().expect("something was sent");
        self.refuse(command, Refusal::new(kind, why));
    }

    /// The message on the status line.
    pub fn status(&self) -> &str {
        &self.model.message.text
    }

    /// The kind of the selected node.
    pub fn selected(&self) -> Option<NodeId> {
        match self.model.graph.selected {
            Some(crate::kernel::graph::Pick::Node(id)) => Some(id),
            _ => None,
        }
    }
}

/// The words of a text, separated by single blanks.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A buffer as text, without trailing blanks.
pub fn text_of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in area.top()..area.bottom() {
        let mut line = String::new();
        let mut skip = 0;
        for x in area.left()..area.right() {
            let symbol = buffer.cell((x, y)).unwrap().symbol();
            if skip == 0 {
                line.push_str(symbol);
                skip = unicode_width::UnicodeWidthStr::width(symbol).max(1);
            }
            skip -= 1;
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A call's id from its number.
pub fn call_id(no: u32) -> NodeId {
    NodeId::new(NodeKind::Call, no)
}
