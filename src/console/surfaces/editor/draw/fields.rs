//! Draws arguments as fields: a row each, the active one with its cursor, and what it is for.
//!
//! Must not know: what its keys do, how a field becomes an argument.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::diff::{self, Change};
use crate::ground::doc::{Styled, broken};
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::run::link::Replaced;
use crate::run::readable;
use crate::surfaces::documents::changed_lines;
use crate::surfaces::editor::state::{ArgField, ArgFields, Editor, FieldKind};
use overrule_base::known_tool::{self, Kind};
use overrule_base::text::visible;

/// Maximum columns of a name.
const NAME: usize = 16;
/// Maximum rows of the description of a field.
const ABOUT: usize = 3;
/// Columns from which a text has its change at its right.
const BESIDE: u16 = 140;
/// Rows from which a change is shown below the fields.
const CHANGE: u16 = 4;

/// Draws the fields, or the text that the call is mainly about, alone.
pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, editor: &Editor, fields: &ArgFields, area: Rect) {
    if is_alone(editor, fields) {
        let change = change_rows(editor, fields);
        let below = u16::try_from(change.len() + 1).unwrap_or(u16::MAX);
        let below = below.min(area.height / 2);
        let below = if below < CHANGE / 2 { 0 } else { below };
        let text = Rect {
            height: area.height - below,
            ..area
        };
        if area.width >= BESIDE && !change.is_empty() {
            let about = about_file(model, editor, fields, &change);
            return beside(model, frame, editor, (&change, about), area);
        }
        editor.field.draw(frame, text, &model.settings.look);
        let rest = Rect {
            y: area.y + text.height,
            height: below,
            ..area
        };
        let about = about_file(model, editor, fields, &change);
        draw_change(model, frame, (&change, about), rest);
        return;
    }
    let used = rows(model, frame, editor, fields, area);
    let mut rest = Rect {
        y: area.y + used,
        height: area.height.saturating_sub(used),
        ..area
    };
    // What the arguments of a usual tool are for is known.
    let about = if is_usual(editor) {
        0
    } else {
        about(model, frame, fields, rest)
    };
    rest = Rect {
        y: rest.y + about,
        height: rest.height.saturating_sub(about),
        ..rest
    };
    if rest.height >= CHANGE {
        draw_change(model, frame, (&change_rows(editor, fields), None), rest);
    }
}

/// The lines of a change; for a change of a file, the number of its first line there.
type Drawn<'d> = (&'d [diff::Line], Option<usize>);

/// The number of the first line of a change in the file, as it was found for the call that is edited.
fn about_file(model: &Model, editor: &Editor, fields: &ArgFields, change: &[diff::Line]) -> Option<usize> {
    let tool = editor.purpose.tool()?;
    let active = fields
        .active()
        .filter(|active| known_tool::NEW.contains(&active.name.as_str()));
    active.filter(|_| known_tool::kind(tool) == Some(Kind::Edit))?;
    let found = model.run.looked_at(editor.edit_base.call()?)?;
    let Replaced::Text(lines) = &found.replaced else {
        return None;
    };
    let first = change.iter().find(|line| line.change != Change::Added)?;
    let mut of_file = lines.iter().filter(|line| line.change != Change::Added);
    of_file.find(|line| line.text == first.text)?.no
}

/// Draws a text with its change at its right.
fn beside(model: &Model, frame: &mut Frame<'_>, editor: &Editor, change: Drawn<'_>, area: Rect) {
    let left = area.width / 2;
    let text = Rect { width: left, ..area };
    editor.field.draw(frame, text, &model.settings.look);
    let rest = Rect {
        x: area.x + left,
        width: area.width - left,
        ..area
    };
    draw_change(model, frame, change, rest);
}

/// True where the active text is what the call is mainly about: the new text of a file, or a patch.
pub(super) fn is_alone(editor: &Editor, fields: &ArgFields) -> bool {
    let tool = editor.purpose.tool().map_or("", |tool| tool);
    let names = match known_tool::kind(tool) {
        Some(Kind::Write) => known_tool::CONTENT,
        Some(Kind::Edit) => known_tool::NEW,
        Some(Kind::Patch) => known_tool::TEXT,
        _ => return false,
    };
    let active = fields.active();
    active.is_some_and(|active| active.kind == FieldKind::Text && names.contains(&active.name.as_str()))
}

/// True for a tool whose arguments are known.
fn is_usual(editor: &Editor) -> bool {
    let tool = editor.purpose.tool();
    tool.is_some_and(|tool| known_tool::kind(tool).is_some())
}

/// Draws a row for each field; the active one has the rows that it needs. Returns the number of rows.
fn rows(model: &Model, frame: &mut Frame<'_>, editor: &Editor, fields: &ArgFields, area: Rect) -> u16 {
    let active_text = editor.for_external();
    let widest = fields
        .list
        .iter()
        .map(|field| visible(&field.name).columns())
        .max();
    let name = widest.unwrap_or(0).min(NAME) + 4;
    let others = u16::from(fields.others > 0);
    let count = u16::try_from(fields.list.len()).unwrap_or(u16::MAX);
    let room = area
        .height
        .saturating_sub(count.saturating_sub(1) + others)
        .max(1);
    let lines = u16::try_from(editor.field.rows()).unwrap_or(u16::MAX);
    let tall = lines.clamp(1, room.min((area.height / 2).max(1)));
    // The active field stays on the screen.
    let first = u16::try_from(fields.at)
        .unwrap_or(0)
        .saturating_sub(area.height.saturating_sub(tall + others));
    let mut y = 0;
    for (at, field) in fields.list.iter().enumerate().skip(usize::from(first)) {
        let is_active = at == fields.at;
        let height = if is_active { tall } else { 1 };
        if y + height > area.height {
            break;
        }
        let place = row_of(area, y);
        let value = Rect {
            x: place.x + u16::try_from(name).unwrap_or(0).min(place.width),
            width: place.width.saturating_sub(u16::try_from(name).unwrap_or(0)),
            height,
            ..place
        };
        name_of(model, frame, field, place, is_active, editor);
        if is_active && matches!(field.kind, FieldKind::Text | FieldKind::Json) {
            editor.field.draw(frame, value, &model.settings.look);
        } else {
            let text = if is_active { active_text.as_ref() } else { "" };
            value_of(
                model,
                frame,
                field,
                fields.is_given(at, &active_text),
                (is_active, text),
                value,
            );
        }
        y += height;
    }
    if fields.others > 0 && y < area.height {
        let keys = if fields.others == 1 { "key" } else { "keys" };
        let json = model.settings.keymap.first("form");
        let words = format!("{} more {keys}: {json}", fields.others);
        let mut canvas = canvas(model, frame);
        let place = row_of(area, y);
        canvas.put(
            place.x + 1,
            place.y,
            place.width.saturating_sub(1),
            &words,
            Role::Dim,
        );
        y += 1;
    }
    y
}

fn canvas<'c>(model: &'c Model, frame: &'c mut Frame<'_>) -> Canvas<'c> {
    Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    }
}

/// Draws the name of a field, with a star if it is required; a fault in it is in the colour of errors.
fn name_of(
    model: &Model,
    frame: &mut Frame<'_>,
    field: &ArgField,
    place: Rect,
    is_active: bool,
    editor: &Editor,
) {
    let is_wrong = editor.faults.iter().any(|fault| {
        fault
            .path
            .strip_prefix('/')
            .is_some_and(|path| path.split('/').next() == Some(&field.name))
    });
    let role = match (is_wrong, is_active) {
        (true, _) => Role::Error,
        (false, true) => Role::Title,
        (false, false) => Role::Dim,
    };
    let star = if field.required && !is_usual(editor) {
        " *"
    } else {
        ""
    };
    let text: String = visible(&field.name).chars().take(NAME).collect();
    canvas(model, frame).put(
        place.x + 1,
        place.y,
        place.width.saturating_sub(1),
        &format!("{text}{star}"),
        role,
    );
}

/// Draws the value of a field without a cursor.
fn value_of(
    model: &Model,
    frame: &mut Frame<'_>,
    field: &ArgField,
    is_given: bool,
    (is_active, active): (bool, &str),
    place: Rect,
) {
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let mut line = Styled::new();
    let mut right = String::new();
    match &field.kind {
        FieldKind::Choice(values) => {
            let text = if is_active {
                active.to_owned()
            } else {
                field.shown()
            };
            let is_default = text.is_empty();
            let is_switch = values.iter().map(String::as_str).eq(["false", "true"]);
            let value = if is_default { field.default.as_str() } else { &text };
            let sign = if value == "true" { "[x]" } else { "[ ]" };
            if is_switch {
                let role = match (is_active, is_default) {
                    (true, _) => Role::Accent,
                    (false, true) => Role::Dim,
                    (false, false) => Role::Title,
                };
                line = line.own(role, sign);
            }
            for value in values.iter().filter(|_| !is_switch) {
                let shown = visible(value.trim_matches('"'));
                let is_chosen = *value == text || (is_default && shown == field.default);
                let role = if is_chosen && !is_default {
                    Role::Title
                } else {
                    Role::Dim
                };
                let shown = if is_chosen {
                    format!("[{shown}]")
                } else {
                    format!(" {shown} ")
                };
                line = line
                    .own(
                        if is_active && is_chosen {
                            Role::Accent
                        } else {
                            role
                        },
                        shown,
                    )
                    .own(Role::Dim, " ");
            }
            if is_default {
                "default".clone_into(&mut right);
            }
        }
        FieldKind::Text | FieldKind::Json if is_given => {
            let shown = words_of(field).unwrap_or_else(|| field.shown());
            let mut lines = shown.split('\n');
            let first = lines.next().unwrap_or_default();
            line = line.own(Role::Text, first);
            let count = 1 + lines.count();
            if count > 1 {
                line = line.own(Role::Dim, " …");
                right = format!("{count} lines");
            }
        }
        FieldKind::Text | FieldKind::Json if field.default.is_empty() => {
            line = line.own(Role::Dim, "not given");
        }
        FieldKind::Text | FieldKind::Json => {
            line = line.untrusted(Role::Dim, &field.default, 200);
            "default".clone_into(&mut right);
        }
    }
    let mut canvas = canvas(model, frame);
    let columns = u16::try_from(right.columns()).unwrap_or(0);
    let width = place.width.saturating_sub(columns + u16::from(columns > 0));
    canvas.row(
        Rect {
            width,
            height: 1,
            ..place
        },
        &line,
        more,
    );
    if columns > 0 && columns < place.width {
        canvas.put(place.right() - columns, place.y, columns, &right, Role::Dim);
    }
}

/// A list of plain words, next to each other.
fn words_of(field: &ArgField) -> Option<String> {
    let words = readable::list_of_words(&field.text()).filter(|_| field.kind == FieldKind::Json)?;
    Some(visible(&words.replace(", ", "  ")))
}

/// Draws what the active field is for. Returns the number of rows.
fn about(model: &Model, frame: &mut Frame<'_>, fields: &ArgFields, area: Rect) -> u16 {
    let Some(active) = fields.active().filter(|_| area.height > 1) else {
        return 0;
    };
    heading(
        model,
        frame,
        (&format!("{} · {}", visible(&active.name), active.type_label), ""),
        area,
    );
    let mut y = 1;
    let text = visible(&active.description);
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    for row in broken(&text, width).into_iter().take(ABOUT) {
        if text.is_empty() || y >= area.height {
            break;
        }
        let place = row_of(area, y);
        canvas(model, frame).put(
            place.x + 2,
            place.y,
            place.width.saturating_sub(2),
            &row,
            Role::Dim,
        );
        y += 1;
    }
    y
}

/// Draws a heading across the dialog, with words at its right end.
fn heading(model: &Model, frame: &mut Frame<'_>, (text, right): (&str, &str), area: Rect) {
    let line = match model.settings.charset {
        Charset::Unicode => "─",
        Charset::Ascii => "-",
    };
    let width = usize::from(area.width);
    let mut words = format!("{line} {text} ");
    while words.columns() < width {
        words.push_str(line);
    }
    let mut canvas = canvas(model, frame);
    canvas.put(area.x, area.y, area.width, &words, Role::Border);
    let columns = u16::try_from(right.columns() + 2).unwrap_or(u16::MAX);
    if !right.is_empty() && columns + 1 < area.width {
        let x = area.right() - columns - 1;
        canvas.put(x, area.y, columns, &format!(" {right} "), Role::Border);
    }
}

/// The change of the active text: from the text that it replaces, or from what the call had.
fn change_rows(editor: &Editor, fields: &ArgFields) -> Vec<diff::Line> {
    let Some(active) = fields.active().filter(|active| active.kind == FieldKind::Text) else {
        return Vec::new();
    };
    let text = editor.for_external();
    let old = match &fields.old {
        Some(old) if known_tool::NEW.contains(&active.name.as_str()) => fields.text_of(old, &text),
        _ => active
            .value
            .as_deref()
            .map(|_| editor.field.original().to_owned()),
    };
    match old {
        Some(old) if *old != *text => diff::lines(&old, &text),
        _ => Vec::new(),
    }
}

/// Draws a change below its heading.
fn draw_change(model: &Model, frame: &mut Frame<'_>, (rows, first): Drawn<'_>, area: Rect) {
    if rows.is_empty() || area.height < 2 {
        return;
    }
    let count = |change: Change| rows.iter().filter(|row| row.change == change).count();
    let (removed, added) = (count(Change::Removed), count(Change::Added));
    let minus = changed_lines::sign(Change::Removed, model.settings.charset);
    let counts = format!("{minus}{removed} +{added}");
    let words = match first {
        Some(_) => ("difference to the file now", counts.as_str()),
        // One line for another needs no count.
        None if removed.max(added) <= 1 => ("change", ""),
        None => ("change", counts.as_str()),
    };
    heading(model, frame, words, area);
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let mut numbers = [first.unwrap_or_default(); 2];
    for (y, row) in (1..area.height).zip(rows) {
        let role = match row.change {
            Change::Added => Role::DiffAdd,
            Change::Removed => Role::DiffRemove,
            Change::Same | Change::Note => Role::Dim,
        };
        let sign = changed_lines::sign(row.change, model.settings.charset);
        let [old, new] = &mut numbers;
        let no = if row.change == Change::Added { *new } else { *old };
        *old += usize::from(row.change != Change::Added);
        *new += usize::from(row.change != Change::Removed);
        let lead = match first {
            Some(_) => format!("{no:>4} {sign} "),
            None => format!(" {sign} "),
        };
        let line = Styled::new().own(role, lead);
        let line = match first {
            Some(_) => line.laid_out(role, &row.text),
            None => line.untrusted(role, &row.text, usize::from(area.width)),
        };
        canvas(model, frame).row(row_of(area, y), &line, more);
    }
}
