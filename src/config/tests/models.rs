//! Tests `[models.NAME]`: what an entry says, which server gets its key, and what faults say.
//!
//! Must not know: how a model is asked.

use secrecy::{ExposeSecret as _, SecretString};

use crate::env::Variables;
use crate::model::ProxySetting;
use crate::{ModelEntry, Settings};
use overrule_model::wire::{Thinking, ToolChoice};

use super::World;

const KEY: &str = "sk-canary-of-the-entry";

fn with_key(world: World) -> World {
    world.with(|env, _| env.all = Variables(vec![("LLM_KEY".into(), KEY.into())]))
}

fn choose(world: World, model: &str) -> World {
    let model = model.to_owned();
    world.with(|_, flags| flags.model = Some(model))
}

fn chosen(settings: &Settings) -> &ModelEntry {
    &settings.entries[settings.entry.as_ref().unwrap()]
}

const ALL: &str = r#"
[models.fast]
wire = "anthropic"
base_url = "https://gateway.example/v1/"
model = "claude-haiku-4-5"
key_env = "LLM_KEY"
headers = { x-team = "blue-secret-value" }
extra_body = { top_k = 3, metadata = { user_id = "u" } }
max_output_tokens = 9000
thinking = 4000
parallel_calls = false
tool_choice = "required"
strict = true
structured_answer = true
price = { input = 1, cached = 0.1, output = 5 }
window = 200000
proxy = "http://127.0.0.1:3128"
"#;

#[test]
fn an_entry_says_everything_about_a_model() {
    let world = choose(with_key(World::new().user(ALL)), "fast");
    let settings = world.load();
    let entry = chosen(&settings);
    assert_eq!(settings.model.value.as_deref(), Some("claude-haiku-4-5"));
    assert_eq!(settings.wire.value.name(), "anthropic");
    assert_eq!(
        settings.base_url.value.as_deref(),
        Some("https://gateway.example/v1")
    );
    let key = settings.key().value.get().unwrap().unwrap();
    assert_eq!(key.expose_secret(), KEY);
    assert_eq!(entry.headers.0[0].0, "x-team");
    assert_eq!(entry.options.max_output, Some(9000));
    assert_eq!(entry.options.thinking, Some(Thinking::Budget(4000)));
    assert_eq!(entry.options.parallel_calls, Some(false));
    assert_eq!(entry.options.tool_choice, Some(ToolChoice::Required));
    assert!(entry.options.strict && entry.options.structured);
    assert_eq!(entry.options.extra["top_k"], serde_json::json!(3));
    assert_eq!(entry.price.as_ref().unwrap().output, 5_000_000);
    assert_eq!(entry.window, Some(200_000));
    assert_eq!(
        entry.proxy,
        Some(ProxySetting::Url("http://127.0.0.1:3128".into()))
    );
    // Neither the key nor a header is shown.
    let shown = format!("{settings:?} {:?}", settings.why());
    assert!(
        !shown.contains("canary") && !shown.contains("blue-secret"),
        "{shown}"
    );
    assert_eq!(
        world.why("models.fast"),
        "claude-haiku-4-5 at https://gateway.example/v1 (anthropic), key from LLM_KEY, not shown by \
         home/.config/overrule/config.toml:2"
    );
}

#[test]
fn the_file_and_the_variable_may_name_an_entry_as_well() {
    let text = format!("model = \"fast\"\n{ALL}");
    let settings = with_key(World::new().user(&text)).load();
    assert_eq!(settings.entry.as_deref(), Some("fast"));
    let settings = World::new()
        .user(ALL)
        .with(|env, _| env.model = Some("fast".into()))
        .load();
    assert_eq!(settings.model.value.as_deref(), Some("claude-haiku-4-5"));
    let settings = choose(World::new().user(ALL), "other").load();
    assert_eq!(
        (settings.entry, settings.model.value.as_deref()),
        (None, Some("other"))
    );
    assert!(
        settings.keys.is_empty(),
        "an entry that is not chosen gives no key"
    );
}

#[test]
fn the_wire_format_of_an_entry_follows_from_its_address_or_its_model() {
    for (text, wire, base_url) in [
        (
            "model = \"claude-x\"",
            "anthropic",
            Some("https://api.anthropic.com"),
        ),
        (
            "base_url = \"https://api.anthropic.com/v1\"",
            "anthropic",
            Some("https://api.anthropic.com/v1"),
        ),
        // A server of its own may serve models of any name.
        (
            "base_url = \"http://h/v1\"\nmodel = \"claude-x\"",
            "openai-chat",
            Some("http://h/v1"),
        ),
        (
            "wire = \"gemini\"",
            "gemini",
            Some("https://generativelanguage.googleapis.com"),
        ),
        ("wire = \"ollama\"", "ollama", None),
        ("thinking = \"off\"", "openai-chat", None),
    ] {
        let world = choose(World::new().user(&format!("[models.a]\n{text}\n")), "a");
        let settings = world.load();
        assert_eq!(
            (settings.wire.value.name(), settings.base_url.value.as_deref()),
            (wire, base_url),
            "{text}"
        );
    }
}

#[test]
fn the_key_of_an_entry_goes_to_its_own_server_alone() {
    let world = choose(with_key(World::new().user(ALL)), "fast")
        .with(|_, flags| flags.base_url = Some("https://other.example/v1".into()));
    let settings = world.load();
    assert_eq!(
        settings.base_url.value.as_deref(),
        Some("https://other.example/v1")
    );
    assert!(settings.key().value.get().unwrap().is_none());
    // The key of a provider's variable is none of a server that an entry names.
    let text = "base_url = \"http://mine/v1\"\n[models.a]\nbase_url = \"http://theirs/v1\"\n";
    let world = choose(World::new().user(text), "a")
        .with(|env, _| env.api_keys = [("OPENAI_API_KEY", SecretString::from("sk-env"))].into());
    let settings = world.load();
    assert!(settings.key().value.get().unwrap().is_none());
    assert_eq!(world.notices(), [""; 0]);
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    let settings = choose(World::new().user(ALL), "fast").load();
    let fault = settings.key().value.get().unwrap_err().to_string();
    assert_eq!(
        fault,
        "failed to get the api key from LLM_KEY: the variable is not set; set it to the key"
    );
}

#[test]
fn faults_of_an_entry_name_place_and_remedy_and_no_secret() {
    let fault = |text: &str| World::new().user(&format!("[models.a]\n{text}")).fault();
    let place = "home/.config/overrule/config.toml:2";
    for (text, words) in [
        ("modle = \"m\"", "did you mean `model`?"),
        ("wire = \"soap\"", "unknown value `soap`; use openai-chat,"),
        ("base_url = \"h\"", "does not begin with http:// or https://"),
        (
            "key_env = \"sk-canary-1\"",
            "is no name of a variable; write the name of the environment variable",
        ),
        ("headers = { \"x y\" = \"1\" }", "`x y` is no name of a header"),
        (
            "headers = { x = \"sk-canary\\n\" }",
            "the value of `x` is no printable text",
        ),
        ("headers = { x = 1 }", "the value of `x` is no printable text"),
        (
            "extra_body = { messages = [] }",
            "`messages` is written by the program; leave it out",
        ),
        (
            "thinking = \"huge\"",
            "write \"off\", \"low\", \"medium\", \"high\" or a number of tokens",
        ),
        ("thinking = -1", "-1 is out of range"),
        ("tool_choice = \"any\"", "use auto, required or none"),
        ("price = { input = 1 }", "add input and output"),
        ("window = 0", "0 is out of range"),
        (
            "proxy = \"socks\"",
            "write it such as \"http://127.0.0.1:3128\", or \"off\"",
        ),
    ] {
        let message = fault(text);
        assert!(message.contains(words), "{text}: {message}");
        assert!(message.starts_with(place), "{text}: {message}");
        assert!(!message.contains("canary"), "{message}");
    }
    let message = fault("max_output_tokens = 2000\nthinking = 2000");
    assert!(
        message.contains("2000 is not below max_output_tokens"),
        "{message}"
    );
    let message = fault("key_env = \"A\"\nkey_command = \"b\"");
    assert!(
        message.contains("keep one of key_env and key_command"),
        "{message}"
    );
    let message = World::new().user("[models.scripted]\nmodel = \"m\"").fault();
    assert!(message.contains("choose another name"), "{message}");
}

#[test]
fn a_workspace_names_no_model_no_server_and_no_prices() {
    let text = format!("prices = \"p.toml\"\n{ALL}\nnonsense = 1\n");
    let world = choose(World::new().theirs(&text), "fast");
    let settings = world.load();
    assert!(settings.entries.is_empty() && settings.entry.is_none());
    assert_eq!(settings.base_url.value, None);
    assert_eq!(settings.price_list.value, None);
    let notices = world.notices();
    assert!(
        notices
            .iter()
            .any(|notice| notice.starts_with("ignored: `models` in work/overrule.toml:3")),
        "{notices:?}"
    );
    assert_eq!(notices.len(), 2, "{notices:?}");
    // Nor does one that is trusted: an entry says where a model is, and what gives out its key.
    let trusted = choose(World::new().theirs(ALL), "fast").trusted().load();
    assert!(trusted.entries.is_empty() && trusted.entry.is_none());
}

#[test]
fn the_list_of_prices_can_be_replaced() {
    let world = World::new();
    let openai = Some("https://api.openai.com/v1");
    let price = |world: &World| {
        let prices = world.load().prices;
        prices.of("gpt-4o", openai).map(|price| price.output)
    };
    assert_eq!(price(&world), Some(10_000_000));
    let list = "date = \"2030-01-01\"\n[[provider]]\nhosts = [\"api.openai.com\"]\n[provider.model]\ngpt-4o = { input = 0, output = 7 }\n";
    std::fs::write(world.user_file().with_file_name("p.toml"), list).unwrap();
    let world = world.user("prices = \"p.toml\"");
    assert_eq!(price(&world), Some(7_000_000));
    assert_eq!(
        world.load().prices.of("gpt-4.1", openai),
        None,
        "the built-in list does not count"
    );
    // What the settings say of a price is stronger.
    let world = world.user("prices = \"p.toml\"\n[price.model.gpt-4o]\ninput = 1\noutput = 2\n");
    assert_eq!(price(&world), Some(2_000_000));
    std::fs::write(world.user_file().with_file_name("p.toml"), "date = 1").unwrap();
    assert!(
        world
            .fault()
            .starts_with("home/.config/overrule/p.toml:1:8: `date`: "),
        "{}",
        world.fault()
    );
}

#[test]
fn a_command_that_prints_a_key_gets_no_key_of_another_model() {
    // Set where the tests run, and not named as the variable of a provider.
    let settings = |more: &str| {
        choose(
            World::new().user(&format!(
                "[models.a]\nbase_url = \"https://a.example\"\nkey_command = \"echo k-$CARGO_PKG_NAME\"\n{more}"
            )),
            "a",
        )
    };
    let key = |world: World| {
        let key = world.load().key().value.get().unwrap().unwrap();
        key.expose_secret().to_owned()
    };
    assert_eq!(key(settings("")), "k-overrule-config");
    let other = "[models.b]\nbase_url = \"https://b.example\"\nkey_env = \"CARGO_PKG_NAME\"\n";
    assert_eq!(key(settings(other)), "k-");
}
