//! Tests what a confined child can do, with the real helper on the real kernel.
//!
//! Must not know: how a tool calls it.
//!
//! Where the kernel lacks something, a test says SKIPPED and what is missing, and passes.

mod attempts;
mod calls;
mod commands;
mod escapes;
mod keeps;
mod machine;
mod not_restorable;
mod refusals;
mod runs;
mod starts;
