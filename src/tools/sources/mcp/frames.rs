//! Puts the lines of a server together to messages: some servers write one message in several lines.
//!
//! Must not know: what a message means.

use overrule_base::canon::{Inside, Lexer, TokenKind, Tree};

/// The beginning of a message whose end did not come yet.
#[derive(Debug, Default)]
pub(super) struct Frames {
    held: String,
    depth: usize,
    inside: Inside,
}

impl Frames {
    /// True while the end of a message is missing.
    pub(super) fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    /// True while the end of a message is missing, and more text could be it.
    pub(super) fn is_cut(&self) -> bool {
        let text = self.held.trim_start_matches('\u{feff}');
        self.is_waiting() && Tree::read_first(text).is_err_and(|fault| fault.is_cut)
    }

    /// Takes a line. Returns the texts to be read. `most` is the length of the longest message, and `stands_alone` says
    /// whether a line is a message by itself: then the beginning before it has no end.
    pub(super) fn take(
        &mut self,
        line: &str,
        most: usize,
        stands_alone: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        if self.held.is_empty() {
            if line.trim().is_empty() {
                return Vec::new();
            }
            if !begins(line) {
                return vec![line.to_owned()];
            }
        } else if stands_alone(line) {
            return vec![self.end(), line.to_owned()];
        } else {
            // In a string it is part of that.
            self.feed("\n");
        }
        self.feed(line);
        if self.depth > 0 && self.held.len() < most {
            return Vec::new();
        }
        vec![self.end()]
    }

    fn feed(&mut self, text: &str) {
        let mut lexer = Lexer::resume(text, 0, self.inside);
        for token in lexer.by_ref() {
            match token.kind {
                TokenKind::Punct(b'{' | b'[') => self.depth += 1,
                TokenKind::Punct(b'}' | b']') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.inside = lexer.inside();
        self.held.push_str(text);
    }

    /// Takes what there is of a message, and begins a new one.
    pub(super) fn end(&mut self) -> String {
        std::mem::take(self).held
    }
}

/// True for a line that can be the beginning of a message.
fn begins(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    let list = line.strip_prefix('[').map(str::trim_start);
    line.starts_with('{') || list.is_some_and(|rest| rest.is_empty() || rest.starts_with('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts that these lines make, and what is left.
    fn texts(lines: &[&str]) -> (Vec<String>, String) {
        let mut frames = Frames::default();
        let alone = |line: &str| line.contains("\"jsonrpc\"");
        let mut found = Vec::new();
        for line in lines {
            found.extend(frames.take(line, 60, alone));
        }
        (found, frames.end())
    }

    #[test]
    fn lines_become_messages() {
        let table: &[(&[&str], &[&str], &str)] = &[
            (&["{\"a\":1}", "", "words"], &["{\"a\":1}", "words"], ""),
            (
                &["{", "  \"a\": [", "  ]", "", "}"],
                &["{\n  \"a\": [\n  ]\n\n}"],
                "",
            ),
            (&["{\"a\":\"x", "y {\"}"], &["{\"a\":\"x\ny {\"}"], ""),
            (
                &["{\"half\":", "{\"jsonrpc\":1}"],
                &["{\"half\":", "{\"jsonrpc\":1}"],
                "",
            ),
            (&["[INFO] started [", "{}"], &["[INFO] started [", "{}"], ""),
            (&["[", "{}", "]"], &["[\n{}\n]"], ""),
            (&["\u{feff}{}"], &["\u{feff}{}"], ""),
            (&["{\"cut\":"], &[], "{\"cut\":"),
        ];
        for (lines, expected, left) in table {
            let (found, rest) = texts(lines);
            assert_eq!(found, *expected, "{lines:?}");
            assert_eq!(rest, *left, "{lines:?}");
        }
    }

    #[test]
    fn a_message_without_an_end_is_bounded() {
        let line = "\"x\",".repeat(4);
        let lines: Vec<&str> = std::iter::once("[")
            .chain(std::iter::repeat_n(line.as_str(), 10))
            .collect();
        let (found, _) = texts(&lines);
        assert!(
            !found.is_empty() && found.iter().all(|text| text.len() < 100),
            "{found:?}"
        );
    }
}
