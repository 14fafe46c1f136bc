//! How a field is drawn by its widget. Must not know: what the text is for, keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui_textarea::{CursorMove, DataCursor, TextArea};

use super::{Field, widget};
use crate::console::columns::{grows, widen};

/// Bytes of a line beyond which only a part of it is given to the widget: no character has more columns than bytes.
const LONG: usize = 32 * 1024;

impl Field {
    /// Draws it, with places (line and character, from 0) in a look of their own.
    pub fn draw_marked(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        style: Style,
        marks: (&[(usize, usize)], Style),
    ) {
        let area = area.intersection(frame.area());
        let room = self.lay(frame, area, style);
        for place in marks.0 {
            if let Some((x, y)) = self.on_screen(*place, room)
                && let Some(cell) = frame.buffer_mut().cell_mut((x, y))
            {
                cell.set_style(marks.1);
            }
        }
        widen(frame.buffer_mut(), area);
    }

    /// Where a place of the text was drawn, if it was.
    fn on_screen(&self, (row, column): (usize, usize), area: Rect) -> Option<(u16, u16)> {
        let top = usize::from(self.area.scroll_offset().0);
        let at = |y: u16, x: u16| {
            let DataCursor(row, column) = self.area.screen_to_data(top + usize::from(y), usize::from(x));
            (row, column)
        };
        let wanted = (row, column);
        let y = (0..area.height).take_while(|y| at(*y, 0) <= wanted).last()?;
        if at(y, 0).0 != row {
            return None;
        }
        let x = (0..area.width).find(|x| at(y, *x) >= wanted)?;
        // Behind the end of a line that goes on below, the place is not here.
        (at(y, x) == wanted).then_some((area.x + x, area.y + y))
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, style: Style) {
        let area = area.intersection(frame.area());
        self.lay(frame, area, style);
        widen(frame.buffer_mut(), area);
    }

    /// Draws it as the widget measures it; gives the part of the area that it was given. The widget knows nothing of
    /// characters that are wider on this screen: where there are any it gets half of the columns, so that all that it
    /// draws still fits when each has the room that it takes.
    fn lay(&self, frame: &mut Frame<'_>, area: Rect, style: Style) -> Rect {
        if area.is_empty() {
            return area;
        }
        let mut room = area;
        if self.area.lines().iter().any(|line| grows(line)) {
            room.width = (area.width / 2).max(1);
        }
        frame.buffer_mut().set_style(area, style);
        match self.part() {
            Some(part) => frame.render_widget(&part, room),
            None => frame.render_widget(&self.area, room),
        }
        room
    }

    /// The part of a long line around the cursor: the widget counts columns in 16 bits. None for a line that is not
    /// long.
    fn part(&self) -> Option<TextArea<'static>> {
        let line = self
            .area
            .lines()
            .first()
            .filter(|line| self.single && line.len() > LONG)?;
        let DataCursor(_, column) = self.area.cursor();
        let first = column.saturating_sub(LONG / 4);
        let place =
            |column: usize| u16::try_from(column.saturating_sub(first).min(LONG / 2)).unwrap_or(u16::MAX);
        let mut part = widget(vec![line.chars().skip(first).take(LONG / 2).collect()]);
        if let Some(((_, from), (_, to))) = self.area.selection_range() {
            let other = if from == column { to } else { from };
            part.move_cursor(CursorMove::Jump(0, place(other)));
            part.start_selection();
        }
        part.move_cursor(CursorMove::Jump(0, place(column)));
        Some(part)
    }
}
