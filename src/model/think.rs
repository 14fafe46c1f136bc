//! Splits streamed text into reasoning between marks and the text of the answer.
//!
//! Must not know: wire formats, parts.
//!
//! Servers without a parser for reasoning send both as text. The marks may be torn over pieces. An
//! opening mark counts at the beginning of the text only; a closing mark without one means that the
//! text before it was reasoning.

/// Opening marks with their closing marks.
const MARKS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
];
/// Closing marks that occur without an opening one: templates put the opening mark into the prompt.
const BARE: &[&str] = &["</think>", "</thinking>", "</seed:think>", "[/THINK]", "◁/think▷"];

/// What a piece of text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// All text since the beginning was reasoning.
    WasReasoning,
}

/// Splits one text.
#[derive(Debug)]
pub struct Splitter {
    place: Place,
    /// Text that may be the beginning of a mark.
    held: String,
    /// Whether a closing mark may still come without an opening one.
    may_lack_opening: bool,
    /// The last character that was passed on as text.
    last: Option<char>,
    /// Whether only blanks were seen since a closing mark.
    after_mark: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first character that is no blank.
    Beginning,
    /// Between marks.
    Inside(&'static str),
    /// In the text of the answer.
    Text,
}

impl Splitter {
    /// Creates a splitter for a text. `first` is true for the first text of a reply without
    /// reasoning before it: only then may the opening mark be missing.
    pub const fn new(first: bool) -> Self {
        Self {
            place: Place::Beginning,
            held: String::new(),
            may_lack_opening: first,
            last: None,
            after_mark: false,
        }
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, piece: &str) -> Vec<Piece> {
        self.held.push_str(piece);
        let mut out = Vec::new();
        while self.step(&mut out) {}
        out
    }

    /// Ends the text: the buffered rest is no mark.
    pub fn end(&mut self) -> Vec<Piece> {
        let rest = std::mem::take(&mut self.held);
        let mut out = Vec::new();
        match self.place {
            Place::Inside(_) => give(&mut out, Piece::Reasoning, rest),
            Place::Beginning | Place::Text => self.emit(rest, &mut out),
        }
        out
    }

    /// Takes one step; returns false if more text is needed.
    fn step(&mut self, out: &mut Vec<Piece>) -> bool {
        match self.place {
            Place::Beginning => self.begin(),
            Place::Inside(close) => self.inside(close, out),
            Place::Text => self.text(out),
        }
    }

    fn begin(&mut self) -> bool {
        let begun = self.held.trim_start();
        if begun.is_empty() {
            return false;
        }
        if let Some((open, close)) = MARKS.iter().find(|(open, _)| begun.starts_with(open)) {
            self.held = begun.get(open.len()..).unwrap_or_default().to_owned();
            self.place = Place::Inside(close);
            self.may_lack_opening = false;
            return true;
        }
        if MARKS.iter().any(|(open, _)| open.starts_with(begun)) {
            return false;
        }
        self.place = Place::Text;
        true
    }

    fn inside(&mut self, close: &'static str, out: &mut Vec<Piece>) -> bool {
        if let Some(at) = self.held.find(close) {
            let rest = self.held.split_off(at);
            give(out, Piece::Reasoning, std::mem::take(&mut self.held));
            self.close(&rest, close);
            return true;
        }
        let keep = self.held.len() - torn(&self.held, &[close]);
        let rest = self.held.split_off(keep);
        give(out, Piece::Reasoning, std::mem::replace(&mut self.held, rest));
        false
    }

    fn text(&mut self, out: &mut Vec<Piece>) -> bool {
        if !self.may_lack_opening {
            let all = std::mem::take(&mut self.held);
            self.emit(all, out);
            return false;
        }
        let mark = BARE
            .iter()
            .filter_map(|mark| Some((self.held.find(mark)?, *mark)))
            .min();
        if let Some((at, mark)) = mark {
            let rest = self.held.split_off(at);
            let before = std::mem::take(&mut self.held);
            let last = before.chars().next_back().or(self.last);
            let opened = MARKS.iter().any(|(open, _)| before.contains(open));
            self.emit(before, out);
            self.may_lack_opening = false;
            // A quoted mark, or one that belongs to a mark in the middle of the text, is only
            // mentioned.
            if opened || matches!(last, Some('`' | '"' | '\'')) {
                self.held = rest;
                return true;
            }
            out.push(Piece::WasReasoning);
            self.last = None;
            self.close(&rest, mark);
            return true;
        }
        let openings = MARKS.iter().any(|(open, _)| self.held.contains(open));
        let torn = torn(&self.held, BARE).max(torn_opening(&self.held));
        let rest = self.held.split_off(self.held.len() - torn);
        let before = std::mem::replace(&mut self.held, rest);
        if openings {
            // Its closing mark belongs to it.
            self.may_lack_opening = false;
        }
        self.emit(before, out);
        openings
    }

    /// Continues after a closing mark: another opening one may follow.
    fn close(&mut self, rest: &str, mark: &str) {
        let after = rest.get(mark.len()..).unwrap_or_default();
        after.clone_into(&mut self.held);
        self.place = Place::Beginning;
        self.may_lack_opening = false;
        self.after_mark = true;
    }

    /// Passes on text; blanks between a closing mark and the text belong to neither.
    fn emit(&mut self, text: String, out: &mut Vec<Piece>) {
        let text = if self.after_mark {
            text.trim_start().to_owned()
        } else {
            text
        };
        if text.is_empty() {
            return;
        }
        self.after_mark = false;
        self.last = text.chars().next_back();
        give(out, Piece::Text, text);
    }
}

fn give(out: &mut Vec<Piece>, kind: fn(String) -> Piece, text: String) {
    if !text.is_empty() {
        out.push(kind(text));
    }
}

/// Bytes at the end of a text that may be the beginning of a mark.
fn torn(text: &str, marks: &[&str]) -> usize {
    let begins = |mark: &&str| {
        let ends = mark.char_indices().map(|(at, _)| at).skip(1);
        ends.filter(|at| mark.get(..*at).is_some_and(|begun| text.ends_with(begun)))
            .max()
    };
    marks.iter().filter_map(begins).max().unwrap_or(0)
}

fn torn_opening(text: &str) -> usize {
    let openings: Vec<&str> = MARKS.iter().map(|(open, _)| *open).collect();
    torn(text, &openings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the reasoning and the text of a text in pieces of `size` characters.
    fn split(text: &str, size: usize) -> (String, String) {
        let mut splitter = Splitter::new(true);
        let (mut reasoning, mut output) = (String::new(), String::new());
        let chars: Vec<char> = text.chars().collect();
        let mut pieces = Vec::new();
        for piece in chars.chunks(size) {
            pieces.extend(splitter.push(&piece.iter().collect::<String>()));
        }
        pieces.extend(splitter.end());
        for piece in pieces {
            match piece {
                Piece::Text(text) => output.push_str(&text),
                Piece::Reasoning(text) => reasoning.push_str(&text),
                Piece::WasReasoning => reasoning = std::mem::take(&mut output),
            }
        }
        (reasoning, output)
    }

    #[test]
    fn text_between_leading_think_tags_is_reasoning_however_it_is_split() {
        for (text, reasoning, output) in [
            (
                "<think>first the plan</think>\n\nI look.",
                "first the plan",
                "I look.",
            ),
            ("\n <think>a</think><think>b</think> c", "ab", "c"),
            ("<think></think>x", "", "x"),
            ("[THINK]a[/THINK]b", "a", "b"),
            ("◁think▷a < b◁/think▷c", "a < b", "c"),
            // The opening mark is missing.
            ("the plan\n</think>\n\nI look.", "the plan\n", "I look."),
            ("</think>\n\nI look.", "", "I look."),
            // No end: all of it is reasoning.
            ("<think>on and on</thi", "on and on</thi", ""),
            ("<think>", "", ""),
            // Not at the beginning, or quoted: text.
            (
                "Write <think>x</think> first.",
                "",
                "Write <think>x</think> first.",
            ),
            ("End it with `</think>` then.", "", "End it with `</think>` then."),
            ("<thinly> </th", "", "<thinly> </th"),
            ("a </", "", "a </"),
            ("", "", ""),
            ("  plain", "", "  plain"),
        ] {
            for size in [1, 2, 3, 5, 100] {
                let got = split(text, size);
                assert_eq!(
                    got,
                    (reasoning.to_owned(), output.to_owned()),
                    "{text:?} in {size}"
                );
            }
        }
    }

    #[test]
    fn a_later_text_lacks_no_opening_mark() {
        let mut later = Splitter::new(false);
        let mut pieces = later.push("so </think> it is");
        pieces.extend(later.end());
        assert_eq!(pieces, [Piece::Text("so </think> it is".into())]);
    }
}
