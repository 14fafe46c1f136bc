//! Rows cover the text, fit the width, and cost what is in sight. Must not know: the screen.

use proptest::prelude::*;

use super::*;

fn shown(text: &str, width: usize, breaks: Breaks) -> Vec<&str> {
    let wrap = Wrap::of(text, width, breaks);
    let rows = wrap.window(text, 0, usize::MAX);
    assert_eq!(rows.len(), wrap.rows());
    rows.into_iter().map(|row| &text[row.shown]).collect()
}

#[test]
fn words_stay_whole_where_they_fit() {
    assert_eq!(
        shown("the quick brown fox\njumps", 10, Breaks::Words),
        ["the quick", "brown fox", "jumps"]
    );
    assert_eq!(shown("abcdefghij kl", 5, Breaks::Words), ["abcde", "fghij", "kl"]);
    assert_eq!(shown("ab cd", 4, Breaks::Anywhere), ["ab c", "d"]);
}

#[test]
fn empty_lines_and_ends() {
    assert_eq!(shown("", 5, Breaks::Words), Vec::<&str>::new());
    assert_eq!(shown("\n\na", 5, Breaks::Words), ["", "", "a"]);
    assert_eq!(shown("a\n", 5, Breaks::Words), ["a"]);
    assert_eq!(shown("abcde\nf", 5, Breaks::Words), ["abcde", "f"]);
}

#[test]
fn graphemes_are_not_cut() {
    assert_eq!(shown("日本語", 4, Breaks::Anywhere), ["日本", "語"]);
    assert_eq!(
        shown("日本語", 1, Breaks::Anywhere),
        ["日", "本", "語"],
        "too wide, yet shown"
    );
    assert_eq!(shown("ab\u{301}cd", 2, Breaks::Anywhere), ["ab\u{301}", "cd"]);
    assert_eq!(shown("a👩‍🚀b", 3, Breaks::Anywhere), ["a👩‍🚀", "b"]);
}

#[test]
fn a_line_of_ten_megabytes_costs_the_window() {
    let text = "0123456789".repeat(1024 * 1024);
    let mut wrap = Wrap::new(80, Breaks::Words);
    assert!(!wrap.index(&text, 8000), "a budget is kept");
    assert_eq!(wrap.rows(), 100);
    assert_eq!(wrap.window(&text, 90, 60).len(), 10, "no more than is known");
    assert!(wrap.index(&text, usize::MAX));
    assert_eq!(wrap.rows(), 131_072);
    assert!(wrap.starts.len() <= 2049);
    let rows = wrap.window(&text, 100_000, 60);
    assert_eq!(rows.len(), 60);
    assert_eq!(rows[0].shown, 8_000_000..8_000_080);
    assert_eq!(wrap.row_of(&text, 8_000_000), Some(100_000));
    assert_eq!(wrap.row_of(&text, text.len()), None);
}

#[test]
fn what_was_seen_is_kept_over_a_change_of_width() {
    let text = "one two three four five six";
    let mut seen = Seen::default();
    seen.mark_rows(&Wrap::of(text, 10, Breaks::Words).window(text, 0, 1));
    assert_eq!(seen.unread_bytes(text.len()), text.len() - 8);
    assert!(!seen.complete(text.len()));
    assert_eq!(seen.first_unread(text.len()), Some(8));
    let wide = Wrap::of(text, 14, Breaks::Words).window(text, 1, 5);
    seen.mark_rows(&wide);
    assert_eq!(seen.first_unread(text.len()), Some(8));
    seen.mark_rows(&Wrap::of(text, 5, Breaks::Anywhere).window(text, 1, 2));
    assert!(seen.complete(text.len()), "{seen:?}");
    assert_eq!(seen.first_unread(text.len()), None);
    assert!(!seen.complete(text.len() + 1));
    assert!(Seen::default().complete(0));
}

#[test]
fn scrolling_stays_in_the_text_and_follows_its_end() {
    let mut scroll = Scroll::new();
    scroll.by(-5, 100, 10);
    assert_eq!(scroll.top(100, 10), 0);
    scroll.page(true, 100, 10);
    assert_eq!(scroll.top(100, 10), 9);
    scroll.by(1000, 100, 10);
    assert_eq!(scroll.top(100, 10), 90);
    assert!(scroll.is_following());
    assert_eq!(scroll.top(120, 10), 110, "more came");
    scroll.by(-1, 120, 10);
    assert_eq!(scroll.top(130, 10), 109, "no longer followed");
    scroll.show(5, 130, 10);
    assert_eq!(scroll.top(130, 10), 5);
    scroll.show(20, 130, 10);
    assert_eq!(scroll.top(130, 10), 11);
    assert_eq!(scroll.top(3, 10), 0, "a text that shrank");
    scroll.to_end();
    assert_eq!(scroll.top(130, 0), 130);
    scroll.page(false, 130, 0);
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[ -~]{0,12}",
        3 => Just(" ".to_owned()),
        2 => Just("\n".to_owned()),
        1 => "\\PC{0,4}",
        1 => prop::sample::select(vec![
            "日", "é", "e\u{301}", "👩‍🚀", "🇩🇪", "\u{200d}", "☁\u{fe0f}", "🐈\u{fe0e}", "\t", "\r\n", "한", "\u{0}",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn breaks() -> impl Strategy<Value = Breaks> {
    prop::sample::select(vec![Breaks::Words, Breaks::Anywhere])
}

proptest! {
    #[test]
    fn rows_cover_the_text_and_fit(text in text(), width in 1_usize..30, breaks in breaks()) {
        let wrap = Wrap::of(&text, width, breaks);
        let rows = wrap.window(&text, 0, usize::MAX);
        let mut at = 0;
        for (no, row) in rows.iter().enumerate() {
            prop_assert_eq!(row.shown.start, at);
            prop_assert!(row.next > at);
            let left_out = &text[row.shown.end..row.next];
            let may_leave = left_out.is_empty() || left_out == "\n" || (breaks == Breaks::Words && left_out == " ");
            prop_assert!(may_leave, "{:?}", left_out);
            let shown = &text[row.shown.clone()];
            prop_assert!(!shown.contains('\n') || shown.contains("\r\n"));
            let columns: usize = shown.graphemes(true).map(|grapheme| grapheme.width().max(1)).sum();
            prop_assert!(columns <= width || shown.graphemes(true).count() == 1);
            prop_assert_eq!(wrap.row_of(&text, at), Some(no));
            prop_assert_eq!(wrap.row_of(&text, row.next - 1), Some(no));
            at = row.next;
        }
        prop_assert_eq!(at, text.len());
        for first in 0..rows.len() {
            let end = (first + 3).min(rows.len());
            prop_assert_eq!(wrap.window(&text, first, 3), &rows[first..end]);
        }
    }

    #[test]
    fn learning_in_pieces_and_growing_change_nothing(
        text in text(), width in 1_usize..12, breaks in breaks(), budget in 1_usize..40,
    ) {
        let whole = Wrap::of(&text, width, breaks);
        let mut slow = Wrap::new(width, breaks);
        while !slow.index(&text, budget) {}
        prop_assert_eq!(slow.window(&text, 0, usize::MAX), whole.window(&text, 0, usize::MAX));
        let mut grown = Wrap::new(width, breaks);
        for (end, _) in text.char_indices() {
            grown.index(&text[..end], usize::MAX);
        }
        grown.index(&text, usize::MAX);
        prop_assert_eq!(grown.window(&text, 0, usize::MAX), whole.window(&text, 0, usize::MAX));
        prop_assert_eq!(grown.starts, whole.starts);
    }

    #[test]
    fn seen_counts_bytes(pieces in prop::collection::vec((0_usize..50, 0_usize..20), 0..20)) {
        let mut seen = Seen::default();
        let mut plain = [false; 70];
        for (start, len) in pieces {
            seen.mark(start..start + len);
            plain[start..start + len].fill(true);
            prop_assert_eq!(seen.unread_bytes(70), plain.iter().filter(|byte| !**byte).count());
            prop_assert_eq!(seen.first_unread(70), plain.iter().position(|byte| !byte));
        }
    }
}
