//! What messages do, and what they must not do.

mod arming;
mod branches;
mod collected;
mod edits;
mod palette;
mod schedules;
mod screens;
mod verbs;
