//! The lines at the bottom: the newest word, and the keys that work now. Must not know: the table.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::paint::{Canvas, row_of};
use crate::console::doc::Styled;
use crate::console::hints;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::theme::Role;

/// Draws the lines.
pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.fill(area, Role::Status);
    if area.is_empty() {
        return;
    }
    if area.height > 1 {
        words(model, canvas, row_of(area, 0));
        keys(model, canvas, row_of(area, 1));
    } else if model.message.text.is_empty() {
        keys(model, canvas, area);
    } else {
        words(model, canvas, area);
    }
}

fn words(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let message = &model.message;
    let width = usize::from(area.width);
    let line = if message.text.is_empty() {
        Styled::new().own(Role::Dim, standing(model))
    } else {
        let role = if message.bad { Role::Error } else { Role::Text };
        Styled::new().untrusted(role, &message.text, width * 2)
    };
    canvas.line(
        area.x + 1.min(area.width),
        area.y,
        area.width.saturating_sub(1),
        &line,
    );
}

/// What there is to say while nothing happened.
fn standing(model: &Model) -> String {
    if !model.screen.can_decide() {
        return "too small to decide: 40x10 at least".to_owned();
    }
    if !model.overlays.is_empty() {
        return String::new();
    }
    match model.arming.frame.as_ref() {
        Some(shown) if matches!(shown.question, Question::Call { .. }) => {
            let left = shown.read.misses(shown.rows);
            if left.is_empty() {
                String::new()
            } else {
                let rows: usize = left.iter().map(std::ops::Range::len).sum();
                let key = model.settings.keymap.first("page-down");
                format!("{rows} rows of the arguments not on screen yet: {key} reads on")
            }
        }
        _ => String::new(),
    }
}

fn keys(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let mut x = area.x + 1.min(area.width);
    let armed = is_armed(model);
    let hints = hints::hints(model);
    let wide = |hint: &hints::Hint| (hint.key.width() + hint.word.width() + 3) as u16;
    let reserved: u16 = hints.iter().filter(|hint| hint.stays).map(wide).sum();
    // Where nothing on screen can be decided, the way to what waits comes first.
    let decides = hints
        .iter()
        .any(|hint| matches!(hint.word, "approve" | "choices"));
    let is_first = |hint: &&hints::Hint| {
        !hint.stays
            && (hint.leads
                || matches!(hint.word, "done" | "accept")
                || (!decides && hint.word == "next pending"))
    };
    let first = hints.iter().filter(is_first);
    let others = hints.iter().filter(|hint| !hint.stays && !is_first(hint));
    let last = hints.iter().filter(|hint| hint.stays);
    let mut room = area.right().saturating_sub(reserved);
    for hint in first.chain(others).chain(last) {
        if hint.stays {
            room = area.right() + 2;
        }
        let need = (hint.key.width() + hint.word.width() + 3) as u16;
        if x + need > room {
            continue;
        }
        let role = match (hint.decides, armed) {
            (true, true) => Role::DecisionKey,
            (true, false) => Role::Dim,
            (false, _) => Role::Key,
        };
        x += canvas.put(x, area.y, need, &hint.key, role);
        x += canvas.put(x, area.y, need, &format!(" {}  ", hint.word), Role::Status);
    }
}

/// True where what is asked has been on screen for long enough.
fn is_armed(model: &Model) -> bool {
    let slot = if model.overlays.is_empty() {
        &model.arming.frame
    } else {
        &model.arming.overlay
    };
    model.screen.can_decide()
        && slot
            .as_ref()
            .is_some_and(|shown| model.arming.now.saturating_sub(shown.since) >= model.settings.arming_ms)
}
