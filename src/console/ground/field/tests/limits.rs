//! What the library does not promise by itself: exact text, whole undo, and every place up to the limits.

use proptest::prelude::*;

use super::drawn::reversed;
use super::keys;
use crate::ground::field::{Field, LIMIT, LINE, LINES, Reach, TextVerb, too_much};
use crate::ground::key::{Code, Key};
use crate::ground::motion::Move;

/// Texts in which nearly every character is one that an editor likes to change.
fn breaks() -> impl Strategy<Value = String> {
    let pieces = [
        "\r",
        "\r",
        "\n",
        "\n",
        "\r\n",
        "\0",
        "\u{b}",
        "\u{85}",
        "\u{2028}",
        "\u{e000}",
        "\u{10fffd}",
        "\u{fffe}",
        "e\u{301}",
        "a",
        " ",
        "\t",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    /// Opened, typed, inserted in the middle, replaced, cut and inserted again: the text is exact.
    #[test]
    fn a_carriage_return_stays_however_it_came(text in breaks(), around in breaks(), at in any::<prop::sample::Index>()) {
        let opened = Field::lines(&text);
        prop_assert_eq!(&opened.text(), &text);
        prop_assert_eq!((opened.len(), opened.rows()), (text.len(), text.split('\n').count()));
        let mut field = Field::lines("");
        keys(&mut field, &text);
        prop_assert_eq!(&field.text(), &text);
        field.replace(&around);
        prop_assert_eq!(&field.text(), &around);
        let bounds: Vec<usize> = around.char_indices().map(|(at, _)| at).chain([around.len()]).collect();
        let at = *at.get(&bounds);
        prop_assert!(field.splice(at..at, &text));
        let (before, after) = around.split_at(at);
        let all = format!("{before}{text}{after}");
        prop_assert_eq!(&field.text(), &all);
        if !text.is_empty() {
            prop_assert_eq!(field.offset(), at + text.len());
        }
        field.select_all();
        prop_assert_eq!(&field.selected(), &all);
        field.edit(TextVerb::Cut);
        prop_assert_eq!((field.text(), field.taken()), (String::new(), all.clone()));
        let taken = field.taken();
        prop_assert_eq!(field.type_in(&taken), 0);
        prop_assert_eq!(&field.text(), &all);
        field.edit(TextVerb::Undo);
        prop_assert_eq!(field.text(), "");
        field.edit(TextVerb::Redo);
        prop_assert_eq!(&field.text(), &all);
        // Everything is undone, and the cursor can go everywhere.
        while !field.is_unchanged() {
            let before = field.text();
            field.edit(TextVerb::Undo);
            prop_assert_ne!(field.text(), before);
        }
        for at in bounds {
            field.replace(&around);
            prop_assert!(field.splice(at..at, "|"));
            prop_assert_eq!(field.text(), format!("{}|{}", &around[..at], &around[at..]));
        }
    }
}

#[test]
fn a_text_is_as_long_as_the_limits_and_no_longer() {
    let lines = |len: usize| "0123456\n".repeat(len / 8) + &"x".repeat(len % 8);
    let cases = [
        (lines(LIMIT), None),
        (
            lines(LIMIT + 1),
            Some("65537 bytes are too many to type in (at most 65536)"),
        ),
        ("x".repeat(LINE), None),
        (
            "x".repeat(LINE + 1),
            Some("65536 characters in one line are too many to type in (at most 65535)"),
        ),
        (format!("x\n{}", "x".repeat(LINE - 1)), None),
        ("ü".repeat(LIMIT / 2), None),
        ("\n".repeat(LINES - 1), None),
        (
            "\n".repeat(LINES),
            Some("30001 lines are too many to type in (at most 30000)"),
        ),
        (String::new(), None),
    ];
    for (text, why) in cases {
        assert_eq!(too_much(&text).as_deref(), why);
        if why.is_some() {
            continue;
        }
        // Every place can be reached and changed.
        let mut field = Field::lines(&text);
        field.to_end();
        assert_eq!(field.offset(), text.len());
        field.select_all();
        assert!(field.selected() == text, "all of it is selected");
        if let Some((last, _)) = text.char_indices().next_back() {
            field.to_end();
            field.step(Move::Left);
            assert_eq!(field.offset(), last);
            assert!(field.key(Key::plain(Code::Delete)));
            assert!(field.text() == text[..last]);
            field.edit(TextVerb::Undo);
        }
        assert!(field.text() == text);
    }
}

#[test]
fn nothing_brings_a_field_above_its_limits() {
    type Change = fn(&mut Field);
    let full = [
        "x".repeat(LINE),
        "0123456\n".repeat(LIMIT / 8),
        "\n".repeat(LINES - 1),
    ];
    let changes: [Change; 5] = [
        |field| assert_eq!(field.type_in("\nyz"), 3),
        |field| assert!(field.paste("\ny").is_err()),
        |field| assert!(!field.splice(0..0, "\ny")),
        |field| field.replace(&"x\n".repeat(LIMIT)),
        |field| assert_eq!(field.type_in(&"\n".repeat(LIMIT)), LIMIT),
    ];
    for text in full {
        for change in changes {
            let mut field = Field::lines(&text);
            if text.len() < LIMIT && !text.starts_with('\n') {
                // A line break fits at the end of a line, and nothing more.
                assert_eq!(field.type_in("yz"), 2);
                assert!(field.text() == text);
                field.to_end();
                assert_eq!(field.type_in("\n"), 0);
                assert!(field.text() == format!("{text}\n"));
            }
            let before = field.text();
            change(&mut field);
            assert!(field.text() == before, "nothing was typed in part or lost");
            assert_eq!(too_much(&field.text()), None);
            // Typing over a selection needs no room.
            field.select_all();
            assert_eq!(field.type_in("yz"), 0);
            assert_eq!(field.text(), "yz");
        }
    }
}

#[test]
fn as_many_replacements_as_changes_are_undone_and_not_one_of_them_in_part() {
    let mut field = Field::lines("first");
    for no in 0..600 {
        field.select_all();
        assert_eq!(field.type_in(&format!("text {no}")), 0);
    }
    for no in (99..599).rev() {
        field.edit(TextVerb::Undo);
        assert_eq!(field.text(), format!("text {no}"));
    }
    field.edit(TextVerb::Undo);
    assert_eq!(field.text(), "text 99", "older changes are forgotten");
    for no in 100..600 {
        field.edit(TextVerb::Redo);
        assert_eq!(field.text(), format!("text {no}"));
    }
    field.edit(TextVerb::Redo);
    assert_eq!(field.text(), "text 599");
    field.edit(TextVerb::Undo);
    keys(&mut field, "!");
    field.edit(TextVerb::Redo);
    assert_eq!(field.text(), "text 598!", "a change forgets what was undone");
}

#[test]
fn an_undo_brings_the_cursor_back_to_where_it_was() {
    type Change = fn(&mut Field);
    let changes: [Change; 6] = [
        |field| assert!(field.key(Key::plain(Code::Delete))),
        |field| assert!(field.key(Key::plain(Code::Backspace))),
        |field| field.edit(TextVerb::EraseEnd),
        |field| field.edit(TextVerb::EraseWord),
        |field| assert!(field.splice(0..3, "uno")),
        |field| field.replace("new"),
    ];
    for change in changes {
        let mut field = Field::lines("one two\nthree");
        field.edit(TextVerb::WordRight);
        change(&mut field);
        field.edit(TextVerb::Undo);
        assert_eq!((field.text().as_str(), field.offset()), ("one two\nthree", 4));
    }
}

#[test]
fn a_move_by_words_stops_at_the_ends_of_lines() {
    let mut field = Field::lines("one \n  two");
    let places = |field: &mut Field, verb| {
        let step = |_| {
            field.edit(verb);
            field.offset()
        };
        (0..5).map(step).collect::<Vec<_>>()
    };
    assert_eq!(places(&mut field, TextVerb::WordRight), [5, 7, 10, 10, 10]);
    assert_eq!(places(&mut field, TextVerb::WordLeft), [7, 4, 0, 0, 0]);
    // Erasing by words takes the blanks of a line, and then its break.
    field.edit(TextVerb::WordRight);
    field.edit(TextVerb::WordRight);
    field.edit(TextVerb::EraseWord);
    assert_eq!(field.text(), "one \ntwo");
    field.edit(TextVerb::EraseWord);
    assert_eq!((field.text().as_str(), field.taken().as_str()), ("one two", "\n"));
}

#[test]
fn hidden_characters_at_the_edges_of_lines_are_passed_and_erased_like_others() {
    // The library counts the columns of characters, and these have none.
    let text = "\u{1b}\u{200b}a\u{301}\n\0\n\u{200b}";
    let mut field = Field::lines(text);
    let mut places = vec![field.offset()];
    for _ in 0..7 {
        field.step(Move::Right);
        places.push(field.offset());
    }
    assert_eq!(places, [0, 1, 4, 7, 8, 9, 10, 13]);
    for place in places.iter().rev().skip(1) {
        field.step(Move::Left);
        assert_eq!(field.offset(), *place);
    }
    for left in (0..7).rev() {
        assert!(field.key(Key::plain(Code::Delete)));
        assert_eq!(field.offset(), 0, "{left} are left");
    }
    assert!(field.is_empty());
}

#[test]
fn a_line_feed_in_a_field_of_one_line_is_a_mark_in_it() {
    let mut field = Field::line("ab\ncd", 100);
    assert_eq!(field.rows(), 1);
    field.edit(TextVerb::LineStart);
    assert_eq!(field.offset(), 0, "not after the mark");
    field.edit(TextVerb::Select(Reach::LineEnd));
    assert_eq!(field.selected(), "ab\ncd");
    field.edit(TextVerb::First);
    field.step(Move::Right);
    field.step(Move::Right);
    assert_eq!(reversed(&field, 20, 1), "⟨LF⟩");
    assert!(field.key(Key::plain(Code::Delete)));
    assert_eq!(field.text(), "abcd");
    field.edit(TextVerb::Undo);
    field.to_end();
    field.edit(TextVerb::EraseStart);
    assert_eq!((field.text().as_str(), field.taken().as_str()), ("", "ab\ncd"));
}
