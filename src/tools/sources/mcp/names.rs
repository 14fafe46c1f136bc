//! The names under which the tools of a server are offered.
//!
//! Must not know: servers, tools.

use std::collections::BTreeSet;

use overrule_base::canon;

/// Longest name that providers accept.
const LONGEST: usize = 64;
/// Length of the part of a hash that distinguishes two names.
const MARK: usize = 8;

/// Returns `server__tool` as providers accept it, which is not in `taken`. A name that had to be changed ends with a
/// hash of the two, so that it is the same in every run.
pub(super) fn offered(server: &str, tool: &str, taken: &BTreeSet<String>) -> String {
    let plain = |text: &str| -> String {
        text.chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                    c
                } else {
                    '_'
                }
            })
            .collect()
    };
    let mut name = format!("{}__{}", plain(server), plain(tool));
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert(0, 's');
    }
    let same = name == format!("{server}__{tool}");
    if same && name.len() <= LONGEST && !taken.contains(&name) {
        return name;
    }
    let mut round = 0_u32;
    loop {
        let parts = [server.as_bytes(), tool.as_bytes(), &round.to_le_bytes()];
        let hash = canon::hash("overrule mcp name v1", &parts);
        let mark: String = hash.chars().take(MARK).collect();
        let head: String = name.chars().take(LONGEST - MARK - 1).collect();
        let marked = format!("{head}_{mark}");
        if !taken.contains(&marked) {
            return marked;
        }
        round += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_plain_stable_and_unique() {
        let none = BTreeSet::new();
        assert_eq!(offered("files", "read_file", &none), "files__read_file");
        let long = offered("files", &"x".repeat(80), &none);
        assert_eq!(long.len(), LONGEST);
        assert_eq!(long, offered("files", &"x".repeat(80), &none));
        // Two long names that begin alike stay two.
        assert_ne!(long, offered("files", &"x".repeat(81), &none));
        let odd = offered("my server", "a.b/c", &none);
        assert!(odd.starts_with("my_server__a_b_c_"), "{odd}");
        assert_ne!(odd, offered("my server", "a/b.c", &none));
        assert!(offered("9", "x", &none).starts_with("s9__x_"));
        // `a` + `b__c` and `a__b` + `c` would be the same name.
        let taken = BTreeSet::from([offered("a", "b__c", &none)]);
        let second = offered("a__b", "c", &taken);
        assert!(second.starts_with("a__b__c_") && !taken.contains(&second));
    }
}
