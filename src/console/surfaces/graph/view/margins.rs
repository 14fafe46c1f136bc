//! Explains the signs in the margins of the graph in its title line, while they are on the screen.
//!
//! Must not know: what the signs are drawn next to.

use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::paint::Canvas;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::graph::Pick;
use crate::kernel::model::Model;

/// The signs in the margins that were drawn.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Margins {
    /// Before nodes that the selected one depends on.
    ancestors: bool,
    /// Before nodes that depend on the selected one.
    descendants: bool,
    /// Digits in the strip of the whole run.
    pub failures: bool,
}

impl Margins {
    /// Adds the sign of a row.
    pub fn add(&mut self, sign: Option<Symbol>) {
        self.ancestors |= sign == Some(Symbol::Ancestor);
        self.descendants |= sign == Some(Symbol::Descendant);
    }

    /// Draws what the signs mean at the right end of a title line, as far as there is room after `used` columns.
    pub fn draw(self, model: &Model, canvas: &mut Canvas<'_>, title: Rect, used: u16) {
        let charset = model.settings.charset;
        let selected = match model.graph.selected {
            Some(Pick::Node(id)) => id.to_string(),
            _ => return,
        };
        let sign = |symbol: Symbol| symbol.glyph(charset);
        let words = [
            (
                self.ancestors,
                format!("{} {selected} depends on it", sign(Symbol::Ancestor)),
            ),
            (
                self.descendants,
                format!("{} depends on {selected}", sign(Symbol::Descendant)),
            ),
            (self.failures, "1-9 failures".to_owned()),
        ];
        let mut room = usize::from(title.width.saturating_sub(used + 2));
        let mut shown = String::new();
        for (_, words) in words.iter().filter(|(is, _)| *is) {
            let words = format!(" {words} ");
            if words.columns() <= room {
                room -= words.columns();
                shown.push_str(&words);
            }
        }
        let width = u16::try_from(shown.columns()).unwrap_or(u16::MAX);
        let x = title.right().saturating_sub(width + 1);
        canvas.put(x, title.y, width, &shown, Role::Dim);
    }
}
