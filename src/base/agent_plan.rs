//! Reads the plan that an agent keeps with a tool: a list of steps, each with a status.
//!
//! Must not know: who offers a tool, screens.
//!
//! What is read here makes a call easier to read; the bytes that run stay as they are.

use serde_json::{Map, Value};

/// Tools that replace the plan of their agent.
const TOOLS: &[&str] = &[
    "TodoWrite",
    "update_plan",
    "todowrite",
    "todo_write",
    "write_todos",
];
/// Names of the argument with the steps.
const LIST: &[&str] = &["todos", "plan", "items", "steps"];
/// Names of the text of a step.
const TEXT: &[&str] = &["content", "step", "description", "text", "title"];
/// Name of the status of a step.
const STATUS: &str = "status";

/// How far a step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// It is done.
    Done,
    /// It is worked on.
    Current,
    /// It is not begun.
    Open,
    /// Another word of the agent. Untrusted.
    Other(String),
}

impl Progress {
    fn of(word: &str) -> Self {
        match word {
            "completed" | "done" => Self::Done,
            "in_progress" => Self::Current,
            "pending" | "" => Self::Open,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word for a step that is neither done nor open. Untrusted.
    pub fn label(&self) -> Option<&str> {
        match self {
            Self::Done | Self::Open => None,
            Self::Current => Some("in progress"),
            Self::Other(word) => Some(word),
        }
    }
}

/// A step. Its texts are untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub progress: Progress,
    /// Its other members, as `name: value`.
    pub others: Vec<String>,
}

impl Step {
    /// Its sign, for a screen of any characters.
    pub const fn sign(&self) -> &'static str {
        match self.progress {
            Progress::Done => "[x]",
            Progress::Current | Progress::Open | Progress::Other(_) => "[ ]",
        }
    }
}

/// The plan of a call: its steps, and the name of the argument that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPlan {
    /// The name of the argument.
    pub name: &'static str,
    /// The steps in their order.
    pub steps: Vec<Step>,
}

impl AgentPlan {
    /// Number of steps that are done.
    pub fn done(&self) -> usize {
        let is_done = |step: &&Step| step.progress == Progress::Done;
        self.steps.iter().filter(is_done).count()
    }

    /// How many steps are done, as words.
    pub fn describe(&self) -> String {
        format!("{} of {} done", self.done(), self.steps.len())
    }
}

/// Returns true for a tool that replaces the plan of its agent.
pub fn is_tool(tool: &str) -> bool {
    TOOLS.contains(&tool)
}

/// Returns the plan that a call sets; nothing for another tool, and for arguments that are no list of steps.
pub fn of(tool: &str, args: &str) -> Option<AgentPlan> {
    if !is_tool(tool) {
        return None;
    }
    let args: Map<String, Value> = serde_json::from_str(args).ok()?;
    let mut names = LIST.iter().filter(|name| args.contains_key(**name));
    // An argument with two names is not guessed.
    let (name, None) = (names.next()?, names.next()) else {
        return None;
    };
    let steps = args
        .get(*name)?
        .as_array()?
        .iter()
        .map(step)
        .collect::<Option<_>>()?;
    Some(AgentPlan { name, steps })
}

/// Returns a step; nothing for a value without exactly one text.
fn step(value: &Value) -> Option<Step> {
    if let Value::String(text) = value {
        return Some(Step {
            text: text.clone(),
            progress: Progress::Open,
            others: Vec::new(),
        });
    }
    let members = value.as_object()?;
    let mut texts = TEXT.iter().filter(|name| members.contains_key(**name));
    let (text, None) = (texts.next()?, texts.next()) else {
        return None;
    };
    let progress = match members.get(STATUS) {
        Some(word) => Progress::of(word.as_str()?),
        None => Progress::Open,
    };
    let others = members
        .iter()
        .filter(|(name, _)| name != text && *name != STATUS)
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}: {text}"),
            other => format!("{name}: {other}"),
        });
    Some(Step {
        text: members.get(*text)?.as_str()?.to_owned(),
        progress,
        others: others.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps as `[x] text (word)`.
    fn shown(tool: &str, args: &str) -> Option<Vec<String>> {
        let plan = of(tool, args)?;
        let line = |step: &Step| {
            let word = step.progress.label().map(|word| format!(" ({word})"));
            format!("{} {}{}", step.sign(), step.text, word.unwrap_or_default())
        };
        Some(plan.steps.iter().map(line).collect())
    }

    #[test]
    fn plans_of_the_usual_agents_are_read() {
        let steps = ["[x] read", "[ ] write (in progress)", "[ ] test"];
        for (tool, args) in [
            (
                "TodoWrite",
                r#"{"todos":[{"content":"read","status":"completed","activeForm":"Reading"},{"content":"write","status":"in_progress","activeForm":"Writing"},{"content":"test","status":"pending","activeForm":"Testing"}]}"#,
            ),
            (
                "update_plan",
                r#"{"explanation":"x","plan":[{"step":"read","status":"completed"},{"step":"write","status":"in_progress"},{"step":"test","status":"pending"}]}"#,
            ),
            (
                "todowrite",
                r#"{"todos":[{"content":"read","status":"completed","priority":"high","id":"1"},{"content":"write","status":"in_progress"},{"content":"test","status":"pending"}]}"#,
            ),
            (
                "write_todos",
                r#"{"todos":[{"description":"read","status":"done"},{"description":"write","status":"in_progress"},{"description":"test"}]}"#,
            ),
            (
                "todo_write",
                r#"{"items":[{"text":"read","status":"done"},{"text":"write","status":"in_progress"},"test"]}"#,
            ),
        ] {
            assert_eq!(shown(tool, args).unwrap(), steps, "{tool}");
            assert_eq!(of(tool, args).unwrap().describe(), "1 of 3 done", "{tool}");
        }
    }

    #[test]
    fn another_status_keeps_its_word_and_other_members_are_not_lost() {
        let args = r#"{"todos":[{"content":"a","status":"blocked","priority":"high","n":1}]}"#;
        assert_eq!(shown("todowrite", args).unwrap(), ["[ ] a (blocked)"]);
        assert_eq!(
            of("todowrite", args).unwrap().steps[0].others,
            ["priority: high", "n: 1"]
        );
    }

    #[test]
    fn what_is_no_list_of_steps_is_no_plan() {
        for (tool, args) in [
            ("TodoWrite", r#"{"todos":"read"}"#),
            ("TodoWrite", r#"{"todos":[1]}"#),
            ("TodoWrite", r#"{"todos":[{"status":"done"}]}"#),
            ("TodoWrite", r#"{"todos":[{"content":1}]}"#),
            ("TodoWrite", r#"{"todos":[{"content":"a","status":1}]}"#),
            ("TodoWrite", r#"{"todos":[{"content":"a","text":"b"}]}"#),
            ("TodoWrite", r#"{"todos":[],"plan":[]}"#),
            ("TodoWrite", "{}"),
            ("TodoWrite", "["),
            ("other", r#"{"todos":[]}"#),
        ] {
            assert_eq!(of(tool, args), None, "{tool} {args}");
        }
        assert_eq!(of("TodoWrite", r#"{"todos":[]}"#).unwrap().steps, []);
    }
}
