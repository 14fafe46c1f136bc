//! Texts that agents write in the name of their user, and their marks of an interruption.
//!
//! Must not know: formats, what is done with them.
//!
//! One row for each agent, with the version in which its texts were seen. A text of a person must not be taken for one of
//! them: short and common words count only as a whole.

/// The texts of one agent.
struct Texts {
    /// How texts begin that it writes by itself.
    begins: &'static [&'static str],
    /// Texts that it writes by itself, as a whole.
    whole: &'static [&'static str],
    /// How the texts begin with which it says that its user interrupted it, also as the result of a call.
    interruptions: &'static [&'static str],
}

const AGENTS: [Texts; 5] = [
    // Claude Code 2.1.332
    Texts {
        begins: &[
            "<system-reminder>",
            "<task-notification>",
            "<local-command-stdout>",
            "<local-command-stderr>",
            "This session is being continued from ",
            "Your response was cut off because it exceeded the output token limit.",
            "Your response above was cut off mid-stream",
            "Output token limit hit ",
        ],
        whole: &["Continue from where you left off."],
        interruptions: &["[Request interrupted by user"],
    },
    // codex 0.171.0
    Texts {
        begins: &[
            "<environment_context>",
            "# AGENTS.md instructions",
            "<permissions instructions>",
            "<collaboration_mode>",
            "<model_switch>",
            "<skill>",
            "<subagent_notification>",
            "Another language model started to solve this problem and produced a summary",
        ],
        whole: &[],
        interruptions: &["<turn_aborted>"],
    },
    // opencode 1.18.33
    Texts {
        begins: &[
            "Continue if you have next steps, or stop and ask for clarification",
            "The following tool was executed by the user",
        ],
        whole: &[
            "Summarize the task tool output above and continue with your task.",
            "What did we do so far?",
        ],
        interruptions: &["[Tool execution was interrupted]", "Tool execution aborted"],
    },
    // gemini-cli 0.61.0
    Texts {
        begins: &["<state_snapshot>"],
        whole: &["Please continue."],
        interruptions: &["[Operation Cancelled]"],
    },
    // qwen-code 0.24.4
    Texts {
        begins: &["<state_snapshot>", "[SUGGESTION MODE:"],
        whole: &["Please continue."],
        interruptions: &["[Operation Cancelled]"],
    },
];

/// Returns true for a text that an agent writes by itself in the name of its user.
pub fn is_by_agent(text: &str) -> bool {
    let text = text.trim();
    let begins = |agent: &Texts| agent.begins.iter().any(|begin| text.starts_with(begin));
    let is_whole = |agent: &Texts| agent.whole.contains(&text);
    text.is_empty() || is_interruption(text) || AGENTS.iter().any(|agent| begins(agent) || is_whole(agent))
}

/// Returns true for a text with which an agent says that its user interrupted it.
pub fn is_interruption(text: &str) -> bool {
    let text = text.trim_start();
    let mut marks = AGENTS.iter().flat_map(|agent| agent.interruptions);
    marks.any(|mark| text.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_writes_is_no_word_of_its_user_and_words_like_it_are() {
        for own in [
            "<system-reminder>\nx",
            "  <environment_context>\n<cwd>/</cwd>",
            "Continue from where you left off.",
            "Your response above was cut off mid-stream. Resume directly from where it stops",
            "This session is being continued from a previous conversation that ran out of context.",
            "Please continue.",
            "[Request interrupted by user for tool use]",
            "<turn_aborted>\nThe user interrupted",
            "",
        ] {
            assert!(is_by_agent(own), "{own}");
        }
        for users in [
            "Continue from where you left off, but leave the tests alone",
            "Please continue. And be brief",
            "What did we do so far? I was away",
            "why was I [Request interrupted by user]?",
            "no, stop",
        ] {
            assert!(!is_by_agent(users) && !is_interruption(users), "{users}");
        }
        assert!(is_interruption("[Request interrupted by user]") && is_interruption("\n<turn_aborted>"));
        assert!(!is_interruption("<system-reminder>"));
    }
}
