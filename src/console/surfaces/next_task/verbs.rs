//! Opens the row of the next task, sends what is typed there, and completes it.
//!
//! Must not know: how a task becomes an edit, where earlier tasks come from.

use std::sync::Arc;

use super::NextTask;
use crate::ground::motion::Move;
use crate::kernel::availability::offered;
use crate::kernel::context::{Context, PANES, on};
use crate::kernel::halted;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompts;
use crate::kernel::verb::{Care, Effect, Rank, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::{new_words, send_prompt};
use crate::surfaces::editor::state::Purpose;
use crate::surfaces::list::palette;

const TASK: &[Context] = &[on(super::ID)];

/// The verb `guide`.
pub const GUIDE: Verb = Verb {
    name: "guide",
    keys: &["i"],
    contexts: PANES,
    doc: "type the next task, or guidance while the agent works",
    hint: "guide",
    label: |model| model.takes_task().then_some("next task"),
    effect: Effect::Records,
    run: |model, press| {
        open(model, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `send-task`.
pub const SEND_TASK: Verb = Verb {
    name: "send-task",
    keys: &["enter", "ctrl-s"],
    contexts: TASK,
    doc: "send the task",
    hint: "send",
    care: Care::Careful,
    rank: |_| Rank::Leads,
    available: |model| halted::typed(model).map_or(Ok(()), Err).into(),
    run: |model, press| send(model, press.out),
    ..Verb::BASE
};

/// The verb `task-line`.
pub const TASK_LINE: Verb = Verb {
    name: "task-line",
    keys: &["ctrl-j", "alt-enter"],
    contexts: TASK,
    doc: "begin a new line",
    hint: "new line",
    run: |model, _| {
        prompts::type_in(model, "\n");
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `earlier-task`.
pub const EARLIER_TASK: Verb = Verb {
    name: "earlier-task",
    keys: &["up"],
    contexts: TASK,
    doc: "move up; in the first line, show the task before",
    hint: "history",
    available: |model| offered(task(model).is_some_and(|task| !task.earlier.is_empty())),
    run: |model, _| move_or_recall(model, true),
    ..Verb::BASE
};

/// The verb `later-task`.
pub const LATER_TASK: Verb = Verb {
    name: "later-task",
    keys: &["down"],
    doc: "move down; in the last line, show the task after",
    hint: "",
    run: |model, _| move_or_recall(model, false),
    ..EARLIER_TASK
};

/// The verb `take-file`.
pub const TAKE_FILE: Verb = Verb {
    name: "take-file",
    keys: &["tab"],
    contexts: TASK,
    doc: "complete the name of a file after `@`",
    hint: "take",
    available: |model| offered(task(model).is_some_and(|task| !task.files().is_empty())),
    run: |model, _| take_file(model),
    ..Verb::BASE
};

fn task(model: &Model) -> Option<&NextTask> {
    model.stack.top()
}

/// Opens the row; an editor for guidance where another program runs the agent.
fn open(model: &mut Model, out: &mut Vec<Out>) {
    if model.run.state.is_of_agent() {
        return new_words(model, Purpose::Guide { after: None });
    }
    model.stack.push(NextTask::default());
    out.push(Out::Tasks);
}

fn send(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let Some(task) = model.stack.top::<NextTask>().filter(|task| task.sent.is_none()) else {
        return Ok(());
    };
    let text = task.field.text();
    if text.trim().is_empty() {
        return Err(Refusal::new("The text is empty"));
    }
    if let Some(command) = send_prompt(model, text.into(), out)
        && let Some(task) = model.stack.top_mut::<NextTask>()
    {
        task.sent = Some(command);
    }
    Ok(())
}

fn move_or_recall(model: &mut Model, up: bool) -> Result<(), Refusal> {
    let Some(task) = model.stack.top_mut::<NextTask>() else {
        return Ok(());
    };
    let before = task.field.cursor();
    if task.at.is_none() || task.field.rows() > 1 {
        task.field.step(if up { Move::Up } else { Move::Down });
    }
    if task.field.cursor().0 != before.0 {
        return Ok(());
    }
    if task.recall(up) {
        return Ok(());
    }
    Err(Refusal::new(if up { "No earlier task" } else { "No later task" }))
}

/// Completes the name before the cursor with the first file.
fn take_file(model: &mut Model) -> Result<(), Refusal> {
    let Some(task) = model.stack.top_mut::<NextTask>() else {
        return Ok(());
    };
    let Some((from, begun)) = task.begun() else {
        return Err(Refusal::new("No name is begun: type @ and a part of it"));
    };
    let Some(name) = task.files().first().map(|name| (*name).to_owned()) else {
        return Err(Refusal::new(format!(
            "No file has `{}` in its name",
            overrule_base::text::visible(&begun)
        )));
    };
    task.field.splice(from..from + begun.len(), &format!("{name} "));
    Ok(())
}

/// Follows what was typed: `/` alone opens the palette, `@` asks for the files.
pub(crate) fn follow(model: &mut Model, out: &mut Vec<Out>) {
    let Some(task) = model
        .stack
        .top_mut::<NextTask>()
        .filter(|task| task.sent.is_none())
    else {
        return;
    };
    if task.field.text() == "/" {
        model.stack.pop();
        palette::palette(model);
        return;
    }
    if task.begun().is_some() && !task.asked {
        task.asked = true;
        out.push(Out::Names);
    }
}

/// Takes the earlier tasks of the workspace, the newest first.
pub(crate) fn earlier(model: &mut Model, tasks: Vec<String>) {
    if let Some(task) = model.stack.top_mut::<NextTask>() {
        task.earlier = tasks;
    }
}

/// Takes the names of the files of the workspace.
pub(crate) fn names(model: &mut Model, names: Arc<[String]>) {
    if let Some(task) = model.stack.top_mut::<NextTask>() {
        task.names = Some(names);
    }
}
