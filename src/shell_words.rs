//! The words of a shell line, nearly as a shell takes them. Must not know: rules, files, what becomes of a word.

/// Shells that run a line which they are given as a word (`sh -c LINE`).
pub const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ash", "ksh", "mksh"];

/// Words that may stand before the name of a program.
pub const KEYWORDS: [&str; 12] = [
    "if", "then", "else", "elif", "while", "until", "do", "time", "!", "{", "exec", "coproc",
];

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
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

/// The pieces of a line, in order: quotation marks and backslashes are gone, variables and patterns stay as they are.
pub fn pieces(line: &str) -> Vec<Piece> {
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

/// The words alone.
pub fn words(line: &str) -> Vec<String> {
    let pieces = pieces(line).into_iter();
    pieces
        .filter_map(|piece| match piece {
            Piece::Word { text, .. } => Some(text),
            Piece::End => None,
        })
        .collect()
}

/// True for a word that can be the name of a variable.
pub fn is_name(word: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && word.bytes().all(letter)
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
