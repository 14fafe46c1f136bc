//! The last lines after the console: how the run stands, and how to come back.
//!
//! Must not know: how the console is left.

use super::build::AppContext;
use overrule_console::run::approval_stats;
use overrule_domain::state::{Mode, State};
use overrule_present::many;

/// Characters of a session's id that name it, as in the list of sessions.
const SHORT: usize = 13;

/// How the run stands, in a line: calls to decide first.
pub fn summary(state: &State) -> String {
    let waiting = state.queue().count();
    let stands = match (&state.mode, waiting) {
        (_, 1..) => format!("Left with {} to decide", many(waiting, "call")),
        (Mode::Finished(_), 0) => "Answered".to_owned(),
        (Mode::Stopped(_), 0) => "Stopped".to_owned(),
        (Mode::Paused(_), 0) => "Paused".to_owned(),
        (Mode::Running, 0) => "Left".to_owned(),
    };
    let calls = state
        .calls
        .values()
        .filter(|call| !call.attempts.is_empty())
        .count();
    let turns = state
        .turns
        .values()
        .filter(|turn| turn.is_active() && turn.reply > 0)
        .count();
    let mut facts = vec![approval_stats::decided(state)];
    facts.push(state.tally.spent.describe());
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let decided = if facts.is_empty() {
        String::new()
    } else {
        format!(". {}", facts.join("; "))
    };
    let done = match (calls, turns) {
        (0, 0) => "nothing ran".to_owned(),
        (0, 1) => "no calls, 1 turn".to_owned(),
        (0, turns) => format!("no calls, {turns} turns"),
        (calls, turns) => format!("{} in {}", many(calls, "call"), many(turns, "turn")),
    };
    format!("{stands}: {done}{decided}")
}

/// The command that continues the session, with a name that stays in one line.
pub fn way_back(context: &AppContext, session: &str) -> String {
    let name = session.get(..SHORT).unwrap_or(session);
    format!("{} continues it", context.address(name).to_continue())
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_console::testing::Stage;
    use overrule_domain::call::Outcome;

    #[test]
    fn a_run_in_which_nothing_ran_and_one_call_read_naturally() {
        assert_eq!(summary(&State::default()), "Left: nothing ran");
        let mut stage = Stage::new(80, 24);
        stage.begin();
        assert!(
            !summary(&stage.model.run.state).contains(" 0 "),
            "{}",
            summary(&stage.model.run.state)
        );
        stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("x"));
        let words = summary(&stage.model.run.state);
        assert!(words.starts_with("Left: 1 call in 1 turn"), "{words}");
    }
}
