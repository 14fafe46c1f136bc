//! Defines the exit codes and the one opaque error of the program.
//!
//! Must not know: where an error came from.

use std::fmt;
use std::process::ExitCode;

use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_engine::halt::Halt;

/// Exit codes, as documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Answered, or done.
    Ok,
    /// Anything not listed.
    Other,
    /// Wrong usage of the command line.
    Usage,
    /// Configuration, playbook, theme, policy.
    Config,
    /// Rejected, or halted by the policy or without a decision.
    Halted,
    /// A budget is used up.
    Budget,
    /// The model or the network.
    Model,
    /// A session file, or no place to write one.
    Session,
    /// A wait took too long.
    TimedOut,
    /// Interrupted.
    Interrupted,
    /// Ended by another signal: 128 and its number.
    Signal(u8),
    /// That of a command that was tried by hand.
    Command(u8),
}

impl Code {
    /// The code of a process that a signal ended: 128 and its number.
    pub fn of_signal(number: i32) -> Self {
        match number {
            2 => Self::Interrupted,
            number => Self::Signal(u8::try_from(number).map_or(u8::MAX, |number| number.saturating_add(128))),
        }
    }

    /// The number.
    pub const fn number(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Other => 1,
            Self::Usage => 2,
            Self::Config => 3,
            Self::Halted => 4,
            Self::Budget => 5,
            Self::Model => 6,
            Self::Session => 7,
            Self::TimedOut => 124,
            Self::Interrupted => 130,
            Self::Signal(number) | Self::Command(number) => number,
        }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code.number())
    }
}

/// The error of the program: an exit code and a message.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: Code,
    /// What failed, on what, why, what to do.
    pub message: String,
}

impl Failure {
    /// A failure of one kind.
    pub fn new(code: Code, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

macro_rules! fails {
    ($($error:ty => $code:ident),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::new(Code::$code, error)
            }
        })*
    };
}

fails! {
    overrule_base::document::Error => Config,
    overrule_journal::Error => Session,
    overrule_tools::registry::Error => Config,
}

impl From<overrule_config::Error> for Failure {
    fn from(error: overrule_config::Error) -> Self {
        let code = if error.is_of_a_limit_flag() {
            Code::Usage
        } else {
            Code::Config
        };
        Self::new(code, error)
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        let code = match halt {
            Halt::Unwritten(_) => Code::Session,
            Halt::Defect(_) => Code::Other,
        };
        Self::new(code, format!("{halt}. Nothing more was started"))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.kind {
            RefusalKind::Unknown | RefusalKind::Invalid => Code::Usage,
            RefusalKind::Journal => Code::Session,
            _ => Code::Halted,
        };
        Self::new(code, refusal)
    }
}
