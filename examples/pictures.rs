//! Draws pictures of the console, made by the program itself from a recorded session.
//!
//! Must not know: engine, terminals.
//!
//! `cargo run --example pictures [-- DIRECTORY]` writes them as SVG; without a directory into
//! `docs/pictures`, the source of the pictures in the README. Nothing is executed: recorded events are
//! folded, keys are pressed as by an operator, and the drawn cells are written one by one.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it says what it wrote")]

#[path = "pictures/svg.rs"]
mod svg;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use overrule::console::app::registry;
use overrule::console::ground::layout::gutter::Line;
use overrule::console::ground::symbols::Charset;
use overrule::console::ground::term_msg::TermMsg;
use overrule::console::ground::terminal::Reach;
use overrule::console::ground::theme::{Colours, Theme};
use overrule::console::kernel::model::Source;
use overrule::console::kernel::model::{Model, OperatorFiles, Settings, Themes};
use overrule::console::kernel::msg::Msg;
use overrule::console::run::link::Update;
use overrule::console::run::restore_preview::OnEdit;
use overrule::console::view::view;
use overrule::console::{kernel::refresh::settle, update::update};
use overrule::domain::call::EffectClass;
use overrule::domain::envelope::{Actor, Envelope};
use overrule::domain::event::{CallEvent, Event, RunEvent};
use overrule::domain::id::{NodeId, Rev, Seq};
use overrule::journal::{self, Place};
use overrule::policy::{Policy, Preset, Subject};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The session that the pictures are of.
const SESSION: &str = "sessions/rewritten-thought.jsonl";
/// Longer than a call must be on screen before a key counts, and than a burst of keys.
const PAUSE: u64 = 700;

/// A picture.
struct Picture {
    file: &'static str,
    theme: &'static str,
    size: (u16, u16),
    /// Events of the session that it begins with.
    events: usize,
    /// A call whose approval is asked for then: the recorded run let it through by policy.
    asked: Option<&'static str>,
    /// Keys that are pressed; `"…"` is typed.
    keys: &'static [&'static str],
}

const BASE: Picture = Picture {
    file: "",
    theme: "dark",
    size: (120, 34),
    events: usize::MAX,
    asked: None,
    keys: &[],
};

const PICTURES: [Picture; 8] = [
    Picture {
        file: "decision",
        events: 81,
        asked: Some("c17"),
        keys: &["t"],
        ..BASE
    },
    Picture {
        file: "rules",
        events: 81,
        size: (100, 30),
        asked: Some("c17"),
        keys: &["t", "+"],
        ..BASE
    },
    Picture {
        file: "fields",
        theme: "paper",
        events: 81,
        size: (100, 30),
        asked: Some("c17"),
        keys: &["t", "e"],
    },
    Picture {
        file: "transcript",
        theme: "ember",
        size: (100, 30),
        keys: &["1", "G"],
        ..BASE
    },
    Picture {
        file: "task",
        size: (100, 30),
        keys: &["i", "\"Now look for `unsafe` in the same files.\""],
        ..BASE
    },
    Picture {
        file: "preview",
        events: 91,
        keys: &[
            "1",
            "/",
            "\"t6\"",
            "enter",
            "e",
            "ctrl-u",
            "\"I will look for `unsafe` instead.\"",
            "ctrl-s",
        ],
        ..BASE
    },
    Picture {
        file: "compare",
        theme: "ember",
        keys: &["b", "c"],
        ..BASE
    },
    Picture {
        file: "budget",
        theme: "paper",
        size: (100, 30),
        keys: &["7"],
        ..BASE
    },
];

fn main() -> ExitCode {
    let dir = std::env::args_os().nth(1).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures"),
        PathBuf::from,
    );
    match all(&dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to make the pictures: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes every picture into a directory.
pub fn all(dir: &Path) -> Result<()> {
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSION);
    let place = Place::at(&session)?;
    let events: Vec<Arc<Envelope>> = journal::read(&place)?
        .envelopes
        .into_iter()
        .map(Arc::new)
        .collect();
    std::fs::create_dir_all(dir)?;
    for picture in &PICTURES {
        let path = dir.join(format!("{}.svg", picture.file));
        std::fs::write(&path, draw(picture, &events)?)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The console with a clock that is moved by hand.
struct Stage {
    model: Model,
    now: u64,
}

impl Stage {
    fn send(&mut self, msg: Msg) {
        // What the console asks the run for goes nowhere.
        let _ = update(&mut self.model, msg);
    }

    fn frame(&mut self) -> Result<ratatui::buffer::Buffer> {
        settle(&mut self.model);
        let screen = &self.model.screen;
        let mut terminal = Terminal::new(TestBackend::new(screen.width, screen.height))?;
        let model = &self.model;
        terminal.draw(|frame| view(model, frame))?;
        let at = self.now;
        self.send(Msg::Drawn { at });
        Ok(terminal.backend().buffer().clone())
    }

    fn press(&mut self, key: &str) -> Result<()> {
        let key = key.parse()?;
        self.frame()?;
        self.now += PAUSE;
        let at = self.now;
        self.send(Msg::Tick { at });
        self.send(Msg::Term(TermMsg::Key { key, at }));
        self.now += PAUSE;
        let at = self.now;
        self.send(Msg::Tick { at });
        self.frame().map(drop)
    }
}

/// An event as it would have been recorded under the preset `guarded`.
fn guarded(envelope: &Arc<Envelope>) -> Arc<Envelope> {
    let mut envelope = Envelope::clone(envelope);
    match &mut envelope.event {
        Event::Run(RunEvent::Started(started)) => started.policy = Preset::Guarded.to_string(),
        Event::Call(CallEvent::Ready {
            resolved, verdict, ..
        }) if verdict.reason.contains("write") => {
            let args = resolved
                .as_deref()
                .and_then(|args| serde_json::from_str(args).ok());
            *verdict = Policy::new(Preset::Guarded).verdict(&Subject {
                tool: "write_file",
                effect: EffectClass::Write,
                tags: &[],
                args: &args.unwrap_or_default(),
                server: None,
                is_of_agent: false,
                sandbox: overrule::policy::Placement::default(),
            });
        }
        _ => {}
    }
    Arc::new(envelope)
}

fn draw(picture: &Picture, events: &[Arc<Envelope>]) -> Result<String> {
    let theme = Theme::built_in(picture.theme)?;
    let settings = Settings {
        side_by_side: true,
        on_edit: OnEdit::default(),
        first_decision: false,
        look: theme.look(Colours::True),
        themes: Themes::new(
            picture.theme.to_owned(),
            vec![(picture.theme.to_owned(), Some(theme))],
        ),
        files: OperatorFiles::default(),
        charset: Charset::Unicode,
        wide: false,
        line: Line::Unicode,
        keymap: registry::keymap(&[])?,
        arming_ms: 500,
        session: "garden".to_owned(),
        utc_zero: None,
        source: Source::Live,
        watch: overrule::resilience::watch::Watch::default(),
        reach: Reach::default(),
    };
    let (width, height) = picture.size;
    let mut stage = Stage {
        model: Model::new(settings, width, height),
        now: 0,
    };
    for event in events.iter().take(picture.events) {
        let event = match picture.asked {
            Some(_) => guarded(event),
            None => Arc::clone(event),
        };
        stage.send(Msg::Run(Update::Event(event)));
    }
    if let Some(call) = picture.asked {
        let last = events.get(picture.events - 1).ok_or("the session is too short")?;
        let call: NodeId = call.parse().map_err(|_| "not a call")?;
        let asked = Envelope {
            seq: Seq(last.seq.0 + 1),
            actor: Actor::Engine,
            event: Event::Call(CallEvent::Asked {
                call,
                rev: Rev(1),
                deadline_ms: None,
                approver: None,
            }),
            ..Envelope::clone(last)
        };
        stage.send(Msg::Run(Update::Event(Arc::new(asked))));
    }
    for key in picture.keys {
        match key.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(text) => {
                let (text, at) = (text.to_owned(), stage.now);
                stage.send(Msg::Term(TermMsg::Paste { text, at }));
                stage.now += PAUSE;
            }
            None => stage.press(key)?,
        }
    }
    stage.now += PAUSE;
    let at = stage.now;
    stage.send(Msg::Tick { at });
    stage.frame()?;
    Ok(svg::of(&stage.frame()?))
}
