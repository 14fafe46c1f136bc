//! Tests of where requests go.
//!
//! Must not know: sockets.

use hyper::header::HeaderName;

use super::*;

const CLAUDE: (&str, &str) = ("user-agent", "claude-cli/2.1.332 (external, cli)");
const CODEX: (&str, &str) = ("user-agent", "codex_exec/0.171.0");
const OPENCODE: (&str, &str) = ("user-agent", "opencode/1.18.33");
const QWEN: (&str, &str) = ("user-agent", "QwenCode/0.24.4");
const GEMINI: (&str, &str) = ("user-agent", "GeminiCLI/0.61.0/m");
const SDK: (&str, &str) = ("user-agent", "OpenAI/Python 1.2");

fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in of {
        headers.append(HeaderName::from_static(name), value.parse().unwrap());
    }
    headers
}

fn upstreams(written: &[&str], started: Option<&str>, variables: &[(&str, &str)]) -> Upstreams {
    let written: Vec<String> = written.iter().map(|one| (*one).to_owned()).collect();
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Upstreams::new(
        &written,
        started.and_then(agents::named),
        variable,
        &Authorities::default(),
    )
    .unwrap()
}

/// Where a request goes; nowhere is empty.
fn to(upstreams: &Upstreams, wire: &str, of: &[(&'static str, &str)]) -> String {
    let found = upstreams.of_request(Wire::named(wire), &headers(of));
    found.map(|upstream| upstream.shown()).unwrap_or_default()
}

#[test]
fn one_address_is_for_everything() {
    let one = upstreams(
        &["http://h:1/v1"],
        Some("claude"),
        &[("ANTHROPIC_BASE_URL", "http://no:1")],
    );
    for wire in [
        "anthropic",
        "openai-chat",
        "openai-responses",
        "gemini",
        "ollama",
        "",
    ] {
        for agent in [CLAUDE, CODEX, SDK] {
            assert_eq!(to(&one, wire, &[agent]), "http://h:1/v1", "{wire}");
        }
    }
    assert_eq!(one.shown(), ["http://h:1/v1"]);
}

#[test]
fn a_format_goes_to_its_own_address_and_all_others_to_the_one_without_a_format() {
    let all = upstreams(
        &["anthropic=http://a:1", "http://h:1", "gemini=http://g:1"],
        None,
        &[],
    );
    for (wire, agent, expected) in [
        ("anthropic", CLAUDE, "http://a:1/"),
        ("anthropic", SDK, "http://a:1/"),
        ("gemini", GEMINI, "http://g:1/"),
        ("openai-responses", CODEX, "http://h:1/"),
        ("openai-chat", CLAUDE, "http://h:1/"),
        // By the agent.
        ("", CLAUDE, "http://a:1/"),
        ("", CODEX, "http://h:1/"),
        // It may be for any.
        ("", OPENCODE, ""),
        ("", SDK, ""),
    ] {
        assert_eq!(to(&all, wire, &[agent]), expected, "{wire} {agent:?}");
    }
    for (header, expected) in [
        ("anthropic-version", "http://a:1/"),
        ("x-goog-api-key", "http://g:1/"),
    ] {
        assert_eq!(to(&all, "", &[SDK, (header, "x")]), expected, "{header}");
        assert_eq!(
            to(&all, "openai-chat", &[(header, "x")]),
            "http://h:1/",
            "the path tells it"
        );
    }
    assert_eq!(
        all.shown(),
        [
            "anthropic: http://a:1/",
            "gemini: http://g:1/",
            "all other formats: http://h:1/"
        ]
    );
}

#[test]
fn without_an_address_each_goes_to_its_vendor_and_never_to_that_of_another_format() {
    let anthropic = "https://api.anthropic.com/";
    let openai = "https://api.openai.com/v1";
    let google = "https://generativelanguage.googleapis.com/";
    for started in [
        None,
        Some("claude"),
        Some("codex"),
        Some("gemini"),
        Some("opencode"),
    ] {
        let all = upstreams(&[], started, &[]);
        for (wire, agent, expected) in [
            ("anthropic", CLAUDE, anthropic),
            ("openai-responses", CODEX, openai),
            ("openai-chat", SDK, openai),
            ("gemini", GEMINI, google),
            ("ollama", SDK, "http://127.0.0.1:11434/"),
            ("anthropic", OPENCODE, "https://api.anthropic.com/v1"),
            ("openai-responses", OPENCODE, openai),
            (
                "openai-chat",
                QWEN,
                "https://dashscope.aliyuncs.com/compatible-mode/v1",
            ),
            // An agent with the format of another one.
            ("openai-responses", CLAUDE, openai),
            ("anthropic", CODEX, anthropic),
            ("", CLAUDE, anthropic),
            ("", CODEX, openai),
            ("", GEMINI, google),
            ("", OPENCODE, ""),
            ("", SDK, ""),
        ] {
            assert_eq!(to(&all, wire, &[agent]), expected, "{started:?} {wire} {agent:?}");
        }
        let chatgpt = headers(&[CODEX, ("chatgpt-account-id", "a")]);
        let codex = all.of_request(Wire::named("openai-responses"), &chatgpt).unwrap();
        assert!(
            codex
                .for_request(&chatgpt)
                .shown()
                .starts_with("https://chatgpt.com/"),
            "{started:?}"
        );
    }
}

#[test]
fn an_agent_that_is_started_and_a_variable_have_addresses_for_their_formats_alone() {
    let variables = [
        ("ANTHROPIC_BASE_URL", "http://a:1"),
        ("OPENAI_BASE_URL", "http://o:1/v1"),
        ("OPENAI_HOST", "http://goose:1"),
    ];
    for (started, wire, agent, expected) in [
        (Some("claude"), "anthropic", CLAUDE, "http://a:1/"),
        (Some("claude"), "anthropic", SDK, "http://a:1/"),
        (None, "anthropic", CLAUDE, "http://a:1/"),
        (None, "anthropic", SDK, "http://a:1/"),
        (
            Some("claude"),
            "openai-responses",
            CODEX,
            "https://api.openai.com/v1",
        ),
        (None, "openai-chat", QWEN, "http://o:1/v1"),
        (None, "openai-chat", SDK, "http://o:1/v1"),
        // Its requests do not name it.
        (Some("goose"), "openai-chat", SDK, "http://goose:1/"),
        (Some("goose"), "openai-chat", QWEN, "http://o:1/v1"),
        (
            Some("goose"),
            "gemini",
            GEMINI,
            "https://generativelanguage.googleapis.com/",
        ),
    ] {
        let all = upstreams(&[], started, &variables);
        assert_eq!(to(&all, wire, &[agent]), expected, "{started:?} {wire} {agent:?}");
    }
    let named = upstreams(&["openai-responses=http://r:1"], Some("claude"), &variables);
    assert_eq!(to(&named, "openai-responses", &[CODEX]), "http://r:1/");
    assert_eq!(to(&named, "anthropic", &[CLAUDE]), "http://a:1/");
    assert_eq!(to(&named, "", &[CODEX]), "http://r:1/");
}

#[test]
fn a_variable_that_is_no_address_refuses_its_requests_and_they_go_nowhere_else() {
    let variables = [("ANTHROPIC_BASE_URL", "ftp://secret:word@a")];
    let all = upstreams(&[], Some("codex"), &variables);
    let of = |wire, agent| all.of_request(Wire::named(wire), &headers(&[agent]));
    let error = of("anthropic", CLAUDE).unwrap_err().to_string();
    assert!(
        error.contains("ANTHROPIC_BASE_URL") && !error.contains("word"),
        "{error}"
    );
    assert!(of("anthropic", SDK).is_err());
    assert!(of("openai-responses", CODEX).is_ok());
    let variable = |name: &str| (name == "ANTHROPIC_BASE_URL").then(|| "x".to_owned());
    let error = Upstreams::new(&[], agents::named("claude"), variable, &Authorities::default()).unwrap_err();
    assert!(error.to_string().contains("ANTHROPIC_BASE_URL"), "{error}");
}

#[test]
fn what_names_no_address_or_one_twice_is_refused_with_what_to_do() {
    for (written, words) in [
        (&["soap=http://h:1"][..], "openai-chat"),
        (&["messages=http://h:1"], "anthropic"),
        (&["Anthropic=http://h:1"], "unknown wire format `Anthropic`"),
        (&["anthropic="], "it looks like"),
        (&["anthropic=ftp://h"], "http:// or https://"),
        (&["anthropic=h:1"], "http:// or https://"),
        (&["=http://h:1"], "it looks like"),
        (&["anthropic"], "it looks like"),
        (&["http://h:1/?a=b"], "without a name, a query"),
        (&["gemini=http://k@h:1"], "an address alone"),
        (&["http://h:1", "http://h:1"], "all formats"),
        (
            &["gemini=http://h:1", "http://h:1", "gemini=http://h:2"],
            "for gemini",
        ),
    ] {
        let written: Vec<String> = written.iter().map(|one| (*one).to_owned()).collect();
        let error = Upstreams::new(&written, None, |_| None, &Authorities::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{written:?}: {error}");
    }
    // An `=` in an address names no format.
    let one = upstreams(&["http://h:1/a=b/v1"], None, &[]);
    assert_eq!(one.shown(), ["http://h:1/a=b/v1"]);
    assert_eq!(
        upstreams(&["gemini=http://h:1/a=b"], None, &[]).shown()[0],
        "gemini: http://h:1/a=b"
    );
}
