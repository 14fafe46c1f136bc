//! The only place where identity is drawn. Must not know: what is named.

#![expect(clippy::disallowed_methods, reason = "identity enters here and nowhere else")]

/// A new session id: begins with its time, so that ids sort by age.
pub fn session() -> uuid::Uuid {
    uuid::Uuid::now_v7()
}

/// A random number of this process: what waits does not wait as long as in another run.
pub fn seed() -> u64 {
    // The second half of an id of this kind is drawn, but for two bits.
    uuid::Uuid::now_v7().as_u64_pair().1
}
