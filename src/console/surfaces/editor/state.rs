//! An open editor: a text, its purpose and its faults.
//!
//! Must not know: keys, how it is drawn.

pub(crate) mod edit_base;
pub mod fields;
pub(crate) mod purpose;

use std::borrow::Cow;
use std::sync::Arc;

use crate::ground::field::{Field, too_much};
use crate::ground::json;
use crate::kernel::keymap::Keymap;
use crate::run::part::RunPart;
use crate::run::scope;
use crate::run::scope::Reader;
use overrule_domain::call::Fault;
use overrule_domain::command::Edit;
use overrule_domain::decide::edit::MOST_WORDS;
use overrule_domain::id::NodeId;
use overrule_domain::reference::kept;
use overrule_domain::state::State;
use overrule_policy::session;
use overrule_schema::{Checker, Completion};

pub use edit_base::{EditBase, Meanwhile};
pub use fields::{ArgField, ArgFields, FieldKind};
pub use purpose::Purpose;

/// Maximum number of faults whose position is computed.
const MARKED: usize = 8;

/// How the text becomes what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Plain text; a value becomes a JSON string.
    Text,
    /// JSON, laid out for typing.
    Json,
    /// The arguments of a call as fields; the text is that of the active field.
    Fields,
}

/// An open editor.
#[derive(Debug, Clone)]
pub struct Editor {
    /// Purpose of the text.
    pub purpose: Purpose,
    /// Its title.
    pub title: String,
    /// The text.
    pub field: Field,
    /// How the text becomes what is sent.
    pub form: Form,
    /// The exact text that the editor was opened on; empty for a new one.
    pub original: Arc<str>,
    /// True if an untouched text may be sent: a new call, another tool.
    pub is_new: bool,
    /// Faults of the text.
    pub faults: Vec<Fault>,
    /// Positions of the first faults, as line and character from 0; none for a fault without a
    /// position.
    pub marks: Vec<Option<(usize, usize)>>,
    /// A text that is too long for the field: only `$EDITOR` can change it.
    pub long: Option<String>,
    /// True if the field still holds the text from before it became too long.
    pub can_go_back: bool,
    /// True from sending the text until the run answers.
    pub sent: bool,
    /// Number of the staged edit that it was opened on.
    pub item: Option<u64>,
    /// State of the edited node when the editor was opened.
    pub edit_base: EditBase,
    /// The arguments as fields; none while they are edited as JSON, or where they cannot be fields.
    pub fields: Option<ArgFields>,
    checker: Option<Arc<Checker>>,
}

impl Editor {
    fn open(purpose: Purpose, title: String, original: &Arc<str>, text: String, form: Form) -> Self {
        let is_long = too_much(&text).is_some();
        Self {
            purpose,
            title,
            field: Field::lines(if is_long { "" } else { &text }),
            form,
            original: Arc::clone(original),
            is_new: original.is_empty(),
            faults: Vec::new(),
            marks: Vec::new(),
            long: is_long.then_some(text),
            can_go_back: false,
            sent: false,
            item: None,
            edit_base: EditBase::default(),
            fields: None,
            checker: None,
        }
    }

    /// An editor for plain text.
    pub fn prose(purpose: Purpose, title: String, text: &Arc<str>) -> Self {
        let mut editor = Self::open(purpose, title, text, text.to_string(), Form::Text);
        // Plain text is mostly appended to.
        editor.field.to_end();
        editor
    }

    /// An editor for a value. A JSON string is edited as its text.
    pub fn value(purpose: Purpose, title: String, value: &Arc<str>) -> Self {
        let as_text = if value.is_empty() {
            Some(String::new())
        } else {
            json::as_text(value)
        };
        match as_text {
            Some(text) => Self::open(purpose, title, value, text, Form::Text),
            None => Self::open(purpose, title, value, json::pretty(value), Form::Json),
        }
    }

    /// An editor for arguments, checked while typing: fields by the schema of the tool, or formatted JSON.
    pub fn arguments(purpose: Purpose, title: String, args: &Arc<str>, is_new: bool, run: &RunPart) -> Self {
        let checker = purpose
            .tool()
            .and_then(|name| run.tool(name))
            .and_then(|card| Checker::new(&card.schema).ok())
            .map(Arc::new);
        let mut editor = Self::open(purpose, title, args, json::pretty(args), Form::Json);
        editor.is_new = is_new;
        editor.checker = checker;
        editor.as_fields(args);
        editor.check();
        editor
    }

    /// Shows these arguments as fields, if they can be.
    fn as_fields(&mut self, args: &Arc<str>) -> bool {
        let tool = self.purpose.tool().map_or("", |tool| tool);
        let checker = self.checker.as_ref();
        let Some(mut fields) = checker.and_then(|checker| ArgFields::new(tool, checker.schema(), args))
        else {
            return false;
        };
        self.form = Form::Fields;
        self.long = None;
        self.field = Field::lines("");
        fields.begin(&mut self.field, &mut self.long);
        self.fields = Some(fields);
        true
    }

    /// Goes to the next field, or the one before. False where the text is no field of several.
    pub fn go_to_field(&mut self, back: bool) -> bool {
        let Some(fields) = &mut self.fields else {
            return false;
        };
        fields.go(back, &mut self.field, &mut self.long);
        self.can_go_back = false;
        self.check();
        true
    }

    /// The whole text: all fields as JSON, or what is typed.
    pub fn whole(&self) -> Cow<'_, str> {
        match &self.fields {
            Some(fields) => Cow::Owned(fields.composed(&self.for_external())),
            None => self.for_external(),
        }
    }

    /// Continues with a text that was typed before.
    pub fn resume(&mut self, value: &str, item: Option<u64>) {
        if self.form == Form::Fields {
            self.fields = None;
            self.form = Form::Json;
            if self.as_fields(&Arc::from(value)) {
                self.item = item;
                return self.check();
            }
        }
        let as_text = match self.form {
            Form::Json | Form::Fields => None,
            Form::Text if self.purpose.is_value() => json::as_text(value),
            Form::Text => Some(value.to_owned()),
        };
        let shown = as_text.unwrap_or_else(|| {
            self.form = Form::Json;
            json::pretty(value)
        });
        self.can_go_back = false;
        self.put(shown);
        self.item = item;
    }

    /// Replaces the text by one of any length.
    pub fn put(&mut self, text: String) {
        if too_much(&text).is_some() {
            self.long = Some(text);
        } else {
            self.long = None;
            self.field.replace(&text);
        }
        self.check();
    }

    /// Describes what the operator can do with a text that is too long to type in.
    pub fn ways_out(&self, keymap: &Keymap) -> String {
        let mut words = format!("{} opens them in $EDITOR", keymap.first("external"));
        if self.long.as_ref().is_some_and(|long| long.len() > MOST_WORDS) {
            words = format!("{words}, and an edit may have {MOST_WORDS}");
        }
        if self.can_go_back {
            let undo = keymap.first("undo-typing");
            words = format!("{words}, {undo} undoes the change that made them too many");
        }
        words
    }

    /// The text for `$EDITOR`, unchanged, so that it can be compared with the result.
    pub fn for_external(&self) -> Cow<'_, str> {
        match &self.long {
            Some(long) => Cow::Borrowed(long),
            None => Cow::Owned(self.field.text()),
        }
    }

    /// Takes the text from `$EDITOR`. Removes a line break that the editor added at the end.
    /// Returns whether the editor ended every line with a carriage return, although the text had
    /// none.
    pub fn take_external(&mut self, returned: &str) -> bool {
        let before = self.for_external();
        let breaks = returned.matches('\n').count();
        let ends = breaks > 0 && !before.contains("\r\n") && returned.matches("\r\n").count() == breaks;
        let bare = if ends {
            Cow::Owned(returned.replace("\r\n", "\n"))
        } else {
            Cow::Borrowed(returned)
        };
        let text = match bare.strip_suffix('\n') {
            Some(rest) if !before.ends_with('\n') => rest,
            _ => &bare,
        };
        if text != before {
            let text = text.to_owned();
            let was_typed = self.long.is_none();
            self.put(text);
            self.can_go_back |= was_typed && self.long.is_some();
        }
        ends
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        match &self.long {
            Some(long) => long.split('\n').count(),
            None => self.field.rows(),
        }
    }

    /// True if nothing was changed.
    pub fn is_unchanged(&self) -> bool {
        if self.fields.is_some() {
            let whole = self.whole();
            return *whole == *self.original || json::compact(&whole) == json::compact(&self.original);
        }
        match &self.long {
            Some(long) => match self.form {
                Form::Text => {
                    **long == *self.original || json::as_text(&self.original).as_ref() == Some(long)
                }
                Form::Json | Form::Fields => *long == json::pretty(&self.original),
            },
            None => self.field.is_unchanged(),
        }
    }

    /// Finds the faults and their positions.
    pub fn check(&mut self) {
        let text = self.whole().into_owned();
        if self.form == Form::Text {
            let wrong = match &self.purpose {
                Purpose::Rule => session::read(&text).err(),
                _ => None,
            };
            let faults: Vec<Fault> = wrong.map(|why| fault("rule", why)).into_iter().collect();
            return self.found(faults, Vec::new());
        }
        let active = self.for_external();
        if let Some((name, why)) = self.fields.as_ref().and_then(|fields| fields.broken(&active)) {
            let wrong = Fault {
                path: format!("/{name}"),
                ..fault("json", why)
            };
            return self.found(vec![wrong], vec![None]);
        }
        if let Some((place, words)) = not_json(&text) {
            // A field says which one it is by itself.
            let mark = (self.long.is_none() && self.fields.is_none()).then_some(place);
            return self.found(vec![fault("json", words)], vec![mark]);
        }
        let Some(checker) = &self.checker else {
            return self.found(Vec::new(), Vec::new());
        };
        let faults = checker.check_open(&text);
        let place = |fault: &Fault| {
            let somewhere = !fault.path.is_empty() && self.long.is_none() && self.fields.is_none();
            somewhere.then(|| json::place_of(&text, &fault.path)).flatten()
        };
        let marks = faults.iter().take(MARKED).map(place).collect();
        self.found(faults, marks);
    }

    fn found(&mut self, faults: Vec<Fault>, marks: Vec<Option<(usize, usize)>>) {
        (self.faults, self.marks) = (faults, marks);
    }

    /// Moves the cursor to the next fault. False if there is none.
    pub fn to_next_fault(&mut self) -> bool {
        let (line, column) = self.field.cursor();
        let here = (line - 1, column - 1);
        let mut places: Vec<(usize, usize)> = self.marks.iter().flatten().copied().collect();
        places.sort_unstable();
        let next = places.iter().find(|place| **place > here).or(places.first());
        next.is_some_and(|(row, column)| self.field.jump(*row, *column))
    }

    /// The completion at the cursor by the tool's schema.
    pub fn completion(&self) -> Option<Completion> {
        if self.form != Form::Json || self.long.is_some() {
            return None;
        }
        let checker = self.checker.as_ref()?;
        checker.complete(&self.field.text(), self.field.offset())
    }

    /// The references that are possible at the cursor. Arguments hold references, values do not.
    pub fn references(&self, state: &State) -> Option<Completion> {
        if self.form != Form::Json || self.long.is_some() {
            return None;
        }
        let reader = match &self.purpose {
            Purpose::Call { node, .. } => Reader::call(state, *node)?,
            Purpose::NewCall { after, .. } => Reader::after(state, *after),
            _ => return None,
        };
        scope::complete(state, reader, &self.field.text(), self.field.offset())
    }

    /// Replaces a range of bytes by a text. False if the text would be too long for the editor.
    pub fn put_in(&mut self, bytes: std::ops::Range<usize>, insert: &str) -> bool {
        let fits = self.field.splice(bytes, insert);
        self.check();
        fits
    }

    /// Inserts a paste. The error says that the text is now too long for the editor.
    pub fn paste(&mut self, pasted: &str) -> Result<(), String> {
        let Err(why) = self.field.paste(pasted) else {
            self.check();
            return Ok(());
        };
        let long = self.field.with_paste(pasted);
        self.long = Some(long);
        self.can_go_back = true;
        self.check();
        Err(why)
    }

    /// Reverts the change that made the text too long; false if it was too long from the start.
    pub fn go_back(&mut self) -> bool {
        let done = self.can_go_back && self.long.is_some();
        if done {
            (self.long, self.can_go_back) = (None, false);
            self.check();
        }
        done
    }

    /// The text to send. Unchanged text keeps its original bytes; changed JSON is compact if the
    /// original was.
    pub fn result(&self) -> Result<Arc<str>, String> {
        if self.is_unchanged() && !(self.purpose.is_value() && self.is_new) {
            return Ok(Arc::clone(&self.original));
        }
        let text = self.whole();
        match self.form {
            Form::Text if self.purpose.is_value() => Ok(json::string(&text).into()),
            Form::Text => Ok(text.into()),
            Form::Json | Form::Fields => {
                if let Some((_, words)) = not_json(&text) {
                    return Err(words);
                }
                let packed = self.original.is_empty() || json::compact(&self.original) == *self.original;
                Ok(if packed {
                    json::compact(&text).into()
                } else {
                    text.into()
                })
            }
        }
    }

    /// True if the text has another form.
    pub fn has_forms(&self) -> bool {
        let is_arguments = self.purpose.tool().is_some() && self.checker.is_some();
        self.purpose.is_value() || is_arguments
    }

    /// Switches arguments between fields and JSON; nothing is lost. The error says why that is not possible.
    fn switch_fields(&mut self) -> Result<(), String> {
        if self.fields.is_some() {
            let text = json::pretty(&self.whole());
            (self.fields, self.form, self.long) = (None, Form::Json, None);
            // An undo goes back to the original.
            let original = json::pretty(&self.original);
            let is_long = too_much(&original).is_some();
            self.field = Field::lines(if is_long { "" } else { &original });
            self.put(text);
            self.field.jump(0, 0);
            return Ok(());
        }
        let text = self.for_external().into_owned();
        if let Some((_, words)) = not_json(&text) {
            return Err(words);
        }
        let args = if self.is_unchanged() {
            Arc::clone(&self.original)
        } else {
            json::compact(&text).into()
        };
        if self.as_fields(&args) {
            self.check();
            return Ok(());
        }
        Err("the tool names no arguments, or they are no fields of it".to_owned())
    }

    /// Switches a value between text and JSON, or arguments between fields and JSON. The error says why that is not
    /// possible.
    pub fn switch(&mut self) -> Result<(), String> {
        if !self.purpose.is_value() && self.has_forms() {
            return self.switch_fields();
        }
        if !self.purpose.is_value() || self.long.is_some() {
            return Ok(());
        }
        let text = self.field.text();
        let (form, other) = match self.form {
            Form::Text => (Form::Json, json::string(&text)),
            Form::Json | Form::Fields => (Form::Text, json::as_text(&text).unwrap_or(text)),
        };
        if let Some(why) = too_much(&other) {
            return Err(why);
        }
        self.form = form;
        self.field.replace(&other);
        self.check();
        Ok(())
    }

    /// The edit of the graph that the text makes; none if it makes no edit.
    pub fn edit(&self, state: &State, text: Arc<str>, shown: bool) -> Option<Edit> {
        Some(match &self.purpose {
            Purpose::Call { node, base, tool } => Edit::Call {
                node: *node,
                base: *base,
                tool: Arc::clone(tool),
                // The whole text was on screen: what is not in it goes. The arguments of another agent have no such names.
                args: if state.is_of_agent() {
                    text
                } else {
                    kept::removing(&self.original, &text).into()
                },
                shown,
            },
            Purpose::NewCall { after, tool } => Edit::InsertCall {
                after: *after,
                tool: Arc::clone(tool),
                args: text,
            },
            Purpose::Words { node, base } => Edit::Text {
                node: *node,
                base: *base,
                text,
            },
            Purpose::Observation { node, base } => Edit::Observation {
                node: *node,
                base: *base,
                value: text,
            },
            Purpose::Guide { after } => Edit::InsertPrompt { after: *after, text },
            Purpose::NewThought { after } => Edit::InsertThought { after: *after, text },
            Purpose::Answer { .. } | Purpose::Happened { .. } | Purpose::Rule => return None,
        })
    }

    /// True if the text is no edit of the graph: it is sent immediately.
    pub const fn is_no_edit(&self) -> bool {
        matches!(
            self.purpose,
            Purpose::Answer { .. } | Purpose::Happened { .. } | Purpose::Rule
        )
    }

    /// The node whose dependants are suspended while the editor is open.
    pub const fn holds(&self) -> Option<NodeId> {
        match self.purpose {
            Purpose::Call { node, .. } | Purpose::Words { node, .. } | Purpose::Observation { node, .. } => {
                Some(node)
            }
            _ => None,
        }
    }
}

fn fault(keyword: &str, message: String) -> Fault {
    Fault {
        path: String::new(),
        keyword: keyword.to_owned(),
        message,
    }
}

/// The position at which a text stops being JSON, as line and character from 0, and the reason;
/// none for valid JSON. The reason counts from 1, as the cursor does.
fn not_json(text: &str) -> Option<((usize, usize), String)> {
    let (line, column, message) = json::fault(text)?;
    // If the text ends too early, the fault is after the last character.
    let byte = if message.starts_with("EOF") {
        column
    } else {
        column.saturating_sub(1)
    };
    let row = line.saturating_sub(1);
    let before = text.split('\n').nth(row).unwrap_or_default();
    let column = before
        .char_indices()
        .take_while(|(at, c)| at + c.len_utf8() <= byte)
        .count();
    let words = format!("line {line}, column {}: not JSON: {message}", column + 1);
    Some(((row, column), words))
}
