//! Rows agree with the text, at any width; only the visible part is made.

use proptest::prelude::*;

use super::rows::MADE;
use super::*;
use crate::ground::columns::Columns as _;

fn all(text: &str, width: u16, wrap: Wrap) -> Vec<Row> {
    let pager = Pager::new(text.into(), width, wrap);
    pager.window(0, pager.rows(), None)
}

#[test]
fn words_stay_whole_where_they_fit() {
    let rows: Vec<String> = all("one two three", 8, Wrap::Words)
        .iter()
        .map(Row::text)
        .collect();
    assert_eq!(rows, ["one two ", "three"]);
    let rows: Vec<String> = all("one two three", 6, Wrap::Chars)
        .iter()
        .map(Row::text)
        .collect();
    assert_eq!(rows, ["one tw", "o thre", "e"]);
}

#[test]
fn a_wide_character_is_not_cut() {
    let rows: Vec<String> = all("日本語", 5, Wrap::Chars).iter().map(Row::text).collect();
    assert_eq!(rows, ["日本", "語"]);
}

#[test]
fn what_is_invisible_takes_room() {
    let rows: Vec<String> = all("a\u{202e}b", 20, Wrap::Chars).iter().map(Row::text).collect();
    assert_eq!(rows, ["a⟨U+202E⟩b"]);
}

#[test]
fn ten_megabytes_on_one_line_are_cut_into_blocks() {
    let text: Arc<str> = "abcdefghij".repeat(1_000_000).into();
    let pager = Pager::new(Arc::clone(&text), 80, Wrap::Chars);
    assert!(pager.rows() >= text.len() / 80);
    assert!(pager.blocks.iter().all(|block| block.bytes.len() <= BLOCK + BACK));
    let last = pager.window(pager.rows() - 1, 5, None);
    assert_eq!(last.len(), 1);
    assert!(last[0].text().ends_with("hij"));
}

#[test]
fn every_byte_is_in_some_row() {
    let pager = Pager::new("ab\ncd\n".into(), 10, Wrap::Chars);
    assert_eq!(pager.rows(), 3);
    assert_eq!(pager.bytes_in(&(0..3)), 6);
    assert_eq!(pager.bytes_in(&(1..2)), 3);
    // A long line is one line, however many pieces it is cut into.
    for text in [
        "",
        "\n",
        "a",
        "a\n\nb\n",
        &"x".repeat(3 * BLOCK),
        &format!("{}\nend", "y z ".repeat(BLOCK)),
    ] {
        let pager = Pager::new(text.into(), 70, Wrap::Chars);
        assert_eq!(pager.bytes_in(&(0..pager.rows())), text.len() as u64);
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn windows_agree_with_the_whole_and_no_row_is_too_wide(
        text in "([ -~]|日|\u{301}|\u{202e}|\n|\t| ){0,200}", width in 1u16..30, words: bool, from in 0usize..40,
    ) {
        let wrap = if words { Wrap::Words } else { Wrap::Chars };
        let pager = Pager::new(text.as_str().into(), width, wrap);
        let rows = pager.window(0, usize::MAX, None);
        prop_assert_eq!(rows.len(), pager.rows());
        let part = pager.window(from, 5, None);
        let expected: Vec<Row> = rows.iter().skip(from).take(5).cloned().collect();
        prop_assert_eq!(part, expected);
        for row in &rows {
            prop_assert!(row.text().columns() <= usize::from(width).max(2), "{:?}", row);
        }
        let shown: String = rows.iter().map(Row::text).collect();
        let whole: String = text.split('\n').map(overrule_base::text::visible_line).collect();
        prop_assert_eq!(shown, whole);
    }
}

fn inks(row: &Row) -> Vec<(&str, Tint, bool)> {
    row.pieces
        .iter()
        .map(|piece| (piece.text.as_str(), piece.ink.tint, piece.ink.hit))
        .collect()
}

#[test]
fn tokens_of_json_keep_their_tint_over_rows() {
    let pager = Pager::json(r#"{"abc":"a long string",1}"#.into(), 10, Wrap::Chars);
    let rows = pager.window(0, usize::MAX, None);
    assert_eq!(
        inks(&rows[0]),
        [
            ("{", Tint::Punct, false),
            ("\"abc\"", Tint::Key, false),
            (":", Tint::Punct, false),
            ("\"a ", Tint::String, false)
        ]
    );
    assert_eq!(inks(&rows[1]), [("long strin", Tint::String, false)]);
    assert_eq!(inks(&rows[2])[0], ("g\"", Tint::String, false));
}

#[test]
fn a_match_across_a_row_end_is_highlighted() {
    let find = Regex::new("lo w").unwrap();
    let pager = Pager::new("hello world".into(), 4, Wrap::Chars);
    let rows = pager.window(0, usize::MAX, Some(&find));
    assert_eq!(
        inks(&rows[0]),
        [("hel", Tint::None, false), ("l", Tint::None, true)]
    );
    assert_eq!(inks(&rows[1])[0], ("o w", Tint::None, true));
    assert_eq!(pager.find(&find, 0, false), Some(0));
    assert_eq!(pager.find(&find, 1, false), Some(1));
    assert_eq!(pager.find(&find, 2, false), None);
    assert_eq!(pager.find(&find, 3, true), Some(1));
}

#[test]
fn something_in_ten_megabytes_is_found_forwards_and_back() {
    let mut text = "abcdefghij".repeat(1_000_000);
    text.replace_range(5_000_000..5_000_006, "needle");
    text.replace_range(20..26, "needle");
    let find = Regex::new("(?i)NEEDLE").unwrap();
    let pager = Pager::json(text.as_str().into(), 100, Wrap::Chars);
    assert_eq!(pager.find(&find, 0, false), Some(0));
    let second = pager.find(&find, 1, false).unwrap();
    let row = &pager.window(second, 1, Some(&find))[0];
    assert!(row.pieces.iter().any(|piece| piece.ink.hit), "{row:?}");
    assert_eq!(pager.find(&find, second + 1, false), None);
    assert_eq!(pager.find(&find, pager.rows(), true), Some(second));
    assert_eq!(pager.find(&find, second, true), Some(0));
}

/// Number of bytes made into rows during an action.
fn work(what: impl FnOnce()) -> usize {
    let before = MADE.with(std::cell::Cell::get);
    what();
    MADE.with(std::cell::Cell::get) - before
}

#[test]
fn a_frame_of_ten_megabytes_costs_a_few_blocks_wherever_it_is() {
    let one_line: Arc<str> = format!("{{\"content\":\"{}\"}}", "abcdefghij".repeat(1_000_000)).into();
    let many_lines: Arc<str> = "a line of some sixty characters, more or less, as code has them\n"
        .repeat(160_000)
        .into();
    let find = Regex::new("(?i)nowhere in it").unwrap();
    for text in [one_line, many_lines] {
        let mut pager = None;
        let making = work(|| pager = Some(Pager::json(Arc::clone(&text), 120, Wrap::Chars)));
        assert_eq!(making, 0, "plain text is divided, not walked");
        let pager = pager.unwrap();
        for at in [0, pager.rows() / 2, pager.rows() - 60] {
            let frame = work(|| drop(pager.window(at, 60, Some(&find))));
            assert!(frame <= 4 * (BLOCK + BACK), "{frame} bytes for a frame at {at}");
        }
        let search = work(|| assert_eq!(pager.find(&find, 0, false), None));
        assert!(
            search <= 2 * (BLOCK + BACK),
            "{search} bytes of rows for a search"
        );
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn what_is_found_is_where_the_text_has_it(
        text in "[ab \n\u{202e}]{0,120}", width in 1u16..12, words: bool, requested in "[ab]{1,3}", row in 0usize..30,
    ) {
        let wrap = if words { Wrap::Words } else { Wrap::Chars };
        let pager = Pager::new(text.as_str().into(), width, wrap);
        let find = Regex::new(&requested).unwrap();
        let highlighted: Vec<usize> = pager.window(0, usize::MAX, Some(&find)).iter().enumerate()
            .filter(|(_, row)| row.pieces.iter().any(|piece| piece.ink.hit)).map(|(at, _)| at).collect();
        prop_assert_eq!(highlighted.is_empty(), !text.contains(&requested));
        prop_assert_eq!(pager.find(&find, row, false), highlighted.iter().copied().find(|at| *at >= row));
        prop_assert_eq!(pager.find(&find, row, true), highlighted.iter().copied().rev().find(|at| *at < row));
        let plain: Vec<String> = pager.window(0, usize::MAX, None).iter().map(Row::text).collect();
        let searched: Vec<String> = pager.window(0, usize::MAX, Some(&find)).iter().map(Row::text).collect();
        prop_assert_eq!(plain, searched, "a search changes no row");
    }
}

#[test]
fn a_style_holds_over_rows_and_blocks_and_a_search() {
    let text: Arc<str> = format!("a\u{1b}[31m{}\n{}z\u{1b}[mend", "bc".repeat(3000), "d".repeat(9)).into();
    let pager = Pager::coloured(&text, 10, Wrap::Chars).unwrap();
    assert!(pager.blocks.len() > 2);
    let red = |row: &Row| -> Vec<(String, bool)> {
        let sender = |piece: &Piece| (piece.text.clone(), piece.ink.sgr != Sgr::default());
        row.pieces.iter().map(sender).collect()
    };
    let rows = pager.window(0, usize::MAX, None);
    assert_eq!(red(&rows[0]), [("a".into(), false), ("bcbcbcbcb".into(), true)]);
    assert_eq!(red(&rows[500]), [("cbcbcbcbcb".into(), true)]);
    assert_eq!(red(&rows[rows.len() - 1]), [("end".into(), false)]);
    assert_eq!(red(&rows[rows.len() - 2]), [("dddddddddz".into(), true)]);
    assert_eq!(pager.text(), &text, "what is copied is exact");
    // A search matches the shown text: a sequence inside a word hides no match.
    let find = Regex::new("zend").unwrap();
    assert_eq!(pager.find(&find, 0, false), Some(rows.len() - 2));
}

#[test]
fn a_frame_of_ten_coloured_megabytes_costs_a_few_blocks_wherever_it_is() {
    let line = "\u{1b}[1;33mwarning\u{1b}[0m: a line of \u{1b}[38;2;1;200;3msome sixty\u{1b}[0m characters, as compilers write\n";
    let text: Arc<str> = line.repeat(110_000).into();
    assert!(text.len() > 10_000_000);
    let pager = Pager::coloured(&text, 120, Wrap::Chars).unwrap();
    for at in [0, pager.rows() / 2, pager.rows() - 61] {
        let mut rows = Vec::new();
        let frame = work(|| rows = pager.window(at, 60, None));
        assert!(frame <= 4 * (BLOCK + BACK), "{frame} bytes for a frame at {at}");
        assert!(
            rows.iter().all(|row| row.pieces[0].ink.sgr.bold),
            "the first words of every line"
        );
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn without_their_looks_the_rows_are_those_of_the_text_without_its_sequences(
        text in "(\u{1b}\\[[0-9;]{0,6}m|\u{1b}\\[2J|[ab ]{1,4}|日|\u{301}|\u{202e}|\n){0,40}", width in 1u16..20, words: bool,
    ) {
        let wrap = if words { Wrap::Words } else { Wrap::Chars };
        let left = Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&text, "").into_owned();
        let shown: Vec<String> = match Pager::coloured(&text.as_str().into(), width, wrap) {
            Some(pager) => pager.window(0, usize::MAX, None).iter().map(Row::text).collect(),
            None => all(&text, width, wrap).iter().map(Row::text).collect(),
        };
        let requested: Vec<String> = all(&left, width, wrap).iter().map(Row::text).collect();
        prop_assert_eq!(&shown, &requested);
        let whole: String = left.split('\n').map(overrule_base::text::visible_line).collect();
        prop_assert_eq!(shown.concat(), whole);
    }
}
