//! Converts events to a type and a body, and back.
//!
//! Must not know: which events there are.
//!
//! An event serialises as `{"family":F,"fact":{"type":N,"body":B}}`; a record keeps `"F.N"` and `B`. Both
//! directions work on the text, so a body is neither copied into a tree nor parsed twice.

use overrule_base::canon::{MAX_DEPTH, depths};
use overrule_domain::event::Event;

use super::error::Error;

/// Levels of nesting that the wrapping adds when a body is read back.
const WRAPPING: usize = 2;

/// An event, split into the parts that a record keeps.
#[derive(Debug)]
pub(super) struct Parts {
    /// The whole serialised event.
    text: String,
    family: (usize, usize),
    name: (usize, usize),
    body: Option<(usize, usize)>,
}

impl Parts {
    pub(super) fn of(event: &Event) -> Result<Self, Error> {
        let text = serde_json::to_string(event).map_err(|error| Error::Unwritable {
            why: error.to_string(),
        })?;
        Self::split(text).ok_or_else(|| Error::Unwritable {
            why: "the event has no type".to_owned(),
        })
    }

    fn split(text: String) -> Option<Self> {
        let word = |prefix: &str, from: usize| {
            let start = from + prefix.len();
            let rest = text.get(from..)?.strip_prefix(prefix)?;
            Some((start, start + rest.find('"')?))
        };
        let family = word("{\"family\":\"", 0)?;
        let name = word("\",\"fact\":{\"type\":\"", family.1)?;
        let rest = text.get(name.1..)?.strip_prefix('"')?;
        let body = match rest.strip_prefix(",\"body\":") {
            Some(body) => {
                let end = text.len() - "}}".len();
                Some((text.len() - body.len(), end))
            }
            None => None,
        };
        Some(Self {
            text,
            family,
            name,
            body,
        })
    }

    fn part(&self, (from, to): (usize, usize)) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    pub(super) fn family(&self) -> &str {
        self.part(self.family)
    }

    pub(super) fn name(&self) -> &str {
        self.part(self.name)
    }

    /// Returns the JSON text of the body, `null` for an event without one.
    pub(super) fn body(&self) -> &str {
        self.body.map_or("null", |body| self.part(body))
    }
}

/// Reads an event from its type and body.
pub(super) fn event(kind: &str, body: &str) -> Result<Event, Error> {
    let (family, name) = kind.split_once('.').unwrap_or((kind, ""));
    let plain = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if !plain(family) || !plain(name) {
        return Err(unknown(kind, "this is not the name of an event"));
    }
    let text = format!("{{\"family\":\"{family}\",\"fact\":{{\"type\":\"{name}\",\"body\":{body}}}}}");
    serde_json::from_str(&text).map_err(|error| unknown(kind, &error.to_string()))
}

fn unknown(kind: &str, why: &str) -> Error {
    let kind: String = kind.chars().take(60).collect();
    Error::Line {
        why: overrule_base::text::visible(&format!("failed to read the event `{kind}`: {why}")),
    }
}

/// Refuses a body that is nested too deeply to be read back.
pub(super) fn check_depth(body: &str) -> Result<(), Error> {
    // A few brackets cannot be nested too deeply: most bodies end here.
    let brackets = body.bytes().filter(|byte| matches!(byte, b'{' | b'['));
    if WRAPPING + brackets.count() <= MAX_DEPTH {
        return Ok(());
    }
    let deepest = WRAPPING + depths(body).map(|(_, depth)| depth).max().unwrap_or_default();
    if deepest > MAX_DEPTH {
        return Err(Error::Unwritable {
            why: format!("it is nested {deepest} levels deep, and {MAX_DEPTH} can be read back"),
        });
    }
    Ok(())
}
