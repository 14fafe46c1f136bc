//! The terminal console: shows the state and collects the operator's input.
//!
//! Must not know: engine, providers, tools, journal bytes.

pub mod app;
pub mod export;
pub mod ground;
pub mod kernel;
pub mod run;
pub mod surfaces;
#[cfg(any(test, feature = "testing"))]
#[allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]
pub mod testing;
pub mod update;
pub mod verbs;
pub mod view;
