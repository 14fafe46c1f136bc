//! Hidden characters in a field: stored exactly, named on the screen, one step each.

use proptest::prelude::*;

use super::drawn::{reversed, rows};
use super::keys;
use crate::ground::columns::Columns as _;
use crate::ground::field::{Field, LIMIT, Reach, TextVerb, too_much};
use crate::ground::key::{Code, Key};
use crate::ground::motion::Move;
use overrule_base::text::{visible, visible_line};

/// Characters of all of Unicode, most of them hidden: private use, unassigned, joined.
fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        any::<char>(),
        prop::char::range('\u{E000}', '\u{F8FF}'),
        prop::char::range('\u{F0000}', '\u{10FFFF}'),
        prop::char::range('\u{32000}', '\u{4FFFF}'),
        prop::char::range('\0', '\u{A0}'),
        prop::char::range('\u{2000}', '\u{206F}'),
        prop::char::range('\u{300}', '\u{36F}'),
        prop::sample::select("\n\r ⟨⟩<日ﾞ👩🏽\u{fe0f}".chars().collect::<Vec<_>>()),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(character(), 0..60).prop_map(String::from_iter)
}

/// One of each kind of hidden character.
const KINDS: [char; 13] = [
    '\u{1b}',
    '\t',
    '\r',
    '\0',
    '\u{85}',
    '\u{200b}',
    '\u{202e}',
    '\u{2028}',
    '\u{e000}',
    '\u{f0000}',
    '\u{10fffd}',
    '\u{e0041}',
    '\u{4ffff}',
];

#[test]
fn a_hidden_character_is_one_step_one_undo_and_found() {
    for hidden in KINDS {
        let text = format!("ab{hidden}c{hidden}");
        let mut field = Field::lines(&text);
        assert!(field.find(&hidden.to_string()), "{hidden:?}");
        assert_eq!(field.cursor(), (1, 3), "{hidden:?}");
        assert_eq!(reversed(&field, 60, 1), visible(&hidden.to_string()));
        field.edit(TextVerb::FindNext);
        assert_eq!(field.cursor(), (1, 5), "{hidden:?}");
        field.edit(TextVerb::FindBack);
        field.step(Move::Right);
        assert_eq!(field.cursor(), (1, 4), "{hidden:?}");
        field.edit(TextVerb::Select(Reach::Left));
        assert_eq!(field.selected(), hidden.to_string());
        field.edit(TextVerb::Cut);
        assert_eq!(field.text(), format!("abc{hidden}"));
        assert_eq!(field.taken(), hidden.to_string());
        field.edit(TextVerb::Undo);
        assert_eq!(field.text(), text);
        field.edit(TextVerb::Redo);
        assert_eq!(field.text(), format!("abc{hidden}"));
        assert!(field.key(Key::plain(Code::Backspace)));
        assert_eq!(field.text(), format!("ac{hidden}"));
    }
}

#[test]
fn each_hidden_character_has_its_own_name() {
    let drawn = KINDS.map(|hidden| rows(&Field::lines(&format!("x{hidden}y")), 30, 1));
    for (at, one) in drawn.iter().enumerate() {
        assert!(!drawn[..at].contains(one), "{one:?}");
    }
}

#[test]
fn the_number_of_different_hidden_characters_has_no_limit() {
    // As many as fit of a private use plane.
    let hidden = '\u{f0000}'..='\u{10fffd}';
    let text: String = hidden.take(LIMIT / 4).collect();
    assert_eq!(too_much(&text), None);
    let mut field = Field::lines(&text);
    field.step(Move::Right);
    assert!(field.key(Key::plain(Code::Backspace)));
    assert_eq!(field.text(), &text[4..]);
    field.edit(TextVerb::Undo);
    assert_eq!(field.text(), text);
}

#[test]
fn the_cursor_takes_nothing_from_a_letter() {
    for letter in ["e\u{301}", "日", "👩\u{200d}👩", "ｶﾞ"] {
        let mut field = Field::lines(&format!("a{letter}b"));
        let before = rows(&field, 20, 1);
        field.step(Move::Right);
        assert_eq!(rows(&field, 20, 1), before);
        assert_eq!(reversed(&field, 20, 1), letter);
        field.step(Move::Right);
        assert_eq!(reversed(&field, 20, 1), "b", "one step over {letter:?}");
    }
}

#[test]
fn the_cursor_after_a_full_row_is_drawn() {
    let mut field = Field::lines("abcde");
    field.to_end();
    assert_eq!(rows(&field, 5, 2), ["abcde", ""]);
    assert_eq!(reversed(&field, 5, 2), " ");
}

#[test]
fn a_paste_of_a_megabyte_is_refused_whole_and_one_that_fits_is_one_undo() {
    let pasted = "\u{202e}abc日\u{1b}\n".repeat((1 << 20) / 11 + 1);
    assert!(pasted.len() > 1 << 20);
    let mut line = Field::line("kept", 1024);
    assert!(line.paste(&pasted).is_err());
    assert_eq!(line.text(), "kept");
    let mut field = Field::lines("kept");
    assert!(field.paste(&pasted).unwrap_err().contains("too many"));
    assert_eq!(field.text(), "kept");
    let pasted = "\u{202e}abc日\u{1b}\n".repeat((LIMIT - 4) / 11);
    field.paste(&pasted).unwrap();
    assert_eq!(field.text(), format!("{pasted}kept"));
    field.edit(TextVerb::Undo);
    assert_eq!(field.text(), "kept");
}

proptest! {
    #![proptest_config(overrule_testing::cases(9))]

    /// Whatever the characters are and however they came, the text is read out exactly.
    #[test]
    fn all_of_unicode_comes_back(text in text(), single in any::<bool>()) {
        let open = |text: &str| if single { Field::line(text, 1 << 20) } else { Field::lines(text) };
        let opened = open(&text);
        prop_assert_eq!(&opened.text(), &text);
        let mut field = open("");
        keys(&mut field, &text);
        prop_assert_eq!(&field.text(), &text);
        for _ in text.chars() {
            field.edit(TextVerb::Undo);
        }
        prop_assert_eq!(field.text(), "");
        for _ in text.chars() {
            field.edit(TextVerb::Redo);
        }
        prop_assert_eq!(&field.text(), &text);
        field.select_all();
        field.edit(TextVerb::Cut);
        prop_assert_eq!((field.text(), field.taken()), (String::new(), text));
    }

    /// Any change and its undo leave no trace.
    #[test]
    fn a_change_anywhere_is_undone_exactly(text in text(), put in text(), place in any::<[prop::sample::Index; 2]>()) {
        let mut field = Field::lines(&text);
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let [a, b] = place.map(|index| *index.get(&bounds));
        let (from, to) = (a.min(b), a.max(b));
        prop_assert!(field.splice(from..to, &put));
        let changed = format!("{}{put}{}", &text[..from], &text[to..]);
        prop_assert_eq!(&field.text(), &changed);
        field.edit(TextVerb::Undo);
        prop_assert_eq!(&field.text(), &text);
        field.edit(TextVerb::Redo);
        prop_assert_eq!(field.text(), changed);
    }

    /// The screen shows the visible form, which stands for exactly one text.
    #[test]
    fn what_is_drawn_is_the_visible_form(text in text(), single in any::<bool>()) {
        let line: String = text.chars().filter(|c| single || *c != '\n').collect();
        // The cursor is before the first character, so it touches no blanks.
        let line = format!("x{line}");
        let mut field = if single { Field::line(&line, 1 << 20) } else { Field::lines(&line) };
        field.edit(TextVerb::First);
        let shown = if single { visible(&line) } else { visible_line(&line) };
        let width = u16::try_from(shown.columns() + 1).unwrap();
        prop_assert_eq!(rows(&field, width, 1), [shown]);
    }

    /// The same characters are drawn wherever the cursor is.
    #[test]
    fn the_cursor_changes_no_drawn_character(text in text()) {
        let text: String = text.chars().filter(|c| *c != ' ').take(20).collect();
        let mut field = Field::lines(&text);
        // Room for every row and for the cursor after it, and nothing else: blank cells take time, too.
        let columns = text.split('\n').map(|line| visible_line(line).columns()).max().unwrap_or_default();
        let width = u16::try_from(columns + 2).unwrap();
        let height = u16::try_from(text.matches('\n').count() + 1).unwrap();
        let before = rows(&field, width, height);
        for _ in text.chars() {
            field.step(Move::Right);
            prop_assert_eq!(&rows(&field, width, height), &before);
        }
    }
}
