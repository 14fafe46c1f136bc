//! Tests of the layout of Markdown.

use proptest::prelude::*;

use super::*;

fn plain(text: &str, columns: usize) -> Vec<String> {
    let rows = rows(text, columns, Charset::Unicode);
    rows.iter().map(|row| row.plain().trim_end().to_owned()).collect()
}

fn roles(text: &str) -> Vec<(String, Role)> {
    let rows = rows(text, 80, Charset::Unicode);
    let pieces = rows.into_iter().flat_map(|row| row.0);
    pieces.map(|piece| (piece.text, piece.role)).collect()
}

#[test]
fn paragraphs_keep_their_lines_and_headings_are_bold() {
    assert_eq!(
        plain(
            "# What is left\nOne line\nand another.\n\nA second paragraph.",
            40
        ),
        [
            "What is left",
            "One line",
            "and another.",
            "",
            "A second paragraph."
        ]
    );
    assert_eq!(roles("# Left").as_slice(), [("Left".to_owned(), Role::Title)]);
    let bold = roles("a **b** c");
    assert_eq!(bold.iter().filter(|(_, role)| *role == Role::Title).count(), 1);
    assert_eq!(plain("a `b` *c* ~~d~~", 40), ["a `b` c d"]);
}

#[test]
fn lists_are_nested_numbered_and_ticked() {
    let text = "What is left\n- one\n  - two and more words\n- [x] three\n- [ ] four\n\n3. five\n4. six";
    assert_eq!(
        plain(text, 16),
        [
            "What is left",
            "• one",
            "  • two and more",
            "    words",
            "• [x] three",
            "• [ ] four",
            "3. five",
            "4. six",
        ]
    );
    assert_eq!(plain("-\n- b", 16), ["•", "• b"]);
}

#[test]
fn code_keeps_its_lines_and_a_quote_its_bar() {
    assert_eq!(
        plain(
            "before\n```python\ndef f():\n    return 1\n\nf()\n```\n> said\n> twice",
            40
        ),
        [
            "before",
            "  def f():",
            "      return 1",
            "",
            "  f()",
            "│ said",
            "│ twice"
        ]
    );
    assert_eq!(plain("```\nabcdefgh ijkl\n```", 10), ["  abcdefgh", "  ijkl"]);
    let ascii = rows("- a\n\n> b\n\n---", 20, Charset::Ascii);
    assert!(ascii.iter().all(|row| row.plain().is_ascii()), "{ascii:?}");
}

#[test]
fn tables_are_columns_or_cell_by_cell_where_they_are_too_wide() {
    let text = "| file | lines |\n|---|---|\n| stats.py | 14 |\n| a | 3 |";
    assert_eq!(
        plain(text, 40),
        ["file      lines", "stats.py  14", "a         3"]
    );
    assert_eq!(
        plain(text, 12),
        ["file:", "  stats.py", "lines: 14", "", "file: a", "lines: 3"]
    );
}

#[test]
fn a_link_names_its_address_unless_its_text_does() {
    assert_eq!(
        plain("see [the docs](https://a.example/x)", 60),
        ["see the docs (https://a.example/x)"]
    );
    assert_eq!(plain("<https://a.example/x>", 60), ["https://a.example/x"]);
    // What looks like one address and leads to another tells both.
    assert_eq!(
        plain("[https://a.example](https://evil.example)", 60),
        ["https://a.example (https://evil.example)"]
    );
}

#[test]
fn what_is_no_markdown_is_shown_as_it_is() {
    for text in [
        "a < b && c > d",
        "x = [1, 2]",
        "it costs $3 * 4",
        "<b>bold</b>",
        "a_b_c",
        "C:\\dir",
    ] {
        assert_eq!(plain(text, 60), [text], "{text}");
    }
    assert_eq!(plain("\u{1b}[31mred\u{202e}", 60).len(), 1);
}

proptest! {
    #[test]
    fn no_text_breaks_the_rows(text in "[-a-z#*`>|\\[\\]() \n0-9._~!\u{1b}\u{202e}日]{0,200}", columns in 0_usize..60) {
        for row in rows(&text, columns, Charset::Unicode) {
            let plain = row.plain();
            prop_assert!(!plain.chars().any(|c| c.is_control() || c == '\u{202e}'), "{plain:?}");
            prop_assert!(plain.trim_end().columns() <= columns.max(8), "{plain:?} in {columns}");
        }
    }
}
