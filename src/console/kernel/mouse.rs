//! Mouse input: focus, cursors, borders and scrolling, but no decisions.
//!
//! Must not know: how anything is drawn.

use super::views;
use crate::ground::motion::Move;
use crate::ground::term_msg::Mouse;
use crate::kernel::inspector::Tab;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::msg::Out;
use crate::kernel::pane::Pane;

/// Rows that a notch of the wheel moves.
const NOTCH: usize = 3;

/// Handles mouse input.
pub(crate) fn mouse(model: &mut Model, mouse: Mouse, (x, y): (u16, u16), out: &mut Vec<Out>) {
    model.double_press.pressed();
    let points = mouse == Mouse::Press || (mouse == Mouse::Drag && model.screen.moving.is_none());
    if points && model.stack.is_empty() && super::replay::point(model, x, y, out) {
        return;
    }
    match mouse {
        Mouse::WheelUp => wheel(model, Move::Up, x, y),
        Mouse::WheelDown => wheel(model, Move::Down, x, y),
        Mouse::Press => press(model, x, y),
        Mouse::Drag => {
            if let Some(border) = model.screen.moving {
                model.screen.move_border(border, y);
            }
        }
        Mouse::Release => model.screen.moving = None,
    }
}

/// Scrolls the topmost surface, else the pane under the pointer; the focus stays.
fn wheel(model: &mut Model, to: Move, x: u16, y: u16) {
    if !model.stack.is_empty() {
        for _ in 0..NOTCH {
            views::step(model, to);
        }
        return;
    }
    let Some(pane) = model.screen.pane_at(x, y) else {
        return;
    };
    for _ in 0..pane.notch() {
        views::step_in(model, pane, to);
    }
}

fn press(model: &mut Model, x: u16, y: u16) {
    if !model.stack.is_empty() {
        if let Some(surface) = model.stack.last_mut() {
            surface.point(&model.screen, y);
        }
        return;
    }
    if let Some(tab) = tab_at(model, x, y) {
        views::focus(model, Pane::INSPECTOR);
        views::tab(model, tab);
        return;
    }
    model.screen.moving = model.screen.border_at(x, y);
    let Some(pane) = model.screen.pane_at(x, y) else {
        return;
    };
    views::focus(model, pane);
    let Some(area) = model.screen.places.of(pane) else {
        return;
    };
    let body = inside(area);
    if y < body.top() || y >= body.bottom() {
        return;
    }
    if let Some(kind) = model.settings.keymap.registry().kind(pane) {
        kind.point(model, x.saturating_sub(body.x), y - body.top());
    }
}

/// The tab whose name is at a position of the screen.
fn tab_at(model: &Model, x: u16, y: u16) -> Option<Tab> {
    let area = model.screen.places.inspector.filter(|area| area.y == y)?;
    let inspector = &model.inspector;
    if inspector.doc.title().is_some() {
        // The frame of a decision has no tabs.
        return None;
    }
    let bar = inspector.bar(area.width, model.settings.charset.around());
    let is_here = |(_, from, words): &&(Tab, u16, String)| {
        let from = area.x + from;
        (from..from + words.len() as u16).contains(&x)
    };
    bar.tabs.iter().find(is_here).map(|(tab, _, _)| *tab)
}
