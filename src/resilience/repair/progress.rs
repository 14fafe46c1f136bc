//! Records what was tried before, and decides whether another attempt can help.
//!
//! Must not know: how anything is repaired.

use std::collections::BTreeSet;

/// Maximum number of characters of a fingerprint.
const MOST: usize = 100;
/// Characters of the hash at the end of a long fingerprint.
const HASH: usize = 32;

/// A repair that was tried, and the error that it was for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repaired {
    /// Fingerprint of the error.
    pub error: String,
    /// JSON pointer to a parameter that it changed.
    pub path: String,
}

/// What was tried for one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    tried: BTreeSet<String>,
    /// Number of repairs that led to a revision.
    pub rounds: u32,
    /// What was repaired, for which error.
    pub repaired: BTreeSet<Repaired>,
}

impl Past {
    /// Notes arguments that were executed.
    pub fn tried(&mut self, args: &str) {
        self.tried.insert(canonical(args));
    }

    /// Returns the number of executions with distinct arguments.
    pub fn executions(&self) -> u32 {
        u32::try_from(self.tried.len()).unwrap_or(u32::MAX)
    }

    /// Returns true if these arguments were executed before, in any notation.
    pub(super) fn has_tried(&self, args: &str) -> bool {
        self.tried.contains(&canonical(args))
    }

    /// Returns true if a parameter was repaired for the same error before, without success.
    pub(super) fn recurred(&self, error: &str, path: &str) -> bool {
        self.repaired
            .iter()
            .any(|one| one.error == error && super::arg_path::within(&one.path, path))
    }

    /// Returns why nothing more may be tried, if so. Asked before anything that costs.
    pub(super) fn spent(&self, most: u32) -> Option<String> {
        if self.executions() >= most {
            return Some(format!(
                "{} executions with different arguments failed, {most} are allowed",
                self.executions()
            ));
        }
        (self.rounds >= most).then(|| format!("it was repaired {} times, {most} are allowed", self.rounds))
    }
}

fn canonical(args: &str) -> String {
    let args = if args.trim().is_empty() { "{}" } else { args };
    overrule_base::canon::canonical_text(args).unwrap_or_else(|_| args.to_owned())
}

/// Reduces an error message so that messages are equal if they differ only in numbers, ids and case. A long one ends with
/// its hash.
pub fn fingerprint(message: &str) -> String {
    let mut out = String::new();
    for word in message.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let (bare, end) = match word.char_indices().next_back() {
            Some((at, last)) if !last.is_alphanumeric() => word.split_at(at),
            _ => (word, ""),
        };
        let digits = bare.chars().any(|c| c.is_ascii_digit());
        let is_number = digits && bare.chars().all(|c| c.is_ascii_digit());
        let is_hex = digits && bare.len() >= 4 && bare.chars().all(|c| c.is_ascii_hexdigit());
        if is_number {
            out.push('#');
        } else if is_hex || (digits && bare.len() >= 6) {
            out.push('*');
        } else {
            out.extend(bare.chars().flat_map(char::to_lowercase));
        }
        out.push_str(end);
    }
    let (head, is_cut) = overrule_base::text::head(&out, MOST);
    if !is_cut {
        return out;
    }
    let hash = blake3::hash(out.as_bytes()).to_hex();
    let head: String = head.chars().take(MOST - HASH).collect();
    format!("{head}{}", hash.get(..HASH).unwrap_or_default())
}
