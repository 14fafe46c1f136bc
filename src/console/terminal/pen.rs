//! Writes the cells of a frame with few bytes: only what differs from the cell before is said of a cell's
//! look, and nothing of a blank that would not show it. The library's own way says both colours anew
//! whenever one differs, which was most of what a moving graph sent over a slow line.
//!
//! Must not know: what is drawn, whose terminal it is.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::{Cell, CellDiffOption};
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};

/// A backend that writes to `W`.
#[derive(Debug)]
pub struct Pen<W: Write> {
    /// Everything but cells.
    other: CrosstermBackend<W>,
    /// Kept, so that a frame needs no new memory.
    bytes: Vec<u8>,
}

impl<W: Write> Pen<W> {
    /// A pen that writes there.
    pub const fn new(to: W) -> Self {
        Self {
            other: CrosstermBackend::new(to),
            bytes: Vec::new(),
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

    /// The least change that makes a cell look as it should.
    fn for_cell(self, cell: &Cell) -> Self {
        let wanted = Self::of(cell);
        let shows = (self.modifier | wanted.modifier).intersects(ON_BLANK);
        if cell.symbol() == " " && !shows {
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

fn decimal(bytes: &mut Vec<u8>, number: u16) {
    // Writing into a list of bytes cannot fail.
    write!(bytes, "{number}").unwrap_or_default();
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

impl<W: Write> Backend for Pen<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let bytes = &mut self.bytes;
        bytes.clear();
        let mut looks = Looks::default();
        let mut place: Option<Place> = None;
        for (x, y, cell) in content {
            let mut sure = Place::go(place, x, y, bytes);
            looks.become_(looks.for_cell(cell), bytes);
            if let CellDiffOption::ForcedWidth(columns) = cell.diff_option {
                // A terminal that draws it narrower after all shows nothing beside it of what stood there before.
                bytes.resize(bytes.len() + usize::from(columns.get()), b' ');
                sure = Place::go(None, x, y, bytes);
            }
            bytes.extend_from_slice(cell.symbol().as_bytes());
            place = Some(Place {
                x: x.saturating_add(1),
                y,
                sure: sure && cell.symbol().is_ascii(),
            });
        }
        looks.become_(Looks::default(), bytes);
        if bytes.is_empty() {
            return Ok(());
        }
        self.other.write_all(bytes)
    }

    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.other.append_lines(count)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.other.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.other.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.other.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.other.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.other.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.other.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.other.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.other.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.other)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    const AREA: Rect = Rect::new(0, 0, 12, 4);

    #[derive(Clone, Default)]
    struct Paper(Rc<RefCell<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn looks() -> impl Strategy<Value = Style> {
        let colour = || {
            prop_oneof![
                3 => Just(Color::Reset),
                2 => prop::sample::select(vec![Color::Red, Color::White, Color::DarkGray, Color::Gray]),
                1 => any::<u8>().prop_map(Color::Indexed),
                3 => (0..2_u8, 0..2_u8).prop_map(|(one, two)| Color::Rgb(one, two, 7)),
            ]
        };
        // Those of them that the reader of the screen knows; of bold and dim it shows only what was said last.
        let known = Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::REVERSED;
        let modifier = prop_oneof![2 => Just(0), 3 => 0..512_u16];
        let modifier = modifier.prop_map(move |bits| Modifier::from_bits_truncate(bits) & known);
        (colour(), colour(), modifier)
            .prop_map(|(fg, bg, modifier)| Style::new().fg(fg).bg(bg).add_modifier(modifier))
    }

    fn sheet() -> impl Strategy<Value = Buffer> {
        let piece = (0..12_u16, 0..4_u16, "[ a─日◐]{1,6}", looks());
        prop::collection::vec(piece, 0..12).prop_map(|pieces| {
            let mut buffer = Buffer::empty(AREA);
            for (x, y, text, style) in pieces {
                buffer.set_string(x, y, text, style);
            }
            buffer
        })
    }

    /// What a cell shows: of a blank its ground alone, unless it is underlined or turned around.
    fn shown(cell: &vt100::Cell) -> String {
        let blank = matches!(cell.contents(), "" | " ") && !cell.is_wide_continuation();
        if blank && !cell.underline() && !cell.inverse() {
            return format!("blank on {:?}", cell.bgcolor());
        }
        format!(
            "{:?} {:?} on {:?} {} {} {} {} {}",
            if blank { " " } else { cell.contents() },
            cell.fgcolor(),
            cell.bgcolor(),
            cell.bold(),
            cell.dim(),
            cell.italic(),
            cell.underline(),
            cell.inverse()
        )
    }

    fn screen(bytes: &[u8]) -> Vec<String> {
        let mut parser =
            vt100::Parser::new(AREA.height.try_into().unwrap(), AREA.width.try_into().unwrap(), 0);
        parser.process(bytes);
        let screen = parser.screen();
        (0..AREA.height)
            .flat_map(|y| (0..AREA.width).map(move |x| (y, x)))
            .map(|(y, x)| screen.cell(y, x).map(shown).unwrap_or_default())
            .collect()
    }

    proptest! {
        #[test]
        fn a_terminal_shows_what_the_librarys_own_way_shows(sheets in prop::collection::vec(sheet(), 1..5)) {
            let (ours, theirs) = (Paper::default(), Paper::default());
            let mut pen = Pen::new(ours.clone());
            let mut plain = CrosstermBackend::new(theirs.clone());
            let mut before = Buffer::empty(AREA);
            for sheet in sheets {
                pen.draw(before.diff(&sheet).into_iter()).unwrap();
                plain.draw(before.diff(&sheet).into_iter()).unwrap();
                before = sheet;
                let (ours, theirs) = (ours.0.borrow(), theirs.0.borrow());
                prop_assert_eq!(screen(&ours), screen(&theirs));
                prop_assert!(ours.len() <= theirs.len());
            }
        }
    }

    fn drawn(cells: &[(u16, u16, &str, Style)]) -> String {
        let paper = Paper::default();
        let cells: Vec<_> = cells
            .iter()
            .map(|(x, y, symbol, style)| {
                let mut cell = Cell::default();
                cell.set_symbol(symbol).set_style(*style);
                (*x, *y, cell)
            })
            .collect();
        let mut pen = Pen::new(paper.clone());
        pen.draw(cells.iter().map(|(x, y, cell)| (*x, *y, cell))).unwrap();
        let bytes = paper.0.borrow().clone();
        String::from_utf8(bytes).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn only_what_differs_is_said() {
        let ground = Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Rgb(4, 5, 6));
        let bold = ground.fg(Color::Rgb(7, 8, 9)).add_modifier(Modifier::BOLD);
        assert_eq!(drawn(&[]), "");
        assert_eq!(
            drawn(&[
                (0, 0, "a", ground),
                (1, 0, " ", bold),
                (2, 0, "b", ground),
                (3, 0, "c", bold)
            ]),
            "^[1;1H^[38;2;1;2;3;48;2;4;5;6ma b^[1;38;2;7;8;9mc^[m"
        );
        let line = Style::new().add_modifier(Modifier::UNDERLINED);
        assert_eq!(
            drawn(&[(2, 1, " ", line), (3, 1, " ", Style::new())]),
            "^[2;3H^[4m ^[m "
        );
    }

    #[test]
    fn a_weight_that_goes_leaves_the_other() {
        let both = Style::new().add_modifier(Modifier::BOLD | Modifier::DIM);
        let dim = Style::new().add_modifier(Modifier::DIM);
        let struck = dim.add_modifier(Modifier::CROSSED_OUT);
        assert_eq!(
            drawn(&[
                (0, 0, "a", both),
                (1, 0, "b", dim),
                (2, 0, "c", struck),
                (3, 0, "d", dim)
            ]),
            "^[1;1H^[1;2ma^[22;2mb^[9mc^[29md^[m"
        );
    }

    #[test]
    fn a_gap_behind_letters_of_unsure_width_is_not_counted() {
        let plain = Style::new();
        assert_eq!(
            drawn(&[(0, 0, "a", plain), (2, 0, "b", plain), (9, 0, "c", plain)]),
            "^[1;1Ha^[Cb^[6Cc"
        );
        assert_eq!(drawn(&[(0, 0, "◐", plain), (3, 0, "b", plain)]), "^[1;1H◐^[1;4Hb");
    }

    #[test]
    fn nothing_old_stands_beside_a_letter_that_is_narrower_than_its_room() {
        let paper = Paper::default();
        let mut pen = Pen::new(paper.clone());
        let mut cell = Cell::default();
        cell.set_symbol("α");
        cell.set_diff_option(CellDiffOption::ForcedWidth(2.try_into().unwrap()));
        let cells = [Cell::from('x'), Cell::from('y')];
        let row = cells.iter().zip(0..).map(|(cell, x)| (x, 0, cell));
        pen.draw(row.chain([(0, 0, &cell)])).unwrap();
        // This one takes the letter for one column wide.
        let mut terminal = vt100::Parser::new(1.try_into().unwrap(), 10.try_into().unwrap(), 0);
        terminal.process(&paper.0.borrow());
        assert_eq!(terminal.screen().contents().trim_end(), "α");
    }
}
