//! The question before quitting while something runs or would be lost.
//!
//! Must not know: how the program ends.

pub mod verbs;

use ratatui::Frame;

use crate::kernel::availability;
use crate::kernel::draw::dialog;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Help};
use crate::kernel::surface::{Card, SurfaceId};
use crate::kernel::verb::Verb;
use crate::run::question::Question;

/// The question before quitting while something runs.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "quit",
    place: "in the question before quitting",
    can: &[Help, Back],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "run",
    verbs: &[verbs::QUIT_WAIT, verbs::QUIT_CANCEL],
};

/// The question before quitting.
#[derive(Debug, Clone)]
pub struct LeaveQuestion;

impl Surface for LeaveQuestion {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        dialog::lines(model, frame, "quit?", &lines(model));
    }

    fn erases(&self, _model: &Model) -> Erases {
        Erases::Frame
    }

    fn visible(&self, _model: &Model) -> Option<Visibility> {
        Some(Visibility::words(Question::Leave))
    }
}

/// Running work, losses, and the keys.
fn lines(model: &Model) -> Vec<String> {
    let keymap = &model.settings.keymap;
    let mut lines = Vec::new();
    match model.staged_edits.len() {
        0 => {}
        1 => lines.push("1 staged edit is not committed: it is lost when you quit.".to_owned()),
        count => lines.push(format!(
            "{count} staged edits are not committed: they are lost when you quit."
        )),
    }
    if model.run.waits_for_edit()
        && !model.is_halted()
        && let Some(need) = model.run.stuck()
    {
        lines.push(format!("{}.", overrule_base::text::visible(&need.reason)));
    }
    lines.extend(model.stack.iter().filter_map(Surface::lost));
    let busy = model.run.is_busy();
    lines.push(under_way(model));
    match model.run.others.iter().filter(|one| one.is_open).count() {
        0 => {}
        1 => lines.push("Another conversation of the agent is not over: it ends as well.".to_owned()),
        count => lines.push(format!(
            "{count} other conversations of the agent are not over: they end as well."
        )),
    }
    let offers = |verb: &Verb| {
        let key = keymap.first(verb.name);
        (availability::is_offered(model, verb) && !key.is_empty()).then_some(key)
    };
    if let Some(key) = offers(&verbs::QUIT_WAIT) {
        lines.push(format!("{key}  quit after running calls"));
    }
    if let Some(key) = offers(&verbs::QUIT_CANCEL) {
        lines.push(format!("{key}  cancel everything, then quit"));
    }
    let settled = if busy {
        "; interrupted calls are settled when you resume"
    } else {
        ""
    };
    lines.push(format!("{}  quit now{settled}", keymap.first("quit")));
    lines.push(format!("{}  stay", keymap.first("back")));
    lines
}

/// The running work, as a sentence. For a halted run: the work at the halt.
fn under_way(model: &Model) -> String {
    let (running, asked) = (model.run.running().count(), model.run.is_busy());
    if model.is_halted() {
        return match running {
            0 if asked => "A request was open at the halt; the rest of its reply is not recorded.".to_owned(),
            0 => "Nothing ran at the halt.".to_owned(),
            1 => "1 call ran at the halt; its end is not recorded.".to_owned(),
            count => format!("{count} calls ran at the halt; their ends are not recorded."),
        };
    }
    match running {
        0 if asked => "No call runs, but a request is open.".to_owned(),
        0 => "Nothing runs.".to_owned(),
        1 => "1 call runs.".to_owned(),
        count => format!("{count} calls run."),
    }
}
