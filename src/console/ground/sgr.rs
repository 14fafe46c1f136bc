//! Splits a tool's output into text and the colours and attributes that it requests.
//!
//! Must not know: what becomes of a colour on screen, rows.
//!
//! Only complete `ESC [ … m` sequences are removed. Every other control character stays in the
//! text, which shows it as a mark. Nothing here is ever sent to a terminal.

#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;

use vte::{Params, Parser, Perform};

/// Maximum length between `ESC [` and `m`. A longer sequence stays in the text.
const LONGEST: usize = 64;

/// A requested colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tone {
    /// The default of the screen.
    #[default]
    Own,
    /// One of the 256; the first sixteen are those of the terminal's palette.
    Index(u8),
    /// Red, green, blue.
    Rgb([u8; 3]),
}

/// The style requested at a place of a text. Blinking and hidden text are not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sgr {
    /// Colour of the characters.
    pub fg: Tone,
    /// Colour of the background.
    pub bg: Tone,
    /// Bold.
    pub bold: bool,
    /// Faint.
    pub faint: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Struck through.
    pub strike: bool,
    /// Foreground and background swapped.
    pub reverse: bool,
}

/// A style that applies from a byte of a text to the next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The byte.
    pub from: usize,
    /// The style.
    pub sgr: Sgr,
}

/// A text without its sequences, and the styles that they request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Painted {
    /// The text.
    pub text: String,
    /// The styles in order; none applies before the first.
    pub runs: Vec<Run>,
}

/// Removes the sequences from a text. None for a text without any.
pub fn painted(text: &str) -> Option<Painted> {
    let mut parser = Parser::new();
    let mut brush = Brush::default();
    let mut out = Painted::default();
    let mut stored = 0;
    for range in sequences(text) {
        brush.known = false;
        let before = brush.sgr;
        parser.advance(&mut brush, text.as_bytes().get(range.clone()).unwrap_or_default());
        if !brush.known {
            // A sequence with more numbers than are read requests no colour.
            brush.sgr = before;
            continue;
        }
        out.text
            .push_str(text.get(stored..range.start).unwrap_or_default());
        stored = range.end;
        out.paint(brush.sgr);
    }
    if stored == 0 {
        return None;
    }
    out.text.push_str(text.get(stored..).unwrap_or_default());
    Some(out)
}

/// Whether a text contains such a sequence.
pub fn has_any(text: &str) -> bool {
    sequences(text).any(|range| {
        let mut brush = Brush::default();
        Parser::new().advance(&mut brush, text.as_bytes().get(range).unwrap_or_default());
        brush.known
    })
}

/// The style at a byte.
pub fn at(runs: &[Run], byte: usize) -> Sgr {
    let next = runs.partition_point(|run| run.from <= byte);
    let run = next.checked_sub(1).and_then(|at| runs.get(at));
    run.map_or_else(Sgr::default, |run| run.sgr)
}

/// Number of bytes with the same style from this one on, at most `count`.
pub fn same_style_len(runs: &[Run], byte: usize, count: usize) -> usize {
    let next = runs.partition_point(|run| run.from <= byte);
    runs.get(next).map_or(count, |run| count.min(run.from - byte))
}

impl Painted {
    /// Starts a style at the end of the text.
    fn paint(&mut self, sgr: Sgr) {
        let from = self.text.len();
        if self.runs.last().is_some_and(|last| last.from == from) {
            self.runs.pop();
        }
        let now = self.runs.last().map_or_else(Sgr::default, |last| last.sgr);
        if now != sgr {
            self.runs.push(Run { from, sgr });
        }
    }
}

/// The ranges of a text that look like such sequences.
fn sequences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    text.match_indices("\u{1b}[").filter_map(move |(start, _)| {
        let inside = bytes.get(start + 2..)?;
        let numbers = inside.iter().take(LONGEST + 1);
        let length = numbers
            .take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'))
            .count();
        let ends = inside.get(length) == Some(&b'm');
        (ends && length <= LONGEST).then_some(start..start + length + 3)
    })
}

/// The style so far.
#[derive(Debug, Default)]
struct Brush {
    sgr: Sgr,
    /// Whether the last sequence was understood.
    known: bool,
}

impl Perform for Brush {
    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        self.known = action == 'm' && intermediates.is_empty() && !ignore;
        let mut params = params.iter();
        while let Some(param) = params.next() {
            let Some(number) = param.first() else { continue };
            match number {
                0 => self.sgr = Sgr::default(),
                38 => take(&mut self.sgr.fg, param, &mut params),
                48 => take(&mut self.sgr.bg, param, &mut params),
                // Underline colours are not supported, but their numbers are no attributes.
                58 => take(&mut Tone::default(), param, &mut params),
                _ => self.sgr.set(*number, param.get(1).copied()),
            }
        }
    }
}

impl Sgr {
    /// Applies an attribute or one of the sixteen colours.
    fn set(&mut self, number: u16, kind: Option<u16>) {
        let place = |from: u16| Tone::Index((number - from) as u8);
        match number {
            1 => self.bold = true,
            2 => self.faint = true,
            3 => self.italic = true,
            4 => self.underline = kind != Some(0),
            7 => self.reverse = true,
            9 => self.strike = true,
            21 => self.underline = true,
            22 => (self.bold, self.faint) = (false, false),
            23 => self.italic = false,
            24 => self.underline = false,
            27 => self.reverse = false,
            29 => self.strike = false,
            30..=37 => self.fg = place(30),
            39 => self.fg = Tone::Own,
            40..=47 => self.bg = place(40),
            49 => self.bg = Tone::Own,
            90..=97 => self.fg = place(82),
            100..=107 => self.bg = place(92),
            _ => {}
        }
    }
}

/// Reads the numbers of a colour after 38, 48 or 58: in the same parameter (`38:2::1:2:3`), or in
/// the following ones (`38;2;1;2;3`). An incomplete colour changes nothing.
fn take<'p>(tone: &mut Tone, param: &[u16], rest: &mut impl Iterator<Item = &'p [u16]>) {
    let mut numbers: Vec<u16> = param.get(1..).unwrap_or_default().to_vec();
    if numbers.is_empty() {
        let mut next = || rest.next().and_then(|param| param.first().copied());
        let kind = next();
        numbers.extend(kind);
        let count = match kind {
            Some(2) => 3,
            Some(5) => 1,
            _ => 0,
        };
        numbers.extend((0..count).map_while(|_| next()));
    } else if let [2, _, red, green, blue, ..] = numbers[..] {
        // The name of a colour space precedes the colour; mostly it is empty.
        numbers = vec![2, red, green, blue];
    }
    let part = |number: u16| u8::try_from(number).ok();
    let read = match numbers[..] {
        [5, index] => part(index).map(Tone::Index),
        [2, red, green, blue] => match (part(red), part(green), part(blue)) {
            (Some(red), Some(green), Some(blue)) => Some(Tone::Rgb([red, green, blue])),
            _ => None,
        },
        _ => None,
    };
    *tone = read.unwrap_or(*tone);
}
