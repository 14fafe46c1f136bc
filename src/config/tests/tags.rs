//! Tests tags of tools: any file can add to them, no file can remove them.
//!
//! Must not know: what a tag leads to.

use super::World;
use crate::tools::Mark;
use overrule_domain::call::EffectClass;

const FILE: &str = "home/.config/overrule/config.toml";
const NAMES: [&str; 2] = ["shell", "read_file"];

fn fitted(world: &World) -> Result<Vec<(String, Mark)>, String> {
    match world.load().tags.fit(NAMES) {
        Ok(tags) => Ok(tags
            .into_iter()
            .map(|(tool, tag)| (tool.to_owned(), tag))
            .collect()),
        Err(error) => Err(world.short(&error.to_string())),
    }
}

fn tags(of: &[(&str, &'static str)]) -> Vec<(String, Mark)> {
    of.iter()
        .map(|(tool, tag)| ((*tool).to_owned(), Mark::Tag(tag)))
        .collect()
}

#[test]
fn a_person_tags_a_tool_and_a_strangers_file_only_adds() {
    let mine = "[tool.shell]\ntags = [\"irreversible\"]";
    let world = World::new().user(mine);
    assert_eq!(fitted(&world).unwrap(), tags(&[("shell", "irreversible")]));
    let theirs = "[tool.shell]\ntags = \"uninspectable\"\n[tool.read_file]\ntags = [\"external\"]";
    let world = World::new().user(mine).theirs(theirs);
    assert_eq!(
        fitted(&world).unwrap(),
        tags(&[
            ("shell", "irreversible"),
            ("shell", "uninspectable"),
            ("read_file", "external")
        ])
    );
    assert!(world.notices().is_empty());
    let empty = World::new().user(mine).theirs("[tool.shell]\ntags = []").fault();
    assert!(
        empty.contains("work/overrule.toml:2:8: `tool.shell.tags`: the list is empty"),
        "{empty}"
    );
}

#[test]
fn of_the_tools_of_an_agent_only_those_that_it_has_are_taken() {
    let world = World::new().user("[tool.Bash]\neffect = \"write\"\n[tool.shell]\ntags = [\"irreversible\"]");
    let names = ["Bash".to_owned(), "Read".to_owned()];
    assert_eq!(
        world.load().tags.among(&names),
        [("Bash", Mark::Effect(EffectClass::Write))]
    );
}

#[test]
fn a_pause_before_the_launch_comes_from_any_file_and_has_bounds() {
    let world = World::new()
        .user("[tool.shell]\npause_s = 5")
        .theirs("[tool.shell]\npause_s = 2");
    let pause = |ms| ("shell".to_owned(), Mark::Pause(ms));
    assert_eq!(fitted(&world).unwrap(), [pause(5_000), pause(2_000)]);
    assert!(world.notices().is_empty());
    for bad in ["0", "3601", "\"2s\""] {
        let fault = World::new()
            .user(&format!("[tool.shell]\npause_s = {bad}"))
            .fault();
        assert!(
            fault.starts_with(&format!("{FILE}:2:11: `tool.shell.pause_s`: ")),
            "{fault}"
        );
    }
}

#[test]
fn a_tool_that_waits_is_marked_so() {
    let world = World::new().user("[tool.shell]\nwaits = true\n[tool.read_file]\nwaits = false");
    assert_eq!(fitted(&world).unwrap(), tags(&[("shell", "waits")]));
    // It makes calls easier to repeat, so it is no tag that a file can add among those that make them harder.
    let fault = World::new().user("[tool.shell]\ntags = [\"waits\"]").fault();
    assert!(fault.contains("unknown tag `waits`"), "{fault}");
}

#[test]
fn workspace_settings_other_than_tags_are_ignored_and_reported() {
    let theirs = "[tool.shell]\nprobe = 1\ntags = [\"irreversible\"]";
    let world = World::new().theirs(theirs);
    assert_eq!(fitted(&world).unwrap(), tags(&[("shell", "irreversible")]));
    assert_eq!(
        world.notices(),
        [
            "ignored: `tool.shell.probe` in work/overrule.toml:2: a workspace may only tighten; put it into your own configuration file"
        ]
    );
}

#[test]
fn a_tag_or_a_tool_that_is_not_known_is_refused_with_its_place() {
    let text = "[tool.shell]\ntags = [\"irreversable\"]";
    let words = "`tool.shell.tags`: unknown tag `irreversable`; use external, irreversible or uninspectable";
    assert_eq!(World::new().user(text).fault(), format!("{FILE}:2:8: {words}"));
    assert_eq!(
        World::new().theirs(text).fault(),
        format!("work/overrule.toml:2:8: {words}")
    );
    assert_eq!(
        World::new().user("[tool.shell]\ntags = 1").fault(),
        format!(
            "{FILE}:2:8: `tool.shell.tags`: expected a string or a list of strings, found a whole number; \
             write a string or a list of strings"
        )
    );
    let world = World::new().user("[tool.shel]\ntags = [\"irreversible\"]");
    assert_eq!(
        fitted(&world).unwrap_err(),
        format!("{FILE}:1:7: `tool.shel`: there is no tool `shel`; did you mean `shell`?")
    );
}

#[test]
fn a_person_sets_the_effect_class_of_a_tool_and_a_strangers_file_cannot() {
    let mine = "[tool.shell]\neffect = \"read\"";
    let world = World::new().user(mine);
    let read = ("shell".to_owned(), Mark::Effect(EffectClass::Read));
    assert_eq!(fitted(&world).unwrap(), [read]);
    let world = World::new().theirs(mine);
    assert_eq!(fitted(&world).unwrap(), []);
    assert_eq!(
        world.notices(),
        [
            "ignored: `tool.shell.effect` in work/overrule.toml:2: a workspace may only tighten; put it into your own configuration file"
        ]
    );
    let bad = World::new().user("[tool.shell]\neffect = \"reads\"").fault();
    let words = "`tool.shell.effect`: unknown value `reads`; use pure, read, idempotent, write or unknown";
    assert_eq!(bad, format!("{FILE}:2:10: {words}"));
}
