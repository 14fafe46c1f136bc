//! Tests that marks of unsafe characters stay visible in highlighted rows.
//!
//! Must not know: which rows are highlighted.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ground::doc::Styled;
use crate::ground::paint::Canvas;
use crate::ground::theme::{Colours, Role, Theme};

const AREA: Rect = Rect::new(0, 0, 12, 1);

fn coloured(check: impl Fn(&mut Canvas<'_>, &str)) {
    for name in Theme::names().filter(|name| *name != "mono") {
        for colours in [Colours::True, Colours::Indexed] {
            let look = Theme::built_in(name).unwrap().look(colours);
            let mut buf = Buffer::empty(AREA);
            let mut canvas = Canvas {
                buf: &mut buf,
                look: &look,
            };
            canvas.fill(AREA, Role::Text);
            check(&mut canvas, name);
        }
    }
}

#[test]
fn a_mark_keeps_its_colours_in_a_row_that_is_marked() {
    let grounds = [
        Role::Ancestor,
        Role::Descendant,
        Role::Selection,
        Role::Match,
        Role::Superseded,
    ];
    coloured(|canvas, name| {
        canvas.put(0, 0, 4, "word", Role::Text);
        canvas.put(4, 0, 4, "\u{27e8}LF\u{27e9}", Role::Escaped);
        let before = canvas.buf.clone();
        for background in grounds {
            canvas.tint(AREA, background);
            for x in 4..8 {
                let cell = &canvas.buf[(x, 0)];
                assert_eq!(
                    (cell.fg, cell.bg),
                    (before[(x, 0)].fg, before[(x, 0)].bg),
                    "{name} {background:?}"
                );
            }
            let expected = canvas.look.style(background);
            let cell = &canvas.buf[(0, 0)];
            assert_eq!(
                cell.bg,
                expected.bg.unwrap_or(cell.bg),
                "{name}: the rest of the row is marked"
            );
        }
    });
}

#[test]
fn the_cut_mark_does_not_take_the_background_of_an_escape_mark() {
    coloured(|canvas, name| {
        let line = Styled::new()
            .own(Role::Text, "eight +8".to_owned())
            .own(Role::Escaped, "\u{27e8}U+202E\u{27e9}".to_owned());
        canvas.row(AREA, &line, '\u{2026}');
        let cell = &canvas.buf[(11, 0)];
        assert_eq!(cell.symbol(), "\u{2026}");
        assert_eq!(Some(cell.bg), canvas.look.full(Role::Dim).bg, "{name}");
    });
}
