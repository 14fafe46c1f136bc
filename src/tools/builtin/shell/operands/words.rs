//! The words of a shell line, for whoever looks for files among them.
//!
//! Read twice: nearly as a shell would, and cut at every sign that may end a word, so that a reading of another shell is
//! among what is found. Must not know: files.

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A word.
    Word {
        /// Without its quotation marks.
        text: String,
        /// True where a shell makes other words of it: patterns, variables, a home directory.
        odd: bool,
    },
    /// The end of a command.
    End,
}

/// The pieces nearly as a shell takes them.
pub(super) fn pieces(line: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut word: Option<(String, bool)> = None;
    let mut mark = None;
    let mut chars = line.chars();
    let end = |word: &mut Option<(String, bool)>, found: &mut Vec<Piece>| {
        found.extend(word.take().map(|(text, odd)| Piece::Word { text, odd }));
    };
    while let Some(c) = chars.next() {
        match (mark, c) {
            (Some(open), _) if open == c => mark = None,
            (None, '"' | '\'') => {
                mark = Some(c);
                word.get_or_insert_default();
            }
            (Some('"') | None, '\\') => {
                let next = chars.next();
                let kept = mark.is_some() && !next.is_some_and(|c| "$`\"\\\n".contains(c));
                let (text, _) = word.get_or_insert_default();
                text.extend(kept.then_some('\\'));
                text.extend(next.filter(|c| *c != '\n'));
            }
            (None, ';' | '&' | '|' | '(' | ')' | '\n') => {
                end(&mut word, &mut found);
                found.push(Piece::End);
            }
            (None, '<' | '>') => end(&mut word, &mut found),
            (None, c) if c.is_ascii_whitespace() => end(&mut word, &mut found),
            _ => {
                let (text, odd) = word.get_or_insert_default();
                let open = mark.is_none();
                *odd |= (mark != Some('\'') && "$`".contains(c))
                    || (open && "*?[{".contains(c))
                    || (open && c == '~' && (text.is_empty() || text.ends_with(['=', ':'])));
                text.push(c);
            }
        }
    }
    end(&mut word, &mut found);
    found
}

/// The words cut at every sign that may end one, and what stands between quotation marks as a word as a whole.
pub(super) fn shreds(line: &str) -> Vec<String> {
    let mut found: Vec<String> = line
        .split(|c: char| c.is_whitespace() || ";&|()<>`$={}'\"\\".contains(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    for mark in ['"', '\''] {
        let quoted = line.split(mark).skip(1).step_by(2);
        found.extend(
            quoted
                .filter(|part| part.contains(char::is_whitespace))
                .map(str::to_owned),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_without_marks_and_with_what_a_shell_would_make_of_them() {
        let told = |line: &str| -> Vec<String> {
            let pieces = pieces(line).into_iter();
            pieces
                .map(|piece| match piece {
                    Piece::Word { text, odd: true } => format!("?{text}"),
                    Piece::Word { text, odd: false } => text,
                    Piece::End => ";".to_owned(),
                })
                .collect()
        };
        assert_eq!(
            told("s\\h d''ep\"loy\".sh>x; a"),
            ["sh", "deploy.sh", "x", ";", "a"]
        );
        assert_eq!(
            told("sh d?.sh ~/x a~b '*?' \"$A\" '$A' {a,b}"),
            ["sh", "?d?.sh", "?~/x", "a~b", "*?", "?$A", "$A", "?{a,b}"]
        );
        assert_eq!(told("a '' \"b \\c\" d\\ e"), ["a", "", "b \\c", "d e"]);
    }
}
