//! The title of a decision: what would happen, and why it is asked.
//!
//! Must not know: how the frame is drawn, how far the operator has scrolled.

use crate::ground::columns::Columns as _;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_domain::call::Call;
use overrule_domain::thread;
use overrule_present::question;

/// Columns of the title row that are no words: the corner, the gaps and the number of the entry.
const AROUND: usize = 18;
/// Columns that the frame takes at the left.
const BAR: u16 = 2;

/// Puts the document of a call into a frame. A cause that is too long for the title is the first row.
pub(crate) fn question(maker: &mut Maker<'_>, call: &Call) {
    let state = &maker.run.state;
    let base = maker
        .run
        .looked_at(call.id)
        .and_then(|found| found.base.as_deref());
    let rev = state.node(call.id).map_or(1, |node| node.rev().0);
    let revision = if rev > 1 {
        format!(" revision {rev}")
    } else {
        String::new()
    };
    let named = thread::named(state, call.id);
    let title = format!("{named}{revision} {}", question::title(state, call, base));
    let cause = question::cause(state, call);
    let fits = title.columns() + cause.columns() + AROUND <= usize::from(maker.width);
    maker.width = maker.width.saturating_sub(BAR);
    if fits {
        maker.doc.set_title([title, cause]);
    } else {
        maker.doc.set_title([title, String::new()]);
        if !cause.is_empty() {
            maker.own(Role::Text, cause);
        }
    }
}
