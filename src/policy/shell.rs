//! Splits a shell line into its commands, for display to whoever has to see each of them.
//!
//! It splits at the operators that end a command, outside quotation marks; if the meaning of quotation marks
//! is uncertain (substitutions, here-documents), inside them too. So it may list too many commands, but none
//! hides among the words of another. Nothing is allowed because of its result. Must not know: rules, who
//! looks at the commands.

use std::ops::Range;

/// Maximum number of commands; the last one holds the rest of the line.
const MOST: usize = 64;

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The operator before it (`&&`, `|`, `;`, `(`), empty for the first.
    pub after: &'static str,
    /// Its range in the line, without surrounding blanks.
    pub bytes: Range<usize>,
    /// The program that it names, as written; `None` if that is uncertain.
    pub program: Option<String>,
    /// True if a shell reads more in it than plain words: substitutions, variables, groups, redirections.
    pub more: bool,
}

/// Returns the commands of a line, in order.
pub fn segments(line: &str) -> Vec<Segment> {
    let mut found = Vec::new();
    let mut reader = Reader {
        line,
        at: 0,
        quotes: !["$'", "<<", "$(", "`"].iter().any(|sign| line.contains(sign)),
    };
    let (mut begin, mut after) = (0, "");
    while let Some((end, sign)) = reader.next_end() {
        if found.len() + 1 < MOST {
            push(&mut found, line, begin..end, after);
            (begin, after) = (reader.at, sign);
        }
    }
    push(&mut found, line, begin..line.len(), after);
    found
}

/// Returns true if the line does not show what runs: it results from a variable, a substitution, a group or
/// an unnamed program. A redirection or a file name pattern does show itself.
pub fn hides(line: &str, segments: &[Segment]) -> bool {
    segments.iter().any(|one| one.program.is_none())
        || line.contains(|c: char| c.is_control() || "$`(){}!\\".contains(c))
}

fn push(found: &mut Vec<Segment>, line: &str, bytes: Range<usize>, after: &'static str) {
    let whole = line.get(bytes.clone()).unwrap_or_default();
    let text = whole.trim();
    if text.is_empty() {
        return;
    }
    let begin = bytes.start + (whole.len() - whole.trim_start().len());
    let more = text.contains(|c: char| c.is_control() || "$`<>(){}!#\\*?[]~".contains(c));
    found.push(Segment {
        after,
        bytes: begin..begin + text.len(),
        program: program(text),
        more,
    });
}

/// Words that may precede the name of a program.
const KEYWORDS: [&str; 12] = [
    "if", "then", "else", "elif", "while", "until", "do", "time", "!", "{", "exec", "coproc",
];

/// Returns the first word that names a program; assignments for it alone (`A=1`) come before it.
fn program(text: &str) -> Option<String> {
    for word in text.split_whitespace() {
        let sets = word
            .split_once('=')
            .is_some_and(|(name, _)| is_name(name) || is_name(name.trim_end_matches('+')));
        if sets && !word.contains(['"', '\'', '`', '(']) {
            continue;
        }
        if KEYWORDS.contains(&word) {
            continue;
        }
        let word = word.trim_end_matches(')');
        if word.is_empty() {
            continue;
        }
        // Only a shell knows what quotation marks, variables or substitutions make of the word.
        let plain = word.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'@' | b':' | b'%')
        });
        return plain.then(|| word.to_owned());
    }
    None
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Scans a line from operator to operator.
struct Reader<'l> {
    line: &'l str,
    at: usize,
    /// True if quotation marks mean what they seem to.
    quotes: bool,
}

impl Reader<'_> {
    /// Returns the end of the next command and the operator that ends it; scanning continues at `at`.
    fn next_end(&mut self) -> Option<(usize, &'static str)> {
        let bytes = self.line.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let here = self.at;
            let next = bytes.get(here + 1);
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\'' if self.quotes => self.skip_past(b'\''),
                b'"' if self.quotes => self.skip_quoted(),
                b'#' if here == 0 || bytes.get(here - 1).is_some_and(|b| b" \t\n;&|(`".contains(b)) => {
                    // A comment extends to the end of its line, whatever it contains.
                    self.at = self
                        .line
                        .get(here..)?
                        .find('\n')
                        .map_or(bytes.len(), |end| here + end);
                }
                b'(' => return Some((here, "(")),
                b'`' => return Some((here, "`")),
                // `>&2`, `&>file` and `<&-` do not end a command.
                b'&' if here > 0 && matches!(bytes.get(here - 1), Some(b'>' | b'<')) => {}
                b'&' if next == Some(&b'>') => {}
                b'|' if here > 0 && bytes.get(here - 1) == Some(&b'>') => {}
                b';' | b'&' | b'|' | b'\n' => return Some((here, self.sign(*byte))),
                _ => {}
            }
        }
        self.at = bytes.len();
        None
    }

    /// Completes the operator whose first byte was read.
    fn sign(&mut self, first: u8) -> &'static str {
        let next = self.line.as_bytes().get(self.at);
        let (sign, more) = match (first, next) {
            (b'&', Some(b'&')) => ("&&", 1),
            (b'|', Some(b'|')) => ("||", 1),
            (b'|', Some(b'&')) => ("|&", 1),
            (b';', Some(b';')) => (";;", 1),
            (b'&', _) => ("&", 0),
            (b'|', _) => ("|", 0),
            (b'\n', _) => ("⏎", 0),
            _ => (";", 0),
        };
        self.at += more;
        sign
    }

    fn skip_past(&mut self, mark: u8) {
        let rest = self.line.as_bytes().get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == mark);
        self.at += end.map_or(rest.len(), |end| end + 1);
    }

    fn skip_quoted(&mut self) {
        let bytes = self.line.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => return,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(line: &str) -> Vec<(&'static str, String, String)> {
        let found = segments(line).into_iter();
        found
            .map(|one| {
                let program = one.program.unwrap_or_else(|| "?".to_owned());
                (one.after, program, line[one.bytes].to_owned())
            })
            .collect()
    }

    fn programs(line: &str) -> Vec<String> {
        told(line).into_iter().map(|(_, program, _)| program).collect()
    }

    #[test]
    fn a_line_is_taken_apart_at_its_signs() {
        let one = |after, program: &str, text: &str| (after, program.to_owned(), text.to_owned());
        assert_eq!(told("ls -la"), [one("", "ls", "ls -la")]);
        assert_eq!(
            told("ls && rm -rf x|wc -l ; A=1 b=2 make all& "),
            [
                one("", "ls", "ls"),
                one("&&", "rm", "rm -rf x"),
                one("|", "wc", "wc -l"),
                one(";", "make", "A=1 b=2 make all"),
            ]
        );
        assert_eq!(
            told("a || b |& c\nd"),
            [
                one("", "a", "a"),
                one("||", "b", "b"),
                one("|&", "c", "c"),
                one("⏎", "d", "d")
            ]
        );
        assert_eq!(told(" ; ; "), []);
    }

    #[test]
    fn what_is_quoted_is_no_sign_unless_quotes_may_mean_something_else() {
        assert_eq!(programs("echo 'a; b' \"c && d\" e\\;f >&2 &>x"), ["echo"]);
        assert_eq!(programs("echo a # ; rm x\nls"), ["echo", "ls"]);
        assert_eq!(programs("echo \"$(date; rm -rf x)\""), ["echo", "date", "rm"]);
        assert_eq!(programs("echo `rm x`"), ["echo", "rm"]);
        assert_eq!(programs("cat <<E\nit's\nE\nrm -rf x"), ["cat", "?", "E", "rm"]);
        assert_eq!(
            programs("echo $'\\'' ; rm -rf x ; echo ''"),
            ["echo", "rm", "echo"]
        );
        assert_eq!(programs("(cd a; rm b)"), ["cd", "rm"]);
    }

    #[test]
    fn a_program_is_named_only_where_it_can_be_told() {
        assert_eq!(programs("if true; then rm x; fi"), ["true", "rm", "fi"]);
        assert_eq!(
            programs("$X a; r''m b; \"rm\" c; ./run d; A=$(x) y"),
            ["?", "?", "?", "./run", "?", "x"]
        );
        assert!(segments("cp a b")[0].program.is_some() && !segments("cp a b")[0].more);
        for line in ["cp $A b", "cp a > b", "cp a*", "{ cp; }"] {
            assert!(segments(line)[0].more, "{line}");
        }
    }

    proptest! {
        #[test]
        fn nothing_of_a_line_is_left_out(line in "([a-z ]|[;&|<>(){}$'\"\\\\#\n`=]|é){0,60}") {
            let found = segments(&line);
            let mut at = 0;
            for one in &found {
                let between = &line[at..one.bytes.start];
                let comment = line.contains('#');
                prop_assert!(comment || between.chars().all(|c| c.is_whitespace() || ";&|(`".contains(c)), "{between:?} of {line:?}");
                at = one.bytes.end;
            }
            prop_assert!(line[at..].chars().all(|c| c.is_whitespace() || ";&|(`".contains(c)), "the end of {line:?}");
        }
    }
}
