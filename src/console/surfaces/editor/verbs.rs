//! Edits the open text, finishes or closes it.
//!
//! Must not know: what the text is for.

use crate::ground::field::{Field, Reach, TextVerb};
use crate::kernel::availability::offered;
use crate::kernel::context::{TYPED, WRITTEN, on};
use crate::kernel::halted;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::Prompt;
use crate::kernel::prompts;
use crate::kernel::verb::{Care, Rank, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::editor::{discard, edits, typing};

/// The verb `done`.
pub const DONE: Verb = Verb {
    name: "done",
    keys: &["ctrl-s", "alt-enter"],
    contexts: &[on(super::ID)],
    doc: "finish the text; previews what it changes",
    hint: "done",
    care: Care::Careful,
    available: |model| may_be_sent(model).into(),
    run: |model, press| {
        if model.stack.is_top::<Editor>() {
            edits::finish(model, press.out);
        } else {
            prompts::accept(model, press.out);
        }
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `accept`.
pub const ACCEPT: Verb = Verb {
    name: "accept",
    keys: &["enter", "ctrl-s"],
    contexts: &[on(surfaces::line::ID)],
    doc: "finish the line",
    hint: "accept",
    label: |model| model.stack.top::<Prompt>().map(|line| line.act),
    rank: |_| Rank::Leads,
    ..DONE
};

/// The verb `discard`.
pub const DISCARD: Verb = Verb {
    name: "discard",
    keys: &["esc"],
    contexts: WRITTEN,
    doc: "close without a change; a changed text, or a reason, needs a second press",
    hint: "discard",
    rank: |_| Rank::Stays,
    run: |model, press| {
        discard::cancel(model, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `external`.
pub const EXTERNAL: Verb = Verb {
    name: "external",
    keys: &["ctrl-o"],
    contexts: &[on(super::ID)],
    doc: "continue in $EDITOR",
    hint: "$EDITOR",
    run: |model, press| {
        if let Some(editor) = model.stack.top::<Editor>()
            && !editor.sent
        {
            press.out.push(Out::Edit(editor.for_external().into_owned()));
        }
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `form`.
pub const FORM: Verb = Verb {
    name: "form",
    keys: &["ctrl-t"],
    contexts: &[on(super::ID)],
    doc: "switch a value between plain text and JSON",
    hint: "text/JSON",
    available: |model| offered(editor(model).is_some_and(|editor| editor.purpose.is_value())),
    run: |model, _| {
        if let Some(editor) = model.stack.top_mut::<Editor>()
            && let Err(why) = editor.switch()
        {
            model.complain(format!("cannot switch: {why}"));
        }
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `complete`.
pub const COMPLETE: Verb = Verb {
    name: "complete",
    keys: &["tab"],
    contexts: &[on(super::ID)],
    doc: "complete names, values and references in JSON; elsewhere insert a tab",
    run: |model, _| {
        typing::complete(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `next-fault`.
pub const NEXT_FAULT: Verb = Verb {
    name: "next-fault",
    keys: &["alt-e"],
    contexts: &[on(super::ID)],
    doc: "go to the next place that breaks JSON or the schema",
    hint: "next fault",
    available: |model| offered(editor(model).is_some_and(|editor| editor.marks.iter().any(Option::is_some))),
    run: |model, _| {
        typing::next_fault(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `find`.
pub const FIND: Verb = Verb {
    name: "find",
    keys: &["ctrl-f"],
    contexts: &[on(super::ID)],
    doc: "find words in the text",
    hint: "find",
    run: |model, _| {
        typing::find(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `copy-selected`.
pub const COPY_SELECTED: Verb = Verb {
    name: "copy-selected",
    keys: &["alt-c"],
    contexts: WRITTEN,
    doc: "copy the selection, or everything, to the terminal's clipboard",
    hint: "copy",
    // Usually one of many keys of a text; here it saves the text.
    rank: |_| Rank::Leads,
    available: |model| offered(halted::typed(model).is_some()),
    run: |model, press| {
        typing::copy(model, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `paste`.
pub const PASTE: Verb = Verb {
    name: "paste",
    keys: &["ctrl-y"],
    contexts: WRITTEN,
    doc: "insert the text that was cut last",
    run: |model, _| {
        if !prompts::is_too_long(model, None) {
            let taken = prompts::open_field(model).map_or_else(String::new, Field::taken);
            prompts::type_in(model, &taken);
        }
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `undo-typing`.
pub const UNDO_TYPING: Verb = Verb {
    name: "undo-typing",
    keys: &["alt-u", "ctrl-7"],
    contexts: TYPED,
    doc: "undo the last change of the text",
    run: |model, _| edit(model, TextVerb::Undo),
    ..Verb::BASE
};

/// The verb `redo-typing`.
pub const REDO_TYPING: Verb = Verb {
    name: "redo-typing",
    keys: &["ctrl-r"],
    contexts: TYPED,
    doc: "redo the last undone change of the text",
    run: |model, _| edit(model, TextVerb::Redo),
    ..Verb::BASE
};

/// The verb `word-left`.
pub const WORD_LEFT: Verb = Verb {
    name: "word-left",
    keys: &["ctrl-left", "alt-b"],
    contexts: TYPED,
    doc: "move one word left",
    run: |model, _| edit(model, TextVerb::WordLeft),
    ..Verb::BASE
};

/// The verb `word-right`.
pub const WORD_RIGHT: Verb = Verb {
    name: "word-right",
    keys: &["ctrl-right", "alt-f"],
    contexts: TYPED,
    doc: "move one word right",
    run: |model, _| edit(model, TextVerb::WordRight),
    ..Verb::BASE
};

/// The verb `line-start`.
pub const LINE_START: Verb = Verb {
    name: "line-start",
    keys: &["home"],
    contexts: WRITTEN,
    doc: "go to the start of the line",
    run: |model, _| edit(model, TextVerb::LineStart),
    ..Verb::BASE
};

/// The verb `line-end`.
pub const LINE_END: Verb = Verb {
    name: "line-end",
    keys: &["end", "ctrl-e"],
    contexts: WRITTEN,
    doc: "go to the end of the line",
    run: |model, _| edit(model, TextVerb::LineEnd),
    ..Verb::BASE
};

/// The verb `first-line`.
pub const FIRST_LINE: Verb = Verb {
    name: "first-line",
    keys: &["ctrl-home"],
    contexts: &[on(super::ID)],
    doc: "go to the start of the text",
    run: |model, _| edit(model, TextVerb::First),
    ..Verb::BASE
};

/// The verb `last-line`.
pub const LAST_LINE: Verb = Verb {
    name: "last-line",
    keys: &["ctrl-end"],
    contexts: &[on(super::ID)],
    doc: "go to the end of the text",
    run: |model, _| edit(model, TextVerb::Last),
    ..Verb::BASE
};

/// The verb `erase-word`.
pub const ERASE_WORD: Verb = Verb {
    name: "erase-word",
    keys: &["ctrl-w", "alt-backspace"],
    contexts: TYPED,
    doc: "erase the word before the cursor",
    run: |model, _| edit(model, TextVerb::EraseWord),
    ..Verb::BASE
};

/// The verb `erase-start`.
pub const ERASE_START: Verb = Verb {
    name: "erase-start",
    keys: &["ctrl-u"],
    contexts: TYPED,
    doc: "erase to the start of the line; clears a line that was filled in before",
    run: |model, _| edit(model, TextVerb::EraseStart),
    ..Verb::BASE
};

/// The verb `erase-end`.
pub const ERASE_END: Verb = Verb {
    name: "erase-end",
    keys: &["ctrl-k"],
    contexts: TYPED,
    doc: "erase to the end of the line",
    run: |model, _| edit(model, TextVerb::EraseEnd),
    ..Verb::BASE
};

/// The verb `find-next`.
pub const FIND_NEXT: Verb = Verb {
    name: "find-next",
    keys: &["alt-n"],
    contexts: &[on(super::ID)],
    doc: "go to the next match in the text",
    run: |model, _| edit(model, TextVerb::FindNext),
    ..Verb::BASE
};

/// The verb `find-back`.
pub const FIND_BACK: Verb = Verb {
    name: "find-back",
    keys: &["alt-p"],
    contexts: &[on(super::ID)],
    doc: "go to the previous match in the text",
    run: |model, _| edit(model, TextVerb::FindBack),
    ..Verb::BASE
};

/// The verb `select-left`.
pub const SELECT_LEFT: Verb = Verb {
    name: "select-left",
    keys: &["shift-left"],
    contexts: WRITTEN,
    doc: "select a character to the left",
    run: |model, _| edit(model, TextVerb::Select(Reach::Left)),
    ..Verb::BASE
};

/// The verb `select-right`.
pub const SELECT_RIGHT: Verb = Verb {
    name: "select-right",
    keys: &["shift-right"],
    contexts: WRITTEN,
    doc: "select a character to the right",
    run: |model, _| edit(model, TextVerb::Select(Reach::Right)),
    ..Verb::BASE
};

/// The verb `select-up`.
pub const SELECT_UP: Verb = Verb {
    name: "select-up",
    keys: &["shift-up"],
    contexts: &[on(super::ID)],
    doc: "select a line up",
    run: |model, _| edit(model, TextVerb::Select(Reach::Up)),
    ..Verb::BASE
};

/// The verb `select-down`.
pub const SELECT_DOWN: Verb = Verb {
    name: "select-down",
    keys: &["shift-down"],
    contexts: &[on(super::ID)],
    doc: "select a line down",
    run: |model, _| edit(model, TextVerb::Select(Reach::Down)),
    ..Verb::BASE
};

/// The verb `select-line-start`.
pub const SELECT_LINE_START: Verb = Verb {
    name: "select-line-start",
    keys: &["shift-home"],
    contexts: WRITTEN,
    doc: "select to the start of the line",
    run: |model, _| edit(model, TextVerb::Select(Reach::LineStart)),
    ..Verb::BASE
};

/// The verb `select-line-end`.
pub const SELECT_LINE_END: Verb = Verb {
    name: "select-line-end",
    keys: &["shift-end"],
    contexts: WRITTEN,
    doc: "select to the end of the line",
    run: |model, _| edit(model, TextVerb::Select(Reach::LineEnd)),
    ..Verb::BASE
};

/// The verb `select-all`.
pub const SELECT_ALL: Verb = Verb {
    name: "select-all",
    keys: &["alt-a"],
    contexts: WRITTEN,
    doc: "select everything",
    run: |model, _| edit(model, TextVerb::Select(Reach::All)),
    ..Verb::BASE
};

/// The verb `cut`.
pub const CUT: Verb = Verb {
    name: "cut",
    keys: &["alt-x"],
    contexts: WRITTEN,
    doc: "cut the selection",
    run: |model, _| edit(model, TextVerb::Cut),
    ..Verb::BASE
};

fn editor(model: &Model) -> Option<&Editor> {
    model.stack.top()
}

/// Refuses to send a text that a halted run could not record.
fn may_be_sent(model: &Model) -> Result<(), Refusal> {
    halted::typed(model).map_or(Ok(()), Err)
}

/// Changes the text of the open field.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn edit(model: &mut Model, verb: TextVerb) -> Result<(), Refusal> {
    prompts::edit(model, verb);
    Ok(())
}
