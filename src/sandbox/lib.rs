//! Confines the children of a run: the plan of a start, the helper that carries it out in the kernel, the proofs of what
//! it promises, the proxy for the hosts that are allowed, and what was refused.
//!
//! Must not know: tools, calls, approvals, settings, the model.
//!
//! The helper is this same program under another name ([`HELPER`]). It confines itself and then becomes the command, so
//! that process, pipes and exit status are those of an ordinary child.

pub mod channel;
pub mod handover;
#[cfg(target_os = "linux")]
mod helper;
pub mod macos;
pub mod network;
pub mod places;
pub mod plan;
pub mod probe;
pub mod protected;
pub mod refusal;
pub mod session;
pub mod start;

pub use channel::{Mounts, Outside, Running, StartError};
#[cfg(target_os = "linux")]
pub use helper::main;
#[cfg(not(target_os = "linux"))]
pub use macos::main;
pub use plan::{Cache, Plan};
pub use start::{Confinement, HELPER, Helper};
