//! Moves, erasing keys, and undo.

use super::keys;
use crate::ground::field::{Field, Reach, TextVerb};
use crate::ground::key::{Code, Key};
use crate::ground::motion::Move;

const BACK: Key = Key::plain(Code::Backspace);
const DELETE: Key = Key::plain(Code::Delete);

#[test]
fn a_mark_goes_as_a_whole() {
    let many = " ".repeat(41);
    for mark in ["\u{200d}", "\t", "⟨", &many] {
        let text = format!("a{mark}b");
        let mut field = Field::lines(&text);
        field.to_end();
        field.step(Move::Left);
        field.step(Move::Left);
        assert_eq!(field.cursor(), (1, 2), "over the mark of {mark:?}");
        assert!(field.key(DELETE));
        assert_eq!(field.text(), "ab");
        field.edit(TextVerb::Undo);
        assert_eq!(field.text(), text, "one undo");
        let mut field = Field::lines(&text);
        field.step(Move::Right);
        field.step(Move::Right);
        assert!(field.key(BACK));
        assert_eq!(field.text(), "ab");
        assert_eq!(field.cursor(), (1, 2));
        assert!(field.key(BACK));
        assert_eq!(field.text(), "b", "what is no mark goes character by character");
    }
    let mut field = Field::lines("\u{200d}");
    field.edit(TextVerb::Select(Reach::Right));
    assert_eq!(field.selected(), "\u{200d}");
}

#[test]
fn letters_that_look_like_a_mark_go_one_by_one() {
    let mut field = Field::lines("");
    keys(&mut field, "⟨LF⟩");
    assert!(field.key(BACK));
    assert_eq!(field.text(), "⟨LF");
    field.step(Move::Left);
    assert_eq!(field.cursor(), (1, 3));
}

#[test]
fn a_few_blanks_go_one_by_one() {
    let mut field = Field::lines("a      b");
    for _ in 0..3 {
        field.step(Move::Right);
    }
    assert_eq!(field.cursor(), (1, 4));
    assert!(field.key(BACK));
    assert!(field.key(DELETE));
    assert_eq!(field.text(), "a    b");
}

#[test]
fn letters_that_are_drawn_as_one_are_one_step() {
    let mut field = Field::lines("e\u{301}x");
    field.step(Move::Right);
    assert_eq!(field.cursor(), (1, 3));
    assert!(field.key(BACK));
    assert_eq!(field.text(), "ex", "the sign goes first");
    let mut field = Field::lines("e\u{301}x");
    assert!(field.key(DELETE));
    assert_eq!(field.text(), "x");
}

#[test]
fn what_takes_the_place_of_a_selection_is_one_step() {
    type Change = fn(&mut Field);
    let changes: [(Change, &str); 6] = [
        (|field| keys(field, "z"), "one z"),
        (|field| field.paste("p\nq").unwrap(), "one p\nq"),
        (|field| assert!(field.key(BACK)), "one "),
        (|field| field.edit(TextVerb::Cut), "one "),
        (|field| field.edit(TextVerb::EraseWord), "one "),
        (
            |field| assert_eq!(field.type_in("many letters"), 0),
            "one many letters",
        ),
    ];
    for (change, expected) in changes {
        let mut field = Field::lines("one two");
        field.to_end();
        for _ in 0..3 {
            field.edit(TextVerb::Select(Reach::Left));
        }
        assert_eq!(field.selected(), "two");
        change(&mut field);
        assert_eq!(field.text(), expected);
        field.edit(TextVerb::Undo);
        assert_eq!(field.text(), "one two", "one undo from {expected:?}");
        field.edit(TextVerb::Redo);
        assert_eq!(field.text(), expected);
        field.edit(TextVerb::Undo);
        field.edit(TextVerb::Undo);
        assert_eq!(field.text(), "one two", "nothing was done before");
    }
    let mut field = Field::lines("one");
    field.replace("two");
    field.edit(TextVerb::Undo);
    assert_eq!(field.text(), "one");
}

#[test]
fn the_first_and_the_last_character_of_the_text() {
    let mut field = Field::lines("one\ntwo three\nlast one");
    for _ in 0..7 {
        field.step(Move::Right);
    }
    assert_eq!(field.cursor(), (2, 4));
    field.edit(TextVerb::First);
    assert_eq!(field.cursor(), (1, 1));
    field.step(Move::Right);
    field.edit(TextVerb::Last);
    assert_eq!(field.cursor(), (3, 9));
}

#[test]
fn up_and_down_keep_the_column_where_they_can() {
    let mut field = Field::lines("abcdef\nab\nabcdef");
    field.edit(TextVerb::LineEnd);
    let mut places = Vec::new();
    for to in [Move::Down, Move::Down, Move::Down, Move::Up, Move::Up, Move::Up] {
        field.step(to);
        places.push(field.cursor());
    }
    assert_eq!(places, [(2, 3), (3, 7), (3, 7), (2, 3), (1, 7), (1, 7)]);
    field.step(Move::Left);
    field.step(Move::Down);
    field.step(Move::Down);
    assert_eq!(field.cursor(), (3, 6), "another move starts again");
}

#[test]
fn words_and_parts_of_a_line_go_and_come_back() {
    let mut field = Field::lines("let a_b = \"x y\";\nnext");
    for _ in 0..2 {
        field.edit(TextVerb::WordRight);
    }
    assert_eq!(field.cursor(), (1, 9));
    field.edit(TextVerb::WordLeft);
    assert_eq!(field.cursor(), (1, 5));
    field.edit(TextVerb::EraseEnd);
    assert_eq!(field.text(), "let \nnext");
    field.edit(TextVerb::EraseEnd);
    assert_eq!(field.text(), "let next", "at its end the break goes");
    field.edit(TextVerb::EraseWord);
    assert_eq!(field.text(), "next");
    assert_eq!(field.taken(), "let ");
    field.to_end();
    field.edit(TextVerb::EraseStart);
    assert_eq!((field.text().as_str(), field.taken().as_str()), ("", "next"));
}
