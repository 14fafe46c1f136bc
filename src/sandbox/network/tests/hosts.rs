//! The list of allowed hosts: what is read, what is on it.
//!
//! Must not know: sockets.

use super::hosts;
use overrule_domain::sandbox::{Hosts, Target};

fn error(entry: &str) -> String {
    Hosts::parse(&["good.example".to_owned(), entry.to_owned()])
        .expect_err(entry)
        .to_string()
}

#[track_caller]
fn assert_allows(list: &Hosts, places: &[(&str, u16)]) {
    for (host, port) in places {
        assert!(list.target(host, *port).is_some(), "{host}:{port}");
    }
}

#[track_caller]
fn assert_refuses(list: &Hosts, places: &[(&str, u16)]) {
    for (host, port) in places {
        assert_eq!(list.target(host, *port), None, "{host:?}:{port}");
    }
}

#[test]
fn a_host_without_a_port_has_two() {
    let list = hosts(&[
        "Registry.Example.org",
        "api.example.org:8443",
        "under_score.example",
    ]);
    assert_allows(
        &list,
        &[
            ("registry.example.org", 443),
            ("registry.example.org", 80),
            ("REGISTRY.example.ORG.", 443),
            ("api.example.org", 8443),
            ("under_score.example", 443),
        ],
    );
    assert_refuses(
        &list,
        &[
            ("registry.example.org", 22),
            ("registry.example.org", 0),
            ("api.example.org", 443),
            ("example.org", 443),
            ("a.registry.example.org", 443),
            ("registry.example.org.evil.example", 443),
            ("xregistry.example.org", 443),
        ],
    );
    let target = list.target("REGISTRY.example.ORG.", 80);
    assert_eq!(target, Some(Target::Name("registry.example.org".into())));
}

#[test]
fn a_wildcard_is_for_all_names_below() {
    let list = hosts(&["*.example.net", "*.example.com:8080"]);
    assert_allows(
        &list,
        &[
            ("a.example.net", 443),
            ("b.a.example.net", 80),
            ("A.Example.Com.", 8080),
        ],
    );
    assert_refuses(
        &list,
        &[
            ("example.net", 443),
            (".example.net", 443),
            ("..example.net", 443),
            ("aexample.net", 443),
            ("a.example.net", 8080),
            ("a.example.com", 443),
            ("a.example.net.evil.example", 443),
            ("*.example.net", 443),
            ("a\0.example.net", 443),
            ("evil.example\0.example.net", 443),
            ("evil.example/.example.net", 443),
            ("evil.example#.example.net", 443),
            ("evil.example?.example.net", 443),
            ("evil.example\\.example.net", 443),
            ("user@a.example.net", 443),
            ("a%2e.example.net", 443),
            ("a b.example.net", 443),
            ("a\n.example.net", 443),
            ("a\u{7f}.example.net", 443),
            ("[::1].example.net", 443),
        ],
    );
}

#[test]
fn names_that_could_be_read_in_two_ways_are_refused() {
    let list = hosts(&["a.example"]);
    for host in [
        "",
        ".",
        "a.example..",
        "a..example",
        ".a.example",
        "a.example\0",
        "\0a.example",
        "a.example ",
        " a.example",
        "a.example\r",
        "a.example\t",
        "a.example:443",
        "x@a.example",
        "a.example%00",
        "а.example",
        "ａ.example",
        "a。example",
        "a.example\u{200b}",
        "http://a.example",
        "[a.example]",
    ] {
        assert_eq!(list.target(host, 443), None, "{host:?}");
    }
    let label = format!("{}.example", "a".repeat(64));
    let long = "a.".repeat(130) + "example";
    assert_refuses(&hosts(&["*.example"]), &[(&label, 443), (&long, 443)]);
}

#[test]
fn an_address_is_allowed_in_its_usual_spelling_only() {
    let list = hosts(&["127.0.0.1:8080", "[::1]:8080", "1.2.3.4", "*.1.example"]);
    assert_allows(
        &list,
        &[
            ("127.0.0.1", 8080),
            ("[::1]", 8080),
            ("[0:0:0:0:0:0:0:1]", 8080),
            ("1.2.3.4", 80),
        ],
    );
    let odd = [
        "127.1",
        "127.0.1",
        "0x7f.1",
        "0x7f000001",
        "0X7F.0.0.1",
        "0x7f.0.0.0x1",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "0177.0.0.01",
        "127.0.0.01",
        "127.0.0.1.",
        "127.0.0.1..",
        "127.000.000.001",
        "0127.0.0.1",
        "127.0.0.1\0",
        "127.0.0.1%00",
        "[127.0.0.1]",
        "::1",
        "[::1%lo]",
        "[::1%25lo]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "::ffff:127.0.0.1",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[::1",
        "::1]",
        "[]",
        "[::1].",
        "[[::1]]",
        "127.0.0.2",
        "0",
        "0.0.0.0",
        "[::]",
        "127.0.0.0x",
        "１２７.0.0.1",
        "localhost",
        "127。0。0。1",
        "①27.0.0.1",
    ];
    for host in odd {
        let expected = (host == "127.0.0.1.").then(|| Target::Address([127, 0, 0, 1].into()));
        assert_eq!(list.target(host, 8080), expected, "{host}");
    }
    assert_refuses(&list, &[("127.0.0.1", 80), ("[::1]", 80), ("1.2.3.4", 8080)]);
    // Not even where all names are allowed that end like them.
    for host in ["0x7f.1", "1.1", "0x1", "0x"] {
        assert_eq!(hosts(&["*.example"]).target(host, 443), None, "{host}");
    }
}

#[test]
fn a_list_covers_addresses_that_a_name_has() {
    let list = hosts(&["10.0.0.5:8080", "[fd00::5]"]);
    for (address, listed) in [
        ("10.0.0.5:8080", true),
        ("[::ffff:10.0.0.5]:8080", true),
        ("[fd00::5]:443", true),
        ("10.0.0.5:443", false),
        ("10.0.0.6:8080", false),
        ("[fd00::5]:8080", false),
        ("[64:ff9b::10.0.0.5]:8080", false),
    ] {
        assert_eq!(list.lists(address.parse().unwrap()), listed, "{address}");
    }
    assert!(!hosts(&["*.example", "10.example"]).lists("10.0.0.5:443".parse().unwrap()));
}

#[test]
fn a_wrong_entry_is_reported_with_what_to_write() {
    for (entry, hint) in [
        ("all", "only entry"),
        ("all:443", "only entry"),
        ("", "registry.example.org"),
        ("*", "registry.example.org"),
        ("*.", "registry.example.org"),
        ("**.example", "registry.example.org"),
        ("a.*.example", "registry.example.org"),
        ("https://a.example", "registry.example.org"),
        ("https://a.example/", "registry.example.org"),
        ("10.0.0.0/8", "registry.example.org"),
        ("a.example/path", "registry.example.org"),
        ("a.example:0", "HOST:443"),
        ("a.example:", "HOST:443"),
        ("a.example:65536", "HOST:443"),
        ("a.example:+80", "HOST:443"),
        ("a.example:https", "HOST:443"),
        ("user@a.example", "registry.example.org"),
        ("bücher.example", "xn--"),
        ("a..example", "registry.example.org"),
        ("*.10.0.0.5", "address alone"),
        ("0x7f.1", "registry.example.org"),
        ("0x7f000001:80", "registry.example.org"),
        ("127.0.0.0x1", "registry.example.org"),
        ("*.0x7f", "registry.example.org"),
        ("*.1", "registry.example.org"),
        ("2130706433", "registry.example.org"),
        ("010.0.0.5:80", "registry.example.org"),
        ("::1", "[::1]"),
        ("[::1%lo]:80", "registry.example.org"),
        ("[::ffff:10.0.0.5]:80", "10.0.0.5"),
        ("0.0.0.0:80", "127.0.0.1"),
        ("[::]:80", "127.0.0.1"),
    ] {
        let error = error(entry);
        let start = format!("cannot allow the host `{entry}`: ");
        assert!(
            error.starts_with(&start) && error.contains("; hint: ") && error.contains(hint),
            "{error}"
        );
        assert!(!error.contains("good.example"), "{error}");
    }
    let error = error("a\u{1b}[2J\u{202e}.example");
    assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error}");
}

#[test]
fn an_empty_list_allows_nothing() {
    let list = Hosts::parse(&[]).unwrap();
    assert_eq!(list, Hosts::default());
    assert_refuses(&list, &[("a.example", 443), ("127.0.0.1", 80), ("", 80)]);
}
