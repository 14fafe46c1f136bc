//! Checks the names of hosts that a confined command may reach.
//!
//! Must not know: who connects, which file a host is from.

use std::net::{IpAddr, Ipv6Addr};

use toml::Spanned;

use overrule_base::document::{Document, Error, Field};
use overrule_base::text::shown_address;
use overrule_domain::sandbox::Profile;

/// Longest name of a host, and of each of its parts, in bytes.
const LONGEST: usize = 253;
const LONGEST_PART: usize = 63;
/// What an entry can be.
const ADVICE: &str =
    "write a host such as \"registry.example.org\", \"*.example.net:443\" or \"192.0.2.7\", or \"all\"";

/// A list of hosts as written.
pub(super) type Hosts = Field<Vec<Spanned<String>>>;

/// Reads a list of hosts.
pub(super) fn read(list: Hosts, document: &Document<'_>) -> Result<Field<Vec<String>>, Error> {
    let Some(list) = list else { return Ok(None) };
    let span = list.span();
    let hosts = list.into_inner().into_iter().map(|at| {
        host(at.get_ref()).map_err(|what| Error {
            place: document.source().place(at.span().start),
            key: document.key(&at.span()),
            what,
        })
    });
    let hosts: Vec<String> = hosts.collect::<Result<_, _>>()?;
    Ok(Some(Spanned::new(span, hosts)))
}

/// Reads `host`, `host:port`, `*.host`, `*.host:port`, an address with or without a port, or `all`. Returns it in lower case,
/// or what is wrong and what to write, safe to show.
pub fn host(text: &str) -> Result<String, String> {
    let Err(why) = checked(text) else {
        return Ok(text.to_ascii_lowercase());
    };
    let advice = inner(text).map_or_else(|| ADVICE.to_owned(), |host| format!("write \"{host}\""));
    Err(if text.is_empty() {
        format!("a host is empty; {advice}")
    } else {
        format!("`{}` {why}; {advice}", shown_address(text))
    })
}

/// Returns the host in a text that is none, such as an URL.
fn inner(text: &str) -> Option<String> {
    let rest = text.trim();
    let rest = rest.split_once("://").map_or(rest, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next()?;
    let rest = rest.rsplit('@').next()?;
    let rest = rest.strip_suffix('.').unwrap_or(rest);
    (checked(rest).is_ok() && rest != text).then(|| rest.to_ascii_lowercase())
}

/// Says what is wrong with an entry.
fn checked(text: &str) -> Result<(), &'static str> {
    if text == Profile::ALL_HOSTS || text.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    if text == "*" {
        return Err("is no host; every host is \"all\"");
    }
    if text.contains("://") {
        return Err("is an URL, not a host");
    }
    if text.contains('/') {
        return Err("has a path, which no rule of a host sees");
    }
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("has a blank or a control character in it");
    }
    if let Some(rest) = text.strip_prefix('[') {
        return address(rest);
    }
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    if port.is_some_and(|port| !is_port(port)) {
        return Err("has no port from 1 to 65535 after the colon");
    }
    match host.strip_prefix("*.") {
        None if host.parse::<IpAddr>().is_ok() => Ok(()),
        None => name(host),
        Some(rest) => name(rest),
    }
}

/// Checks an address in brackets, after the first one.
fn address(rest: &str) -> Result<(), &'static str> {
    let (address, port) = rest.split_once(']').ok_or("has a `[` without a `]`")?;
    if address.parse::<Ipv6Addr>().is_err() {
        return Err("has no address of IPv6 in its brackets");
    }
    let is_right = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    is_right
        .then_some(())
        .ok_or("has no port from 1 to 65535 at its end")
}

fn is_port(text: &str) -> bool {
    let has_digits_only = text.bytes().all(|byte| byte.is_ascii_digit());
    has_digits_only && text.parse::<u16>().is_ok_and(|port| port > 0)
}

fn name(host: &str) -> Result<(), &'static str> {
    if !host.is_ascii() {
        return Err("is not written in ASCII; such a name begins with \"xn--\"");
    }
    let is_part = |part: &str| {
        let fits = (1..=LONGEST_PART).contains(&part.len());
        fits && part
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if host.len() > LONGEST || !host.split('.').all(is_part) {
        return Err("is no host");
    }
    // Some programs read such a name as an address: `127.1`, `0x7f000001`.
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || last.to_ascii_lowercase().starts_with("0x") {
        return Err("is no complete address");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_and_without_ports_are_read() {
        for text in [
            "registry.example.org",
            "registry.example.org:8443",
            "*.example.net",
            "*.example.net:443",
            "localhost:3000",
            "my_host",
            "127.0.0.1",
            "127.0.0.1:80",
            "::1",
            "[::1]",
            "[2001:db8::1]:443",
            "all",
            "a1.0x.example",
        ] {
            assert_eq!(host(text).as_deref(), Ok(text));
        }
        assert_eq!(host("API.Example.ORG:443").as_deref(), Ok("api.example.org:443"));
    }

    #[test]
    fn everything_else_is_refused_with_what_to_write() {
        for (text, why) in [
            ("https://x/", "`https://x/` is an URL, not a host; write \"x\""),
            ("http://X.org:81/a?b", "write \"x.org:81\""),
            (
                "https://me:pAss@x.org/",
                "`…x.org…` is an URL, not a host; write \"x.org\"",
            ),
            ("me@x.org", "is no host; write \"x.org\""),
            (
                "x.org/simple",
                "has a path, which no rule of a host sees; write \"x.org\"",
            ),
            (
                " x.org",
                "has a blank or a control character in it; write \"x.org\"",
            ),
            ("x.org.", "is no host; write \"x.org\""),
            (
                "",
                "a host is empty; write a host such as \"registry.example.org\"",
            ),
            (
                "a b",
                "has a blank or a control character in it; write a host such as",
            ),
            ("a\u{0}b", "`a⟨U+0000⟩b` has a blank or a control character"),
            ("*", "every host is \"all\""),
            ("a.*.org", "is no host"),
            ("*x.org", "is no host"),
            ("*.127.0.0.1", "is no complete address"),
            ("127.1", "is no complete address"),
            ("0x7f000001", "is no complete address"),
            ("999.1.1.1", "is no complete address"),
            ("x.org:0", "has no port from 1 to 65535"),
            ("x.org:", "has no port from 1 to 65535"),
            ("x.org:+80", "has no port from 1 to 65535"),
            ("x.org:65536", "has no port from 1 to 65535"),
            ("x.org:https", "has no port from 1 to 65535"),
            ("[::1", "without a `]`"),
            ("[127.0.0.1]:80", "no address of IPv6"),
            ("[::1]80", "no port"),
            ("a..b", "is no host"),
            ("büro.example", "begins with \"xn--\""),
            ("a%00b", "is no host"),
        ] {
            let error = host(text).unwrap_err();
            assert!(
                error.contains(why) && error.contains("; write "),
                "{text}: {error}"
            );
            assert!(!error.contains("pAss"), "{error}");
        }
    }
}
