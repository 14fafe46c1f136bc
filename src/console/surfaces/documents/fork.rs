//! The preview of a fork.
//!
//! Must not know: keys, how a fork is written.

use std::sync::Arc;

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::maker::{Maker, WHOLE};
use crate::run::summary;
use overrule_base::text::visible;
use overrule_domain::fork::ForkPreview;
use overrule_present::fork::ForkView;

/// The most effects that are named.
const NAMED: usize = 5;
/// Indent of the further rows of an entry.
const INDENT: usize = 4;

/// The question before a fork is written.
pub fn fork(maker: &mut Maker<'_>, preview: Option<&Result<Arc<ForkPreview>, String>>) {
    match preview {
        None => maker.own(Role::Dim, "loading the recording…"),
        Some(Err(why)) => maker.own(Role::Error, visible(why)),
        Some(Ok(preview)) => {
            let view = ForkView::of(None, preview);
            maker.own(Role::Text, view.start());
            for line in view.consequences() {
                let role = if line.warns { Role::Warning } else { Role::Text };
                maker.own(role, line.text);
            }
            for one in view.effects.iter().take(NAMED) {
                let line = Styled::new()
                    .own(Role::Accent, format!("  {} ", one.call))
                    .untrusted(Role::Text, one.tool, 40)
                    .own(Role::Text, " ")
                    .summary_at_length(Role::Text, &summary::arguments(one.args), WHOLE);
                maker.over(line, INDENT);
            }
            if let Some(more) = view.effects.len().checked_sub(NAMED).filter(|more| *more > 0) {
                maker.own(Role::Warning, format!("  and {more} more"));
            }
        }
    }
}
