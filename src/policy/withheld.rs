//! Decides which places a call that walks a tree must leave out.
//!
//! Must not know: how a tree is walked, where files are.

use std::path::{Path, PathBuf};

use serde_json::Value;

use overrule_domain::advice::Extent;
use overrule_domain::call::EffectClass;
use overrule_domain::sandbox::Placement;

use super::commands::Case;
use super::matcher::Subject;
use super::place::{Links, Places};
use super::rule::Rule;

/// The argument with the place of a built-in tool.
const PATH: &str = "path";
/// The tool whose rules keep content from the other tools that show it.
const READ: &str = "read_file";
/// The tool that shows the content of files.
const SEARCH: &str = "search";

/// The rules about places that a call was not asked about.
#[derive(Debug, Clone, Default)]
pub struct Withheld {
    rules: Vec<Rule>,
    tools: Vec<String>,
    effect: Option<EffectClass>,
    tags: Vec<String>,
    args: Value,
    workspace: Option<PathBuf>,
}

impl Withheld {
    /// Keeps the rules for a call of this kind.
    pub(super) fn new(rules: Vec<Rule>, subject: &Subject<'_>, workspace: Option<PathBuf>) -> Self {
        let mut tools = vec![subject.tool.to_owned()];
        if subject.is_built_in(SEARCH) {
            tools.push(READ.to_owned());
        }
        Self {
            rules,
            tools,
            effect: Some(subject.effect),
            tags: subject.tags.to_vec(),
            args: subject.args.clone(),
            workspace,
        }
    }

    /// Returns true if no place is left out.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns what is left out if a rule would ask about the same call for this place, or deny it; nothing if none would.
    /// The path is relative to the workspace.
    pub fn extent(&self, path: &Path, links: Option<&Links<'_>>) -> Option<Extent> {
        if self.rules.is_empty() {
            return None;
        }
        let path = path.to_string_lossy();
        let mut args = self.args.clone();
        if let Some(members) = args.as_object_mut() {
            members.insert(PATH.to_owned(), Value::from(&*path));
        }
        let only = serde_json::json!({ PATH: &*path });
        let places = Places {
            workspace: self.workspace.as_deref(),
            links,
            line: None,
            files: None,
        };
        let extents = self.tools.iter().flat_map(|tool| {
            let subject = Subject {
                tool,
                effect: self.effect.unwrap_or(EffectClass::Unknown),
                tags: &self.tags,
                args: if tool == READ { &only } else { &args },
                server: None,
                is_of_agent: false,
                sandbox: Placement::Unconfined,
            };
            let case = Case::new(subject);
            let matching = self
                .rules
                .iter()
                .filter(|rule| rule.matcher.matches(&case, rule.gate, places));
            let extents = matching.map(|rule| {
                if rule.matcher.is_about_whole_directories() {
                    Extent::Below
                } else {
                    Extent::Itself
                }
            });
            extents.collect::<Vec<_>>()
        });
        extents.max()
    }
}
