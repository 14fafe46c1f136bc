//! Writes the typed values of views as the text that programs read.
//!
//! Must not know: views.

use std::fmt::Display;

use serde::Serializer;

use overrule_base::text::visible;
use overrule_domain::call::Status;

/// Writes a value as its display form.
pub(super) fn display<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// Writes the label of a status.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
pub(super) fn status<S: Serializer>(status: &&Status, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&status.label())
}

/// Writes untrusted text in its visible form.
pub(super) fn shown<S: Serializer>(text: &impl AsRef<str>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&visible(text.as_ref()))
}
