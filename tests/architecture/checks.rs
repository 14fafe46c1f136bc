//! Tests of the checks, each on a sample with a violation and one without.
//!
//! Must not know: the files of the project.

use super::{
    File, files, forgotten, source, wrong_headers, wrong_names, wrong_sizes, wrong_words, wrong_worlds,
};

fn file(name: &str, text: &str) -> Vec<File> {
    files(vec![(name.to_owned(), text.to_owned())])
}

#[test]
fn comments_and_literals_are_no_code() {
    let text = "a /* b /* c */ d */ e // f\n\"g \\\" h\" 'i' '\\'' r#\"j \" k\"# b\"l\" &'m n r\"o\" br\"p\"";
    let code = source::code(text);
    let words: Vec<&str> = code.split_whitespace().collect();
    assert_eq!(words, ["a", "e", "b", "&'m", "n", "b"]);
    assert_eq!(code.chars().count(), text.chars().count());
    assert_eq!(source::code("/* a\n b").matches('\n').count(), 1);
    assert_eq!(
        source::code("let var = r; for x in y {}"),
        "let var = r; for x in y {}"
    );
}

#[test]
fn tests_are_left_out_and_their_modules_known() {
    let (code, modules) = source::without_tests(
        "a\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\n#[expect(x)]\nmod more { fn f() { g({}) } }\nc\n\
         #[cfg(test)]\npub(crate) mod near;\n#[cfg(test)]\nuse crate::x::{a, b};\nd",
    );
    assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert_eq!(modules, ["tests", "near"]);
    assert_eq!(code.matches('\n').count(), 12);
}

#[test]
fn a_module_for_tests_of_other_crates_is_left_out() {
    let text = "a\n#[cfg(any(test, feature = \"testing\"))]\npub mod testing;\nb";
    let (code, modules) = source::without_tests(&source::code(text));
    assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(modules, ["testing"]);
}

#[test]
fn paths_are_taken_apart() {
    let paths = |code: &str| -> Vec<String> {
        let found = source::paths(code, "crate").into_iter();
        found.map(|(_, path)| path).collect()
    };
    assert_eq!(
        paths("use crate::{a::{b, c as d}, e::f::{self, *}, g};\nx(crate::h::I::J)"),
        ["a::b", "a::c", "e::f::*", "e::f::self", "g", "h::I::J"]
    );
    assert_eq!(paths("pub(crate) fn f() {} mycrate::x; $crate::y"), [""; 0]);
    assert_eq!(source::paths("\n\ncrate::a", "crate"), [(3, "a".to_owned())]);
    let code = "use overrule_model::{wire::Wire, http}; overrule_modelled::x";
    let named = source::paths(code, "overrule_model");
    assert_eq!(named, [(1, "http".to_owned()), (1, "wire::Wire".to_owned())]);
}

#[test]
fn a_forbidden_name_is_found() {
    let wrong = wrong_names(&file(
        "src/schema/a.rs",
        "overrule_domain::call::Fault;\noverrule_domain::state::State",
    ));
    assert_eq!(
        wrong,
        ["src/schema/a.rs:2: must not name `overrule_domain::state::State`"]
    );
    let wrong = wrong_names(&file(
        "src/config/a.rs",
        "use overrule_model::{http, wire::Wire};",
    ));
    assert_eq!(wrong, ["src/config/a.rs:1: must not name `overrule_model::http`"]);
    let wrong = wrong_names(&file(
        "src/console/export/a.rs",
        "use crate::{ground::layout::x, view::y};",
    ));
    assert_eq!(
        wrong,
        ["src/console/export/a.rs:1: must not name `crate::view::y`"]
    );
    let fine = "// overrule_domain::state\n#[cfg(test)]\nmod t { use overrule_domain::state::x; }";
    assert!(wrong_names(&file("src/schema/a.rs", fine)).is_empty());
    let elsewhere = "use overrule_model::http::x;";
    assert!(wrong_names(&file("src/engine/a.rs", elsewhere)).is_empty());
}

#[test]
fn a_module_of_tests_may_name_everything() {
    let code = "use overrule_domain::state::x;".to_owned();
    let found = files(vec![
        ("src/schema/a.rs".into(), "#[cfg(test)]\nmod tests;".into()),
        ("src/schema/a/tests.rs".into(), code.clone()),
        ("src/schema/a/tests/more.rs".into(), code.clone()),
        ("src/schema/tests/main.rs".into(), code.clone()),
        ("src/schema/a/testsuite.rs".into(), code),
    ]);
    assert_eq!(
        wrong_names(&found),
        ["src/schema/a/testsuite.rs:1: must not name `overrule_domain::state::x`"]
    );
}

#[test]
fn a_forgotten_file_is_found() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let found = files(vec![
        file("tests/it/main.rs", "mod a;\n// mod b;"),
        file("tests/it/a.rs", "mod c;"),
        file("tests/it/b.rs", ""),
        file("tests/it/a/c/mod.rs", "#[cfg(unix)]\npub mod d;"),
        file("tests/it/a/c/d.rs", ""),
        file("tests/it/a/cd.rs", ""),
    ]);
    assert_eq!(
        forgotten(&found),
        [
            "tests/it/b.rs: no file declares it as a module",
            "tests/it/a/cd.rs: no file declares it as a module"
        ]
    );
}

#[test]
fn a_wrong_world_is_found() {
    let one = |name: &str, text: &str| wrong_worlds(&file(name, text)).len();
    assert_eq!(one("src/domain/a.rs", "use std::fs;"), 1);
    assert_eq!(one("src/domain/a.rs", "use std::{fmt, fs};"), 1);
    assert_eq!(one("src/domain/a.rs", "use std::{fmt, sync}; let fs = {env};"), 0);
    assert_eq!(one("src/domain/a.rs", "use std::sync::Arc; let fs = 1;"), 0);
    assert_eq!(one("src/policy/a.rs", "tokio::spawn(x); SystemTime::now()"), 2);
    assert_eq!(one("src/console/export/a.rs", "use ratatui::Frame;"), 1);
    assert_eq!(one("src/console/a.rs", "use ratatui::Frame;"), 0);
    assert_eq!(one("src/tools/a.rs", "std::env::var(x)"), 1);
    assert_eq!(one("src/console/a.rs", "use overrule_domain::apply::apply;"), 1);
    assert_eq!(
        one("src/console/run/fold.rs", "use overrule_domain::apply::apply;"),
        0
    );
    assert_eq!(
        one("src/console/a.rs", "f(&mut model.run.state); run.state = x;"),
        2
    );
    assert_eq!(one("src/console/a.rs", "f(&model.run.state); run.state == x"), 0);
    for sizes in [
        "const SIZE: usize = if cfg!(test) { 3 } else { 1024 };",
        "cfg!(any(test, unix))",
        "#[cfg(not(test))] const SIZE: usize = 1024;",
    ] {
        assert_eq!(one("src/console/a.rs", sizes), 1, "{sizes}");
    }
    assert_eq!(
        one(
            "src/console/a.rs",
            "cfg!(unix); #[cfg(test)] mod t { cfg!(test) }"
        ),
        0
    );
    assert_eq!(one("src/config/env.rs", "std::env::var_os(x)"), 0);
    for changes in [
        "RefCell<u8>",
        "std::cell::Cell::new(1)",
        "OnceCell",
        "Mutex<u8>",
        "RwLock<u8>",
        "OnceLock<u8>",
        "LazyLock<Mutex<u8>>",
        "AtomicU64",
        "thread_local! {}",
    ] {
        assert_eq!(one("src/domain/a.rs", changes), 1, "{changes}");
        assert_eq!(one("src/engine/a.rs", changes), 0, "{changes}");
    }
    assert_eq!(one("src/domain/a.rs", "Cells; LazyLock<Regex>; atomic(x)"), 0);
    for opens in [
        "std::fs::read(x)",
        "use std::fs::{self, read_to_string};",
        "fs::read_to_string(x)",
        "File::open(x)",
        "File::options()",
        "OpenOptions::new()",
        "rustix::fs::openat(x)",
    ] {
        assert_eq!(one("src/cli/a.rs", opens), 1, "{opens}");
        assert_eq!(one("src/regular_file/lib.rs", opens), 0);
    }
    assert_eq!(
        one(
            "src/cli/a.rs",
            "std::fs::read_dir(x); use std::fs::{DirBuilder, File}; fs::rename(x)"
        ),
        0
    );
    assert_eq!(one("src/cli/a.rs", "f(Envelope { seq, ..x })"), 1);
    assert_eq!(one("src/domain/envelope.rs", "f(Envelope { seq, ..x })"), 0);
    assert_eq!(one("src/cli/a.rs", "fn f(x: Envelope); stamp(x)"), 0);
    assert_eq!(one("src/cli/a.rs", "mpsc::unbounded_channel()"), 1);
    assert_eq!(one("src/tools/a.rs", "x.unwrap(); todo!(); println!()"), 3);
    assert_eq!(
        one("src/tools/a.rs", "x.unwrap_or(1); \"todo!()\"; // .unwrap()"),
        0
    );
    assert_eq!(one("src/cli/a.rs", "println!()"), 0);
}

#[test]
fn a_poor_header_is_found() {
    let one = |name: &str, text: &str| wrong_headers(&file(name, text)).len();
    assert_eq!(one("src/domain/a.rs", "//! Does x. Must\n//! not know: y.\n"), 0);
    assert_eq!(one("src/domain/a.rs", "//! Does x.\n"), 1);
    assert_eq!(one("src/domain/a.rs", "use x;\n//! Must not know"), 1);
    assert_eq!(one("src/domain/mod.rs", "//! Does x.\n"), 0);
    assert_eq!(one("src/domain/mod.rs", "mod x;\n"), 1);
    assert_eq!(one("src/lib.rs", "//! All.\n"), 0);
}

#[test]
fn a_large_file_is_found() {
    let one = |name: &str, lines: usize| wrong_sizes(&file(name, &"//! x\n".repeat(lines))).len();
    assert_eq!(one("src/domain/a.rs", 800), 0);
    assert_eq!(one("src/domain/a.rs", 801), 1);
    assert_eq!(one("src/domain/mod.rs", 151), 1);
}

#[test]
fn a_stray_number_is_found() {
    let bare = format!("see {}001-{}, and {} 12", 'R', 22, "ruling");
    assert_eq!(wrong_words("a", &bare).len(), 2);
    assert!(wrong_words("a", "R2D2, B52, UTF-8, the ruling was 3 to 2").is_empty());
}
