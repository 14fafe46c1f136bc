//! Tests random lines: nothing panics, and a command is found at any place of a line.
//!
//! Must not know: rules.

use proptest::prelude::*;

use super::super::{Reading, quote};

/// A line that contains `touch mark` as a command.
fn placed() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "@",
        "  @",
        "A=1 @",
        "A=$(id) B='x y' @",
        ">out @",
        "2>&1 <in @",
        "@ >out",
        "@ # it's (",
        "! @",
        "time -p @",
        "/usr/bin/@",
    ]);
    leaf.prop_map(|leaf| leaf.replace('@', "touch mark"))
        .prop_recursive(5, 24, 3, |inner| {
            let other = prop::sample::select(vec![
                "true",
                "echo 'a; b' \"c) d\"",
                "cat <<E\nit's (\nE\n",
                "cat <<'E' && ls\n$(x `\nE\n",
                "x=${y:-'a b'}",
                "echo $((1 + 2)) \\) \\;",
                "case $x in a|b) ls;; (*) id;; esac",
                "f() { ls; }",
                "for i in 1 2; do ls; done",
                "echo a & ls | wc",
                "[ -f x ] || ls >>y",
            ]);
            let sign = prop::sample::select(vec![";", "\n", "&&", "||", "|", "&", " ; ", "\n\n"]);
            prop_oneof![
                (other.clone(), sign.clone(), inner.clone()).prop_map(|(other, sign, inner)| {
                    // A body ends with its line, after which no sign may come.
                    let sign = if other.ends_with('\n') { "" } else { sign };
                    format!("{other}{sign}{inner}")
                }),
                (inner.clone(), other).prop_map(|(inner, other)| format!("{inner}\n{other}")),
                inner.clone().prop_map(|one| format!("({one}\n)")),
                inner.clone().prop_map(|one| format!("{{ {one}\n}}")),
                inner.clone().prop_map(|one| format!("if {one}\nthen ls; fi")),
                inner
                    .clone()
                    .prop_map(|one| format!("if ls; then {one}\nelse id; fi")),
                inner.clone().prop_map(|one| format!("while ls; do {one}\ndone")),
                inner
                    .clone()
                    .prop_map(|one| format!("for i in a b; do {one}\ndone >x")),
                inner
                    .clone()
                    .prop_map(|one| format!("case x in y) {one}\n;; esac")),
                inner.clone().prop_map(|one| format!("f() {{ {one}\n}}; f")),
                inner.clone().prop_map(|one| format!("echo $({one}\n)")),
                inner.clone().prop_map(|one| format!("echo \"a $({one}\n) b\"")),
                inner.clone().prop_map(|one| format!("x=$({one}\n) ls")),
                inner.clone().prop_map(|one| format!("cat <({one}\n)")),
                inner.clone().prop_map(|one| format!("echo ${{x:-$({one}\n)}}")),
                inner
                    .clone()
                    .prop_map(|one| format!("cat <<EOF\na $({one}\n)\nEOF\n")),
                inner
                    .clone()
                    .prop_map(|one| format!("bash <<'EOF'\n{one}\nEOF\n")),
                inner.clone().prop_map(|one| format!("sh -c {}", quote(&one))),
                inner
                    .clone()
                    .prop_map(|one| format!("env A=1 timeout 5 bash -lc {}", quote(&one))),
                inner.clone().prop_map(|one| format!("eval {}", quote(&one))),
                inner.prop_map(|one| format!(
                    "echo `{}`",
                    one.replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$")
                )),
            ]
        })
}

proptest! {
    #![proptest_config(overrule_testing::cases(100))]

    #[test]
    fn a_command_at_any_place_is_found(line in placed()) {
        let reading = Reading::of_line(&line);
        let found = reading.commands.iter().any(|one| one.any_form(|form| form == "touch mark"));
        prop_assert!(found || reading.uncertainty == Some(super::Uncertainty::TooMany), "{line}\n{reading:#?}");
    }

    #[test]
    fn no_line_panics_and_commands_stand_in_it(line in "([a-z ]|[;&|<>'\"\\\\#\n=*?~-]|[({})$`\\[\\]]|é|<<|\\$\\(|sh -c |case |esac|in |eval ){0,60}") {
        let reading = Reading::of_line(&line);
        prop_assert!(reading.commands.len() <= 512);
        for one in &reading.commands {
            one.any_form(|_| false);
            let _ = reading.part(one);
        }
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let reading = Reading::of_words(&words);
        prop_assert!(reading.commands.len() <= 512);
    }

    #[test]
    fn any_text_is_read(line in any::<String>()) {
        let reading = Reading::of_line(&line);
        let covered = reading.covered(|_| true);
        prop_assert!(covered.into_iter().all(|one| one));
    }
}
