//! The words of `find` under which it only reads.
//!
//! Must not know: other programs.

use super::{ReadPlace, here, read_place};
use crate::shell_line::word::Word;

/// Tests and actions without a value (find(1)).
const ALONE: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-ls",
    "-mount",
    "-nogroup",
    "-noleaf",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];
/// Tests and actions with a value.
const VALUED: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-user",
    "-wholename",
];

/// Returns the places below which `find` looks; nothing if it may do more.
pub(super) fn places(words: &[Word]) -> Option<Vec<ReadPlace>> {
    let begins = |word: &Word| word.text.starts_with('-') || ["(", "!", ","].contains(&word.text.as_str());
    let from = words.iter().position(begins).unwrap_or(words.len());
    let (roots, tests) = words.split_at(from);
    let mut each = tests.iter();
    while let Some(word) = each.next() {
        let text = word.text.as_str();
        if VALUED.contains(&text) {
            // An unquoted pattern may become several words.
            each.next().filter(|value| !value.pattern)?;
        } else if !ALONE.contains(&text) {
            return None;
        }
    }
    if roots.is_empty() {
        return Some(vec![here()]);
    }
    roots.iter().map(read_place).collect()
}
