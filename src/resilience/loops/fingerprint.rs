//! Reduces an error to its constant part, without numbers, ids and spacing.
//!
//! Must not know: which tool it came from.

/// Maximum number of characters of a fingerprint.
const MOST: usize = 100;
/// Number of hexadecimal digits from which a word counts as an id.
const ID: usize = 8;

/// Converts a message to lower case, ids and long hexadecimal numbers to `*`, other numbers to `#`, and each
/// run of spaces to one, and cuts it after a hundred characters.
pub fn fingerprint(message: &str) -> String {
    let mut out = String::new();
    let mut left = MOST;
    let mut put = |c: char| {
        if left > 0 {
            left -= 1;
            out.push(c);
        }
        left > 0
    };
    // Read no more than could ever fit: a message may be as long as a file.
    let head: String = message.chars().take(MOST * 8).collect();
    for word in tokens(&head.to_lowercase()) {
        let continues = match word {
            Word::Space => put(' '),
            Word::Other(c) => put(c),
            Word::Run(run) if is_id(run) => put('*'),
            Word::Run(run) => letters_and_numbers(run).all(&mut put),
        };
        if !continues {
            break;
        }
    }
    out.trim().to_owned()
}

enum Word<'t> {
    Space,
    Other(char),
    /// Letters, digits, and the symbols that join the parts of an id.
    Run(&'t str),
}

fn tokens(text: &str) -> impl Iterator<Item = Word<'_>> {
    let joins = |c: char| c.is_alphanumeric();
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let take = |is: &dyn Fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let (end, word) = if first.is_whitespace() {
            (take(&char::is_whitespace), Word::Space)
        } else if joins(first) {
            let end = run_end(rest);
            (end, Word::Run(rest.get(..end).unwrap_or(rest)))
        } else {
            (first.len_utf8(), Word::Other(first))
        };
        rest = rest.get(end..).unwrap_or("");
        Some(word)
    })
}

/// Returns the end of a word; inner dashes belong to it if all of it may be one id.
fn run_end(text: &str) -> usize {
    let plain = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let dashed = text
        .find(|c: char| !c.is_ascii_hexdigit() && c != '-')
        .unwrap_or(text.len());
    let ends_well = text
        .get(dashed..)
        .is_none_or(|rest| !rest.starts_with(char::is_alphanumeric));
    let id = text.get(..dashed).map(|text| text.trim_end_matches('-'));
    match id {
        Some(id) if ends_well && id.len() > plain && is_id(id) => id.len(),
        _ => plain,
    }
}

/// Returns true for a long hexadecimal number, in one piece or in parts like a UUID. Without any digit it is
/// a word.
fn is_id(run: &str) -> bool {
    let digits = run.strip_prefix("0x").unwrap_or(run);
    let hex = digits.chars().filter(char::is_ascii_hexdigit).count();
    let only = digits.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let letters = digits.chars().any(|c| c.is_ascii_alphabetic()) || digits.contains('-');
    let numbers = digits.chars().any(|c| c.is_ascii_digit());
    only && numbers && (run.len() > digits.len() || (hex >= ID && letters))
}

fn letters_and_numbers(run: &str) -> impl Iterator<Item = char> {
    let mut in_number = false;
    run.chars().filter_map(move |c| {
        let is_number = c.is_numeric();
        let first = is_number && !in_number;
        in_number = is_number;
        match (is_number, first) {
            (true, true) => Some('#'),
            (true, false) => None,
            (false, _) => Some(c),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_each_time_is_left_out() {
        for (message, looks) in [
            ("Timeout after 1500 ms", "timeout after # ms"),
            ("Timeout  after\n 30 ms", "timeout after # ms"),
            ("port 5003 refused: 401", "port # refused: #"),
            (
                "request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed",
                "request * failed",
            ),
            ("object 0x7ffe12 is gone", "object * is gone"),
            ("commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "commit *"),
            ("line12 of file_7.txt", "line# of file_#.txt"),
            ("the decade of a facade", "the decade of a facade"),
            ("well-known: add-on", "well-known: add-on"),
            ("", ""),
        ] {
            assert_eq!(fingerprint(message), looks);
        }
    }

    #[test]
    fn other_errors_look_otherwise() {
        assert_ne!(
            fingerprint("no such file: a.txt"),
            fingerprint("no such file: b.txt")
        );
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn it_is_short_and_stays_what_it_is(message in ".{0,400}") {
            let once = fingerprint(&message);
            prop_assert!(once.chars().count() <= MOST);
            prop_assert!(!once.chars().any(|c| c.is_ascii_digit()));
            let numbered = fingerprint(&message.replace(|c: char| c.is_ascii_digit(), "7"));
            prop_assert!(numbered.chars().count() <= MOST);
        }

        #[test]
        fn numbers_do_not_matter(a in 0_u32..9_999_999, b in 0_u32..9_999_999) {
            prop_assert_eq!(
                fingerprint(&format!("row {a} of {b} is locked")),
                fingerprint("row 1 of 2 is locked")
            );
        }
    }
}
