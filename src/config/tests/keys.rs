//! Tests where the API key comes from, and what happens if it cannot be obtained.
//!
//! Must not know: what a key is for.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use secrecy::{ExposeSecret as _, SecretString};

use crate::Key;

use super::World;

fn key(world: &World) -> Option<String> {
    let key = world.load().key().value.get().unwrap();
    key.map(|secret| secret.expose_secret().to_owned())
}

fn with_variable(world: World) -> World {
    world.with(|env, _| env.api_keys = [("OPENAI_API_KEY", SecretString::from("from-env"))].into())
}

#[test]
fn each_source_gives_its_first_line() {
    assert_eq!(key(&World::new()), None);
    assert_eq!(
        key(&World::new().user("api_key = \"sk-1\"")).as_deref(),
        Some("sk-1")
    );
    let world = World::new().user("api_key_cmd = \"printf 'sk-2\\\\nsecond line'\"");
    assert_eq!(key(&world).as_deref(), Some("sk-2"));
    let world = World::new().user("api_key_file = \"key\"");
    fs::write(world.user_file().with_file_name("key"), "sk-3\r\n").unwrap();
    assert_eq!(key(&world).as_deref(), Some("sk-3"));
    assert_eq!(key(&with_variable(World::new())).as_deref(), Some("from-env"));
}

#[test]
fn a_command_runs_only_when_the_key_is_needed() {
    let world = World::new();
    let mark = world.root.path().join("mark");
    let world = world.user(&format!("api_key_cmd = \"touch '{}'; echo k\"", mark.display()));
    let settings = world.load();
    assert!(!mark.exists());
    settings.key().value.get().unwrap();
    assert!(mark.exists());
}

#[test]
fn keys_that_cannot_be_had() {
    let fault = |key: Key| key.get().unwrap_err().to_string();
    assert_eq!(
        fault(Key::Command("exit 3".into())),
        "failed to get the api key from the command `exit 3`: it failed; run it in a shell and correct the command"
    );
    assert_eq!(
        fault(Key::Command("true".into())),
        "failed to get the api key from the command `true`: its first line is empty; put the key there, alone on the line"
    );
    assert_eq!(
        fault(Key::File("/no/such/key".into())),
        "failed to read /no/such/key: there is no such file; check the path"
    );
    let spaced = fault(Key::Value(SecretString::from("sk-very secret")));
    assert_eq!(
        spaced,
        "failed to get the api key from the settings: it holds a space or a character that no key has; \
         put the key there, alone on the line"
    );
}

#[test]
fn a_key_is_not_sent_to_a_url_that_brought_its_own() {
    let both = "base_url = \"http://h/v1\"\napi_key = \"of-file\"";
    let world = with_variable(World::new().user(both));
    assert_eq!(key(&world).as_deref(), Some("of-file"));
    assert!(world.notices().iter().any(|notice| {
        notice
            == "OPENAI_API_KEY is not used: it belongs to https://api.openai.com/v1, and home/.config/overrule/config.toml:1 \
                names another server with a key of its own"
    }));
    // Both variables together, or a URL without a key: then the variable is meant.
    let world = with_variable(World::new().user(both))
        .with(|env, _| env.base_urls = [("OPENAI_BASE_URL", "http://other/v1".into())].into());
    assert_eq!(key(&world).as_deref(), Some("from-env"));
    assert_eq!(
        key(&with_variable(World::new().user("base_url = \"http://h/v1\""))).as_deref(),
        Some("from-env")
    );
}

#[test]
fn a_key_is_sent_to_no_other_server_than_the_one_that_it_was_set_with() {
    let both = "base_url = \"http://h/v1\"\napi_key = \"of-file\"";
    let at = |world: World, url: &str| {
        let url = url.to_owned();
        key(&world.with(move |_, flags| flags.base_url = Some(url.clone())))
    };
    // The file's key goes to the file's server, however that is named.
    for (url, sent) in [
        ("http://h/v1", Some("of-file")),
        ("http://h/other", Some("of-file")),
        ("http://other/v1", None),
        ("http://h:81/v1", None),
        ("https://h/v1", None),
        ("http://h.evil/v1", None),
        ("https://api.openai.com/v1", None),
    ] {
        assert_eq!(at(World::new().user(both), url).as_deref(), sent, "{url}");
    }
    let world = World::new()
        .user(both)
        .with(|env, _| env.base_urls = [("OPENAI_BASE_URL", "http://other/v1".into())].into());
    assert_eq!(key(&world), None);
    let message = "the api_key of home/.config/overrule/config.toml:2 is not used: it belongs to http://h/v1, and \
        OPENAI_BASE_URL names another server";
    assert!(
        world.notices().iter().any(|notice| notice == message),
        "{:?}",
        world.notices()
    );
    // A key that was set without a server is the provider's, from the variable and from a file.
    for world in [
        || with_variable(World::new()),
        || World::new().user("api_key = \"from-env\""),
    ] {
        assert_eq!(at(world(), "http://other/v1"), None);
        assert_eq!(
            at(world(), "https://API.openai.com/v2").as_deref(),
            Some("from-env")
        );
    }
    // Of two keys the one of that server.
    assert_eq!(
        at(with_variable(World::new().user(both)), "http://h/v1").as_deref(),
        Some("of-file")
    );
    assert_eq!(
        at(
            with_variable(World::new().user(both)),
            "https://api.openai.com/v1"
        )
        .as_deref(),
        Some("from-env")
    );
}

/// The wire format, and the key that is sent with these variables.
fn with_variables(
    file: &str,
    model: &str,
    wire: Option<&str>,
    variables: &[(&'static str, &str)],
) -> (String, Option<String>) {
    let world = World::new().user(file).with(|env, flags| {
        for (name, value) in variables {
            if name.ends_with("_URL") {
                env.base_urls.insert(name, (*value).to_owned());
            } else {
                env.api_keys.insert(name, SecretString::from(*value));
            }
        }
        flags.model = Some(model.to_owned());
        flags.wire = wire.map(str::to_owned);
    });
    (world.load().wire.value.to_string(), key(&world))
}

#[test]
fn each_provider_gets_its_own_key_in_its_own_format() {
    let all = [
        ("OPENAI_API_KEY", "sk-o"),
        ("ANTHROPIC_API_KEY", "sk-a"),
        ("GEMINI_API_KEY", "sk-g"),
    ];
    let got = |wire: &str, key: Option<&str>| (wire.to_owned(), key.map(str::to_owned));
    for (model, wire, expected) in [
        ("gpt-x", None, got("openai-chat", Some("sk-o"))),
        (
            "gpt-x",
            Some("openai-responses"),
            got("openai-responses", Some("sk-o")),
        ),
        ("claude-x", None, got("anthropic", Some("sk-a"))),
        ("x", Some("anthropic"), got("anthropic", Some("sk-a"))),
        ("gemini-x", None, got("gemini", Some("sk-g"))),
        ("claude-x", Some("openai-chat"), got("openai-chat", Some("sk-o"))),
        ("x", Some("ollama"), got("ollama", None)),
    ] {
        assert_eq!(
            with_variables("", model, wire, &all),
            expected,
            "{model} {wire:?}"
        );
    }
    // A named server decides, not the name of the model.
    let here = "base_url = \"http://h/v1\"";
    assert_eq!(
        with_variables(here, "claude-x", None, &all),
        got("openai-chat", Some("sk-o"))
    );
    let proxied = [all[0], all[1], ("OPENAI_BASE_URL", "http://proxy/v1")];
    assert_eq!(
        with_variables("", "claude-x", None, &proxied),
        got("openai-chat", Some("sk-o"))
    );
    // The key of another provider does not go to the server of the file.
    let foreign = [all[1]];
    assert_eq!(
        with_variables(here, "x", None, &foreign),
        got("openai-chat", None)
    );
    let own = format!("{here}\nwire = \"anthropic\"");
    assert_eq!(
        with_variables(&own, "x", None, &foreign),
        got("anthropic", Some("sk-a"))
    );
    // The key of a file is for the provider of the format of that file.
    let file = "api_key = \"sk-f\"\nwire = \"anthropic\"";
    assert_eq!(
        with_variables(file, "x", None, &[]),
        got("anthropic", Some("sk-f"))
    );
    assert_eq!(
        with_variables(file, "x", Some("openai-chat"), &[]),
        got("openai-chat", None)
    );
    let named = "api_key = \"sk-f\"\nmodel = \"claude-x\"";
    assert_eq!(
        with_variables(named, "claude-y", None, &[]),
        got("anthropic", Some("sk-f"))
    );
}

#[test]
fn a_token_is_known_to_be_one_and_other_keys_are_no_news() {
    let world = World::new().with(|env, flags| {
        env.api_keys = [
            ("ANTHROPIC_AUTH_TOKEN", SecretString::from("t")),
            ("GEMINI_API_KEY", SecretString::from("g")),
        ]
        .into();
        env.base_urls = [("ANTHROPIC_BASE_URL", "http://proxy".to_owned())].into();
        flags.wire = Some("anthropic".into());
    });
    let settings = world.load();
    assert_eq!(settings.base_url.value.as_deref(), Some("http://proxy"));
    let keys: Vec<_> = settings
        .keys
        .iter()
        .map(|key| (key.name(), key.is_token, key.is_of_other))
        .collect();
    assert_eq!(
        keys,
        [
            ("ANTHROPIC_AUTH_TOKEN".to_owned(), true, false),
            ("GEMINI_API_KEY".to_owned(), false, true)
        ]
    );
    assert!(world.notices().is_empty(), "{:?}", world.notices());
    let world = World::new().with(|_, flags| flags.wire = Some("soap\u{1b}".into()));
    let fault = world.fault();
    assert!(
        fault.starts_with("--wire: unknown wire format `soap⟨U+001B⟩`; use openai-chat, "),
        "{fault}"
    );
}

#[test]
fn a_command_is_asked_once_and_not_for_ever() {
    let world = World::new();
    let mark = world.root.path().join("mark");
    let world = world.user(&format!(
        "api_key_cmd = \"echo run >> '{}'; echo k\"",
        mark.display()
    ));
    let settings = world.load();
    let copy = settings.clone();
    for settings in [&settings, &copy, &settings] {
        assert!(settings.key().value.get().unwrap().is_some());
    }
    assert_eq!(fs::read_to_string(&mark).unwrap(), "run\n");

    // What it started keeps its output open.
    let held = Key::Command("sleep 30 & echo sk-held".into());
    assert_eq!(held.get().unwrap().unwrap().expose_secret(), "sk-held");
    let held = Key::Command("sleep 30 & printf sk-held".into());
    let fault = held.get().unwrap_err().to_string();
    assert!(fault.contains("keeps its output open"), "{fault}");
    // More than a pipe holds.
    let long = Key::Command("echo sk-long; head -c 300000 /dev/zero".into());
    assert_eq!(long.get().unwrap().unwrap().expose_secret(), "sk-long");
}

#[test]
fn an_open_file_with_a_key_is_reported() {
    let world = World::new().user("api_key = \"k\"");
    fs::set_permissions(world.user_file(), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(
        world.notices(),
        [
            "home/.config/overrule/config.toml holds an api_key and others can read it; \
          run: chmod 600 home/.config/overrule/config.toml"
        ]
    );
    fs::set_permissions(world.user_file(), fs::Permissions::from_mode(0o600)).unwrap();
    assert!(world.notices().is_empty());
}
