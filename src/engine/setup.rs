//! Records how a run was started, so that a later process can build the same model and tools.
//!
//! Must not know: how models and tools are built.
//!
//! The record is part of the first event of the run.

use serde::{Deserialize, Serialize};

use overrule_model::wire::{Options, Wire};

/// The recorded setup of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The session's id.
    pub session: String,
    /// The model.
    pub model: ModelSetup,
    /// True without an operator: the policy's deadlines decide what must be asked for.
    pub headless: bool,
    /// The task of the agent, in case the process dies before the first prompt is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The policy file named on the command line: its rules hold for the whole run, also if another process
    /// continues it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyText>,
    /// The JSON Schema that the final answer must fit, as its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<String>,
    /// The sample tools, for a built-in run that has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
}

/// The sample tools of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Name of the built-in run.
    pub run: String,
    /// Port of its server on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// The text of a policy file, so that the run does not depend on the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyText {
    /// Its name, for messages and citations.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Which model a run talks to. Never contains keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelSetup {
    /// A playbook with its text, so that the run does not depend on the file.
    Scripted {
        /// Name of the playbook.
        name: String,
        /// Its text.
        playbook: String,
        /// The language of its templates.
        #[serde(default)]
        templates: Templates,
    },
    /// A server.
    #[serde(alias = "openai_chat")]
    Server {
        /// Its wire format. Setups of earlier versions have none: they knew only Chat Completions.
        #[serde(default)]
        wire: Wire,
        /// Base URL.
        base_url: String,
        /// Model name.
        model: String,
        /// Name of the entry of the settings that it is from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<String>,
        /// What the settings ask of it.
        #[serde(default, skip_serializing_if = "Options::is_none")]
        options: Options,
        /// The recording that answers instead of the server.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recording: Option<String>,
    },
    /// The model of an agent of another program.
    Agent {
        /// The agent's program; none for an unknown one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
        /// The wire format that it speaks.
        wire: Wire,
        /// Base URL of its model.
        upstream: String,
        /// Model name.
        model: String,
    },
}

/// The language of the templates of a playbook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Templates {
    /// The language of versions before Jinja. This version cannot follow it.
    #[default]
    BeforeJinja,
    /// Jinja.
    Jinja,
}

impl ModelSetup {
    /// True if this version cannot follow the recorded playbook: it has templates, and they are not Jinja.
    pub fn has_old_templates(&self) -> bool {
        match self {
            Self::Scripted {
                playbook, templates, ..
            } => {
                *templates != Templates::Jinja && ["{{", "{%", "{#"].iter().any(|tag| playbook.contains(tag))
            }
            Self::Server { .. } | Self::Agent { .. } => false,
        }
    }
}

impl Setup {
    /// Parses a setup from JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the setup as JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_of_an_earlier_version_names_a_chat_server() {
        let text = r#"{"session":"s","model":{"kind":"openai_chat","base_url":"http://h/v1","model":"m"},"headless":true}"#;
        let setup = Setup::parse(text).unwrap();
        let server = ModelSetup::Server {
            wire: Wire::named("openai-chat").unwrap(),
            base_url: "http://h/v1".into(),
            model: "m".into(),
            entry: None,
            options: Options::NONE,
            recording: None,
        };
        assert_eq!(setup.model, server);
        let again = setup.to_text();
        assert!(
            again.contains(r#""kind":"server","wire":"openai-chat""#),
            "{again}"
        );
        assert_eq!(Setup::parse(&again).unwrap(), setup);
    }

    #[test]
    fn a_setup_with_an_unknown_kind_of_model_is_refused() {
        for kind in ["drill", "of-a-later-version"] {
            let text =
                format!(r#"{{"session":"s","model":{{"kind":"{kind}","script":"{{}}"}},"headless":false}}"#);
            assert!(Setup::parse(&text).unwrap_err().to_string().contains(kind));
        }
    }

    #[test]
    fn only_a_recorded_playbook_with_templates_of_before_jinja_is_old() {
        let setup = |playbook: &str, rest: &str| {
            let text = serde_json::json!(playbook);
            let model = format!(r#"{{"kind":"scripted","name":"n","playbook":{text}{rest}}}"#);
            serde_json::from_str::<ModelSetup>(&model).unwrap()
        };
        assert!(setup("answer = '{{ result.it }}'", "").has_old_templates());
        assert!(!setup("answer = 'done'", "").has_old_templates());
        assert!(!setup("answer = '{{ result.it }}'", r#","templates":"jinja""#).has_old_templates());
    }
}
