//! What the tools of known agents can do to the world. The agents' own words are no evidence.
//!
//! Must not know: which agent runs, rules.
//!
//! One file and one line of [`TABLES`] for each agent, with the version in which its tools were seen. A known agent has its own
//! table. For any other program, the highest class counts of a name that several agents have.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod qwen;

use super::agents::Agent;
use overrule_base::known_tool::is_shell;
use overrule_domain::call::EffectClass;
use overrule_model::wire::agent::{AgentTool, CallForm};

/// The tools of an agent.
#[derive(Debug)]
pub struct Table {
    /// The agent.
    pub agent: &'static str,
    /// The version in which the tools were seen.
    pub version: &'static str,
    /// The tools.
    tools: &'static [Known],
}

/// A tool of an agent.
#[derive(Debug)]
struct Known {
    name: &'static str,
    form: CallForm,
    effect: EffectClass,
    /// True if it reaches beyond this machine, or may.
    is_external: bool,
}

const fn known(name: &'static str, form: CallForm, effect: EffectClass, is_external: bool) -> Known {
    Known {
        name,
        form,
        effect,
        is_external,
    }
}

/// A tool that changes only what the agent itself remembers or shows.
const fn pure(name: &'static str) -> Known {
    known(name, CallForm::Json, EffectClass::Pure, false)
}

/// A tool that looks and changes nothing.
const fn read(name: &'static str) -> Known {
    known(name, CallForm::Json, EffectClass::Read, false)
}

/// The same, beyond this machine.
const fn read_far(name: &'static str) -> Known {
    known(name, CallForm::Json, EffectClass::Read, true)
}

/// A tool that writes files: the same call again changes nothing more.
const fn idempotent(name: &'static str) -> Known {
    known(name, CallForm::Json, EffectClass::Idempotent, false)
}

/// A tool that changes files.
const fn write(name: &'static str) -> Known {
    known(name, CallForm::Json, EffectClass::Write, false)
}

/// A tool that may do anything: it runs commands, or starts other agents.
const fn any(name: &'static str) -> Known {
    known(name, CallForm::Json, EffectClass::Unknown, true)
}

/// All tables.
pub static TABLES: &[Table] = &[
    claude::TABLE,
    codex::TABLE,
    opencode::TABLE,
    gemini::TABLE,
    qwen::TABLE,
];

/// Namespaces of an agent's own tools. Tools in other ones are those of servers.
const OWN: &[&str] = &["functions", "clock", "collaboration", "multi_agent_v1"];

impl Table {
    /// Returns true if the agent has this tool in this form.
    pub fn has(&self, tool: &AgentTool) -> bool {
        self.tools.iter().any(|known| known.is(&tool.name, form(tool)))
    }
}

impl Known {
    fn is(&self, name: &str, form: CallForm) -> bool {
        self.name == name && self.form == form
    }
}

fn form(tool: &AgentTool) -> CallForm {
    match tool.schema {
        Some(_) => CallForm::Json,
        None => CallForm::Text,
    }
}

/// The rows about a tool of an agent; of all agents for one without a table. A tool of a server has none, whatever it is
/// called.
fn rows(tool: &AgentTool, agent: Option<&Agent>) -> impl Iterator<Item = &'static Known> {
    let (is_own, form) = (is_own(tool), form(tool));
    let own = agent.and_then(|agent| TABLES.iter().find(|table| table.agent == agent.program));
    let tables = TABLES
        .iter()
        .filter(move |table| own.is_none_or(|own| own.agent == table.agent));
    let all = tables.flat_map(|table| table.tools);
    all.filter(move |known| is_own && known.is(&tool.name, form))
}

/// Returns true for a name in one of the tables.
pub fn is_known(name: &str) -> bool {
    let mut tools = TABLES.iter().flat_map(|table| table.tools);
    tools.any(|known| known.name == name)
}

/// Returns true for a tool of the agent itself, and not of a server.
pub fn is_own(tool: &AgentTool) -> bool {
    tool.namespace.as_deref().is_none_or(|name| OWN.contains(&name))
}

/// Returns the effect class of a tool of an agent; unknown for everything that is in no table, such as tools of servers.
pub fn effect(tool: &AgentTool, agent: Option<&Agent>) -> EffectClass {
    let classes = rows(tool, agent).map(|known| known.effect);
    classes.max().unwrap_or(EffectClass::Unknown)
}

/// Returns true for a tool that reaches beyond this machine, or may.
pub fn is_external(tool: &AgentTool, agent: Option<&Agent>) -> bool {
    !is_own(tool)
        || rows(tool, agent).any(|known| known.is_external)
        || is_shell(&tool.name)
        || tool.name.starts_with("mcp__")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, form: CallForm, namespace: Option<&str>) -> AgentTool {
        AgentTool {
            name: name.to_owned(),
            description: "It only reads.".to_owned(),
            schema: (form == CallForm::Json).then(|| "{}".to_owned()),
            is_providers: false,
            namespace: namespace.map(str::to_owned),
        }
    }

    #[test]
    fn a_tool_has_the_class_of_its_name_and_form_and_what_no_table_has_is_unknown() {
        use CallForm::{Json, Text};
        use EffectClass::{Idempotent, Pure, Read, Unknown, Write};
        for (name, form, namespace, effect, is_external) in [
            ("Read", Json, None, Read, false),
            ("Read", Text, None, Unknown, false),
            ("WebFetch", Json, None, Read, true),
            ("TodoWrite", Json, None, Pure, false),
            ("Write", Json, None, Idempotent, false),
            ("Edit", Json, None, Write, false),
            ("Bash", Json, None, Unknown, true),
            ("Monitor", Json, None, Unknown, true),
            ("apply_patch", Text, Some("functions"), Write, false),
            ("apply_patch", Json, None, Write, false),
            ("exec", Text, Some("functions"), Unknown, true),
            ("sleep", Json, Some("clock"), Pure, false),
            ("view_image", Json, None, Read, false),
            ("tool_call", Json, None, Unknown, true),
            ("activate_skill", Json, None, Unknown, true),
            // Tools of servers, whatever they are called.
            ("read_file", Json, Some("mcp__docs"), Unknown, true),
            ("mcp__docs__read", Json, None, Unknown, true),
            ("ReadAll", Json, None, Unknown, false),
            ("", Json, None, Unknown, false),
        ] {
            let tool = tool(name, form, namespace);
            assert_eq!(super::effect(&tool, None), effect, "{name} {form:?}");
            assert_eq!(super::is_external(&tool, None), is_external, "{name}");
        }
    }

    #[test]
    fn a_known_agent_has_the_tools_of_its_own_table_alone() {
        let of = |program: &str, name: &str| {
            let agent = crate::agents::named(program);
            super::effect(&tool(name, CallForm::Json, None), agent)
        };
        assert_eq!(of("claude", "Read"), EffectClass::Read);
        assert_eq!(of("codex", "Read"), EffectClass::Unknown, "of another agent");
        assert_eq!(of("opencode", "Read"), EffectClass::Unknown);
        assert_eq!(of("codex", "view_image"), EffectClass::Read);
        // goose has no table: what is known of a name counts.
        assert_eq!(of("goose", "Read"), EffectClass::Read);
        for table in TABLES {
            assert!(crate::agents::named(table.agent).is_some(), "{}", table.agent);
        }
    }

    #[test]
    fn every_table_names_its_version_and_has_a_tool_once_in_each_form() {
        for table in TABLES {
            assert!(
                table.version.split('.').all(|part| part.parse::<u32>().is_ok()),
                "{table:?}"
            );
            for (at, one) in table.tools.iter().enumerate() {
                let mut later = table.tools.iter().skip(at + 1);
                assert!(
                    !later.any(|other| other.is(one.name, one.form)),
                    "{}: {}",
                    table.agent,
                    one.name
                );
            }
        }
    }
}
