//! A terminal shows what was drawn, in few bytes. Must not know: what is drawn.

use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;
use ratatui::buffer::{Buffer, CellDiffOption};
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

fn runs(cells: Vec<(u16, u16, &Cell)>) -> Runs {
    let mut runs = Runs::default();
    runs.take(cells.into_iter());
    runs
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
    let mut parser = vt100::Parser::new(AREA.height.try_into().unwrap(), AREA.width.try_into().unwrap(), 0);
    parser.process(bytes);
    let screen = parser.screen();
    (0..AREA.height)
        .flat_map(|y| (0..AREA.width).map(move |x| (y, x)))
        .map(|(y, x)| screen.cell(y, x).map(shown).unwrap_or_default())
        .collect()
}

#[test]
fn numbers_are_said_as_they_are() {
    for number in [0, 1, 9, 10, 99, 100, 999, 1_000, 9_999, 10_000, u16::MAX] {
        let mut bytes = Vec::new();
        decimal(&mut bytes, number);
        assert_eq!(String::from_utf8(bytes).unwrap(), number.to_string());
    }
}

#[test]
fn what_stands_side_by_side_is_one_run() {
    let (red, blue) = (Style::new().fg(Color::Red), Style::new().fg(Color::Blue));
    let line = blue.add_modifier(Modifier::UNDERLINED);
    let mut sheet = Buffer::empty(AREA);
    sheet.set_string(0, 0, "  one two", red);
    sheet.set_string(9, 0, "  ", blue.bg(Color::Red));
    sheet.set_string(0, 1, "ab  ", red);
    sheet.set_string(4, 1, "cd", blue);
    sheet.set_string(6, 1, " ", line);
    sheet.set_string(0, 2, "─日", red);
    let placed = [(0, 11), (1, 7), (2, 2)].into_iter();
    let placed = placed.flat_map(|(y, end)| (0..end).map(move |x| (x, y)));
    let runs = runs(placed.map(|at| (at.0, at.1, &sheet[at])).collect());
    let told = runs.list().iter().map(|run| (run.x, run.y, runs.text(run)));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            (0, 0, "  one two"),
            (9, 0, "  "),
            (0, 1, "ab  "),
            (4, 1, "cd"),
            (6, 1, " "),
            (0, 2, "─"),
            (1, 2, "日"),
        ]
    );
}

proptest! {
    #[test]
    fn the_order_of_writing_changes_nothing_on_the_screen(sheets in prop::collection::vec(sheet(), 1..5)) {
        let (mut in_order, mut together) = (Vec::new(), Vec::new());
        let mut before = Buffer::empty(AREA);
        for sheet in sheets {
            let runs = runs(before.diff(&sheet));
            let mut bytes = Vec::new();
            write(&runs, runs.list().iter(), &mut bytes);
            in_order.extend_from_slice(&bytes);
            if let Some(order) = order::alike(&runs) {
                prop_assert_eq!(order.len(), runs.list().len(), "each once");
                write(&runs, order::put(&order, runs.list()), &mut bytes);
            }
            together.extend_from_slice(&bytes);
            before = sheet.clone();
            prop_assert_eq!(screen(&in_order), screen(&together));
        }
    }

    #[test]
    fn what_a_terminal_draws_wider_than_its_room_covers_nothing_that_was_drawn(
        row in prop::collection::vec((0..3_u8, prop::sample::select(vec!["a", " ", "─", "●", "→", "日", "e\u{301}"])), 2..40),
    ) {
        let cells: Vec<Cell> = row
            .iter()
            .map(|(colour, symbol)| {
                let mut cell = Cell::default();
                cell.set_symbol(symbol).set_fg(Color::Indexed(*colour));
                cell
            })
            .collect();
        // Here and there nothing is to be written, and the row ends in the middle.
        let placed = cells.iter().zip(0_u16..).filter(|(_, at)| at % 7 != 3);
        let cells: Vec<_> = placed.map(|(cell, at)| (at % 20, at / 20, cell)).collect();
        let runs = runs(cells.clone());
        let order = order::alike(&runs).unwrap_or_else(|| (0..runs.list().len() as u32).collect());
        let mut shown = vec![[None; 40]; 2];
        for run in order::put(&order, runs.list()) {
            let row = &mut shown[usize::from(run.y)][usize::from(run.x)..];
            let text = runs.text(run);
            match text {
                plain if plain.is_ascii() => {
                    for (at, cell) in row[..plain.len()].iter_mut().enumerate() {
                        *cell = plain.get(at..=at);
                    }
                }
                "─" | "●" | "→" => row[..2].fill(Some(text)),
                _ => row[..6].fill(Some(text)),
            }
        }
        for (x, y, cell) in cells {
            prop_assert_eq!(shown[usize::from(y)][usize::from(x)], Some(cell.symbol()), "{} {}", x, y);
        }
    }

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

#[test]
fn what_looks_alike_is_written_together_where_that_is_shorter() {
    let paper = Paper::default();
    let red = Style::new().fg(Color::Rgb(250, 10, 10));
    let blue = Style::new().fg(Color::Rgb(10, 10, 250));
    let area = Rect::new(0, 0, 40, 10);
    let mut sheet = Buffer::empty(area);
    for y in 0..10 {
        sheet.set_string(0, y, "│ one two", red);
        sheet.set_string(12, y, "three four", blue);
    }
    let mut pen = Pen::new(paper.clone());
    pen.draw(Buffer::empty(area).diff(&sheet).into_iter()).unwrap();
    let said = String::from_utf8(paper.0.borrow().clone()).unwrap();
    assert_eq!(said.matches("38;2").count(), 2, "each colour once: {said:?}");
    assert!(
        said.rfind('│').unwrap() < said.find("one").unwrap(),
        "what may be of another width comes first: {said:?}"
    );

    let runs = runs(Buffer::empty(area).diff(&sheet));
    let mut in_order = Vec::new();
    write(&runs, runs.list().iter(), &mut in_order);
    assert!(
        said.len() * 3 < in_order.len() * 2,
        "{} {}",
        said.len(),
        in_order.len()
    );
}

#[test]
fn letters_of_unsure_width_are_put_together_too() {
    let paper = Paper::default();
    let (node, line) = (
        Style::new().fg(Color::Rgb(10, 250, 10)),
        Style::new().fg(Color::Rgb(120, 120, 120)),
    );
    let area = Rect::new(0, 0, 40, 10);
    let mut sheet = Buffer::empty(area);
    for y in 0..10 {
        sheet.set_string(0, y, "●", node);
        sheet.set_string(1, y, "─┬─╮", line);
        sheet.set_string(8, y, "●", node);
        sheet.set_string(12, y, "three four", line);
    }
    let mut pen = Pen::new(paper.clone());
    pen.draw(Buffer::empty(area).diff(&sheet).into_iter()).unwrap();
    let said = String::from_utf8(paper.0.borrow().clone()).unwrap();
    assert_eq!(said.matches("38;2").count(), 2, "each colour once: {said:?}");
}
