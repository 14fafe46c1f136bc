//! Tests of `overrule help WORD`.

use crate::cli::world::World;

#[test]
fn a_term_is_explained_in_at_most_two_lines() {
    let world = World::new();
    let before = world.everything();
    for words in [
        &["guarded"][..],
        &["outcome", "unknown"],
        &["Would repeat an effect"],
        &["ctx"],
    ] {
        let args: Vec<&str> = std::iter::once("help").chain(words.iter().copied()).collect();
        let out = world.run(&args).ends(0).out;
        let lines: Vec<&str> = out.lines().collect();
        assert!((1..=2).contains(&lines.len()), "{out}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{out}");
        let begins = out.to_lowercase().starts_with(&words.join(" ").to_lowercase());
        assert!(begins, "{out}");
    }
    assert_eq!(world.everything(), before, "nothing is written");
}

#[test]
fn help_of_a_subcommand_stays_the_help_of_the_subcommand() {
    let world = World::new();
    // `fork` and `queue` are terms, too.
    for command in ["run", "fork", "queue", "help"] {
        let out = world.run(&["help", command]).ends(0).out;
        assert!(out.contains("Usage: overrule"), "{out}");
    }
    assert!(world.run(&["help"]).ends(0).out.contains("overrule help WORD"));
}

#[test]
fn an_unknown_word_names_near_terms_and_what_to_do() {
    let world = World::new();
    let err = world.run(&["help", "gaurded"]).ends(2).err;
    assert!(
        err.contains("cannot explain `gaurded`") && err.contains("near: `guarded`"),
        "{err}"
    );
    assert!(err.contains("hint: `overrule help terms`"), "{err}");
    let err = world.run(&["help", "qqqqqq\u{1b}[31m"]).ends(2).err;
    assert!(!err.contains("near:") && !err.contains('\u{1b}'), "{err}");
    // Another unknown subcommand is no term.
    let err = world.run(&["guarded"]).ends(2).err;
    assert!(
        err.contains("unrecognized subcommand") && !err.contains("a preset"),
        "{err}"
    );
}

#[test]
fn all_terms_are_listed_once() {
    let out = World::new().run(&["help", "terms"]).ends(0).out;
    let lines: Vec<&str> = out.lines().collect();
    let once: std::collections::BTreeSet<&&str> = lines.iter().collect();
    assert!(lines.len() > 80 && once.len() == lines.len(), "{out}");
    assert!(lines.contains(&"suspended"), "{out}");
}
