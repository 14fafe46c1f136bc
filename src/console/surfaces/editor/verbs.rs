//! Edits the open text, finishes or closes it.
//!
//! Must not know: what the text is for.

use crate::ground::field::{Field, Reach, TextVerb};
use crate::kernel::availability::offered;
use crate::kernel::context::{Context, TYPED, WRITTEN, on};
use crate::kernel::halted;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::Prompt;
use crate::kernel::prompts;
use crate::kernel::verb::{Care, Press, Rank, Verb, verbs};
use crate::run::refusal::Refusal;
use crate::surfaces;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::editor::{discard, edits, typing};
use crate::surfaces::next_task::NextTask;

/// In the editor.
const EDITOR: &[Context] = &[on(super::ID)];

/// The verb `done`.
pub const DONE: Verb = Verb {
    name: "done",
    keys: &["ctrl-s", "alt-enter"],
    contexts: EDITOR,
    doc: "finish the text; previews what it changes",
    hint: "done",
    label: |model| {
        let previews = |editor: &Editor| editor.purpose.previews().then_some("preview");
        editor(model).and_then(previews)
    },
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
    hint: "back",
    label: |model| model.stack.is_top::<NextTask>().then_some("leave"),
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
    contexts: EDITOR,
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
    contexts: EDITOR,
    doc: "switch a value between plain text and JSON, arguments between fields and JSON",
    hint: "text/JSON",
    label: |model| {
        let editor = editor(model).filter(|editor| !editor.purpose.is_value())?;
        Some(if editor.fields.is_some() { "JSON" } else { "fields" })
    },
    available: |model| offered(editor(model).is_some_and(Editor::has_forms)),
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
    contexts: EDITOR,
    doc: "go to the next field; complete names, values and references in JSON; elsewhere insert a tab",
    hint: "next field",
    available: |model| offered(editor(model).is_some_and(|editor| editor.fields.is_some())),
    run: |model, _| {
        typing::complete(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `field-back`.
pub const FIELD_BACK: Verb = Verb {
    name: "field-back",
    keys: &["shift-tab"],
    contexts: EDITOR,
    doc: "go to the field before",
    run: |model, _| {
        if let Some(editor) = model.stack.top_mut::<Editor>()
            && !editor.sent
        {
            editor.go_to_field(true);
        }
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `next-fault`.
pub const NEXT_FAULT: Verb = Verb {
    name: "next-fault",
    keys: &["alt-e"],
    contexts: EDITOR,
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
    contexts: EDITOR,
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

// What changes the text, or moves and selects in it.
verbs! {
    run: edit, ..Verb::BASE;
    UNDO_TYPING       "undo-typing"       ["alt-u", "ctrl-7"]         TYPED   "undo the last change of the text" TextVerb::Undo;
    REDO_TYPING       "redo-typing"       ["ctrl-r"]                  TYPED   "redo the last undone change of the text" TextVerb::Redo;
    WORD_LEFT         "word-left"         ["ctrl-left", "alt-b"]      TYPED   "move one word left" TextVerb::WordLeft;
    WORD_RIGHT        "word-right"        ["ctrl-right", "alt-f"]     TYPED   "move one word right" TextVerb::WordRight;
    LINE_START        "line-start"        ["home"]                    WRITTEN "go to the start of the line" TextVerb::LineStart;
    LINE_END          "line-end"          ["end", "ctrl-e"]           WRITTEN "go to the end of the line" TextVerb::LineEnd;
    FIRST_LINE        "first-line"        ["ctrl-home"]               EDITOR  "go to the start of the text" TextVerb::First;
    LAST_LINE         "last-line"         ["ctrl-end"]                EDITOR  "go to the end of the text" TextVerb::Last;
    ERASE_WORD        "erase-word"        ["ctrl-w", "alt-backspace"] TYPED   "erase the word before the cursor" TextVerb::EraseWord;
    ERASE_START       "erase-start"       ["ctrl-u"]                  TYPED   "erase to the start of the line; clears a line that was filled in before" TextVerb::EraseStart;
    ERASE_END         "erase-end"         ["ctrl-k"]                  TYPED   "erase to the end of the line" TextVerb::EraseEnd;
    FIND_NEXT         "find-next"         ["alt-n"]                   EDITOR  "go to the next match in the text" TextVerb::FindNext;
    FIND_BACK         "find-back"         ["alt-p"]                   EDITOR  "go to the previous match in the text" TextVerb::FindBack;
    SELECT_LEFT       "select-left"       ["shift-left"]              WRITTEN "select a character to the left" TextVerb::Select(Reach::Left);
    SELECT_RIGHT      "select-right"      ["shift-right"]             WRITTEN "select a character to the right" TextVerb::Select(Reach::Right);
    SELECT_UP         "select-up"         ["shift-up"]                EDITOR  "select a line up" TextVerb::Select(Reach::Up);
    SELECT_DOWN       "select-down"       ["shift-down"]              EDITOR  "select a line down" TextVerb::Select(Reach::Down);
    SELECT_LINE_START "select-line-start" ["shift-home"]              WRITTEN "select to the start of the line" TextVerb::Select(Reach::LineStart);
    SELECT_LINE_END   "select-line-end"   ["shift-end"]               WRITTEN "select to the end of the line" TextVerb::Select(Reach::LineEnd);
    SELECT_ALL        "select-all"        ["alt-a"]                   WRITTEN "select everything" TextVerb::Select(Reach::All);
    CUT               "cut"               ["alt-x"]                   WRITTEN "cut the selection" TextVerb::Cut;
}

fn editor(model: &Model) -> Option<&Editor> {
    model.stack.top()
}

/// Refuses to send a text that a halted run could not record.
fn may_be_sent(model: &Model) -> Result<(), Refusal> {
    halted::typed(model).map_or(Ok(()), Err)
}

/// Changes the text of the open field.
#[expect(clippy::unnecessary_wraps, reason = "it is what a verb does")]
fn edit(model: &mut Model, _: &mut Press<'_>, verb: TextVerb) -> Result<(), Refusal> {
    prompts::edit(model, verb);
    Ok(())
}
