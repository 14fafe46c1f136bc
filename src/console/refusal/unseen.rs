//! Refuses what was not read: not on screen, not whole, or for too short a time.
//!
//! Must not know: how it is known what was on screen.

use std::ops::Range;
use std::time::Duration;

/// Maximum number of row ranges that a message names.
const NAMED: usize = 3;

/// Why something was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unseen {
    /// What the key is about is not on screen.
    #[error("Cannot decide: not on screen yet{}", next.describe())]
    NotShown {
        /// How to show it.
        next: NotShown,
    },
    /// It was on screen for too short a time.
    #[error("Ignored: shown for less than {seconds} s. Wait for 1 s, then press again", seconds = Duration::from_millis(*arming_ms).as_secs_f64())]
    TooSoon {
        /// The time that it must be on screen, in milliseconds.
        arming_ms: u64,
    },
    /// A part of the arguments was not on screen yet.
    #[error("{bytes} bytes unread{}", next.as_ref().map(|next| format!(". {next}")).unwrap_or_default())]
    Bytes {
        /// The length of that part.
        bytes: u64,
        /// The keys that help, as a sentence.
        next: Option<String>,
    },
    /// A part of a list or a decision was not on screen yet.
    #[error("Not all of it was on screen yet{}", key.as_ref().map(|key| format!(". {key} shows more")).unwrap_or_default())]
    Partly {
        /// The key that shows more.
        key: Option<String>,
    },
    /// Rows of a list were not on screen yet.
    #[error("{} not on screen yet. Scroll there first", describe_rows(.0))]
    Rows(Vec<Range<usize>>),
    /// The inspector shows something else.
    #[error("Its arguments are not on screen")]
    Arguments,
    /// No frame has shown the new layout.
    #[error("The layout just changed. Read it again")]
    Layout,
    /// No frame has shown the new preview.
    #[error("The preview just changed. Read it first")]
    Preview,
}

/// How to show what is not on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotShown {
    /// It is being laid out.
    Loading,
    /// A key opens the inspector.
    Inspector(String),
    /// It must be read.
    Unread,
}

impl NotShown {
    fn describe(&self) -> String {
        match self {
            Self::Loading => ", loading…".to_owned(),
            Self::Inspector(key) => format!(". {key} shows it"),
            Self::Unread => ". Read it first".to_owned(),
        }
    }
}

/// Names the first ranges, such as `Rows 3-5, 9`.
fn describe_rows(missed: &[Range<usize>]) -> String {
    let name = |rows: &Range<usize>| match rows.len() {
        1 => rows.end.to_string(),
        _ => format!("{}-{}", rows.start + 1, rows.end),
    };
    let named: Vec<String> = missed.iter().take(NAMED).map(name).collect();
    let more = if missed.len() > NAMED { " and others" } else { "" };
    let one = missed.len() == 1 && missed.iter().all(|rows| rows.len() == 1);
    let rows = if one { "Row" } else { "Rows" };
    format!("{rows} {}{more}", named.join(", "))
}
