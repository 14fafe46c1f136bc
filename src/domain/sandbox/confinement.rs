//! How the children of a run are confined, as the start of a run records it.
//!
//! Must not know: how a child is confined, other events.

use serde::{Deserialize, Serialize};

use super::Profile;

/// How the children of a run are confined, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Confinement {
    /// In words (`sandbox level 0`).
    #[serde(rename = "sandbox")]
    pub label: String,
    /// Exactly; none for a run without a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<Profile>>,
}

impl Confinement {
    /// The words of a run without a sandbox. They are part of what is approved in it.
    pub const NONE: &'static str = "sandbox level 0";
}

impl From<Profile> for Confinement {
    fn from(profile: Profile) -> Self {
        if !profile.confines() {
            return Self::NONE.into();
        }
        Self {
            label: profile.label(),
            profile: Some(Box::new(profile)),
        }
    }
}

impl From<&str> for Confinement {
    /// Words alone.
    fn from(label: &str) -> Self {
        label.to_owned().into()
    }
}

impl From<String> for Confinement {
    /// Words alone.
    fn from(label: String) -> Self {
        Self { label, profile: None }
    }
}
