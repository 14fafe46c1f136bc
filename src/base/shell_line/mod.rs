//! Reads a shell line: its commands, their words, and the commands inside wrappers.
//!
//! Must not know: rules, files, screens.
//!
//! One reading serves the policy, the decision frame, the queue and the search for files that a
//! line may run. Shells differ, and it is not known which one reads the line. Where they may
//! differ, the reading lists every command that one of them would run, or says that it is
//! uncertain.

mod becomes;
mod code;
mod code_marks;
mod command;
mod feed;
mod first_words;
mod git;
mod grammar;
mod heredoc;
mod keywords;
mod lines;
mod option_table;
mod options;
mod programs;
mod read_only;
mod reading;
mod scan;
mod unwrap;
mod variables;
mod word;
mod wrapper_table;
mod wrappers;

#[cfg(test)]
mod tests;

pub use command::{Command, HARMLESS, Program, Redirect};
pub use first_words::{MOST_WORDS, fewest_words, tell_what_runs};
pub use read_only::{ReadOnlyCommand, ReadPlace, loses_nothing, read_only, read_only_but};
pub use reading::{MOST, Reading, Uncertainty};
pub use word::{Word, is_name, quote};
pub use wrappers::is_shell;
