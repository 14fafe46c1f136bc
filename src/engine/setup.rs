//! How a run was begun, as it is recorded in its first event, so that a resumption can build the
//! same model and tools again. Must not know: how models and tools are built.

use serde::{Deserialize, Serialize};

/// The recorded setup of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The session's id.
    pub session: String,
    /// The model.
    pub model: ModelSetup,
    /// True where no person watches: what must be asked for is decided by the policy's deadlines.
    pub headless: bool,
    /// What the agent shall do, in case that the process dies before the first prompt is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The policy file that was named on the command line: its rules hold for the whole run, also
    /// where it goes on in another process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyText>,
    /// The sample tools that it has, for a built-in run with tools of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
}

/// Sample tools of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Name of the built-in run.
    pub run: String,
    /// Port of the server that it has on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// A policy file by its text, so that a moved file does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyText {
    /// Its name, for messages and citations.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Which model a run talks to. Keys are never part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelSetup {
    /// A playbook, by its text, so that a moved file does not matter.
    Scripted {
        /// Name of the playbook.
        name: String,
        /// Its text.
        playbook: String,
    },
    /// The recording of another run, with stand-ins in place of its tools. A program that does not know this kind
    /// refuses to go on with it, and so runs nothing of it.
    Drill {
        /// The script, as JSON text.
        script: String,
    },
    /// An OpenAI-compatible server.
    OpenaiChat {
        /// Base URL.
        base_url: String,
        /// Model name.
        model: String,
    },
}

impl Setup {
    /// Reads it back.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// As JSON text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
