//! Finds the signs of a line that end a command.
//!
//! Shells differ, and which one reads the line is not known: where two of them would, or where quotation marks may mean
//! something else, it finds a sign too many. Must not know: what a command is made of.

/// Signs behind which quotation marks and comments may mean something else than they seem to: substitutions, texts that
/// are put in, sums, a word that goes on in the next line.
const UNSURE: [&str; 9] = ["$'", "${", "$(", "$[", "<<", "`", "((", "[[", "\\\n"];

/// Goes through a line from sign to sign.
pub(super) struct Reader<'l> {
    line: &'l str,
    at: usize,
    /// Whether quotation marks, comments and backslashes mean what they seem to.
    sure: bool,
    /// Whether a word may begin here, so that `#` begins a comment.
    fresh: bool,
}

impl<'l> Reader<'l> {
    pub(super) fn new(line: &'l str) -> Self {
        let index = line
            .as_bytes()
            .windows(2)
            .any(|two| matches!(two, [name, b'['] if name.is_ascii_alphanumeric() || *name == b'_'));
        // A pattern in parentheses may hold what looks like a comment.
        let pattern = line.contains('#') && line.contains('(');
        Self {
            line,
            at: 0,
            sure: !index && !pattern && !UNSURE.iter().any(|sign| line.contains(sign)),
            fresh: true,
        }
    }

    /// Where what follows the last sign begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The end of the next command and the sign that ends it; what follows begins at `at`.
    pub(super) fn next_end(&mut self) -> Option<(usize, &'static str)> {
        let bytes = self.line.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let here = self.at;
            self.at += 1;
            let fresh = std::mem::replace(&mut self.fresh, matches!(byte, b' ' | b'\t'));
            match byte {
                b'\\' if self.sure => self.at += 1,
                b'\'' if self.sure => self.skip_past(b'\''),
                b'"' if self.sure => self.skip_quoted(),
                b'#' if self.sure && fresh => {
                    // A comment ends with its line, whatever it says; the end of the line is a sign.
                    let rest = bytes.get(here..).unwrap_or_default();
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    self.at = end.map_or(bytes.len(), |end| here + end);
                }
                b'>' | b'<' => self.skip_redirection(here),
                b'(' | b')' | b'`' | b';' | b'&' | b'|' | b'\n' => {
                    self.fresh = true;
                    return Some((here, self.sign(*byte)));
                }
                _ => {}
            }
        }
        self.at = bytes.len();
        None
    }

    /// The rest of a sign such as `>&` and `>|`, whose second half ends nothing. `&>` is not one of them: for some
    /// shells the command ends there.
    fn skip_redirection(&mut self, here: usize) {
        let bytes = self.line.as_bytes();
        let escaped = here.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\');
        // Where it is not sure, the backslash was not skipped and the sign may be a letter of a word.
        if escaped && !self.sure {
            return;
        }
        match (bytes.get(here), bytes.get(self.at)) {
            (Some(b'>'), Some(b'&' | b'|' | b'>')) | (Some(b'<'), Some(b'&' | b'>')) => self.at += 1,
            _ => {}
        }
    }

    /// The whole of a sign whose first byte was read.
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
            (b'(', _) => ("(", 0),
            (b')', _) => (")", 0),
            (b'`', _) => ("`", 0),
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
