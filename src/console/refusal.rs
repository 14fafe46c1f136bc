//! Why the console does not carry out a verb, and what to do instead.
//!
//! Must not know: verbs, the model.

/// Why a verb is not carried out. Its text is a state, then the next step with its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The run is only read.
    #[error("Cannot change this run: it is recorded")]
    Recorded,
    /// The run is only read.
    #[error("Cannot decide: this run is recorded")]
    RecordedDecision,
    /// The run records nothing any more.
    #[error("halted, nothing recorded{}", key.as_ref().map(|key| format!(": {key} shows why")).unwrap_or_default())]
    Halted {
        /// The key of the page that says why; none where it does not work.
        key: Option<String>,
    },
    /// The row under the cursor stands for several nodes.
    #[error("This row groups {several}. {key} unfolds it first")]
    Folded {
        /// The nodes, such as `3 calls`.
        several: String,
        /// The key that unfolds it.
        key: String,
    },
    /// The screen shows too little to decide.
    #[error("Cannot decide: the screen is smaller than 40 columns and 10 rows")]
    SmallScreen,
    /// What the key is about is not on screen.
    #[error("Cannot decide: not on screen yet{}", next.describe())]
    NotShown {
        /// How to show it.
        next: NotShown,
    },
    /// It was on screen for too short a time.
    #[error("Ignored: shown for less than {seconds} s. Press again", seconds = std::time::Duration::from_millis(*arming_ms).as_secs_f64())]
    TooSoon {
        /// The time that it must be on screen, in milliseconds.
        arming_ms: u64,
    },
    /// A part of the arguments was not on screen yet.
    #[error("{bytes} bytes unread")]
    Unread {
        /// The length of that part.
        bytes: u64,
    },
    /// A part of a list was not on screen yet.
    #[error("Not all of it was on screen yet")]
    PartlyRead,
    /// It may be part of a paste.
    #[error("right after a paste")]
    AfterPaste,
    /// The verb has no target here, or another reason of its own.
    #[error("{0}")]
    Reason(String),
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

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Self::Reason(reason.to_owned())
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.to_string()
    }
}
