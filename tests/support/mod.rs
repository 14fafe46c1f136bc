//! What the tests of the program share: directories of its own, servers, terminals, scenarios.
//!
//! Must not know: what is tested.

pub mod fuzzed;
pub mod harness;
pub mod live;
pub mod pick;
pub mod scenario;
pub mod server;
pub mod world;

/// The program: that of this build, or the one that `OVERRULE_PROGRAM` names, such as the one of an archive.
pub fn program() -> &'static str {
    static PROGRAM: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        #[expect(clippy::disallowed_methods, reason = "tests have no settings")]
        let named = std::env::var("OVERRULE_PROGRAM");
        named.unwrap_or_else(|_| env!("CARGO_BIN_EXE_overrule").to_owned())
    });
    &PROGRAM
}
