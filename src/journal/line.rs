//! Encodes one record: an envelope as a line of JSON with a checksum and a link to the line before.
//!
//! Must not know: files.

use std::fmt::{self, Write as _};

use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::codec::{self, Parts};
use super::error::Error;
use super::payload;
use overrule_domain::envelope::{Actor, Envelope, FORMAT};
use overrule_domain::id::Seq;

/// Maximum length of a line in bytes, without its line break.
pub const MAX_LINE: usize = 64 << 20;

/// The text before the checksum.
const CHECK: &str = ",\"crc\":\"";

/// The text after the checksum.
const END: &str = "\"}";

/// The member of a record whose decision continues in the next record.
const MORE: &str = ",\"more\":true";

/// Number of hexadecimal digits of the checksum.
const DIGITS: usize = 8;

/// The hash by which a record names the line before it: the first half of that line's BLAKE3 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Link([u8; 16]);

impl Link {
    /// The link in the first record: sixteen zero bytes.
    pub const FIRST: Self = Self([0; 16]);

    /// Computes the link of a line, given without its line break.
    pub fn of(line: &[u8]) -> Self {
        let mut half = [0; 16];
        for (to, from) in half.iter_mut().zip(blake3::hash(line).as_bytes()) {
            *to = *from;
        }
        Self(half)
    }

    /// Returns the hexadecimal spelling that the next record contains.
    pub fn hex(self) -> [u8; 32] {
        let mut text = [0; 32];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            spell(pair, u32::from(byte));
        }
        text
    }
}

/// Writes a number in hexadecimal, filling `to`. Written by hand because `format!` took a fifth of the time
/// of a pass over a journal.
fn spell(to: &mut [u8], mut number: u32) {
    for digit in to.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number & 15) as usize];
        number >>= 4;
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.hex()).unwrap_or_default())
    }
}

/// Encodes an envelope as a self-contained record without a line break: long strings stay inline.
pub fn encode_line(run: Uuid, envelope: &Envelope, prev: Link) -> Result<String, Error> {
    let parts = Parts::of(&envelope.event)?;
    let body = payload::inline(parts.body())?;
    compose(run, envelope, prev, (parts.family(), parts.name()), &body)
}

/// Encodes an envelope whose body is already in its on-disk form.
pub(super) fn compose(
    run: Uuid,
    envelope: &Envelope,
    prev: Link,
    (family, name): (&str, &str),
    body: &str,
) -> Result<String, Error> {
    codec::check_depth(body)?;
    let actor = serde_json::to_string(&envelope.actor).map_err(|error| Error::Unwritable {
        why: error.to_string(),
    })?;
    let Envelope {
        seq,
        at,
        mono,
        cause,
        more,
        ..
    } = envelope;
    let more = if *more { MORE } else { "" };
    let mut line = String::with_capacity(body.len() + 320);
    let _ = write!(
        line,
        "{{\"v\":{},\"seq\":{},\"prev\":\"{prev}\",\"at\":{at},\"mono\":{mono},\"run\":\"{run}\",\
         \"actor\":{actor},\"cause\":{}{more},\"type\":\"{family}.{name}\",\"body\":{body}",
        envelope.format(),
        seq.0,
        cause.0
    );
    let crc = crc32fast::hash(line.as_bytes());
    let _ = write!(line, "{CHECK}{crc:08x}{END}");
    if line.len() > MAX_LINE {
        return Err(Error::Unwritable {
            why: format!(
                "its record would have {} bytes, and {MAX_LINE} is the most",
                line.len()
            ),
        });
    }
    Ok(line)
}

/// The members of a record; the body is still text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head<'a> {
    pub(super) v: u32,
    pub(super) seq: Seq,
    pub(super) prev: &'a str,
    pub(super) at: i64,
    pub(super) mono: u64,
    pub(super) run: &'a str,
    pub(super) actor: Actor,
    pub(super) cause: Seq,
    #[serde(default)]
    pub(super) more: Option<bool>,
    #[serde(rename = "type")]
    pub(super) kind: &'a str,
    #[serde(borrow)]
    pub(super) body: &'a RawValue,
    #[serde(rename = "crc")]
    _crc: &'a str,
}

/// Returns the format version that a line claims, whatever else it contains.
pub(super) fn claimed_version(line: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Claim {
        v: u32,
    }
    serde_json::from_slice::<Claim>(line).ok().map(|claim| claim.v)
}

/// Returns true if the checksum at the end of a line matches the text before it.
pub(super) fn is_intact(line: &[u8]) -> bool {
    let tail = CHECK.len() + DIGITS + END.len();
    let Some((covered, tail)) = line
        .len()
        .checked_sub(tail)
        .and_then(|at| line.split_at_checked(at))
    else {
        return false;
    };
    // Compared as text, so that no second spelling of the same number passes.
    let mut digits = [0; DIGITS];
    spell(&mut digits, crc32fast::hash(covered));
    let tail = tail.strip_prefix(CHECK.as_bytes());
    tail.and_then(|tail| tail.strip_suffix(END.as_bytes())) == Some(&digits)
}

/// Parses an intact line.
pub(super) fn head(line: &[u8]) -> Result<Head<'_>, Error> {
    let why = |why: String| Error::Line { why };
    let text = std::str::from_utf8(line).map_err(|_| why("it is not UTF-8".to_owned()))?;
    let head: Head<'_> = serde_json::from_str(text).map_err(|error| {
        why(overrule_base::text::visible(&format!(
            "it is not an envelope: {error}"
        )))
    })?;
    if !(1..=FORMAT).contains(&head.v) {
        return Err(why(format!(
            "it has format {}, and this program reads formats 1 to {FORMAT}",
            head.v
        )));
    }
    Ok(head)
}

/// Decodes a self-contained record, as [`encode_line`] writes it, into its run and envelope.
pub fn decode_line(line: &str) -> Result<(Uuid, Envelope), Error> {
    if line.len() > MAX_LINE || !is_intact(line.as_bytes()) {
        return Err(Error::Line {
            why: "its checksum does not match".to_owned(),
        });
    }
    let head = head(line.as_bytes())?;
    let run = run_of(&head)?;
    let body = payload::resolve(head.body.get(), &payload::BOUNDS, &mut payload::None)?;
    Ok((run, envelope(&head, &body)?))
}

pub(super) fn run_of(head: &Head<'_>) -> Result<Uuid, Error> {
    let run = Uuid::parse_str(head.run)
        .ok()
        .filter(|run| run.to_string() == head.run);
    run.ok_or_else(|| Error::Line {
        why: "its run is not a UUID".to_owned(),
    })
}

/// Builds the envelope from a parsed line and its body, with payloads already restored.
pub(super) fn envelope(head: &Head<'_>, body: &str) -> Result<Envelope, Error> {
    if head.more == Some(false) {
        let why = "`more` is written where it is true and left out otherwise".to_owned();
        return Err(Error::Line { why });
    }
    Ok(Envelope {
        seq: head.seq,
        at: head.at,
        mono: head.mono,
        actor: head.actor.clone(),
        cause: head.cause,
        more: head.more.unwrap_or(false),
        event: codec::event(head.kind, body)?,
    })
}
