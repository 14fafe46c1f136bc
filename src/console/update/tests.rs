//! What messages do, and what they must not do.

mod arming;
mod edits;
mod schedules;
mod screens;
mod verbs;
