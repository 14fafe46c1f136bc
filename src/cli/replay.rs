//! `overrule replay`: looks at a recorded session step by step. Must not know: keys, panes.

use super::args::{self, Common};
use super::exit::{Code, Failure};

/// Opens the screen on a recorded session; runs nothing.
pub fn replay(_common: &Common, _args: &args::Replay) -> Result<Code, Failure> {
    Ok(Code::Ok)
}
