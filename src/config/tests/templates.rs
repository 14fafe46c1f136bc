//! Tests that templates of tools are read from the user's file, never from a workspace's.
//!
//! Must not know: how a template is filled.

use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;
use overrule_domain::template::Template;

use super::World;

const FILE: &str = "home/.config/overrule/config.toml";

const BOTH: &str = r#"
[tool.shell]
probe = { tool = "read_file", args = { path = "{/log}" } }
[tool.shell.compensate]
tool = "shell"
args = { command = "undo {result/id|sh}", env = [1, true, "{/x}"] }
"#;

fn cards() -> Vec<ToolCard> {
    let card = |name: &str| ToolCard::bare(name, EffectClass::Write, &[]);
    vec![card("shell"), card("read_file")]
}

fn fitted(world: &World) -> Result<Vec<ToolCard>, String> {
    let mut cards = cards();
    match world.load().templates.fit(&mut cards) {
        Ok(()) => Ok(cards),
        Err(error) => Err(world.short(&error.to_string())),
    }
}

#[test]
fn templates_are_written_on_the_card_of_their_tool() {
    let cards = fitted(&World::new().user(BOTH)).unwrap();
    let probe = Template {
        tool: "read_file".into(),
        args: r#"{"path":"{/log}"}"#.into(),
    };
    assert_eq!(cards[0].probe, Some(probe));
    let compensate = cards[0].compensate.as_ref().unwrap();
    assert_eq!(
        &*compensate.args,
        r#"{"command":"undo {result/id|sh}","env":[1,true,"{/x}"]}"#
    );
    assert_eq!((&cards[1].probe, &cards[1].compensate), (&None, &None));
}

#[test]
fn template_errors_are_reported_with_their_place() {
    let args = "args = {}";
    for (text, message) in [
        (
            "[tool]\nshell = 1".to_owned(),
            "2:9: `tool.shell`: expected a table, found a whole number; write a table",
        ),
        (
            "[[tool]]\nname = \"x\"".to_owned(),
            "1:1: `tool`: expected a table, found a list; write a table",
        ),
        (
            format!("[tool.shell]\nundo = {{ tool = \"shell\", {args} }}"),
            "2:1: `tool.shell.undo`: unknown key; known here: command, compensate, description, effect, http, idempotency_key, network, output, output_schema, pause_s, probe, sandbox, schema, stdin, success, tags, timeout, waits",
        ),
        (
            "[tool.shell]\nprobe = { tool = \"shell\" }".to_owned(),
            "2:9: `tool.shell.probe.args`: is missing; write { tool = \"NAME\", args = { … } }",
        ),
        (
            format!("[tool.shell]\nprobe = {{ {args} }}"),
            "2:9: `tool.shell.probe.tool`: is missing; write { tool = \"NAME\", args = { … } }",
        ),
        (
            format!("[tool.shell]\nprobe = {{ tool = \"shell\", when = 1, {args} }}"),
            "2:27: `tool.shell.probe.when`: unknown key; known here: args, tool",
        ),
        (
            "[tool.shell]\nprobe = { tool = \"shell\", args = \"ls\" }".to_owned(),
            "2:34: `tool.shell.probe.args`: the arguments are no table; see the templates in docs/tools.md",
        ),
        (
            "[tool.shell]\nprobe = { tool = \"shell\", args = { command = \"ls {/dir~}\" } }".to_owned(),
            "2:34: `tool.shell.probe.args`: `{/dir~}` holds no JSON pointer; write it such as {/path} or {result/id}; \
             see the templates in docs/tools.md",
        ),
    ] {
        assert_eq!(World::new().user(&text).fault(), format!("{FILE}:{message}"));
    }
}

#[test]
fn tools_that_are_not_there_are_refused_before_a_run_begins() {
    let world = World::new().user("[tool.shel]\nprobe = { tool = \"shell\", args = {} }");
    assert_eq!(
        fitted(&world).unwrap_err(),
        format!("{FILE}:1:7: `tool.shel`: there is no tool `shel`; did you mean `shell`?")
    );
    let world = World::new().user("[tool.shell]\nprobe = { tool = \"look\", args = {} }");
    assert_eq!(
        fitted(&world).unwrap_err(),
        format!("{FILE}:2:18: `tool.shell.probe.tool`: there is no tool `look`; there is: shell, read_file")
    );
}

#[test]
fn a_workspace_adds_no_calls_unless_it_is_trusted() {
    let world = World::new().theirs(BOTH);
    assert_eq!(fitted(&world).unwrap(), cards());
    assert_eq!(
        world.notices(),
        [
            "ignored: `tool.shell.probe` in work/overrule.toml:3: a workspace may only tighten; put it into your own configuration file",
            "ignored: `tool.shell.compensate` in work/overrule.toml:4: a workspace may only tighten; put it into your own configuration file"
        ]
    );
    // Not even read, whatever it says about calls.
    let odd = World::new().theirs("[[tool]]\nprobe = 1");
    assert_eq!(fitted(&odd).unwrap(), cards());
    let trusted = World::new().theirs(BOTH).trusted();
    assert!(fitted(&trusted).unwrap()[0].probe.is_some());
    assert!(trusted.notices().is_empty());
}
