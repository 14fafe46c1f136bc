//! Tests that every fault has one clear message and changes nothing.
//!
//! Must not know: what valid settings do.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use proptest::prelude::*;

use super::{World, everything_below};

const FILE: &str = "home/.config/overrule/config.toml";

#[test]
fn errors_name_place_key_and_cure() {
    let table = [
        (
            "modle = \"m\"",
            "1:1: `modle`: unknown key; did you mean `model`?",
        ),
        (
            "model = 3",
            "1:9: `model`: expected a string in quotes, found a whole number; write a string in quotes",
        ),
        (
            "model = \" \"",
            "1:9: `model`: is empty; write the model's name in quotes",
        ),
        (
            "\nbase_url = \"localhost:1\"",
            "2:12: `base_url`: does not begin with http:// or https://; write it such as \"http://127.0.0.1:11434/v1\"",
        ),
        (
            "base_url = \"http://u:p@h\"",
            "1:12: `base_url`: holds a user name or password; use api_key for secrets; write it such as \"http://127.0.0.1:11434/v1\"",
        ),
        (
            "wire = \"soap\"",
            "1:8: `wire`: unknown value `soap`; use openai-chat, openai-responses, anthropic, gemini or ollama",
        ),
        (
            "ambiguous_width = \"2\"",
            "1:19: `ambiguous_width`: unknown value `2`; use narrow or wide",
        ),
        (
            "glyphs = \"emoji\"",
            "1:10: `glyphs`: unknown value `emoji`; use unicode or ascii",
        ),
        (
            "arming = \"11s\"",
            "1:10: `arming`: unknown value `11s`; write a duration of at most 10s, such as \"500ms\"",
        ),
        (
            "sessions = \"~ann/x\"",
            "1:12: `sessions`: begins with ~ and a name, which is not understood; write a directory, such as \"~/runs\"",
        ),
        (
            "api_key = \"a\"\napi_key_cmd = \"b\"",
            "2:15: `api_key_cmd`: the key is given in more than one way; keep one of api_key, api_key_cmd and api_key_file",
        ),
        (
            "limits = 1",
            "1:10: `limits`: expected a table, found a whole number; write a table",
        ),
        (
            "[limits]\nturns = 0",
            "2:9: `limits.turns`: 0 is out of range; write a whole number from 1 to 4294967295",
        ),
        (
            "[limits]\nturns = \"all\"",
            "2:9: `limits.turns`: unknown value `all`; write a whole number, or \"unlimited\"",
        ),
        (
            "[limits]\nparallel = 65",
            "2:12: `limits.parallel`: 65 is out of range; write a whole number from 1 to 64",
        ),
        (
            "[limits]\nwall = \"0s\"",
            "2:8: `limits.wall`: `0s` is no duration; write a number and ms, s, m, h or d, such as \"30s\"",
        ),
        (
            "[limits]\nturn = 1",
            "2:1: `limits.turn`: unknown key; did you mean `turns`?",
        ),
        (
            "[notify]\nbell = \"yes\"",
            "2:8: `notify.bell`: expected true or false, found a string; write true or false",
        ),
        (
            "[reuse]\nread = true",
            "2:1: `reuse.read`: unknown key; did you mean `reads`?",
        ),
        (
            "[policy]\npreset = \"open\"",
            "2:10: `policy.preset`: unknown value `open`; use supervised, guarded, edits, reversible, auto or read-only",
        ),
        (
            "[[policy.rule]]\ntool = \"t\"",
            "1:1: `policy.rule[0].gate`: is missing; add gate = \"allow\", \"ask\" or \"deny\"",
        ),
        (
            "[[servers]]\nname = \"x\"",
            "1:3: `servers`: unknown key; known here: ambiguous_width, api_key, api_key_cmd, api_key_file, approver, arming, base_url, ca_file, context, danger, differences, editor, files, glyphs, keep_replies, limits, max_output_tokens, mcp, model, models, mouse, notify, output_schema, policy, price, prices, resilience, reuse, routing, sandbox, sessions, stream, tell_edits, theme, tool, wire",
        ),
    ];
    for (text, message) in table {
        assert_eq!(World::new().user(text).fault(), format!("{FILE}:{message}"));
    }
    let doubled = World::new().user("model = \"a\"\nmodel = \"b\"").fault();
    assert!(
        doubled.starts_with(&format!("{FILE}:2:1: not valid TOML: duplicate key")),
        "{doubled}"
    );
}

#[test]
fn no_error_holds_a_value_that_may_be_a_secret() {
    for text in [
        "api_key = 5318008",
        "api_key = [\"5318008\"]",
        "api_key_file = 5318008",
        "mouse = \"5318008\"",
        "limits = \"5318008\"",
        "[notify]\nwebhook = \"http://h/5318008\"",
        "[notify]\nwebhook = [\"5318008\"]",
        "[notify]\ntimeout = [\"5318008\"]",
        "[price]\ncurrency = 5318008",
        "[tool.t]\npause_s = \"5318008\"",
        "policy = \"5318008\"",
    ] {
        let fault = World::new().user(text).fault();
        assert!(
            fault.starts_with(FILE) && !fault.contains("5318008"),
            "{text}: {fault}"
        );
    }
    assert_eq!(
        World::new().user("sessions = 3").fault(),
        format!(
            "{FILE}:1:12: `sessions`: expected a string in quotes, found a whole number; write a string in quotes"
        )
    );
}

#[test]
fn errors_about_being_called() {
    let table = [
        (
            "[notify]\ncommand = 1",
            "2:11: `notify.command`: expected a list of texts, or a text; write a program with its arguments, such as [\"notify-send\", \"overrule\"], or a line for the shell",
        ),
        (
            "[notify]\ncommand = []",
            "2:11: `notify.command`: names no program; write a program with its arguments, such as [\"notify-send\", \"overrule\"], or a line for the shell",
        ),
        (
            "[notify]\nwebhook = \"http://ntfy.example/t\"",
            "2:11: `notify.webhook`: is sent to another machine unencrypted; write it such as \"https://ntfy.example/topic\"; http:// is for this machine alone",
        ),
        (
            "[notify]\nwebhook = \"ntfy.example/t\"",
            "2:11: `notify.webhook`: names no host; write it such as \"https://ntfy.example/topic\"; http:// is for this machine alone",
        ),
        (
            "[notify]\ntimeout = \"0ms\"",
            "2:11: `notify.timeout`: `0ms` is no such duration; write a duration from 1ms to 2m, such as \"10s\"",
        ),
        (
            "[notify]\nafter = \"25h\"",
            "2:9: `notify.after`: `25h` is no such duration; write a duration of at most 24h, such as \"10s\", or \"0ms\"",
        ),
    ];
    for (text, message) in table {
        assert_eq!(World::new().user(text).fault(), format!("{FILE}:{message}"));
    }
}

#[test]
fn a_preset_that_is_the_policy_itself_is_told_where_it_belongs() {
    let table = [
        (
            "policy = \"auto\"",
            "1:10: `policy`: expected a table, found a string; write a table, or the preset as `policy.preset`",
        ),
        (
            "polcy = \"auto\"",
            "1:1: `polcy`: unknown key; did you mean `policy.preset`?",
        ),
        (
            "[polcy]\npreset = \"auto\"",
            "1:2: `polcy`: unknown key; did you mean `policy`?",
        ),
    ];
    for (text, message) in table {
        assert_eq!(World::new().user(text).fault(), format!("{FILE}:{message}"));
    }
}

#[test]
fn errors_about_money() {
    let table = [
        (
            "[price]\noutput = 1",
            "2:10: `price.output`: is half a price; add input and output, the prices of tokens sent and received",
        ),
        (
            "[price]\ninput = 1\noutput = -2.5",
            "3:10: `price.output`: `-2.5` is no price; write a number such as 2.5",
        ),
        (
            "[price]\ninput = \"1\"",
            "2:9: `price.input`: expected a number, found a string; write a number",
        ),
        (
            "[price]\ninput = 1\noutput = inf",
            "3:10: `price.output`: `inf` is no price; write a number such as 2.5",
        ),
        (
            "[price]\ninput = 1\noutput = 2\ncurrency = \"doubloons\"",
            "4:12: `price.currency`: is longer than 8 characters; write it such as \"USD\"",
        ),
        (
            "[price.model]\nm = 1",
            "2:5: `price.model.m`: expected a table, found a whole number; write a table",
        ),
        (
            "[price.model.m]\n",
            "1:1: `price.model.m.input`: is missing; add input and output, the prices of tokens sent and received",
        ),
        (
            "[price.model.m]\ninput = 1\noutput = 1\nprice = 1",
            "4:1: `price.model.m.price`: unknown key; known here: cache_write, cache_write_1h, cached, currency, input, output, per",
        ),
        (
            "[limits]\nprice = 0",
            "2:9: `limits.price`: 0 is out of range; write more than 0",
        ),
        (
            "[limits]\nprice = \"1 USD\"",
            "2:9: `limits.price`: unknown value `1 USD`; write a number such as 0.5, or \"unlimited\"",
        ),
    ];
    for (text, message) in table {
        assert_eq!(World::new().user(text).fault(), format!("{FILE}:{message}"));
    }
}

#[test]
fn a_workspace_file_is_checked_as_strictly() {
    let fault = World::new().theirs("theme = 1").fault();
    assert_eq!(
        fault,
        "work/overrule.toml:1:9: `theme`: expected a string in quotes, found a whole number; write a string in quotes"
    );
}

#[test]
fn files_that_are_none() {
    let world = World::new();
    fs::create_dir(world.user_file()).unwrap();
    assert_eq!(
        world.fault(),
        format!(
            "failed to read {FILE}: it is a directory, not a regular file; move it away or write a file in its place"
        )
    );

    let world = World::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, world.workspace_file(), rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(
        world.fault(),
        "failed to read work/overrule.toml: it is a named pipe, not a regular file; move it away or write a file in its place"
    );

    let world = World::new();
    fs::write(world.user_file(), b"model = \"a\"\n# \xff\n").unwrap();
    assert_eq!(
        world.fault(),
        format!("failed to read {FILE}: line 2 is not UTF-8 text; save it as UTF-8")
    );

    let world = World::new().user(&"#".repeat((1 << 20) + 1));
    assert_eq!(
        world.fault(),
        format!("failed to read {FILE}: it is larger than 1 MiB; check that it is the right file")
    );

    let world = World::new().with(|_, flags| flags.config = Some("/no/such.toml".into()));
    assert_eq!(
        world.fault(),
        "failed to read /no/such.toml: there is no such file; check the path"
    );

    let world = World::new();
    std::os::unix::fs::symlink(world.user_file(), world.user_file()).unwrap();
    assert!(
        world.fault().starts_with(&format!("failed to read {FILE}: ")),
        "{}",
        world.fault()
    );
}

#[test]
fn a_file_that_may_not_be_read() {
    let world = World::new().user("model = \"m\"");
    fs::set_permissions(world.user_file(), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(world.user_file()).is_ok() {
        return; // A superuser may read everything.
    }
    assert_eq!(
        world.fault(),
        format!("failed to read {FILE}: Permission denied (os error 13); give yourself the right to read it")
    );
}

#[test]
fn variables_and_flags_are_named() {
    let world = World::new()
        .with(|env, _| env.base_urls = [("OPENAI_BASE_URL", "http://me:pw123@h/v1".into())].into());
    let fault = world.fault();
    assert!(!fault.contains("pw123") && fault.contains("…h…"), "{fault}");
    let world =
        World::new().with(|env, _| env.base_urls = [("OPENAI_BASE_URL", "ftp://x\u{1b}".into())].into());
    assert_eq!(
        world.fault(),
        "OPENAI_BASE_URL: `ftp://x⟨U+001B⟩` does not begin with http:// or https://; \
         write it such as \"http://127.0.0.1:11434/v1\""
    );
    let world = World::new().with(|env, _| env.unreadable.push("OVERRULE_MODEL"));
    assert_eq!(
        world.fault(),
        "OVERRULE_MODEL: its value is not UTF-8 text; unset or correct it"
    );
    let world = World::new().with(|_, flags| flags.policy = Some("open".into()));
    assert_eq!(
        world.fault(),
        "--policy: unknown policy `open`; use supervised, guarded, edits, reversible, auto, read-only or the path of a policy file"
    );
    let world = World::new().with(|_, flags| flags.policy = Some("no/such.toml".into()));
    assert_eq!(
        world.fault(),
        "failed to read no/such.toml: there is no such file; check the path"
    );
    let world = World::new().with(|_, flags| flags.parallel = Some(0));
    assert_eq!(
        world.fault(),
        "--parallel: 0 is out of range; write a number from 1 to 64"
    );
    let world = World::new().with(|_, flags| flags.turns = Some(0));
    assert_eq!(
        world.fault(),
        "--max-turns: 0 is out of range; write a number of at least 1"
    );
    let world = World::new().with(|_, flags| flags.wall = Some("soon".into()));
    assert_eq!(
        world.fault(),
        "--max-time: `soon` is no duration; write a number and ms, s, m, h or d, such as \"30s\""
    );
}

#[test]
fn nothing_is_written_whatever_is_wrong() {
    for text in ["model = 3", "theme = \"mono\""] {
        let world = World::new().user(text).theirs("[limits]\nturns = 3");
        let before = everything_below(world.root.path());
        let _ = world.try_load();
        assert_eq!(everything_below(world.root.path()), before);
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(32))]

    #[test]
    fn no_text_panics(text in "[a-z_\\[\\]=\"'{} .0-9\n\u{1b}é-]{0,120}", theirs in any::<bool>()) {
        let world = if theirs { World::new().theirs(&text) } else { World::new().user(&text) };
        if let Err(error) = world.try_load() {
            let raw = error.to_string().contains('\u{1b}');
            prop_assert!(!raw);
        }
    }
}

#[test]
fn a_time_of_a_stream_has_bounds() {
    for (text, message) in [
        (
            "[stream]\nnotice = \"0s\"",
            "2:10: `stream.notice`: unknown value `0s`; write a duration of at most 24h, such as \"60s\"",
        ),
        (
            "[stream]\ntimeout = \"25h\"",
            "2:11: `stream.timeout`: unknown value `25h`; write a duration of at most 24h, such as \"60s\"",
        ),
    ] {
        assert_eq!(World::new().user(text).fault(), format!("{FILE}:{message}"));
    }
}
