//! What messages do, and what they must not do.

mod arming;
mod branches;
mod collected;
mod edits;
mod effects;
mod frame;
mod irreversible;
mod leaving;
mod looks;
mod loops;
mod lower;
mod mouse;
mod needed;
mod pace;
mod palette;
mod repairs;
mod rules;
mod schedules;
mod screens;
mod search;
mod sent;
mod typing;
mod unchanged;
mod verbs;
mod ways;
mod wire;
