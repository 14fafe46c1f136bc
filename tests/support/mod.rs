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
