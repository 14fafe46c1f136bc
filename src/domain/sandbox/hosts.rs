//! Reads the list of allowed hosts, and decides whether a host is on it.
//!
//! Must not know: requests, sockets, how a name is resolved.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::Profile;
use overrule_base::text::visible_head;

/// Ports of an entry that names none.
const DEFAULT_PORTS: [u16; 2] = [443, 80];
/// Maximum bytes of a name.
const MAX_NAME: usize = 253;
/// Maximum bytes between two dots of a name.
const MAX_LABEL: usize = 63;
/// Maximum characters of an entry in a message.
const SHOWN: usize = 100;
/// What stands before the names below a host.
const BELOW: &str = "*.";

/// Why an entry of the list cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot allow the host `{entry}`: {why}; hint: {hint}")]
pub struct HostError {
    /// The entry, safe to show.
    entry: String,
    why: &'static str,
    hint: String,
}

/// The hosts that a child may reach. Empty: none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hosts {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    pattern: Pattern,
    /// `None`: the default ports.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    /// One name.
    Name(String),
    /// All names that end with this, which begins with a dot.
    Below(String),
    /// One address.
    Address(IpAddr),
}

/// A host that is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A name in lower case, without a final dot. Its addresses are still to be checked.
    Name(String),
    /// An address that is on the list.
    Address(IpAddr),
}

/// What a text names.
enum Named {
    Name(String),
    Address(IpAddr),
}

impl Hosts {
    /// Reads the entries of the settings: `host`, `*.host` or an address, each with or without `:port`. Without a port,
    /// 443 and 80 are allowed. `*.host` allows all names below `host`, not `host` itself.
    ///
    /// The word `all` is refused: the caller handles it, since a child that may reach all hosts needs no proxy.
    pub fn parse(entries: &[String]) -> Result<Self, HostError> {
        let entries = entries.iter().map(|entry| Entry::parse(entry));
        Ok(Self {
            entries: entries.collect::<Result<_, _>>()?,
        })
    }

    /// Returns what to reach for this host and port, as a child wrote them, or `None` if it is not allowed.
    ///
    /// An address is allowed only if it is on the list, in its usual spelling.
    pub fn target(&self, host: &str, port: u16) -> Option<Target> {
        let target = match named(host).ok()? {
            Named::Name(name) => Target::Name(name),
            Named::Address(address) => Target::Address(address),
        };
        let is_listed = self.entries.iter().any(|entry| entry.covers(&target, port));
        is_listed.then_some(target)
    }

    /// Returns true if this address is on the list.
    pub fn lists(&self, address: SocketAddr) -> bool {
        let target = Target::Address(address.ip().to_canonical());
        self.entries
            .iter()
            .any(|entry| entry.covers(&target, address.port()))
    }
}

impl Entry {
    fn parse(entry: &str) -> Result<Self, HostError> {
        let error = |(why, hint): (&'static str, String)| HostError {
            entry: visible_head(entry, SHOWN),
            why,
            hint,
        };
        let (host, port) = split_entry(entry).map_err(error)?;
        let pattern = Pattern::parse(host).map_err(error)?;
        Ok(Self { pattern, port })
    }

    fn covers(&self, target: &Target, port: u16) -> bool {
        let is_port = self.port.map_or(DEFAULT_PORTS.contains(&port), |own| own == port);
        is_port && self.pattern.covers(target)
    }
}

impl Pattern {
    fn parse(host: &str) -> Result<Self, (&'static str, String)> {
        let example = || "write a host such as registry.example.org or *.example.org".to_owned();
        if host == Profile::ALL_HOSTS {
            return Err((
                "it is the word for all hosts",
                "write it as the only entry, or name hosts".into(),
            ));
        }
        if host.contains("://") || host.contains('/') {
            return Err(("it is a URL or a network", example()));
        }
        if let Some(name) = host.strip_prefix(BELOW) {
            return match named(name) {
                Ok(Named::Name(name)) => Ok(Self::Below(format!(".{name}"))),
                Ok(Named::Address(_)) => Err((
                    "an address has no names below it",
                    "write the address alone".into(),
                )),
                Err(why) => Err((why, example())),
            };
        }
        match named(host) {
            Ok(Named::Name(name)) => Ok(Self::Name(name)),
            Ok(Named::Address(address)) if address.is_unspecified() => {
                Err(("it is the address of no host", "write 127.0.0.1 or [::1]".into()))
            }
            Ok(Named::Address(IpAddr::V6(address))) if address.to_ipv4_mapped().is_some() => {
                let plain = IpAddr::V6(address).to_canonical();
                Err(("it is an IPv4 address in IPv6", format!("write {plain}")))
            }
            Ok(Named::Address(address)) => Ok(Self::Address(address)),
            Err(why) => Err((why, example())),
        }
    }

    fn covers(&self, target: &Target) -> bool {
        match (self, target) {
            (Self::Name(own), Target::Name(name)) => own == name,
            (Self::Below(end), Target::Name(name)) => name.ends_with(end.as_str()),
            (Self::Address(own), Target::Address(address)) => own == address,
            _ => false,
        }
    }
}

/// Splits an entry of the settings.
fn split_entry(entry: &str) -> Result<(&str, Option<u16>), (&'static str, String)> {
    if entry.parse::<Ipv6Addr>().is_ok() {
        return Err(("an IPv6 address needs brackets", format!("write [{entry}]")));
    }
    if entry.contains("://") {
        return Ok((entry, None));
    }
    let end = entry.rfind(']').map_or(0, |at| at + 1);
    let Some(colon) = entry.get(end..).and_then(|rest| rest.rfind(':')) else {
        return Ok((entry, None));
    };
    let (host, port) = entry.split_at(end + colon);
    match parse_port(port.trim_start_matches(':')) {
        Some(port) => Ok((host, Some(port))),
        None => Err((
            "the port is no number from 1 to 65535",
            "write it as HOST:443, or leave it out for 443 and 80".into(),
        )),
    }
}

/// Reads a port: digits alone, not 0.
pub fn parse_port(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        .then(|| text.parse().ok())
        .flatten()
        .filter(|port| *port != 0)
}

/// Reads a host: a name, or an address in its usual spelling (IPv6 in brackets).
fn named(host: &str) -> Result<Named, &'static str> {
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner
            .strip_suffix(']')
            .and_then(|inner| inner.parse::<Ipv6Addr>().ok());
        return match address {
            Some(address) => Ok(Named::Address(address.into())),
            None => Err("it is no IPv6 address"),
        };
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    if !name.is_ascii() {
        return Err("it is not ASCII (write the form with xn--)");
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if !name.bytes().all(is_plain) {
        return Err("it has characters that no name of a host has");
    }
    if name.len() > MAX_NAME || name.split('.').any(|label| label.len() > MAX_LABEL) {
        return Err("it is too long");
    }
    if name.split('.').any(str::is_empty) {
        return Err("it is empty between two dots");
    }
    if !is_number(name.rsplit('.').next().unwrap_or_default()) {
        return Ok(Named::Name(name));
    }
    let address = name.parse::<Ipv4Addr>();
    address
        .map(|address| Named::Address(address.into()))
        .map_err(|_| {
            // A resolver may take it for an address, whatever it looks like.
            "it is no usual spelling of an IPv4 address"
        })
}

/// Returns true for the last part of a name that some resolvers take for an address: decimal, octal, hexadecimal.
fn is_number(label: &str) -> bool {
    let is_hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    label.bytes().all(|byte| byte.is_ascii_digit()) || label.strip_prefix("0x").is_some_and(is_hex)
}
