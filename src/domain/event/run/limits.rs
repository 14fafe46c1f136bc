//! The bounds of a run.
//!
//! Must not know: what was used so far.

use serde::{Deserialize, Serialize};

/// Bounds of a run. `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Calls at one time.
    #[serde(default)]
    pub parallel: u32,
    /// Requests to the model.
    pub turns: Option<u32>,
    /// Tokens, sent and received together.
    pub tokens: Option<u64>,
    /// Milliseconds of working time.
    pub wall_ms: Option<u64>,
    /// Trillionths of the price's currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<u64>,
    /// The size of one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextLimit>,
}

/// The size of one request, in estimated tokens, and what happens beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextLimit {
    /// Tokens from which on a request is too long; none where only the server knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Tokens of the model's window, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// True if the engine shortens by itself; false if it asks.
    #[serde(default)]
    pub auto: bool,
    /// How the engine shortens by itself.
    #[serde(default, skip_serializing_if = "Reduction::is_default")]
    pub by: Reduction,
}

/// A way to make requests shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// The oldest long results are shortened.
    #[default]
    Shorten,
    /// The oldest turns are replaced with a summary that the model writes.
    Summarize,
    /// The oldest turns are left out.
    DropTurns,
}

impl Reduction {
    /// Returns its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Shorten => "shorten",
            Self::Summarize => "summarize",
            Self::DropTurns => "drop-turns",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Limits {
    /// The most calls at one time that can be asked for.
    pub const MOST_PARALLEL: u32 = 64;

    /// Whether a run can be kept within these; says which is out of range, and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        if self.parallel == 0 {
            return Err("at least one call must be able to run: pause the run instead".to_owned());
        }
        if self.parallel > Self::MOST_PARALLEL {
            return Err(format!(
                "parallel={} is out of range: write a number from 1 to {}",
                self.parallel,
                Self::MOST_PARALLEL
            ));
        }
        let bounds = [
            ("turns", self.turns.map(u64::from)),
            ("tokens", self.tokens),
            ("minutes", self.wall_ms),
            ("price", self.price),
        ];
        match bounds.into_iter().find(|(_, most)| *most == Some(0)) {
            Some((name, _)) => Err(format!(
                "{name}=0 is out of range: write more than 0, or none where nothing bounds it"
            )),
            None => Ok(()),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            parallel: 8,
            turns: Some(50),
            tokens: None,
            wall_ms: None,
            price: None,
            context: None,
        }
    }
}
