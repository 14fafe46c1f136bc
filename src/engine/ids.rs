//! The only place where identity is drawn. Must not know: what is named.

#![expect(clippy::disallowed_methods, reason = "identity enters here and nowhere else")]

/// A new session id: begins with its time, so that ids sort by age.
pub fn session() -> uuid::Uuid {
    uuid::Uuid::now_v7()
}
