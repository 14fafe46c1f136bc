//! Finds the end of a JSON object in argument text that arrives in pieces, byte by byte.
//!
//! Must not know: tools, schemas.
//!
//! It follows only brackets and strings: the check of the call decides whether the object is valid
//! JSON.

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
    in_string: bool,
    escaped: bool,
}

impl Scanner {
    /// Returns the extent of the text so far.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Scans the next piece.
    pub fn feed(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match self.extent {
                Extent::Other => return,
                Extent::Open => self.inside(byte),
                Extent::Blank | Extent::Object if byte.is_ascii_whitespace() => {}
                Extent::Blank if byte == b'{' => {
                    self.extent = Extent::Open;
                    self.depth = 1;
                }
                Extent::Blank | Extent::Object => self.extent = Extent::Other,
            }
        }
    }

    fn inside(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
        } else if self.in_string {
            match byte {
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            if self.depth == 0 {
                self.extent = Extent::Object;
            }
        }
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
