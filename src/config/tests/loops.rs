//! Tests the values and errors of `[resilience.loops]`.
//!
//! Must not know: how a repetition is found.

use super::World;
use overrule_domain::escape::Detector;
use overrule_resilience::loops::Config;

#[test]
fn what_nobody_set_is_the_default() {
    assert_eq!(World::new().load().resilience.loops, Config::default());
}

#[test]
fn values_are_read_from_their_tables() {
    let world = World::new().user(
        "[resilience.loops]\nwindow = 12\nmuted = [\"failing_tool\"]\n\
         [resilience.loops.ladder]\nroll_back = 0\n[resilience.loops.substitutes]\nprimary = \"replica\"\n",
    );
    let config = world.load().resilience.loops;
    assert_eq!((config.window, config.same), (12, Config::default().same));
    assert_eq!(config.muted, [Detector::FailingTool]);
    assert_eq!((config.ladder.roll_back, config.ladder.human), (0, 2));
    assert_eq!(config.substitutes("primary"), ["replica".into()]);
}

#[test]
fn a_workspace_sets_none_of_it_unless_it_is_trusted() {
    let text = "[resilience.loops]\nenabled = false\n[resilience.loops.substitutes]\nread_file = \"shell\"\n";
    let world = World::new().theirs(text);
    assert_eq!(world.load().resilience.loops, Config::default());
    let notices = world.notices();
    assert!(
        notices.iter().any(|one| one.contains("`resilience`")),
        "{notices:?}"
    );
    assert!(
        !World::new()
            .theirs(text)
            .trusted()
            .load()
            .resilience
            .loops
            .enabled
    );
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    for (text, claims) in [
        ("[resilience.loops]\nwindow = 961", "961 is not between 6 and 960"),
        (
            "[resilience.loops]\ntime_window_s = 3601",
            "3601 is not between 0 and 3600",
        ),
        (
            "[resilience.loops]\nmin_loop_length = 0",
            "0 is not between 1 and 15",
        ),
        (
            "[resilience.loops]\nmin_repetitions = 1",
            "1 is not between 2 and 15",
        ),
        ("[resilience.loops]\nwidnow = 9", "there is: enabled"),
        ("[resilience.loops]\nechoes = 4", "removed: equal results"),
        ("[resilience.loops]\nmuted = [\"all\"]", "unknown variant"),
        (
            "[resilience.loops.substitutes]\na = \"a\"",
            "a cannot replace itself",
        ),
    ] {
        let fault = World::new().user(text).fault();
        assert!(fault.contains(claims), "{text}: {fault}");
        assert!(fault.contains("config.toml:2:"), "{text}: {fault}");
    }
}
