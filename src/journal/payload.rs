//! Stores long strings outside the journal, each in a file named by its hash.
//!
//! Must not know: events.
//!
//! In a body a long string is replaced by `{"$payload": <BLAKE3 of its UTF-8 bytes>, "len": <bytes>}`. A name
//! in user data that consists of any number of `$` and then `$payload` gets one more `$`, so the replacement
//! cannot be confused with data.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::dirs;
use super::error::Error;
use overrule_regular_file::{self as regular_file, Links};

/// Strings of more bytes than this go to a file.
pub const BIG: usize = 64 << 10;

/// Maximum length in bytes of a string that goes to a file.
pub const MAX_PAYLOAD: usize = 64 << 20;

/// Limits on the strings of one record that go to files.
///
/// The same limits apply to writing and reading, so whatever is written can be read back, and a record of a
/// hostile session cannot fill the memory by naming one file many times. There is no limit across records,
/// because a session may be long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// A string of more bytes than this goes to a file.
    pub(super) big: usize,
    /// Maximum length of a string in bytes.
    pub(super) longest: usize,
    /// Maximum total of bytes in one record, counting each occurrence of a string.
    pub(super) record: usize,
}

/// The limits of a session.
pub(super) const BOUNDS: Bounds = Bounds {
    big: BIG,
    longest: MAX_PAYLOAD,
    record: 1 << 30,
};

/// How much of the limits one record has used.
struct UsedLimits<'a> {
    bounds: &'a Bounds,
    bytes: usize,
}

impl<'a> UsedLimits<'a> {
    const fn none(bounds: &'a Bounds) -> Self {
        Self { bounds, bytes: 0 }
    }

    /// Counts a string, or returns the limit that it exceeds.
    fn take(&mut self, len: usize) -> Result<(), String> {
        let Bounds { longest, record, .. } = self.bounds;
        if len > *longest {
            return Err(format!(
                "it holds a text of {len} bytes, and {longest} is the most"
            ));
        }
        self.bytes = self.bytes.saturating_add(len);
        if self.bytes > *record {
            return Err(format!("its long texts have more than {record} bytes together"));
        }
        Ok(())
    }
}

/// The name that marks a replacement.
const NAME: &str = "$payload";

/// Occurs in every body that needs a closer look. The quote excludes most text inside strings.
const SIGN: &str = "$payload\"";

/// Where the strings come from when a body is read.
pub(super) trait Source {
    fn load(&mut self, hash: &str, len: usize) -> Result<String, Error>;
}

/// A source without any strings.
pub(super) struct None;

impl Source for None {
    fn load(&mut self, hash: &str, _: usize) -> Result<String, Error> {
        Err(bad(format!("the payload {} is not part of it", short(hash))))
    }
}

/// Returns the body for a self-contained record.
pub(super) fn inline(body: &str) -> Result<Cow<'_, str>, Error> {
    if !body.contains(SIGN) {
        return Ok(Cow::Borrowed(body));
    }
    let bounds = Bounds {
        big: usize::MAX,
        ..BOUNDS
    };
    detach(body, &bounds, &mut |_| Ok(String::new()))
}

/// Returns the body with its long strings passed to `keep`, which returns their hashes.
pub(super) fn external<'a>(
    body: &'a str,
    bounds: &Bounds,
    keep: &mut dyn FnMut(&str) -> Result<String, Error>,
) -> Result<Cow<'a, str>, Error> {
    if body.len() <= bounds.big && !body.contains(SIGN) {
        return Ok(Cow::Borrowed(body));
    }
    detach(body, bounds, keep)
}

fn detach<'a>(
    body: &str,
    bounds: &Bounds,
    keep: &mut dyn FnMut(&str) -> Result<String, Error>,
) -> Result<Cow<'a, str>, Error> {
    // Parsing refuses values nested too deeply for the recursion below.
    let mut value: Value = serde_json::from_str(body).map_err(|error| Error::Unwritable {
        why: error.to_string(),
    })?;
    replace(&mut value, &mut UsedLimits::none(bounds), keep)?;
    Ok(Cow::Owned(value.to_string()))
}

fn replace(
    value: &mut Value,
    used: &mut UsedLimits<'_>,
    keep: &mut dyn FnMut(&str) -> Result<String, Error>,
) -> Result<(), Error> {
    match value {
        Value::String(text) if text.len() > used.bounds.big => {
            used.take(text.len()).map_err(|why| Error::Unwritable { why })?;
            let mut object = Map::new();
            object.insert(NAME.to_owned(), Value::String(keep(text)?));
            object.insert("len".to_owned(), Value::from(text.len()));
            *value = Value::Object(object);
        }
        Value::Array(items) => {
            for item in items {
                replace(item, used, keep)?;
            }
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                replace(member, used, keep)?;
            }
            rename(members, |name| is_escaped(name, 0).then(|| format!("${name}")));
        }
        _ => {}
    }
    Ok(())
}

/// Returns true if a body may name payloads.
fn is_named(body: &str) -> bool {
    body.contains(SIGN)
}

/// Returns the body with its strings restored.
pub(super) fn resolve<'a>(
    body: &'a str,
    bounds: &Bounds,
    source: &mut dyn Source,
) -> Result<Cow<'a, str>, Error> {
    if !is_named(body) {
        return Ok(Cow::Borrowed(body));
    }
    let mut value: Value = serde_json::from_str(body).map_err(|error| bad(error.to_string()))?;
    restore(&mut value, &mut UsedLimits::none(bounds), source)?;
    Ok(Cow::Owned(value.to_string()))
}

fn restore(value: &mut Value, used: &mut UsedLimits<'_>, source: &mut dyn Source) -> Result<(), Error> {
    match value {
        Value::Array(items) => {
            for item in items {
                restore(item, used, source)?;
            }
        }
        Value::Object(members) => {
            if let Some(hash) = members.get(NAME) {
                let hash = hash.as_str().filter(|hash| is_hash(hash));
                let len = members.get("len").and_then(Value::as_u64);
                let (Some(hash), Some(len), 2) = (hash, len, members.len()) else {
                    return Err(bad("it names a payload in a way that is not known".to_owned()));
                };
                let len = usize::try_from(len).unwrap_or(usize::MAX);
                used.take(len).map_err(bad)?;
                *value = Value::String(source.load(hash, len)?);
                return Ok(());
            }
            for member in members.values_mut() {
                restore(member, used, source)?;
            }
            rename(members, |name| {
                is_escaped(name, 1).then(|| name.chars().skip(1).collect())
            });
        }
        _ => {}
    }
    Ok(())
}

/// Returns true for `$payload` preceded by at least `more` further `$`.
fn is_escaped(name: &str, more: usize) -> bool {
    name.strip_suffix(NAME)
        .is_some_and(|front| front.len() >= more && front.bytes().all(|b| b == b'$'))
}

fn rename(members: &mut Map<String, Value>, new: impl Fn(&str) -> Option<String>) {
    if members.keys().any(|name| new(name).is_some()) {
        *members = std::mem::take(members)
            .into_iter()
            .map(|(name, member)| (new(&name).unwrap_or(name), member))
            .collect();
    }
}

/// The payload files of one session.
#[derive(Debug)]
pub(super) struct Payloads {
    dir: Option<PathBuf>,
}

impl Payloads {
    /// Uses the files in a directory, or none for a session in a single file.
    pub(super) const fn new(dir: Option<PathBuf>) -> Self {
        Self { dir }
    }

    /// Returns true if every file that a body names exists with its length. Its content is not
    /// checked.
    pub(super) fn are_there(&self, body: &str) -> bool {
        let Some(dir) = self.dir.as_ref().filter(|_| is_named(body)) else {
            return !is_named(body);
        };
        // Within a string of a body the quotes are escaped.
        body.split("{\"$payload\":\"").skip(1).all(|rest| {
            let named = rest.split_once("\",\"len\":").filter(|(hash, _)| is_hash(hash));
            named.is_some_and(|(hash, rest)| {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let len = rest.get(..digits).and_then(|len| len.parse().ok());
                let meta = dir.join(hash).symlink_metadata();
                meta.is_ok_and(|meta| meta.is_file() && Some(meta.len()) == len)
            })
        })
    }

    /// Writes a string durably and returns its hash.
    pub(super) fn keep(dir: &Path, text: &str) -> Result<String, Error> {
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        let path = dir.join(&hash);
        let fail = |error| Error::io("write the payload", &path, error);
        if Self::new(Some(dir.to_owned())).load(&hash, text.len()).is_ok() {
            // The process that put it there may have died before its name was on disk.
            dirs::sync_dir(dir).map_err(fail)?;
            return Ok(hash);
        }
        let draft = dir.join(format!("{hash}.part"));
        let mut file = regular_file::rewrite(&draft).map_err(fail)?;
        file.write_all(text.as_bytes()).map_err(fail)?;
        file.sync_all().map_err(fail)?;
        std::fs::rename(&draft, &path).map_err(fail)?;
        dirs::sync_dir(dir).map_err(fail)?;
        Ok(hash)
    }
}

impl Source for Payloads {
    fn load(&mut self, hash: &str, len: usize) -> Result<String, Error> {
        let Some(dir) = &self.dir else {
            return None.load(hash, len);
        };
        let missing = |error| bad(format!("its payload {} cannot be read: {error}", short(hash)));
        let file = regular_file::open(&dir.join(hash), Links::Refuse).map_err(missing)?;
        let mut bytes = Vec::new();
        file.take(len as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(missing)?;
        if bytes.len() != len || blake3::hash(&bytes).to_hex().as_str() != hash {
            return Err(bad(format!("its payload {} was changed", short(hash))));
        }
        String::from_utf8(bytes).map_err(|_| bad(format!("its payload {} is not UTF-8", short(hash))))
    }
}

fn is_hash(hash: &str) -> bool {
    hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn bad(why: String) -> Error {
    Error::Line { why }
}
