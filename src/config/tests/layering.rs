//! Tests which layer wins, and that the setting names it as its origin.
//!
//! Must not know: what a workspace may not do.

use std::ffi::OsString;
use std::path::PathBuf;

use secrecy::SecretString;

use crate::env::Variables;
use crate::{Env, Glyphs};
use overrule_domain::event::run::{ContextLimit, Limits, Reduction, Reuse};
use overrule_domain::price::Price;
use overrule_policy::Preset;

use super::World;

#[test]
fn empty_configuration_gives_the_defaults() {
    let world = World::new();
    let settings = world.load();
    assert_eq!(settings.model.value, None);
    assert_eq!(settings.preset.value, Preset::Guarded);
    assert_eq!(settings.limits.values(), Limits::default());
    assert_eq!(settings.arming_ms.value, 500);
    assert_eq!(settings.max_output.value, None);
    assert_eq!(settings.glyphs.value, Glyphs::Unicode);
    assert_eq!(
        settings.sessions.value,
        Some(world.root.path().join("home/.local/share/overrule/sessions"))
    );
    assert!(settings.notices.is_empty());
    assert!(settings.why().iter().all(|why| why.origin == "default"));
}

#[test]
fn the_limit_of_a_request_follows_from_the_settings() {
    let limit = |file: &str, window| World::new().user(file).load().context.limit(window);
    let limit_of = |tokens: Option<u64>, auto, by| {
        let window = tokens.map(|_| 200_000);
        Some(ContextLimit {
            tokens,
            window,
            auto,
            by,
        })
    };
    let asks = limit_of(Some(140_000), false, Reduction::Shorten);
    assert_eq!(limit("", Some(200_000)), asks, "70 % of the window");
    assert_eq!(limit("", None), None, "what is unknown has no limit");
    let auto = "[context]\nreduce = \"auto\"\nby = \"drop-turns\"\nshare = 50";
    let half = limit_of(Some(100_000), true, Reduction::DropTurns);
    assert_eq!(limit(auto, Some(200_000)), half);
    // A server may refuse a request whose window is unknown.
    assert_eq!(limit(auto, None), limit_of(None, true, Reduction::DropTurns));
    let off = "[context]\nreduce = \"off\"";
    assert_eq!((limit(off, Some(200_000)), limit(off, None)), (None, None));
}

#[test]
fn no_home_is_no_error() {
    let mut world = World::new();
    world.env = Env::default();
    assert_eq!(world.load().sessions.value, None);
}

#[test]
fn the_later_layer_wins() {
    let world = World::new();
    assert_eq!(world.why("model"), "none by default");
    let world = world.user("\nmodel = \"one\"\n");
    assert_eq!(world.why("model"), "one by home/.config/overrule/config.toml:2");
    let world = world.theirs("model = \"two\"").trusted();
    assert_eq!(world.why("model"), "two by work/overrule.toml:1");
    let world = world.with(|env, _| env.model = Some("three".into()));
    assert_eq!(world.why("model"), "three by OVERRULE_MODEL");
    let world = world.with(|_, flags| flags.model = Some("four".into()));
    assert_eq!(world.why("model"), "four by --model");
}

/// A file with every key.
const EVERYTHING: &str = r#"
model = "m"
base_url = "http://127.0.0.1:1/v1/"
wire = "openai-chat"
theme = "mono"
glyphs = "ascii"
sessions = "~/runs"
arming = "1s"
editor = "vim -u NONE"
tell_edits = false
[limits]
parallel = 3
turns = "unlimited"
tokens = 1000
wall = "10m"
price = 0.75
[notify]
bell = false
title = false
desktop = true
[policy]
preset = "supervised"
[reuse]
replies = false
pure = true
reads = false
[price]
input = 2.5
cached = 1.25
output = 1_0
[price.model."small one"]
input = 0.0002
output = 0.001
per = 1000
currency = "EUR"
[context]
reduce = "auto"
by = "summarize"
share = 50
[stream]
notice = "250ms"
timeout = "2m"
"#;

#[test]
fn every_key_of_a_file_arrives() {
    let world = World::new().user(EVERYTHING);
    let settings = world.load();
    let file = "home/.config/overrule/config.toml";
    let expected = [
        ("model", "m", 2),
        ("base_url", "http://127.0.0.1:1/v1", 3),
        ("wire", "openai-chat", 4),
        ("theme", "mono", 5),
        ("glyphs", "ascii", 6),
        ("arming", "1s", 8),
        ("editor", "vim -u NONE", 9),
        ("tell_edits", "false", 10),
        ("limits.parallel", "3", 12),
        ("limits.turns", "unlimited", 13),
        ("limits.tokens", "1000", 14),
        ("limits.wall", "10m", 15),
        ("limits.price", "0.75", 16),
        ("notify.bell", "false", 18),
        ("notify.title", "false", 19),
        ("notify.desktop", "true", 20),
        ("policy.preset", "supervised", 22),
        ("reuse.replies", "false", 24),
        ("reuse.pure", "true", 25),
        ("reuse.reads", "false", 26),
        ("context.reduce", "auto", 37),
        ("context.by", "summarize", 38),
        ("context.share", "50", 39),
        ("stream.notice", "250ms", 41),
        ("stream.timeout", "2m", 42),
    ];
    for (key, value, line) in expected {
        assert_eq!(world.why(key), format!("{value} by {file}:{line}"));
    }
    assert_eq!(settings.sessions.value, Some(world.root.path().join("home/runs")));
    assert_eq!(
        settings.limits.values(),
        Limits {
            parallel: 3,
            turns: None,
            tokens: Some(1000),
            wall_ms: Some(600_000),
            price: Some(750_000_000_000),
            context: None,
        }
    );
    let general = Price {
        input: 2_500_000,
        cached: Some(1_250_000),
        cache_write: None,
        cache_write_1h: None,
        output: 10_000_000,
        currency: "USD".into(),
    };
    let small = Price {
        input: 200_000,
        cached: None,
        cache_write: None,
        cache_write_1h: None,
        output: 1_000_000,
        currency: "EUR".into(),
    };
    let prices = &settings.prices;
    assert_eq!(prices.of("any", Some("http://h/v1")), Some(&general));
    assert_eq!(prices.of("small one", Some("http://h/v1")), Some(&small));
    assert_eq!(prices.of("any", None), None, "a playbook is asked for nothing");
    assert_eq!(prices.of("small one", None), Some(&small));
    assert_eq!(settings.policy.preset(), Preset::Supervised);
    assert_eq!(
        settings.reuse.values(),
        Reuse {
            replies: false,
            pure: true,
            reads: false
        }
    );
}

#[test]
fn paths_of_a_file_are_relative_to_it() {
    let world = World::new().user("sessions = \"runs\"");
    assert_eq!(
        world.load().sessions.value,
        Some(world.root.path().join("home/.config/overrule/runs"))
    );
}

#[test]
fn another_file_in_place_of_the_users() {
    let world = World::new().user("theme = \"light\"");
    let other = world.root.path().join("other.toml");
    std::fs::write(&other, "model = \"m\"").unwrap();
    let world = world.with(|_, flags| flags.config = Some(other));
    assert_eq!(world.why("model"), "m by other.toml:1");
    assert_eq!(world.why("theme"), "auto by default");
}

#[test]
fn flags_over_files() {
    let world = World::new()
        .user(
            "theme = \"light\"\nglyphs = \"unicode\"\n[limits]\nturns = 5\n[policy]\npreset = \"supervised\"",
        )
        .with(|env, flags| {
            env.sessions = Some("/from/env".into());
            flags.theme = Some("mono".into());
            flags.glyphs = Some(Glyphs::Ascii);
            flags.turns = Some(9);
            flags.tokens = Some(10);
            flags.wall = Some("2m".into());
            flags.price = Some("0.25".into());
            flags.parallel = Some(1);
            flags.policy = Some("auto".into());
        });
    let settings = world.load();
    assert_eq!(settings.theme.value, "mono");
    assert_eq!(settings.glyphs.value, Glyphs::Ascii);
    assert_eq!(settings.policy.preset(), Preset::Auto);
    assert_eq!(settings.sessions.value, Some(PathBuf::from("/from/env")));
    assert_eq!(
        settings.limits.values(),
        Limits {
            parallel: 1,
            turns: Some(9),
            tokens: Some(10),
            wall_ms: Some(120_000),
            price: Some(250_000_000_000),
            context: None,
        }
    );
    assert_eq!(world.why("limits.turns"), "9 by --max-turns");
}

#[test]
fn the_terminal_by_its_names() {
    let glyphs = |term: &str, locale: Option<&str>, file: &str| {
        let world = World::new().user(file).with(|env, _| {
            env.term = Some(term.into());
            env.locale = locale.map(Into::into);
        });
        world.load().glyphs.value
    };
    assert_eq!(glyphs("xterm", Some("en_US.UTF-8"), ""), Glyphs::Unicode);
    assert_eq!(glyphs("xterm", Some("en_US.utf8@euro"), ""), Glyphs::Unicode);
    assert_eq!(glyphs("xterm", Some("C"), ""), Glyphs::Unicode);
    assert_eq!(glyphs("xterm", Some("de_DE.ISO-8859-1"), ""), Glyphs::Ascii);
    assert_eq!(glyphs("linux", None, ""), Glyphs::Ascii);
    assert_eq!(glyphs("linux", None, "glyphs = \"unicode\""), Glyphs::Unicode);
}

#[test]
fn the_environment_by_variable() {
    let env = Env::from_lookup(|name| {
        Some(OsString::from(match name {
            "LANG" => "de_DE.UTF-8",
            "LC_CTYPE" | "NO_COLOR" | "OPENAI_BASE_URL" => "",
            "OPENAI_API_KEY" => "sk-secret",
            "LOGNAME" => "ann",
            "OVERRULE_SESSIONS" => "/s",
            _ => return None,
        }))
    });
    assert_eq!(env.locale.as_deref(), Some("de_DE.UTF-8"));
    assert_eq!(env.user.as_deref(), Some("ann"));
    assert_eq!(env.sessions, Some(PathBuf::from("/s")));
    assert!(env.base_urls.is_empty());
    assert_eq!(env.no_color, None);
    assert!(env.api_keys.contains_key("OPENAI_API_KEY"));
    let all = Variables(vec![("OPENAI_API_KEY".into(), "sk-secret".into())]);
    let env = Env { all, ..env };
    assert!(!format!("{env:?}").contains("sk-secret"));
}

#[test]
fn an_editor_of_the_file_over_visual_over_editor() {
    let world = World::new().with(|env, _| env.editor = Some("ed".into()));
    assert_eq!(world.why("editor"), "ed by EDITOR");
    let world = world.with(|env, _| env.visual = Some("vi".into()));
    assert_eq!(world.why("editor"), "vi by VISUAL");
    let world = world.user("editor = \"hx\"");
    assert_eq!(world.load().editor.value.as_deref(), Some("hx"));
}

#[test]
fn no_key_is_ever_shown() {
    let world = World::new()
        .user("api_key = \"sk-in-file\"")
        .with(|env, _| env.api_keys = [("OPENAI_API_KEY", SecretString::from("sk-in-env"))].into());
    let settings = world.load();
    let shown = format!("{settings:?} {:?} {:?}", settings.why(), world.env);
    assert!(!shown.contains("sk-"), "{shown}");
}

#[test]
fn of_an_address_to_post_to_only_the_host_is_shown() {
    let world = World::new().user(
        "[notify]\nwebhook = \"https://u:pAsSwOrD@hooks.example:8443/T0/sEcReT?k=v\"\ncommand = [\"mail\", \"--key=sEcReT\"]\ntimeout = \"3s\"\nafter = \"0ms\"",
    );
    let settings = world.load();
    let address = settings.notify.webhook.value.as_ref().unwrap().address();
    assert_eq!(address, "https://u:pAsSwOrD@hooks.example:8443/T0/sEcReT?k=v");
    assert_eq!(settings.notify.command.value, ["mail", "--key=sEcReT"]);
    assert_eq!(
        (settings.notify.limit_ms.value, settings.notify.after_ms.value),
        (3_000, 0)
    );
    let file = "home/.config/overrule/config.toml";
    assert_eq!(
        world.why("notify.webhook"),
        format!("hooks.example, path not shown by {file}:2")
    );
    assert_eq!(
        world.why("notify.command"),
        format!("`mail`, arguments not shown by {file}:3")
    );
    let shown = format!("{:?} {:?}", settings.notify.webhook, settings.why());
    assert!(
        !shown.contains("sEcReT") && !shown.contains("pAsSwOrD"),
        "{shown}"
    );
    let line = World::new()
        .user("[notify]\ncommand = \"notify-send overrule\"")
        .load();
    assert_eq!(line.notify.command.value, ["sh", "-c", "notify-send overrule"]);
    let here = World::new()
        .user("[notify]\nwebhook = \"http://127.0.0.1:9/x\"")
        .load();
    assert_eq!(here.notify.webhook.value.unwrap().host(), "127.0.0.1");
}

#[test]
fn mouse_capture_is_on_unless_disabled() {
    assert!(World::new().load().mouse.value);
    let world = World::new().user("mouse = false");
    assert!(!world.load().mouse.value);
    assert_eq!(world.why("mouse"), "false by home/.config/overrule/config.toml:1");
}
