//! What a confined process tries: each attempt is one way to do what the sandbox forbids.
//!
//! Must not know: how a test judges it.
//!
//! The test program starts itself again as the child of a sandbox, with the name of the attempt in a variable.
#![allow(
    unsafe_code,
    reason = "an attacker makes the calls of the system that no library offers"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the only way to tell a process of this test program its part"
)]

mod files;
mod privilege;
mod reach;
mod support;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The variable with the attempt and its targets.
pub const PART: &str = "OVERRULE_TEST_ATTEMPT";
/// What the child prints if the attempt succeeded.
pub const DONE: &str = "the attempt succeeded";
/// What the child prints if it did not.
pub const REFUSED: &str = "the attempt failed: ";

/// What an attempt is after.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Targets {
    pub name: String,
    pub home: PathBuf,
    pub workspace: PathBuf,
    /// A directory outside with a file `file`.
    pub outside: PathBuf,
    pub hidden: PathBuf,
    pub victim: i32,
    pub tcp: u16,
    pub udp: u16,
    pub socket: PathBuf,
    pub abstract_name: String,
    pub terminal: PathBuf,
    /// A descriptor that was left open in this program without close-on-exec.
    pub descriptor: i32,
}

/// What an attempt breaks if it succeeds: the number of the guarantee, which may be missing without namespaces.
pub type Attempt = (&'static str, &'static str, fn(&Targets) -> Tried);

/// Whether it succeeded; the error is what the system said.
type Tried = Result<(), String>;
/// Every attempt.
pub fn all() -> impl Iterator<Item = &'static Attempt> {
    let lists = [files::ATTEMPTS, reach::ATTEMPTS, privilege::ATTEMPTS];
    lists.into_iter().flatten()
}

/// The part of the child: makes its attempt and prints what came of it.
#[test]
fn a_part_of_an_attempt() {
    let Ok(text) = std::env::var(PART) else { return };
    let targets: Targets = serde_json::from_str(&text).unwrap();
    let (_, _, attempt) = all().find(|(_, name, _)| *name == targets.name).unwrap();
    match attempt(&targets) {
        Ok(()) => println!("{DONE}"),
        Err(error) => println!("{REFUSED}{error}"),
    }
}
