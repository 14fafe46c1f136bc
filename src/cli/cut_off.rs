//! Collects what the end of this process interrupts: children and effects without an outcome.
//!
//! Must not know: who ends it, what follows.

use overrule_base::text::visible;
use overrule_domain::node::Node;
use overrule_domain::state::State;

/// Returns a line for each running execution with an effect: its outcome is unknown. After a halt its start may
/// not be recorded, and then it had not started.
pub fn lines(state: &State, halted: bool) -> Vec<String> {
    let known = if halted {
        "was running at the halt: outcome unknown, and its record may be incomplete; approved calls may run when the run \
         resumes"
    } else {
        "was interrupted: outcome unknown; you are asked for it when the run resumes"
    };
    let running = state.agenda.running.iter().filter_map(|id| state.call(*id));
    running
        .filter(|call| call.effect.has_effect())
        .map(|call| {
            let tool = state.nodes.get(&call.id).and_then(Node::as_call);
            let tool = tool.map(|(tool, _)| visible(tool)).unwrap_or_default();
            format!("{} {tool} {known}", call.id)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_console::testing::Stage;

    #[test]
    fn after_a_halt_no_call_is_reported_as_asking() {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.running("c3", "write_file", "{}");
        let state = &stage.model.run.state;
        let [cut] = &lines(state, false)[..] else { panic!() };
        assert!(cut.starts_with("c3 write_file was interrupted"), "{cut}");
        let [halted] = &lines(state, true)[..] else {
            panic!()
        };
        assert!(halted.contains("may run when the run resumes"), "{halted}");
        assert!(!halted.contains("are asked"), "{halted}");
    }
}
