//! The names that a restore gives to what it makes and sets aside.
//!
//! Must not know: what a restore does.

use std::ffi::OsString;

use overrule_domain::files::FilePath;

use crate::entry::hex;

const START: &str = ".overrule-";
/// Where a new object waits, complete, and then the old one.
const WHOLE: &str = ".tmp";
/// Where a new object is being made.
const DRAFT: &str = ".part";
/// The digits of a hash in a name.
const DIGITS: usize = 16;

/// Returns the names for a path: the one of the complete object, and the one of its draft.
pub(crate) fn names(path: &FilePath) -> (OsString, OsString) {
    let hash = hex(blake3::hash(path.bytes()).as_bytes());
    let hash = hash.get(..DIGITS).unwrap_or_default();
    (
        format!("{START}{hash}{WHOLE}").into(),
        format!("{START}{hash}{DRAFT}").into(),
    )
}

/// Returns true for a name that a restore may have left.
pub(crate) fn is_one(name: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(START.as_bytes()) else {
        return false;
    };
    let hash = [WHOLE, DRAFT]
        .iter()
        .find_map(|end| rest.strip_suffix(end.as_bytes()));
    hash.is_some_and(|hash| hash.len() == DIGITS && hash.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_restore_are_known_and_no_others() {
        use std::os::unix::ffi::OsStrExt as _;
        let (whole, draft) = names(&FilePath::new("a/b").unwrap());
        assert_ne!(whole, draft);
        assert!(is_one(whole.as_bytes()) && is_one(draft.as_bytes()));
        for other in [
            "",
            ".overrule-.tmp",
            ".overrule-0123456789abcdef",
            ".overrule-x.tmp",
            "a.tmp",
        ] {
            assert!(!is_one(other.as_bytes()), "{other}");
        }
    }
}
