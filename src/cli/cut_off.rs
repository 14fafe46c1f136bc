//! What the end of this process cut off, for whoever ends it. Must not know: who ends it, what follows.

use crate::domain::node::Node;
use crate::domain::state::State;
use crate::text::visible;

/// A line for each execution that was under way and can have changed the world: nobody knows what came of it. After a halt
/// nobody knows either whether that it began was recorded: where it was not, it had not begun.
pub fn lines(state: &State, halted: bool) -> Vec<String> {
    let known = if halted {
        "was under way at the halt: whether it happened, and what of it was recorded, is not known; what was approved may \
         run when the run goes on"
    } else {
        "was cut off: whether it happened is not known, and is asked when the run goes on"
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
    use crate::console::testing::Stage;

    #[test]
    fn after_a_halt_no_call_is_reported_as_asking() {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.running("c3", "write_file", "{}");
        let state = &stage.model.run.state;
        let [cut] = &lines(state, false)[..] else { panic!() };
        assert!(cut.starts_with("c3 write_file was cut off"), "{cut}");
        let [halted] = &lines(state, true)[..] else {
            panic!()
        };
        assert!(halted.contains("may run when the run goes on"), "{halted}");
        assert!(!halted.contains("is asked"), "{halted}");
    }
}
