//! Generates identities: the only place that does.
//!
//! Must not know: what is named.

#![expect(clippy::disallowed_methods, reason = "identity enters here and nowhere else")]

/// Returns a new session id. It begins with its time, so ids sort by age.
pub fn session() -> uuid::Uuid {
    uuid::Uuid::now_v7()
}

/// Returns a random number for this process, so that waits differ from those of other runs.
pub fn seed() -> u64 {
    // All but two bits of the second half of such an id are random.
    uuid::Uuid::now_v7().as_u64_pair().1
}

/// Returns a random string of 32 characters that cannot be guessed.
pub fn secret() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}
