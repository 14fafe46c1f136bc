//! Holds the built-in playbooks.
//!
//! Must not know: files, how a playbook is followed.

use super::playbook::{Error, Playbook};

const PLAYBOOKS: &[(&str, &str)] = &[
    ("audit", include_str!("../playbooks/audit.toml")),
    ("detour", include_str!("../playbooks/detour.toml")),
    ("flights", include_str!("../playbooks/flights.toml")),
    ("hello", include_str!("../playbooks/hello.toml")),
    ("limits", include_str!("../playbooks/limits.toml")),
    ("mirrors", include_str!("../playbooks/mirrors.toml")),
    ("office", include_str!("../playbooks/office.toml")),
    ("ring", include_str!("../playbooks/ring.toml")),
    ("sealed", include_str!("../playbooks/sealed.toml")),
    ("spare", include_str!("../playbooks/spare.toml")),
    ("stubborn", include_str!("../playbooks/stubborn.toml")),
    ("weekend", include_str!("../playbooks/weekend.toml")),
];

/// Iterates over the names of the playbooks, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    PLAYBOOKS.iter().map(|(name, _)| *name)
}

/// Returns the text of a playbook, or `None` if there is none of this name.
pub fn text(name: &str) -> Option<&'static str> {
    PLAYBOOKS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// True for the text of a playbook.
pub fn is_text(text: &str) -> bool {
    PLAYBOOKS.iter().any(|(_, known)| *known == text)
}

/// Returns the JSON Schema of the answer of a playbook; `None` if every answer fits.
pub fn output_schema(name: &str) -> Option<&'static str> {
    (name == "weekend").then_some(include_str!("../playbooks/weekend.json"))
}

/// Parses a playbook; `None` if there is none of this name.
pub fn playbook(name: &str) -> Option<Result<Playbook, Error>> {
    text(name).map(|text| Playbook::parse(&format!("{name}.toml"), text))
}
