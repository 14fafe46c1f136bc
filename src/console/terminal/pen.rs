//! Writes the cells of a frame with few bytes: only what differs from the cell before is said of a cell's
//! look, and nothing of a blank that would not show it. The library's own way says both colours anew
//! whenever one differs, which was most of what a moving graph sent over a slow line. Where it is shorter, what looks
//! alike is written together ([`order`]): to go to a place takes fewer bytes than to name a colour.
//!
//! Must not know: what is drawn.

mod order;
mod run;

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};

use run::{Kind, Run, Runs};

/// A backend that writes to `W`.
#[derive(Debug)]
pub struct Pen<W: Write> {
    /// Everything but cells.
    other: CrosstermBackend<W>,
    /// What is to be written. Kept, as what follows, so that a frame needs no new memory.
    runs: Runs,
    /// It as it stands on the screen.
    bytes: Vec<u8>,
    /// It in the other order.
    other_bytes: Vec<u8>,
    /// What is known of the cursor: what it is already is not said again.
    cursor: Cursor,
}

/// What was said of the cursor and still holds.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// Whether it is seen.
    shown: Option<bool>,
    /// Where it is.
    at: Option<Position>,
}

impl<W: Write> Pen<W> {
    /// A pen that writes there.
    pub fn new(to: W) -> Self {
        Self {
            other: CrosstermBackend::new(to),
            runs: Runs::default(),
            bytes: Vec::new(),
            other_bytes: Vec::new(),
            cursor: Cursor {
                shown: None,
                at: None,
            },
        }
    }
}

/// What a cell looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Looks {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

/// Cells from which on another order is tried: with fewer there is little to save.
const MANY: usize = 64;

/// What shows on a blank.
const ON_BLANK: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);

/// Modifiers with what sets them and what takes them back.
const CODES: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

impl Looks {
    fn of(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            modifier: cell.modifier,
        }
    }

    /// True where a blank that should look like that can be written like this: only its ground shows.
    fn shows_blank(self, blank: Self) -> bool {
        self.bg == blank.bg && !(self.modifier | blank.modifier).intersects(ON_BLANK)
    }

    /// The least change that makes a run look as it should.
    fn for_run(self, run: &Run) -> Self {
        let wanted = run.looks;
        if run.kind == Kind::Blank && !self.modifier.intersects(ON_BLANK) {
            return Self {
                bg: wanted.bg,
                ..self
            };
        }
        wanted
    }

    /// Says what differs.
    fn become_(&mut self, other: Self, bytes: &mut Vec<u8>) {
        if *self == other {
            return;
        }
        let begin = bytes.len();
        bytes.extend_from_slice(b"\x1b[");
        let from = bytes.len();
        let mut gone = self.modifier - other.modifier;
        let mut come = other.modifier - self.modifier;
        // What takes one of the two weights back takes both.
        if gone.intersects(Modifier::BOLD | Modifier::DIM) {
            come |= other.modifier & (Modifier::BOLD | Modifier::DIM);
        }
        for (modifier, _, off) in CODES {
            if gone.contains(modifier) {
                number(bytes, from, off);
                let same = CODES.iter().filter(|(_, _, code)| *code == off);
                same.for_each(|(one, ..)| gone -= *one);
            }
        }
        for (modifier, on, _) in CODES {
            if come.contains(modifier) {
                number(bytes, from, on);
            }
        }
        if self.fg != other.fg {
            colour(bytes, from, other.fg, 30);
        }
        if self.bg != other.bg {
            colour(bytes, from, other.bg, 40);
        }
        bytes.push(b'm');
        // One word for plain is shorter than taking everything back.
        if other == Self::default() {
            bytes.truncate(begin);
            bytes.extend_from_slice(b"\x1b[m");
        }
        *self = other;
    }
}

/// Adds a number to those of a sequence that begin at `from`.
fn number(bytes: &mut Vec<u8>, from: usize, number: u8) {
    if bytes.len() > from {
        bytes.push(b';');
    }
    decimal(bytes, u16::from(number));
}

fn numbers(bytes: &mut Vec<u8>, from: usize, all: &[u8]) {
    for one in all {
        number(bytes, from, *one);
    }
}

/// Adds a number in decimal digits; a frame has thousands of them.
fn decimal(bytes: &mut Vec<u8>, number: u16) {
    let mut power = match number {
        0..10 => 1,
        10..100 => 10,
        100..1_000 => 100,
        1_000..10_000 => 1_000,
        _ => 10_000,
    };
    while power > 0 {
        let digit = u8::try_from(number / power % 10).unwrap_or(0);
        bytes.push(b'0' + digit);
        power /= 10;
    }
}

/// Adds a colour: `base` is 30 for letters and 40 for what is behind them.
fn colour(bytes: &mut Vec<u8>, from: usize, colour: Color, base: u8) {
    let basic = match colour {
        Color::Reset => 9,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
        Color::Indexed(index) => {
            return numbers(bytes, from, &[base + 8, 5, index]);
        }
        Color::Rgb(red, green, blue) => {
            return numbers(bytes, from, &[base + 8, 2, red, green, blue]);
        }
    };
    number(bytes, from, base + basic);
}

/// Where the terminal's cursor is.
#[derive(Debug, Clone, Copy)]
struct Place {
    x: u16,
    y: u16,
    /// True as long as nothing was written whose width terminals may take differently.
    sure: bool,
}

impl Place {
    /// Goes to a cell.
    fn go(before: Option<Self>, x: u16, y: u16, bytes: &mut Vec<u8>) -> bool {
        match before {
            Some(place) if place.y == y && place.x == x => return place.sure,
            Some(place) if place.y == y && place.x < x && place.sure => {
                bytes.extend_from_slice(b"\x1b[");
                if x - place.x > 1 {
                    decimal(bytes, x - place.x);
                }
                bytes.push(b'C');
            }
            _ => {
                bytes.extend_from_slice(b"\x1b[");
                decimal(bytes, y.saturating_add(1));
                bytes.push(b';');
                decimal(bytes, x.saturating_add(1));
                bytes.push(b'H');
            }
        }
        true
    }
}

/// Writes runs one after the other.
fn write<'r>(runs: &Runs, order: impl Iterator<Item = &'r Run>, bytes: &mut Vec<u8>) {
    bytes.clear();
    let mut looks = Looks::default();
    let mut place: Option<Place> = None;
    for run in order {
        let mut sure = Place::go(place, run.x, run.y, bytes);
        looks.become_(looks.for_run(run), bytes);
        if run.forced > 0 {
            // A terminal that draws it narrower after all shows nothing beside it of what stood there before.
            bytes.resize(bytes.len() + usize::from(run.forced), b' ');
            sure = Place::go(None, run.x, run.y, bytes);
        }
        bytes.extend_from_slice(runs.text(run).as_bytes());
        place = Some(Place {
            x: run.x.saturating_add(run.cells()),
            y: run.y,
            sure: sure && run.is_sure(),
        });
    }
    looks.become_(Looks::default(), bytes);
}

impl<W: Write> Backend for Pen<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let runs = &mut self.runs;
        runs.take(content);
        write(runs, runs.list().iter(), &mut self.bytes);
        if runs.cells() >= MANY
            && let Some(order) = order::alike(runs)
        {
            write(runs, order::put(&order, runs.list()), &mut self.other_bytes);
            if self.other_bytes.len() < self.bytes.len() {
                std::mem::swap(&mut self.bytes, &mut self.other_bytes);
            }
        }
        if self.bytes.is_empty() {
            return Ok(());
        }
        self.cursor.at = None;
        self.other.write_all(&self.bytes)
    }

    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.cursor.at = None;
        self.other.append_lines(count)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor.shown == Some(false) {
            return Ok(());
        }
        self.cursor.shown = Some(false);
        self.other.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if self.cursor.shown == Some(true) {
            return Ok(());
        }
        self.cursor.shown = Some(true);
        self.other.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.other.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor.at == Some(position) {
            return Ok(());
        }
        self.cursor.at = Some(position);
        self.other.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        // After this nobody knows what somebody else left.
        self.cursor = Cursor::default();
        self.other.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.cursor = Cursor::default();
        self.other.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        // Each frame asks. The library opens the terminal anew to look, and more where there is none.
        match rustix::termios::tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Ok(Size::new(size.ws_col, size.ws_row)),
            _ => self.other.size(),
        }
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.other.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.other)
    }
}

#[cfg(test)]
mod tests;
