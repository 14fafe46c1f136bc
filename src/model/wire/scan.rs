//! Finds the end of a JSON object in argument text that arrives in pieces.
//!
//! Must not know: tools, schemas.
//!
//! It follows only brackets and strings: the check of the call decides whether the object is valid
//! JSON.

use overrule_base::canon::{Inside, Lexer, TokenKind};

/// The extent of a text so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// Only whitespace so far.
    #[default]
    Blank,
    /// An object that has begun and not ended.
    Open,
    /// One whole object, followed by whitespace at most.
    Object,
    /// Not an object, or more than one.
    Other,
}

/// Follows one argument text.
#[derive(Debug, Clone, Default)]
pub struct Scanner {
    extent: Extent,
    depth: u32,
    inside: Inside,
}

impl Scanner {
    /// Returns the extent of the text so far.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Scans the next piece.
    pub fn feed(&mut self, piece: &str) {
        let mut lexer = Lexer::resume(piece, 0, self.inside);
        for token in lexer.by_ref() {
            match (self.extent, token.kind) {
                (Extent::Other, _) => return,
                (Extent::Open, TokenKind::Punct(b'{' | b'[')) => self.depth = self.depth.saturating_add(1),
                (Extent::Open, TokenKind::Punct(b'}' | b']')) => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.extent = Extent::Object;
                    }
                }
                (Extent::Open, _) => {}
                (Extent::Blank, TokenKind::Punct(b'{')) => {
                    self.extent = Extent::Open;
                    self.depth = 1;
                }
                // A form feed is a word to the lexer.
                _ if token.text.trim_ascii().is_empty() => {}
                _ => self.extent = Extent::Other,
            }
        }
        self.inside = lexer.inside();
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, Scanner};

    fn extent(pieces: &[&str]) -> Extent {
        let mut scanner = Scanner::default();
        for piece in pieces {
            scanner.feed(piece);
        }
        scanner.extent()
    }

    #[test]
    fn the_end_of_the_object_is_seen_at_its_last_bracket_only() {
        let text = r#" {"a": [1, {"b": "}\"]\\"}], "c": "†"} "#;
        for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let (a, b) = text.split_at(cut);
            let early = match a.trim() {
                "" => Extent::Blank,
                whole if whole == text.trim() => Extent::Object,
                _ => Extent::Open,
            };
            assert_eq!(extent(&[a]), early, "{a:?}");
            assert_eq!(extent(&[a, b]), Extent::Object, "cut at {cut}");
        }
    }

    #[test]
    fn what_is_no_single_object_is_never_called_one() {
        for text in ["null", "1", "\"{}\"", "[]", "{}{", "{} x", "}"] {
            assert_eq!(extent(&[text]), Extent::Other, "{text}");
        }
        assert_eq!(extent(&["", " \n"]), Extent::Blank);
        assert_eq!(extent(&["{\"a\": \"}"]), Extent::Open);
    }
}
