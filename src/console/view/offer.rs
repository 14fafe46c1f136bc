//! Draws the offer to continue a session: one line at the lower end of the screen.
//!
//! Must not know: where sessions are stored, what a key does.

use ratatui::Frame;

use crate::app::offer::Offer;
use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::{Look, Role};
use overrule_base::text::{head, visible};

/// Fewest columns of the title.
const TITLE: usize = 12;

/// Draws the offer.
pub fn offer(offer: &Offer, look: &Look, charset: Charset, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look,
    };
    canvas.fill(area, Role::Text);
    let more = Symbol::Ellipsis.glyph(charset);
    let width = usize::from(area.width);
    let room = width.saturating_sub(line(offer, "").columns()).max(TITLE);
    let shown = visible(head(&offer.title, width).0);
    let mut title = shown.clone();
    while title.columns() > room {
        // Room for the mark.
        let kept = title.chars().count().saturating_sub(2);
        title = title.chars().take(kept).collect();
        title.push(more);
    }
    canvas.row(
        row_of(area, area.height.saturating_sub(1)),
        &line(offer, &title),
        more,
    );
}

fn line(offer: &Offer, title: &str) -> Styled {
    Styled::new()
        .own(Role::Key, "enter")
        .own(Role::Dim, " continue ")
        .own(Role::Text, format!("\"{title}\" "))
        .own(Role::Dim, offer.about())
        .own(Role::Key, "  n")
        .own(Role::Dim, " new")
        .own(Role::Key, "  esc")
        .own(Role::Dim, " leave")
}
