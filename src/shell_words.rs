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

/// Words behind `env` among which its line is looked for.
const NEAR: usize = 64;

/// What has words read anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// `eval`, which puts the words behind it together and reads them as a line.
    Eval,
    /// `env -S`, which takes a text apart and runs what is in it.
    Env,
}

/// A text that a command has read anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// What reads it.
    pub by: By,
    /// Which word of the command that is.
    pub at: usize,
    /// The text as a line.
    pub line: String,
}

/// The texts that these words of a command have read anew, and whether there may be more. A word that is only called
/// so is taken for the real one.
pub fn read_again(words: &[String]) -> (Vec<Again>, bool) {
    let mut found = Vec::new();
    let mut far = false;
    let eval = words.iter().position(|word| word == "eval");
    if let Some((at, rest)) = eval.and_then(|at| Some((at, words.get(at + 1..)?))) {
        let rest = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
        let line = rest.join(" ");
        let by = By::Eval;
        found.extend((!line.trim().is_empty()).then_some(Again { by, at, line }));
    }
    let all = words.iter().enumerate();
    for (at, _) in all.filter(|(_, word)| word.rsplit('/').next() == Some("env")) {
        match split(words.get(at + 1..).unwrap_or_default()) {
            Split::Line(line) => {
                let by = By::Env;
                found.push(Again { by, at, line });
                break;
            }
            Split::Far => far = true,
            Split::None => {}
        }
    }
    (found, far)
}

/// The text that `env` is to take apart.
enum Split {
    Line(String),
    None,
    /// Not among the words that are looked at.
    Far,
}

fn split(words: &[String]) -> Split {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|_| at < NEAR) {
        at += 1;
        let Some(letters) = word.strip_prefix('-') else {
            return Split::None;
        };
        if let Some(long) = letters.strip_prefix('-') {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value)));
            let is = |whole: &str| !name.is_empty() && whole.starts_with(name);
            if long.is_empty() {
                return Split::None;
            } else if is("split-string") {
                return apart(value, words.get(at..).unwrap_or_default());
            } else if value.is_none() && (is("unset") || is("chdir") || is("argv0")) {
                at += 1;
            }
            continue;
        }
        // What these letters take is the rest of the word, or else the next one.
        if let Some((before, value)) = letters.split_once(['S', 'u', 'C', 'P', 'L', 'U', 'a']) {
            let value = Some(value).filter(|value| !value.is_empty());
            if letters
                .get(before.len()..)
                .is_some_and(|rest| rest.starts_with('S'))
            {
                return apart(value, words.get(at..).unwrap_or_default());
            }
            at += usize::from(value.is_none());
        }
    }
    if at < NEAR { Split::None } else { Split::Far }
}

/// The text, or else the first of these words, and the words behind it.
fn apart(text: Option<&str>, words: &[String]) -> Split {
    let (text, rest) = match (text, words) {
        (Some(text), rest) => (text, rest),
        (None, [text, rest @ ..]) => (text.as_str(), rest),
        (None, []) => return Split::None,
    };
    // What begins with an option is one of `env` again.
    let again = if text.trim_start().starts_with('-') {
        "env "
    } else {
        ""
    };
    let rest = rest.iter().map(|word| format!(" {}", quote(word)));
    Split::Line(format!("{again}{text}{}", rest.collect::<String>()))
}

/// A word as a shell would have to be given it.
pub fn quote(word: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+@:%=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
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

    #[test]
    fn what_is_read_anew_is_found_and_options_of_others_are_not() {
        let of = |line: &str| -> Vec<String> {
            let (found, far) = read_again(&words(line));
            assert!(!far, "{line}");
            found
                .into_iter()
                .map(|one| format!("{} {}", one.at, one.line))
                .collect()
        };
        for (line, found) in [
            ("eval 'rm -rf x; y' z", &["0 rm -rf x; y z"][..]),
            ("e\\val -- a 'b c'", &["0 a b c"]),
            ("A=1 command eval a", &["2 a"]),
            ("eval ''", &[]),
            ("eval", &[]),
            ("env -S 'rm -rf x' 'y z'", &["0 rm -rf x 'y z'"]),
            ("/usr/bin/env '-Srm -rf x'", &["0 rm -rf x"]),
            ("env -ivS 'rm x'", &["0 rm x"]),
            ("env -u A -C dir - -S 'rm x'", &["0 rm x"]),
            (
                "env -uA -Cdir --chdir x --unset=B --split-string='rm x'",
                &["0 rm x"],
            ),
            ("env --sp 'rm x'", &["0 rm x"]),
            ("env -S '-i -S \"rm x\"'", &["0 env -i -S \"rm x\""]),
            ("env A=1 env -S 'rm x'", &["2 rm x"]),
            ("env A=1 sort -S 50M", &[]),
            ("env -u -S rm x", &[]),
            ("env -- -S x", &[]),
            ("env -S", &[]),
            ("sort -S 50M x", &[]),
        ] {
            assert_eq!(of(line), found, "{line}");
        }
        let far: Vec<String> = std::iter::once("env").chain(["-i"; 99]).map(Into::into).collect();
        assert!(read_again(&far).1);
    }
}
