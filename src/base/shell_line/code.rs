//! Reads code of other languages: whether it can run a command.
//!
//! Must not know: which programs run it, the grammar of lines.
//!
//! What is not understood can run one.

/// Names that Python code may contain and runs no command. All other names may lead to one.
const NAMES: &[&str] = &[
    "abs",
    "and",
    "any",
    "all",
    "bool",
    "def",
    "dict",
    "dumps",
    "elif",
    "else",
    "enumerate",
    "executable",
    "False",
    "float",
    "for",
    "hex",
    "if",
    "import",
    "in",
    "int",
    "is",
    "json",
    "len",
    "list",
    "load",
    "loads",
    "map",
    "math",
    "max",
    "min",
    "None",
    "not",
    "or",
    "pass",
    "pi",
    "pow",
    "print",
    "range",
    "read",
    "repr",
    "return",
    "round",
    "set",
    "sorted",
    "split",
    "sqrt",
    "stdin",
    "str",
    "strip",
    "sum",
    "sys",
    "True",
    "tuple",
    "type",
    "version",
    "version_info",
    "while",
    "zip",
];

/// Returns true if code of Python surely runs no command: it consists of numbers, signs, plain texts and
/// names that are known, or have one letter.
pub(super) fn is_harmless(code: &str) -> bool {
    let mut rest = code.chars().peekable();
    let mut name = String::new();
    loop {
        let next = rest.next();
        if let Some(c) = next.filter(|c| c.is_alphanumeric() || *c == '_' || *c == '$') {
            name.push(c);
            continue;
        }
        let is_known = name.is_empty()
            || name.bytes().all(|byte| byte.is_ascii_digit())
            || (name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic()))
            || NAMES.contains(&name.as_str());
        // A name right before a text gives the text a meaning: `f"{…}"`.
        let is_prefix = !name.is_empty() && matches!(next, Some('"' | '\''));
        if !is_known || is_prefix {
            return false;
        }
        name.clear();
        match next {
            None => return true,
            Some(quote @ ('"' | '\'')) => loop {
                match rest.next() {
                    Some('\\') => drop(rest.next()),
                    Some('\n') | None => return false,
                    Some(c) if c == quote => break,
                    Some(_) => {}
                }
            },
            Some(c) if c.is_ascii() && !"`\\@#".contains(c) => {}
            Some(_) => return false,
        }
    }
}

/// What a script of an editor of streams runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The lines that it gives to a shell.
    pub(super) lines: Vec<String>,
    /// True if it may run others, or is not understood.
    pub(super) hides: bool,
}

/// Reads a script of sed, as sed(1) and its manual describe it, with the extensions of GNU.
///
/// Programs differ on a sign inside of brackets (`s/[/]/x/`), and on what ends a label: each reading counts that can be
/// read.
pub(super) fn sed(script: &str) -> Script {
    let read = |brackets: bool, labels: &'static str| {
        let mut reader = Sed {
            rest: script,
            brackets,
            labels,
            found: Script::default(),
        };
        while !reader.rest.is_empty() {
            reader.command()?;
        }
        Some(reader.found)
    };
    let Some(mut found) = read(true, "\n;}") else {
        return Script {
            hides: true,
            ..Script::default()
        };
    };
    let ends = ["\n;}", "\n; \t", "\n"];
    for (brackets, labels) in ends.into_iter().flat_map(|ends| [(true, ends), (false, ends)]) {
        let Some(other) = read(brackets, labels) else {
            continue;
        };
        found.hides |= other.hides;
        let more = other.lines.into_iter();
        let more: Vec<String> = more.filter(|line| !found.lines.contains(line)).collect();
        found.lines.extend(more);
    }
    found
}

struct Sed<'s> {
    rest: &'s str,
    /// True if a sign in brackets does not end a regular expression.
    brackets: bool,
    /// The signs that end a label.
    labels: &'static str,
    found: Script,
}

impl<'s> Sed<'s> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn skip(&mut self, what: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(what);
    }

    /// Reads to the end of the line, without it.
    fn line(&mut self) -> &'s str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Reads a text up to the sign that ends it.
    fn until(&mut self, end: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                c if c == end => return Some(()),
                _ => {}
            }
        }
    }

    /// Reads a regular expression up to the sign that ends it.
    fn regex(&mut self, end: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                c if c == end => return Some(()),
                '[' if self.brackets => {
                    self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
                    self.rest = self.rest.strip_prefix(']').unwrap_or(self.rest);
                    self.rest = self.rest.split_once(']')?.1;
                }
                _ => {}
            }
        }
    }

    /// Reads an address, if there is one.
    fn address(&mut self) -> Option<()> {
        match self.rest.chars().next() {
            Some('/') => {
                self.next();
                self.regex('/')?;
            }
            Some('\\') => {
                self.next();
                let end = self.next()?;
                self.regex(end)?;
            }
            Some(c) if c.is_ascii_digit() || "$+~".contains(c) => {
                self.next();
                self.skip(|c| c.is_ascii_digit() || c == '~');
                return Some(());
            }
            _ => return Some(()),
        }
        self.skip(|c| "IM".contains(c));
        Some(())
    }

    /// Reads a command; nothing where it is not understood.
    fn command(&mut self) -> Option<()> {
        self.skip(|c| c.is_whitespace() || c == ';');
        self.address()?;
        self.skip(|c| c == ' ' || c == '\t');
        if self.rest.starts_with(',') {
            self.next();
            self.skip(|c| c == ' ' || c == '\t');
            self.address()?;
        }
        self.skip(|c| " \t!".contains(c));
        let Some(command) = self.next() else {
            return Some(());
        };
        match command {
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
            }
            'l' | 'L' | 'q' | 'Q' => self.skip(|c| c == ' ' || c.is_ascii_digit()),
            '#' | 'r' | 'R' | 'w' | 'W' => drop(self.line()),
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.skip(|c| c == ' ' || c == '\t');
                let ends = self.labels;
                self.skip(|c| !ends.contains(c));
            }
            'a' | 'i' | 'c' => {
                while self.line().ends_with('\\') {
                    if self.rest.is_empty() {
                        break;
                    }
                }
            }
            'y' => {
                let end = self.next()?;
                self.until(end)?;
                self.until(end)?;
            }
            's' => {
                let end = self.next()?;
                self.regex(end)?;
                self.until(end)?;
                self.flags();
            }
            'e' => {
                let line = self.line().trim();
                if line.is_empty() {
                    self.found.hides = true;
                } else {
                    self.found.lines.push(line.to_owned());
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Reads the flags of `s`.
    fn flags(&mut self) {
        while let Some(c) = self.rest.chars().next() {
            match c {
                'e' => self.found.hides = true,
                'w' => {
                    self.line();
                    return;
                }
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' => {}
                c if c.is_ascii_digit() => {}
                _ => return,
            }
            self.next();
        }
    }
}

/// Returns true if a program of awk may run a command: `system`, a pipe, a call by name, a library.
///
/// Source: awk(1) and the manual of GNU awk. A sign in a text or in a regular expression counts as none, unless it is not
/// clear where the expression begins.
pub(super) fn awk_runs(program: &str) -> bool {
    if program.contains("system") {
        return true;
    }
    let has_pipe = program.replace("||", "").contains(['|', '@', '`']);
    let mut rest = program.chars().peekable();
    // Whether a regular expression may begin here as well as a division.
    let mut is_unclear = false;
    // What stands before: after a value, `/` divides.
    let mut is_value = false;
    let mut name = String::new();
    while let Some(c) = rest.next() {
        if c.is_alphanumeric() || c == '_' {
            name.push(c);
            is_value = true;
            is_unclear = false;
            continue;
        }
        if !name.is_empty() {
            // After these words, `/` begins a regular expression.
            is_value = !["print", "printf", "return", "in", "else", "do", "exit"].contains(&name.as_str());
            is_unclear = ["case", "getline"].contains(&name.as_str());
            name.clear();
        }
        if c == '/' && is_unclear && has_pipe {
            return true;
        }
        is_unclear &= c == ' ' || c == '\t';
        match c {
            '"' => {
                if !passes(&mut rest, '"') {
                    return true;
                }
                is_value = true;
            }
            '/' if !is_value => {
                // A text or a further slash in brackets is read in several ways.
                if !passes(&mut rest, '/') {
                    return true;
                }
                is_value = true;
            }
            '|' if rest.next_if_eq(&'|').is_some() => is_value = false,
            '|' | '@' | '`' => return true,
            // A sign for a value before or after it: it is not known what `/` is then.
            '+' | '-' if rest.peek() == Some(&c) => {
                rest.next();
                if rest.peek() == Some(&'/') {
                    return true;
                }
            }
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            ')' => (is_value, is_unclear) = (true, true),
            ']' => is_value = true,
            ' ' | '\t' => {}
            _ => is_value = false,
        }
    }
    false
}

/// Reads to the sign that ends a text or a regular expression. Returns false where it is missing, or where brackets of an
/// expression hold a sign that some programs take for its end.
fn passes(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, end: char) -> bool {
    while let Some(c) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '\n' => return false,
            '[' if end == '/' => {
                let mut is_first = true;
                loop {
                    match rest.next() {
                        None | Some('/' | '"' | '\n' | '\\') => return false,
                        Some(']') if !is_first => break,
                        Some('^') if is_first => {}
                        Some(_) => is_first = false,
                    }
                }
            }
            c if c == end => return true,
            _ => {}
        }
    }
    false
}
