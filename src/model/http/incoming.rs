//! One response, from a server or from a recording.
//!
//! Must not know: what is in it.

use bytes::Bytes;

use super::client::Client;
use super::compression::Decompressor;
use super::exchange::Exchange;
use overrule_domain::turn::StreamFault;

/// Headers that are never kept.
const PRIVATE: [&str; 2] = ["set-cookie", "set-cookie2"];
/// Headers that no longer hold for a body that was unpacked.
const OF_PACKED: [&str; 2] = ["content-encoding", "content-length"];

/// A response whose body is still to come.
pub(super) enum Incoming {
    /// From a server, with what unpacks its body.
    Live(reqwest::Response, Decompressor),
    /// From a recording.
    Recorded {
        /// The exchange.
        exchange: Box<Exchange>,
        /// Its status.
        status: u16,
        /// True once the body was given.
        given: bool,
    },
}

impl Incoming {
    /// Returns the response of a kept exchange, or what broke before it came.
    pub(super) fn recorded(exchange: Exchange) -> Result<Self, StreamFault> {
        match (exchange.status, exchange.fault.clone()) {
            (None, Some(fault)) => Err(fault),
            (status, _) => Ok(Self::Recorded {
                exchange: Box::new(exchange),
                status: status.unwrap_or(200),
                given: false,
            }),
        }
    }

    /// Returns the status.
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Live(response, _) => response.status().as_u16(),
            Self::Recorded { status, .. } => *status,
        }
    }

    /// Iterates over the headers by their names in small letters.
    pub(super) fn headers(&self) -> impl Iterator<Item = (String, String)> {
        let headers: Vec<(String, String)> = match self {
            Self::Live(response, unpacker) => {
                let all = response.headers().iter();
                let is_of_packed = |name: &str| !unpacker.is_plain() && OF_PACKED.contains(&name);
                let all =
                    all.filter(|(name, _)| !PRIVATE.contains(&name.as_str()) && !is_of_packed(name.as_str()));
                all.map(|(name, value)| {
                    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                    (name.as_str().to_owned(), value)
                })
                .collect()
            }
            Self::Recorded { exchange, .. } => exchange.headers.clone(),
        };
        headers.into_iter()
    }

    /// Returns the next piece of the body; none at its end.
    pub(super) async fn chunk(&mut self, client: &Client) -> Result<Option<Bytes>, StreamFault> {
        match self {
            Self::Live(response, unpacker) => loop {
                let piece = response.chunk().await.map_err(|error| client.broken(&error))?;
                let is_end = piece.is_none();
                let unpacked = match &piece {
                    Some(piece) if unpacker.is_plain() => return Ok(Some(piece.clone())),
                    Some(piece) => unpacker.feed(piece),
                    None => std::mem::take(unpacker).end(),
                };
                let unpacked = unpacked.map_err(|error| client.packed(&error))?;
                if !unpacked.is_empty() {
                    return Ok(Some(unpacked.into()));
                }
                if is_end {
                    return Ok(None);
                }
            },
            Self::Recorded { exchange, given, .. } if !*given => {
                *given = true;
                Ok(Some(Bytes::copy_from_slice(exchange.received.bytes())))
            }
            Self::Recorded { exchange, .. } => exchange.fault.clone().map_or(Ok(None), Err),
        }
    }
}
