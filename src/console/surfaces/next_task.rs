//! The row at the bottom in which the next task is typed.
//!
//! Must not know: how a task becomes an edit, where earlier tasks and files come from.

pub mod verbs;

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::field::Field;
use crate::ground::motion::Move;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use crate::kernel::halted;
use crate::kernel::keymap::Keymap;
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::stack::Surface;
use crate::kernel::surface::Can::{Type, Write};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::refusal::Refusal;
use crate::run::run_phase::RunPhase;
use overrule_base::text::visible;
use overrule_domain::command::Command;

/// The row of the next task.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "next task",
    place: "where the next task is typed",
    can: &[Type, Write],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "typing",
    verbs: &[
        verbs::SEND_TASK,
        verbs::TASK_LINE,
        verbs::EARLIER_TASK,
        verbs::LATER_TASK,
        verbs::TAKE_FILE,
    ],
};

/// Maximum number of rows of the text on the screen.
const ROWS: u16 = 6;
/// Maximum number of files that are shown.
const FILES: usize = 5;

/// The next task, while it is typed.
#[derive(Debug, Clone)]
pub struct NextTask {
    /// The text.
    pub field: Field,
    /// Earlier tasks of the workspace, the newest first.
    pub earlier: Vec<String>,
    /// The earlier task that is shown; none for what was typed.
    pub at: Option<usize>,
    /// What was typed, while an earlier task is shown.
    pub typed: String,
    /// The files of the workspace; none until they were asked for.
    pub names: Option<Arc<[String]>>,
    /// True once the files were asked for.
    pub asked: bool,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
}

impl Default for NextTask {
    fn default() -> Self {
        Self {
            field: Field::lines(""),
            earlier: Vec::new(),
            at: None,
            typed: String::new(),
            names: None,
            asked: false,
            sent: None,
        }
    }
}

impl NextTask {
    /// The name after an `@` that the cursor is in, with the place of its first byte.
    pub fn begun(&self) -> Option<(usize, String)> {
        let text = self.field.text();
        let before = text.get(..self.field.offset())?;
        let (rest, name) = before.rsplit_once('@')?;
        let is_name = !name.contains(char::is_whitespace);
        let is_word = rest.is_empty() || rest.ends_with(char::is_whitespace);
        (is_name && is_word).then(|| (rest.len() + 1, name.to_owned()))
    }

    /// The files that complete the name before the cursor, the best first.
    pub fn files(&self) -> Vec<&str> {
        let (Some((_, begun)), Some(names)) = (self.begun(), &self.names) else {
            return Vec::new();
        };
        let begun = begun.to_lowercase();
        let rank = |name: &&str| {
            let lower = name.to_lowercase();
            let file = lower.rsplit('/').next().unwrap_or_default();
            match () {
                () if lower.starts_with(&begun) => Some(0),
                () if file.starts_with(&begun) => Some(1),
                () if lower.contains(&begun) => Some(2),
                () => None,
            }
        };
        let names = names.iter().map(String::as_str);
        let mut found: Vec<(u8, &str)> = names.filter_map(|name| Some((rank(&name)?, name))).collect();
        found.sort_by_key(|(rank, name)| (*rank, name.len()));
        found.into_iter().map(|(_, name)| name).take(FILES).collect()
    }

    /// Shows an earlier or a later task. False if there is none in this direction.
    pub fn recall(&mut self, earlier: bool) -> bool {
        let to = match (self.at, earlier) {
            (None, true) => Some(0),
            (Some(at), true) => Some(at + 1),
            (Some(at), false) => at.checked_sub(1),
            (None, false) => return false,
        };
        if to.is_some_and(|to| to >= self.earlier.len()) {
            return false;
        }
        if self.at.is_none() {
            self.typed = self.field.text();
        }
        self.at = to;
        let text = to
            .and_then(|to| self.earlier.get(to))
            .unwrap_or(&self.typed)
            .clone();
        self.field.replace(&text);
        self.field.to_end();
        true
    }

    /// Its rows on the screen: files, the heading, the text.
    fn area(&self, model: &Model) -> Rect {
        let body = model.screen.places.body;
        let rows = u16::try_from(self.field.rows()).unwrap_or(ROWS).clamp(1, ROWS);
        let files = u16::try_from(self.files().len()).unwrap_or(0);
        let height = (rows + files + 1).min(body.height);
        Rect {
            y: body.bottom() - height,
            height,
            ..body
        }
    }
}

impl Surface for NextTask {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn rows(&self, model: &Model) -> Option<u16> {
        Some(self.area(model).height)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let area = self.area(model);
        let files = self.files();
        let mut canvas = Canvas {
            buf: frame.buffer_mut(),
            look: &model.settings.look,
        };
        canvas.fill(area, Role::Text);
        for (y, name) in (0..).zip(&files) {
            let row = row_of(area, y);
            let role = if y == 0 { Role::Title } else { Role::Dim };
            canvas.put(
                row.x + 3,
                row.y,
                row.width.saturating_sub(3),
                &visible(name),
                role,
            );
        }
        let top = u16::try_from(files.len()).unwrap_or(0);
        let row = row_of(area, top);
        let (line, mark) = match model.settings.charset {
            Charset::Unicode => ("━", "❯ "),
            Charset::Ascii => ("=", "> "),
        };
        let mut words = format!("{line} {} ", heading(model, self));
        while words.columns() < usize::from(row.width) {
            words.push_str(line);
        }
        canvas.put(row.x, row.y, row.width, &words, Role::Focus);
        let text = Rect {
            x: area.x + 2.min(area.width),
            y: row.y + 1,
            width: area.width.saturating_sub(2),
            height: area.bottom().saturating_sub(row.y + 1),
        };
        canvas.put(area.x, text.y, 2.min(area.width), mark, Role::Accent);
        self.field.draw(frame, text, &model.settings.look);
    }

    fn step(&mut self, to: Move, _page: usize) {
        self.field.step(to);
    }

    fn field(&self) -> Option<&Field> {
        self.sent.is_none().then_some(&self.field)
    }

    fn field_mut(&mut self) -> Option<&mut Field> {
        self.sent.is_none().then_some(&mut self.field)
    }

    fn unsendable(&self, keymap: &Keymap) -> Option<Refusal> {
        let copy = keymap.first("copy-selected");
        Some(Refusal::new(format!(
            "halted: the text stays, but cannot be sent; {copy} copies it"
        )))
    }

    fn lost(&self) -> Option<String> {
        (self.sent.is_none() && !self.field.is_empty()).then(|| "Your next task is lost.".to_owned())
    }

    fn has_sent(&self, command: &Command) -> bool {
        self.sent.as_ref() == Some(command)
    }

    fn refused(&mut self) {
        self.sent = None;
    }
}

/// What the text is, and when it is sent.
fn heading(model: &Model, task: &NextTask) -> String {
    if let Some(why) = halted::typed(model) {
        return why.to_string();
    }
    if task.sent.is_some() {
        return "sent, waiting for a reply".to_owned();
    }
    when(model).map_or_else(|| "next task".to_owned(), |when| format!("next task · {when}"))
}

/// When a task is sent that is given now; none if it is sent immediately.
pub(crate) fn when(model: &Model) -> Option<String> {
    let phase = model.run.phase(model.settings.is_recorded());
    if matches!(phase, RunPhase::Answered | RunPhase::Ended | RunPhase::Starting) {
        return None;
    }
    let mut turns = model.run.state.turns.values().rev();
    let open = turns.find(|turn| turn.is_active() && turn.reply > 0 && !turn.settled)?;
    Some(format!("sent when turn {} ends", open.reply))
}
